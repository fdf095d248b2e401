"""Gotman's detector as a detector for pytest-robustseiz.

The method is that of J. Gotman 1982, "Automatic recognition of epileptic seizures in the EEG", Electroencephalography
and Clinical Neurophysiology 54:530-540, doi 10.1016/0013-4694(82)90038-4: elementary waves, their amplitude relative to
the background, their duration and their rhythmicity. README.md says where each number comes from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import gotman_waves
import numpy as np
import numpy.typing as npt
import scipy
from gotman_waves import LOWPASS_HZ, RIPPLE, Floats, HalfWaves, find_half_waves, lowpass, usual_span
from numpy.lib.stride_tricks import sliding_window_view

from pytest_robustseiz.adapters import AgreementUnavailable, Montage, derive_pairs, fingerprint
from pytest_robustseiz.montage import DOUBLE_BANANA

EPOCH_S = 2  # an epoch starts every second
BACKGROUND_S = 16
GAP_S = 12  # between the end of the background and the start of its epoch

RELATIVE_AMPLITUDE = 3.0
SHORTEST_S, LONGEST_S = 0.025, 0.150  # half waves of 20 Hz and of 3.3 Hz
IRREGULARITY = 0.6


@dataclass(frozen=True, eq=False)
class Features:
    """What the rules look at, for each epoch of a channel; NaN where there is nothing to measure.

    Attributes
    ----------
    relative_amplitude : ndarray of float64, shape (n_epochs,)
        Mean amplitude of the epoch's half waves over that of its background's.
    duration_s : ndarray of float64, shape (n_epochs,)
        Mean duration of its half waves.
    irregularity : ndarray of float64, shape (n_epochs,)
        Standard deviation of the durations over their mean.
    """

    relative_amplitude: Floats
    duration_s: Floats
    irregularity: Floats


def measure(waves: HalfWaves, sfreq: float, n_seconds: int) -> Features:
    """Measure each epoch of a channel, from sums over seconds.

    A half wave belongs to the second in which its middle lies. Epoch i has the seconds i and i + 1, its background the
    seconds from i - 28 to i - 13.

    Parameters
    ----------
    waves : HalfWaves
    sfreq : float
        Sampling rate in Hz.
    n_seconds : int
        Whole seconds of the recording.

    Returns
    -------
    Features
        Of n_seconds - 1 epochs.
    """
    second = ((waves.turns[:-1] + waves.turns[1:]) / (2 * sfreq)).astype(np.int64)
    durations = waves.durations.astype(np.float64)  # whole numbers: their sums are exact

    def per_second(values: Floats | None) -> Floats:
        return np.bincount(second, values, minlength=n_seconds)[:n_seconds].astype(np.float64)

    count, amplitude = per_second(None), per_second(waves.amplitudes)
    n_waves = _sums(count, EPOCH_S)
    total, squares = _sums(per_second(durations), EPOCH_S), _sums(per_second(durations**2), EPOCH_S)
    spread = np.sqrt(np.maximum(n_waves * squares - total**2, 0))
    mean_amplitude = _ratio(_sums(amplitude, EPOCH_S), n_waves)
    return Features(
        _ratio(mean_amplitude, _background(count, amplitude)), _ratio(total, n_waves) / sfreq, _ratio(spread, total)
    )


def _background(count: Floats, amplitude: Floats) -> Floats:
    means = _ratio(_sums(amplitude, BACKGROUND_S), _sums(count, BACKGROUND_S))
    result = np.full(max(len(count) - EPOCH_S + 1, 0), np.nan)
    first = BACKGROUND_S + GAP_S
    result[first:] = means[: max(len(result) - first, 0)]
    return result


def _sums(values: Floats, length: int) -> Floats:
    if len(values) < length:
        return np.zeros(0)
    sums: Floats = sliding_window_view(values, length).sum(axis=1)
    return sums


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    quotient: Floats = np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)
    return quotient


def is_rhythmic(features: Features) -> npt.NDArray[np.bool_]:
    """Whether each epoch of a channel is a burst of rhythmic activity.

    Parameters
    ----------
    features : Features

    Returns
    -------
    ndarray of bool, shape (n_epochs,)
    """
    return (
        (features.relative_amplitude > RELATIVE_AMPLITUDE)
        & (features.duration_s > SHORTEST_S)
        & (features.duration_s < LONGEST_S)
        & (features.irregularity < IRREGULARITY)
    )


def is_seizure(n_channels: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether each epoch belongs to a seizure: a burst in two channels, or in two epochs in a row.

    Parameters
    ----------
    n_channels : ndarray of int64, shape (n_epochs,)
        In how many channels the epoch is a burst.

    Returns
    -------
    ndarray of bool, shape (n_epochs,)
    """
    burst = n_channels > 0
    seizure = n_channels > 1
    seizure[:-1] |= burst[:-1] & burst[1:]
    seizure[1:] |= burst[:-1] & burst[1:]
    return seizure


