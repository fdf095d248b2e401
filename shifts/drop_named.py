"""Electrodes that came loose, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.channels import require_electrodes
from pytest_robustseiz.shifts.figures import silenced_channels
from pytest_robustseiz.shifts.rows import rows_of, zeroed


@register
@dataclass(frozen=True, kw_only=True)
class DropNamed(Shift):
    """Zero the named electrodes; in a bipolar montage every pair that uses one.

    Parameters
    ----------
    electrodes : tuple of str
        Names of the 10-20 system; T7, T8, P7 and P8 find T3, T4, T5 and T6. An empty tuple drops nothing.
    """

    name: ClassVar[str] = "drop_named"
    family: ClassVar[Family] = "environment"
    electrodes: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require_electrodes(self.electrodes)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Zero the rows."""
        return zeroed(eeg, rows_of(self.electrodes, eeg, channels))

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Number of channels that are zero now and were not before."""
        return {"dropped_channels": float(silenced_channels(eeg, shifted))}
