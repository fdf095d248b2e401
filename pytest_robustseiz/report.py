"""The report of a run that has just ended."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from pytest_robustseiz.achieved import agreement_lines, attack_lines, changed_nothing
from pytest_robustseiz.corpus import RecordingFiles, discover
from pytest_robustseiz.recording import Recording, read_recording
from pytest_robustseiz.reportdata import BASELINE, Chapter, Entry, Report, Verdict
from pytest_robustseiz.reporttables import paragraph
from pytest_robustseiz.reporttasks import view_of_header
from pytest_robustseiz.reporttraces import picture, worst_cases
from pytest_robustseiz.results import ExperimentResult, RecordingResult
from pytest_robustseiz.subjectcounts import predicted_subjects

Scored = tuple[ExperimentResult, Mapping[str, object]]
LIBRARIES = ("numpy", "scipy", "pytest")


def run_report(
    detectors: Sequence[Sequence[Scored]],
    *,
    verdict: Verdict,
    absent: Sequence[str],
    corpus: Path,
    registry: Path,
    facts: Mapping[str, Mapping[str, object]],
    draw: bool = True,
) -> Report:
    """Everything that the page of a run shows.

    Parameters
    ----------
    detectors : sequence of sequence of (ExperimentResult, mapping)
        For each detector its experiments with their registry rows.
    verdict : Verdict
        Of the tests.
    absent : sequence of str
        What was not done.
    corpus, registry : Path
        Where the EEG is, and where the rows are.
    facts : mapping
        Of the author.
    draw : bool
        Whether to read EEG of the worst cases and draw it.
    """
    chapters = tuple(_chapter(scored, absent, corpus if draw else None) for scored in detectors if scored)
    return Report(
        source=f"From a run of pytest; registry {registry}.",
        verdict=verdict,
        chapters=chapters,
        absent=() if chapters else tuple(absent),
        registry=str(registry),
        facts=facts,
    )


def entry_of(experiment: ExperimentResult, row: Mapping[str, object]) -> Entry:
    """An experiment with the counts of its subjects and, of a detector, all delays."""
    if experiment.scores.prediction is not None:
        return Entry(row, predicted_subjects(row))
    subjects = {case.subject: case.scores.event for case in experiment.cases}
    return Entry(row, subjects, experiment.scores.delays)


def _chapter(scored: Sequence[Scored], absent: Sequence[str], corpus: Path | None) -> Chapter:
    by_label = {experiment.setting.label: (experiment, row) for experiment, row in scored}
    baseline = by_label.pop(BASELINE, None)
    settings = {label: experiment for label, (experiment, _) in by_label.items()}
    idle = [label for label, experiment in settings.items() if changed_nothing(experiment.scores)]
    notes = [f"changed nothing in the input: {', '.join(idle)}"] if idle else []
    notes += attack_lines(settings) + agreement_lines([experiment for experiment, _ in scored])
    return Chapter(
        baseline=entry_of(*baseline) if baseline else None,
        entries=tuple(entry_of(experiment, row) for experiment, row in by_label.values()),
        absent=tuple(line.strip() for line in absent),
        notes=tuple(notes),
        pictures=_pictures(baseline[0], list(settings.values()), corpus, scored[0][1]) if baseline and corpus else (),
        environment=_environment(),
    )


def _environment() -> dict[str, str]:
    """Versions and machine of the run."""
    versions = {name: version(name) for name in LIBRARIES}
    return {"Python": platform.python_version(), **versions, "System": platform.platform()}


def _pictures(
    baseline: ExperimentResult, settings: Sequence[ExperimentResult], corpus: Path, row: Mapping[str, object]
) -> tuple[str, ...]:
    cases = worst_cases(baseline, settings)
    if not cases:
        return (paragraph(view_of_header(row).page.no_pictures),)
    reader, found = _Reader(corpus), []
    problems: dict[str, list[str]] = {}
    for case in cases:
        try:
            found.append(picture(case, reader, int(str(row["seed"]))))
        except (ValueError, OSError) as error:
            problems.setdefault(str(error), []).append(f"{case.setting.label} ({case.after.stem})")
    lines = (f"The EEG of {', '.join(where)} could not be drawn: {problem}" for problem, where in problems.items())
    return (*found, *map(paragraph, lines))


class _Reader:
    """Reads recordings of a corpus again, by where they stand."""

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus
        self._files: dict[tuple[str, str], RecordingFiles] | None = None

    def __call__(self, result: RecordingResult, subject: str) -> Recording:
        if self._files is None:
            subjects = discover(self._corpus)
            self._files = {(files.folder, files.stem): files for one in subjects for files in one.recordings}
        files = self._files.get((result.folder, result.stem))
        if files is None:
            raise ValueError(f"{self._corpus}: no recording {result.folder}/{result.stem} any more")
        return read_recording(files)
