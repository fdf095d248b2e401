"""How strong something is: in microvolts, or over the RMS of the channel."""

from pytest_robustseiz.shifts.base import Array
from pytest_robustseiz.shifts.parameters import require
from pytest_robustseiz.shifts.power import rms


def require_level(field: str, value_uv: float | None, ratio: float | None) -> None:
    """Raise ValueError naming both fields unless exactly one is given, and is 0 or more."""
    given = [value for value in (value_uv, ratio) if value is not None]
    ok = len(given) == 1 and given[0] >= 0
    require(ok, f"{field}_uv, {field}_ratio", "exactly one of the two, 0 or more", (value_uv, ratio))


def level_uv(channel: Array, value_uv: float | None, ratio: float | None) -> float:
    """Return the level in microvolts for this channel, given one of value and ratio.

    Parameters
    ----------
    channel : array, shape (n_samples,)
        Microvolts.
    value_uv : float or None
        The level in microvolts.
    ratio : float or None
        The level over the channel's RMS; read where value_uv is None.
    """
    if value_uv is not None:
        return value_uv
    return 0.0 if ratio is None else ratio * rms(channel)
