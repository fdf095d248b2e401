"""The fast gradient sign method."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pytest_robustseiz.shifts.attack import Attack, Gradient, Mode, signed_steps
from pytest_robustseiz.shifts.base import Array, register
from pytest_robustseiz.shifts.parameters import require


@register
@dataclass(frozen=True, kw_only=True)
class FGSM(Attack):
    """One step of size epsilon along the sign of the gradient (Goodfellow et al. 2015, arXiv 1412.6572).

    Where a network is far from linear over epsilon, the step can overshoot and end worse than it began; what it
    achieved is reported with its scores.

    Parameters
    ----------
    epsilon : float
        Size of the step in the unit of the detector's input windows, 0 or more.
    mode : {"increase", "decrease", "flip"}
        Which way the probability is pushed.
    """

    name: ClassVar[str] = "fgsm"
    epsilon: float
    mode: Mode

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(self.epsilon >= 0, "epsilon", "0 or more", self.epsilon)

    @property
    def bound(self) -> float:
        """See `Attack.bound`."""
        return self.epsilon

    @property
    def aim(self) -> Mode:
        """See `Attack.aim`."""
        return self.mode

    def search(self, clean: Array, gradient: Gradient, rng: np.random.Generator) -> Array:
        """Take the step."""
        return signed_steps(clean, gradient, bound=self.epsilon, step=self.epsilon, steps=1)
