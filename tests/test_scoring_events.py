"""Events in seconds and the samples that they cover."""

import math
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from timescoring.annotations import Annotation

from pytest_robustseiz.scoring import (
    Interval,
    events_to_mask,
    events_to_runs,
    mask_to_events,
    merge_events,
    runs_to_events,
)

RATES = st.sampled_from([1.0, 10.0, 249.98, 256.0])
MASKS = st.one_of(
    st.lists(st.booleans(), min_size=1, max_size=40),
    st.lists(st.tuples(st.booleans(), st.integers(1, 700)), min_size=1, max_size=12).map(
        lambda runs: [value for value, length in runs for _ in range(length)]
    ),
).map(lambda values: np.array(values, dtype=np.bool_))
EVENTS = st.lists(
    st.tuples(st.floats(-5, 19.9), st.floats(0.001, 15)).map(lambda event: (event[0], event[0] + event[1])),
    max_size=8,
).map(lambda events: [event for event in events if event[1] > 0])


@pytest.mark.parametrize(
    "events, merged",
    [
        ([], []),
        ([(100, 200), (110, 120)], [(100, 200)]),
        ([(500, 510), (100, 110)], [(100, 110), (500, 510)]),
        ([(1, 2), (2, 3)], [(1, 3)]),
        ([(1, 2), (2.001, 3)], [(1, 2), (2.001, 3)]),
        ([(3, 9), (1, 4), (8, 10), (20, 21)], [(1, 10), (20, 21)]),
        ([(1, 2), (1, 2)], [(1, 2)]),
    ],
)
def test_events_that_overlap_or_touch_become_one(events: list[Interval], merged: list[Interval]) -> None:
    assert merge_events(events) == merged


def test_merging_takes_any_iterable() -> None:
    assert merge_events(iter([(3.0, 4.0), (1.0, 2.0)])) == [(1.0, 2.0), (3.0, 4.0)]


