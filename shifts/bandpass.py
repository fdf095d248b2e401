"""The pass band of another amplifier or another lab's preprocessing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.butterworth import butterworth_reach, butterworth_response
from pytest_robustseiz.shifts.figures import changed_share
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.rows import copied
from pytest_robustseiz.shifts.spectral import filter_in_place, require_below_nyquist


@register
@dataclass(frozen=True, kw_only=True)
class Bandpass(Shift):
    """Butterworth band-pass; zero phase has the gain of one pass, squared.

    Zero phase means forward and backward, so the gain at both edges is -6 dB; a causal filter is one pass, with -3 dB.

    Parameters
    ----------
    low_hz, high_hz : float
        Edges of the pass band in Hz, from 0.001 to below Nyquist, at least 0.01 apart.
    order : int
        Order of the low-pass prototype, 1 to 10, as in `scipy.signal.butter`.
    causal : bool
        One pass with the phase of an amplifier, instead of zero phase.
    """

    name: ClassVar[str] = "bandpass"
    family: ClassVar[Family] = "environment"
    low_hz: float
    high_hz: float
    order: int = 4
    causal: bool = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        ok = self.low_hz >= 0.001 and self.high_hz >= self.low_hz + 0.01  # what rings for hours is no EEG filter
        require(ok, "low_hz, high_hz", "0.001 <= low_hz and low_hz + 0.01 <= high_hz", (self.low_hz, self.high_hz))
        require(1 <= self.order <= 10, "order", "1 to 10", self.order)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Filter each channel."""
        require_below_nyquist("high_hz", self.high_hz, sfreq)

        def response(n_fft: int) -> npt.NDArray[Any]:
            freqs_hz = np.fft.rfftfreq(n_fft, 1 / sfreq)
            once = butterworth_response(freqs_hz, self.low_hz, self.high_hz, self.order, sfreq)
            return once if self.causal else np.abs(once) ** 2

        shifted = copied(eeg)
        filter_in_place(shifted, response, butterworth_reach(self.low_hz, self.high_hz, self.order, sfreq))
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Power of the change over that of the channel."""
        return changed_share(eeg, shifted)
