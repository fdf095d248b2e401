"""The end of a run, in the controller: outputs, registry and summary."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pytest_robustseiz.achieved import agreement_lines, attack_lines, change_text, changed_nothing
from pytest_robustseiz.chance import judge_together
from pytest_robustseiz.collector import Collector, Detector
from pytest_robustseiz.messages import PooledLimit
from pytest_robustseiz.options import Settings
from pytest_robustseiz.outputs import write_experiment
from pytest_robustseiz.registry import RegistryError, RunFacts, append, as_cells, make_row
from pytest_robustseiz.regression import Comparison, compare
from pytest_robustseiz.results import ExperimentResult, Scores


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


def finish(
    collector: Collector,
    settings: Settings,
    subjects: Sequence[str],
    data_dir: Path,
    *,
    comparison: Comparison | None = None,
) -> Ending:
    """Write everything, and say what was and was not done.

    Parameters
    ----------
    collector : Collector
        With the messages of all reports.
    settings : Settings
        Of the run.
    subjects : sequence of str
        Folder names of the scope.
    data_dir : Path
        The corpus.
    comparison : Comparison, optional
        Earlier run that this one must not fall behind.
    """
    ending = Ending()
    experiments = collector.experiments(subjects)
    for detector in dict.fromkeys(detector for detector, _ in experiments):
        own = [experiment for other, experiment in experiments if other == detector]
        ending.lines += _detector_lines(detector, own, settings)
    _judge_together(experiments, collector.limits, settings, ending)
    ending.absent = _absent_lines(collector, subjects)
    ending.lines += ending.absent
    rows = _write(experiments, settings, data_dir, ending) if experiments else []
    ending.scored = [(*experiment, row) for experiment, row in zip(experiments, rows, strict=True)]
    if comparison is not None:
        outcome = compare(comparison, [as_cells(row) for row in rows])
        ending.lines += outcome.lines
        ending.failed = ending.failed or outcome.failed
        if outcome.failed:
            ending.failures.append(("comparison with an earlier run", "\n".join(outcome.lines)))
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
    contents = [
        [recording.folder, recording.stem, recording.content]
        for case in experiment.cases
        for recording in case.recordings
    ]
    return hashlib.sha256(json.dumps(contents).encode()).hexdigest()[:16]


def _write(
    experiments: Sequence[tuple[Detector, ExperimentResult]], settings: Settings, data_dir: Path, ending: Ending
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
            fingerprint=detector.fingerprint,
            corpus=corpus_fingerprint(experiment),
            facts=RunFacts(datetime.now(UTC), str(data_dir), str(outputs[detector]), settings.mode, settings.seed),
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
    scores, recordings = first.scores, sum(len(case.recordings) for case in first.cases)
    identity = detector.fingerprint[:12] or "no fingerprint, so its results were kept for this session only"
    lines = [
        f"detector {detector.name} ({identity})",
        f"scope: {settings.mode}, {len(first.cases)} subjects, {recordings} recordings, "
        f"{scores.event.duration_s / 3600:.2f} h, {scores.seizures} seizures; seed {settings.seed}",
    ]
    by_label = {experiment.setting.label: experiment for experiment in experiments}
    baseline = by_label.pop("baseline", None)
    if baseline is not None:
        lines.append(f"baseline: {_figures(baseline.scores)}")
        if baseline.scores.event.reference and not baseline.scores.event.tp:
            lines.append(
                "THE BASELINE FINDS NO SEIZURE: no setting can lower its scores, so limits on drops mean nothing"
            )
        lines += _drop_lines(baseline.scores, list(by_label.values()))
    idle = [label for label, experiment in by_label.items() if changed_nothing(experiment.scores)]
    if idle:
        lines.append(f"changed nothing in the input: {', '.join(idle)}")
    return [*lines, *attack_lines(by_label), *agreement_lines(experiments), *_note_lines(first)]


def _drop_lines(baseline: Scores, experiments: Sequence[ExperimentResult], *, most: int = 5) -> list[str]:
    drops = [(baseline.event.f1 - experiment.scores.event.f1, experiment) for experiment in experiments]
    falls = sorted((pair for pair in drops if pair[0] > 0), key=lambda pair: -pair[0])
    if not experiments:
        return []
    if not falls:
        return ["no setting lowered event F1"]
    lines = ["largest drops of event F1:"]
    for drop, experiment in falls[:most]:
        lines.append(
            f"  {experiment.setting.label}: -{drop:.3f} to {_figures(experiment.scores)}; "
            f"input changed by {change_text(experiment.scores)}"
        )
    return lines


def _figures(scores: Scores) -> str:
    event = scores.event
    return (
        f"event F1 {event.f1:.3f}, sensitivity {event.sensitivity:.3f}, precision {event.precision:.3f}, "
        f"{event.fp_per_day:.1f} FP/24h"
    )


def _note_lines(experiment: ExperimentResult, *, most: int = 5) -> list[str]:
    """Notes on the recordings; those that differ in numbers only are counted together."""
    alike: dict[str, list[str]] = {}
    for case in experiment.cases:
        for recording in case.recordings:
            for note in recording.notes:
                alike.setdefault(re.sub(r"\d+(\.\d+)?", "#", note), []).append(f"{recording.stem}: {note}")
    lines = [f"  {found[0]}{f' (and {len(found) - 1} more like it)' if found[1:] else ''}" for found in alike.values()]
    if len(lines) > most:
        lines = [*lines[:most], f"  and {len(lines) - most} more kinds"]
    return ["notes on the recordings:", *lines] if lines else []


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
