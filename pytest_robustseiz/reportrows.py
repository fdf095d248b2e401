"""Charts with a row for each setting of a shift."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from pytest_robustseiz.drawing import text
from pytest_robustseiz.reportdata import Entry
from pytest_robustseiz.reporttables import scrolling

LEFT, ROW, TOP, BOTTOM = 62.0, 18.0, 24.0, 24.0
Named = list[tuple[str, Entry]]


def named_rows(baseline: Entry | None, entries: Sequence[Entry]) -> Named:
    """The baseline, where there is one, and the settings by their number."""
    rows = [("baseline", baseline)] if baseline else []
    return [*rows, *((str(number + 1), entry) for number, entry in enumerate(entries))]


def row_parts(named: Named, draw: Callable[[Entry, float], Iterable[str]], tip: Callable[[Entry], str]) -> list[str]:
    """Names and marks of the rows, in order.

    Parameters
    ----------
    named : list of (str, Entry)
        As `named_rows` gives them.
    draw : callable
        Takes an entry and the height of its row, and gives its marks.
    tip : callable
        What a row says when it is pointed at.
    """
    parts = []
    for number, (name, entry) in enumerate(named):
        y = TOP + ROW * (number + 0.5)
        parts.append(text(LEFT - 6, y + 4, name, anchor="end"))
        parts.append(f'<g class="onsets"><title>{escape(tip(entry))}</title>{"".join(draw(entry, y))}</g>')
    return parts


def with_key(chart: str, title: str, key: str) -> str:
    """A chart as a figure with its key; it scrolls where the page is narrow."""
    return f'<figure class="onset">{scrolling(chart, title)}<figcaption>{key}</figcaption></figure>'
