"""Sine waves, made fast."""

import math

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.rows import moved

BLOCK = 4096


def sine(like: Array, sfreq: float, freq_hz: float, phase: float) -> Array:
    """sin(2 pi f t + phase) over the samples of a channel.

    By the addition theorem, block by block: two sines per block and two per sample of one block, instead of one per
    sample.

    Parameters
    ----------
    like : array, shape (n_samples,)
        Gives length, kind, dtype and device.
    sfreq : float
        Sampling rate in Hz.
    freq_hz : float
        Frequency in Hz.
    phase : float
        Phase at the first sample in radians.

    Returns
    -------
    array, shape (n_samples,)
        The sine, of amplitude 1.
    """
    n_samples = like.shape[0]
    step = 2 * math.pi * freq_hz / sfreq
    starts = phase + step * BLOCK * np.arange(-(-n_samples // BLOCK))
    inner = step * np.arange(BLOCK)
    wave = moved(np.sin(starts)[:, None], like) * moved(np.cos(inner)[None, :], like)
    wave += moved(np.cos(starts)[:, None], like) * moved(np.sin(inner)[None, :], like)
    return array_api_compat.array_namespace(like).reshape(wave, (-1,))[:n_samples]
