"""The mathematics that shifts share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal
from shift_table import SFREQ, generator

from pytest_robustseiz.shifts.butterworth import butterworth_reach, butterworth_response
from pytest_robustseiz.shifts.interpolate import coarse_factor, filled_in
from pytest_robustseiz.shifts.power import power, rms
from pytest_robustseiz.shifts.spectral import band_share, filter_in_place


@settings(deadline=None)
@given(low_hz=st.floats(0.01, 60), width=st.floats(0.5, 60), order=st.integers(1, 10), sfreq=st.floats(250, 2000))
def test_butterworth_equals_second_order_sections(low_hz: float, width: float, order: int, sfreq: float) -> None:
    freqs = np.linspace(0.01, sfreq / 2 - 0.01, 500)
    sos = signal.butter(order, [low_hz, low_hz + width], "bandpass", fs=sfreq, output="sos")
    _, expected = signal.freqz_sos(sos, worN=freqs, fs=sfreq)
    found = butterworth_response(freqs, low_hz, low_hz + width, order, sfreq)
    assert np.abs(found - expected).max() < 1e-6


def test_butterworth_at_the_ends_of_the_spectrum() -> None:
    ends = butterworth_response(np.array([0.0, 128.0]), 0.5, 40.0, 4, SFREQ)
    assert np.abs(ends).max() < 1e-12


def test_reach_of_the_impulse_response() -> None:
    reach = butterworth_reach(0.5, 40.0, 4, SFREQ)
    impulse = np.zeros(4 * reach)
    impulse[0] = 1.0
    ringing = np.abs(signal.sosfilt(signal.butter(4, [0.5, 40.0], "bandpass", fs=SFREQ, output="sos"), impulse))
    assert ringing[reach:].max() < 1e-7 < ringing[reach // 2 :].max()


@settings(deadline=None, max_examples=50)
@given(n_samples=st.integers(2, 60_000), taps=st.integers(1, 700), seed=st.integers(0, 99))
def test_blocks_equal_one_convolution(n_samples: int, taps: int, seed: int) -> None:
    """Inside, a block-wise filter is a plain convolution with its kernel."""
    kernel = generator(seed).normal(0, 1, 2 * taps + 1)
    kernel += kernel[::-1]
    eeg = generator(seed + 1).normal(0, 30, (6, n_samples))

    def response(n_fft: int) -> np.ndarray[tuple[int], np.dtype[np.complex128]]:
        centred = np.zeros(n_fft)
        centred[: taps + 1] = kernel[taps:]
        centred[n_fft - taps :] = kernel[:taps]
        return np.asarray(np.fft.rfft(centred), np.complex128)

    found = eeg.copy()
    filter_in_place(found, response, taps)
    if n_samples > 2 * taps:
        expected = signal.fftconvolve(eeg, kernel[None, :], mode="valid", axes=1)
        assert np.abs(found[:, taps : n_samples - taps] - expected).max() < 1e-8 * np.abs(kernel).sum()
    assert np.isfinite(found).all()


@pytest.mark.parametrize("factor", [1, 2, 32])
def test_filled_in_is_exact_for_slow_signals(factor: int) -> None:
    n_coarse = 400
    times = np.arange(n_coarse * factor) / factor
    waves = [np.sin(2 * np.pi * k * times / n_coarse + k) for k in (1, 7, n_coarse // 8)]
    for wave in waves:
        assert np.abs(filled_in(wave[::factor].copy(), factor) - wave).max() < 1e-4


@given(sfreq=st.floats(1, 5000), highest_hz=st.floats(0.01, 2000))
def test_coarse_rate_is_high_enough_and_not_higher_than_needed(sfreq: float, highest_hz: float) -> None:
    factor = coarse_factor(sfreq, highest_hz)
    assert factor == 1 or sfreq / factor >= 8 * highest_hz
    assert sfreq / (2 * factor) < 8 * highest_hz


@settings(deadline=None)
@given(offset=st.floats(-1e4, 1e4), scale=st.floats(1, 1e3), n_samples=st.integers(10, 5000), seed=st.integers(0, 99))
def test_power_is_the_variance(offset: float, scale: float, n_samples: int, seed: int) -> None:
    channel = offset + scale * generator(seed).normal(0, 1, n_samples)
    assert power(channel) == pytest.approx(channel.var(), rel=1e-9)
    assert rms(channel.astype(np.float32)) == pytest.approx(channel.astype(np.float32).astype(float).std(), rel=1e-4)


def test_band_share() -> None:
    angle = 2 * np.pi * np.arange(2560) / SFREQ
    channel = 7 + 3 * np.sin(10 * angle) + np.sin(40 * angle)
    assert band_share(channel, SFREQ, 5.0, 20.0) == pytest.approx(0.9)
    assert band_share(channel, SFREQ, 0.0, 128.0) == pytest.approx(1.0)
    assert band_share(np.full(100, 5.0), SFREQ, 0.0, 1.0) == 0
