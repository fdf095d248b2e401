"""Power of a channel, as all relative shifts mean it."""

import math
from typing import Any

import array_api_compat

Array = Any


def centred(channel: Array) -> Array:
    """Return a channel less its mean, exactly zero where the channel is flat.

    Parameters
    ----------
    channel : array, shape (n_samples,)
        Any unit.
    """
    xp = array_api_compat.array_namespace(channel)
    # Going through the first sample keeps a flat channel exactly flat and a large offset out of the rounding.
    moved = channel - channel[0]
    moved -= xp.mean(moved)
    return moved


def power(channel: Array) -> float:
    """Mean square of a channel after removing its mean (DC is not signal).

    Parameters
    ----------
    channel : array, shape (n_samples,)
        Microvolts, for a result in microvolts squared.
    """
    moved = centred(channel)
    return dot(moved, moved) / int(moved.shape[0])


def dot(first: Array, second: Array) -> float:
    """Sum of products of two vectors.

    In numpy that of BLAS, which adds up in many places at once; others need double precision, since in an hour of EEG
    their single precision loses the fifth digit.
    """
    xp = array_api_compat.array_namespace(first)
    if array_api_compat.is_numpy_namespace(xp):
        return float(first @ second)
    return float(xp.sum(first * second, dtype=xp.float64))


def rms(channel: Array) -> float:
    """Root of `power`: microvolts for microvolts."""
    return math.sqrt(power(channel))


def is_flat(channel: Array) -> bool:
    """Whether all samples have one value, as those of a dropped or missing electrode do."""
    xp = array_api_compat.array_namespace(channel)
    return bool(xp.max(channel) == xp.min(channel))


def live_rows(eeg: Array) -> list[int]:
    """Indices of the channels that carry signal, of an array of shape (n_channels, n_samples)."""
    return [i for i in range(eeg.shape[0]) if not is_flat(eeg[i, :])]
