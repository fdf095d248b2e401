"""The control of the attacks: a change of the same size that knows nothing of the detector."""

from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.attack import Attack, Gradient, Mode
from pytest_robustseiz.shifts.base import Array, register
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.pgd import uniform


@register
@dataclass(frozen=True, kw_only=True)
class RandomSign(Attack):
    """Each value of the input windows moves by epsilon, up or down by chance.

    It shows how much worse than chance an attack of the same epsilon is. What it achieved is counted as for the mode
    "flip".

    Parameters
    ----------
    epsilon : float
        Size of the change in the unit of the detector's input windows, 0 or more.
    """

    name: ClassVar[str] = "random_sign"
    guided: ClassVar[bool] = False
    epsilon: float

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
        return "flip"

    def search(self, clean: Array, gradient: Gradient, rng: np.random.Generator) -> Array:
        """Draw the signs."""
        xp = array_api_compat.array_namespace(clean)
        up = xp.astype(uniform(clean, 1.0, rng) >= 0, clean.dtype)
        return clean + (2 * up - 1) * self.epsilon
