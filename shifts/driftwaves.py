"""The forms of a slow drift."""

import math

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts.bandnoise import band_noise, stretch_length
from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.rows import moved
from pytest_robustseiz.shifts.sines import sine


def drift_wave(mode: str, like: Array, sfreq: float, low_hz: float, high_hz: float, rng: np.random.Generator) -> Array:
    """One channel's drift, of amplitude 1 for a sine and of RMS 1 for the other modes.

    The RMS is that of at least ten periods of the bandwidth; a shorter recording gets a piece of such a stretch.

    Parameters
    ----------
    mode : str
        "sin" and "sin_band" (a frequency drawn from the band), "random_walk" or "piecewise".
    like : array, shape (n_samples,)
        Gives length, kind, dtype and device.
    sfreq : float
        Sampling rate in Hz.
    low_hz, high_hz : float
        Edges of the band in Hz; one frequency twice for "sin".
    rng : numpy.random.Generator
        Where to draw from.

    Returns
    -------
    array, shape (n_samples,)
        The drift.
    """
    n_samples = like.shape[0]
    if mode == "random_walk":
        return band_noise(like, sfreq, low_hz, high_hz, rng, slope=1.0)
    if mode == "piecewise":
        n_drawn = stretch_length(n_samples, sfreq, low_hz, high_hz)
        return moved(zigzag(n_drawn, sfreq, low_hz, high_hz, rng)[:n_samples], like)
    one_period_hz = sfreq / n_samples
    freq_hz = rng.uniform(min(max(low_hz, one_period_hz), high_hz), high_hz)
    return sine(like, sfreq, freq_hz, rng.uniform(0, 2 * math.pi))


def zigzag(
    n_samples: int, sfreq: float, low_hz: float, high_hz: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Straight lines between turning points, of RMS 1 and mean 0.

    Turning points are above and below zero by turns, 0.5 to 1 away from it before scaling. Each line lasts half a
    period of a frequency drawn from the band; the first is cut at a random place.
    """
    n_lines = 2 + math.ceil(2 * high_hz * n_samples / sfreq)
    lengths_s = 0.5 / rng.uniform(low_hz, high_hz, n_lines)
    turns_s = np.concatenate([[0.0], np.cumsum(lengths_s)]) - rng.uniform(0, lengths_s[0])
    heights = rng.choice((-1.0, 1.0)) * (-1.0) ** np.arange(n_lines + 1) * rng.uniform(0.5, 1.0, n_lines + 1)
    wave = straight_lines(turns_s * sfreq, heights, n_samples)
    wave -= wave.mean()
    wave /= math.sqrt(float(wave @ wave) / n_samples)
    return wave


def straight_lines(
    turns: npt.NDArray[np.float64], heights: npt.NDArray[np.float64], n_samples: int
) -> npt.NDArray[np.float64]:
    """Connect points by straight lines: numpy.interp at 0 to n_samples - 1, several times as fast.

    Parameters
    ----------
    turns : ndarray of float64, shape (n_points,)
        Where the points are, in samples, increasing, from 0 or before to n_samples - 1 or beyond.
    heights : ndarray of float64, shape (n_points,)
        Values there.
    n_samples : int
        Length of the result.
    """
    ends = np.clip(np.ceil(turns), 0, n_samples).astype(np.int64)
    ends[-1] = n_samples  # the last point belongs to the last line
    slopes = np.diff(heights) / np.diff(turns)
    counts = np.diff(ends)
    wave = np.arange(n_samples, dtype=np.float64)
    wave *= np.repeat(slopes, counts)
    wave += np.repeat(heights[:-1] - slopes * turns[:-1], counts)
    return wave
