"""Scores that follow from counts."""

import math

import pytest

from pytest_robustseiz.scoring import ZERO, Counts


def test_scores_of_counts_by_hand() -> None:
    counts = Counts(tp=6, fp=2, reference=10, duration_s=43200.0)
    assert (counts.fn, counts.sensitivity, counts.precision, counts.accuracy) == (4, 0.6, 0.75, 0.5)
    assert counts.f1 == pytest.approx(12 / 18)
    assert counts.fp_per_day == 4.0


def test_rate_without_recorded_time_does_not_apply() -> None:
    assert math.isnan(ZERO.fp_per_day)


def test_counts_add_up() -> None:
    total = Counts(1, 2, 3, 4.0) + Counts(10, 20, 30, 40.0)
    assert total == Counts(11, 22, 33, 44.0)
    assert total + ZERO == total


@pytest.mark.parametrize(
    "counts, message",
    [
        ((3, 0, 2, 1.0), r"tp: expected 0 to the 2 of the reference, got 3"),
        ((-1, 0, 2, 1.0), r"tp: .*got -1"),
        ((0, -1, 2, 1.0), r"fp: expected 0 or more, got -1"),
        ((0, 0, 0, -1.0), r"duration_s: expected seconds, 0 or more, got -1\.0"),
        ((0, 0, 0, math.nan), r"duration_s: .*got nan"),
        ((0, 0, 0, math.inf), r"duration_s: .*got inf"),
    ],
)
def test_impossible_counts_are_refused(counts: tuple[int, int, int, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Counts(*counts)
