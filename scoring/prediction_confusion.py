"""Figures of the prediction task that follow from the 3 x 3 confusion matrix, as SzPredict 0.1 defines them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from pytest_robustseiz.scoring.accuracy import ratio
from pytest_robustseiz.scoring.prediction_labels import CLASSES, INTERICTAL, PREICTAL

Confusion: TypeAlias = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]
"""Windows by true class (rows) and predicted class (columns), in the order of `CLASSES`."""

DEGENERATE_SHARE = 0.95
"""A predictor that says one class this often or more is degenerate."""


@dataclass(frozen=True)
class ClassAccuracy:
    """Windows of one true class.

    Parameters
    ----------
    correct : int
        Those predicted as this class.
    total : int
        All.
    """

    correct: int
    total: int

    @property
    def accuracy(self) -> float:
        """Recall of the class; NaN where it does not occur."""
        return ratio(self.correct, self.total)


@dataclass(frozen=True, kw_only=True)
class PredictionScores:
    """Figures of a confusion matrix; 0/0 is NaN: the figure does not apply.

    Parameters
    ----------
    n_windows : int
        Windows that were scored.
    per_class : tuple of ClassAccuracy
        In the order of `CLASSES`.
    f1_per_class : tuple of float
        2 tp / (2 tp + fp + fn) of each class; NaN for a class that neither occurs nor is predicted, 0 for one that
        only occurs or is only predicted.
    sensitivity : float
        Seizure windows (preictal or ictal) predicted as either, over seizure windows.
    specificity : float
        Interictal windows predicted interictal, over interictal windows.
    balanced_accuracy : float
        Mean recall over the classes that occur; NaN without windows.
    f1_macro : float
        Mean of the three of `f1_per_class`; NaN when one of them is.
    seizure_discrimination : float
        SzPredict's second name for the sensitivity.
    false_negative_rate : float
        Seizure windows predicted interictal, over seizure windows.
    false_positive_rate : float
        Interictal windows predicted preictal or ictal, over interictal windows.
    degenerate : bool
        Whether one class makes 95 % of the predictions or more.
    degenerate_class : str or None
        Which.
    largest_share : float
        Share of the class that is predicted most often; NaN without windows.
    """

    n_windows: int
    per_class: tuple[ClassAccuracy, ClassAccuracy, ClassAccuracy]
    f1_per_class: tuple[float, float, float]
    sensitivity: float
    specificity: float
    balanced_accuracy: float
    f1_macro: float
    seizure_discrimination: float
    false_negative_rate: float
    false_positive_rate: float
    degenerate: bool
    degenerate_class: str | None
    largest_share: float

    @property
    def preictal_accuracy(self) -> float:
        """Recall of the preictal class."""
        return self.per_class[1].accuracy

    @property
    def ictal_accuracy(self) -> float:
        """Recall of the ictal class."""
        return self.per_class[2].accuracy

    @property
    def n_classes(self) -> int:
        """Classes that occur; a constant has a balanced accuracy of one over their number."""
        return sum(own.total > 0 for own in self.per_class)

    @property
    def true_share(self) -> float:
        """Share of the windows that are of the degenerate class; NaN where there is none.

        From 95 % on, as of interictal windows in long recordings, a perfect predictor is degenerate too.
        """
        if self.degenerate_class is None:
            return math.nan
        return self.per_class[CLASSES.index(self.degenerate_class)].total / self.n_windows

    @property
    def f1_macro_as_submitted(self) -> float:
        """F1 macro with 0 for a class that neither occurs nor is predicted, as SzPredict's submission files have it."""
        return math.fsum(0.0 if math.isnan(f1) else f1 for f1 in self.f1_per_class) / len(CLASSES)


def prediction_scores(confusion: Sequence[Sequence[int]]) -> PredictionScores:
    """Score a confusion matrix.

    Parameters
    ----------
    confusion : 3 x 3 of int
        Windows by true class (rows) and predicted class (columns): interictal, preictal, ictal.

    Returns
    -------
    PredictionScores

    Raises
    ------
    ValueError
        When the matrix is not three rows of three whole numbers of at least 0.
    """
    table = as_confusion(confusion)
    totals = [sum(row) for row in table]
    columns = [sum(row[place] for row in table) for place in range(3)]
    correct = [table[place][place] for place in range(3)]
    warned = [sum(row[PREICTAL:]) for row in table]
    recalls = [part / whole for part, whole in zip(correct, totals, strict=True) if whole]
    f1 = [ratio(2 * tp, row + column) for tp, row, column in zip(correct, totals, columns, strict=True)]
    n_windows, seizure, found = sum(totals), sum(totals[PREICTAL:]), sum(warned[PREICTAL:])
    share = ratio(max(columns), n_windows)
    degenerate = share >= DEGENERATE_SHARE
    return PredictionScores(
        n_windows=n_windows,
        per_class=(
            ClassAccuracy(correct[0], totals[0]),
            ClassAccuracy(correct[1], totals[1]),
            ClassAccuracy(correct[2], totals[2]),
        ),
        f1_per_class=(f1[0], f1[1], f1[2]),
        sensitivity=ratio(found, seizure),
        specificity=ratio(correct[INTERICTAL], totals[INTERICTAL]),
        balanced_accuracy=ratio(math.fsum(recalls), len(recalls)),
        f1_macro=math.fsum(f1) / len(CLASSES),
        seizure_discrimination=ratio(found, seizure),
        false_negative_rate=ratio(seizure - found, seizure),
        false_positive_rate=ratio(warned[INTERICTAL], totals[INTERICTAL]),
        degenerate=degenerate,
        degenerate_class=CLASSES[columns.index(max(columns))] if degenerate else None,
        largest_share=share,
    )


def as_confusion(rows: Sequence[Sequence[int]]) -> Confusion:
    """Check a confusion matrix and make it a tuple of tuples of plain integers.

    Parameters
    ----------
    rows : 3 x 3 of int
        Lists, tuples or an array.

    Raises
    ------
    ValueError
        When it is not three rows of three whole numbers of at least 0.
    """
    if len(rows) != 3 or any(len(row) != 3 for row in rows):
        raise ValueError(f"confusion: expected 3 rows of 3, true by predicted class, got {rows}")
    if not all(isinstance(cell, (int, np.integer)) and cell >= 0 for row in rows for cell in row):
        raise ValueError(f"confusion: expected whole numbers of windows, 0 or more, got {rows}")
    return cast("Confusion", tuple(tuple(int(cell) for cell in row) for row in rows))
