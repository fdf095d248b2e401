"""Reading a registry back: rows as they stand in the file, numbers where they are asked for."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_robustseiz.registry import RegistryError

# What must be equal for two rows to be about the same recordings, scored the same way.
SCOPE = ("mode", "subjects", "recordings", "corpus_fingerprint", "scoring_preset", "seed")


@dataclass(frozen=True)
class StoredRow:
    """One row of a registry.

    Attributes
    ----------
    path : Path
        The registry.
    line : int
        Line on which the row ends; the header is line 1.
    cells : dict of str to str
        By column, as written.
    """

    path: Path
    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """One cell as written."""
        return self.cells[column]

    def number(self, column: str) -> float:
        """One cell as a number; NaN where it is empty.

        Raises
        ------
        RegistryError
            When it is something else.
        """
        text = self.cells[column]
        try:
            return float(text) if text else math.nan
        except ValueError as error:
            raise RegistryError(
                f"{self.path}, line {self.line}: {column} must be a number, got {text!r}; repair or remove the row"
            ) from error

    @property
    def scope(self) -> tuple[str, ...]:
        """Cells of `SCOPE`."""
        return tuple(self.cells[name] for name in SCOPE)


def read_registry(path: Path, needed: Iterable[str]) -> list[StoredRow]:
    """Read all rows; other versions' registries will do where they have the columns that are needed.

    Parameters
    ----------
    path : Path
        The registry.
    needed : iterable of str
        Columns that the caller reads.

    Raises
    ------
    RegistryError
        When the file cannot be read, lacks a column, holds no row, or has a row of another length.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RegistryError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RegistryError(f"{path}: not UTF-8 text ({error}); name a registry") from error
    with _cells_of_any_length(len(text)):
        reader = csv.reader(io.StringIO(text, newline=""))
        header = next(reader, [])
        lacking = [name for name in needed if name not in header]
        if lacking:
            raise RegistryError(f"{path} is not a registry: it has no column {', '.join(lacking)}")
        rows = [_row(path, reader.line_num, header, cells) for cells in reader]
    if not rows:
        raise RegistryError(f"{path} holds no row; run with --robustseiz-registry={path} first")
    return rows


@contextmanager
def _cells_of_any_length(most: int) -> Iterator[None]:
    """The csv module refuses cells above 131,072 characters; the subjects of some 200 patients take more."""
    before = csv.field_size_limit(max(csv.field_size_limit(), most))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _row(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> StoredRow:
    if len(cells) != len(header):
        raise RegistryError(
            f"{path}, line {line}: expected {len(header)} cells, got {len(cells)}; repair or remove the row"
        )
    return StoredRow(path, line, dict(zip(header, cells, strict=True)))
