"""Drift has its amplitude, its band, its channels and its pauses."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal, stats
from shift_table import SFREQ, Floats, amplitude_of, generator, real_eeg

from pytest_robustseiz.shifts import PAPER, Drift, ShiftError
from pytest_robustseiz.shifts.bursts import burst_envelope
from pytest_robustseiz.shifts.driftwaves import straight_lines, zigzag

GRID = [setting for setting in PAPER["drift"] if isinstance(setting, Drift)]
SINES = {"sin", "sin_band"}


def drift_of(setting: Drift, eeg: Floats, seed: int = 0) -> Floats:
    shifted: Floats = setting.apply(eeg, SFREQ, generator(seed), channels=[f"E{i}" for i in range(eeg.shape[0])])
    return shifted - eeg


@pytest.mark.parametrize("setting", GRID, ids=[s.label for s in GRID])
def test_amplitude_and_channels_on_real_eeg(shared_data: Path, setting: Drift) -> None:
    eeg = real_eeg(shared_data).astype(np.float64)
    drift = drift_of(dataclasses.replace(setting, burst_s=None), eeg)
    drifting = np.flatnonzero(drift.any(axis=1))
    assert drifting.size == (setting.n_channels or 19)
    relative = setting.amplitude_ratio is not None
    expected = (setting.amplitude_ratio * eeg.std(axis=1) if relative else np.full(19, setting.amplitude_uv))[drifting]
    if setting.mode in SINES:
        assert np.abs(drift[drifting]).max(axis=1) == pytest.approx(expected, rel=0.01)
    else:
        assert drift[drifting].std(axis=1) == pytest.approx(expected, rel=0.01)
        assert drift[drifting].mean(axis=1) == pytest.approx(np.zeros(drifting.size), abs=1e-6)
    figures = setting.measure(eeg, eeg + drift, SFREQ)
    assert figures["noise_rms_uv"] == pytest.approx(drift[drifting].std(axis=1).mean(), rel=1e-6)


def test_sine_has_its_frequency_and_a_phase_of_its_own_in_each_channel() -> None:
    drift = drift_of(Drift(mode="sin", freq_hz=0.2, amplitude_uv=50.0), np.zeros((5, 2**15)))
    for row in drift:
        assert amplitude_of(row, 0.2) == pytest.approx(50, rel=1e-3)
        assert row.std() == pytest.approx(50 / np.sqrt(2), rel=0.02)
    assert np.unique(drift[:, 0].round(3)).size == 5


@pytest.mark.parametrize("low_hz, high_hz", [(0.05, 0.5), (0.0, 1.0), (0.1, 1.0)])
def test_sine_frequencies_fill_the_band(low_hz: float, high_hz: float) -> None:
    n_samples = 100 * 256
    drift = drift_of(
        Drift(mode="sin_band", low_hz=low_hz, high_hz=high_hz, amplitude_uv=1.0), np.zeros((300, n_samples))
    )
    turns = np.abs(np.diff(np.unwrap(np.angle(signal.hilbert(drift, axis=1)), axis=1)))
    found = np.median(turns, axis=1) * SFREQ / (2 * np.pi)
    lowest = max(low_hz, 1 / 100)  # at least one period in the recording
    assert 0.7 * lowest < found.min() < lowest + 0.1 * high_hz
    assert 0.9 * high_hz < found.max() < 1.02 * high_hz
    assert stats.kstest(found, "uniform", (lowest, high_hz - lowest)).pvalue > 0.01


def test_a_sine_from_0_hz_makes_at_least_one_period() -> None:
    drift = drift_of(Drift(mode="sin_band", low_hz=0.0, high_hz=1.0, amplitude_uv=1.0), np.zeros((100, 3 * 256)))
    assert drift.max(axis=1) == pytest.approx(np.ones(100), abs=1e-3)
    assert drift.min(axis=1) == pytest.approx(-np.ones(100), abs=1e-3)


@pytest.mark.parametrize("low_hz, high_hz", [(0.05, 0.5), (0.0, 1.0), (0.1, 1.0)])
def test_random_walk_stays_in_its_band_and_falls_with_frequency(low_hz: float, high_hz: float) -> None:
    drift = drift_of(Drift(mode="random_walk", low_hz=low_hz, high_hz=high_hz, amplitude_uv=10.0), np.zeros((8, 2**18)))
    freqs, density = signal.periodogram(drift, SFREQ)
    density = density.mean(axis=0)
    inside = (freqs >= low_hz) & (freqs <= high_hz) & (freqs > 0)
    assert density[inside].sum() / density.sum() > 0.999
    slope = np.polyfit(np.log(freqs[inside]), np.log(density[inside]), 1)[0]
    assert slope == pytest.approx(-2, abs=0.15)  # the power of a random walk


def test_straight_lines_have_their_power_in_the_band() -> None:
    drift = drift_of(Drift(mode="piecewise", low_hz=0.05, high_hz=0.5, amplitude_uv=10.0), np.zeros((4, 2**18)))
    freqs, density = signal.periodogram(drift, SFREQ, window="hann")
    share = density[:, (freqs >= 0.05) & (freqs <= 0.5)].sum() / density.sum()
    assert share > 0.8
    bends = np.abs(np.diff(drift, n=2, axis=1)) > 1e-9
    lines = np.diff(np.flatnonzero(bends[0])) / SFREQ
    lines = lines[lines > 0.01]  # a corner between two samples bends at both
    assert lines.min() > 1 - 0.02
    assert lines.max() < 10 + 0.02


@settings(deadline=None)
@given(st.lists(st.floats(0.3, 50), min_size=3, max_size=20), st.integers(0, 99))
def test_straight_lines_equal_numpy_interp(gaps: list[float], seed: int) -> None:
    turns = np.cumsum(np.array([-0.5, *gaps]))
    n_samples = int(np.floor(turns[-1])) + 1
    heights = np.asarray(generator(seed).normal(0, 1, turns.shape))
    expected = np.interp(np.arange(n_samples), turns, heights)
    assert straight_lines(turns, heights, n_samples) == pytest.approx(expected, abs=1e-9)


def test_drifting_channels_are_drawn() -> None:
    setting = Drift(mode="sin", freq_hz=0.2, amplitude_uv=5.0, n_channels=2)
    eeg = generator().normal(0, 30, (19, 100))
    drawn = [tuple(np.flatnonzero(drift_of(setting, eeg, seed).any(axis=1))) for seed in range(30)]
    assert all(len(rows) == 2 for rows in drawn)
    assert len(set(drawn)) > 20


@pytest.mark.parametrize("n_channels, level", [(1, 0.0), (2, 812.5), (14, 0.0), (19, 812.5)])
def test_flat_channels_are_not_drawn(n_channels: int, level: float) -> None:
    setting = Drift(mode="random_walk", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.1, n_channels=n_channels)
    eeg = generator().normal(0, 30, (19, 500))
    eeg[:5] = level
    for seed in range(20):
        drifting = np.asarray(drift_of(setting, eeg, seed).any(axis=1))
        assert not drifting[:5].any()
        assert drifting.sum() == min(n_channels, 14)


def test_nothing_to_draw_from() -> None:
    setting = Drift(mode="sin", freq_hz=0.2, amplitude_uv=5.0, n_channels=2)
    assert not drift_of(setting, np.full((19, 100), 3.0)).any()


def test_torch_drifts_where_numpy_drifts() -> None:
    setting = Drift(mode="sin", freq_hz=5.0, amplitude_uv=5.0, n_channels=2)
    eeg = generator().normal(0, 30, (19, 100)).astype(np.float32)
    eeg[[2, 7]] = 3.0
    for seed in range(10):
        as_tensor = setting.apply(torch.from_numpy(eeg), SFREQ, generator(seed))
        assert as_tensor.numpy() == pytest.approx(setting.apply(eeg, SFREQ, generator(seed)), abs=1e-4)


def test_zigzag_begins_up_or_down_and_its_turns_fill_half_to_all_of_the_height() -> None:
    rises = [bool(np.diff(zigzag(64, SFREQ, 0.05, 0.5, generator(seed))).max() > 0) for seed in range(100)]
    assert 30 < sum(rises) < 70
    wave = zigzag(2**18, SFREQ, 0.2, 0.5, generator())
    turns = np.abs(wave[1:-1][np.diff(np.sign(np.diff(wave))) != 0])
    heights = turns / turns.max()
    assert heights.size > 400
    assert stats.kstest(heights, "uniform", (0.5, 0.5)).pvalue > 0.01


def test_bursts_and_pauses() -> None:
    setting = Drift(mode="sin", freq_hz=5.0, amplitude_uv=10.0, burst_s=10.0)
    drift = drift_of(setting, np.zeros((3, 3600 * 256)))
    silent = (drift == 0).all(axis=0)
    assert np.array_equal(silent, drift[0] == 0) or (drift[0, ~silent] != 0).mean() > 0.99
    edges = np.flatnonzero(np.diff(silent[1:].astype(int)))
    lengths = np.diff(edges) / SFREQ
    lengths = lengths[lengths > 1]
    assert 0.45 < silent.mean() < 0.55
    assert lengths.min() >= 4.5
    assert lengths.max() <= 15.6
    assert np.abs(drift).max() == pytest.approx(10, rel=1e-3)


@settings(deadline=None)
@given(n_samples=st.integers(2, 20_000), burst_s=st.floats(1, 30), seed=st.integers(0, 1000))
def test_envelope_is_between_0_and_1_begins_in_a_burst_and_has_no_steps(
    n_samples: int, burst_s: float, seed: int
) -> None:
    envelope = burst_envelope(n_samples, SFREQ, burst_s, generator(seed))
    assert envelope.shape == (n_samples,)
    assert envelope.min() >= 0
    assert envelope.max() <= 1
    assert envelope[0] > 0
    assert np.abs(np.diff(envelope)).max() < 0.02


def test_more_channels_than_there_are() -> None:
    with pytest.raises(ShiftError, match=r"^n_channels: 3 of 2 channels cannot drift; lower it$"):
        drift_of(Drift(mode="sin", freq_hz=0.2, amplitude_uv=5.0, n_channels=3), np.zeros((2, 100)))


def test_band_beyond_nyquist() -> None:
    with pytest.raises(ShiftError, match=r"^freq_hz, high_hz: 128 Hz is not below the Nyquist frequency of 128 Hz"):
        drift_of(Drift(mode="sin", freq_hz=128.0, amplitude_uv=5.0), np.zeros((2, 100)))
