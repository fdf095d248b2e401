"""From probabilities to events."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from pytest_robustseiz.adapters import Eventizer, find_runs

masks = arrays(np.bool_, st.integers(1, 200))


def eventized(text: str, **rules: float) -> str:
    """Apply rules at one sample per second; 'x' is a probability of 1, '.' of 0."""
    settings = {"opening": 0, "closing": 0, "min_duration_s": 0.0} | rules
    probabilities = np.array([letter == "x" for letter in text], dtype=np.float32)
    mask = Eventizer(**settings)(probabilities, 1.0)  # type: ignore[arg-type]
    return "".join("x" if value else "." for value in mask)


@pytest.mark.parametrize(
    "text, rules, expected",
    [
        ("x..xx..xxx", {"opening": 3}, ".......xxx"),
        ("xxx...xxx..xxx", {"closing": 3}, "xxx...xxxxxxxx"),  # a gap of 2 is filled, one of 3 is not
        ("..xx..", {"closing": 5}, "..xx.."),  # gaps at the ends are not between two events
        ("xx.xx.", {"min_duration_s": 3}, "......"),
        ("xx.xx.", {"min_duration_s": 3, "closing": 2}, "xxxxx."),  # closing comes before the duration
        ("x.x.x.xxxxx", {"opening": 2, "closing": 4}, "......xxxxx"),  # opening comes first
        ("xxxxxxxxxx", {"opening": 5, "closing": 5, "min_duration_s": 2}, "xxxxxxxxxx"),
        ("..........", {"opening": 5, "closing": 5, "min_duration_s": 2}, ".........."),
    ],
)
def test_rules_on_a_hand_made_case(text: str, rules: dict[str, float], expected: str) -> None:
    assert eventized(text, **rules) == expected


def test_threshold_is_inclusive() -> None:
    rules = Eventizer(threshold=0.8, opening=0, closing=0, min_duration_s=0.0)
    assert rules(np.array([0.8, 0.79, 0.81]), 1.0).tolist() == [True, False, True]


@given(masks, st.integers(0, 9), st.integers(0, 9))
def test_morphology_is_that_of_scipy_away_from_the_ends(mask: np.ndarray, opening: int, closing: int) -> None:
    # scipy takes what is outside for background and so eats events at the ends; padding shows that this is all.
    padded = np.pad(mask, 20)
    expected = padded
    if opening > 1:
        expected = ndimage.binary_opening(expected, np.ones(opening, bool))
    if closing > 1:
        expected = ndimage.binary_closing(expected, np.ones(closing, bool))
    ours = Eventizer(opening=opening, closing=closing, min_duration_s=0.0)(mask.astype(np.float32), 1.0)
    np.testing.assert_array_equal(ours, expected[20:-20])


@given(masks)
def test_runs_and_mask_are_the_same_thing(mask: np.ndarray) -> None:
    rebuilt = np.zeros_like(mask)
    for start, stop in find_runs(mask):
        assert stop > start
        rebuilt[start:stop] = True
    np.testing.assert_array_equal(rebuilt, mask)


def test_runs_of_nothing() -> None:
    assert find_runs(np.zeros(0, dtype=np.bool_)).shape == (0, 2)


@pytest.mark.parametrize(
    "probabilities, message",
    [
        ([0.1, 1.5], r"expected 0 to 1, got 1\.5 at sample 1"),
        ([0.1, -0.5, 2.0], r"got -0\.5 at sample 1"),
        ([0.1, np.nan], "got nan at sample 1"),
        ([], r"expected shape \(n_samples,\) and a sample, got \(0,\)"),
        ([[0.1]], r"got \(1, 1\)"),
    ],
)
def test_what_is_no_probability_is_an_error(probabilities: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Eventizer()(np.array(probabilities), 256.0)


@pytest.mark.parametrize(
    "rules, message",
    [
        ({"threshold": 1.5}, "threshold: expected a probability"),
        ({"opening": -1}, "opening: expected 0 or more"),
        ({"min_duration_s": float("nan")}, "min_duration_s: expected 0 or more"),
    ],
)
def test_bad_rules_name_the_field(rules: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Eventizer(**rules)  # type: ignore[arg-type]


def test_defaults_are_those_of_the_paper() -> None:
    assert Eventizer() == Eventizer(threshold=0.8, opening=5, closing=5, min_duration_s=2.0)
