"""What the harness asks of a seizure predictor, and how it checks the answer."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.agreement import Agreement
from pytest_robustseiz.adapters.contract import Array, DetectorOutputError, Montage

# SzPredict, specification 0.1: windows of one second, three classes.
WINDOW_S = 1.0
CLASSES = ("interictal", "preictal", "ictal")
_SUM_TOLERANCE = 1e-3  # of three probabilities in float16


@runtime_checkable
class PredictionAdapter(Protocol):
    """How a predictor is called: it says of each whole second whether a seizure is coming, or there, or neither.

    Attributes
    ----------
    name : str
        What the registry calls the predictor.
    montages : tuple of {"unipolar", "bipolar"}
        What it accepts; see `Adapter`.
    """

    name: str
    montages: tuple[Montage, ...]

    def predict(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.ArrayLike:
        """Class of each whole second.

        Parameters
        ----------
        eeg : array, shape (n_channels, n_samples), float32
            Microvolts. The array is the predictor's own: it may be written to.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows, such as "Fp1" (unipolar) or "Fp1-F3" (bipolar).

        Returns
        -------
        array of int, shape (n_windows,), or of float, shape (n_windows, 3)
            0 interictal, 1 preictal, 2 ictal; or a probability of each, of which the largest counts, and of equal
            ones the first. Window i is second i of the recording; a last part shorter than a second has none. What is
            said of a second should rest on what came until its end, as it would at the bedside.
        """
        ...

    def agreement(
        self, eeg: Array, sfreq: float, channels: Sequence[str], *, passes: int, tau: float, seed: int
    ) -> Agreement | npt.NDArray[np.float32]:
        """Share of stochastic passes in which the probability of preictal or ictal is at least `tau`, per window.

        As `Adapter.agreement`, with one value per window in place of one per sample.

        Raises
        ------
        AgreementUnavailable
            When the predictor has nothing stochastic; the message says why.
        """
        ...

    def fingerprint(self) -> str | None:
        """See `Adapter.fingerprint`."""
        ...


def count_seconds(n_samples: int, sfreq: float) -> int:
    """Number of whole seconds in a recording.

    Parameters
    ----------
    n_samples : int
        Its length.
    sfreq : float
        Sampling rate in Hz.
    """
    return int(n_samples / sfreq + 1e-9)


def as_classes(answer: npt.ArrayLike, n_windows: int) -> npt.NDArray[np.int8]:
    """Check that a predictor's answer gives each window a class, and return the classes.

    Parameters
    ----------
    answer : array_like, shape (n_windows,) or (n_windows, 3)
        As `PredictionAdapter.predict` returns it.
    n_windows : int
        Number of whole seconds.

    Returns
    -------
    ndarray of int8, shape (n_windows,)

    Raises
    ------
    DetectorOutputError
        For anything else; the message says what was expected and what came.
    """
    expected = f"expected {n_windows} classes (0, 1, 2), or their probabilities in shape ({n_windows}, 3)"
    if answer is None:
        raise DetectorOutputError(f"{expected}, got None")
    try:
        values = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DetectorOutputError(f"{expected}, got {type(answer).__name__}: {error}") from error
    if values.shape not in ((n_windows,), (n_windows, len(CLASSES))) or values.dtype.kind not in "iuf":
        raise DetectorOutputError(f"{expected}, got shape {values.shape} of {values.dtype}")
    if values.ndim == 1:
        _require(np.isin(values, range(len(CLASSES))), values, expected)
        return values.astype(np.int8)
    _require(((values >= 0) & (values <= 1)).all(axis=1), values, f"{expected} between 0 and 1")
    off = np.abs(values.sum(axis=1, dtype=np.float64) - 1)
    _require(off <= _SUM_TOLERANCE, values, f"{expected} that add up to 1")
    likeliest: npt.NDArray[np.int8] = values.argmax(axis=1).astype(np.int8)
    return likeliest


def _require(good: npt.ArrayLike, values: npt.NDArray[np.generic], expected: str) -> None:
    if not np.all(good):
        where = int(np.argmin(good))
        raise DetectorOutputError(f"{expected}, got {values[where].tolist()} in window {where}")
