"""What reading did to the recordings of a scope: notes that say the same are counted together."""

import re
from collections.abc import Iterable

from pytest_robustseiz.results import RecordingResult

# Notes that differ in figures only are of one kind. Rates are no figures, nor are the digits of names.
_FIGURES = re.compile(r" \([^()]*\)")  # what a note measured stands in brackets
_NUMBER = re.compile(r"(?<![\w.\-])-?\d+(\.\d+)?(e[+-]?\d+)?(?![\w.]| Hz)")  # rates, and names with digits, stay


def note_kinds(recordings: Iterable[RecordingResult]) -> dict[str, list[str]]:
    """Notes on recordings by kind: those that differ in figures only are of one.

    Parameters
    ----------
    recordings : iterable of RecordingResult
        Of one experiment.

    Returns
    -------
    dict of str to list of str
        Kind, which is the note without figures, to notes that name their recording; the most frequent kind first.
    """
    found: dict[str, list[str]] = {}
    for recording in recordings:
        for note in recording.notes:
            kind = _NUMBER.sub("#", _FIGURES.sub("", note))
            found.setdefault(kind, []).append(f"{recording.stem}: {note}")
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def note_lines(recordings: Iterable[RecordingResult], *, most: int = 10) -> list[str]:
    """Lines for the summary: one note of each kind, and how many there are."""
    found = note_kinds(recordings).values()
    lines = [f"  {notes[0]}{f' (and {len(notes) - 1} more like it)' if notes[1:] else ''}" for notes in found]
    if len(lines) > most:
        lines = [*lines[:most], f"  and {len(lines) - most} more kinds"]
    return ["notes on the recordings:", *lines] if lines else []


def note_counts(recordings: Iterable[RecordingResult], *, most: int = 20) -> dict[str, int]:
    """Number of notes of each kind, for the registry; the rarest together, so that a row stays short."""
    counts = {kind: len(notes) for kind, notes in note_kinds(recordings).items()}
    rare = list(counts)[most:]
    shown = {kind: count for kind, count in counts.items() if kind not in rare}
    return shown | ({f"{len(rare)} other kinds": sum(counts[kind] for kind in rare)} if rare else {})
