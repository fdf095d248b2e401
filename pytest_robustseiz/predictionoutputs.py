"""Files of a prediction experiment: what was said of each recording, and the scores."""

from itertools import groupby
from pathlib import Path

from pytest_robustseiz.figuretexts import csv_table, shown
from pytest_robustseiz.paired import predictions_by_subject
from pytest_robustseiz.predictionrow import confusion_cells
from pytest_robustseiz.recordingresult import RecordingResult
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.scoretext import degenerate_text
from pytest_robustseiz.scoring import CLASSES, PredictionCounts, chance_level, patient_summaries, prediction_metrics
from pytest_robustseiz.store import write_atomically
from pytest_robustseiz.tasks import PREDICTION

_COUNTS = ("alarms", "interictal_s", "seizures", "with_preictal", "missed", "warned")


def write_prediction_scores(target: Path, experiment: ExperimentResult, counts: PredictionCounts) -> None:
    """Write results.csv (a line for each subject, and all) and results.txt.

    Parameters
    ----------
    target : Path
        Folder of the experiment.
    experiment : ExperimentResult
        The experiment.
    counts : PredictionCounts
        Pooled over its subjects.
    """
    by_subject = predictions_by_subject(experiment)
    rows = [_row(subject, own) for subject, own in by_subject.items()]
    write_atomically(target / "results.csv", csv_table([*rows, _row("all", counts)]))
    write_atomically(target / "results.txt", "\n".join(_lines(experiment, counts)) + "\n")


def write_predicted(path: Path, recording: RecordingResult) -> None:
    """Write the classes of a recording as a table of runs: onset and duration in seconds, and the class.

    Parameters
    ----------
    path : Path
        The table, with tabs.
    recording : RecordingResult
        Of the prediction task.
    """
    lines, onset = ["onset\tduration\tclass"], 0
    for digit, run in groupby(recording.predicted):
        duration = len(list(run))
        lines.append(f"{onset}\t{duration}\t{CLASSES[int(digit)]}")
        onset += duration
    write_atomically(path, "\n".join(lines) + "\n")


def _row(subject: str, counts: PredictionCounts) -> dict[str, object]:
    return {
        "subject": subject,
        **confusion_cells(counts),
        **{name: getattr(counts, name) for name in _COUNTS},
        **prediction_metrics(counts),
    }


def _lines(experiment: ExperimentResult, counts: PredictionCounts) -> list[str]:
    by_subject = predictions_by_subject(experiment)
    lines = [
        f"{experiment.setting.label}: {len(experiment.cases)} subjects, {counts.duration_s / 3600:.2f} h scored, "
        f"{counts.seizures} seizures, scoring preset {PREDICTION.preset}",
        "",
        "Pooled over the scope (summed counts)",
        *(f"  {name}: {shown(value)}" for name, value in prediction_metrics(counts).items()),
    ]
    if text := degenerate_text(counts):
        lines += ["", text]
    chance = chance_level(by_subject.values())
    lines += [
        "",
        f"Warned of: {chance.warned} of {chance.seizures} seizures; at random with the same rate of alarms "
        f"{shown(chance.expected)} (p {shown(chance.p_value)})",
        "",
        "Over subjects: mean, standard deviation, median, hardest, easiest (n: to whom the figure applies)",
    ]
    for name, summary in patient_summaries(by_subject).items():
        figures = ", ".join(shown(value) for value in (summary.mean, summary.std, summary.median))
        lines.append(f"  {name}: {figures}, {summary.hardest}, {summary.easiest} (n={summary.patients})")
    return lines
