"""Filtering by multiplication in the frequency domain, for every array library alike."""

import math
from collections.abc import Callable
from typing import Any

import array_api_compat
import numpy as np
import numpy.typing as npt
import scipy.fft

from pytest_robustseiz.shifts.base import ShiftError
from pytest_robustseiz.shifts.interpolate import coarse_factor, thinned_out
from pytest_robustseiz.shifts.power import centred, dot
from pytest_robustseiz.shifts.rows import moved, row_groups

Array = Any
Response = Callable[[int], npt.NDArray[Any]]
BLOCK = 2**14  # samples, at least; a few rows of this length stay in a processor's cache, which halves the time
FEWEST_COARSE = 1024  # samples of a thinned-out signal, whose ends are not those of the signal


def filter_in_place(eeg: Array, response: Response, reach: int) -> None:
    """Filter each channel, block by block (overlap-save), and write the result over it.

    Each end is extended by its point reflection, as `scipy.signal.filtfilt` does, for as long as the filter rings;
    a recording shorter than that holds its last value beyond the reflection.

    Parameters
    ----------
    eeg : array, shape (n_channels, n_samples)
        Any unit; a copy, to write to.
    response : callable
        Takes a length in samples and gives the response at the frequencies of `numpy.fft.rfftfreq` of that length.
        It is real for a filter of zero phase.
    reach : int
        Samples after which (and, for zero phase, before which) the impulse response is over.
    """
    xp = array_api_compat.array_namespace(eeg)
    fft = transforms(eeg)
    n_samples = eeg.shape[1]
    n_fft = _block_length(n_samples, reach)
    hop = n_fft - 2 * reach
    values = response(n_fft)
    weights = moved(values.astype(np.complex128), eeg)
    for rows in row_groups(eeg.shape[0]):
        offset = xp.mean(eeg[rows, :], axis=1, keepdims=True)  # apart, so that millivolts do not coarsen the rest
        extended = _extended(eeg[rows, :] - offset, reach, n_fft - reach - 1)
        for start in range(0, n_samples, hop):
            stop = min(start + hop, n_samples)
            spectrum = fft.rfft(extended[:, start : start + n_fft])
            spectrum *= weights
            eeg[rows, start:stop] = fft.irfft(spectrum, n=n_fft)[:, reach : reach + stop - start]
        if values[0] != 0:
            eeg[rows, :] += offset * float(values[0].real)


def require_below_nyquist(field: str, freq_hz: float, sfreq: float) -> None:
    """Raise `ShiftError` naming the parameter, unless the frequency is below half the sampling rate."""
    if freq_hz >= sfreq / 2:
        raise ShiftError(
            f"{field}: {freq_hz:g} Hz is not below the Nyquist frequency of {sfreq / 2:g} Hz "
            f"(half of {sfreq:g} Hz); choose a lower frequency"
        )


def transforms(like: Array) -> Any:
    """Fourier transforms for this kind of array: scipy's for numpy, since they do several rows at once."""
    xp = array_api_compat.array_namespace(like)
    return scipy.fft if array_api_compat.is_numpy_namespace(xp) else xp.fft


def _block_length(n_samples: int, reach: int) -> int:
    whole = n_samples + 2 * reach
    block = max(BLOCK, 1 << (16 * reach - 1).bit_length())  # at most an eighth of the work is overlap
    return int(scipy.fft.next_fast_len(min(whole, block), real=True))


def _extended(rows: Array, left: int, right: int) -> Array:
    xp = array_api_compat.array_namespace(rows)
    n_rows, n_samples = rows.shape
    known = n_samples - 1
    first, last = rows[:, :1], rows[:, -1:]
    head = 2 * first - xp.flip(rows[:, 1 : min(left, known) + 1], axis=1)
    tail = 2 * last - xp.flip(rows[:, known - min(right, known) : known], axis=1)
    before = xp.broadcast_to(2 * first - last, (n_rows, left - min(left, known)))
    after = xp.broadcast_to(2 * last - first, (n_rows, right - min(right, known)))
    return xp.concat([before, head, rows, tail, after], axis=1)


def band_share(channel: Array, sfreq: float, low_hz: float, high_hz: float) -> float:
    """Share of a channel's power, less its mean, that lies in a band; 0 for a flat channel.

    Parameters
    ----------
    channel : array, shape (n_samples,)
        Any unit.
    sfreq : float
        Sampling rate in Hz.
    low_hz, high_hz : float
        Edges in Hz; each belongs to the band, with the width of one line of the spectrum.
    """
    xp = array_api_compat.array_namespace(channel)
    # A low band has the same lines in the thinned-out signal, at a small part of the cost.
    factor = coarse_factor(sfreq, high_hz)
    while factor > 1 and channel.shape[0] < FEWEST_COARSE * factor:
        factor //= 2
    n_coarse = channel.shape[0] // factor
    signal = centred(channel)[: n_coarse * factor]  # less than one coarse sample is left out
    energy = dot(signal, signal)
    if energy == 0:
        return 0.0
    coarse = thinned_out(signal, factor) if factor > 1 else signal
    n_fft = int(scipy.fft.next_fast_len(n_coarse, real=True))
    lines = xp.abs(transforms(channel).rfft(coarse, n=n_fft)) ** 2
    lines[1 : (n_fft + 1) // 2] *= 2  # each stands for two, but for the mean and for half the sampling rate
    line_hz = sfreq / factor / n_fft
    band = lines[math.floor(low_hz / line_hz) : math.ceil(high_hz / line_hz) + 1]
    return float(xp.sum(band)) * factor / n_fft / energy
