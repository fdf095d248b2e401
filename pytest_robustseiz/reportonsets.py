"""Lead and Lag of a shift as a drawing: how early or late seizures were noticed under each setting."""

import math
from collections.abc import Iterator, Sequence

from pytest_robustseiz.drawing import drawing, rule, text
from pytest_robustseiz.reportdata import SFREQ, Entry
from pytest_robustseiz.reportrows import BOTTOM, LEFT, ROW, TOP, named_rows, row_parts, with_key

WIDTH = 560.0
TICKS_S = (-10000, -1000, -100, -10, 0, 10, 100, 1000, 10000)
TITLE = "Onset delay in seconds (logarithmic on both sides of zero)"
KEY = (
    "Left of zero: Lead, noticed before the reference onset; right: Lag. Bar: least to largest; dot: median; strokes: "
    "detected seizures."
)


def onset_figure(shift: str, baseline: Entry | None, entries: Sequence[Entry]) -> str:
    """The chart with its key.

    Parameters
    ----------
    shift : str
        Name of the shift.
    baseline, entries
        As `onset_chart`.
    """
    return with_key(onset_chart(baseline, entries), f"{shift}: Lead and Lag", KEY)


def onset_chart(baseline: Entry | None, entries: Sequence[Entry]) -> str:
    """One row for each setting: Lead to the left of zero, Lag to the right.

    Bars reach from the least to the largest value, dots stand at the medians, and each detected seizure is a stroke
    where the delays are known.

    Parameters
    ----------
    baseline : Entry or None
        Drawn first.
    entries : sequence of Entry
        The settings of a shift.
    """
    named = named_rows(baseline, entries)
    limit_s = max((_largest_s(entry) for _, entry in named), default=1.0)
    height = ROW * len(named)
    parts = [text(LEFT, 12, TITLE), *_axis(limit_s, height)]
    parts += row_parts(named, lambda entry, y: _row(entry, y, limit_s), _tip)
    alt = f"{entries[0].shift}: Lead and Lag by setting; the numbers are in the table"
    return drawing(LEFT + WIDTH + 14, TOP + height + BOTTOM, alt, parts)


def _largest_s(entry: Entry) -> float:
    values = [entry.value(f"{side}_max_steps") for side in ("lead", "lag")]
    return max((value / SFREQ for value in values if not math.isnan(value)), default=1.0)


def _x(delay_s: float, limit_s: float) -> float:
    place = math.copysign(math.log1p(abs(delay_s)), delay_s) / math.log1p(max(limit_s, 10.0))
    return LEFT + WIDTH * (place + 1) / 2


def _axis(limit_s: float, height: float) -> Iterator[str]:
    for tick_s in TICKS_S:
        if abs(tick_s) <= max(limit_s, 10.0):
            x = _x(tick_s, limit_s)
            yield rule(x, TOP, x, TOP + height, "zero" if tick_s == 0 else "grid")
            yield text(x, TOP + height + 16, f"{tick_s:g}".replace("-", "−"), anchor="middle")  # noqa: RUF001


def _row(entry: Entry, y: float, limit_s: float) -> Iterator[str]:
    for side, sign in (("lead", -1), ("lag", 1)):
        least, middle, largest = (
            _x(sign * entry.value(f"{side}_{name}_steps") / SFREQ, limit_s) for name in ("min", "median", "max")
        )
        if not math.isnan(middle):
            yield rule(least, y, largest, y, f"range {side}")
            yield f'<circle class="{side}" cx="{middle:.1f}" cy="{y:.1f}" r="4"/>'
    if entry.delays:
        # Seizures that fall on one place of the drawing are one stroke, so that a large corpus stays small.
        places = sorted({round(_x(delay / SFREQ, limit_s)) for delay in entry.delays})
        strokes = "".join(f"M{x} {y - 6:.4g}v12" for x in places)
        yield f'<path class="strokes" d="{strokes}"/>'
    if not entry.value("onset_tp_count") > 0:
        yield text(LEFT + WIDTH / 2 + 6, y + 4, "nothing detected")


def _tip(entry: Entry) -> str:
    found, punctual = entry.value("onset_tp_count"), entry.value("ontime_count")
    parts = [f"{entry.label}: {found:g} detected, {punctual:g} on time"]
    for side in ("lead", "lag"):
        mean, middle, late = (entry.value(f"{side}_{name}_steps") / SFREQ for name in ("mean", "median", "p90"))
        if not math.isnan(mean):
            parts.append(f"{side.capitalize()} mean {mean:.1f} s, median {middle:.1f} s, 90th percentile {late:.1f} s")
    return "; ".join(parts)
