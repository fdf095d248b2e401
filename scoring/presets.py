"""Rules of event scoring, by name."""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Rules by which events are scored.

    Parameters
    ----------
    name : str
        What the registry calls it.
    tolerance_start_s, tolerance_end_s : float
        A reference event is detected when the hypothesis overlaps the window from this long before its onset to this
        long after its end, seconds.
    merge_s : float
        Events closer than this become one, seconds.
    split_s : float or None
        Events longer than this are cut into pieces of at most this length, seconds; None cuts none.
    """

    name: str
    tolerance_start_s: float
    tolerance_end_s: float
    merge_s: float
    split_s: float | None

    def __post_init__(self) -> None:
        """Check the rules."""
        for field in ("tolerance_start_s", "tolerance_end_s", "merge_s"):
            value = getattr(self, field)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{field}: expected seconds, 0 or more, got {value}")
        if self.split_s is not None and not (math.isfinite(self.split_s) and self.split_s > 0):
            raise ValueError(f"split_s: expected seconds above 0, or None to cut no event, got {self.split_s}")


# The defaults of timescoring 0.0.7, which SzCORE (Dan et al., Epilepsia 2025) scores by.
SZCORE = Preset(name="szcore", tolerance_start_s=30.0, tolerance_end_s=60.0, merge_s=90.0, split_s=300.0)

# Any overlap counts and each event stands alone.
OVERLAP = Preset(name="overlap", tolerance_start_s=0.0, tolerance_end_s=0.0, merge_s=0.0, split_s=None)

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in (SZCORE, OVERLAP)}
