"""Rows of a registry whose task is known from its columns."""

from collections.abc import Sequence
from pathlib import Path

from pytest_robustseiz.registry import RegistryError
from pytest_robustseiz.registryfile import StoredRow, read_registry
from pytest_robustseiz.reporttasks import view_of_header
from pytest_robustseiz.reportview import View


def require_columns(path: Path, row: StoredRow, needed: Sequence[str], view: View) -> None:
    """Check that rows have the columns of their task that a reader needs.

    Raises
    ------
    RegistryError
        Naming those that are missing.
    """
    lacking = [name for name in needed if name not in row.cells]
    if lacking:
        raise RegistryError(
            f"{path} is not a registry of the {view.task.name} task: it has no column {', '.join(lacking)}"
        )


def read_task_rows(path: Path, shared: Sequence[str]) -> tuple[list[StoredRow], View]:
    """Read a registry of any task.

    Parameters
    ----------
    path : Path
        The registry.
    shared : sequence of str
        Columns that the caller reads whatever the task.

    Raises
    ------
    RegistryError
        As `pytest_robustseiz.registryfile.read_registry`.
    """
    rows = read_registry(path, shared)
    return rows, view_of_header(rows[0].cells)
