"""The rows that detectors are compared by: of each the latest of its registry, all of one task."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_robustseiz.registryfile import SCOPE, StoredRow
from pytest_robustseiz.reportview import View
from pytest_robustseiz.taskrows import read_task_rows, require_columns

BASELINE = "baseline"
NEEDED = ("timestamp_utc", "experiment_name", "category", "shift", "adapter", "output_dir", *SCOPE)


class LeaderboardError(ValueError):
    """Detectors cannot be compared; the message says what differs."""


@dataclass(frozen=True)
class Detector:
    """The latest rows of one detector in one registry.

    Attributes
    ----------
    name : str
        As the table shows it.
    baseline : StoredRow
        Of the unperturbed input.
    rows : dict of str to StoredRow
        By setting, without the baseline.
    view : View
        Of its task.
    """

    name: str
    baseline: StoredRow
    rows: dict[str, StoredRow]
    view: View


def read_detectors(paths: Sequence[Path]) -> list[Detector]:
    """Detectors of registries: of each the latest row per setting, in the scope of its latest row.

    Raises
    ------
    RegistryError
        When a file is not a registry.
    LeaderboardError
        When the registries are of different tasks, or a detector has no baseline or nothing else.
    """
    stored = {path: read_task_rows(path, NEEDED) for path in paths}
    view = _one_view({path: own for path, (_, own) in stored.items()})
    for path, (rows, _) in stored.items():
        require_columns(path, rows[0], view.board.needed, view)
    groups = {(path, name): own for path, (rows, _) in stored.items() for name, own in _by_adapter(rows).items()}
    names = [name for _, name in groups]
    return [
        _detector(name if names.count(name) == 1 else f"{name} ({path})", rows, view)
        for (path, name), rows in groups.items()
    ]


def _one_view(views: Mapping[Path, View]) -> View:
    first, *others = dict.fromkeys(view.task.name for view in views.values())
    if others:
        told = "; ".join(f"{path} is of the {view.task.name} task" for path, view in views.items())
        raise LeaderboardError(f"{told}: the tasks share no figure, so compare registries of one task")
    return next(view for view in views.values() if view.task.name == first)


def _by_adapter(rows: Sequence[StoredRow]) -> dict[str, list[StoredRow]]:
    groups: dict[str, list[StoredRow]] = {}
    for row in sorted(rows, key=lambda row: row["timestamp_utc"]):
        groups.setdefault(row["adapter"], []).append(row)
    return groups


def _detector(name: str, rows: Sequence[StoredRow], view: View) -> Detector:
    latest = {row["experiment_name"]: row for row in rows if row.scope == rows[-1].scope}
    baseline = latest.pop(BASELINE, None)
    if baseline is None or not latest:
        what = "no baseline" if baseline is None else "nothing but the baseline"
        raise LeaderboardError(f"{name}: {rows[-1].path} holds {what} in the scope of its latest row")
    return Detector(name, baseline, latest, view)


def differences(detectors: Sequence[Detector]) -> list[str]:
    """What is not the same for all detectors: scope, corpus, or settings; a sentence each."""
    first, *others = detectors
    found = []
    for other in others:
        names = (*SCOPE, *first.view.board.alike)
        pairs = [(name, first.baseline[name], other.baseline[name]) for name in names]
        found += [f"{name} of {first.name} is {a!r}, of {other.name} {b!r}" for name, a, b in pairs if a != b]
        unshared = sorted(set(first.rows) ^ set(other.rows))
        if unshared:
            found.append(f"only one of {first.name} and {other.name} has {_listed(unshared)}")
    return found


def _listed(names: Iterable[str], *, most: int = 5) -> str:
    found = list(names)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
