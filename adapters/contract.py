"""What the harness asks of a detector, and how it checks the answer."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.agreement import Agreement

Array = Any  # a numpy array, or a torch tensor where the shifts run on a GPU
Montage = Literal["unipolar", "bipolar"]


class DetectorOutputError(ValueError):
    """A detector returned something that is not a mask over the recording; it is never scored as silence."""


@runtime_checkable
class Adapter(Protocol):
    """How a detector is called.

    Attributes
    ----------
    name : str
        What the registry calls the detector.
    montages : tuple of {"unipolar", "bipolar"}
        What it accepts: 19 electrodes against their common average, 18 pairs of the double banana, or both.
    """

    name: str
    montages: tuple[Montage, ...]

    def detect(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.ArrayLike:
        """Mark each sample that belongs to a seizure.

        Parameters
        ----------
        eeg : array, shape (n_channels, n_samples), float32
            Microvolts. The array is the detector's own: it may be written to.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows, such as "Fp1" (unipolar) or "Fp1-F3" (bipolar).

        Returns
        -------
        array of bool, shape (n_samples,)
            True where the detector says seizure.
        """
        ...

    def agreement(
        self, eeg: Array, sfreq: float, channels: Sequence[str], *, passes: int, tau: float, seed: int
    ) -> Agreement | npt.NDArray[np.float32]:
        """Share of stochastic passes in which each sample's probability is at least `tau`.

        Parameters
        ----------
        eeg, sfreq, channels
            As in `detect`.
        passes : int
            Number of passes T.
        tau : float
            Probability that counts as seizure.
        seed : int
            Seed of the stochastic layers: the same for all settings of a recording.

        Returns
        -------
        Agreement
            Or its phi alone, ndarray of float32, shape (n_samples,).

        Raises
        ------
        AgreementUnavailable
            When the detector has nothing stochastic; the message says why.
        """
        ...

    def fingerprint(self) -> str | None:
        """Hash of everything that decides what the detector returns: weights, code and settings.

        None when that cannot be known; results are then kept for the session only.
        """
        ...


@runtime_checkable
class TakesTensors(Protocol):
    """What an adapter offers beyond `Adapter` where it takes recordings as torch tensors; `TorchAdapter` does on a GPU.

    The shifts then run on that device, beside the model. An adapter that declares nothing gets numpy arrays, whatever
    it computes on.
    """

    @property
    def eeg_device(self) -> Any:
        """Where `eeg` is to lie in `detect`, `agreement` and `examine`.

        Returns
        -------
        torch.device, str or None
            Such as "cuda:0"; None asks for numpy arrays. Answers lie in the memory of the host either way.
        """
        ...


def as_mask(answer: npt.ArrayLike, n_samples: int) -> npt.NDArray[np.bool_]:
    """Check that a detector's answer is a mask, and return it as one.

    Parameters
    ----------
    answer : array_like, shape (n_samples,)
        Booleans, or numbers that are all 0 or 1.
    n_samples : int
        Length of the recording in samples.

    Returns
    -------
    ndarray of bool, shape (n_samples,)

    Raises
    ------
    DetectorOutputError
        For anything else; the message says what was expected and what came.
    """
    expected = f"expected a mask of {n_samples} booleans, one per sample"
    if answer is None:
        raise DetectorOutputError(f"{expected}, got None")
    try:
        values = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DetectorOutputError(f"{expected}, got {type(answer).__name__}: {error}") from error
    if values.shape != (n_samples,):
        raise DetectorOutputError(f"{expected}, got shape {values.shape} of {values.dtype}")
    if values.dtype == np.bool_:
        return values
    if values.dtype.kind not in "iuf":
        raise DetectorOutputError(f"{expected}, got values of type {values.dtype}")
    if np.isnan(values).any():
        raise DetectorOutputError(f"{expected}, got NaN at sample {int(np.isnan(values).argmax())}")
    stray = (values != 0) & (values != 1)
    if stray.any():
        where = int(stray.argmax())
        raise DetectorOutputError(
            f"{expected}, got {values[where]} at sample {where}; turn probabilities into a mask with a threshold, "
            "for example by pytest_robustseiz.adapters.eventize"
        )
    return values.astype(np.bool_)
