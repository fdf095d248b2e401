"""The interval of the summary number: the bootstrap of `pytest_robustseiz.intervals`, for a mean of ratios."""

import numpy as np

from pytest_robustseiz.intervals import CONFIDENCE
from pytest_robustseiz.reportdata import Chapter
from pytest_robustseiz.reporttasks import view_of
from pytest_robustseiz.retained import retained_draws
from pytest_robustseiz.subjectcounts import as_counts


def retained_interval(chapter: Chapter, *, seed: int = 0) -> tuple[tuple[float, float] | None, str]:
    """95 % interval of the retained headline, by percentiles over draws of subjects.

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
    baseline, view = chapter.baseline, view_of(chapter)
    if baseline is None or not baseline.subjects:
        return None, "no interval: the counts of single subjects are not known"
    if view.nothing_to_retain(baseline):
        return None, "there is nothing to retain"
    names = sorted(baseline.subjects)
    if any(set(entry.subjects) != set(names) for entry in chapter.entries) or not chapter.entries:
        return None, "no interval: the counts of single subjects are not known for every setting"
    counts = [[as_counts(entry.subjects[name]) for name in names] for entry in chapter.all]
    tables = np.array(counts, dtype=np.float64).transpose(0, 2, 1)
    if reason := view.too_few(tables):
        return None, f"no interval: {reason}"
    drawn = retained_draws(tables, [entry.shift for entry in chapter.entries], view.figure, seed=seed)
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return None, f"no interval: the baseline's {view.task.title} is zero"
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return (float(low), float(high)), ""
