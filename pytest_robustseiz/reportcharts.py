"""Curves of a report as drawings: one figure over the grid of a shift, beside the baseline."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

from pytest_robustseiz.drawing import drawing, round_number, rule, text
from pytest_robustseiz.reportdata import Entry
from pytest_robustseiz.reportfigures import varying
from pytest_robustseiz.scoring import STRATA

LEFT, TOP, WIDTH, HEIGHT, BOTTOM = 46.0, 26.0, 300.0, 130.0, 40.0
MOST_TICKS = 12
SHAPES = ("circle", "square", "triangle", "diamond", "cross")  # so that colour is never all that tells lines apart


@dataclass(frozen=True)
class Point:
    """One value of a line.

    Attributes
    ----------
    place : int
        Where along the axis.
    value, low, high : float
        The value and its interval; NaN where there is none.
    tip : str
        What is shown on hover.
    """

    place: int
    value: float
    low: float
    high: float
    tip: str


@dataclass(frozen=True)
class Axis:
    """How the settings of a shift stand along a chart.

    Attributes
    ----------
    ticks : tuple of str
        Label of each place.
    title : str
        What the labels mean.
    series : dict of str to tuple of int
        For each line the numbers of its settings, in order of their places.
    joined : bool
        Whether neighbours differ in one parameter only, so that a line between them has a meaning.
    """

    ticks: tuple[str, ...]
    title: str
    series: dict[str, tuple[int, ...]]
    joined: bool


def axis_of(entries: Sequence[Entry]) -> Axis:
    """Find the axis of a shift: its parameter where there is one, else the settings by number.

    A line for each value of the other parameters, where each has the same places.
    """
    names = varying(entries)
    numbers = [name for name in names if all(isinstance(entry.params.get(name), int | float) for entry in entries)]
    words = [name for name in names if name not in numbers]
    if len(numbers) == 1:
        axis = _crossed(entries, numbers[0], words)
        if axis is not None:
            return axis
    if len(names) == 1:
        ticks = tuple(shown(entry.params.get(names[0])) for entry in entries)
        return Axis(ticks, names[0], {"": tuple(range(len(entries)))}, joined=False)
    return by_number(entries)


def by_number(entries: Sequence[Entry]) -> Axis:
    """The settings one beside the other, as the table numbers them."""
    places = range(len(entries))
    ticks = tuple(str(place + 1) for place in places)
    return Axis(ticks, "number of the setting in the table", {"": tuple(places)}, joined=False)


def _crossed(entries: Sequence[Entry], number: str, words: Sequence[str]) -> Axis | None:
    """One line for each value of the words, over the values of the number; None unless every line has them all."""
    values = [shown(entry.params[number]) for entry in entries]
    series: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        series.setdefault(", ".join(shown(entry.params.get(name)) for name in words), []).append(place)
    ticks = tuple(dict.fromkeys(values))
    if len(series) > len(SHAPES) or any(tuple(values[i] for i in members) != ticks for members in series.values()):
        return None
    return Axis(ticks, number, {name: tuple(members) for name, members in series.items()}, joined=True)


def shown(value: object) -> str:
    """A parameter in short."""
    if isinstance(value, list):
        return "+".join(map(shown, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def curve(
    title: str,
    entries: Sequence[Entry],
    metric: str,
    reference: float,
    *,
    levels: Mapping[str, float] = MappingProxyType({}),
) -> str:
    """Draw one metric over the settings of a shift.

    Parameters
    ----------
    title : str
        What is drawn, such as "Event F1".
    entries : sequence of Entry
        The settings.
    metric : str
        A column of the registry.
    reference : float
        Of the baseline; NaN where there is none.
    levels : mapping of str to float
        Further values to draw as lines, such as that of chance.
    """
    axis = axis_of(entries)
    lines = {
        name: [_point(place, entries[number], metric) for place, number in enumerate(members)]
        for name, members in axis.series.items()
    }
    alt = f"{entries[0].shift}: {title} by {axis.title}"
    return line_chart(title, axis, lines, reference, alt=alt, levels=levels)


def phi_chart(entries: Sequence[Entry]) -> str:
    """Draw mean phi by stratum over the settings of a shift."""
    axis = axis_of(entries)
    if len(axis.series) > 1:  # one line for each stratum and mode could not be told apart
        axis = by_number(entries)
    lines = {
        {"mean": "all", "fp": "FP", "fn": "FN"}.get(name, name): [
            _point(place, entry, f"mcd_{name}_agreement") for place, entry in enumerate(entries)
        ]
        for name in STRATA
    }
    return line_chart(
        "Mean phi",
        axis,
        lines,
        math.nan,
        alt=f"{entries[0].shift}: mean phi by stratum and {axis.title}",
    )


def line_chart(
    title: str,
    axis: Axis,
    lines: dict[str, list[Point]],
    reference: float,
    *,
    alt: str,
    levels: Mapping[str, float] = MappingProxyType({}),
) -> str:
    """Draw lines over one axis, and a dashed line for the baseline."""
    points = [point for line in lines.values() for point in line]
    top = _top([reference, *(value for point in points for value in (point.value, point.high))])
    height = HEIGHT + (12 if len(lines) > 1 else 0)
    parts = [text(LEFT, 14, title), *_grid(top), *_ticks(axis)]
    for name, value in levels.items():
        y = _y(value, top)
        parts.append(f'<g class="level"><title>{escape(name)}</title>{rule(LEFT, y, LEFT + WIDTH, y)}</g>')
        parts.append(text(LEFT + WIDTH, y - 3, name, anchor="end"))
    if not math.isnan(reference):
        y = _y(reference, top)
        parts.append(f'<g class="base"><title>baseline: {reference:.4g}</title>{rule(LEFT, y, LEFT + WIDTH, y)}</g>')
        parts.append(text(LEFT + WIDTH, 14, f"- - baseline {reference:.3g}", anchor="end"))
    for number, line in enumerate(lines.values()):
        parts += _line(line, number, axis, top, reference)
    if len(lines) > 1:
        parts += _legend(list(lines))
    return drawing(LEFT + WIDTH + 8, TOP + height + BOTTOM, alt, parts)


def _point(place: int, entry: Entry, metric: str) -> Point:
    value, low, high = (entry.value(f"{metric}{ending}") for ending in ("", "_ci_low", "_ci_high"))
    interval = "" if math.isnan(low) else f" (95 % interval {low:.4g} to {high:.4g})"
    tip = "n/a" if math.isnan(value) else f"{value:.4g}"
    return Point(place, value, low, high, f"{entry.label}: {tip}{interval}")


def _top(values: Sequence[float]) -> float:
    largest = max((value for value in values if not math.isnan(value)), default=1.0)
    if largest <= 1.0:
        return 1.0
    step = round_number(largest / 4)
    return step * math.ceil(largest / step)


def _y(value: float, top: float) -> float:
    return TOP + HEIGHT * (1 - value / top)


def _grid(top: float) -> Iterator[str]:
    for quarter in range(5):
        value = top * quarter / 4
        yield rule(LEFT, _y(value, top), LEFT + WIDTH, _y(value, top), "grid")
        yield text(LEFT - 6, _y(value, top) + 4, f"{value:.3g}", anchor="end")


def _ticks(axis: Axis) -> Iterator[str]:
    every = math.ceil(len(axis.ticks) / MOST_TICKS)
    letters = max(map(len, axis.ticks)) * 7 * len(axis.ticks) / every
    sparse = every if letters <= WIDTH else every * math.ceil(letters / WIDTH)
    for place in range(0, len(axis.ticks), sparse):
        yield text(_x(place, axis), TOP + HEIGHT + 16, axis.ticks[place], anchor="middle")
    yield text(LEFT + WIDTH / 2, TOP + HEIGHT + 33, axis.title, anchor="middle")


def _x(place: int, axis: Axis) -> float:
    return LEFT + WIDTH * (place + 0.5) / len(axis.ticks)


def _line(points: Sequence[Point], number: int, axis: Axis, top: float, reference: float) -> Iterator[str]:
    style = f"s{number % len(SHAPES)}"
    if axis.joined:
        yield _joined([(_x(point.place, axis), _y(point.value, top)) for point in points], style)
    for point in points:
        x = _x(point.place, axis)
        if math.isnan(point.value):
            mark = text(x, TOP + HEIGHT - 4, "n/a", anchor="middle")
        else:
            mark = marker(x, _y(point.value, top), number)
            if not (axis.joined or math.isnan(reference)):
                mark = rule(x, _y(reference, top), x, _y(point.value, top), "stem") + mark
        if not math.isnan(point.low):
            mark = rule(x, _y(point.low, top), x, _y(point.high, top), "whisker") + mark
        yield f'<g class="{style}"><title>{escape(point.tip)}</title>{mark}</g>'


def _joined(points: Sequence[tuple[float, float]], style: str) -> str:
    data, pen = [], "M"
    for x, y in points:
        if math.isnan(y):
            pen = "M"
            continue
        data.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    return f'<path class="{style}" d="{"".join(data)}"/>' if data else ""


def marker(x: float, y: float, number: int) -> str:
    """A mark whose shape tells its line."""
    shape = SHAPES[number % len(SHAPES)]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
    outline = {
        "square": "m-3.2-3.2h6.4v6.4h-6.4z",
        "triangle": "m0-4.2l4 7.2h-8z",
        "diamond": "m0-4.6l4.2 4.6-4.2 4.6-4.2-4.6z",
        "cross": "m-3.2-3.2l6.4 6.4m0-6.4l-6.4 6.4",
    }[shape]
    return f'<path class="mark" d="M{x:.1f} {y:.1f}{outline}"/>'


def _legend(names: Sequence[str]) -> Iterator[str]:
    x = LEFT
    for number, name in enumerate(names):
        y = TOP + HEIGHT + 48
        yield f'<g class="s{number % len(SHAPES)}">{marker(x + 4, y - 4, number)}</g>'
        yield text(x + 12, y, name)
        x += 22 + 7.4 * len(name)
