"""The unperturbed input, a setting like any other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.base import Array, Family, Shift, register


@register
@dataclass(frozen=True, kw_only=True)
class Baseline(Shift):
    """The recording as it is; what every other setting is compared with."""

    name: ClassVar[str] = "baseline"
    family: ClassVar[Family] = "baseline"

    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Return a copy."""
        return array_api_compat.array_namespace(eeg).asarray(eeg, copy=True)
