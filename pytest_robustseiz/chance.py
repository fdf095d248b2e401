"""Many drops judged at once: how many would pass their limit by chance, and which stand after Holm's correction.

Of every pooled drop that a test judged the bootstrap over subjects gives two figures:

- the chance that it passes its limit though the shift has no effect: the share of draws in which the drop, less the
  one that was observed, is above the limit. Their sum is the expected number of false alarms by point;
- a one-sided p-value of "the drop is not above its limit": (1 + draws not above it) / (1 + draws). Holm's step-down
  procedure [1]_ at 2.5 %, which fits an interval of 95 %, holds the chance of any false alarm at all to 2.5 %.

Both are as good as the bootstrap: with few subjects its tails are too thin, so p-values are too small.

References
----------
.. [1] S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pytest_robustseiz.intervals import CONFIDENCE, DRAWS, Floats, count_table, figure_of_sums, lacks_interval, loss
from pytest_robustseiz.messages import PooledLimit
from pytest_robustseiz.options import Gate
from pytest_robustseiz.paired import FIGURES, counts_by_subject
from pytest_robustseiz.results import ExperimentResult

ALPHA = (1 - CONFIDENCE) / 2
SLACK = 1e-9


@dataclass(frozen=True)
class JudgedDrop:
    """One drop beside its limit.

    Attributes
    ----------
    limit : PooledLimit
        Setting, name of the limit, and its value.
    value : float
        The drop, or the rise of false positives.
    by_chance : float
        Chance to pass the limit without an effect.
    p_value : float
        Of "the drop is not above its limit".
    """

    limit: PooledLimit
    value: float
    by_chance: float
    p_value: float

    @property
    def is_beyond(self) -> bool:
        """Whether it is above its limit by point."""
        return self.value > self.limit.value + SLACK


@dataclass
class Multiplicity:
    """What many judged drops come to together.

    Attributes
    ----------
    lines : list of str
        For the summary.
    failed : bool
        Whether the gate by Holm fails the run.
    """

    lines: list[str] = field(default_factory=list)
    failed: bool = False


def judge_together(
    experiments: Mapping[str, ExperimentResult], limits: Iterable[PooledLimit], *, seed: int, gate: Gate
) -> Multiplicity:
    """Judge all drops of one detector together.

    Parameters
    ----------
    experiments : mapping of str to ExperimentResult
        By setting, with the baseline.
    limits : iterable of PooledLimit
        Those that tests judged.
    seed : int
        Of the draws.
    gate : {"point", "interval", "holm"}
        Of the run; by "holm" what stands after the correction fails it.
    """
    result = Multiplicity()
    asked = [limit for limit in sorted(limits) if limit.name in FIGURES and limit.label != "baseline"]
    lost = [limit for limit in asked if limit.label not in experiments or "baseline" not in experiments]
    found, without = _split([limit for limit in asked if limit not in lost], experiments)
    drops = _draw(found, experiments, seed)
    standing = holm(drops)
    if drops:
        beyond = sum(drop.is_beyond for drop in drops)
        expected = math.fsum(drop.by_chance for drop in drops)
        result.lines.append(
            f"multiple comparisons: {beyond} of {len(drops)} drops {_with_interval(without)}are above their limit; "
            f"about {expected:.1f} would be by chance, had no shift an effect"
        )
        result.lines.append(f"  after Holm's correction {len(standing)} of them are{_listed(standing)}")
    if gate != "point":
        result.lines += [f"  judged by point, {what}: {_labels(which)}" for what, which in without.items()]
    if gate == "holm":
        result.lines += [f"  not judged, since its results are incomplete: {limit.text}" for limit in lost]
        result.failed = bool(standing or lost)
    return result


def holm(drops: Sequence[JudgedDrop]) -> list[JudgedDrop]:
    """Drops that are above their limit after Holm's step-down correction, least p-value first."""
    standing: list[JudgedDrop] = []
    for drop in sorted(drops, key=lambda drop: drop.p_value):
        if drop.p_value > ALPHA / (len(drops) - len(standing)) or not drop.is_beyond:
            break
        standing.append(drop)
    return standing


def _split(
    limits: Sequence[PooledLimit], experiments: Mapping[str, ExperimentResult]
) -> tuple[list[PooledLimit], dict[str, list[PooledLimit]]]:
    """Limits on drops that have an interval; the others by the reason why they have none."""
    found: list[PooledLimit] = []
    without: dict[str, list[PooledLimit]] = {}
    for limit in limits:
        reason = lacks_interval(_tables(limit, experiments), FIGURES[limit.name])
        if reason:
            without.setdefault(reason, []).append(limit)
        else:
            found.append(limit)
    return found, without


def _tables(limit: PooledLimit, experiments: Mapping[str, ExperimentResult]) -> Floats:
    return np.stack([count_table(counts_by_subject(experiments[label])) for label in (limit.label, "baseline")])


def _draw(limits: Sequence[PooledLimit], experiments: Mapping[str, ExperimentResult], seed: int) -> list[JudgedDrop]:
    if not limits:
        return []
    n_subjects = len(experiments["baseline"].cases)
    # The least p-value, 1 / (1 + draws), must be able to pass Holm's first step.
    n_draws = max(DRAWS, math.ceil(2 * len(limits) / ALPHA))
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(n_subjects, np.full(n_subjects, 1 / n_subjects), size=n_draws).T.astype(np.float64)
    return [_judged(limit, _tables(limit, experiments), weights) for limit in limits]


def _judged(limit: PooledLimit, tables: Floats, weights: Floats) -> JudgedDrop:
    figure = FIGURES[limit.name]

    def drop(sums: Floats) -> Floats:
        return loss(figure_of_sums(sums[0], figure), figure_of_sums(sums[1], figure), figure)

    value, draws = float(drop(tables.sum(axis=-1))), drop(tables @ weights)
    draws = draws[~np.isnan(draws)]
    by_chance = float(np.mean(draws - value > limit.value + SLACK))
    p_value = (1 + int((draws <= limit.value + SLACK).sum())) / (1 + draws.size)
    return JudgedDrop(limit, value, by_chance, p_value)


def _with_interval(without: Mapping[str, Sequence[PooledLimit]]) -> str:
    count = sum(map(len, without.values()))
    return f"that have an interval (another {count} have none) " if count else ""


def _listed(drops: Sequence[JudgedDrop]) -> str:
    return ": " + ", ".join(f"{drop.limit.text} ({drop.value:.3f})" for drop in drops) if drops else ""


def _labels(limits: Sequence[PooledLimit], *, most: int = 3) -> str:
    more = f" and {len(limits) - most} more" if len(limits) > most else ""
    return ", ".join(limit.text for limit in limits[:most]) + more
