"""Gaussian noise that is limited to a band."""

import math

import numpy as np
import numpy.typing as npt
import scipy.fft

from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.interpolate import coarse_factor, filled_in
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import centred, dot
from pytest_robustseiz.shifts.rows import moved
from pytest_robustseiz.shifts.spectral import transforms

NARROWEST_HZ = 0.01
PERIODS = 10  # least length of a random stretch, in periods of its bandwidth: below, its RMS says little


def require_band(low_hz: float, high_hz: float) -> None:
    """Raise ValueError naming both edges unless they span a band."""
    ok = low_hz >= 0 and high_hz >= low_hz + NARROWEST_HZ
    require(ok, "low_hz, high_hz", f"0 <= low_hz and low_hz + {NARROWEST_HZ:g} <= high_hz", (low_hz, high_hz))


def stretch_length(n_samples: int, sfreq: float, low_hz: float, high_hz: float) -> int:
    """Samples to draw so that a short recording gets a piece of the process that a long one gets."""
    return max(n_samples, math.ceil(PERIODS * sfreq / (high_hz - low_hz)))


def band_noise(
    like: Array, sfreq: float, low_hz: float, high_hz: float, rng: np.random.Generator, *, slope: float = 0.0
) -> Array:
    """Noise of RMS 1 and mean 0 whose spectrum is zero outside the band.

    Only the coefficients inside the band are drawn. The mean is not part of the noise, also when the band begins at
    0 Hz: a shift by a constant is not a signal. RMS and mean are those of the whole stretch, which is longer than the
    recording where that is shorter than ten periods of the bandwidth.

    Parameters
    ----------
    like : array, shape (n_samples,)
        Gives length, kind, dtype and device.
    sfreq : float
        Sampling rate in Hz.
    low_hz, high_hz : float
        Edges of the band in Hz.
    rng : numpy.random.Generator
        Where to draw from.
    slope : float
        Amplitude falls as 1 / frequency to this power: 0 for white, 1 for a random walk.

    Returns
    -------
    array, shape (n_samples,)
        The noise.
    """
    n_samples = like.shape[0]
    n_drawn = stretch_length(n_samples, sfreq, low_hz, high_hz)
    factor = coarse_factor(sfreq, high_hz)
    n_fft = int(scipy.fft.next_fast_len(math.ceil(n_drawn / factor), real=True))
    inside, first = _coefficients(n_fft, sfreq / factor, low_hz, high_hz, rng, slope)
    spectrum = np.zeros(n_fft // 2 + 1, np.complex128)
    spectrum[first : first + inside.shape[0]] = inside
    noise = transforms(like).irfft(moved(spectrum, like), n=n_fft, norm="forward")
    noise = centred(filled_in(noise, factor)[:n_drawn])
    noise /= math.sqrt(dot(noise, noise) / n_drawn)
    return noise[:n_samples]


def _coefficients(
    n_fft: int, sfreq: float, low_hz: float, high_hz: float, rng: np.random.Generator, slope: float
) -> tuple[npt.NDArray[np.complex128], int]:
    """Coefficients inside the band, for a signal of RMS 1 (Parseval), and the index of the first."""
    first = max(1, math.ceil(low_hz * n_fft / sfreq))
    last = min(math.floor(high_hz * n_fft / sfreq), (n_fft - 1) // 2)
    real, imaginary = rng.standard_normal((2, last + 1 - first))
    drawn = (real + 1j * imaginary) / np.arange(first, last + 1) ** slope
    return drawn / np.sqrt(2 * np.sum(np.abs(drawn) ** 2)), first
