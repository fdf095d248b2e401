"""Times of the prediction task, to the microsecond.

Borders decide labels, and seconds as floating-point numbers miss them: 0.1 + 2.7 + 0.2 is above 3. Rounded to the
microsecond, far below a sample of any EEG, times are integers that compare as they were written.
"""

import math

WINDOW_S = 1.0
"""Length of a window; windows do not overlap. Fixed by SzPredict 0.1."""

TICKS_PER_S = 1_000_000
WINDOW_TICKS = round(WINDOW_S * TICKS_PER_S)


def to_ticks(time_s: float, name: str) -> int:
    """Round to microseconds.

    Parameters
    ----------
    time_s : float
        Seconds.
    name : str
        What the time is, for the message.

    Returns
    -------
    int
        Microseconds.

    Raises
    ------
    ValueError
        When the time is not finite.
    """
    if not math.isfinite(time_s):
        raise ValueError(f"{name}: expected finite seconds, got {time_s}")
    return round(float(time_s) * TICKS_PER_S)


def to_seconds(ticks: int) -> float:
    """Seconds of a time in microseconds; the nearest floating-point number."""
    return ticks / TICKS_PER_S
