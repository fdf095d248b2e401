"""What stochastic passes of a detector say, and how the harness checks it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class AgreementUnavailable(RuntimeError):
    """A detector cannot do stochastic passes; the message is the reason, which the run reports once."""


@dataclass(frozen=True)
class StochasticPasses:
    """What the agreement stage asks for.

    Attributes
    ----------
    passes : int
        Number of stochastic passes T, 1 or more.
    tau : float
        Probability that counts as seizure, 0 to 1.
    seed : int
        Seed of the stochastic layers, one per recording, 0 or more.
    """

    passes: int
    tau: float
    seed: int


@dataclass(frozen=True, eq=False)
class Agreement:
    """What the passes said of each sample.

    Attributes
    ----------
    phi : ndarray of float32, shape (n_samples,)
        Share of the passes whose probability is at least tau.
    mean_probability : ndarray of float32, shape (n_samples,), optional
        Mean of the passes' probabilities; None where the detector has none.
    """

    phi: Floats
    mean_probability: Floats | None = None


def as_agreement(answer: object, n_samples: int, passes: int) -> Agreement:
    """Check what a detector returned as its agreement.

    Parameters
    ----------
    answer : Agreement or array_like, shape (n_samples,)
        An array is taken as phi.
    n_samples : int
        Length of the recording in samples.
    passes : int
        Number of passes that were asked for.

    Raises
    ------
    ValueError
        When a shape is wrong, a value is not between 0 and 1, or phi is not a multiple of 1 / passes.
    """
    found = answer if isinstance(answer, Agreement) else Agreement(np.asarray(answer))
    phi = _between_0_and_1("phi", found.phi, n_samples)
    counts = phi * passes
    off = np.abs(counts - np.rint(counts)) > 1e-3
    if off.any():
        where = int(off.argmax())
        raise ValueError(f"phi: expected a share of {passes} passes, got {phi[where]} at sample {where}")
    mean = found.mean_probability
    return Agreement(phi, None if mean is None else _between_0_and_1("mean_probability", mean, n_samples))


def _between_0_and_1(name: str, values: npt.ArrayLike, n_samples: int) -> Floats:
    array = np.asarray(values)
    if array.shape != (n_samples,) or array.dtype.kind != "f":
        raise ValueError(
            f"{name}: expected {n_samples} floating-point numbers, got shape {array.shape} of {array.dtype}"
        )
    outside = ~((array >= 0) & (array <= 1))  # also true for NaN
    if outside.any():
        where = int(outside.argmax())
        raise ValueError(f"{name}: expected 0 to 1, got {array[where]} at sample {where}")
    return array.astype(np.float32, copy=False)
