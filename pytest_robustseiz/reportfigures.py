"""The figures of a report that are not cells of the registry."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_robustseiz import leaderboard
from pytest_robustseiz.curves import MORE_IS_WORSE
from pytest_robustseiz.reportdata import SFREQ, Chapter, Entry
from pytest_robustseiz.scoring import Counts


def retained_f1(chapter: Chapter) -> float:
    """Retained event F1: mean over shifts of the mean over their settings of F1 / baseline F1.

    NaN when there is no baseline, when its F1 is zero or not defined, or when that of a setting is not defined.
    """
    entries = [entry for own in chapter.by_shift().values() for entry in own]
    if chapter.baseline is None or not entries:
        return math.nan
    f1 = np.array([entry.value("event_f1") for entry in entries])
    reference = np.array(chapter.baseline.value("event_f1"))
    return float(leaderboard.retained_f1(f1, reference, [entry.shift for entry in entries]))


def loss(metric: str, reference: float, value: float) -> float:
    """How much worse a value is than the baseline's, in units of the metric; below zero where it is better."""
    return value - reference if metric in MORE_IS_WORSE else reference - value


def worst_entries(chapter: Chapter, *, most: int = 5) -> list[Entry]:
    """The settings with the lowest event F1, the lowest first; those where it is not defined are left out."""
    known = [entry for entry in chapter.entries if not math.isnan(entry.value("event_f1"))]
    return sorted(known, key=lambda entry: entry.value("event_f1"))[:most]


def worst_of(metric: str, entries: Sequence[Entry]) -> Entry | None:
    """The setting where a metric is worst; None where it is not defined for any."""
    known = [entry for entry in entries if not math.isnan(entry.value(metric))]
    return max(known, key=lambda entry: loss(metric, 0.0, entry.value(metric)), default=None)


def level(metric: str, reference: float, value: float) -> int:
    """How bad a value is beside the baseline's: 0 (at most 2 % worse), 1 (10 %), 2 (25 %), 3 (50 %), 4, or -1 for n/a.

    Rates that may start at zero are compared with one per day, and delays with one second, where the baseline's is
    less than that.
    """
    if math.isnan(reference) or math.isnan(value):
        return -1
    least = 1.0 if metric.endswith("_per_day") else SFREQ if metric.endswith("_steps") else 1e-9
    relative = loss(metric, reference, value) / max(reference, least)
    return sum(relative > limit for limit in (0.02, 0.1, 0.25, 0.5))


@dataclass(frozen=True)
class SubjectLine:
    """One subject over all settings.

    Attributes
    ----------
    subject : str
        Folder name.
    baseline : Counts
        Event counts on the unperturbed input.
    mean_f1 : float
        Mean over the settings; NaN where the subject has no seizures.
    worst : Entry or None
        The setting with the lowest event F1.
    worst_f1 : float
        Event F1 there.
    """

    subject: str
    baseline: Counts
    mean_f1: float
    worst: Entry | None
    worst_f1: float


def subject_lines(chapter: Chapter) -> list[SubjectLine]:
    """One line for each subject, where the counts of subjects are known."""
    if chapter.baseline is None:
        return []
    lines = []
    for subject, counts in chapter.baseline.subjects.items():
        scored = [(subject_f1(entry, subject), entry) for entry in chapter.entries]
        known = [(value, entry) for value, entry in scored if not math.isnan(value)]
        value, worst = min(known, key=lambda pair: pair[0], default=(math.nan, None))
        lines.append(SubjectLine(subject, counts, _mean(value for value, _ in known), worst, value))
    return lines


def worst_subject(lines: Sequence[SubjectLine]) -> SubjectLine | None:
    """The subject whose mean event F1 is lowest, among those with seizures."""
    known = [line for line in lines if not math.isnan(line.mean_f1)]
    return min(known, key=lambda line: line.mean_f1, default=None)


def subject_f1(entry: Entry, subject: str) -> float:
    """Event F1 of one subject; NaN where it is not known, or the subject has no seizures to find."""
    counts = entry.subjects.get(subject)
    return counts.f1 if counts is not None and counts.reference else math.nan


def worst_subject_of(entry: Entry) -> str:
    """The subject whose event F1 is lowest under a setting; empty where none is known."""
    known = {name: subject_f1(entry, name) for name in entry.subjects}
    known = {name: value for name, value in known.items() if not math.isnan(value)}
    return min(known, key=known.__getitem__, default="")


def family_range(entries: Iterable[Entry], metric: str) -> tuple[float, float]:
    """Mean of the shifts' minima and mean of their maxima, of the settings of one family.

    Settings without the metric are left out, and so are shifts without any.

    Parameters
    ----------
    entries : iterable of Entry
        Of one family.
    metric : str
        A column of the registry, or "event_accuracy".
    """
    by_shift: dict[str, list[float]] = {}
    for entry in entries:
        value = entry.value(metric)
        if not math.isnan(value):
            by_shift.setdefault(entry.shift, []).append(value)
    return _mean(min(values) for values in by_shift.values()), _mean(max(values) for values in by_shift.values())


def varying(entries: Sequence[Entry]) -> list[str]:
    """Parameters that differ between the settings of a shift."""
    given = [entry.params for entry in entries]
    names = dict.fromkeys(name for params in given for name in params)
    return [name for name in names if len({str(params.get(name)) for params in given}) > 1]


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return math.fsum(found) / len(found) if found else math.nan
