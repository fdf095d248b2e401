"""What a shift did, measured from before and after."""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.power import centred, dot, power, rms
from pytest_robustseiz.shifts.sines import sine


def changes(eeg: Array, shifted: Array) -> Iterator[tuple[Array, Array]]:
    """Channel and its change, for each channel that changed; the next one's is written over it."""
    xp = array_api_compat.array_namespace(eeg)
    change = xp.empty_like(eeg[0, :])  # memory that is asked for again for each channel costs more than the sums
    for i in range(eeg.shape[0]):
        change[:] = shifted[i, :]
        change -= eeg[i, :]
        if bool(xp.any(change != 0)):
            yield eeg[i, :], change


def changed_share(eeg: Array, shifted: Array) -> dict[str, float]:
    """Power of the change over power of the channel, mean over the channels that have signal."""
    shares = []
    for i in range(eeg.shape[0]):
        before = power(eeg[i, :])
        if before > 0:
            shares.append(power(shifted[i, :] - eeg[i, :]) / before)
    return {"changed_power_share": fmean(shares)} if shares else {}


def added_noise(eeg: Array, shifted: Array) -> dict[str, float]:
    """Number of channels that got noise, its RMS in microvolts (mean over them) and over the channel's RMS."""
    return noise_figures([(rms(channel), rms(change)) for channel, change in changes(eeg, shifted)])


def noise_figures(levels: Sequence[tuple[float, float]]) -> dict[str, float]:
    """As `added_noise`, from the RMS of each such channel and that of its noise, in microvolts."""
    if not levels:
        return {"noisy_channels": 0.0}
    ratios = [noise / signal for signal, noise in levels if signal > 0]
    found = {"noisy_channels": float(len(levels)), "noise_rms_uv": fmean(noise for _, noise in levels)}
    return found | ({"noise_rms_ratio": fmean(ratios)} if ratios else {})


def measured_snr(eeg: Array, shifted: Array) -> dict[str, float]:
    """Measured signal-to-noise ratio in dB, mean over the channels that have signal and got noise."""
    ratios = []
    for channel, change in changes(eeg, shifted):
        signal, noise = power(channel), power(change)
        if signal > 0 and noise > 0:
            ratios.append(10 * math.log10(signal / noise))
    return {"measured_snr_db": fmean(ratios)} if ratios else {}


def silenced_channels(eeg: Array, shifted: Array) -> int:
    """Number of channels that are zero now and were not before."""
    xp = array_api_compat.array_namespace(eeg)
    return sum(bool(xp.any(eeg[i, :] != 0)) and not bool(xp.any(shifted[i, :] != 0)) for i in range(eeg.shape[0]))


def line_amplitudes(eeg: Array, sfreq: float, freq_hz: float, *, before: Array | None = None) -> list[float]:
    """Amplitude in each channel of the sine of this frequency that fits best (least squares), in microvolts.

    Where the recording before the shift is given, that of the sine in what changed since.
    """
    waves = [sine(eeg[0, :], sfreq, freq_hz, phase) for phase in (0.0, math.pi / 2)]
    products = np.array([[dot(a, b) for b in waves] for a in waves])
    amplitudes = []
    for i in range(eeg.shape[0]):
        channel = centred(eeg[i, :] if before is None else eeg[i, :] - before[i, :])
        fit = np.linalg.lstsq(products, np.array([dot(wave, channel) for wave in waves]), rcond=None)[0]
        amplitudes.append(float(np.hypot(*fit)))
    return amplitudes
