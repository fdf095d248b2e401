"""Electrodes that came loose, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, ShiftError, register
from pytest_robustseiz.shifts.channels import channels_using


@register
@dataclass(frozen=True, kw_only=True)
class DropNamed(Shift):
    """Zero the named electrodes; in a bipolar montage every pair that uses one.

    Parameters
    ----------
    electrodes : tuple of str
        Names of the 10-20 system; T7, T8, P7 and P8 find T3, T4, T5 and T6.
    """

    name: ClassVar[str] = "drop_named"
    family: ClassVar[Family] = "environment"
    electrodes: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the parameters."""
        if isinstance(self.electrodes, str) or len(set(self.electrodes)) != len(self.electrodes):
            raise ValueError(f"electrodes: expected a tuple of different names, got {self.electrodes!r}")
        object.__setattr__(self, "electrodes", tuple(self.electrodes))

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Zero the rows."""
        if len(channels) != eeg.shape[0]:
            raise ShiftError(f"channels: expected {eeg.shape[0]} names, one per row, got {len(channels)}")
        shifted = array_api_compat.array_namespace(eeg).asarray(eeg, copy=True)
        for i in channels_using(self.electrodes, channels):
            shifted[i, :] = 0.0
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Number of channels that are zero now and were not before."""
        xp = array_api_compat.array_namespace(eeg)
        silenced = xp.any(eeg != 0, axis=1) & ~xp.any(shifted != 0, axis=1)
        return {"dropped_channels": float(xp.sum(xp.astype(silenced, xp.int32)))}
