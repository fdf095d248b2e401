"""Noise of a bad electrode contact."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pytest_robustseiz.shifts.bandnoise import band_noise, require_band
from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.channels import require_electrodes
from pytest_robustseiz.shifts.figures import changes, noise_figures
from pytest_robustseiz.shifts.levels import level_uv, require_level
from pytest_robustseiz.shifts.power import rms
from pytest_robustseiz.shifts.rows import copied, rows_of
from pytest_robustseiz.shifts.spectral import band_share, require_below_nyquist


@register
@dataclass(frozen=True, kw_only=True)
class Impedance(Shift):
    """Gaussian noise with a flat spectrum inside a band and none outside, different for each channel.

    The noise has no mean, also when the band begins at 0 Hz. Mean and RMS are those of at least ten periods of the
    bandwidth: a shorter recording gets a piece of such a stretch, whose own RMS is another, and which has a mean: in a
    band of 0.45 Hz, one of less than 22 s. With rms_ratio a flat channel stays flat.

    Parameters
    ----------
    low_hz, high_hz : float
        Edges of the band in Hz, 0 <= low_hz, at least 0.01 Hz apart, high_hz below Nyquist.
    rms_uv, rms_ratio : float or None
        RMS of the noise in microvolts, or over the RMS of the channel; exactly one of the two, 0 or more.
    electrodes : tuple of str or None
        Bad electrodes (in a bipolar montage every pair that uses one); None for all channels.
    """

    name: ClassVar[str] = "impedance"
    family: ClassVar[Family] = "environment"
    low_hz: float
    high_hz: float
    rms_uv: float | None = None
    rms_ratio: float | None = None
    electrodes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require_band(self.low_hz, self.high_hz)
        require_level("rms", self.rms_uv, self.rms_ratio)
        if self.electrodes is not None:
            require_electrodes(self.electrodes)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Add noise channel by channel."""
        require_below_nyquist("high_hz", self.high_hz, sfreq)
        shifted = copied(eeg)
        rows = range(eeg.shape[0]) if self.electrodes is None else rows_of(self.electrodes, eeg, channels)
        for i in rows:
            noise = band_noise(eeg[i, :], sfreq, self.low_hz, self.high_hz, rng)
            noise *= level_uv(eeg[i, :], self.rms_uv, self.rms_ratio)
            shifted[i, :] += noise
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """RMS of the noise, and the least share of its power inside the band in any channel."""
        levels, shares = [], []
        for channel, change in changes(eeg, shifted):
            levels.append((rms(channel), rms(change)))
            shares.append(band_share(change, sfreq, self.low_hz, self.high_hz))
        return noise_figures(levels) | ({"in_band_share": min(shares)} if shares else {})
