"""Tables of events: reading what a corpus says, writing what a detector found."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pytest_robustseiz.event_rows import COLUMNS, DATE_FORMAT, BadCell, Row, parse_row, read_table

ROUNDING_S = 1.0  # how far a seizure may run past the signal: tables are often rounded to whole seconds


class EventsError(ValueError):
    """An events table cannot be used; the message lists every bad row with file:line, column and value."""


@dataclass(frozen=True)
class Event:
    """One row of an events table.

    Attributes
    ----------
    onset_s, duration_s : float
        Seconds from the first sample of the recording, and seconds.
    event_type : str
        `bckg`, `sz` or one of its children such as `sz-foc-ia`; anything else is kept as the table has it.
    confidence : float or None
        Between 0 and 1; None where the table says n/a.
    channels : str
        Comma-separated names, `all` or `n/a`.
    """

    onset_s: float
    duration_s: float
    event_type: str = "sz"
    confidence: float | None = None
    channels: str = "n/a"

    @property
    def stop_s(self) -> float:
        """End of the event in seconds."""
        return self.onset_s + self.duration_s

    @property
    def is_seizure(self) -> bool:
        """Whether the event's type is `sz` or one of its children."""
        return self.event_type.startswith("sz")


@dataclass(frozen=True)
class EventsTable:
    """A whole events table: its events, when the recording began (local time), and what reading noticed."""

    events: tuple[Event, ...]
    start: datetime | None
    notes: tuple[str, ...]


def read_events(path: Path, *, recording_s: float) -> tuple[Event, ...]:
    """Read and check the events of one recording, in order of onset; see `read_events_table`."""
    return read_events_table(path, recording_s=recording_s).events


def read_events_table(path: Path, *, recording_s: float) -> EventsTable:
    """Read and check an events table.

    The type column may be called `eventType` (epilepsy2bids), `event` (the paper) or `trial_type` (BIDS), in this order
    of preference; column names and codes are understood in any case. A byte order mark and Windows line ends are
    accepted. Without rows there are no seizures.

    A type that reads like a seizure but is no code, such as `fnsz`, `seizure`, `ictal` or `foc-ia`, is an error; words
    for the time around one (`interictal`, `preictal`, `postictal`) are other types.

    A seizure must have numbers for onset and duration. A negative onset is clipped to 0, and an end at most one second
    past the recording to the recording. Rows of other types (`bckg`, or anything else that BIDS allows) are never
    scored: they are clipped to the recording, and left out where they lie outside of it or say n/a for their times.

    Parameters
    ----------
    path : Path
        Tab-separated table in UTF-8.
    recording_s : float
        Length of the signal in seconds.

    Returns
    -------
    EventsTable
        Events in order of onset; `start` from the column `dateTime`; a note where the column `recordingDuration`
        differs from the signal by more than one second, and one for each type besides `bckg` that is not scored.

    Raises
    ------
    EventsError
        When the table cannot be read, lacks a column or has one twice, or has bad cells: every bad row is listed.
    """
    events: list[Event] = []
    problems: list[str] = []
    rows: list[Row] = []
    try:
        table = read_table(path)
    except ValueError as error:
        raise EventsError(str(error)) from error
    for line, raw in table.rows:
        try:
            row = parse_row(table.cells(raw))
            event = _event(row, recording_s)
        except BadCell as bad:
            problems.append(f"{path}:{line}: {bad}")
            continue
        rows.append(row)
        events += [event] if event else []
    if problems:
        raise EventsError("\n".join(problems))
    events.sort(key=lambda event: (event.onset_s, event.stop_s, event.event_type))
    starts = [row.start for row in rows if row.start]
    return EventsTable(tuple(events), starts[0] if starts else None, tuple(_notes(rows, recording_s)))


def _event(row: Row, recording_s: float) -> Event | None:
    seizure = row.event_type.startswith("sz")
    if row.onset_s is None or row.duration_s is None:
        if seizure:
            raise BadCell("onset" if row.onset_s is None else "duration", "n/a", "a seizure must have a number here")
        return None
    start, stop = max(row.onset_s, 0.0), min(row.onset_s + row.duration_s, recording_s)
    if seizure:
        _check_seizure(row.onset_s, row.duration_s, recording_s)
    elif start > stop:
        return None
    return Event(start, stop - start, row.event_type, row.confidence, row.channels)


