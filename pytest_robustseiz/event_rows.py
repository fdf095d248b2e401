"""The cells of an events table, read and checked one row at a time."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

COLUMNS = ("onset", "duration", "eventType", "confidence", "channels", "dateTime", "recordingDuration")
TYPE_COLUMNS = ("eventtype", "event", "trial_type")  # what epilepsy2bids, the paper and BIDS call it, in this order
DATE_FORMAT = "%Y-%m-%d %H:%M:%S"
ABSENT = ("", "n/a")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
# Times around a seizure, which are none. Any separator may stand inside: inter-ictal, post_ictal.
_AROUND = re.compile(r"(inter|pre|post)[-_ ]?ictal")
_LIKE_A_SEIZURE = re.compile(r"sz|seiz|ictal|^(foc|gen|uon)")  # fnsz, absz, seizure, ictal, foc-ia, ...


class BadCell(ValueError):
    """A cell that breaks a rule; the message names column, value and rule."""

    def __init__(self, column: str, value: str, rule: str) -> None:
        super().__init__(f"column {column}, value {value!r}: {rule}")


@dataclass(frozen=True)
class Row:
    """One row with its cells parsed; None where a cell is empty or n/a. Times are in seconds."""

    onset_s: float | None
    duration_s: float | None
    event_type: str
    confidence: float | None
    channels: str
    start: datetime | None
    recording_s: float | None


@dataclass(frozen=True)
class RawTable:
    """Column names in lower case, and the cells of each row with its line number."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]

    def cells(self, row: Sequence[str]) -> dict[str, str]:
        """Cells of a row by column; a short row is filled up with n/a."""
        if len(row) > len(self.columns):
            raise BadCell("(none)", row[len(self.columns)], f"the header has only {len(self.columns)} columns")
        filled = [*row, *["n/a"] * (len(self.columns) - len(row))]
        return dict(zip(self.columns, filled, strict=True))


def read_table(path: Path) -> RawTable:
    """Split a tab-separated table into cells.

    Raises
    ------
    ValueError
        When the file cannot be read as UTF-8, is empty, lacks a column or names one twice.
    """
    lines = list(_lines(path))
    if not lines:
        raise ValueError(f"{path}: empty; expected a header line with {', '.join(COLUMNS)}")
    number, header = lines[0]
    columns = tuple(name.lower() for name in header)
    twice = [repr(name) for name, n in Counter(columns).items() if name and n > 1]
    if twice:
        raise ValueError(f"{path}:{number}: column {', '.join(twice)} occurs more than once; keep one of each name")
    lacking = [name for name in ("onset", "duration") if name not in columns]
    lacking += [] if set(TYPE_COLUMNS) & set(columns) else ["eventType"]
    if lacking:
        raise ValueError(
            f"{path}:{number}: no column {', '.join(lacking)} in {header}; expected, separated by tabs, "
            f"{', '.join(COLUMNS)}"
        )
    return RawTable(columns, tuple(lines[1:]))


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read as UTF-8 text ({error})") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, [cell.strip() for cell in line.split("\t")]  # BIDS has no quotes


def parse_row(cells: dict[str, str]) -> Row:
    """Parse the cells of a row.

    Raises
    ------
    BadCell
        At the first cell that is neither absent nor what its column asks for.
    """
    return Row(
        onset_s=_number(cells, "onset"),
        duration_s=_duration(cells),
        event_type=_event_type(cells),
        confidence=_confidence(cells),
        channels=cells.get("channels") or "n/a",
        start=_date(cells),
        recording_s=_number(cells, "recordingDuration"),
    )


def _number(cells: dict[str, str], column: str) -> float | None:
    text = cells.get(column.lower(), "")
    if text.lower() in ABSENT:
        return None
    if not _NUMBER.fullmatch(text):  # stricter than float, which takes 1_0 and the digits of other scripts
        hint = "; write a decimal point" if "," in text else ""
        raise BadCell(column, text, f"must be a number{hint}")
    value = float(text)
    if not math.isfinite(value):
        raise BadCell(column, text, "must be a finite number")
    return value


def _duration(cells: dict[str, str]) -> float | None:
    value = _number(cells, "duration")
    if value is not None and value < 0:
        raise BadCell("duration", cells["duration"], "must not be negative")
    return value


def _confidence(cells: dict[str, str]) -> float | None:
    value = _number(cells, "confidence")
    if value is not None and not 0 <= value <= 1:
        raise BadCell("confidence", cells["confidence"], "must be between 0 and 1, or n/a")
    return value


def _event_type(cells: dict[str, str]) -> str:
    """Codes of SzCORE in lower case; other types of BIDS as they are.

    A type that reads like a seizure but is no code is refused: else its seizures would be lost without a word. Words
    for the time around a seizure (interictal, preictal, postictal) are types like any other.
    """
    column = next(name for name in TYPE_COLUMNS if name in cells)
    text = cells[column]
    code, shown = text.lower(), "eventType" if column == "eventtype" else column
    if code in ABSENT:
        raise BadCell(shown, text, "must say bckg, sz or a child of sz")
    if not code.startswith("sz") and _LIKE_A_SEIZURE.search(_AROUND.sub("", code)):
        rule = "is not a code; write sz or one of its children such as sz-foc for a seizure, bckg for none"
        raise BadCell(shown, text, rule)
    return code if code.startswith(("sz", "bckg")) else text


def _date(cells: dict[str, str]) -> datetime | None:
    text = cells.get("datetime", "")
    if text.lower() in ABSENT:
        return None
    try:
        return datetime.strptime(text, DATE_FORMAT)  # the table has no zone: local time of the recording
    except ValueError:
        raise BadCell("dateTime", text, f"must be {DATE_FORMAT} or n/a") from None
