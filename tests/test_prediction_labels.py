"""Labels of the prediction task, against a slow reference that goes window by window through the rules."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.scoring import (
    CLASSES,
    EXCLUDED,
    ICTAL,
    INTERICTAL,
    POSTICTAL_S,
    PREICTAL,
    PREICTAL_S,
    SHORT_GAP_S,
    WINDOW_S,
    Interval,
    Stretch,
    SubjectLabels,
    WindowLabels,
    subject_labels,
    window_labels,
)

# In the reference all times are whole milliseconds.
Milliseconds = tuple[int, int]
POSIX_S = 1_700_000_000
MINUTE = 60_000


def overlap(one: Milliseconds, other: Milliseconds) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def slow_label(window: Milliseconds, seizures: Sequence[Milliseconds]) -> tuple[int, int]:
    """Label and seizure of one window, by the table of the specification, row by row."""
    label, owner = 0, -1
    for number in range(len(seizures) - 1, -1, -1):
        onset, offset = seizures[number]
        if label not in (1, 2) and overlap(window, (offset, offset + 300_000)):
            label = -1
        if label != 2 and overlap(window, (onset - 300_000, onset)):
            label, owner = 1, number
        if overlap(window, (onset, offset)):
            label, owner = 2, number
    for number in range(1, len(seizures)):
        gap = (seizures[number - 1][1], seizures[number][0])
        if gap[1] - gap[0] < 600_000 and overlap(window, gap) and label != 2:
            label, owner = -1, -1
    return label, owner


def slow_union(seizures: Sequence[Milliseconds]) -> list[Milliseconds]:
    """Two become one as long as any two overlap or touch."""
    left = list(seizures)
    for one in left:
        for other in left:
            if one is not other and max(one[0], other[0]) <= min(one[1], other[1]):
                rest = [part for part in left if part is not one and part is not other]
                return slow_union([*rest, (min(one[0], other[0]), max(one[1], other[1]))])
    return sorted(left)


def assert_labels(
    found: WindowLabels, seizures: Sequence[Milliseconds], *, start: int, length: int, first: int
) -> None:
    windows = [(start + 1000 * i, start + 1000 * (i + 1)) for i in range(length // 1000)]
    expected = [slow_label(window, seizures) for window in windows]
    assert found.labels.tolist() == [label for label, _ in expected]
    assert found.seizure.tolist() == [owner if owner == -1 else owner + first for _, owner in expected]


def in_seconds(seizures: Sequence[Milliseconds]) -> tuple[Interval, ...]:
    return tuple((start / 1000, stop / 1000) for start, stop in seizures)


@st.composite
def recordings(draw: st.DrawFn) -> tuple[int, list[Milliseconds]]:
    """Length and seizures; these overlap, touch, share windows or lie near the rules' 300 and 600 s."""
    length = draw(st.one_of(st.integers(1, 3000), st.integers(MINUTE, 30 * MINUTE)))
    seizures: list[Milliseconds] = []
    for place in range(draw(st.integers(0, 4))):
        onset = draw(st.integers(0, length - 1))
        if place % 2:
            apart = draw(st.sampled_from([0, 1, 300, 999, 1000, 300_000, 599_000, 599_999, 600_000, 600_001]))
            onset = min(seizures[-1][1] + apart, length - 1)
        duration = draw(st.one_of(st.integers(1, 2000), st.integers(1, 90_000)))
        seizures.append((onset, min(onset + duration, length)))
    return length, draw(st.permutations(seizures))


@given(recordings())
def test_one_recording_follows_the_rules_window_by_window(case: tuple[int, list[Milliseconds]]) -> None:
    length, seizures = case
    found = window_labels(in_seconds(seizures), duration_s=length / 1000)
    assert_labels(found, slow_union(seizures), start=0, length=length, first=0)


@st.composite
def days(draw: st.DrawFn) -> list[tuple[int, int, list[Milliseconds]]]:
    """Start, length and seizures of recordings that follow each other with a gap or none, in any order."""
    start, found = POSIX_S * 1000 + draw(st.integers(0, 999)), []
    for _ in range(draw(st.integers(1, 4))):
        length, seizures = draw(recordings())
        found.append((start, length, seizures))
        start += length + draw(st.sampled_from([0, 1, 10, 500, 1000, 7000, 299_500, 600_000]))
    return draw(st.permutations(found))


