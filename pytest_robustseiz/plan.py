"""Which settings and subjects a test is run on, and the ids of its items."""

import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_robustseiz.gridfixture import NAME, find_grid_fixture, fixture_value
from pytest_robustseiz.marker import Request

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

    from pytest_robustseiz.corpus import Subject
    from pytest_robustseiz.shifts import Shift

NO_MODE = "robustness tests run with --robustseiz-mode=subset or --robustseiz-mode=full"


class Grids:
    """Grids of a run: that of a test's marker, else of the fixture `robustseiz_grid`, else of the option.

    Parameters
    ----------
    option : str
        Name of a grid or path of a file, for tests whose marker names none and that see no fixture.
    root : Path
        What paths in markers and fixtures are relative to.
    """

    def __init__(self, option: str, root: Path) -> None:
        self._option = option
        self._root = root
        self._read: dict[str | pytest.FixtureDef[Any], tuple[Shift, ...]] = {}

    def check_option(self) -> None:
        """Raise pytest.UsageError when the option's grid cannot be used."""
        self._of_option()

    def grid(self, request: Request, node: pytest.Item) -> "tuple[Shift, ...]":
        """The grid of one test.

        Parameters
        ----------
        request : Request
            Of its marker.
        node : pytest.Item
            The test.

        Raises
        ------
        pytest.UsageError
            When the grid cannot be used; the message says where it comes from.
        """
        if request.grid is not None:
            return self._grid(request.grid, node.nodeid)
        definition = find_grid_fixture(node)
        return self._of_option() if definition is None else self._of_fixture(definition)

    def _of_option(self) -> "tuple[Shift, ...]":
        if self._option not in self._read:
            self._read[self._option] = self._grid(self._option, "--robustseiz-grid")
        return self._read[self._option]

    def _of_fixture(self, definition: "pytest.FixtureDef[Any]") -> "tuple[Shift, ...]":
        if definition not in self._read:
            where = f"fixture {NAME} of {inspect.getfile(definition.func)}"
            self._read[definition] = self._grid(fixture_value(definition, where), where)
        return self._read[definition]

    def _grid(self, given: object, where: str) -> "tuple[Shift, ...]":
        from pytest_robustseiz.gridfiles import GridError, as_grid

        try:
            return as_grid(given, self._root)
        except GridError as error:
            raise pytest.UsageError(f"{where}: {error}") from error


def select_settings(
    grid: "Sequence[Shift]", shifts: Sequence[str], only: Sequence[str], where: str
) -> "tuple[Shift, ...]":
    """Settings of a test: the baseline, then those of its grid that its marker and the command line both ask for.

    Parameters
    ----------
    grid : sequence of Shift
        See `Grids.grid`.
    shifts, only : sequence of str
        Shifts or families of the marker and of the command line; empty means all.
    where : str
        Node id, for messages.

    Raises
    ------
    pytest.UsageError
        When a name is unknown.
    """
    from pytest_robustseiz.shifts import Baseline

    known = {name for setting in grid for name in (setting.name, setting.family)} | _known_names()
    for names, source in ((shifts, where), (only, "--robustseiz-shifts")):
        for name in names:
            if name not in known:
                raise pytest.UsageError(f"{source}: unknown shift {name!r}; known are {', '.join(sorted(known))}")
    chosen = [
        setting for setting in grid if setting.name != "baseline" and _asked(setting, shifts) and _asked(setting, only)
    ]
    return (Baseline(), *chosen)


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


def curve_params(settings: "Sequence[Shift]") -> "list[ParameterSet]":
    """One parameter per shift: its settings in order of severity. The baseline has no curve."""
    by_shift = settings_by_shift(settings)
    return [pytest.param(tuple(own), id=shift) for shift, own in by_shift.items()]


def settings_by_shift(settings: "Iterable[Shift]") -> "dict[str, list[Shift]]":
    """Settings other than the baseline, by the name of their shift."""
    by_shift: dict[str, list[Shift]] = {}
    for setting in settings:
        if setting.name != "baseline":
            by_shift.setdefault(setting.name, []).append(setting)
    return by_shift


def _known_names() -> set[str]:
    from pytest_robustseiz.shifts import registered

    return {name for shift in registered().values() for name in (shift.name, shift.family)}


def _asked(setting: "Shift", names: Sequence[str]) -> bool:
    return not names or setting.name in names or setting.family in names