def mark(seizure: npt.NDArray[np.bool_], sfreq: float, n_samples: int) -> npt.NDArray[np.bool_]:
    """Mark all samples of some epochs.

    Parameters
    ----------
    seizure : ndarray of bool, shape (n_epochs,)
    sfreq : float
        Sampling rate in Hz.
    n_samples : int
        Length of the recording.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
    """
    mask = np.zeros(n_samples, dtype=np.bool_)
    for epoch in np.flatnonzero(seizure):
        mask[round(epoch * sfreq) : round((epoch + EPOCH_S) * sfreq)] = True
    return mask


class Gotman:
    """Bursts of rhythmic activity in the 18 pairs of the double banana.

    Parameters
    ----------
    device : str
        Not used: the rules run on the CPU. Every factory that `--robustseiz-adapter` names is given one.
    """

    name = "gotman"
    montages: tuple[Montage, ...] = ("unipolar", "bipolar")

    def __init__(self, *, device: str = "cpu") -> None:
        pass

    def detect(self, eeg: npt.NDArray[np.float32], sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Mark the epochs that belong to a seizure.

        Parameters
        ----------
        eeg : ndarray of float32, shape (n_channels, n_samples)
            Electrodes against any common reference, or the pairs themselves. The unit does not matter.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows, such as "Fp1" or "Fp1-F3".

        Returns
        -------
        ndarray of bool, shape (n_samples,)

        Raises
        ------
        ValueError
            At a sampling rate that the low-pass does not fit, or when an electrode is missing.
        """
        if not sfreq > 2 * LOWPASS_HZ:
            raise ValueError(f"sfreq: expected more than {2 * LOWPASS_HZ} Hz for a low-pass at 60 Hz, got {sfreq}")
        n_seconds = int(eeg.shape[1] / sfreq)
        n_channels = np.zeros(max(n_seconds - EPOCH_S + 1, 0), dtype=np.int64)
        for pair in DOUBLE_BANANA:  # one at a time, so that a long recording needs little memory
            signal = lowpass(derive_pairs(eeg, channels, (pair,))[0], sfreq)
            waves = find_half_waves(signal, RIPPLE * usual_span(signal, sfreq))
            n_channels += is_rhythmic(measure(waves, sfreq, n_seconds))
        return mark(is_seizure(n_channels), sfreq, eeg.shape[1])

    def agreement(
        self,
        eeg: npt.NDArray[np.float32],
        sfreq: float,
        channels: Sequence[str],
        *,
        passes: int,
        tau: float,
        seed: int,
    ) -> NoReturn:
        """See `Adapter.agreement`; there is none."""
        raise AgreementUnavailable("gotman has nothing random: its rules have no dropout")

    def fingerprint(self) -> str:
        """Hash of this code and of the versions of the libraries that it computes with."""
        code = [Path(path).read_bytes() for path in (__file__, gotman_waves.__file__)]
        return fingerprint(np.__version__, scipy.__version__, code)
