"""What the classical example measures: half waves, and their amplitude, duration and regularity by epoch."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from example_modules import load_example
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import butter, filtfilt

waves_of = load_example("gotman", "gotman_waves")
example = load_example("gotman", "gotman")
SFREQ = 256
Floats = npt.NDArray[np.float64]
NAN = float("nan")


def triangle(half: int, size: float, n_samples: int) -> Floats:
    """Straight lines between 0 and `size`, each `half` samples long."""
    at = np.arange(n_samples) % (2 * half)
    return size * np.minimum(at, 2 * half - at) / half


@pytest.mark.parametrize("half", [1, 2, 7, 38])
def test_half_waves_of_triangles(half: int) -> None:
    found = waves_of.find_half_waves(triangle(half, 100.0, 20 * half + 1), 0.0)
    assert found.turns.tolist() == list(range(half, 20 * half, half))
    assert found.durations.tolist() == [half] * 18
    np.testing.assert_allclose(found.amplitudes, 100.0, rtol=1e-12)


def test_half_waves_of_a_sine() -> None:
    time_s = np.arange(2 * SFREQ) / SFREQ
    found = waves_of.find_half_waves(50 * np.sin(2 * np.pi * 8 * time_s) + 1000, 0.0)
    assert found.turns.tolist() == list(range(8, 512, 16))
    np.testing.assert_allclose(found.amplitudes, 100.0, rtol=1e-12)


def test_a_flat_extreme_is_its_first_sample() -> None:
    found = waves_of.find_half_waves(np.array([0.0, 2, 2, 2, 1, 1, 0, 0, 3, 3]), 0.0)
    assert found.turns.tolist() == [1, 6]
    assert found.heights.tolist() == [2, 0]


@pytest.mark.parametrize("signal", [[], [1], [1, 2], [3, 3, 3], [1, 2, 3, 4], [1, 2, 1]])
def test_no_half_wave(signal: list[float]) -> None:
    assert waves_of.find_half_waves(np.array(signal, dtype=np.float64), 0.0).durations.tolist() == []


def test_ripples_by_hand() -> None:
    signal = np.array([5, 0, 6, 4, 9, 8, 10, 1, 3, 2, 20, 0], dtype=np.float64)
    # Extremes 0 6 4 9 8 10 1 3 2 20: the half waves of 1 go first, then those of 2.
    assert waves_of.find_half_waves(signal, 0.0).heights.tolist() == [0, 6, 4, 9, 8, 10, 1, 3, 2, 20]
    assert waves_of.find_half_waves(signal, 1.5).heights.tolist() == [0, 6, 4, 10, 1, 20]
    assert waves_of.find_half_waves(signal, 2.0).heights.tolist() == [0, 6, 4, 10, 1, 20]
    assert waves_of.find_half_waves(signal, 2.5).heights.tolist() == [0, 10, 1, 20]
    assert waves_of.find_half_waves(signal, 9.5).heights.tolist() == [0, 20]
    assert waves_of.find_half_waves(signal, 21.0).heights.tolist() == []


def joined(signal: list[int], floor: int) -> list[int]:
    """Extremes, when the smallest half wave is joined with its neighbours until none is below the floor.

    The signal comes from far away and goes there, so the first and the last extreme part half waves too.
    """
    moves = [(i, step) for i, step in enumerate(np.diff(signal).tolist()) if step]
    heights = [signal[i] for (_, before), (i, step) in pairwise(moves) if before * step < 0]
    while len(heights) > 1:
        sizes = [abs(one - other) for one, other in pairwise(heights)]
        smallest = sizes.index(min(sizes))
        if sizes[smallest] >= floor:
            break
        del heights[smallest : smallest + 2]
    return heights if len(heights) > 1 else []


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=60), st.integers(0, 25))
def test_waiting_for_the_signal_to_come_back_is_joining_the_smallest_first(signal: list[int], floor: int) -> None:
    found = waves_of.find_half_waves(np.array(signal, dtype=np.float64), float(floor))
    expected = joined(signal, floor)
    assert (found.heights.tolist() if len(found.heights) > 1 else []) == expected
    assert (found.amplitudes >= floor).all()
    assert [signal[turn] for turn in found.turns] == found.heights.tolist()


def test_lowpass_agrees_with_scipy() -> None:
    signal = np.random.default_rng(0).normal(0, 20, 5000)
    expected = filtfilt(*butter(4, 60, fs=SFREQ), signal)
    np.testing.assert_allclose(waves_of.lowpass(signal, 256.0), expected, rtol=0, atol=1e-9)


def test_lowpass_halves_its_corner_without_delay() -> None:
    corner = np.sin(2 * np.pi * 60 * np.arange(20 * SFREQ) / SFREQ + 0.3)  # 3 dB forwards and 3 dB backwards
    middle = slice(5 * SFREQ, 15 * SFREQ)
    np.testing.assert_allclose(waves_of.lowpass(corner, 256.0)[middle], corner[middle] / 2, atol=1e-6)


def test_usual_span_is_that_of_the_middle_second() -> None:
    signal = np.zeros(3 * 4 + 3)
    signal[[1, 5, 10, 13]] = [1, -5, 9, 1000]  # spans 1, 5, 9, and the rest of a second
    assert waves_of.usual_span(signal, 4.0) == 5
    assert waves_of.usual_span(signal[:3], 4.0) == 0


N_SECONDS = 40


def epochs_of(half: int, size: float, *, n_seconds: int = N_SECONDS) -> tuple[float, float, float]:
    """Measures of epoch 30: triangles of `half` samples and `size` after half a minute of 32 samples and 10."""
    signal = np.concatenate([triangle(32, 10.0, 30 * SFREQ), triangle(half, size, (n_seconds - 30) * SFREQ)])
    features = example.measure(waves_of.find_half_waves(signal, 0.0), 256.0, n_seconds)
    return features.relative_amplitude[30], features.duration_s[30], features.irregularity[30]


def test_measures_of_triangles() -> None:
    relative_amplitude, duration_s, irregularity = epochs_of(16, 50.0)
    assert relative_amplitude == pytest.approx(5.0, rel=1e-12)
    assert duration_s == 16 / SFREQ
    assert irregularity == 0


def test_irregularity_of_two_durations() -> None:
    turns = np.cumsum([0, *([16, 48] * 160)])
    heights = np.tile([0.0, 10.0], 161)[:-1]
    features = example.measure(waves_of.HalfWaves(turns, heights), 256.0, N_SECONDS)
    np.testing.assert_allclose(features.duration_s, 32 / SFREQ)
    np.testing.assert_allclose(features.irregularity, 0.5)  # 16 about a mean of 32


def test_the_background_lies_28_to_12_seconds_before_the_epoch() -> None:
    turns = np.arange(0, N_SECONDS * SFREQ + 1, 32)  # eight half waves a second
    sizes = np.where(np.arange(N_SECONDS) == 10, 100.0, 1.0).repeat(8)
    heights = np.concatenate([[0.0], np.cumsum(sizes * np.tile([1, -1], len(sizes) // 2))])
    features = example.measure(waves_of.HalfWaves(turns, heights), 256.0, N_SECONDS)
    assert features.relative_amplitude.shape == (N_SECONDS - 1,)
    # Second 10 belongs to the background of the epochs 23 to 38; before second 28 there is no background.
    expected = [NAN] * 28 + [1 / ((100 + 15) / 16)] * 11
    np.testing.assert_allclose(features.relative_amplitude, expected)


@pytest.mark.parametrize("n_seconds", [0, 1, 2, 28, 29])
def test_short_recordings_have_no_background(n_seconds: int) -> None:
    waves = waves_of.find_half_waves(triangle(16, 1.0, n_seconds * SFREQ), 0.0)
    features = example.measure(waves, 256.0, n_seconds)
    assert len(features.relative_amplitude) == max(n_seconds - 1, 0)
    assert np.isnan(features.relative_amplitude).all()
    assert example.is_rhythmic(features).tolist() == [False] * max(n_seconds - 1, 0)


@pytest.mark.parametrize(
    "half, size, expected",
    [(16, 29.0, False), (16, 31.0, True), (6, 50.0, False), (7, 50.0, True), (38, 50.0, True), (39, 50.0, False)],
)
def test_rules_on_triangles(half: int, size: float, *, expected: bool) -> None:
    """10 is the background; 6.4 samples are 25 ms and 38.4 are 150 ms."""
    values = (np.array([value]) for value in epochs_of(half, size))
    assert example.is_rhythmic(example.Features(*values)).tolist() == [expected]
