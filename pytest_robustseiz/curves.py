"""One shift over its whole grid, in order of severity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.tasks import DETECTION, PREDICTION

MORE_IS_WORSE = DETECTION.more_is_worse | PREDICTION.more_is_worse


@dataclass(frozen=True)
class MetricCurve:
    """One metric along a shift's grid.

    Attributes
    ----------
    metric : str
        Name of the registry's column.
    labels : tuple of str
        Settings in order of severity.
    values : tuple of float
        One per setting; NaN where the metric is not defined.
    baseline : float
        Of the unperturbed input.
    """

    metric: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    baseline: float

    def losses(self) -> tuple[float, ...]:
        """How much worse than the baseline each setting is, in units of the metric; below zero where it is better."""
        return tuple(self._loss(self.baseline, value) for value in self.values)

    def max_drop(self) -> float:
        """Largest loss against the baseline; NaN when a value or the baseline is."""
        return _largest(self.losses())

    def max_step(self) -> float:
        """Largest loss from one point to the next, the baseline being the first; NaN when a value is.

        A cliff: a small difference in severity that costs a lot.
        """
        points = (self.baseline, *self.values)
        return _largest([self._loss(one, other) for one, other in pairwise(points)])

    def area(self) -> float:
        """Area under the curve over its width (trapezoids, points equally far apart, the baseline being the first).

        In units of the metric: a curve that stays at the baseline has the baseline's value.
        """
        points = (self.baseline, *self.values)
        steps = [(one + other) / 2 for one, other in pairwise(points)]
        return math.fsum(steps) / len(steps)

    def first_beyond(self, limit: float) -> str | None:
        """Label of the first setting whose loss is above a limit or not a number; None where there is none."""
        beyond = (label for label, loss in zip(self.labels, self.losses(), strict=True) if not loss <= limit)
        return next(beyond, None)

    def _loss(self, before: float, after: float) -> float:
        return after - before if self.metric in MORE_IS_WORSE else before - after


class RobustnessCurve:
    """All metrics of one shift over its grid, pooled over the subjects.

    Parameters
    ----------
    shift : str
        Name of the shift.
    experiments : sequence of ExperimentResult
        In order of severity.
    baseline : ExperimentResult
        The unperturbed input.
    """

    def __init__(self, shift: str, experiments: Sequence[ExperimentResult], baseline: ExperimentResult) -> None:
        self.shift = shift
        self.experiments = tuple(experiments)
        self.baseline = baseline
        self._metrics = [experiment.scores.metrics() for experiment in self.experiments]

    def __getitem__(self, metric: str) -> MetricCurve:
        """One metric by the name of its registry column, such as "event_f1".

        Raises
        ------
        KeyError
            When there is no such metric; the message lists those that there are.
        """
        reference = self.baseline.scores.metrics()
        if metric not in reference:
            raise KeyError(f"no metric {metric!r}; there are {', '.join(reference)}")
        labels = tuple(experiment.setting.label for experiment in self.experiments)
        return MetricCurve(metric, labels, tuple(values[metric] for values in self._metrics), reference[metric])

    def __repr__(self) -> str:
        return f"<RobustnessCurve {self.shift}, {len(self.experiments)} settings>"


def _largest(values: Sequence[float]) -> float:
    return math.nan if any(math.isnan(value) for value in values) else max(values)