@given(days())
def test_recordings_of_a_subject_follow_the_rules_on_one_time_line(
    case: list[tuple[int, int, list[Milliseconds]]],
) -> None:
    found = subject_labels([Stretch(start / 1000, length / 1000, in_seconds(parts)) for start, length, parts in case])
    parts = sorted((start + a, start + b, start) for start, _, seizures in case for a, b in slow_union(seizures))
    # Within a recording only what touches is one; over a border also what lies less than a second apart.
    bridges = [(a[1], b[0]) for a, b in pairwise(parts) if a[2] != b[2] and a[1] < b[0] < a[1] + 1000]
    seizures = slow_union([*((start, stop) for start, stop, _ in parts), *bridges])
    assert found.across
    assert found.reason == ""
    assert [(round(a * 1000), round(b * 1000)) for a, b in found.seizures] == seizures
    for windows, (start, length, _) in zip(found.windows, case, strict=True):
        assert_labels(windows, seizures, start=start, length=length, first=0)


@given(days())
def test_without_one_start_each_recording_stands_alone(case: list[tuple[int, int, list[Milliseconds]]]) -> None:
    stretches = [Stretch(start / 1000, length / 1000, in_seconds(parts)) for start, length, parts in case]
    stretches[-1] = Stretch(None, stretches[-1].duration_s, stretches[-1].seizures)
    found = subject_labels(stretches)
    assert not found.across
    assert found.reason == f"the start of recording {len(case)} of {len(case)} is not known"
    assert found.starts_s == (0.0,) * len(case)
    first = 0
    for windows, (_, length, parts) in zip(found.windows, case, strict=True):
        union = slow_union(parts)
        assert in_seconds(union) == found.seizures[first : first + len(union)]
        assert_labels(windows, union, start=0, length=length, first=first)
        first += len(union)
    assert first == len(found.seizures)


def runs(windows: WindowLabels) -> list[tuple[int, int]]:
    """Label and length of each run of one label."""
    found: list[tuple[int, int]] = []
    for label in windows.labels.tolist():
        if found and found[-1][0] == label:
            found[-1] = (label, found[-1][1] + 1)
        else:
            found.append((label, 1))
    return found


def test_constants_are_those_of_the_benchmark() -> None:
    assert CLASSES == ("interictal", "preictal", "ictal")
    assert (INTERICTAL, PREICTAL, ICTAL, EXCLUDED) == (0, 1, 2, -1)
    assert (WINDOW_S, PREICTAL_S, POSTICTAL_S, SHORT_GAP_S) == (1.0, 300.0, 300.0, 600.0)


ONE_RECORDING: dict[str, tuple[list[Interval], float, list[tuple[int, int]]]] = {
    "no seizure": ([], 10.0, [(0, 10)]),
    "a seizure on the second": ([(400.0, 450.0)], 1000.0, [(0, 100), (1, 300), (2, 50), (-1, 300), (0, 250)]),
    "an onset at 300 s leaves none before it": (
        [(300.0, 301.0)],
        700.0,
        [(1, 300), (2, 1), (-1, 300), (0, 99)],
    ),
    "a part of a window counts for the stronger label": (
        [(400.25, 450.5)],
        1000.0,
        [(0, 100), (1, 300), (2, 51), (-1, 300), (0, 249)],
    ),
    "a stop that a sum puts a hair after the second": ([(0.1, 0.1 + 2.7 + 0.2)], 5.0, [(2, 3), (-1, 2)]),
    "an onset that a sum puts a hair before the second": ([(0.1 + 4.1 + 0.8, 6.0)], 8.0, [(1, 5), (2, 1), (-1, 2)]),
    "no length": ([(5.0, 5.0)], 10.0, [(1, 5), (2, 1), (-1, 4)]),
    "less than a window": ([(5.3, 5.4)], 10.0, [(1, 5), (2, 1), (-1, 4)]),
    "a gap of 600 s": (
        [(10.0, 20.0), (620.0, 630.0)],
        640.0,
        [(1, 10), (2, 10), (-1, 300), (1, 300), (2, 10), (-1, 10)],
    ),
    "a shorter gap": ([(10.0, 20.0), (619.999, 630.0)], 640.0, [(1, 10), (2, 10), (-1, 599), (2, 11), (-1, 10)]),
    "preictal over post-ictal": (
        [(10.0, 20.5), (620.5, 630.0)],
        640.0,
        [(1, 10), (2, 11), (-1, 299), (1, 300), (2, 10), (-1, 10)],
    ),
    "touching seizures are one": ([(10.0, 20.0), (20.0, 30.0)], 40.0, [(1, 10), (2, 20), (-1, 10)]),
    "a seizure from before the start": ([(-5.0, 3.0)], 10.0, [(2, 3), (-1, 7)]),
    "a seizure over the end": ([(5.0, 30.0)], 10.0, [(1, 5), (2, 5)]),
    "a seizure in the last half second": ([(10.2, 10.4)], 10.5, [(1, 10)]),
    "shorter than a window": ([(0.1, 0.2)], 0.9, []),
}


