"""What is wrong with a registry, a line for each problem."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_robustseiz import detection_check, prediction_check
from pytest_robustseiz.registry import RegistryError, check_registry, columns_of, task_of_header
from pytest_robustseiz.registrycells import ENDS, Cells
from pytest_robustseiz.registryfile import StoredRow, read_registry
from pytest_robustseiz.tasks import DETECTION, PREDICTION, Task


@dataclass(frozen=True)
class Checks:
    """How rows of a task are checked.

    Attributes
    ----------
    cells : Cells
        What each column holds.
    contradictions : callable
        Lines about figures of a row that do not fit each other.
    """

    cells: Cells
    contradictions: Callable[[StoredRow], Iterator[str]]


CHECKS = {
    DETECTION.name: Checks(detection_check.CELLS, detection_check.contradictions),
    PREDICTION.name: Checks(prediction_check.CELLS, prediction_check.contradictions),
}


def registry_problems(path: Path, *, grid: Sequence[str] = ()) -> list[str]:
    """Check columns, types, ranges and agreement of figures with counts; on request, completeness.

    Parameters
    ----------
    path : Path
        The registry, of either task.
    grid : sequence of str
        Settings that every model should have in every scope; none are asked for by default.

    Returns
    -------
    list of str
        One line per problem, in order of rows.
    """
    try:
        rows = read_checked(path, task_of_file(path))
    except RegistryError as error:
        return [str(error)]
    problems = [f"{path}, line {row.line}: {problem}" for row in rows for problem in row_problems(row)]
    return problems + [f"{path}: {problem}" for problem in _missing(rows, grid)]


def task_of_file(path: Path) -> Task:
    """The task whose columns a registry has; detection where it has no column of the other task's.

    Raises
    ------
    RegistryError
        When the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return task_of_header(next(csv.reader(file), []))
    except OSError as error:
        raise RegistryError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RegistryError(f"{path}: not UTF-8 text ({error}); name a registry") from error


def read_checked(path: Path, task: Task) -> list[StoredRow]:
    """All rows of a registry that has the columns of this version.

    Raises
    ------
    RegistryError
        When it is of another task or version, or cannot be read.
    """
    check_registry(path, task)
    return read_registry(path, columns_of(task))


def row_problems(row: StoredRow) -> list[str]:
    """What is wrong with a row: cells of another kind, or else figures that contradict each other."""
    checks = CHECKS[task_of_header(row.cells).name]
    found = list(checks.cells.problems(row.cells))
    if found:
        return found  # what is no number cannot be compared
    return [*checks.contradictions(row), *_intervals(row)]


def _intervals(row: StoredRow) -> Iterator[str]:
    low_end, high_end = (f"_{end}" for end in ENDS)
    for name in [column.removesuffix(low_end) for column in row.cells if column.endswith(low_end)]:
        low, high = row.number(name + low_end), row.number(name + high_end)
        if low > high:
            yield f"{name}{low_end} is {low:g}, above {name}{high_end} {high:g}"


def _missing(rows: Sequence[StoredRow], grid: Sequence[str], *, most: int = 10) -> Iterator[str]:
    """Settings of the grid that a model lacks in a scope."""
    groups: dict[tuple[str, ...], list[StoredRow]] = {}
    for row in rows:
        groups.setdefault((row["adapter"], *row.scope), []).append(row)
    for group in groups.values():
        have = {row["experiment_name"] for row in group}
        lacking = [label for label in grid if label not in have]
        if lacking:
            more = f" and {len(lacking) - most} more" if len(lacking) > most else ""
            yield (
                f"{group[0]['adapter']!r} lacks {len(lacking)} of {len(grid)} settings in {_scope_text(group[0])}: "
                f"{', '.join(lacking[:most])}{more}"
            )


def _scope_text(row: StoredRow) -> str:
    protocol = row.cells.get("protocol")
    return f"mode {row['mode']} with {row['subjects']} subjects" + (f" by protocol {protocol}" if protocol else "")
