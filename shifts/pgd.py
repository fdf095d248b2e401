"""Projected gradient descent, on input windows and on the recording."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.attack import Attack, Gradient, Mode, signed_steps
from pytest_robustseiz.shifts.base import Array, register
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.rows import moved

AUTO_REACH = 2.5  # over all steps, in units of the bound (Madry et al. 2018, arXiv 1706.06083)


@register
@dataclass(frozen=True, kw_only=True)
class PGD(Attack):
    """Signed steps along the gradient, projected on the epsilon ball (Madry et al. 2018, arXiv 1706.06083).

    The default step and number of steps are those of RobustSeiz (arXiv 2609.04007). They reach no further than
    steps * alpha = 0.1, so that larger epsilons repeat that of 0.1; with alpha="auto" the steps grow with epsilon.

    Parameters
    ----------
    epsilon : float
        Largest change in the unit of the detector's input windows, 0 or more.
    mode : {"increase", "decrease", "flip"}
        Which way the probability is pushed.
    steps : int
        Number of steps, 1 to 1000.
    alpha : float or "auto"
        Size of a step, above 0; "auto" is 2.5 epsilon / steps.
    random_start : bool
        Begin at a random point of the ball instead of its centre.
    """

    name: ClassVar[str] = "pgd"
    epsilon: float
    mode: Mode
    steps: int = 10
    alpha: float | Literal["auto"] = 0.01
    random_start: bool = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(self.epsilon >= 0, "epsilon", "0 or more", self.epsilon)
        _require_steps(self.steps, "alpha", self.alpha)

    @property
    def bound(self) -> float:
        """See `Attack.bound`."""
        return self.epsilon

    @property
    def aim(self) -> Mode:
        """See `Attack.aim`."""
        return self.mode

    def search(self, clean: Array, gradient: Gradient, rng: np.random.Generator) -> Array:
        """Take the steps."""
        step = _step(self.alpha, self.epsilon, self.steps)
        start = uniform(clean, self.epsilon, rng) if self.random_start else None
        return signed_steps(clean, gradient, bound=self.epsilon, step=step, steps=self.steps, start=start)


@register
@dataclass(frozen=True, kw_only=True)
class PGDMicrovolts(Attack):
    """The same attack on the recording, before the detector's preprocessing, so that its bound has a unit.

    It needs a preprocessing that can be differentiated; a detector without one is left out, with the reason.

    Parameters
    ----------
    epsilon_uv : float
        Largest change of any sample in microvolts, 0 or more.
    mode : {"increase", "decrease", "flip"}
        Which way the probability is pushed.
    steps : int
        Number of steps, 1 to 1000.
    alpha_uv : float or "auto"
        Size of a step in microvolts, above 0; "auto" is 2.5 epsilon_uv / steps.
    """

    name: ClassVar[str] = "pgd_uv"
    on_recording: ClassVar[bool] = True
    epsilon_uv: float
    mode: Mode
    steps: int = 10
    alpha_uv: float | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        require(self.epsilon_uv >= 0, "epsilon_uv", "0 or more", self.epsilon_uv)
        _require_steps(self.steps, "alpha_uv", self.alpha_uv)

    @property
    def bound(self) -> float:
        """See `Attack.bound`."""
        return self.epsilon_uv

    @property
    def aim(self) -> Mode:
        """See `Attack.aim`."""
        return self.mode

    def search(self, clean: Array, gradient: Gradient, rng: np.random.Generator) -> Array:
        """Take the steps."""
        step = _step(self.alpha_uv, self.epsilon_uv, self.steps)
        return signed_steps(clean, gradient, bound=self.epsilon_uv, step=step, steps=self.steps)


def uniform(like: Array, bound: float, rng: np.random.Generator) -> Array:
    """Draw a change between -bound and bound for each value, of the kind, precision and device of another array.

    What is drawn for several windows at once is what would be drawn for them one by one.
    """
    xp = array_api_compat.array_namespace(like)
    draw_type = np.float32 if like.dtype == xp.float32 else np.float64
    values = rng.random(tuple(like.shape), dtype=draw_type)
    return moved((2 * values - 1) * draw_type(bound), like)


def _require_steps(steps: int, field: str, alpha: float | str) -> None:
    require(1 <= steps <= 1000, "steps", "1 to 1000", steps)
    require(alpha == "auto" or (not isinstance(alpha, str) and alpha > 0), field, "above 0, or 'auto'", alpha)


def _step(alpha: float | Literal["auto"], bound: float, steps: int) -> float:
    return AUTO_REACH * bound / steps if alpha == "auto" else alpha
