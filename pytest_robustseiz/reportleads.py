"""Lead times of a shift as a drawing: how early seizures were predicted under each setting."""

import math
from collections.abc import Iterator, Sequence

from pytest_robustseiz.drawing import drawing, rule, text
from pytest_robustseiz.reportdata import Entry
from pytest_robustseiz.reportrows import BOTTOM, LEFT, ROW, TOP, named_rows, row_parts, with_key
from pytest_robustseiz.scoring import PREICTAL_S

WIDTH, RIGHT = 480.0, 70.0
TICK_S = 60
TITLE = "Lead time in seconds before the onset"
KEY = (
    "Right end: the onset. Bar: least to largest lead time; dot: median; at the right how many seizures have one, of "
    "those that were scored. Seizures without one are not drawn, so read it with the miss rate."
)


def lead_figure(shift: str, baseline: Entry | None, entries: Sequence[Entry]) -> str:
    """The chart with its key.

    Parameters
    ----------
    shift : str
        Name of the shift.
    baseline, entries
        As `lead_chart`.
    """
    return with_key(lead_chart(baseline, entries), f"{shift}: lead times", KEY)


def lead_chart(baseline: Entry | None, entries: Sequence[Entry]) -> str:
    """One row for each setting; the onset is at the right.

    Parameters
    ----------
    baseline : Entry or None
        Drawn first.
    entries : sequence of Entry
        The settings of a shift.
    """
    named = named_rows(baseline, entries)
    height = ROW * len(named)
    parts = [text(LEFT, 12, TITLE), text(LEFT + WIDTH + 14, 12, "seizures"), *_axis(height)]
    parts += row_parts(named, _row, _tip)
    alt = f"{entries[0].shift}: lead times by setting; the numbers are in the table"
    return drawing(LEFT + WIDTH + RIGHT, TOP + height + BOTTOM, alt, parts)


def _x(lead_s: float) -> float:
    return LEFT + WIDTH * (1 - lead_s / PREICTAL_S)


def _axis(height: float) -> Iterator[str]:
    for tick_s in range(0, round(PREICTAL_S) + 1, TICK_S):
        x = _x(tick_s)
        yield rule(x, TOP, x, TOP + height, "grid" if tick_s else "zero")
        yield text(x, TOP + height + 16, f"{tick_s}" if tick_s else "onset", anchor="middle")


def _row(entry: Entry, y: float) -> Iterator[str]:
    least, middle, largest = (entry.value(f"lead_time_{name}_s") for name in ("min", "median", "max"))
    if math.isnan(middle):
        yield text(LEFT + 6, y + 4, "no seizure has a lead time")
    else:
        yield rule(_x(largest), y, _x(least), y, "range lead")
        yield f'<circle class="lead" cx="{_x(middle):.1f}" cy="{y:.1f}" r="4"/>'
    yield text(LEFT + WIDTH + 14, y + 4, _count(entry))


def _count(entry: Entry) -> str:
    return f"{entry.value('lead_time_count'):g} of {entry.value('seizures_scored'):g}"


def _tip(entry: Entry) -> str:
    mean, middle = (entry.value(f"lead_time_{name}_s") for name in ("mean", "median"))
    times = "" if math.isnan(mean) else f": mean {mean:.1f} s, median {middle:.1f} s"
    return f"{entry.label}: {_count(entry)} seizures have a lead time{times}"
