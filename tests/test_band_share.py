"""How much of a signal's power lies in a band, also where the signal is thinned out first."""

import math

import numpy as np
import pytest
import torch
from elsewhere import DEVICE, PretendDevice
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal
from shift_table import SFREQ, generator

from pytest_robustseiz.shifts.interpolate import thinned_out
from pytest_robustseiz.shifts.spectral import FEWEST_COARSE, band_share

LONG = 64 * FEWEST_COARSE  # samples; thinned out by 64 for a band up to 0.5 Hz, and by 32 up to 1 Hz


def whole_spectrum(channel: np.ndarray, low_hz: float, high_hz: float) -> float:
    """By the periodogram of all samples in double precision."""
    freqs, density = signal.periodogram(channel.astype(np.float64), SFREQ)
    line_hz = SFREQ / channel.shape[0]
    return float(density[(freqs > low_hz - line_hz) & (freqs < high_hz + line_hz)].sum() / density.sum())


def sines(*parts: tuple[float, float], n_samples: int = LONG) -> np.ndarray:
    """Sum of sines (amplitude, whole periods in the signal)."""
    angle = 2 * np.pi * np.arange(n_samples) / n_samples
    return np.asarray(sum(amplitude * np.sin(periods * angle + periods) for amplitude, periods in parts))


@pytest.mark.parametrize("factor", [2, 8, 64])
def test_thinning_keeps_what_is_slow_and_nothing_else(factor: int) -> None:
    n_coarse = 512
    n_samples = n_coarse * factor
    for periods in (1, 10, n_coarse // 8):
        slow = sines((1.0, periods), n_samples=n_samples)
        assert np.abs(thinned_out(slow, factor) - slow[::factor]).max() < 1e-4
        for alias in (n_coarse - periods, n_coarse + periods):
            if alias < n_samples // 2:
                assert np.abs(thinned_out(sines((1.0, alias), n_samples=n_samples), factor)).max() < 1e-4


@pytest.mark.parametrize("low_hz, high_hz", [(0.05, 0.5), (0.0, 1.0), (0.1, 1.0), (3.0, 7.9), (20.0, 100.0)])
def test_share_of_a_sine_inside_and_one_outside(low_hz: float, high_hz: float) -> None:
    """The other is where it would come down into the band if thinning were only to leave out samples."""
    line_hz = SFREQ / LONG
    inside = round((low_hz + high_hz) / 2 / line_hz)
    for fold_hz in (4.0, 8.0, 64.0, 128.0):
        outside = abs(round(fold_hz / line_hz) - inside)
        if low_hz <= outside * line_hz <= high_hz:
            continue
        channel = 1000 + sines((3.0, inside), (1.0, outside))
        for dtype in (np.float64, np.float32):
            assert band_share(channel.astype(dtype), SFREQ, low_hz, high_hz) == pytest.approx(0.9, abs=2e-4)


@settings(deadline=None, max_examples=30)
@given(
    n_samples=st.integers(20_000, 100_000), low_hz=st.floats(0, 40), width=st.floats(0.05, 60), seed=st.integers(0, 99),
    noise=st.floats(0, 3),
)  # fmt: skip
def test_share_is_that_of_the_whole_spectrum(
    n_samples: int, low_hz: float, width: float, seed: int, noise: float
) -> None:
    rng = generator(seed)
    window = signal.windows.tukey(n_samples, 0.1)  # so that a line is a line, however many samples there are
    tone = np.sin(2 * np.pi * (low_hz + width / 2) / SFREQ * np.arange(n_samples) + seed)
    channel = (tone + noise * rng.normal(0, 1, n_samples)) * window
    found = band_share(channel, SFREQ, low_hz, low_hz + width)
    assert found == pytest.approx(whole_spectrum(channel, low_hz, low_hz + width), abs=0.01)


@given(n_samples=st.integers(2, 5000), low_hz=st.floats(0, 40), width=st.floats(0.05, 60), seed=st.integers(0, 99))
def test_share_is_a_share_however_short_the_signal(n_samples: int, low_hz: float, width: float, seed: int) -> None:
    channel = generator(seed).normal(0, 1, n_samples)
    assert 0 <= band_share(channel, SFREQ, low_hz, low_hz + width) <= 1 + 1e-9
    assert band_share(channel, SFREQ, 0.0, SFREQ / 2) == pytest.approx(1)


def test_share_on_a_device() -> None:
    channel = (generator().normal(0, 1, LONG) + sines((5.0, 100))).astype(np.float32)
    expected = band_share(channel, SFREQ, 0.1, 1.0)
    with PretendDevice():
        found = band_share(torch.tensor(channel, device=DEVICE), SFREQ, 0.1, 1.0)
    assert found == pytest.approx(expected, rel=1e-5)


def test_a_flat_channel_has_no_share() -> None:
    assert band_share(np.full(LONG, 7.0), SFREQ, 0.1, 1.0) == 0
    assert not math.isnan(band_share(np.zeros(2), SFREQ, 0.1, 1.0))
