"""From a file's sampling rate to the rate that every recording has."""

import math
from fractions import Fraction

import numpy as np

from pytest_robustseiz.signals import Samples

_EDGE_S = 2.0  # longer than the resampler's filter at any rate of interest
_SEARCH_S = 2.0


def resample(samples: Samples, sfreq: Fraction, to_hz: int, n_out: int) -> Samples:
    """Resample one channel without moving it in time.

    Both ends are extended by point reflection first, so that value and slope go on and a constant stays constant. soxr
    at its very high quality passes 0.91 of the lower Nyquist frequency and keeps the phase.

    Parameters
    ----------
    samples : ndarray of float32, shape (n_samples,)
    sfreq : Fraction
        Exact rate of `samples` in Hz.
    to_hz : int
        Rate wanted, in Hz.
    n_out : int
        Number of samples wanted.

    Returns
    -------
    ndarray of float32, shape (n_out,)
        Sample k is the signal at k / to_hz seconds.
    """
    import soxr  # only files at another rate need it

    ratio = to_hz / sfreq
    pad = _aligned_pad(sfreq, ratio)
    extended = (
        np.pad(samples, pad, "reflect", reflect_type="odd") if samples.size > 1 else np.repeat(samples, 2 * pad + 1)
    )
    out = soxr.resample(extended, float(sfreq), float(to_hz), quality="VHQ")
    first = round(pad * ratio)
    return np.asarray(out[first : first + n_out], dtype=np.float32)


def _aligned_pad(sfreq: Fraction, ratio: Fraction) -> int:
    """Length of extension, in samples, that comes closest to a whole number of samples after resampling."""
    shortest = math.ceil(_EDGE_S * sfreq)
    lengths = range(shortest, shortest + math.ceil(_SEARCH_S * sfreq) + 1)
    return min(lengths, key=lambda n: abs(n * ratio - round(n * ratio)))
