"""Additive white Gaussian noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.figures import measured_snr
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import rms
from pytest_robustseiz.shifts.rows import copied, moved


@register
@dataclass(frozen=True, kw_only=True)
class AWGN(Shift):
    """White Gaussian noise of power P / 10^(SNR/10), P being the power of each channel.

    Power is that of the channel less its mean, and the noise that was drawn is scaled to have its power exactly, so
    that the ratio holds in short recordings too. A flat channel has no power and stays flat.

    Parameters
    ----------
    snr_db : float
        Signal-to-noise ratio in dB, -200 to 200.
    """

    name: ClassVar[str] = "awgn"
    family: ClassVar[Family] = "noise"
    snr_db: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(-200 <= self.snr_db <= 200, "snr_db", "-200 to 200 dB", self.snr_db)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Add noise channel by channel, so that one channel of noise is held at a time."""
        xp = array_api_compat.array_namespace(eeg)
        draw_type = "float32" if eeg.dtype == xp.float32 else "float64"
        shifted = copied(eeg)
        for i in range(eeg.shape[0]):
            noise = np.asarray(rng.standard_normal(eeg.shape[1], dtype=np.dtype(draw_type)))
            noise *= rms(eeg[i, :]) / rms(noise) * 10 ** (-self.snr_db / 20)
            shifted[i, :] += moved(noise, eeg)
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Measured SNR in dB."""
        return measured_snr(eeg, shifted)
