"""Scalable drawings for HTML pages: lines through many points, thinned out, in whole numbers."""

import html
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def thinned(x: Floats, y: Floats, columns: int) -> tuple[Floats, Floats]:
    """Least and largest value of each column of equal width along x, in their order, so that no spike is lost.

    Parameters
    ----------
    x, y : ndarray, shape (n_points,)
        Points; x increases.
    columns : int
        Number of columns; at most two points of each are kept. Fewer points than that are all kept.

    Returns
    -------
    x, y : ndarray, shape (n_kept,)
    """
    if x.size <= 2 * columns:
        return x, y
    column = np.minimum(((x - x[0]) / (x[-1] - x[0]) * columns).astype(np.int64), columns - 1)
    firsts = np.flatnonzero(np.diff(column, prepend=-1))
    order = np.lexsort((y, column))  # within each column from least to largest
    lasts = np.append(firsts[1:], x.size) - 1
    kept = np.unique(np.concatenate([order[firsts], order[lasts]]))
    return x[kept], y[kept]


def path_data(x: Floats, y: Floats) -> str:
    """Path through points, rounded to whole numbers; each point relative to the last, since that is shortest."""
    if not x.size:
        return ""
    points = np.stack([np.rint(x), np.rint(y)], axis=1).astype(np.int64)
    steps = np.diff(points, axis=0)
    body = " ".join(f"{dx} {dy}" for dx, dy in steps.tolist()).replace(" -", "-")
    return f"M{points[0, 0]} {points[0, 1]}" + (f"l{body}" if body else "")


def text(x: float, y: float, words: str, *, anchor: str = "start") -> str:
    """A label."""
    return f'<text x="{x:.4g}" y="{y:.4g}" text-anchor="{anchor}">{html.escape(words)}</text>'


def rule(x1: float, y1: float, x2: float, y2: float, style: str = "axis") -> str:
    """A straight line of a style of the page."""
    return f'<line class="{style}" x1="{x1:.5g}" y1="{y1:.5g}" x2="{x2:.5g}" y2="{y2:.5g}"/>'


def plot(
    box: tuple[float, float, float, float], inside: tuple[float, float, float, float], parts: Iterable[str]
) -> str:
    """A rectangle with coordinates of its own, which cuts off what lies outside.

    Parameters
    ----------
    box : (x, y, width, height)
        In the drawing.
    inside : (x, y, width, height)
        The coordinates that fill it.
    parts : iterable of str
        Elements in these coordinates.
    """
    x, y, width, height = (f"{value:.5g}" for value in box)
    view = " ".join(f"{value:.6g}" for value in inside)
    return (
        f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{view}" preserveAspectRatio="none">'
        f"{''.join(parts)}</svg>"
    )


def drawing(width: float, height: float, alt: str, parts: Iterable[str]) -> str:
    """A picture with a text for those who cannot see it."""
    return (
        f'<svg class="drawing" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{html.escape(alt)}">'
        f"{''.join(parts)}</svg>"
    )


def round_number(value: float) -> float:
    """Largest 1, 2 or 5 times a power of ten that is not above a positive value."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(step for step in (1, 2, 5) if step * power <= value * (1 + 1e-9)) * power)
