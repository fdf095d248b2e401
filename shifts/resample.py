"""A recorder of another sampling rate."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts.base import Array, Family, Shift, ShiftError, register
from pytest_robustseiz.shifts.figures import changed_share
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.rows import copied
from pytest_robustseiz.shifts.spectral import filter_in_place

STOPBAND_DB = 80.0


@register
@dataclass(frozen=True, kw_only=True)
class Resample(Shift):
    """To another sampling rate and back, with the number of samples kept.

    Between two perfect interpolators the way there and back is a low-pass filter of zero phase below half the
    intermediate rate, and is computed as that one filter: a Kaiser-windowed sinc with 80 dB of attenuation from
    half the intermediate rate on (Oppenheim and Schafer, Discrete-Time Signal Processing, sections 4.6 and 7.5).
    Resamplers differ by tens of dB just below that frequency; the transition says which one this is.

    Parameters
    ----------
    rate_hz : float
        Intermediate rate in Hz, at least 1 and below that of the recording.
    transition_ratio : float
        Width of the transition over half the intermediate rate, 0.01 to 0.5: frequencies below
        (1 - transition_ratio) * rate_hz / 2 pass.
    """

    name: ClassVar[str] = "resample"
    family: ClassVar[Family] = "environment"
    rate_hz: float
    transition_ratio: float = 0.1

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(self.rate_hz >= 1, "rate_hz", "1 Hz or more", self.rate_hz)
        require(0.01 <= self.transition_ratio <= 0.5, "transition_ratio", "0.01 to 0.5", self.transition_ratio)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Remove what the intermediate rate cannot carry."""
        if self.rate_hz >= sfreq:
            raise ShiftError(f"rate_hz: {self.rate_hz:g} Hz is not below the recording's {sfreq:g} Hz; lower it")
        kernel = lowpass_kernel(self.rate_hz / 2, self.transition_ratio * self.rate_hz / 2, sfreq)
        reach = kernel.shape[0] // 2

        def response(n_fft: int) -> npt.NDArray[np.float64]:
            centred = np.zeros(n_fft)
            centred[: reach + 1] = kernel[reach:]
            centred[n_fft - reach :] = kernel[:reach]
            return np.fft.rfft(centred).real

        shifted = copied(eeg)
        filter_in_place(shifted, response, reach)
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Ends of the pass band and begin of the stop band in Hz, and power of the change over that of the channel."""
        nyquist = self.rate_hz / 2
        band = {"passband_hz": nyquist * (1 - self.transition_ratio), "stopband_hz": nyquist}
        return band | changed_share(eeg, shifted)


def lowpass_kernel(stop_hz: float, width_hz: float, sfreq: float) -> npt.NDArray[np.float64]:
    """Impulse response of a Kaiser-windowed low-pass filter, symmetric, of sum 1.

    Parameters
    ----------
    stop_hz : float
        Where the stop band begins, in Hz.
    width_hz : float
        Width in Hz of the transition below it.
    sfreq : float
        Sampling rate in Hz.
    """
    # Kaiser's formulas for length and shape; Oppenheim and Schafer, equations 7.75 and 7.76.
    half = math.ceil((STOPBAND_DB - 8) / (2.285 * 2 * np.pi * width_hz / sfreq) / 2)
    cutoff = 2 * (stop_hz - width_hz / 2) / sfreq
    window = np.kaiser(2 * half + 1, 0.1102 * (STOPBAND_DB - 8.7))
    kernel: npt.NDArray[np.float64] = np.sinc(cutoff * np.arange(-half, half + 1)) * window
    kernel /= kernel.sum()
    return kernel
