"""Counts of samples and events, against timescoring and tables made by hand."""

import dataclasses
import json
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timescoring.annotations import Annotation
from timescoring.scoring import EventScoring, SampleScoring

from pytest_robustseiz.scoring import (
    OVERLAP,
    PRESETS,
    SZCORE,
    Counts,
    Interval,
    Preset,
    event_counts,
    sample_counts,
)

Events = list[Interval]
HOUR = 3600 * 256
RECORDING_S = 1800


def event_lists(*, last_s: float = RECORDING_S) -> st.SearchStrategy[Events]:
    """Events in milliseconds, which may overlap, start before the recording and end after it."""
    start_ms = st.one_of(st.integers(-5000, round(last_s * 1000) - 10), st.integers(0, 20_000))
    length_ms = st.one_of(st.integers(10, 200), st.integers(200, 120_000), st.integers(120_000, 900_000))
    event = st.tuples(start_ms, length_ms).filter(lambda pair: sum(pair) >= 10)
    return st.lists(event.map(lambda pair: (pair[0] / 1000, sum(pair) / 1000)), max_size=10)


def annotation(events: Events, sfreq: float, n_samples: int) -> Any:
    """By way of a mask, as SzCORE's own evaluation makes it."""
    mask = np.zeros(n_samples, dtype=np.bool_)
    for start_s, stop_s in events:
        mask[max(0, round(start_s * sfreq)) : round(stop_s * sfreq)] = True
    return Annotation(mask, sfreq)  # pyright: ignore[reportArgumentType]


def as_timescoring_has_it(score: Any, duration_s: float) -> Counts:
    return Counts(int(score.tp), int(score.fp), int(score.refTrue), duration_s)


def assert_scores_agree(counts: Counts, score: Any) -> None:
    ours = (counts.sensitivity, counts.precision, counts.f1, counts.fp_per_day)
    np.testing.assert_array_equal(ours, (score.sensitivity, score.precision, score.f1, score.fpRate))


# tp, fp and reference by timescoring 0.0.7, in one hour
SURPRISES: dict[str, tuple[Events, Events, tuple[int, int, int]]] = {
    "600 s reference with a 10 s hit": ([(1000, 1600)], [(1050, 1060)], (1, 0, 2)),
    "301 s reference hit": ([(1000, 1301)], [(1010, 1020)], (1, 0, 2)),
    "always on": ([(1800, 1860)], [(0, 3600)], (1, 10, 1)),
    "hit ends 25 s before onset": ([(1000, 1060)], [(965, 975)], (1, 0, 1)),
    "hit ends 30 s before onset": ([(1000, 1060)], [(960, 970)], (0, 1, 1)),
    "starts 60 s after offset": ([(1000, 1060)], [(1120, 1150)], (0, 1, 1)),
    "starts 59.9 s after offset": ([(1000, 1060)], [(1119.9, 1150)], (1, 0, 1)),
    "gap of 90.0 s": ([(1000, 1010), (1100, 1110)], [(1000, 1010)], (1, 0, 2)),
    "gap of 89.96 s": ([(1000, 1010), (1099.96, 1110)], [(1000, 1010)], (1, 0, 1)),
    "contained reference": ([(100, 200), (110, 120)], [(190, 195)], (1, 0, 1)),
    "identical and unsorted": ([(500, 510), (100, 110)], [(500, 510), (100, 110)], (2, 0, 2)),
    "clipped and short": ([(-5, 20), (500.2, 500.9)], [(0.5, 2), (500.3, 500.4)], (2, 0, 2)),
}


@pytest.mark.parametrize("reference, hypothesis, expected", SURPRISES.values(), ids=SURPRISES.keys())
def test_event_counts_by_hand(reference: Events, hypothesis: Events, expected: tuple[int, int, int]) -> None:
    counts = event_counts(reference, hypothesis, sfreq=256.0, n_samples=HOUR)
    assert (counts.tp, counts.fp, counts.reference) == expected
    assert counts.duration_s == 3600.0


