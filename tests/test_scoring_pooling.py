"""Scores over many recordings."""

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.scoring import METRICS, ZERO, Counts, SubjectMean, event_counts, pool, subject_means

COUNTS = st.builds(
    lambda tp, missed, fp, duration_s: Counts(tp, fp, tp + missed, duration_s),
    st.integers(0, 50),
    st.integers(0, 50),
    st.integers(0, 50),
    st.one_of(st.just(0.0), st.floats(1.0, 1e6)),
)


def assert_mean(found: SubjectMean, mean: float, std: float, subjects: int) -> None:
    assert (found.mean, found.std) == pytest.approx((mean, std), rel=1e-14)
    assert found.subjects == subjects


def test_a_short_recording_with_a_false_alarm_and_a_long_one_without() -> None:
    short = event_counts([], [(10.0, 20.0)], sfreq=256.0, n_samples=60 * 256)
    long = event_counts([], [], sfreq=256.0, n_samples=86400 * 256)
    pooled = pool([short, long])
    assert pooled.fp_per_day == pytest.approx(86400 / 86460, rel=1e-14)
    assert pooled.duration_s == 86460.0
    means = subject_means({"sub-a": short, "sub-b": long})
    assert_mean(means["fp_per_day"], 720.0, 720.0, 2)


def test_subjects_to_which_a_score_does_not_apply_are_left_out() -> None:
    counts = {
        "sub-01": Counts(tp=1, fp=1, reference=2, duration_s=86400.0),
        "sub-02": Counts(tp=4, fp=0, reference=4, duration_s=86400.0),
        "sub-03": Counts(tp=0, fp=0, reference=0, duration_s=86400.0),
    }
    means = subject_means(counts)
    assert tuple(means) == METRICS
    assert means["sensitivity"] == SubjectMean(0.75, 0.25, 2)
    assert means["precision"] == SubjectMean(0.75, 0.25, 2)
    assert means["f1"] == SubjectMean(0.75, 0.25, 2)
    assert_mean(means["accuracy"], 2 / 3, 1 / 3, 2)
    assert_mean(means["fp_per_day"], 1 / 3, math.sqrt(2) / 3, 3)


@pytest.mark.parametrize("counts", [{}, {"sub-01": ZERO}])
def test_a_score_that_applies_to_nobody_is_nan(counts: dict[str, Counts]) -> None:
    for mean in subject_means(counts).values():
        assert mean.subjects == 0
        assert math.isnan(mean.mean)
        assert math.isnan(mean.std)


@given(st.lists(COUNTS, min_size=1, max_size=8))
def test_means_equal_those_of_numpy(counts: Sequence[Counts]) -> None:
    means = subject_means({f"sub-{number}": part for number, part in enumerate(counts)})
    for metric, mean in means.items():
        scores = np.array([getattr(part, metric) for part in counts])
        assert mean.subjects == np.count_nonzero(~np.isnan(scores))
        if mean.subjects:
            np.testing.assert_allclose((mean.mean, mean.std), (np.nanmean(scores), np.nanstd(scores)), rtol=1e-9)


def test_means_are_plain_numbers() -> None:
    mean = subject_means({"sub-01": Counts(1, 0, 1, 60.0)})["f1"]
    assert (type(mean.mean), type(mean.std), type(mean.subjects)) == (float, float, int)


def test_nothing_pools_to_zero() -> None:
    assert pool([]) == ZERO


@given(st.lists(COUNTS, max_size=8), st.integers(0, 8), st.randoms(use_true_random=False))
def test_order_and_grouping_do_not_matter(counts: list[Counts], cut: int, random: Random) -> None:
    whole = pool(counts)
    parts = pool([pool(counts[:cut]), pool(counts[cut:])])
    assert (parts.tp, parts.fp, parts.reference) == (whole.tp, whole.fp, whole.reference)
    assert parts.duration_s == pytest.approx(whole.duration_s)
    shuffled = list(counts)
    random.shuffle(shuffled)
    assert pool(shuffled) == whole


@given(st.lists(COUNTS, min_size=1, max_size=8))
def test_pooling_is_addition(counts: list[Counts]) -> None:
    total = sum(counts, start=ZERO)
    pooled = pool(iter(counts))
    assert (pooled.tp, pooled.fp, pooled.fn) == (total.tp, total.fp, total.fn)
    assert pooled.duration_s == pytest.approx(total.duration_s)