@pytest.mark.parametrize("name", ONE_RECORDING)
def test_labels_by_hand(name: str) -> None:
    seizures, duration_s, expected = ONE_RECORDING[name]
    assert runs(window_labels(seizures, duration_s=duration_s)) == expected


def test_the_sums_of_the_table_are_not_what_they_seem() -> None:
    assert 0.1 + 2.7 + 0.2 > 3.0
    assert 0.1 + 4.1 + 0.8 < 5.0


def test_windows_carry_their_seizure() -> None:
    found = window_labels([(2000.0, 2010.0), (10.0, 20.0)], duration_s=2400.0)
    assert found.seizure[:10].tolist() == [0] * 10
    assert found.seizure[10:20].tolist() == [0] * 10
    assert set(found.seizure[20:1700].tolist()) == {-1}
    assert set(found.seizure[1700:2010].tolist()) == {1}
    assert set(found.seizure[2010:].tolist()) == {-1}


def test_a_window_of_two_seizures_is_the_earlier_ones() -> None:
    found = window_labels([(10.1, 10.3), (10.6, 12.0)], duration_s=20.0)
    assert found.labels[10:12].tolist() == [ICTAL, ICTAL]
    assert found.seizure[10:12].tolist() == [0, 1]


def test_labels_are_small_and_cannot_be_changed() -> None:
    found = window_labels([(5.0, 6.0)], duration_s=10.0)
    assert found.labels.dtype == np.int8
    assert found.seizure.dtype == np.int32
    for values in (found.labels, found.seizure):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def labels_of(*stretches: tuple[float | None, float, list[Interval]]) -> SubjectLabels:
    return subject_labels([Stretch(start, duration, tuple(seizures)) for start, duration, seizures in stretches])


def test_a_seizure_three_minutes_into_a_file_has_its_preictal_part_in_the_file_before() -> None:
    found = labels_of((0.0, 600.0, []), (600.0, 600.0, [(180.0, 200.0)]))
    assert runs(found.windows[0]) == [(0, 480), (1, 120)]
    assert runs(found.windows[1]) == [(1, 180), (2, 20), (-1, 300), (0, 100)]
    assert set(found.windows[0].seizure[480:].tolist()) == {0}
    assert found.seizures == ((780.0, 800.0),)


def test_time_between_files_passes() -> None:
    found = labels_of((0.0, 600.0, []), (660.0, 600.0, [(180.0, 200.0)]), (1460.0, 400.0, []))
    assert runs(found.windows[0]) == [(0, 540), (1, 60)]
    assert runs(found.windows[2]) == [(0, 400)]
    assert runs(labels_of((0.0, 10.0, [(4.0, 5.0)]), (20.0, 400.0, [])).windows[1]) == [(-1, 285), (0, 115)]


def test_a_short_gap_counts_across_files() -> None:
    found = labels_of((0.0, 600.0, [(590.0, 595.0)]), (700.0, 600.0, [(400.0, 410.0)]))
    assert runs(found.windows[1]) == [(-1, 400), (2, 10), (-1, 190)]
    assert runs(labels_of((None, 600.0, [(590.0, 595.0)]), (None, 600.0, [(400.0, 410.0)])).windows[1]) == [
        (0, 100),
        (1, 300),
        (2, 10),
        (-1, 190),
    ]


