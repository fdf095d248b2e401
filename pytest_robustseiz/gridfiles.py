"""Grids: by name, from an author's TOML file, or as a list of settings."""

import dataclasses
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_robustseiz.shifts import Shift, paper_grid, registered, smoke_grid

GRIDS: dict[str, Callable[[], tuple[Shift, ...]]] = {"paper": paper_grid, "smoke": smoke_grid}
ENDING = ".toml"


class GridError(ValueError):
    """A grid cannot be used; the message names the file, the shift, the entry and the field."""


def as_grid(given: object, folder: Path) -> tuple[Shift, ...]:
    """Settings of a grid, whichever way it is given.

    Parameters
    ----------
    given : str, Path or sequence of Shift
        Name of a grid ("paper", "smoke"), a TOML file (see `read_grid`), or the settings themselves.
    folder : Path
        What the path of a file is relative to.

    Returns
    -------
    tuple of Shift
        In the order given.

    Raises
    ------
    GridError
        When the name is unknown, the file is wrong, something is not a setting, or two settings are the same.
    """
    if isinstance(given, str) and given in GRIDS:
        return GRIDS[given]()
    if isinstance(given, str | Path) and str(given).endswith(ENDING):
        return read_grid(folder / given)
    if isinstance(given, str | Path):
        raise GridError(f"unknown grid {str(given)!r}; known are {', '.join(GRIDS)}, or give a file *{ENDING}")
    if not isinstance(given, Sequence):
        raise GridError(f"a grid is a name, a file *{ENDING} or a list of settings, got {given!r}")
    return _checked(given)


def read_grid(path: Path) -> tuple[Shift, ...]:
    """Read a grid from a TOML file: for each shift an array of tables, one for each setting.

    ::

        awgn = [{ snr_db = 10 }, { snr_db = 0 }]
        car = [{}]

        [[drift]]
        mode = "sin"
        freq_hz = 0.2
        amplitude_uv = 50

    Parameters
    ----------
    path : Path
        The file, in UTF-8. Parameters that it leaves out have their defaults.

    Returns
    -------
    tuple of Shift
        In the order of the file.

    Raises
    ------
    GridError
        When the file cannot be read; or listing every entry that is not a setting.
    """
    settings: list[Shift] = []
    problems: list[str] = []
    for where, name, fields in _entries(_document(path), problems):
        try:
            settings.append(_setting(registered()[name], fields))
        except ValueError as error:
            problems.append(f"{where}: {error}")
    if problems:
        raise GridError("\n".join(f"{path}: {problem}" for problem in problems))
    try:
        return _checked(settings)
    except GridError as error:
        raise GridError(f"{path}: {error}") from None


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise GridError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GridError(f"{path}: not a TOML file: {error}") from error


def _entries(document: dict[str, Any], problems: list[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Place, shift and fields of each table; what is not of this form goes to the problems."""
    known = registered()
    for name, entries in document.items():
        if name not in known:
            problems.append(f"unknown shift {name!r}; known are {', '.join(sorted(known))}")
        elif not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            problems.append(f"{name}: expected an array of tables such as {_example(known[name])}, got {entries!r}")
        else:
            yield from ((f"{name}, entry {number}", name, entry) for number, entry in enumerate(entries, start=1))


def _setting(shift: type[Shift], given: dict[str, Any]) -> Shift:
    known = [field.name for field in dataclasses.fields(shift)]
    for name in given:
        if name not in known:
            raise ValueError(f"unknown field {name!r}; fields of {shift.name} are {', '.join(known) or 'none'}")
    missing = [name for name in _required(shift) if name not in given]
    if missing:
        raise ValueError(f"missing {', '.join(missing)}; fields of {shift.name} are {', '.join(known)}")
    return shift(**given)


def _required(shift: type[Shift]) -> list[str]:
    return [field.name for field in dataclasses.fields(shift) if field.default is dataclasses.MISSING]


def _example(shift: type[Shift]) -> str:
    fields = ", ".join(f"{name} = ..." for name in _required(shift))
    return f"[{{ {fields} }}]" if fields else "[{}]"


def _checked(settings: Sequence[object]) -> tuple[Shift, ...]:
    """Settings as a tuple, when each is one and their labels tell them apart."""
    if not settings:
        raise GridError("the grid is empty; give at least one setting")
    found: dict[str, Shift] = {}
    for setting in settings:
        if not isinstance(setting, Shift):
            raise GridError(f"a grid is a list of settings such as AWGN(snr_db=10), got {setting!r}")
        if setting.label in found:
            raise GridError(f"the grid holds {setting.label} twice")
        found[setting.label] = setting
    return tuple(found.values())