def _check_seizure(onset_s: float, duration_s: float, recording_s: float) -> None:
    if duration_s == 0:
        raise BadCell("duration", f"{duration_s:g}", "a seizure must have a length")
    stop_s = onset_s + duration_s
    if stop_s <= 0:
        raise BadCell(
            "onset", f"{onset_s:g}", f"with a duration of {duration_s:g} s it ends before the recording begins"
        )
    if onset_s >= recording_s:
        raise BadCell("onset", f"{onset_s:g}", f"the recording ends at {recording_s:g} s; is this in milliseconds?")
    if stop_s > recording_s + ROUNDING_S:
        rule = f"the event ends at {stop_s:g} s, the recording at {recording_s:g} s; is this in milliseconds?"
        raise BadCell("duration", f"{duration_s:g}", rule)


def _notes(rows: Sequence[Row], recording_s: float) -> list[str]:
    notes = []
    stated = {row.recording_s for row in rows if row.recording_s is not None}
    wrong = sorted(value for value in stated if abs(value - recording_s) > ROUNDING_S)
    if wrong:
        notes.append(f"the events table states {wrong[0]:g} s of recording, the signal has {recording_s:g} s")
    if len({row.start for row in rows if row.start}) > 1:
        notes.append("dateTime differs between rows of the events table; the first was taken as start of the recording")
    others = Counter(row.event_type for row in rows if not row.event_type.startswith("sz"))
    del others["bckg"]
    return notes + [_not_scored(kind, n) for kind, n in sorted(others.items())]


def _not_scored(kind: str, n: int) -> str:
    if n == 1:
        return f"1 row of type {kind!r} is no seizure and is not scored"
    return f"{n} rows of type {kind!r} are not seizures and are not scored"


def write_events(
    path: Path, seizures: Sequence[tuple[float, float]], *, recording_s: float, start: datetime | None
) -> None:
    """Write detected seizures as an events table, in the form that epilepsy2bids writes and SzCORE reads.

    Parameters
    ----------
    path : Path
        The table; its folder is made when needed, an existing table is replaced.
    seizures : sequence of (float, float)
        Start and stop in seconds, in any order. Without any, the table gets one `bckg` row as long as the recording.
    recording_s : float
        Length of the recording in seconds.
    start : datetime or None
        When the recording began.

    Raises
    ------
    EventsError
        When a seizure is empty, not finite, or reaches outside of the recording.
    """
    for begin, end in seizures:
        if not (0 <= begin < end <= recording_s and math.isfinite(end)):
            raise EventsError(
                f"{path}: seizures must have 0 <= start < stop <= {recording_s:g} s, got ({begin:g}, {end:g})"
            )
    events = [Event(begin, end - begin) for begin, end in seizures]
    write_event_rows(path, events, recording_s=recording_s, start=start)


def write_event_rows(path: Path, events: Sequence[Event], *, recording_s: float, start: datetime | None) -> None:
    """Write events with their types, confidence and channels, otherwise as `write_events` does; nothing is checked."""
    date = start.strftime(DATE_FORMAT) if start else "n/a"
    lines = ["\t".join(COLUMNS)]
    for event in sorted(events, key=lambda e: (e.onset_s, e.stop_s)) or [Event(0.0, recording_s, "bckg")]:
        confidence = "n/a" if event.confidence is None else f"{event.confidence:g}"
        times = (_seconds(event.onset_s), _seconds(event.duration_s))
        lines.append("\t".join([*times, event.event_type, confidence, event.channels, date, _seconds(recording_s)]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _seconds(value: float) -> str:
    """At least two decimals, as epilepsy2bids writes; up to eight, which hold multiples of 1/256 s exactly."""
    text = f"{value:.8f}"
    return text[:-6] + text[-6:].rstrip("0")
