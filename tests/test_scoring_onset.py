"""Onset delays and their summary."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_robustseiz.scoring import (
    OVERLAP,
    SZCORE,
    Interval,
    OnsetSummary,
    Preset,
    event_counts,
    onset_delays,
    summarise_onsets,
)

Events = list[Interval]
HOUR = 3600 * 256
PRESETS_UNSPLIT = [OVERLAP, dataclasses.replace(SZCORE, split_s=None), dataclasses.replace(OVERLAP, merge_s=0.3)]


def milliseconds(*, last_s: int) -> st.SearchStrategy[Events]:
    start_ms = st.integers(-500, last_s * 1000 - 10)
    length_ms = st.one_of(st.integers(1, 200), st.integers(200, 100_000), st.integers(300_000, 700_000))
    event = st.tuples(start_ms, length_ms).filter(lambda pair: sum(pair) > 0)
    return st.lists(event.map(lambda pair: (pair[0] / 1000, sum(pair) / 1000)), max_size=10)


def whole_seconds(*, first_s: int = 0, last_s: int = 1700) -> st.SearchStrategy[Events]:
    event = st.tuples(st.integers(first_s, last_s), st.one_of(st.integers(1, 60), st.integers(60, 700)))
    return st.lists(event.map(lambda pair: (float(pair[0]), float(sum(pair)))), max_size=8)


def joined(events: Events, gap_s: float) -> Events:
    """Union in whole seconds, by setting each second; then gaps below `gap_s` are closed."""
    seconds = sorted({second for start, stop in events for second in range(int(start), min(int(stop), 1800))})
    out: Events = []
    for second in seconds:
        if out and (second == out[-1][1] or second - out[-1][1] < gap_s):
            out[-1] = (out[-1][0], second + 1.0)
        else:
            out.append((float(second), second + 1.0))
    return out


def delays_by_hand(reference: Events, hypothesis: Events, preset: Preset) -> list[int]:
    delays = []
    for start, stop in joined(reference, preset.merge_s):
        window = range(max(0, int(start - preset.tolerance_start_s)), min(1800, int(stop + preset.tolerance_end_s)))
        onsets = [
            onset for onset, end in joined(hypothesis, preset.merge_s) if set(range(int(onset), int(end))) & set(window)
        ]
        if onsets:
            delays.append(int(min(onsets) - start) * 256)
    return delays


@pytest.mark.parametrize(
    "reference, hypothesis, expected_s",
    [
        ([(1000, 1060)], [(1010, 1020)], [10]),
        ([(1000, 1060)], [(1000, 1020)], [0]),
        ([(1000, 1060)], [(980, 1020)], [-20]),
        ([(1000, 1060)], [(900, 971)], [-100]),  # reaches into the window
        ([(1000, 1060)], [(900, 970)], []),  # ends where the window opens
        ([(1000, 1060)], [(1119.9, 1150)], [119.9]),
        ([(1000, 1060)], [(1120, 1150)], []),  # starts where the window closes
        ([(1000, 1060)], [(800, 900), (985, 1020)], [-200]),  # merged: the hypothesis began at 800 s
        ([(1000, 1060)], [(800, 890), (985, 1020)], [-15]),
        ([(1000, 1010), (1050, 1060)], [(1055, 1060)], [55]),  # one merged seizure, one delay
        ([(1000, 1700)], [(1650, 1660)], [650]),  # a split piece has no onset
        ([(500, 510), (100, 110)], [(505, 510), (100, 110)], [0, 5]),
        ([(1000, 1060), (2000, 2060)], [(0, 3600)], [-1000, -2000]),
        ([(1000, 1060)], [], []),
        ([], [(1000, 1060)], []),
        ([(-5, 20)], [(3, 10)], [3]),  # an onset before the recording is its start
    ],
)
def test_delays_by_hand(reference: Events, hypothesis: Events, expected_s: list[float]) -> None:
    delays = onset_delays(reference, hypothesis, sfreq=256.0, n_samples=HOUR)
    assert delays == tuple(round(delay * 256) for delay in expected_s)
    assert {type(delay) for delay in delays} <= {int}


def test_delays_without_tolerance_or_merging() -> None:
    reference: Events = [(1000, 1010), (1020, 1030), (1100, 1110)]
    hypothesis: Events = [(990, 1000), (995, 1001), (1009, 1021), (1029, 1035)]
    delays = onset_delays(reference, hypothesis, sfreq=256.0, n_samples=HOUR, preset=OVERLAP)
    assert delays == (-10 * 256, -11 * 256)


def test_delays_keep_the_rate_of_the_signal() -> None:
    assert onset_delays([(1000, 1060)], [(1000 + 3 / 256, 1010)], sfreq=256.0, n_samples=HOUR) == (3,)


@settings(deadline=None)
@given(whole_seconds(), whole_seconds(), st.sampled_from([SZCORE, OVERLAP]))
def test_delays_equal_a_search_second_by_second(reference: Events, hypothesis: Events, preset: Preset) -> None:
    delays = onset_delays(reference, hypothesis, sfreq=256.0, n_samples=1800 * 256, preset=preset)
    assert list(delays) == delays_by_hand(reference, hypothesis, preset)


@settings(deadline=None, max_examples=300)
@given(milliseconds(last_s=30), milliseconds(last_s=30), st.sampled_from(PRESETS_UNSPLIT), st.integers(0, 30))
def test_each_true_positive_has_a_delay(reference: Events, hypothesis: Events, preset: Preset, extra: int) -> None:
    n_samples = 30 * 256 + extra
    delays = onset_delays(reference, hypothesis, sfreq=256.0, n_samples=n_samples, preset=preset)
    assert len(delays) == event_counts(reference, hypothesis, sfreq=256.0, n_samples=n_samples, preset=preset).tp


@settings(deadline=None)
@given(milliseconds(last_s=1800), milliseconds(last_s=1800))
def test_with_splitting_there_is_a_delay_when_there_is_a_true_positive(reference: Events, hypothesis: Events) -> None:
    delays = onset_delays(reference, hypothesis, sfreq=256.0, n_samples=1800 * 256)
    counts = event_counts(reference, hypothesis, sfreq=256.0, n_samples=1800 * 256)
    assert len(delays) <= counts.tp
    assert bool(delays) == bool(counts.tp)


@settings(deadline=None)
@given(whole_seconds(first_s=500, last_s=900), whole_seconds(first_s=500, last_s=900), st.integers(0, 1000))
def test_a_shift_in_time_keeps_the_delays(reference: Events, hypothesis: Events, by_s: int) -> None:
    def moved(events: Events) -> Events:
        return [(start + by_s, stop + by_s) for start, stop in events]

    before = onset_delays(reference, hypothesis, sfreq=256.0, n_samples=HOUR)
    assert onset_delays(moved(reference), moved(hypothesis), sfreq=256.0, n_samples=HOUR) == before


@settings(deadline=None)
@given(whole_seconds(), st.sampled_from([SZCORE, OVERLAP]))
def test_the_reference_itself_is_on_time(events: Events, preset: Preset) -> None:
    delays = onset_delays(events, events, sfreq=256.0, n_samples=1800 * 256, preset=preset)
    assert set(delays) == ({0} if events else set())
    assert len(delays) == len(joined(events, preset.merge_s))


def test_a_bad_event_is_named() -> None:
    with pytest.raises(ValueError, match=r"hypothesis: event \(7\.0, 6\.0\)"):
        onset_delays([(5.0, 6.0)], [(7.0, 6.0)], sfreq=256.0, n_samples=HOUR)


def test_summary_by_hand() -> None:
    assert summarise_onsets([-10, -20, -60, 0, 0, 5]) == OnsetSummary(
        lead_mean=30.0,
        lead_median=20.0,
        lead_p90=52.0,  # 0.9 * 2 = 1.8, so 20 + 0.8 * 40
        lead_min=10.0,
        lead_max=60.0,
        lag_mean=5.0,
        lag_median=5.0,
        lag_p90=5.0,
        lag_min=5.0,
        lag_max=5.0,
        ontime_count=2,
        tp_count=6,
    )


@pytest.mark.parametrize("delays, tp_count", [([], 0), ([0, 0], 2)])
def test_a_summary_of_no_lead_and_no_lag_is_nan(delays: list[int], tp_count: int) -> None:
    fields = dataclasses.asdict(summarise_onsets(delays))
    assert (fields.pop("tp_count"), fields.pop("ontime_count")) == (tp_count, len(delays))
    assert len(fields) == 10
    assert all(math.isnan(value) for value in fields.values())


@given(st.lists(st.integers(-1_000_000, 1_000_000), min_size=1))
def test_reversing_time_exchanges_lead_and_lag(delays: list[int]) -> None:
    there = dataclasses.asdict(summarise_onsets(delays))
    back = dataclasses.asdict(summarise_onsets([-delay for delay in delays]))
    for name in ("mean", "median", "p90", "min", "max"):
        np.testing.assert_array_equal(there[f"lead_{name}"], back[f"lag_{name}"])
    assert there["lag_max"] == max(delays) or max(delays) <= 0
    assert there["ontime_count"] == sum(1 for delay in delays if delay == 0)


def test_a_summary_is_plain_numbers() -> None:
    kinds = [type(value) for value in dataclasses.asdict(summarise_onsets([-3, 4, 5])).values()]
    assert kinds == [float] * 10 + [int] * 2
