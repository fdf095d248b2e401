"""Which settings and subjects a test is run on, and the ids of its items."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.marker import Request

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

    from pytest_robustseiz.corpus import Subject
    from pytest_robustseiz.shifts import Shift

NO_MODE = "robustness tests run with --robustseiz-mode=subset or --robustseiz-mode=full"


def select_settings(request: Request, only: Sequence[str], where: str) -> "tuple[Shift, ...]":
    """Settings of a test: the baseline, then those that its marker and the command line both ask for.

    Parameters
    ----------
    request : Request
        Of the marker.
    only : sequence of str
        Shifts or families of the command line; empty means all.
    where : str
        Node id, for messages.

    Raises
    ------
    pytest.UsageError
        When a name is unknown.
    """
    from pytest_robustseiz.shifts import Baseline

    settings = _grid(request.grid, where)
    known = {name for setting in settings for name in (setting.name, setting.family)} | _known_names()
    for names, source in ((request.shifts, where), (only, "--robustseiz-shifts")):
        for name in names:
            if name not in known:
                raise pytest.UsageError(f"{source}: unknown shift {name!r}; known are {', '.join(sorted(known))}")
    chosen = [
        setting
        for setting in settings
        if setting.name != "baseline" and _asked(setting, request.shifts) and _asked(setting, only)
    ]
    return (Baseline(), *chosen)


def check_unique(settings: "Iterable[Shift]", where: str) -> None:
    """Check that labels tell settings apart.

    Raises
    ------
    pytest.UsageError
        When two settings have one label.
    """
    seen: set[str] = set()
    for setting in settings:
        if setting.label in seen:
            raise pytest.UsageError(f"{where}: the grid holds {setting.label} twice")
        seen.add(setting.label)


def case_params(subjects: "Sequence[Subject]", settings: "Sequence[Shift]", *, grouped: bool) -> "list[ParameterSet]":
    """One parameter per subject and setting, subject by subject, so that a worker's chunk shares recordings.

    Parameters
    ----------
    subjects : sequence of Subject
        The scope.
    settings : sequence of Shift
        In order.
    grouped : bool
        Whether to mark items with their subject for `--dist loadgroup`; the mark is xdist's.
    """
    labels = [setting.label for setting in settings]
    params = []
    for subject in subjects:
        marks = [pytest.mark.xdist_group(name=subject.name)] if grouped else []
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", subject.name)
        params += [
            pytest.param((subject, setting), id=f"{name}-{label}", marks=marks)
            for setting, label in zip(settings, labels, strict=True)
        ]
    return params


def _grid(grid: "str | tuple[Shift, ...]", where: str) -> "tuple[Shift, ...]":
    from pytest_robustseiz.shifts import Shift, paper_grid

    grids = {"paper": paper_grid}
    if isinstance(grid, str):
        if grid not in grids:
            raise pytest.UsageError(f"{where}: unknown grid {grid!r}; known are {', '.join(grids)}")
        return grids[grid]()
    for setting in grid:
        if not isinstance(setting, Shift):
            raise pytest.UsageError(f"{where}: a grid is a list of settings such as AWGN(snr_db=10), got {setting!r}")
    check_unique(grid, where)
    return grid


def _known_names() -> set[str]:
    from pytest_robustseiz.shifts import registered

    return {name for shift in registered().values() for name in (shift.name, shift.family)}


def _asked(setting: "Shift", names: Sequence[str]) -> bool:
    return not names or setting.name in names or setting.family in names
