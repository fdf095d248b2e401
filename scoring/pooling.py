"""From the counts of recordings to scores over many of them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pytest_robustseiz.scoring.accuracy import Counts

METRICS = ("sensitivity", "precision", "f1", "fp_per_day", "accuracy")
"""Scores that `Counts` has."""


def pool(counts: Iterable[Counts]) -> Counts:
    """Sum counts; the pooled scores are those of the sum.

    Parameters
    ----------
    counts : iterable of Counts
        Of recordings or subjects. None at all gives `ZERO`.

    Returns
    -------
    Counts
        The same whatever the order: the duration is summed without rounding in between.
    """
    parts = list(counts)
    return Counts(
        sum(part.tp for part in parts),
        sum(part.fp for part in parts),
        sum(part.reference for part in parts),
        math.fsum(part.duration_s for part in parts),
    )


@dataclass(frozen=True)
class SubjectMean:
    """A score averaged over subjects.

    Parameters
    ----------
    mean : float
        Over the subjects to which the score applies; NaN when there is none.
    std : float
        Standard deviation over the same subjects, divided by their number.
    subjects : int
        How many subjects contributed.
    """

    mean: float
    std: float
    subjects: int


def subject_means(counts: Mapping[str, Counts]) -> dict[str, SubjectMean]:
    """Average each score over subjects, as the SzCORE platform does.

    Parameters
    ----------
    counts : mapping of str to Counts
        Of each subject, summed over the subject's recordings.

    Returns
    -------
    dict of str to SubjectMean
        By name, for each of `METRICS`. Subjects whose score is NaN are left out, as in szcore-evaluation, which takes
        numpy's `nanmean` and `nanstd`.
    """
    return {metric: _mean([getattr(part, metric) for part in counts.values()]) for metric in METRICS}


def _mean(scores: list[float]) -> SubjectMean:
    applicable = [score for score in scores if not math.isnan(score)]
    if not applicable:
        return SubjectMean(math.nan, math.nan, 0)
    return SubjectMean(float(np.mean(applicable)), float(np.std(applicable)), len(applicable))