def test_scores_of_the_surprises() -> None:
    def counts(name: str) -> Counts:
        reference, hypothesis, _ = SURPRISES[name]
        return event_counts(reference, hypothesis, sfreq=256.0, n_samples=HOUR)

    assert round(counts("600 s reference with a 10 s hit").f1, 3) == 0.667
    assert counts("301 s reference hit").sensitivity == 0.5
    assert counts("identical and unsorted").f1 == 1.0
    assert counts("always on").fp_per_day == pytest.approx(240.0)


@pytest.mark.parametrize(
    "reference, hypothesis, expected",
    [
        ([(1000, 1060)], [(965, 975)], (0, 1, 1)),
        ([(1000, 1060)], [(1059.8, 1070)], (1, 0, 1)),
        ([(1000, 1060)], [(1060, 1070)], (0, 1, 1)),
        ([(1000, 1010), (1020, 1030)], [(1000, 1010)], (1, 0, 2)),
        ([(1000, 1600)], [(1050, 1060), (1070, 1080), (2000, 2010)], (1, 1, 1)),
        ([(1800, 1860)], [(0, 3600)], (1, 0, 1)),
        ([(1000, 1010), (1010, 1020)], [(1000, 1010)], (1, 0, 1)),
    ],
)
def test_overlap_neither_tolerates_nor_merges_nor_splits(
    reference: Events, hypothesis: Events, expected: tuple[int, int, int]
) -> None:
    counts = event_counts(reference, hypothesis, sfreq=256.0, n_samples=HOUR, preset=OVERLAP)
    assert (counts.tp, counts.fp, counts.reference) == expected


def test_sample_counts_by_hand() -> None:
    counts = sample_counts([(-5, 20), (11.5, 12.5)], [(10, 30)], sfreq=256.0, n_samples=100 * 256)
    assert counts == Counts(tp=10 * 256, fp=10 * 256, reference=20 * 256, duration_s=100.0)
    assert sample_counts([(1, 1.0001)], [(1, 2)], sfreq=256.0, n_samples=2560).reference == 1


@settings(deadline=None)
@given(event_lists(), event_lists(), st.sampled_from([249.98, 250.0, 256.0]))
def test_sample_counts_equal_timescoring(reference: Events, hypothesis: Events, sfreq: float) -> None:
    n_samples = round(RECORDING_S * sfreq)
    score = SampleScoring(
        annotation(reference, sfreq, n_samples),
        annotation(hypothesis, sfreq, n_samples),
        fs=sfreq,  # pyright: ignore[reportArgumentType]
    )
    counts = sample_counts(reference, hypothesis, sfreq=sfreq, n_samples=n_samples)
    assert counts == as_timescoring_has_it(score, n_samples / sfreq)
    assert_scores_agree(counts, score)


@settings(deadline=None)
@given(event_lists(), event_lists(), st.sampled_from([249.98, 250.0, 256.0]))
def test_event_counts_equal_timescoring(reference: Events, hypothesis: Events, sfreq: float) -> None:
    n_samples = round(RECORDING_S * sfreq)
    ours = event_counts(reference, hypothesis, sfreq=sfreq, n_samples=n_samples)
    score = EventScoring(annotation(reference, sfreq, n_samples), annotation(hypothesis, sfreq, n_samples))
    assert ours == as_timescoring_has_it(score, n_samples / sfreq)
    np.testing.assert_array_equal((ours.sensitivity, ours.precision), (score.sensitivity, score.precision))
    np.testing.assert_allclose(ours.fp_per_day, score.fpRate, rtol=1e-4)  # it divides by a length rounded to 0.1 s


