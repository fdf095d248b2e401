"""The figures of a report that are not cells of the registry."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_robustseiz.curves import MORE_IS_WORSE
from pytest_robustseiz.reportdata import SFREQ, Chapter, Entry
from pytest_robustseiz.reporttasks import view_of
from pytest_robustseiz.retained import retained
from pytest_robustseiz.subjectcounts import headline_of


def retained_headline(chapter: Chapter) -> float:
    """What is retained of event F1 or balanced accuracy: see `pytest_robustseiz.retained.retained`.

    NaN when there is no baseline, when it has nothing to retain, or when a figure is not defined.
    """
    view, baseline = view_of(chapter), chapter.baseline
    entries = [entry for own in chapter.by_shift().values() for entry in own]
    if baseline is None or not entries or view.nothing_to_retain(baseline):
        return math.nan
    values = np.array([entry.value(view.task.headline) for entry in entries])
    reference = np.array(baseline.value(view.task.headline))
    return float(retained(values, reference, [entry.shift for entry in entries]))


def loss(metric: str, reference: float, value: float) -> float:
    """How much worse a value is than the baseline's, in units of the metric; below zero where it is better."""
    return value - reference if metric in MORE_IS_WORSE else reference - value


def worst_entries(chapter: Chapter, *, most: int = 5) -> list[Entry]:
    """The settings with the lowest headline, the lowest first; those where it is not defined are left out."""
    headline = view_of(chapter).task.headline
    known = [entry for entry in chapter.entries if not math.isnan(entry.value(headline))]
    return sorted(known, key=lambda entry: entry.value(headline))[:most]


def worst_of(metric: str, entries: Sequence[Entry]) -> Entry | None:
    """The setting where a metric is worst; None where it is not defined for any."""
    known = [entry for entry in entries if not math.isnan(entry.value(metric))]
    return max(known, key=lambda entry: loss(metric, 0.0, entry.value(metric)), default=None)


# A figure that may start at zero is compared with this much of it, where the baseline's is less.
LEAST = {"_per_day": 1.0, "_per_h": 0.1, "miss_rate": 1.0, "time_in_warning": 1.0, "_steps": SFREQ, "_s": 1.0}


def level(metric: str, reference: float, value: float) -> int:
    """How bad a value is beside the baseline's: 0 (at most 2 % worse), 1 (10 %), 2 (25 %), 3 (50 %), 4, or -1 for n/a.

    Figures that may start at zero are compared with so much, where the baseline's is less: rates with one per day or
    one in ten hours, delays and lead times with one second, the miss rate and the time in warning with all.
    """
    if math.isnan(reference) or math.isnan(value):
        return -1
    least = next((least for ending, least in LEAST.items() if metric.endswith(ending)), 1e-9)
    relative = loss(metric, reference, value) / max(reference, least)
    return sum(relative > limit for limit in (0.02, 0.1, 0.25, 0.5))


@dataclass(frozen=True)
class SubjectLine:
    """One subject over all settings.

    Attributes
    ----------
    subject : str
        Folder name.
    seizures : int
        Of the subject, as far as they are scored.
    hours : float
        The same.
    baseline : float
        The headline on the unperturbed input; NaN where it does not apply to the subject.
    mean : float
        Its mean over the settings.
    worst : Entry or None
        The setting where it is lowest.
    lowest : float
        Its value there.
    """

    subject: str
    seizures: int
    hours: float
    baseline: float
    mean: float
    worst: Entry | None
    lowest: float


def subject_lines(chapter: Chapter) -> list[SubjectLine]:
    """One line for each subject, where the counts of subjects are known."""
    if chapter.baseline is None:
        return []
    lines = []
    for subject, counts in chapter.baseline.subjects.items():
        scored = [(subject_headline(entry, subject), entry) for entry in chapter.entries]
        known = [(value, entry) for value, entry in scored if not math.isnan(value)]
        value, worst = min(known, key=lambda pair: pair[0], default=(math.nan, None))
        mean, hours = _mean(value for value, _ in known), counts.duration_s / 3600
        lines.append(SubjectLine(subject, counts.reference, hours, headline_of(counts), mean, worst, value))
    return lines


def worst_subject(lines: Sequence[SubjectLine]) -> SubjectLine | None:
    """The subject whose mean headline is lowest, among those to whom it applies."""
    known = [line for line in lines if not math.isnan(line.mean)]
    return min(known, key=lambda line: line.mean, default=None)


def subject_headline(entry: Entry, subject: str) -> float:
    """The headline of one subject; NaN where it is not known or does not apply."""
    return headline_of(entry.subjects.get(subject))


def worst_subject_of(entry: Entry) -> str:
    """The subject whose headline is lowest under a setting; empty where none is known."""
    known = {name: subject_headline(entry, name) for name in entry.subjects}
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
