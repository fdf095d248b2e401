"""Filtering by multiplication in the frequency domain, for every array library alike."""

import math
from collections.abc import Callable
from typing import Any

import array_api_compat
import numpy as np
import numpy.typing as npt
from scipy.fft import next_fast_len

Array = Any
Gain = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]


def filter_zero_phase(eeg: Array, sfreq: float, gain: Gain, settle_s: float) -> Array:
    """Multiply the spectrum of each channel with a real gain.

    Each end is extended by its point reflection, as `scipy.signal.filtfilt` does, for as long as the filter rings.

    Parameters
    ----------
    eeg : array, shape (n_channels, n_samples)
        Any unit.
    sfreq : float
        Sampling rate in Hz.
    gain : callable
        Gain at frequencies in Hz, from 0 to Nyquist.
    settle_s : float
        Time in seconds after which the filter's response has died out.

    Returns
    -------
    array, shape (n_channels, n_samples)
        Same kind, dtype and device.
    """
    xp = array_api_compat.array_namespace(eeg)
    n_samples = eeg.shape[1]
    pad = min(math.ceil(settle_s * sfreq), n_samples - 1)
    n_fft = next_fast_len(n_samples + 2 * pad, real=True)
    weights = xp.asarray(gain(np.fft.rfftfreq(n_fft, 1 / sfreq)), device=array_api_compat.device(eeg))
    weights = xp.astype(weights, eeg.dtype)
    filtered = xp.empty_like(eeg)
    for i in range(eeg.shape[0]):  # one channel at a time keeps the extra memory small
        spectrum = xp.fft.rfft(_extended(eeg[i, :], pad), n=n_fft)
        spectrum *= weights
        filtered[i, :] = xp.fft.irfft(spectrum, n=n_fft)[pad : pad + n_samples]
    return filtered


def _extended(channel: Array, pad: int) -> Array:
    xp = array_api_compat.array_namespace(channel)
    left = 2 * channel[0] - xp.flip(channel[1 : pad + 1])
    right = 2 * channel[-1] - xp.flip(channel[channel.shape[0] - pad - 1 : -1])
    return xp.concat([left, channel, right])
