"""A notch filter for the power line, at the right frequency or at a wrong one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.butterworth import RINGING
from pytest_robustseiz.shifts.figures import changed_share, line_amplitudes
from pytest_robustseiz.shifts.mains import Mains
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import live_rows
from pytest_robustseiz.shifts.rows import copied
from pytest_robustseiz.shifts.spectral import filter_in_place, require_below_nyquist


@register
@dataclass(frozen=True, kw_only=True)
class Notch(Shift):
    """Notches of zero phase, after adding a power line where one is given.

    Each notch is a second-order section run forward and backward. Quality is that of the whole: the gain is -3 dB
    over a width of frequency / quality.

    Parameters
    ----------
    freqs_hz : tuple of float
        Where the notches are, in Hz, below Nyquist; an empty tuple filters nothing.
    quality : float
        Frequency over the width of the notch, 1 to 1000.
    mains_hz, mains_ratio : float or None
        Frequency of the line in Hz, and amplitude of its sine over the RMS of the channel; both or neither.
    """

    name: ClassVar[str] = "notch"
    family: ClassVar[Family] = "noise"
    freqs_hz: tuple[float, ...]
    quality: float = 30.0
    mains_hz: float | None = None
    mains_ratio: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        ok = all(freq_hz > 0 for freq_hz in self.freqs_hz) and len(set(self.freqs_hz)) == len(self.freqs_hz)
        require(ok, "freqs_hz", "different frequencies above 0", self.freqs_hz)
        require(1 <= self.quality <= 1000, "quality", "1 to 1000", self.quality)
        line = (self.mains_hz, self.mains_ratio)
        ok = line == (None, None) or (None not in line and min(value or 0.0 for value in line) > 0)
        require(ok, "mains_hz, mains_ratio", "both above 0, or neither", line)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Add the line, then filter."""
        for freq_hz in self.freqs_hz:
            require_below_nyquist("freqs_hz", freq_hz, sfreq)
        if self.mains_hz is not None and self.mains_ratio is not None:
            require_below_nyquist("mains_hz", self.mains_hz, sfreq)
            line = Mains(freq_hz=self.mains_hz, amplitude_ratio=self.mains_ratio)
            shifted = line.perturb(eeg, sfreq, rng, channels)
        else:
            shifted = copied(eeg)
        if self.freqs_hz:
            reach = max(notch_reach(notch_hz, self.quality, sfreq) for notch_hz in self.freqs_hz)
            filter_in_place(shifted, lambda n_fft: self._response(n_fft, sfreq), reach)
        return shifted

    def _response(self, n_fft: int, sfreq: float) -> npt.NDArray[np.float64]:
        freqs_hz = np.fft.rfftfreq(n_fft, 1 / sfreq)
        gains = (notch_gain(freqs_hz, notch_hz, self.quality, sfreq) for notch_hz in self.freqs_hz)
        return math.prod(gains, start=np.ones(freqs_hz.shape))

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Power of the change over that of the channel; amplitudes in microvolts.

        The amplitudes are those at the first notch, before and after, and that of the line, after. All are means over
        the channels that carry signal before the shift; without any there are no figures.
        """
        live = live_rows(eeg)
        if not live:
            return {}
        found = changed_share(eeg, shifted)
        asked = [("notch_before_uv", eeg, freq_hz) for freq_hz in self.freqs_hz[:1]]
        asked += [("notch_after_uv", shifted, freq_hz) for freq_hz in self.freqs_hz[:1]]
        asked += [("line_after_uv", shifted, self.mains_hz)] if self.mains_hz is not None else []
        for figure, signals, freq_hz in asked:
            amplitudes = line_amplitudes(signals, sfreq, freq_hz)
            found[figure] = fmean(amplitudes[i] for i in live)
        return found


def notch_gain(
    freqs_hz: npt.NDArray[np.floating[Any]], notch_hz: float, quality: float, sfreq: float
) -> npt.NDArray[np.float64]:
    """Gain of both passes of a second-order notch (bilinear transform).

    Parameters
    ----------
    freqs_hz : ndarray of float64, shape (n_freqs,)
        From 0 to Nyquist.
    notch_hz : float
        Where the gain is 0.
    quality : float
        Frequency over width, of both passes together.
    sfreq : float
        Sampling rate in Hz.

    Returns
    -------
    ndarray of float64, shape (n_freqs,)
        Between 0 and 1. Source: Orfanidis, Introduction to Signal Processing, section 11.3.
    """
    angle, centre = 2 * np.pi * freqs_hz / sfreq, 2 * math.pi * notch_hz / sfreq
    passed = (np.cos(angle) - math.cos(centre)) ** 2
    stopped = (_half_width(notch_hz, quality, sfreq) * np.sin(angle)) ** 2
    gain: npt.NDArray[np.float64] = passed / (passed + stopped)
    return gain


def notch_reach(notch_hz: float, quality: float, sfreq: float) -> int:
    """Samples after which the impulse response is over."""
    half_width = _half_width(notch_hz, quality, sfreq)
    centre = math.cos(2 * math.pi * notch_hz / sfreq)
    poles = np.roots([1 + half_width, -2 * centre, 1 - half_width])
    return math.ceil(math.log(RINGING) / math.log(max(np.abs(poles).max(), 0.1)))


def _half_width(notch_hz: float, quality: float, sfreq: float) -> float:
    # Two passes are at -3 dB where one is at -1.5 dB; each must be narrower by this factor.
    narrower = math.sqrt(math.sqrt(2) - 1)
    return math.tan(math.pi * notch_hz / quality / sfreq) * narrower
