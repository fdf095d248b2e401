"""Contact noise has its RMS and stays in its band."""

from pathlib import Path

import numpy as np
import pytest
from scipy import signal, stats
from shift_table import PAIRS, SFREQ, Floats, generator, real_eeg

from pytest_robustseiz.shifts import PAPER, Impedance, Shift, ShiftError

GRID = PAPER["impedance"]
BANDS = [(0.0, 1.0), (0.05, 0.5), (0.1, 1.0), (5.0, 9.0), (20.0, 100.0), (0.0, 127.9)]


def share_in_band(noise: Floats, low_hz: float, high_hz: float) -> float:
    """By a periodogram with a window, whose leakage is far below one per cent."""
    freqs, density = signal.periodogram(noise, SFREQ, window="hann")
    width = 2 * SFREQ / noise.shape[-1]
    inside = (freqs >= low_hz - width) & (freqs <= high_hz + width)
    return float(density[inside].sum() / density.sum())


@pytest.mark.parametrize("setting", GRID, ids=[s.label for s in GRID])
def test_level_and_band_on_real_eeg(shared_data: Path, setting: Impedance) -> None:
    eeg = real_eeg(shared_data).astype(np.float64)
    shifted = setting.apply(eeg, SFREQ, generator())
    noise = shifted - eeg
    expected = eeg.std(axis=1) * 0.25 if setting.rms_uv is None else np.full(19, setting.rms_uv)
    assert noise.std(axis=1) == pytest.approx(expected, rel=0.01)
    assert noise.mean(axis=1) == pytest.approx(np.zeros(19), abs=1e-3)
    assert min(share_in_band(row, setting.low_hz, setting.high_hz) for row in noise) > 0.99
    figures = setting.measure(eeg, shifted, SFREQ)
    assert figures["noise_rms_uv"] == pytest.approx(expected.mean(), rel=0.01)
    assert figures["in_band_share"] > 0.99
    assert figures["noisy_channels"] == 19


@pytest.mark.parametrize("low_hz, high_hz", BANDS)
def test_spectrum_is_flat_inside_the_band(low_hz: float, high_hz: float) -> None:
    eeg = np.zeros((1, 2**20))
    noise = Impedance(low_hz=low_hz, high_hz=high_hz, rms_uv=20.0).apply(eeg, SFREQ, generator(), channels=("Cz",))[0]
    assert noise.std() == pytest.approx(20, rel=1e-3)
    assert share_in_band(noise, low_hz, high_hz) > 0.999
    freqs, density = signal.periodogram(noise, SFREQ)
    inside = density[(freqs > low_hz) & (freqs < high_hz)]
    quarters = [part.mean() for part in np.array_split(inside, 4)]
    assert quarters == pytest.approx([float(inside.mean())] * 4, rel=0.15)


def test_noise_is_gaussian_and_independent_between_channels() -> None:
    eeg = np.zeros((3, 2**20))
    noise = Impedance(low_hz=0.0, high_hz=1.0, rms_uv=20.0).apply(eeg, SFREQ, generator(4), channels=("C3", "Cz", "C4"))
    assert stats.kstest(noise[0, ::512] / 20, "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(noise) - np.eye(3)).max() < 0.05


def test_a_short_recording_gets_a_piece_of_the_same_noise() -> None:
    eeg = np.zeros((400, 256))
    setting: Shift = Impedance(low_hz=0.05, high_hz=0.5, rms_uv=20.0)
    noise = setting.apply(eeg, SFREQ, generator(), channels=[f"E{i}" for i in range(400)])
    assert np.sqrt(np.mean(noise**2)) == pytest.approx(20, rel=0.1)
    assert np.abs(np.diff(noise)).max() < 20 * 2 * np.pi * 0.5 / SFREQ * 5  # no faster than the band allows


@pytest.mark.parametrize("low_hz, high_hz", [(0.0, 0.45), (0.05, 0.5), (0.1, 1.0)])
def test_samples_of_a_short_recording_are_gaussian(low_hz: float, high_hz: float) -> None:
    """A stretch too short for its bandwidth has a handful of sines, whose sum is not."""
    eeg = np.zeros((600, 64))
    setting: Shift = Impedance(low_hz=low_hz, high_hz=high_hz, rms_uv=20.0)
    noise = setting.apply(eeg, SFREQ, generator(), channels=[f"E{i}" for i in range(600)])
    assert stats.kstest(noise[:, 0] / 20, "norm").pvalue > 0.01
    assert np.abs(noise[:, 0]).max() > 2.5 * 20


def test_named_electrodes_only() -> None:
    eeg = generator().normal(0, 30, (19, 2560))
    setting = Impedance(low_hz=0.1, high_hz=1.0, rms_uv=50.0, electrodes=("T7", "O2"))
    shifted = setting.apply(eeg, SFREQ, generator())
    assert {i for i in range(19) if not np.array_equal(shifted[i], eeg[i])} == {6, 15}
    assert setting.measure(eeg, shifted, SFREQ)["noisy_channels"] == 2
    pairs = setting.apply(eeg[:18], SFREQ, generator(), channels=PAIRS)
    changed = {PAIRS[i] for i in range(18) if not np.array_equal(pairs[i], eeg[i])}
    assert changed == {pair for pair in PAIRS if "T3" in pair.split("-") or "O2" in pair.split("-")}


def test_band_beyond_nyquist() -> None:
    with pytest.raises(ShiftError, match=r"^high_hz: 130 Hz is not below the Nyquist frequency of 128 Hz"):
        Impedance(low_hz=1.0, high_hz=130.0, rms_uv=1.0).apply(np.zeros((19, 500)), SFREQ, generator())
