"""Common average reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, NotApplicable, Shift, register
from pytest_robustseiz.shifts.channels import is_bipolar
from pytest_robustseiz.shifts.figures import changes
from pytest_robustseiz.shifts.power import live_rows, rms
from pytest_robustseiz.shifts.rows import copied


@register
@dataclass(frozen=True, kw_only=True)
class CAR(Shift):
    """The recording less the mean over its channels.

    A flat channel (a missing or dropped electrode) measures nothing: it is no part of the mean and stays as it is.
    """

    name: ClassVar[str] = "car"
    family: ClassVar[Family] = "environment"

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Subtract the mean over the channels that have signal."""
        if is_bipolar(channels):
            raise NotApplicable("car: the pairs of a bipolar montage have no common reference to average")
        shifted = copied(eeg)
        live = live_rows(eeg)
        if not live:
            return shifted
        common = array_api_compat.array_namespace(eeg).zeros_like(eeg[0, :])
        for i in live:
            common += eeg[i, :]
        common /= len(live)
        for i in live:
            shifted[i, :] -= common
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Number of channels that were re-referenced, and RMS of what was subtracted in microvolts."""
        common = [rms(change) for _, change in changes(eeg, shifted)]
        return {"averaged_channels": float(len(common))} | ({"common_rms_uv": common[0]} if common else {})
