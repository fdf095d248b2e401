"""The pass band of another amplifier or another lab's preprocessing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts.base import Array, Family, Shift, ShiftError, register
from pytest_robustseiz.shifts.spectral import filter_zero_phase


@register
@dataclass(frozen=True, kw_only=True)
class Bandpass(Shift):
    """Butterworth band-pass, zero phase: the gain of one pass, squared.

    Zero phase means forward and backward, so the gain at both edges is -6 dB (one pass has -3 dB). The gain is
    applied in the frequency domain, where it has a closed form that is stable at any order and band.

    Parameters
    ----------
    low_hz, high_hz : float
        Edges of the pass band in Hz, 0 < low_hz < high_hz < Nyquist.
    order : int
        Order of the low-pass prototype, 1 to 10, as in `scipy.signal.butter`.
    """

    name: ClassVar[str] = "bandpass"
    family: ClassVar[Family] = "environment"
    low_hz: float
    high_hz: float
    order: int = 4

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not 0 < self.low_hz < self.high_hz < float("inf"):
            raise ValueError(f"low_hz, high_hz: expected 0 < low_hz < high_hz, got {self.low_hz} and {self.high_hz}")
        if not 1 <= self.order <= 10:
            raise ValueError(f"order: expected 1 to 10, got {self.order}")

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Filter each channel."""
        if self.high_hz >= sfreq / 2:
            raise ShiftError(
                f"high_hz: {self.high_hz:g} Hz is not below the Nyquist frequency of {sfreq / 2:g} Hz "
                f"(half of {sfreq:g} Hz); choose a lower edge"
            )

        def gain(freqs_hz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            return butterworth_gain(freqs_hz, self.low_hz, self.high_hz, self.order, sfreq) ** 2

        # The slowest pole of the low edge decays within a few periods of that edge.
        return filter_zero_phase(eeg, sfreq, gain, settle_s=5 * self.order / (4 * self.low_hz))


def butterworth_gain(
    freqs_hz: npt.NDArray[np.float64], low_hz: float, high_hz: float, order: int, sfreq: float
) -> npt.NDArray[np.float64]:
    """Gain of one pass of the digital Butterworth band-pass (bilinear transform, edges prewarped).

    Parameters
    ----------
    freqs_hz : ndarray of float64, shape (n_freqs,)
        From 0 to Nyquist.
    low_hz, high_hz : float
        Edges in Hz, where the gain is -3 dB.
    order : int
        Order of the prototype.
    sfreq : float
        Sampling rate in Hz.

    Returns
    -------
    ndarray of float64, shape (n_freqs,)
        Between 0 and 1. Source: Oppenheim and Schafer, Discrete-Time Signal Processing, section 7.2.
    """
    low, high = np.tan(np.pi * low_hz / sfreq), np.tan(np.pi * high_hz / sfreq)
    angle = np.pi * freqs_hz / sfreq
    sine, cosine = np.sin(angle), np.cos(angle)
    # |H|^2 = 1 / (1 + ((w^2 - low high) / (w (high - low)))^2n) with w = tan(angle), multiplied out so that neither
    # 0 Hz nor Nyquist divides by zero.
    passed = (sine * cosine * (high - low)) ** 2
    stopped = (sine**2 - low * high * cosine**2) ** 2
    ratio = passed / (passed + stopped)
    result: npt.NDArray[np.float64] = np.sqrt(ratio**order / (ratio**order + (1 - ratio) ** order))
    return result