def test_a_short_gap_counts_long_after_the_post_ictal_time() -> None:
    found = labels_of((0.0, 10.0, [(4.0, 5.0)]), (455.0, 150.0, [(140.0, 150.0)]))
    assert runs(found.windows[1]) == [(-1, 140), (2, 10)]
    assert runs(labels_of((0.0, 10.0, [(4.0, 5.0)]), (455.0, 160.0, [(150.0, 160.0)])).windows[1]) == [
        (1, 150),
        (2, 10),
    ]


@pytest.mark.parametrize(
    "stop_s, gap_s, n_seizures",
    [(600.0, 0.0, 1), (600.0, 0.5, 1), (599.6, 0.3, 1), (600.0, 1.0, 2), (600.0, 7.0, 2), (598.0, 0.0, 2)],
)
def test_a_seizure_over_the_border_of_two_files(stop_s: float, gap_s: float, n_seizures: int) -> None:
    found = labels_of((0.0, 600.0, [(590.0, stop_s)]), (600.0 + gap_s, 600.0, [(0.0, 20.0)]))
    assert len(found.seizures) == n_seizures
    assert found.windows[1].labels[0] == ICTAL
    assert found.windows[1].seizure[0] == n_seizures - 1


def test_a_second_apart_in_one_file_are_two_seizures() -> None:
    assert len(labels_of((0.0, 600.0, [(10.0, 20.0), (20.5, 30.0)])).seizures) == 2


def test_recordings_that_overlap_are_labelled_alone() -> None:
    found = labels_of((0.0, 600.0, []), (5000.0, 600.0, [(180.0, 200.0)]), (598.0, 600.0, [(180.0, 200.0)]))
    assert not found.across
    assert found.reason == (
        "recording 3 of 3 begins 2 s before the end of recording 1, so their starts cannot both be right"
    )
    assert runs(found.windows[0]) == [(0, 600)]
    assert found.seizures == ((180.0, 200.0), (180.0, 200.0))
    assert [set(windows.seizure.tolist()) for windows in found.windows] == [{-1}, {-1, 0}, {-1, 1}]


def test_an_overlap_below_a_second_is_rounding_of_the_starts() -> None:
    found = labels_of((0.0, 600.02, []), (600.0, 600.0, [(180.0, 200.0)]))
    assert found.across
    assert runs(found.windows[0]) == [(0, 480), (1, 120)]


def test_one_date_for_all_recordings_is_no_time_line() -> None:
    assert not labels_of((0.0, 600.0, []), (0.0, 600.0, [])).across


def test_selected_recordings_keep_their_labels() -> None:
    found = labels_of((0.0, 600.0, []), (600.0, 600.0, [(180.0, 200.0)]), (1200.0, 10.0, []))
    test = found.select([2, 0])
    assert [runs(windows) for windows in test.windows] == [[(0, 10)], [(0, 480), (1, 120)]]
    assert test.starts_s == (1200.0, 0.0)
    assert (test.seizures, test.across, test.reason) == (found.seizures, True, "")


def test_no_recordings_have_no_labels() -> None:
    assert labels_of().windows == ()


@pytest.mark.parametrize(
    "start_s, duration_s, seizure, message",
    [
        (0.0, 0.0, (1.0, 2.0), r"duration_s: expected seconds above 0, got 0\.0"),
        (0.0, math.inf, (1.0, 2.0), r"duration_s: .*got inf"),
        (math.nan, 10.0, (1.0, 2.0), r"start_s: expected finite seconds, got nan"),
        (0.0, 10.0, (math.nan, 2.0), r"seizure \(nan, 2\.0\): expected finite seconds"),
        (0.0, 10.0, (5.0, 2.0), r"seizure \(5\.0, 2\.0\): expected .*stop after the start; was a duration"),
        (0.0, 10.0, (10.0, 12.0), r"seizure \(10\.0, 12\.0\): lies wholly outside the recording of 10\.0 s"),
        (0.0, 10.0, (-2.0, 0.0), r"seizure \(-2\.0, 0\.0\): lies wholly outside"),
    ],
)
def test_impossible_recordings_are_refused(start_s: float, duration_s: float, seizure: Interval, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Stretch(start_s, duration_s, (seizure,))
