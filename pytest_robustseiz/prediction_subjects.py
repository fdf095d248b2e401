"""What a row of the prediction task says of single subjects, in its per_subject_json."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_robustseiz.prediction_tally import Tally, lead_of
from pytest_robustseiz.registrycells import alike
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.scoring import PREDICTION_METRICS, PatientSummary, patient_summary
from pytest_robustseiz.scoring.prediction_confusion import as_confusion
from pytest_robustseiz.tasks import PREDICTION

COUNTS = ("alarms", "seizures", "missed", "warned", "lead_time_count")
_SUMMARISED = ("balanced_accuracy", "fpr_per_h", "miss_rate")


class RowSubjectsError(ValueError):
    """The per_subject_json of a row is not what a run writes; the message says what is wrong with it."""


def subjects_of(row: StoredRow) -> dict[str, Tally]:
    """The counts of each subject, in order of name.

    Parameters
    ----------
    row : StoredRow
        Of the prediction task.

    Raises
    ------
    RowSubjectsError
        When an entry lacks a figure, or holds another one than follows from its counts.
    """
    entries: dict[str, Any] = json.loads(row["per_subject_json"])
    tallies = {}
    for name, own in sorted(entries.items()):
        try:
            tallies[name] = _tally(own)
        except (KeyError, TypeError, ValueError) as error:
            what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise RowSubjectsError(f"per_subject_json, {name}: {what}; it is not what a run writes") from error
    return tallies


def _tally(own: Any) -> Tally:
    if not isinstance(own, dict):
        raise TypeError(f"expected an object with counts and figures, got {own!r}")
    counts = {name: own[name] for name in COUNTS}
    for name, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ValueError(f"{name} must be a whole number of at least 0, got {count!r}")
    figures = {name: _figure(own, name) for name in PREDICTION_METRICS}
    lead = lead_of(figures, counts.pop("lead_time_count"))
    tally = Tally(confusion=as_confusion(own["confusion"]), lead=lead, **counts)
    for name, value in tally.figures().items():
        if not alike(figures[name], value):
            raise ValueError(f"{name} is {figures[name]:g}, but the subject's counts give {value:g}")
    return tally


def _figure(own: Mapping[str, Any], name: str) -> float:
    """A figure; NaN where it is null."""
    value = own[name]
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number or null, got {value!r}")
    return float(value)


def summaries(subjects: Mapping[str, Tally], names: tuple[str, ...]) -> dict[str, PatientSummary]:
    """Figures over subjects, each of whom counts the same; those to whom a figure does not apply are left out of it.

    Parameters
    ----------
    subjects : mapping of str to Tally
        By name.
    names : tuple of str
        Figures, as `Tally.figures` calls them.
    """
    figures = {subject: tally.figures() for subject, tally in subjects.items()}
    return {
        name: patient_summary(
            {subject: own[name] for subject, own in figures.items()},
            higher_is_better=name in PREDICTION.less_is_worse,
        )
        for name in names
    }


def summary_problems(row: StoredRow, subjects: Mapping[str, Tally]) -> Iterator[str]:
    """Columns of figures over subjects that do not follow from per_subject_json, a line for each."""
    for name, summary in summaries(subjects, _SUMMARISED).items():
        for statistic in ("mean", "std", "median"):
            column, value = f"subject_{statistic}_{name}", getattr(summary, statistic)
            if not alike(row.number(column), value):
                yield f"{column} is {row.number(column):g}, but per_subject_json gives {value:g}"
        for end in ("hardest", "easiest"):
            column, who = f"subject_{end}_{name}", getattr(summary, end) or ""
            if row[column] != who:
                yield f"{column} is {row[column] or 'empty'}, but per_subject_json gives {who or 'nobody'}"
