"""Agreement of stochastic passes: what phi is over the parts of a recording, and how sure and how calibrated it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

STRATA = ("mean", "seizure", "background", "fp", "fn")
"""Parts of a recording: all samples, reference seizures, the rest, false positives and false negatives."""
N_BINS = 10
"""Bins of equal width for the calibration error (Guo et al. 2017, arXiv 1706.04599)."""

CalibrationBins: TypeAlias = tuple[tuple[int, float, int], ...]
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class AgreementRates:
    """Agreement on one recording; None where it has no such samples or the detector no such figure.

    Parameters
    ----------
    mean, seizure, background, fp, fn : float or None
        Mean phi over these samples. False positives and negatives are those of the deterministic pass.
    disagreement : float
        Mean of 1 - abs(2 phi - 1): 0 where all passes say the same, 1 where they are split in halves.
    entropy_bits : float or None
        Mean binary entropy of the mean probability, 0 to 1.
    bins : tuple of (int, float, int)
        Per bin of the mean probability: samples, sum of the mean probabilities, samples of reference seizures. Empty
        where the detector has no mean probability.
    """

    mean: float | None
    seizure: float | None
    background: float | None
    fp: float | None
    fn: float | None
    disagreement: float
    entropy_bits: float | None
    bins: CalibrationBins


@dataclass(frozen=True, kw_only=True)
class AgreementSummary:
    """Agreement over recordings: the mean over those that have such samples, NaN where none has.

    Parameters
    ----------
    mean, seizure, background, fp, fn : float
        Mean phi.
    files : int
        Recordings in all.
    contributing : dict of str to int
        Recordings that have such samples, by stratum.
    disagreement, entropy_bits : float
        See `AgreementRates`.
    calibration_error : float
        Expected calibration error of the mean probability, over the samples of all recordings.
    """

    mean: float
    seizure: float
    background: float
    fp: float
    fn: float
    files: int
    contributing: dict[str, int]
    disagreement: float
    entropy_bits: float
    calibration_error: float


def rate_agreement(
    phi: npt.NDArray[np.floating],
    mean_probability: npt.NDArray[np.floating] | None,
    reference: Mask,
    hypothesis: Mask,
) -> AgreementRates:
    """Rate the agreement on one recording.

    Parameters
    ----------
    phi : ndarray of float, shape (n_samples,)
        Share of the passes that call each sample a seizure.
    mean_probability : ndarray of float, shape (n_samples,), or None
        Mean probability over the passes.
    reference, hypothesis : ndarray of bool, shape (n_samples,)
        Reference seizures, and those of the deterministic pass.

    Returns
    -------
    AgreementRates

    Raises
    ------
    ValueError
        When the arrays are not of one length, or empty.
    """
    shapes = [values.shape for values in (phi, mean_probability, reference, hypothesis) if values is not None]
    if len(set(shapes)) != 1 or phi.ndim != 1 or not len(phi):
        raise ValueError(f"phi: expected arrays of one shape (n_samples,) with a sample, got shapes {shapes}")
    return AgreementRates(
        mean=_mean(phi),
        seizure=_mean(phi[reference]),
        background=_mean(phi[~reference]),
        fp=_mean(phi[hypothesis & ~reference]),
        fn=_mean(phi[reference & ~hypothesis]),
        disagreement=float(np.mean(1 - np.abs(2 * phi - 1), dtype=np.float64)),
        entropy_bits=None if mean_probability is None else _entropy_bits(mean_probability),
        bins=() if mean_probability is None else _bins(mean_probability, reference),
    )


def summarise_agreement(recordings: Sequence[AgreementRates]) -> AgreementSummary:
    """Average over recordings.

    Parameters
    ----------
    recordings : sequence of AgreementRates
        Of a subject or of the whole scope.
    """
    strata = {name: _known([getattr(rates, name) for rates in recordings]) for name in STRATA}
    return AgreementSummary(
        **{name: _average(values) for name, values in strata.items()},
        files=len(recordings),
        contributing={name: len(values) for name, values in strata.items()},
        disagreement=_average([rates.disagreement for rates in recordings]),
        entropy_bits=_average(_known([rates.entropy_bits for rates in recordings])),
        calibration_error=_calibration_error([rates.bins for rates in recordings if rates.bins]),
    )


def _mean(values: npt.NDArray[np.floating]) -> float | None:
    return float(np.mean(values, dtype=np.float64)) if len(values) else None


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _average(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _entropy_bits(probability: npt.NDArray[np.floating]) -> float:
    total = 0.0
    for share in (probability, 1 - probability):
        live = share[share > 0]  # 0 log 0 is 0
        total -= float(np.sum(live * np.log2(live), dtype=np.float64))
    return total / len(probability)


def _bins(probability: npt.NDArray[np.floating], reference: Mask) -> CalibrationBins:
    place = np.minimum((probability * N_BINS).astype(np.int64), N_BINS - 1)
    counts = np.bincount(place, minlength=N_BINS)
    sums = np.bincount(place, weights=probability, minlength=N_BINS)
    seizures = np.bincount(place[reference], minlength=N_BINS)
    return tuple(zip(counts.tolist(), sums.tolist(), seizures.tolist(), strict=True))


def _calibration_error(recordings: Sequence[CalibrationBins]) -> float:
    if not recordings:
        return math.nan
    table = np.sum(np.asarray(recordings, dtype=np.float64), axis=0)
    return float(np.abs(table[:, 1] - table[:, 2]).sum() / table[:, 0].sum())