@settings(deadline=None)
@given(event_lists(last_s=60), event_lists(last_s=60))
def test_overlap_counts_equal_timescoring(reference: Events, hypothesis: Events) -> None:
    n_samples = 60 * 256 + 7
    parameters = EventScoring.Parameters(0, 0, maxEventDuration=math.inf, minDurationBetweenEvents=0)
    with np.errstate(invalid="ignore"):
        score = EventScoring(
            annotation(reference, 256.0, n_samples), annotation(hypothesis, 256.0, n_samples), parameters
        )
    ours = event_counts(reference, hypothesis, sfreq=256.0, n_samples=n_samples, preset=OVERLAP)
    assert ours == as_timescoring_has_it(score, n_samples / 256)


def test_the_szcore_preset_is_the_default_of_timescoring() -> None:
    defaults = EventScoring.Parameters()
    assert SZCORE.tolerance_start_s == defaults.toleranceStart
    assert SZCORE.tolerance_end_s == defaults.toleranceEnd
    assert SZCORE.merge_s == defaults.minDurationBetweenEvents
    assert SZCORE.split_s == defaults.maxEventDuration
    assert defaults.minOverlap == 0
    assert {name: preset.name for name, preset in PRESETS.items()} == {"szcore": "szcore", "overlap": "overlap"}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"tolerance_start_s": -1.0}, r"tolerance_start_s: expected seconds, 0 or more, got -1\.0"),
        ({"tolerance_end_s": math.nan}, r"tolerance_end_s: .*got nan"),
        ({"merge_s": math.inf}, r"merge_s: .*got inf"),
        ({"split_s": 0.0}, r"split_s: expected seconds above 0, or None to cut no event, got 0\.0"),
        ({"split_s": math.inf}, r"split_s: .*got inf"),
    ],
)
def test_a_preset_refuses_impossible_rules(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SZCORE, **change)


@settings(deadline=None)
@given(event_lists(), event_lists(), st.randoms(use_true_random=False), st.sampled_from([SZCORE, OVERLAP]))
def test_order_and_pieces_do_not_matter(reference: Events, hypothesis: Events, random: Random, preset: Preset) -> None:
    def torn(events: Events) -> Events:
        pieces: Events = []
        for start, stop in events:
            cut = (start + stop) / 2
            pieces += [(start, cut), (cut, stop)] if 0 < cut < RECORDING_S else [(start, stop)]
        random.shuffle(pieces)
        return pieces

    pair, torn_pair = (reference, hypothesis), (torn(reference), torn(hypothesis))
    at: dict[str, Any] = {"sfreq": 256.0, "n_samples": RECORDING_S * 256}
    assert sample_counts(*torn_pair, **at) == sample_counts(*pair, **at)
    assert event_counts(*torn_pair, **at, preset=preset) == event_counts(*pair, **at, preset=preset)


@settings(deadline=None)
@given(event_lists(), event_lists())
def test_samples_mirror_when_the_sides_are_exchanged(reference: Events, hypothesis: Events) -> None:
    there = sample_counts(reference, hypothesis, sfreq=256.0, n_samples=RECORDING_S * 256)
    back = sample_counts(hypothesis, reference, sfreq=256.0, n_samples=RECORDING_S * 256)
    assert (there.tp, there.fp, there.fn) == (back.tp, back.fn, back.fp)


WHOLE_SECONDS = st.lists(
    st.tuples(st.integers(600, 1000), st.integers(1, 700)).map(lambda pair: (float(pair[0]), float(sum(pair)))),
    max_size=8,
)


@settings(deadline=None)
@given(WHOLE_SECONDS, WHOLE_SECONDS, st.integers(0, 500), st.sampled_from([SZCORE, OVERLAP]))
def test_a_shift_in_time_changes_nothing(reference: Events, hypothesis: Events, by_s: int, preset: Preset) -> None:
    def moved(events: Events) -> Events:
        return [(start + by_s, stop + by_s) for start, stop in events]

    before = event_counts(reference, hypothesis, sfreq=256.0, n_samples=HOUR, preset=preset)
    after = event_counts(moved(reference), moved(hypothesis), sfreq=256.0, n_samples=HOUR, preset=preset)
    assert before == after


