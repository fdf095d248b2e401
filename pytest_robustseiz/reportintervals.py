"""The interval of the summary number: the bootstrap of `pytest_robustseiz.intervals`, for a mean of ratios."""

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.intervals import CONFIDENCE, FLOOR, draw_positions, figure_of_sums
from pytest_robustseiz.reportdata import Chapter


def retained_interval(chapter: Chapter, *, seed: int = 0) -> tuple[tuple[float, float] | None, str]:
    """95 % interval of the retained event F1, by percentiles over draws of subjects.

    In each draw the counts of the drawn subjects are summed, under every setting and the baseline alike.

    Parameters
    ----------
    chapter : Chapter
        With the counts of subjects.
    seed : int
        Of the draws.

    Returns
    -------
    interval : (low, high) or None
        None where none can be given.
    reason : str
        Why, in that case.
    """
    baseline = chapter.baseline
    if baseline is None or not baseline.subjects:
        return None, "no interval: the counts of single subjects are not known"
    names = sorted(baseline.subjects)
    if any(set(entry.subjects) != set(names) for entry in chapter.entries) or not chapter.entries:
        return None, "no interval: the counts of single subjects are not known for every setting"
    with_seizures = sum(baseline.subjects[name].reference > 0 for name in names)
    if with_seizures < FLOOR:
        return None, f"no interval: {with_seizures} subjects have seizures, at least {FLOOR} are needed"
    drawn = _draws(chapter, names, seed)
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return None, "no interval: the baseline's event F1 is zero"
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return (float(low), float(high)), ""


def _draws(chapter: Chapter, names: list[str], seed: int) -> npt.NDArray[np.float64]:
    positions = draw_positions(len(names), seed=seed)
    times = np.zeros(positions.shape)  # how often each subject is in each draw
    np.add.at(times, (np.arange(len(times))[:, None], positions), 1)
    counts = np.array(
        [[dataclasses.astuple(entry.subjects[name]) for name in names] for entry in chapter.all], dtype=np.float64
    )  # (1 + settings, subjects, 4)
    f1 = figure_of_sums(np.einsum("ds,esc->ced", times, counts), "f1")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(f1[0] > 0, f1[1:] / f1[0], math.nan)
    shifts = np.array([entry.shift for entry in chapter.entries])
    by_shift = [ratio[shifts == shift].mean(axis=0) for shift in dict.fromkeys(shifts.tolist())]
    retained: npt.NDArray[np.float64] = np.mean(by_shift, axis=0)
    return retained
