"""Counts of each subject of a registry's row: from the score files of its run, or from the row itself."""

import csv
import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_robustseiz.registry import task_of_header
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.scoring import WINDOW_S, Counts, prediction_scores
from pytest_robustseiz.scoring.prediction_confusion import Confusion, as_confusion
from pytest_robustseiz.tasks import PREDICTION

COUNTS = ("event_tp", "event_fp", "event_reference", "duration_s")


class SubjectCountsError(ValueError):
    """The counts of a row's subjects cannot be had; the message says why."""


@dataclass(frozen=True)
class PredictedSubject:
    """What a row of the prediction task says of one subject.

    Attributes
    ----------
    confusion : 3 x 3 tuple of int
        Windows by true and predicted class.
    alarms : int
        False alarms.
    reference : int
        Seizures that were scored.
    missed : int
        Those without a warning.
    """

    confusion: Confusion
    alarms: int
    reference: int
    missed: int

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall over the classes that the subject has; NaN without windows."""
        return prediction_scores(self.confusion).balanced_accuracy

    @property
    def duration_s(self) -> float:
        """Time that was scored, seconds."""
        return sum(map(sum, self.confusion)) * WINDOW_S


SubjectScore = Counts | PredictedSubject


def headline_of(subject: SubjectScore | None) -> float:
    """Event F1 or balanced accuracy of a subject; NaN where it is not known, or nothing is there to be found."""
    if isinstance(subject, PredictedSubject):
        return subject.balanced_accuracy
    return subject.f1 if subject is not None and subject.reference else math.nan


def as_counts(subject: SubjectScore) -> tuple[float, ...]:
    """Counts in the order of `pytest_robustseiz.intervals.count_table`."""
    if isinstance(subject, Counts):
        return dataclasses.astuple(subject)
    cells = (cell for row in subject.confusion for cell in row)
    return (*cells, subject.alarms, subject.reference, subject.missed)


def predicted_subjects(row: Mapping[str, object]) -> dict[str, PredictedSubject]:
    """Subjects of a row of the prediction task, in order of name.

    Parameters
    ----------
    row : mapping of str to object
        The row by column.

    Raises
    ------
    SubjectCountsError
        When its `per_subject_json` is not what a run writes, or does not add up to its `n_windows`.
    """
    text = str(row["per_subject_json"])
    try:
        found = {name: _predicted(own) for name, own in sorted(json.loads(text).items())}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SubjectCountsError(f"per_subject_json is not that of a run ({error!r}): {text[:60]!r}") from error
    windows = sum(round(own.duration_s / WINDOW_S) for own in found.values())
    if windows != int(str(row["n_windows"])):
        raise SubjectCountsError(f"per_subject_json holds {windows} windows, n_windows says {row['n_windows']}")
    return found


def _predicted(own: Mapping[str, object]) -> PredictedSubject:
    alarms, seizures, missed = (int(str(own[name])) for name in ("alarms", "seizures", "missed"))
    confusion = own["confusion"]
    if not isinstance(confusion, list):
        raise TypeError(f"confusion must be a list, got {confusion!r}")
    return PredictedSubject(as_confusion(confusion), alarms, seizures, missed)


def subject_table(row: StoredRow) -> dict[str, tuple[float, ...]]:
    """Counts of each subject, as `pytest_robustseiz.intervals.count_table` has them.

    Parameters
    ----------
    row : StoredRow
        Of the detection task, whose `output_dir` holds <category>/<experiment>/results.csv, or of the prediction task,
        which needs no file.

    Returns
    -------
    dict of str to tuple of float
        In order of subject.

    Raises
    ------
    SubjectCountsError
        When the file is not there or not what a run writes, or when it does not add up to the row, since a later run
        wrote over it; or as `predicted_subjects`.
    """
    if task_of_header(row.cells) is PREDICTION:
        try:
            return {name: as_counts(own) for name, own in predicted_subjects(row.cells).items()}
        except SubjectCountsError as error:
            raise SubjectCountsError(f"{row.path}, line {row.line}: {error}") from error
    return _event_table(row)


def _event_table(row: StoredRow) -> dict[str, tuple[float, ...]]:
    path = Path(row["output_dir"]) / row["category"] / row["experiment_name"] / "results.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line["recording"] == "all" and line["subject"] != "all"]
        table = {line["subject"]: _counts(line) for line in lines}
    except OSError as error:
        raise SubjectCountsError(f"{path}: {error.strerror or error}") from error
    except (KeyError, ValueError, TypeError) as error:
        raise SubjectCountsError(f"{path} is not a table of scores: {error}") from error
    for position, name in enumerate(COUNTS[:3]):
        if sum(counts[position] for counts in table.values()) != row.number(name):
            raise SubjectCountsError(f"{path} does not add up to {name} of the row: it is of another run")
    return dict(sorted(table.items()))


def _counts(line: dict[str, str]) -> tuple[float, ...]:
    tp, fp, reference, duration_s = (float(line[name]) for name in COUNTS)
    return tp, fp, reference, duration_s