@pytest.mark.parametrize(
    "event, message",
    [
        ((math.nan, 5.0), r"event \(nan, 5\.0\): expected finite seconds"),
        ((5.0, math.nan), r"event \(5\.0, nan\): expected finite seconds"),
        ((5.0, math.inf), r"event \(5\.0, inf\): expected finite seconds"),
        ((5.0, 5.0), r"event \(5\.0, 5\.0\): .*stop after the start"),
        ((50.0, 5.0), r"event \(50\.0, 5\.0\): .*was a duration given as the stop"),
    ],
)
def test_a_malformed_event_is_refused(event: Interval, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        merge_events([(1.0, 2.0), event])
    with pytest.raises(ValueError, match=message):
        events_to_mask([(1.0, 2.0), event], 256.0, 25600)


@pytest.mark.parametrize("event", [(-5.0, -1.0), (-5.0, 0.0), (100.0, 110.0), (100.5, 110.0)])
def test_an_event_wholly_outside_the_recording_is_refused(event: Interval) -> None:
    with pytest.raises(ValueError, match=r"lies wholly outside the recording of 100\.0 s"):
        events_to_runs([event], 256.0, 25600)


@pytest.mark.parametrize("event", [(-5.0, -1.0), (100.0, 110.0)])
def test_an_event_outside_is_refused_even_beside_one_that_reaches_it(event: Interval) -> None:
    with pytest.raises(ValueError, match=r"wholly outside"):
        events_to_runs([(-10.0, 120.0), event], 256.0, 25600)


@pytest.mark.parametrize(
    "sfreq, n_samples, message",
    [
        (0.0, 10, r"sfreq: expected a positive number of samples per second, got 0\.0"),
        (math.nan, 10, r"sfreq: .*got nan"),
        (math.inf, 10, r"sfreq: .*got inf"),
        (256.0, 0, r"n_samples: expected a recording of at least one sample, got 0"),
    ],
)
def test_a_recording_has_a_rate_and_a_length(sfreq: float, n_samples: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        events_to_runs([], sfreq, n_samples)


@pytest.mark.parametrize(
    "event, run",
    [
        ((-5.0, 20.0), (0, 5120)),  # clipped to the start
        ((90.0, 130.0), (23040, 25600)),  # clipped to the end
        ((11.5, 12.5), (2944, 3200)),
        ((100.2 - 90, 100.9 - 90), (2611, 2790)),
        ((50.0, 50.0001), (12800, 12801)),  # shorter than a sample
        ((-1.0, 0.001), (0, 1)),
        ((99.999, 100.5), (25599, 25600)),  # starts within the last half sample
    ],
)
def test_an_event_is_clipped_and_covers_a_sample(event: Interval, run: tuple[int, int]) -> None:
    assert events_to_runs([event], 256.0, 25600) == [run]
    assert np.flatnonzero(events_to_mask([event], 256.0, 25600)).tolist() == list(range(*run))


def test_events_that_touch_on_the_sample_grid_are_one_run() -> None:
    assert events_to_runs([(1.0, 2.0), (2.0001, 3.0)], 256.0, 25600) == [(256, 768)]


@given(EVENTS, RATES, st.randoms(use_true_random=False))
def test_order_does_not_matter(events: list[Interval], sfreq: float, random: Random) -> None:
    shuffled = list(events)
    random.shuffle(shuffled)
    assert events_to_runs(shuffled, sfreq, round(20 * sfreq)) == events_to_runs(events, sfreq, round(20 * sfreq))


@given(st.floats(-5, 19), st.floats(0.001, 15), st.floats(0.01, 0.99), RATES)
@example(6.4, 1.08, 0.926, 1.0)  # rounds to two pieces of a sample each when the pieces are rounded apart
def test_touching_pieces_are_the_whole(start_s: float, length_s: float, share: float, sfreq: float) -> None:
    cut_s, stop_s = start_s + share * length_s, start_s + length_s
    n_samples = round(20 * sfreq)
    assume(start_s < cut_s < stop_s and 0 < cut_s < 20)
    pieces = events_to_runs([(cut_s, stop_s), (start_s, cut_s)], sfreq, n_samples)
    assert pieces == events_to_runs([(start_s, stop_s)], sfreq, n_samples)


@given(EVENTS, RATES)
def test_runs_are_apart_and_within_the_recording(events: list[Interval], sfreq: float) -> None:
    n_samples = round(20 * sfreq)
    runs = events_to_runs(events, sfreq, n_samples)
    bounds = [bound for run in runs for bound in run]
    assert bounds == sorted(set(bounds))
    assert all(0 <= bound <= n_samples for bound in bounds)
    assert bool(runs) == bool(events)
    assert mask_to_events(events_to_mask(events, sfreq, n_samples), sfreq) == runs_to_events(runs, sfreq)


@given(MASKS, RATES)
@example(np.array([True]), 256.0)
@example(np.array([False]), 256.0)
@example(np.array([True, False, True]), 256.0)
@example(np.ones(9, dtype=np.bool_), 256.0)
def test_events_of_a_mask_equal_those_of_timescoring(mask: npt.NDArray[np.bool_], sfreq: float) -> None:
    expected = Annotation(mask, sfreq).events  # pyright: ignore[reportArgumentType]
    assert mask_to_events(mask, sfreq) == expected


@given(MASKS, RATES)
def test_a_mask_survives_the_round_trip(mask: npt.NDArray[np.bool_], sfreq: float) -> None:
    np.testing.assert_array_equal(events_to_mask(mask_to_events(mask, sfreq), sfreq, len(mask)), mask)


def test_events_of_a_mask_are_plain_numbers_at_both_ends() -> None:
    mask = np.zeros(1024, dtype=np.bool_)
    mask[[0, 1023]] = True
    events = mask_to_events(mask, 256.0)
    assert events == [(0.0, 1 / 256), (1023 / 256, 4.0)]
    assert {type(bound) for event in events for bound in event} == {float}


def test_a_mask_that_is_only_viewed_is_read_in_place() -> None:
    mask = np.zeros((2, 600), dtype=np.bool_)
    mask[1, 100:300] = True
    mask.flags.writeable = False
    assert mask_to_events(mask[1, ::2], 1.0) == [(50.0, 150.0)]


@pytest.mark.parametrize(
    "mask, message",
    [
        (np.zeros(4), r"mask: expected bool of shape \(n_samples,\), got float64 of shape \(4,\)"),
        (np.zeros((1, 4), dtype=np.bool_), r"got bool of shape \(1, 4\)"),
        (np.zeros(0, dtype=np.bool_), r"at least one sample, got 0"),
    ],
)
def test_what_is_not_a_mask_is_refused(mask: npt.NDArray[np.bool_], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mask_to_events(mask, 256.0)
