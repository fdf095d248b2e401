"""The contract of attacks: the change within a bound that a detector likes least, found with its gradient."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NoReturn

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, ShiftError

Mode = Literal["increase", "decrease", "flip"]
Gradient = Callable[[Array], Array]


@dataclass(frozen=True, kw_only=True)
class Attack(Shift):
    """A shift of what the network sees, which therefore needs a detector: `attack` instead of `apply`.

    The objective is the sum of `direction` times the detector's logits, one direction per logit. The logit and not the
    probability, since a saturated sigmoid has no slope.

    Attributes
    ----------
    on_recording : bool
        Class attribute: whether the attack acts on the recording in microvolts, through the detector's preprocessing;
        else on its input windows, in their unit.
    guided : bool
        Class attribute: whether the attack follows the gradient; False for controls that don't.
    """

    family: ClassVar[Family] = "adversarial"
    on_recording: ClassVar[bool] = False
    guided: ClassVar[bool] = True

    @property
    @abstractmethod
    def bound(self) -> float:
        """Largest change of any value, in the unit of what is attacked."""

    @property
    @abstractmethod
    def aim(self) -> Mode:
        """Which way the probability is pushed: up, down, or to the other side of the clean decision."""

    @abstractmethod
    def search(self, clean: Array, gradient: Gradient, rng: np.random.Generator) -> Array:
        """Do the work of `attack`."""

    def attack(self, clean: Array, gradient: Gradient, rng: np.random.Generator) -> Array:
        """Return the changed input.

        Parameters
        ----------
        clean : array, shape (n_windows, n_channels, n_window_samples) or (n_channels, n_samples)
            Input windows of the network, or a recording in microvolts where `on_recording`. It is not changed.
        gradient : callable
            Takes an array like `clean` and returns the gradient of the objective there, of the same shape.
        rng : numpy.random.Generator
            Where a random start is drawn from, for every kind of array.

        Returns
        -------
        array
            Like `clean`, no value further from it than `bound`, apart from the rounding of the sum.

        Raises
        ------
        ShiftError
            When the result has another shape or type, is not finite, or leaves the bound.
        """
        attacked = self.search(clean, gradient, rng)
        if attacked.shape != clean.shape or attacked.dtype != clean.dtype:
            raise ShiftError(f"{self.label} returned {attacked.dtype}, {tuple(attacked.shape)}")
        self._check_bound(clean, attacked)
        return attacked

    def _check_bound(self, clean: Array, attacked: Array) -> None:
        xp = array_api_compat.array_namespace(clean)
        largest = _largest(attacked - clean)
        if largest <= self.bound:
            return
        allowed = self.bound + _largest(attacked) * float(xp.finfo(clean.dtype).eps)
        if not largest <= allowed:  # also true when it is NaN
            raise ShiftError(f"{self.label} changed a value by {largest:.6g}; expected at most {self.bound:.6g}")

    def direction(self, seizure: Array) -> Array:
        """Sign with which each logit enters the objective.

        Parameters
        ----------
        seizure : array of bool, any shape
            The clean decision that belongs to each logit.

        Returns
        -------
        array of int8
            1 to push up, -1 to push down.
        """
        xp = array_api_compat.array_namespace(seizure)
        if self.aim == "flip":
            return 1 - 2 * xp.astype(seizure, xp.int8)
        sign = 1 if self.aim == "increase" else -1
        return xp.full_like(seizure, sign, dtype=xp.int8)

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> NoReturn:
        """Refuse: without a detector there is nothing to attack.

        Raises
        ------
        ShiftError
            Always.
        """
        raise ShiftError(
            f"{self.label} needs a detector: call attack() with its gradient, or "
            "pytest_robustseiz.adapters.torch_adapter.TorchAdapter.examine() with this attack"
        )


def signed_steps(
    clean: Array, gradient: Gradient, *, bound: float, step: float, steps: int, start: Array | None = None
) -> Array:
    """Climb along the sign of the gradient and stay within the bound (Madry et al. 2018, arXiv 1706.06083).

    Parameters
    ----------
    clean : array
        Where the climb begins.
    gradient : callable
        Gradient of what is climbed.
    bound : float
        Largest change of any value.
    step : float
        Change of each value per step.
    steps : int
        Number of steps.
    start : array, optional
        Change to begin with, within the bound.

    Returns
    -------
    array
        Like `clean`.
    """
    xp = array_api_compat.array_namespace(clean)
    change = start
    for taken in range(1, steps + 1):
        # The very same object where nothing has changed yet: whoever knows its gradient already need not repeat it.
        point = clean if change is None else clean + change
        move = xp.sign(gradient(point))
        move *= step
        if change is not None:
            move += change
        inside = start is None and taken * step <= bound  # so few steps cannot lead out
        change = move if inside else xp.clip(move, -bound, bound)
    return clean + change


def _largest(values: Array) -> float:
    xp = array_api_compat.array_namespace(values)
    low, high = float(xp.min(values)), float(xp.max(values))
    return high if high >= -low or math.isnan(high) else -low
