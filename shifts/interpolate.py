"""Filling in samples of a slow signal, and thinning out those of any."""

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.rows import moved

OVERSAMPLED = 8  # the coarse rate is at least this many times the highest frequency
TAPS = 10  # coarse samples that make a fine one; with the window below, images are 100 dB down
BEFORE, AFTER = TAPS // 2 - 1, TAPS // 2
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
    n_coarse = coarse.shape[0]
    periodic = xp.concat([coarse[n_coarse - BEFORE :], coarse, coarse[:AFTER]])
    neighbours = xp.stack([periodic[k : k + n_coarse] for k in range(TAPS)], axis=1)
    kernel = _kernel(factor, coarse)
    if array_api_compat.is_numpy_namespace(xp):
        return xp.reshape(neighbours @ kernel, (-1,))
    # Without a matrix product, which a GPU rounds to ten bits where the detector's author allows that (TF32).
    filled = neighbours[:, :1] * kernel[:1, :]
    for k in range(1, TAPS):
        filled += neighbours[:, k : k + 1] * kernel[k : k + 1, :]
    return xp.reshape(filled, (-1,))


def thinned_out(fine: Array, factor: int) -> Array:
    """Lower the sampling rate of a periodic signal by a whole factor, with the windowed sinc of `filled_in`.

    Parameters
    ----------
    fine : array, shape (n_coarse * factor,)
        One period.
    factor : int
        How many samples to make one of.

    Returns
    -------
    array, shape (n_coarse,)
        Up to an eighth of its sampling rate its content is that of `fine`: what comes there from above is 100 dB down.
    """
    xp = array_api_compat.array_namespace(fine)
    blocks = xp.reshape(fine, (-1, factor))
    kernel = _kernel(factor, fine) / factor
    if array_api_compat.is_numpy_namespace(xp):
        products = blocks @ kernel.T
    else:  # as in filled_in
        products = xp.stack([xp.sum(blocks * kernel[k : k + 1, :], axis=1) for k in range(TAPS)], axis=1)
    coarse = xp.zeros_like(products[:, 0])
    for k in range(TAPS):
        coarse += xp.roll(products[:, k], k - BEFORE)
    return coarse


def _kernel(factor: int, like: Array) -> Array:
    """What each of TAPS coarse samples adds to the fine ones that follow the coarse sample BEFORE, by tap and place."""
    distance = np.arange(-BEFORE, AFTER + 1)[:, None] - np.arange(factor)[None, :] / factor
    window = np.i0(WINDOW * np.sqrt(1 - (distance / AFTER) ** 2)) / np.i0(WINDOW)
    return moved(np.sinc(distance) * window, like)
