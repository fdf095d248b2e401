"""Electrodes that came loose, whichever they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, ShiftError, register
from pytest_robustseiz.shifts.figures import silenced_channels
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import live_rows
from pytest_robustseiz.shifts.rows import zeroed


@register
@dataclass(frozen=True, kw_only=True)
class DropRandom(Shift):
    """Zero channels drawn at random, for the whole recording.

    They are drawn among those that carry signal: to drop a flat channel, such as a missing electrode, would change
    nothing. Where fewer than n_channels carry signal, all of them are dropped; the figure `dropped_channels` says how
    many there were.

    Parameters
    ----------
    n_channels : int
        How many different channels, 0 or more and at most as many as the recording has, flat ones included.
    """

    name: ClassVar[str] = "drop_random"
    family: ClassVar[Family] = "environment"
    n_channels: int

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(self.n_channels >= 0, "n_channels", "0 or more", self.n_channels)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Draw the rows and zero them."""
        if self.n_channels > eeg.shape[0]:
            raise ShiftError(f"n_channels: {self.n_channels} of {eeg.shape[0]} channels cannot be dropped")
        live = live_rows(eeg)
        return zeroed(eeg, [int(i) for i in rng.choice(live, min(self.n_channels, len(live)), replace=False)])

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Number of channels that are zero now and were not before."""
        return {"dropped_channels": float(silenced_channels(eeg, shifted))}
