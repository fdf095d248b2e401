"""Limits on how much a model may lose, and where they come from."""

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_robustseiz.tasks import LIMITS

if TYPE_CHECKING:
    from pytest_robustseiz.results import SettingInfo
    from pytest_robustseiz.shifts import Shift


def check_limits(values: Mapping[str, Any], where: str) -> dict[str, float]:
    """Check names and values of limits.

    Parameters
    ----------
    values : mapping of str to number
        As an author wrote them.
    where : str
        For the message.

    Raises
    ------
    pytest.UsageError
        When a name is unknown or a value is not a finite number of at least 0.
    """
    for name, value in values.items():
        if name not in LIMITS:
            raise pytest.UsageError(f"{where}: unknown limit {name!r}; known are {', '.join(LIMITS)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise pytest.UsageError(f"{where}: {name} must be a finite number of at least 0, got {value!r}")
    return dict(values)


class ConfiguredLimits:
    """The table `[tool.robustseiz.thresholds]` of the model's pyproject.toml.

    Keys are `default`, a family, a shift, or a setting such as `"awgn[snr_db=0]"`; each holds limits. For each limit
    the nearest key wins: setting, then shift, then family, then default.

    Parameters
    ----------
    root : Path
        Folder of pyproject.toml.

    Raises
    ------
    pytest.UsageError
        When the table cannot be read or holds something unknown.
    """

    def __init__(self, root: Path) -> None:
        self.path = root / "pyproject.toml"
        self.tables: dict[str, dict[str, float]] = {}
        if self.path.is_file():
            self._read()

    def _read(self) -> None:
        try:
            document = tomllib.loads(self.path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise pytest.UsageError(f"{self.path}: {error}") from error
        tables = document.get("tool", {}).get("robustseiz", {}).get("thresholds", {})
        for key, values in tables.items():
            where = f"{self.path}: [tool.robustseiz.thresholds] {key}"
            if not isinstance(values, Mapping):
                raise pytest.UsageError(f"{where}: expected a table of limits, got {values!r}")
            self.tables[key] = check_limits(values, where)

    def limits_for(self, shift: str, family: str, params: Mapping[str, Any]) -> dict[str, float]:
        """Limits of one setting.

        Parameters
        ----------
        shift, family : str
            Names of the shift and its family.
        params : mapping
            Parameters of the setting.
        """
        merged: dict[str, float] = {}
        for key in ("default", family, shift):
            merged |= self.tables.get(key, {})
        for key, values in self.tables.items():
            if matches_setting(key, shift, params):
                merged |= values
        return merged

    def unmatched(self, settings: "Iterable[SettingInfo]") -> list[str]:
        """One line on the keys of single settings that matched none of a run's settings, if there are any."""
        ran = list(settings)
        unused = [
            key for key in self.tables if "[" in key and not any(matches_setting(key, s.shift, s.params) for s in ran)
        ]
        return [f"thresholds that matched no setting of this run: {', '.join(unused)}"] if unused else []

    def check_keys(self, shifts: "Iterable[type[Shift]]") -> None:
        """Check that every key names something that exists.

        Parameters
        ----------
        shifts : iterable of type
            All shifts that are known.

        Raises
        ------
        pytest.UsageError
            For a key that can match nothing.
        """
        fields = {shift.name: {field.name for field in dataclasses.fields(shift)} for shift in shifts}
        names = {"default", "baseline", *fields, *(shift.family for shift in shifts)}
        for key in self.tables:
            if key not in names and not _names_fields(key, fields):
                raise pytest.UsageError(
                    f"{self.path}: [tool.robustseiz.thresholds] {key!r} matches no family, shift or setting; "
                    'write for example noise, awgn or "awgn[snr_db=0]"'
                )


def matches_setting(key: str, shift: str, params: Mapping[str, Any]) -> bool:
    """Tell whether a key such as `awgn[snr_db=0]` or `drop_named[electrodes=O1+O2]` means these parameters."""
    name, wanted = _parse(key)
    if name != shift or not wanted:
        return False
    return all(field in params and _same(params[field], text) for field, text in wanted.items())


def _parse(key: str) -> tuple[str, dict[str, str]]:
    """Split `awgn[snr_db=0]` into name and fields; no fields where it is not of this form."""
    name, bracket, rest = key.partition("[")
    if not bracket or not rest.endswith("]"):
        return name, {}
    pairs = [part.partition("=") for part in rest[:-1].split(",")]
    return name, {field.strip(): text.strip() for field, _, text in pairs}


def _names_fields(key: str, fields: Mapping[str, set[str]]) -> bool:
    name, wanted = _parse(key)
    return bool(wanted) and all(text and field in fields.get(name, ()) for field, text in wanted.items())


def _same(value: Any, text: str) -> bool:
    if isinstance(value, list | tuple):
        parts = text.split("+")
        return len(parts) == len(value) and all(_same(item, part) for item, part in zip(value, parts, strict=True))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value) == text
    try:
        return float(text) == float(value)
    except ValueError:
        return False
