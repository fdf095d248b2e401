"""The end of a run, in the controller: outputs, registry and summary."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pytest_robustseiz.achieved import agreement_lines, attack_lines, change_text, changed_nothing, effect_lines
from pytest_robustseiz.chance import judge_together
from pytest_robustseiz.collector import Collector, Detector
from pytest_robustseiz.messages import PooledLimit
from pytest_robustseiz.options import Settings
from pytest_robustseiz.outputs import write_experiment
from pytest_robustseiz.readingnotes import note_lines
from pytest_robustseiz.registry import RegistryError, RunFacts, append, as_cells, make_row
from pytest_robustseiz.regression import Comparison, compare
from pytest_robustseiz.results import ExperimentResult, RecordingResult, Scores
from pytest_robustseiz.scope import Scope
from pytest_robustseiz.scoretext import baseline_lines, figures_text
from pytest_robustseiz.training import training_line


@dataclass
class Ending:
    """What the summary shows.

    Attributes
    ----------
    lines : list of str
        In order.
    failed : bool
        Whether something could not be written.
    absent : list of str
        The lines that say what was not done.
    failures : list of (str, str)
        What failed beside the tests, and why.
    scored : list of (Detector, ExperimentResult, dict)
        Experiments with their rows.
    """

    lines: list[str] = field(default_factory=list)
    failed: bool = False
    absent: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    scored: list[tuple[Detector, ExperimentResult, dict[str, object]]] = field(default_factory=list)


def finish(collector: Collector, settings: Settings, scope: Scope, *, comparison: Comparison | None = None) -> Ending:
    """Write everything, and say what was and was not done.

    Parameters
    ----------
    collector : Collector
        With the messages of all reports.
    settings : Settings
        Of the run.
    scope : Scope
        Its subjects.
    comparison : Comparison, optional
        Earlier run that this one must not fall behind.
    """
    ending = Ending()
    experiments = collector.experiments(scope.names)
    for detector in dict.fromkeys(detector for detector, _ in experiments):
        own = [experiment for other, experiment in experiments if other == detector]
        ending.lines += _detector_lines(detector, own, settings)
        ending.lines += _training_lines(collector.training.get(detector, set()), scope)
    _judge_together(experiments, collector.limits, settings, ending)
    ending.absent = _absent_lines(collector, scope.names)
    ending.lines += ending.absent
    rows = _write(experiments, collector, settings, scope, ending) if experiments else []
    ending.scored = [(*experiment, row) for experiment, row in zip(experiments, rows, strict=True)]
    if comparison is not None:
        outcome = compare(comparison, [as_cells(row) for row in rows])
        ending.lines += outcome.lines
        ending.failed = ending.failed or outcome.failed
        if outcome.failed:
            ending.failures.append(("comparison with an earlier run", "\n".join(outcome.lines)))
    if ending.failures:
        # Pytest's own last line counts tests only, all of which may have passed.
        ending.lines.append(f"THE RUN FAILS by: {', '.join(what for what, _ in ending.failures)}")
    return ending


def _judge_together(
    experiments: Sequence[tuple[Detector, ExperimentResult]],
    limits: Iterable[PooledLimit],
    settings: Settings,
    ending: Ending,
) -> None:
    """Say what the drops that tests judged come to together; by Holm it may fail the run."""
    by_detector: dict[Detector, list[PooledLimit]] = {}
    for limit in sorted(limits):
        by_detector.setdefault(Detector(limit.adapter, limit.fingerprint), []).append(limit)
    for detector, own in by_detector.items():
        by_label = {experiment.setting.label: experiment for other, experiment in experiments if other == detector}
        found = judge_together(by_label, own, seed=settings.seed, gate=settings.gate)
        ending.lines += found.lines
        if found.failed:
            ending.failed = True
            ending.failures.append(("drops after Holm's correction", "\n".join(found.lines)))


def corpus_fingerprint(experiment: ExperimentResult) -> str:
    """Hash over name and content (signal and events) of every recording of the scope."""
    contents = [[recording.folder, recording.stem, recording.content] for recording in _recordings(experiment)]
    return hashlib.sha256(json.dumps(contents).encode()).hexdigest()[:16]


def trained_fingerprint(experiment: ExperimentResult) -> str:
    """Hash over the models that the run trained, one for each subject; empty where one model serves all."""
    models = [[case.subject, case.model] for case in experiment.cases if case.model]
    return hashlib.sha256(json.dumps(models).encode()).hexdigest() if models else ""


def _recordings(experiment: ExperimentResult) -> list[RecordingResult]:
    return [recording for case in experiment.cases for recording in case.recordings]


def _write(
    experiments: Sequence[tuple[Detector, ExperimentResult]],
    collector: Collector,
    settings: Settings,
    scope: Scope,
    ending: Ending,
) -> list[dict[str, object]]:
    detectors = list(dict.fromkeys(detector for detector, _ in experiments))
    # With several detectors in one run each gets a folder of its own.
    outputs = {
        one: settings.output / _folder_name(one, detectors) if len(detectors) > 1 else settings.output
        for one in detectors
    }
    rows = [
        make_row(
            experiment,
            adapter=detector.name,
            fingerprint=trained_fingerprint(experiment) or detector.fingerprint,
            corpus=corpus_fingerprint(experiment),
            facts=RunFacts(
                datetime.now(UTC),
                str(scope.folder),
                str(outputs[detector]),
                settings.mode,
                settings.seed,
                corpus=scope.facts,
                training_subjects=len(collector.training.get(detector, ())) or None,
                protocol=str(settings.protocol.number) if settings.protocol else "",
            ),
        )
        for detector, experiment in experiments
    ]
    try:
        for detector, experiment in experiments:
            write_experiment(outputs[detector] / experiment.setting.family, experiment)
        append(settings.registry, rows)
    except (OSError, RegistryError) as error:
        ending.failed = True
        ending.lines.append(f"NOT WRITTEN: {error}")
        ending.failures.append(("writing the results", str(error)))
    else:
        ending.lines += [f"registry: {settings.registry} (+{len(rows)} rows)", f"outputs: {settings.output}"]
    return rows


def _folder_name(detector: Detector, detectors: Sequence[Detector]) -> str:
    safe = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in detector.name)
    alike = [other for other in detectors if other.name == detector.name]
    return safe if len(alike) == 1 else f"{safe}-{detector.fingerprint[:8] or alike.index(detector)}"


def _detector_lines(detector: Detector, experiments: Sequence[ExperimentResult], settings: Settings) -> list[str]:
    first = experiments[0]
    scores, recordings = first.scores, len(_recordings(first))
    identity = detector.fingerprint[:12] or "no fingerprint, so its results were kept for this session only"
    lines = [
        f"detector {detector.name} ({identity})",
        f"scope: {settings.mode}, {len(first.cases)} subjects, {recordings} recordings, "
        f"{scores.duration_s / 3600:.2f} h, {scores.seizures} seizures; seed {settings.seed}",
    ]
    by_label = {experiment.setting.label: experiment for experiment in experiments}
    baseline = by_label.pop("baseline", None)
    if baseline is not None:
        lines += baseline_lines(baseline)
        lines += _drop_lines(baseline.scores, list(by_label.values()))
    lines += effect_lines(list(by_label.values()))
    idle = [label for label, experiment in by_label.items() if changed_nothing(experiment.scores)]
    if idle:
        lines.append(f"changed nothing in the input: {', '.join(idle)}")
    return [*lines, *attack_lines(by_label), *agreement_lines(experiments), *note_lines(_recordings(first))]


def _training_lines(training: Collection[str], scope: Scope) -> list[str]:
    corpus = [subject.name for subject in scope.corpus]
    return [training_line(sorted(training), scope.names, corpus)] if training else []


def _drop_lines(baseline: Scores, experiments: Sequence[ExperimentResult], *, most: int = 5) -> list[str]:
    task = baseline.task
    reference = baseline.metrics()[task.headline]
    drops = [(reference - experiment.scores.metrics()[task.headline], experiment) for experiment in experiments]
    falls = sorted((pair for pair in drops if pair[0] > 0), key=lambda pair: -pair[0])
    if not experiments:
        return []
    if not falls:
        return [f"no setting lowered {task.title}"]
    lines = [f"largest drops of {task.title}:"]
    for drop, experiment in falls[:most]:
        lines.append(f"  {experiment.setting.label}: -{drop:.3f} to {figures_text(experiment.scores)}")
        lines.append(f"    input changed by {change_text(experiment)}")
    return lines


def _absent_lines(collector: Collector, subjects: Sequence[str]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for label, reason in collector.not_applicable.items():
        by_reason.setdefault(reason, []).append(label)
    lines = [f"not applicable: {_labels(labels)}: {reason}" for reason, labels in by_reason.items()]
    incomplete = collector.incomplete(subjects)
    if incomplete:
        lines += ["incomplete, so without a row:", *(f"  {line}" for line in incomplete)]
    if collector.lost:
        lines += ["lost with their worker:", *(f"  {nodeid}" for nodeid in collector.lost)]
    return [*lines, *collector.remarks]


def _labels(labels: Sequence[str], *, most: int = 3) -> str:
    if len(labels) <= most:
        return ", ".join(labels)
    shifts = dict.fromkeys(label.partition("-")[0] for label in labels)
    return f"{len(labels)} settings of {', '.join(shifts)}"
