"""The marker `robustseiz`: which settings a test runs, and its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.limits import check_limits
from pytest_robustseiz.tasks import LIMITS

if TYPE_CHECKING:
    from pytest_robustseiz.shifts import Shift

LINE = (
    f"robustseiz(shifts=None, grid='paper', {', '.join(f'{name}=None' for name in LIMITS)}): "
    "which shifts (names or families) and which grid (a name, a TOML file or a list of settings) a robustness test "
    "runs, and the limits that check() judges. Without a grid, the fixture robustseiz_grid or --robustseiz-grid counts."
)


@dataclass(frozen=True)
class Request:
    """What the marker of one test asks for.

    Attributes
    ----------
    shifts : tuple of str
        Names of shifts or families; empty means all.
    grid : str, tuple of Shift or None
        Name or file of a grid, or the settings themselves; None leaves it to the fixture and the option.
    limits : tuple of (str, float)
        Limits that stand over those of pyproject.toml.
    """

    shifts: tuple[str, ...] = ()
    grid: "str | tuple[Shift, ...] | None" = None
    limits: tuple[tuple[str, float], ...] = ()


def read_marker(marker: pytest.Mark | None, where: str) -> Request:
    """Check the arguments of a marker.

    Parameters
    ----------
    marker : pytest.Mark, optional
        None gives the defaults.
    where : str
        Node id, for messages.

    Raises
    ------
    pytest.UsageError
        When an argument is unknown or has a wrong value.
    """
    if marker is None:
        return Request()
    if marker.args:
        raise pytest.UsageError(f"{where}: robustseiz takes keywords only, got {marker.args!r}")
    values = dict(marker.kwargs)
    shifts, grid = values.pop("shifts", None), _grid(values.pop("grid", None), where)
    if isinstance(shifts, str):
        raise pytest.UsageError(f"{where}: shifts must be a list of names, got the text {shifts!r}; write [{shifts!r}]")
    limits = check_limits({name: value for name, value in values.items() if value is not None}, where)
    return Request(tuple(shifts or ()), grid, tuple(sorted(limits.items())))


def _grid(given: object, where: str) -> "str | tuple[Shift, ...] | None":
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Path):
        return str(given)
    if not isinstance(given, Sequence):
        raise pytest.UsageError(f"{where}: grid must be a name, a TOML file or a list of settings, got {given!r}")
    return tuple(given)
