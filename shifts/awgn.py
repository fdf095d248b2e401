"""Additive white Gaussian noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.power import power


@register
@dataclass(frozen=True, kw_only=True)
class AWGN(Shift):
    """White Gaussian noise of power P / 10^(SNR/10), P being the power of each channel.

    Power is that of the channel less its mean. A flat channel has no power and stays flat.

    Parameters
    ----------
    snr_db : float
        Signal-to-noise ratio in dB, any finite number.
    """

    name: ClassVar[str] = "awgn"
    family: ClassVar[Family] = "noise"
    snr_db: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not math.isfinite(self.snr_db):
            raise ValueError(f"snr_db: expected a finite number of dB, got {self.snr_db}")

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Add noise channel by channel, so that one channel of noise is held at a time."""
        xp = array_api_compat.array_namespace(eeg)
        shifted = xp.asarray(eeg, copy=True)
        draw_type = np.float32 if eeg.dtype == xp.float32 else np.float64
        for i in range(eeg.shape[0]):
            noise = rng.standard_normal(eeg.shape[1], dtype=draw_type)
            noise *= math.sqrt(power(eeg[i, :])) * 10 ** (-self.snr_db / 20)
            shifted[i, :] += xp.asarray(noise, device=array_api_compat.device(eeg))
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Measured SNR in dB, mean over the channels that have signal and got noise."""
        ratios = []
        for i in range(eeg.shape[0]):
            signal, noise = power(eeg[i, :]), power(shifted[i, :] - eeg[i, :])
            if signal > 0 and noise > 0:
                ratios.append(10 * math.log10(signal / noise))
        return {"measured_snr_db": float(np.mean(ratios))} if ratios else {}
