"""Elementary waves: a signal as the straight lines between its extremes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import butter, sosfiltfilt

LOWPASS_HZ = 60
FILTER_ORDER = 4
FILTER_PADDING = 3 * (FILTER_ORDER + 1)  # samples; scipy's default for this order

RIPPLE = 1 / 8  # of what the channel usually spans in a second: a smaller turn is no half wave

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HalfWaves:
    """A signal as the straight lines between its extremes.

    Attributes
    ----------
    turns : ndarray of int64, shape (n_half_waves + 1,)
        Samples at which maxima and minima lie, alternating; the first sample of a flat one.
    heights : ndarray of float64, shape (n_half_waves + 1,)
        The signal there.
    """

    turns: npt.NDArray[np.int64]
    heights: Floats

    @property
    def amplitudes(self) -> Floats:
        """Difference between the extremes of each half wave."""
        return np.abs(np.diff(self.heights))

    @property
    def durations(self) -> npt.NDArray[np.int64]:
        """Samples between the extremes of each half wave."""
        return np.diff(self.turns)


def lowpass(signal: npt.NDArray[np.floating], sfreq: float) -> Floats:
    """Remove what is above 60 Hz, without delay.

    Parameters
    ----------
    signal : ndarray of float, shape (n_samples,)
        At least one sample.
    sfreq : float
        Sampling rate, above 120 Hz.

    Returns
    -------
    ndarray of float64, shape (n_samples,)
    """
    sections = butter(FILTER_ORDER, LOWPASS_HZ, fs=sfreq, output="sos")
    padding = min(FILTER_PADDING, len(signal) - 1)  # scipy refuses to mirror more than there is
    filtered: Floats = sosfiltfilt(sections, signal, padlen=padding)
    return filtered


def usual_span(signal: Floats, sfreq: float) -> float:
    """What a signal spans in a second, in half of all seconds.

    Parameters
    ----------
    signal : ndarray of float64, shape (n_samples,)
    sfreq : float
        Sampling rate in Hz.

    Returns
    -------
    float
        Median over the whole seconds of maximum less minimum, in the unit of the signal; 0 in less than a second.
    """
    length = round(sfreq)
    seconds = signal[: len(signal) // length * length].reshape(-1, length)
    return float(np.median(np.ptp(seconds, axis=1))) if len(seconds) else 0.0


def find_half_waves(signal: Floats, floor: float) -> HalfWaves:
    """Cut a signal at its extremes; what comes before the first and after the last is left out.

    Parameters
    ----------
    signal : ndarray of float64, shape (n_samples,)
    floor : float
        A half wave smaller than this rides on a larger one and is none.

    Returns
    -------
    HalfWaves
    """
    steps = np.diff(signal)
    moving = np.flatnonzero(steps)
    rising = steps[moving] > 0
    turns = moving[:-1][rising[1:] != rising[:-1]] + 1
    turns = turns[_lasting(signal[turns].tolist(), floor)]
    return HalfWaves(turns, signal[turns])


def _lasting(heights: list[float], floor: float) -> list[int]:
    # Which extremes the signal comes back from by at least the floor, before a higher maximum or a lower minimum. What
    # comes before the first and after the last is taken as large. A plain loop over the extremes: its time is in
    # proportion to their number whatever the signal, that of rounds of array operations can go with the square of it.
    if len(heights) < 2:
        return []
    first_is_maximum = maximum = heights[0] > heights[1]
    best, place, kept = heights[0], 0, []
    for i, height in enumerate(heights):
        if (height > best) if maximum else (height < best):
            best, place = height, i
        elif abs(best - height) >= floor:
            kept.append(place)
            best, place, maximum = height, i, not maximum
    last_is_maximum = first_is_maximum == (len(heights) % 2 == 1)
    return [*kept, place] if maximum == last_is_maximum else kept
