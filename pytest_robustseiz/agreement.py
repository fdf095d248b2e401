"""The agreement stage of one recording, as results keep it."""

import base64
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.scoring import AgreementRates


@dataclass(frozen=True)
class AgreementStage:
    """What the stochastic passes came to.

    Attributes
    ----------
    passes : int
        Number of passes T.
    tau : float
        Probability that counted as seizure.
    rates : AgreementRates
        Figures of the recording.
    votes : str
        For each sample the number of passes that called it a seizure; see `pack_votes`.
    """

    passes: int
    tau: float
    rates: AgreementRates
    votes: str

    def phi(self) -> npt.NDArray[np.float32]:
        """Share of the passes that called each sample a seizure, shape (n_samples,)."""
        dtype = _vote_type(self.passes)
        votes = np.frombuffer(zlib.decompress(base64.b64decode(self.votes)), dtype=dtype)
        return votes.astype(np.float32) / np.float32(self.passes)

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "AgreementStage":
        """Read back what `dataclasses.asdict` and JSON made of one.

        Raises
        ------
        KeyError, TypeError
            When the values are something else.
        """
        rates = dict(values["rates"])
        rates["bins"] = tuple((count, total, seizures) for count, total, seizures in rates["bins"])
        return cls(**{**values, "rates": AgreementRates(**rates)})


def pack_votes(phi: npt.NDArray[np.float32], passes: int) -> str:
    """Pack phi into text that JSON can carry.

    Parameters
    ----------
    phi : ndarray of float32, shape (n_samples,)
        Multiples of 1 / passes.
    passes : int
        Number of passes.

    Returns
    -------
    str
        The votes as whole numbers, deflated, in base 64: some kilobytes for an hour of what detectors usually say, and
        never more than phi itself would take.
    """
    votes = np.rint(phi * passes).astype(_vote_type(passes))
    return base64.b64encode(zlib.compress(votes.tobytes(), level=1)).decode("ascii")


def _vote_type(passes: int) -> np.dtype[Any]:
    return np.dtype("u1") if passes <= 255 else np.dtype("<u2")
