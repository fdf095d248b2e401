"""Spikes of a single sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.figures import changes
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import rms
from pytest_robustseiz.shifts.rows import copied, moved


@register
@dataclass(frozen=True, kw_only=True)
class Impulse(Shift):
    """Spikes of random sign, one sample wide, added at random places of each channel.

    Each sample of each channel is hit with the same probability, independently. A flat channel stays flat.

    Parameters
    ----------
    share : float
        Probability that a sample is hit, 0 to 1.
    height_ratio : float
        Height of a spike over the RMS of the channel, 0 or more.
    """

    name: ClassVar[str] = "impulse"
    family: ClassVar[Family] = "noise"
    share: float
    height_ratio: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(0 <= self.share <= 1, "share", "0 to 1", self.share)
        require(self.height_ratio >= 0, "height_ratio", "0 or more", self.height_ratio)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Draw how many samples of a channel are hit, then which, then the signs."""
        shifted = copied(eeg)
        n_samples = eeg.shape[1]
        for i in range(eeg.shape[0]):
            hits = rng.choice(n_samples, rng.binomial(n_samples, self.share), replace=False, shuffle=False)
            spikes = np.zeros(n_samples)
            spikes[hits] = self.height_ratio * rms(eeg[i, :]) * rng.choice((-1.0, 1.0), hits.shape[0])
            shifted[i, :] += moved(spikes, eeg)
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Share of samples that were hit, over all channels."""
        xp = array_api_compat.array_namespace(eeg)
        hit = sum(int(xp.count_nonzero(change)) for _, change in changes(eeg, shifted))
        return {"hit_share": hit / (eeg.shape[0] * eeg.shape[1])}
