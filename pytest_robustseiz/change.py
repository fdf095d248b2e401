"""What a shift did to the input, measured from before and after."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import array_api_compat

Array = Any  # a numpy array or a torch tensor
_BLOCK = 1 << 16


@dataclass(frozen=True)
class InputChange:
    """Sums over samples and channels, so that pooling is a sum.

    Attributes
    ----------
    change_energy : float
        Sum of squares of the change, in microvolts squared.
    signal_energy : float
        Sum of squares of the input, each channel less its mean, in microvolts squared.
    changed, values : int
        Number of values (samples times channels) that changed, and of all.
    """

    change_energy: float
    signal_energy: float
    changed: int
    values: int

    def __add__(self, other: "InputChange") -> "InputChange":
        return InputChange(
            self.change_energy + other.change_energy,
            self.signal_energy + other.signal_energy,
            self.changed + other.changed,
            self.values + other.values,
        )

    @property
    def rms_uv(self) -> float:
        """RMS of the change in microvolts."""
        return math.sqrt(self.change_energy / self.values) if self.values else math.nan

    @property
    def relative(self) -> float:
        """RMS of the change over RMS of the signal; NaN without signal."""
        return math.sqrt(self.change_energy / self.signal_energy) if self.signal_energy else math.nan

    @property
    def share_changed(self) -> float:
        """Share of values that changed."""
        return self.changed / self.values if self.values else math.nan


NO_CHANGE = InputChange(0.0, 0.0, 0, 0)


def signal_energy(eeg: Array) -> float:
    """Sum of squares of each channel less its mean.

    Parameters
    ----------
    eeg : array, shape (n_channels, n_samples)
        Microvolts.
    """
    xp = array_api_compat.array_namespace(eeg)
    return sum(_energy(eeg[i, :] - xp.mean(eeg[i, :])) for i in range(eeg.shape[0]))


def measure_change(eeg: Array, shifted: Array, energy: float) -> InputChange:
    """Compare a recording before and after a shift.

    Parameters
    ----------
    eeg, shifted : array, shape (n_channels, n_samples)
        Microvolts.
    energy : float
        `signal_energy(eeg)`, which the caller keeps, since every setting needs it.

    Returns
    -------
    InputChange
    """
    xp = array_api_compat.array_namespace(eeg)
    change_energy, changed = 0.0, 0
    for i in range(eeg.shape[0]):  # one channel at a time: no second copy of a ten-hour recording
        difference = shifted[i, :] - eeg[i, :]
        change_energy += _energy(difference)
        changed += int(xp.count_nonzero(difference))
    return InputChange(change_energy, energy, changed, eeg.shape[0] * eeg.shape[1])


def set_against(change: InputChange, figures: Mapping[str, float]) -> dict[str, float]:
    """Set the error of writing a recording against what the shift changed.

    Parameters
    ----------
    change : InputChange
        What the shift did.
    figures : mapping of str to float
        What the way to the detector did, such as `edf_error_rms_uv`.

    Returns
    -------
    dict of str to float
        The figures, with `edf_error_to_change` where there are both. Near 1 or above, results tell of the file more
        than of the shift.
    """
    error_uv = figures.get("edf_error_rms_uv")
    if error_uv is None or not change.change_energy:
        return dict(figures)
    return {**figures, "edf_error_to_change": error_uv / change.rms_uv}


def _energy(values: Array) -> float:
    # In blocks: single precision sums of millions of squares lose digits.
    blocks = (values[start : start + _BLOCK] for start in range(0, values.shape[0], _BLOCK))
    return sum(float(block @ block) for block in blocks)
