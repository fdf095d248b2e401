"""A coarser or narrower analog-to-digital converter."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.rows import copied, moved


@register
@dataclass(frozen=True, kw_only=True)
class ADC(Shift):
    """Uniform quantiser with two's-complement codes, clipping at the ends of its range.

    The step is 2 V_FS / 2^bits. Zero is a level, so a dropped electrode stays at zero; the levels go from -V_FS to one
    step below V_FS, as those of a real converter do.

    Parameters
    ----------
    bits : int
        Bits of the converter, 2 to 24.
    full_scale_uv : float or None
        V_FS in microvolts; None takes the largest absolute value in the recording.
    """

    name: ClassVar[str] = "adc"
    family: ClassVar[Family] = "environment"
    bits: int
    full_scale_uv: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(2 <= self.bits <= 24, "bits", "2 to 24", self.bits)
        ok = self.full_scale_uv is None or self.full_scale_uv > 0
        require(ok, "full_scale_uv", "microvolts above 0, or none for the recording's peak", self.full_scale_uv)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Round each sample to its level."""
        xp = array_api_compat.array_namespace(eeg)
        shifted = copied(eeg)
        top = self.top_uv(eeg)
        step = top / 2 ** (self.bits - 1)
        if step == 0:  # an all-zero recording without a given range
            return shifted
        # By an array: for a number, torch on a GPU multiplies by its rounded inverse, and samples end on other levels.
        divisor = moved(np.asarray(step), eeg)
        for i in range(eeg.shape[0]):
            codes = xp.clip(shifted[i, :], -top, top - step)
            codes /= divisor
            codes = xp.round(codes)
            codes *= step
            shifted[i, :] = codes
        return shifted

    def top_uv(self, eeg: Array) -> float:
        """Upper end of the range in microvolts, for this recording."""
        if self.full_scale_uv is not None:
            return self.full_scale_uv
        xp = array_api_compat.array_namespace(eeg)
        return max(float(xp.max(eeg)), -float(xp.min(eeg)))

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Step in microvolts, samples beyond the range, and the bits that the codes of a channel span (mean)."""
        xp = array_api_compat.array_namespace(eeg)
        top = self.top_uv(eeg)
        step = top / 2 ** (self.bits - 1)
        if step == 0:
            return {}
        # The positive end lies half a step below V_FS: above, the nearest level does not exist.
        clipped = xp.sum(xp.astype((eeg > top - step / 2) | (eeg < -top - step / 2), xp.int64))
        spans = (float(xp.max(shifted[i, :]) - xp.min(shifted[i, :])) / step for i in range(eeg.shape[0]))
        bits = fmean(math.log2(1 + round(span)) for span in spans)
        return {"step_uv": step, "clipped_samples": float(clipped), "effective_bits": bits}
