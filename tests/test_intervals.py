"""Intervals over subjects: against simulations, a hand-written bootstrap and cases without one."""

import math
from collections.abc import Mapping
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_robustseiz.intervals import (
    FLOOR,
    EventFigure,
    Figure,
    Method,
    draw_positions,
    figure_interval,
    figure_of_sums,
    loss_interval,
)
from pytest_robustseiz.scoring import Counts, pool

FIGURES: tuple[EventFigure, ...] = get_args(EventFigure)
METHODS: tuple[Method, ...] = get_args(Method)


def subjects(n: int, *, seed: int) -> tuple[dict[str, Counts], dict[str, Counts]]:
    """Synthetic subjects under a setting and unperturbed; each finds a seizure with its own chance."""
    rng = np.random.default_rng(seed)
    now, baseline = {}, {}
    for i in range(n):
        reference = int(rng.integers(1, 8))
        chance, luck, false = rng.beta(6, 2), rng.random(reference), rng.poisson(3, 2)
        worse = max(chance - rng.beta(2, 8), 0.0)
        baseline[f"sub-{i:02}"] = Counts(int((luck < chance).sum()), int(false[0]), reference, 86400.0)
        now[f"sub-{i:02}"] = Counts(int((luck < worse).sum()), int(false[1]), reference, 86400.0)
    return now, baseline


def pooled(counts: Mapping[str, Counts], figure: Figure) -> float:
    return float(getattr(pool(counts.values()), figure))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("figure", ["f1", "fp_per_day"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(figure: Figure, method: Method) -> None:
    many_now, many_baseline = subjects(5_000, seed=1)
    truth = pooled(many_baseline, figure)
    loss = pooled(many_baseline, figure) - pooled(many_now, figure)
    loss = -loss if figure == "fp_per_day" else loss
    hits, loss_hits, trials = 0, 0, 120
    for seed in range(trials):
        now, baseline = subjects(40, seed=1000 + seed)
        value = figure_interval(baseline, figure, method=method, seed=seed, n_draws=300)
        change = loss_interval(now, baseline, figure, method=method, seed=seed, n_draws=300)
        hits += value.low <= truth <= value.high
        loss_hits += change.low <= loss <= change.high
    # 40 subjects cover about 94 %; four standard deviations of a binomial around it.
    spread = 4 * math.sqrt(0.94 * 0.06 / trials)
    assert abs(hits / trials - 0.94) < spread
    assert abs(loss_hits / trials - 0.94) < spread


@pytest.mark.parametrize("figure", FIGURES)
def test_percentiles_are_those_of_a_hand_written_bootstrap(figure: Figure) -> None:
    now, baseline = subjects(12, seed=3)
    names = sorted(now)
    values, losses = [], []
    for drawn in draw_positions(12, seed=7, n_draws=300):
        one, other = (float(getattr(pool(counts[names[i]] for i in drawn), figure)) for counts in (now, baseline))
        values.append(one)
        losses.append(one - other if figure == "fp_per_day" else other - one)
    found = figure_interval(now, figure, seed=7, n_draws=300)
    change = loss_interval(now, baseline, figure, seed=7, n_draws=300)
    assert found.value == pytest.approx(pooled(now, figure))
    assert found.draws == pytest.approx(np.array(values))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))
    assert (change.low, change.high) == pytest.approx(tuple(np.quantile(losses, [0.025, 0.975])))


def test_bca_is_that_of_the_textbook() -> None:
    """Efron and Tibshirani 1993, equations 14.9 to 14.15, on the same draws."""
    from scipy.stats import norm

    now, _ = subjects(15, seed=5)
    found = figure_interval(now, "sensitivity", seed=2, method="BCa")
    names = sorted(now)
    left_out = np.array([pooled({k: v for k, v in now.items() if k != name}, "sensitivity") for name in names])
    deviation = left_out.mean() - left_out
    a = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    below = (np.mean(found.draws < found.value) + np.mean(found.draws <= found.value)) / 2
    z0 = norm.ppf(below)
    ends = [norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (norm.ppf(0.025), norm.ppf(0.975))]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(found.draws, ends)), abs=1e-9)
    assert (found.low, found.high) != pytest.approx(tuple(np.quantile(found.draws, [0.025, 0.975])), abs=1e-9)


