"""Slow drift of the baseline: sweat, breathing, movement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from pytest_robustseiz.shifts.bandnoise import require_band
from pytest_robustseiz.shifts.base import Array, Family, Shift, ShiftError, register
from pytest_robustseiz.shifts.bursts import RAMP_S, burst_envelope
from pytest_robustseiz.shifts.driftwaves import drift_wave
from pytest_robustseiz.shifts.figures import added_noise
from pytest_robustseiz.shifts.levels import level_uv, require_level
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import live_rows
from pytest_robustseiz.shifts.rows import copied, moved
from pytest_robustseiz.shifts.spectral import require_below_nyquist


@register
@dataclass(frozen=True, kw_only=True)
class Drift(Shift):
    """A slow wave added to the channels, drawn for each on its own.

    Modes: `sin`, a sine of the frequency freq_hz and random phase; `sin_band`, a sine whose frequency is drawn from the
    band and makes at least one period in the recording (a mere offset is no drift); `random_walk`, a random walk
    limited to the band, so that its spectrum falls as 1 / f inside and is zero outside, without mean; `piecewise`,
    straight lines between turning points of random height, each half a period of a frequency drawn from the band.

    RMS and mean of the last two are those of at least ten periods of the bandwidth. A shorter recording gets a piece of
    such a stretch, whose own RMS is another, and which has a mean: in a band of 0.45 Hz, one of less than 22 s.

    A random walk from 0 Hz is the slower the longer the recording: it begins at the lowest frequency that fits, where
    most of its power is, as in a real random walk. With a band of 0 to 1 Hz about 16 % of the power is above 0.05 Hz in
    60 s, but 0.3 % in an hour, which is close to a slow offset.

    Parameters
    ----------
    mode : str
        One of the four.
    freq_hz : float or None
        Frequency of `sin` in Hz, above 0 and below Nyquist.
    low_hz, high_hz : float or None
        Edges of the band of the other modes in Hz, 0 <= low_hz, at least 0.01 Hz apart, high_hz below Nyquist.
    amplitude_uv, amplitude_ratio : float or None
        Amplitude of a sine, or RMS of a random walk or of straight lines; in microvolts, or over the RMS of the
        channel; exactly one of the two, 0 or more. With a ratio, a flat channel stays flat.
    n_channels : int or None
        How many channels drift, drawn at random among those that carry signal, or all of these where there are fewer
        (the figure `noisy_channels` says how many); at most as many as the recording has. None for all channels, the
        flat ones included.
    burst_s : float or None
        Makes the drift intermittent: bursts and pauses of this mean length in seconds, at the same times in all
        channels, at least 1. None for a drift without pauses.
    """

    name: ClassVar[str] = "drift"
    family: ClassVar[Family] = "environment"
    mode: Literal["sin", "sin_band", "random_walk", "piecewise"]
    freq_hz: float | None = None
    low_hz: float | None = None
    high_hz: float | None = None
    amplitude_uv: float | None = None
    amplitude_ratio: float | None = None
    n_channels: int | None = None
    burst_s: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        self._require_frequencies()
        require_level("amplitude", self.amplitude_uv, self.amplitude_ratio)
        require(self.n_channels is None or self.n_channels >= 0, "n_channels", "0 or more, or none", self.n_channels)
        ok = self.burst_s is None or self.burst_s >= 2 * RAMP_S
        require(ok, "burst_s", f"{2 * RAMP_S:g} s or more, or none", self.burst_s)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Add a drift to each channel that was drawn."""
        low_hz, high_hz = self._band()
        require_below_nyquist("freq_hz, high_hz", high_hz, sfreq)
        shifted = copied(eeg)
        rows = self._rows(eeg, rng)
        envelope = None
        if self.burst_s is not None:
            envelope = moved(burst_envelope(eeg.shape[1], sfreq, self.burst_s, rng), eeg)
        for i in rows:
            wave = drift_wave(self.mode, eeg[i, :], sfreq, low_hz, high_hz, rng)
            wave *= level_uv(eeg[i, :], self.amplitude_uv, self.amplitude_ratio)
            if envelope is not None:
                wave *= envelope
            shifted[i, :] += wave
        return shifted

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Number of channels that drift, and RMS of the drift."""
        return added_noise(eeg, shifted)

    def _require_frequencies(self) -> None:
        given = (self.freq_hz, self.low_hz, self.high_hz)
        if self.mode == "sin":
            ok = self.freq_hz is not None and self.freq_hz > 0 and given[1:] == (None, None)
            require(ok, "freq_hz, low_hz, high_hz", "with mode 'sin' a freq_hz above 0 and no band", given)
            return
        ok = self.freq_hz is None and self.low_hz is not None and self.high_hz is not None
        require(ok, "freq_hz, low_hz, high_hz", f"with mode {self.mode!r} a band and no freq_hz", given)
        require_band(*self._band())
        if self.mode == "piecewise":
            require(self._band()[0] > 0, "low_hz", "above 0 with mode 'piecewise', whose lines end", self.low_hz)

    def _band(self) -> tuple[float, float]:
        if self.freq_hz is not None:
            return self.freq_hz, self.freq_hz
        return self.low_hz or 0.0, self.high_hz or 0.0

    def _rows(self, eeg: Array, rng: np.random.Generator) -> list[int]:
        n_rows = eeg.shape[0]
        if self.n_channels is None:
            return list(range(n_rows))
        if self.n_channels > n_rows:
            raise ShiftError(f"n_channels: {self.n_channels} of {n_rows} channels cannot drift; lower it")
        live = live_rows(eeg)
        return sorted(int(i) for i in rng.choice(live, min(self.n_channels, len(live)), replace=False))
