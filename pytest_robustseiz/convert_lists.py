"""What the readers of annotation lists share."""

import math
from pathlib import Path

from pytest_robustseiz.convert_plan import ConvertError, Span
from pytest_robustseiz.events import ROUNDING_S, Event


def lines_of(path: Path) -> list[tuple[int, str]]:
    """Numbered lines of a text file without the blanks around them; empty lines left out.

    Raises
    ------
    ConvertError
        When the file cannot be read.
    """
    try:
        text = path.read_text(encoding="latin-1").removeprefix("\xef\xbb\xbf")  # a byte order mark of UTF-8
    except OSError as error:
        raise ConvertError(
            f"{path.name} cannot be read ({error.strerror or error})", "copy it from the source"
        ) from error
    return [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]


def listed_event(
    start_s: float,
    stop_s: float,
    span: Span,
    where: str,
    *,
    event_type: str = "sz",
    confidence: float | None = None,
    channels: str = "n/a",
) -> Event:
    """A seizure as a list states it, in seconds of the recording.

    An end at most one second past the recording, which is rounding, is moved to its end.

    Raises
    ------
    ConvertError
        When it has no length or lies outside of the recording; `where` begins the message.
    """
    if not 0 <= start_s < min(stop_s, span.duration_s) or stop_s > span.duration_s + ROUNDING_S:
        raise ConvertError(
            f"{where}: a seizure from {start_s:g} to {stop_s:g} s does not fit into the file's {span.duration_s:g} s",
            "correct the list, or copy the whole file again",
        )
    return Event(start_s, min(stop_s, span.duration_s) - start_s, event_type, confidence, channels)


def listed_number(cell: str, where: str) -> float:
    """A finite number, such as a time in seconds.

    Raises
    ------
    ConvertError
        When it is none.
    """
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConvertError(f"{where}: {cell!r} is not a number", "correct the list, or copy it from the source")
    return value


def sex_of(word: str | None) -> str:
    """M or f, as participants.tsv has it, from a word such as Male; n/a where there is none."""
    return (word or "").strip()[:1].lower() or "n/a"