def test_pairing_makes_a_drop_more_certain_than_either_figure() -> None:
    now, baseline = subjects(40, seed=11)
    change = loss_interval(now, baseline, "sensitivity")
    alone = figure_interval(baseline, "sensitivity")
    assert change.low <= change.value <= change.high
    same = loss_interval(baseline, baseline, "sensitivity")
    assert (same.low, same.value, same.high) == (0, 0, 0)
    assert alone.high - alone.low > 0


@given(st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_the_order_of_subjects_does_not_matter(random: object) -> None:
    now, baseline = subjects(8, seed=4)
    names = list(now)
    random.shuffle(names)  # type: ignore[attr-defined]
    expected = loss_interval(now, baseline, "f1", n_draws=100)
    shuffled = loss_interval({name: now[name] for name in names}, baseline, "f1", n_draws=100)
    assert (shuffled.low, shuffled.high) == (expected.low, expected.high)


@pytest.mark.parametrize("method", METHODS)
def test_subjects_that_are_alike_give_an_interval_without_width(method: Method) -> None:
    alike = {f"sub-{i}": Counts(3, 1, 4, 86400.0) for i in range(6)}
    for figure in FIGURES:
        found = figure_interval(alike, figure, method=method)
        assert (found.low, found.high) == pytest.approx((pooled(alike, figure),) * 2), figure
        assert found.reason == ""


@pytest.mark.parametrize(
    "figure, reason",
    [
        ("sensitivity", "4 of 8 subjects have reference events, at least 5 are needed"),
        ("f1", "4 of 8 subjects have reference events, at least 5 are needed"),
        ("precision", "4 of 8 subjects have detections, at least 5 are needed"),
    ],
)
def test_too_few_subjects_give_a_reason_instead(figure: Figure, reason: str) -> None:
    counts = {f"sub-{i}": Counts(int(i < 4), 0, int(i < 4), 60.0) for i in range(8)}
    found = figure_interval(counts, figure)
    assert found.reason == reason
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.value == 1.0
    assert figure_interval(counts, "fp_per_day").reason == ""


def test_both_sides_of_a_drop_need_their_subjects() -> None:
    heard = {f"sub-{i}": Counts(1, 0, 1, 60.0) for i in range(6)}
    silent = {name: Counts(0, 0, 1, 60.0) for name in heard}
    assert loss_interval(silent, heard, "precision").reason.startswith("0 of 6 subjects have detections")
    assert loss_interval(silent, heard, "f1").value == 1.0


def test_an_empty_scope_has_no_interval() -> None:
    assert figure_interval({}, "f1").reason == f"0 of 0 subjects have reference events, at least {FLOOR} are needed"


def test_draws_without_a_reference_are_left_out_and_counted() -> None:
    counts = {f"sub-{i:02}": Counts(int(i < 3), 0, int(i < 5), 60.0) for i in range(40)}
    found = figure_interval(counts, "sensitivity", seed=1)
    without = int((draw_positions(40, seed=1) >= 5).all(axis=1).sum())
    assert found.undefined == without > 0
    assert found.draws.size == 2000 - without
    assert 0 <= found.low < 0.6 < found.high <= 1


def test_bca_that_is_not_defined_says_so() -> None:
    now, _ = subjects(6, seed=0)
    # Both of two draws lie on one side of the figure: the correction for bias is infinite.
    found = [figure_interval(now, "f1", method="BCa", n_draws=2, seed=seed) for seed in range(10)]
    one_sided = [one for one in found if (one.draws < one.value).all()]
    assert one_sided
    for one in one_sided:
        assert one.reason == "BCa is not defined for these counts"
        assert math.isnan(one.low)
        assert figure_interval(now, "f1", n_draws=2).reason == ""


def test_different_subjects_cannot_be_paired() -> None:
    now, baseline = subjects(6, seed=0)
    with pytest.raises(ValueError, match=r"\['sub-05'\] are on one side only"):
        loss_interval({name: now[name] for name in list(now)[:5]}, baseline, "f1")


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.just(0.0) | st.floats(1, 1e6))
def test_figures_of_sums_are_those_of_counts(tp: int, fp: int, missed: int, duration_s: float) -> None:
    counts = Counts(tp, fp, tp + missed, duration_s)
    sums = np.array([tp, fp, tp + missed, duration_s], dtype=float)
    for figure in FIGURES:
        assert float(figure_of_sums(sums, figure)) == pytest.approx(getattr(counts, figure), nan_ok=True)
