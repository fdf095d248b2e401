"""Hum has the amplitude of its sine."""

from pathlib import Path

import numpy as np
import pytest
from shift_table import SFREQ, amplitude_of, generator, real_eeg

from pytest_robustseiz.shifts import Mains, ShiftError
from pytest_robustseiz.shifts.sines import sine


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("freq_hz", [50.0, 60.0, 49.97])
def test_amplitude_on_real_eeg(shared_data: Path, freq_hz: float, ratio: float) -> None:
    eeg = real_eeg(shared_data)
    setting = Mains(freq_hz=freq_hz, amplitude_ratio=ratio)
    shifted = setting.apply(eeg, SFREQ, generator())
    line = shifted.astype(np.float64) - eeg
    rms = eeg.astype(np.float64).std(axis=1)
    found = np.array([amplitude_of(row, freq_hz) for row in line])
    assert found == pytest.approx(ratio * rms, rel=0.01)
    assert line.std(axis=1) == pytest.approx(ratio * rms / np.sqrt(2), rel=0.01)  # nothing else was added
    figures = setting.measure(eeg, shifted, SFREQ)
    assert figures["line_amplitude_uv"] == pytest.approx((ratio * rms).mean(), rel=0.01)
    assert figures["line_amplitude_ratio"] == pytest.approx(ratio, rel=0.01)


def test_all_channels_are_in_phase() -> None:
    eeg = generator().normal(0, 30, (3, 2000))
    line = Mains(amplitude_ratio=0.5).apply(eeg, SFREQ, generator(), channels=("C3", "Cz", "C4")) - eeg
    assert np.corrcoef(line) == pytest.approx(np.ones((3, 3)), abs=1e-9)


def test_phase_is_drawn() -> None:
    eeg = generator().normal(0, 30, (1, 2000))
    starts = {
        round(float((Mains(amplitude_ratio=1.0).apply(eeg, SFREQ, generator(seed), channels=("Cz",)) - eeg)[0, 0]), 3)
        for seed in range(20)
    }
    assert len(starts) == 20


def test_harmonics() -> None:
    eeg = generator().normal(0, 30, (1, 2560))
    setting = Mains(freq_hz=40.0, amplitude_ratio=0.5, harmonic_ratios=(0.2, 0.1))
    line = (setting.apply(eeg, SFREQ, generator(), channels=("Cz",)) - eeg)[0] / eeg.std()
    found = [amplitude_of(line, freq_hz) for freq_hz in (40.0, 80.0, 120.0)]
    assert found == pytest.approx([0.5, 0.1, 0.05], rel=1e-6)


@pytest.mark.parametrize(
    "setting", [Mains(freq_hz=128.0, amplitude_ratio=1.0), Mains(amplitude_ratio=1.0, harmonic_ratios=(0.1, 0.1))]
)
def test_lines_beyond_nyquist(setting: Mains) -> None:
    with pytest.raises(ShiftError, match=r"^freq_hz, harmonic_ratios: 1[28][80] Hz is not below the Nyquist frequency"):
        setting.apply(np.ones((19, 500)), SFREQ, generator())


@pytest.mark.parametrize("freq_hz", [0.013, 0.2, 59.94, 127.0])
def test_fast_sine_equals_the_plain_one(freq_hz: float) -> None:
    n_samples = 10 * 3600 * 256
    expected = np.sin(2 * np.pi * freq_hz * np.arange(n_samples) / SFREQ + 1.0)
    assert np.abs(sine(np.empty(n_samples), SFREQ, freq_hz, 1.0) - expected).max() < 1e-7
    assert np.abs(sine(np.empty(n_samples, np.float32), SFREQ, freq_hz, 1.0) - expected).max() < 1e-6
