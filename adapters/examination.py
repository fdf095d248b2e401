"""The inside view of a detector: attacks on its input, and all stages in one visit to a recording."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.agreement import Agreement, StochasticPasses
from pytest_robustseiz.adapters.contract import Array
from pytest_robustseiz.adapters.outcome import AttackOutcome


class ExaminationUnavailable(RuntimeError):
    """A detector cannot be attacked, for example since it has no gradients; the message is the reason."""


class AttackLike(Protocol):
    """What an adapter needs to know of an attack; `pytest_robustseiz.shifts.Attack` says what the parts mean."""

    on_recording: ClassVar[bool]
    guided: ClassVar[bool]

    @property
    def label(self) -> str:
        """Id of the setting."""
        ...

    def direction(self, seizure: Array) -> Array:
        """Sign with which each logit enters the objective, given the clean decisions."""
        ...

    def attack(self, clean: Array, gradient: Callable[[Array], Array], rng: np.random.Generator) -> Array:
        """Return the changed input."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Examination:
    """What one visit to a recording found.

    Attributes
    ----------
    mask : array_like of bool, shape (n_samples,)
        As `Adapter.detect` returns it, under the attack where there is one.
    near_threshold : int
        How many probabilities lie so close to the decision threshold that rounding may decide them.
    outcome : AttackOutcome, optional
        What the attack achieved.
    attacked : array, shape (n_channels, n_samples), optional
        The recording in microvolts as the attack left it, where it acts on the recording.
    agreement : Agreement, optional
        Of the stochastic passes, under the attack where there is one.
    unavailable : str
        Why there is no agreement though it was asked for.
    figures : mapping of str to float
        What the way to the detector did to the recording, for the registry; see `Measuring`.
    """

    mask: npt.ArrayLike
    near_threshold: int = 0
    outcome: AttackOutcome | None = None
    attacked: Array | None = None
    agreement: Agreement | None = None
    unavailable: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@runtime_checkable
class Examiner(Protocol):
    """What an adapter offers beyond `Adapter` where it can be attacked; `TorchAdapter` does."""

    def examine(
        self,
        eeg: Array,
        sfreq: float,
        channels: Sequence[str],
        *,
        attack: AttackLike | None = None,
        rng: np.random.Generator | None = None,
        stochastic: StochasticPasses | None = None,
    ) -> Examination:
        """Run all stages on a recording, with an attack between preprocessing and forward pass where one is given.

        Parameters
        ----------
        eeg : array, shape (n_channels, n_samples), float32
            Microvolts. The array is the detector's own: it may be written to.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows.
        attack : AttackLike, optional
            Attack; None for the input as it is.
        rng : numpy.random.Generator, optional
            For the attack.
        stochastic : StochasticPasses, optional
            Agreement stage; None leaves it out.

        Raises
        ------
        ExaminationUnavailable
            When the detector cannot be attacked in this way; the message says why.
        """
        ...


@runtime_checkable
class Measuring(Protocol):
    """What an adapter offers beyond `Adapter` where the recording is changed on its way to the detector.

    `CommandAdapter` does: a recording that is written as EDF is quantised.
    """

    def detect_measured(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> Examination:
        """As `Adapter.detect`, with figures of the change; the harness adds them to those of the shift.

        `edf_error_rms_uv`, where it is among them, is also set against the RMS of what the shift changed.
        """
        ...