@settings(deadline=None)
@given(WHOLE_SECONDS, st.sampled_from([SZCORE, OVERLAP]))
def test_the_reference_itself_is_a_perfect_hypothesis(events: Events, preset: Preset) -> None:
    counts = event_counts(events, events, sfreq=256.0, n_samples=HOUR, preset=preset)
    assert (counts.fn, counts.fp) == (0, 0)
    assert counts.reference > 0 or not events


def test_an_event_below_the_event_rate_counts_as_timescoring_has_it() -> None:
    """Below 0.1 s timescoring rounds an event to nothing: kept, so that numbers stay comparable."""
    short = [(1000.41, 1000.44)]
    assert event_counts([(1000, 1060)], short, sfreq=256.0, n_samples=HOUR) == Counts(0, 1, 1, 3600.0)
    assert event_counts([(1000, 1060)], [(1010, 1020), *short], sfreq=256.0, n_samples=HOUR, preset=OVERLAP) == Counts(
        1, 1, 1, 3600.0
    )
    assert event_counts(short, [(1000, 1010)], sfreq=256.0, n_samples=HOUR) == Counts(1, 0, 1, 3600.0)


def test_a_window_of_no_length_at_the_end_is_missed_without_a_warning() -> None:
    counts = event_counts([(10.0, 10.04)], [(9.0, 10.0)], sfreq=256.0, n_samples=2570, preset=OVERLAP)
    assert (counts.tp, counts.reference) == (0, 1)


@pytest.mark.parametrize("count", [sample_counts, event_counts])
def test_an_error_names_the_side(count: Callable[..., Counts]) -> None:
    with pytest.raises(ValueError, match=r"reference: event \(5\.0, 5\.0\): expected"):
        count([(5.0, 5.0)], [], sfreq=256.0, n_samples=HOUR)
    with pytest.raises(ValueError, match=r"hypothesis: event \(4000\.0, 4010\.0\): lies wholly outside"):
        count([], [(4000.0, 4010.0)], sfreq=256.0, n_samples=HOUR)


def test_a_recording_too_short_for_event_scoring_is_refused() -> None:
    with pytest.raises(ValueError, match=r"n_samples: 12 at 256\.0 Hz are too short for event scoring"):
        event_counts([], [], sfreq=256.0, n_samples=12)
    assert event_counts([], [], sfreq=256.0, n_samples=13).reference == 0


@pytest.mark.parametrize("preset", [SZCORE, OVERLAP], ids=lambda preset: preset.name)
def test_silence(preset: Preset) -> None:
    seizure = [(100.0, 160.0)]
    missed = event_counts(seizure, [], sfreq=256.0, n_samples=HOUR, preset=preset)
    false = event_counts([], seizure, sfreq=256.0, n_samples=HOUR, preset=preset)
    neither = event_counts([], [], sfreq=256.0, n_samples=HOUR, preset=preset)
    assert (missed.f1, missed.sensitivity, missed.accuracy) == (0.0, 0.0, 0.0)
    assert math.isnan(missed.precision)
    assert (false.f1, false.precision, false.accuracy) == (0.0, 0.0, 0.0)
    assert math.isnan(false.sensitivity)
    assert all(math.isnan(score) for score in (neither.f1, neither.sensitivity, neither.precision, neither.accuracy))
    assert (missed.fp_per_day, neither.fp_per_day) == (0.0, 0.0)


def test_counts_are_plain_numbers() -> None:
    events = [(np.float64(1.0), np.float64(2.0))]
    for counts in (
        sample_counts(events, events, sfreq=np.float64(256.0), n_samples=2560),
        event_counts(events, events, sfreq=np.float64(256.0), n_samples=2560),
    ):
        fields = dataclasses.asdict(counts)
        assert [type(value) for value in fields.values()] == [int, int, int, float]
        assert Counts(**json.loads(json.dumps(fields, allow_nan=False))) == counts
