"""What an attack achieved."""

import math
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["achieved", "nothing", "contrary", "control"]
# Probabilities are single precision: a smaller change of their mean is rounding.
ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True)
class AttackOutcome:
    """Sums over windows, so that pooling over recordings is a sum.

    The objective of a window is the sum of its logits, each with the sign in which the attack pushes it.

    Attributes
    ----------
    guided : bool
        Whether the attack followed a gradient; False for controls.
    unit : {"window", "uV"}
        Unit of `largest_change`: that of the detector's input windows, or microvolts of the recording.
    windows, outputs : int
        Number of windows, and of probabilities that the detector gives for them.
    before, after : float
        Sum of the probabilities without and with the attack.
    gain : float
        Sum of their changes in the direction of the attack; below zero where it got the contrary.
    improved, worsened : int
        Windows whose objective rose, and fell.
    without_gradient : int
        Windows in which the gradient was zero at every step, so that the attack could do nothing.
    undefined_gradient : int
        Windows in which a part of the gradient was not a number; the attack left those values alone.
    largest_change : float
        Largest change of any value.
    change_energy_uv2, signal_energy_uv2 : float
        Sum of squares of the change, and of the signal less its mean per channel, in microvolts squared.
    scaled : int
        Number of values that the two energies are over; 0 where the detector cannot tell the scale of its windows.
    """

    guided: bool
    unit: Literal["window", "uV"]
    windows: int
    outputs: int
    before: float
    after: float
    gain: float
    improved: int
    worsened: int
    without_gradient: int
    undefined_gradient: int
    largest_change: float
    change_energy_uv2: float = 0.0
    signal_energy_uv2: float = 0.0
    scaled: int = 0

    def __add__(self, other: "AttackOutcome") -> "AttackOutcome":
        return AttackOutcome(
            guided=self.guided,
            unit=self.unit,
            windows=self.windows + other.windows,
            outputs=self.outputs + other.outputs,
            before=self.before + other.before,
            after=self.after + other.after,
            gain=self.gain + other.gain,
            improved=self.improved + other.improved,
            worsened=self.worsened + other.worsened,
            without_gradient=self.without_gradient + other.without_gradient,
            undefined_gradient=self.undefined_gradient + other.undefined_gradient,
            largest_change=max(self.largest_change, other.largest_change),
            change_energy_uv2=self.change_energy_uv2 + other.change_energy_uv2,
            signal_energy_uv2=self.signal_energy_uv2 + other.signal_energy_uv2,
            scaled=self.scaled + other.scaled,
        )

    @property
    def mean_before(self) -> float:
        """Mean probability without the attack."""
        return self.before / self.outputs

    @property
    def mean_after(self) -> float:
        """Mean probability with the attack."""
        return self.after / self.outputs

    @property
    def mean_gain(self) -> float:
        """Mean change of the probability in the direction of the attack."""
        return self.gain / self.outputs

    @property
    def verdict(self) -> Verdict:
        """Whether the attack did what it is for; "contrary" where its objective got worse."""
        if not self.guided:
            return "control"
        if self.mean_gain < -ROUNDING or (self.mean_gain <= ROUNDING and self.worsened > self.improved):
            return "contrary"
        return "achieved" if self.improved else "nothing"

    def figures(self) -> dict[str, float | str]:
        """Return what a row of the registry says of it; figures that are not known are left out."""
        shares = {
            "improved_share": self.improved,
            "worsened_share": self.worsened,
            "without_gradient_share": self.without_gradient,
            "undefined_gradient_share": self.undefined_gradient,
        }
        figures: dict[str, float | str] = {
            "verdict": self.verdict,
            "mean_probability_before": self.mean_before,
            "mean_probability_after": self.mean_after,
            "mean_gain": self.mean_gain,
            **{name: count / self.windows for name, count in shares.items()},
            "windows": self.windows,
            "largest_change": self.largest_change,
            "largest_change_unit": self.unit,
        }
        if self.scaled:
            figures["change_rms_uv"] = math.sqrt(self.change_energy_uv2 / self.scaled)
        if self.scaled and self.change_energy_uv2 and self.signal_energy_uv2:
            figures["snr_db"] = 10 * math.log10(self.signal_energy_uv2 / self.change_energy_uv2)
        return figures
