"""How large the samples of a channel are."""

from dataclasses import dataclass

import numpy as np

from pytest_robustseiz.signals import Samples

PLAUSIBLE_UV = (0.5, 2000.0)  # standard deviation of a channel of scalp EEG
PINNED = 1e-3  # of the range: a channel that stays so close to one of its limits shows the limit, with its last bits
_BLOCK = 1 << 16  # samples, so that a block stays in the processor's cache


@dataclass(frozen=True)
class Spread:
    """Least and largest sample of a channel and their standard deviation, in microvolts.

    `pinned_at_uv` is the limit of what the file can hold where all samples are, to `PINNED` of its range; else None.
    """

    low_uv: float
    high_uv: float
    sd_uv: float
    pinned_at_uv: float | None = None

    @property
    def is_constant(self) -> bool:
        """Whether all samples have one value, as of an electrode that a converter lacks or an amplifier at its rail.

        The value says nothing: writers of EDF move a zero by up to half a step, and a rail is far from it.
        """
        return self.low_uv == self.high_uv

    @property
    def is_dead(self) -> bool:
        """Whether the channel carries no signal."""
        return self.is_constant or self.pinned_at_uv is not None

    @property
    def what(self) -> str:
        """What a channel without signal is, for notes."""
        if self.is_constant:
            return f"constant at {self.low_uv:.6g} uV"
        return f"pinned at {self.pinned_at_uv:.6g} uV, a limit of its range"

    @property
    def is_plausible(self) -> bool:
        """Whether the standard deviation is one of scalp EEG in microvolts."""
        return PLAUSIBLE_UV[0] <= self.sd_uv <= PLAUSIBLE_UV[1]


def measure_spread(samples: Samples, *, limits_uv: tuple[float, float] | None = None) -> Spread:
    """Measure a channel.

    Parameters
    ----------
    samples : ndarray of float32, shape (n_samples,)
        Microvolts.
    limits_uv : tuple of (float, float), optional
        Least and largest value that the file can hold.

    Raises
    ------
    ValueError
        When a sample is not finite; the message names the first one.
    """
    blocks = [samples[start : start + _BLOCK] for start in range(0, samples.size, _BLOCK)]
    with np.errstate(invalid="ignore"):  # of infinite samples, which are reported below
        table = np.array([(b.size, b.min(), b.max(), b.mean(), b.var()) for b in blocks], dtype=np.float64)
        sizes, lows, highs, means, variances = table.T
        mean = np.average(means, weights=sizes)
        variance = np.average(variances + (means - mean) ** 2, weights=sizes)
    low, high = float(lows.min()), float(highs.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        bad = int(np.argmin(np.isfinite(samples)))
        raise ValueError(f"sample {bad} is {samples[bad]}; EEG must be finite, mend the file")
    return Spread(low, high, 0.0 if low == high else float(np.sqrt(variance)), _pinned_at(low, high, limits_uv))


def _pinned_at(low_uv: float, high_uv: float, limits_uv: tuple[float, float] | None) -> float | None:
    if limits_uv is None:
        return None
    least, largest = limits_uv
    margin = PINNED * (largest - least)
    if high_uv <= least + margin:
        return least
    return largest if low_uv >= largest - margin else None
