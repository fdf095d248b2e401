"""Hum of the power line."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register
from pytest_robustseiz.shifts.figures import line_amplitudes
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import rms
from pytest_robustseiz.shifts.rows import copied
from pytest_robustseiz.shifts.sines import sine
from pytest_robustseiz.shifts.spectral import require_below_nyquist


@register
@dataclass(frozen=True, kw_only=True)
class Mains(Shift):
    """A sine of the mains frequency, in phase on all channels, in proportion to the RMS of each.

    One field couples into all electrodes, hence one phase, drawn per recording. A flat channel stays flat.

    Parameters
    ----------
    amplitude_ratio : float
        Amplitude of the sine (not its RMS) over the RMS of the channel, 0 or more.
    freq_hz : float
        Mains frequency in Hz, below Nyquist.
    harmonic_ratios : tuple of float
        Amplitudes of the second, third, ... harmonic over that of the first, each 0 or more; their phases are drawn.
    """

    name: ClassVar[str] = "mains"
    family: ClassVar[Family] = "noise"
    freq_hz: float = 60.0
    amplitude_ratio: float
    harmonic_ratios: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(self.freq_hz > 0, "freq_hz", "a frequency above 0", self.freq_hz)
        require(self.amplitude_ratio >= 0, "amplitude_ratio", "0 or more", self.amplitude_ratio)
        ok = all(ratio >= 0 for ratio in self.harmonic_ratios)
        require(ok, "harmonic_ratios", "0 or more each", self.harmonic_ratios)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Add one wave to all channels, scaled for each."""
        ratios = (1.0, *self.harmonic_ratios)
        require_below_nyquist("freq_hz, harmonic_ratios", len(ratios) * self.freq_hz, sfreq)
        shifted = copied(eeg)
        wave = array_api_compat.array_namespace(eeg).zeros_like(eeg[0, :])
        for k, ratio in enumerate(ratios, start=1):
            wave += ratio * sine(eeg[0, :], sfreq, k * self.freq_hz, rng.uniform(0, 2 * math.pi))
        for i in range(eeg.shape[0]):
            shifted[i, :] += self.amplitude_ratio * rms(eeg[i, :]) * wave
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Amplitude of the line that was added, in microvolts and over the channel's RMS, mean over live channels."""
        signals = [rms(eeg[i, :]) for i in range(eeg.shape[0])]
        lines = line_amplitudes(shifted, sfreq, self.freq_hz, before=eeg)
        found = [(signal, line) for signal, line in zip(signals, lines, strict=True) if signal > 0]
        if not found:
            return {}
        return {
            "line_amplitude_uv": fmean(line for _, line in found),
            "line_amplitude_ratio": fmean(line / signal for signal, line in found),
        }
