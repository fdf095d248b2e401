"""Filling in samples of a slow signal."""

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.rows import moved

OVERSAMPLED = 8  # the coarse rate is at least this many times the highest frequency
TAPS = 10  # coarse samples that make a fine one; with the window below, images are 100 dB down
WINDOW = 0.1102 * (100 - 8.7)  # Kaiser's shape for 100 dB; Oppenheim and Schafer, equation 7.75


def coarse_factor(sfreq: float, highest_hz: float) -> int:
    """Largest power of two by which a signal up to this frequency can be thinned out and filled in again."""
    factor = 1
    while sfreq / (2 * factor) >= OVERSAMPLED * highest_hz:
        factor *= 2
    return factor


def filled_in(coarse: Array, factor: int) -> Array:
    """Raise the sampling rate of a periodic signal by a whole factor, with a windowed sinc.

    Parameters
    ----------
    coarse : array, shape (n_coarse,)
        One period of a signal without content above an eighth of its sampling rate.
    factor : int
        How many samples to make of one.

    Returns
    -------
    array, shape (n_coarse * factor,)
        Same kind, dtype and device; its first sample is that of coarse.
    """
    xp = array_api_compat.array_namespace(coarse)
    before, after = TAPS // 2 - 1, TAPS // 2
    n_coarse = coarse.shape[0]
    periodic = xp.concat([coarse[n_coarse - before :], coarse, coarse[:after]])
    neighbours = xp.stack([periodic[k : k + n_coarse] for k in range(TAPS)], axis=1)
    distance = np.arange(-before, after + 1)[:, None] - np.arange(factor)[None, :] / factor
    window = np.i0(WINDOW * np.sqrt(1 - (distance / after) ** 2)) / np.i0(WINDOW)
    return xp.reshape(neighbours @ moved(np.sinc(distance) * window, coarse), (-1,))
