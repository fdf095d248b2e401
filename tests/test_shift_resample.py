"""There and back keeps what the intermediate rate can carry, and nothing else."""

from pathlib import Path

import numpy as np
import pytest
import soxr
from scipy import signal
from shift_table import SFREQ, amplitude_of, gain_db, generator, real_eeg, tone

from pytest_robustseiz.shifts import Resample, ShiftError

GRID = [50.0, 100.0, 200.0, 230.0]


@pytest.mark.parametrize("rate_hz", GRID)
def test_what_passes_and_what_goes(rate_hz: float) -> None:
    setting = Resample(rate_hz=rate_hz)
    half = rate_hz / 2
    for freq_hz in (1.0, 10.0, 0.9 * half):
        assert abs(gain_db(setting, freq_hz)) < 20 * np.log10(1.001)
    for freq_hz in (half, (half + 128) / 2, 127.0):
        assert gain_db(setting, freq_hz) < -75


@pytest.mark.parametrize("rate_hz", GRID)
def test_ten_hertz_sine_is_kept(rate_hz: float) -> None:
    eeg = tone(10.0, 30 * 256)
    shifted = Resample(rate_hz=rate_hz).apply(eeg, SFREQ, generator(), channels=("Cz",))
    assert amplitude_of(shifted[0], 10.0) == pytest.approx(50.0, rel=1e-3)
    assert shifted[:, 512:-512] == pytest.approx(eeg[:, 512:-512], abs=0.05)


@pytest.mark.parametrize("rate_hz", GRID)
def test_against_another_resampler_on_real_eeg(shared_data: Path, rate_hz: float) -> None:
    eeg = real_eeg(shared_data).astype(np.float64)
    eeg = signal.sosfiltfilt(signal.butter(8, 0.8 * rate_hz / 2, "lowpass", fs=SFREQ, output="sos"), eeg, axis=1)
    down = soxr.resample(eeg.T, SFREQ, rate_hz, quality="VHQ")
    back = soxr.resample(down, rate_hz, SFREQ, quality="VHQ")[: eeg.shape[1]].T
    shifted = Resample(rate_hz=rate_hz).apply(eeg, SFREQ, generator())
    away = slice(1024, back.shape[1] - 1024)
    assert np.abs(shifted[:, away] - back[:, away]).max() < 1e-3 * np.abs(eeg).max()


def test_equals_taking_samples_and_interpolating_them() -> None:
    """128 Hz is every second sample of the filtered signal: band-limited, it comes back from those alone."""
    eeg = generator().normal(0, 30, (1, 2**13))
    shifted = Resample(rate_hz=128.0).apply(eeg, SFREQ, generator(), channels=("Cz",))
    again = signal.resample(shifted[0, ::2], 2**13)
    away = slice(1024, -1024)
    assert np.abs(again[away] - shifted[0, away]).max() < 0.02 * shifted.std()


@pytest.mark.parametrize("n_samples", [2559, 2560, 7919])
@pytest.mark.parametrize("rate_hz", [50.0, 250.0])
def test_length_and_constants_are_kept(n_samples: int, rate_hz: float) -> None:
    eeg = np.full((2, n_samples), 100.0, np.float32)
    shifted = Resample(rate_hz=rate_hz).apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    assert shifted.shape == (2, n_samples)
    assert shifted == pytest.approx(eeg, rel=1e-5)


def test_a_slope_runs_on_at_the_edges() -> None:
    eeg = np.stack([np.linspace(0, 500, 3000), np.linspace(300, -700, 3000)])
    shifted = Resample(rate_hz=100.0).apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    assert shifted == pytest.approx(eeg, abs=1e-2)


def test_no_delay() -> None:
    eeg = np.zeros((1, 2001))
    eeg[0, 1000] = 1.0
    shifted = Resample(rate_hz=100.0).apply(eeg, SFREQ, generator(), channels=("Cz",))[0]
    assert int(np.argmax(shifted)) == 1000
    assert shifted == pytest.approx(shifted[::-1], abs=1e-12)


def test_the_row_says_which_resampler_acted() -> None:
    eeg = tone(10.0, 2560) + tone(60.0, 2560)
    setting = Resample(rate_hz=50.0)
    figures = setting.measure(eeg, setting.apply(eeg, SFREQ, generator(), channels=("Cz",)), SFREQ)
    assert figures["passband_hz"] == 22.5
    assert figures["stopband_hz"] == 25.0
    assert figures["changed_power_share"] == pytest.approx(0.5, abs=0.01)
    assert setting.params() == {"rate_hz": 50.0, "transition_ratio": 0.1}


@pytest.mark.parametrize("rate_hz", [256.0, 300.0])
def test_a_rate_that_is_not_lower(rate_hz: float) -> None:
    with pytest.raises(ShiftError, match=rf"^rate_hz: {rate_hz:g} Hz is not below the recording's 256 Hz; lower it$"):
        Resample(rate_hz=rate_hz).apply(np.zeros((19, 500)), SFREQ, generator())
