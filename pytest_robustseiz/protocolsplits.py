"""Who a protocol of SzPredict tests on a corpus, and what a model may be trained on for each of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from pytest_robustseiz.corpus import RecordingFiles, Subject
from pytest_robustseiz.event_rows import parse_row, read_table
from pytest_robustseiz.protocols import SPLIT, Protocol, ProtocolError, case_number, fixed_split

# Of ten recordings the first seven train a patient's model.
TRAINED, OF = 7, 10
# Case chb21 is the person of chb01, a year and a half later (CHB-MIT, PhysioNet).
SAME_PERSON = frozenset({1, 21})
LAST_CASE = 24


def subjects_tested(protocol: Protocol, subjects: Sequence[Subject], *, most: int | None = None) -> tuple[Subject, ...]:
    """Subjects that a protocol tests, each with the recordings that it tests.

    Parameters
    ----------
    protocol : Protocol
        The protocol.
    subjects : sequence of Subject
        The corpus.
    most : int, optional
        How many of them, the first ones; all where it is not given.

    Returns
    -------
    tuple of Subject
        In the order of the corpus. By protocol 1 the later recordings of each, see `in_time_order`.

    Raises
    ------
    ProtocolError
        When the corpus has none, or too little to train on.
    """
    if protocol.number == 1:
        chosen = subjects[:most]
        _require_two_recordings(chosen)
        return tuple(replace(subject, recordings=_chronological(subject)[1]) for subject in chosen)
    if protocol.number == 2:
        for subject in subjects[:most]:
            _others(subject.name, subjects)
        return tuple(subjects[:most])
    return fixed_split(subjects, "test")[:most]


def trained_on(protocol: Protocol, subjects: Sequence[Subject], subject: str) -> tuple[RecordingFiles, ...]:
    """Recordings that the model for one tested subject may be trained on.

    Parameters
    ----------
    protocol : Protocol
        One that trains.
    subjects : sequence of Subject
        The corpus.
    subject : str
        Folder name of the tested subject.

    Returns
    -------
    tuple of RecordingFiles
        By protocol 1 the earlier recordings of the same subject: 70 % of them, rounded down, but at least one. By
        protocol 2 all of all others, but not those of a subject that is known to be the same person.

    Raises
    ------
    ProtocolError
        When nothing is left to train on.
    """
    if protocol.number == 1:
        [own] = [other for other in subjects if other.name == subject]
        return _chronological(own)[0]
    return tuple(files for other in _others(subject, subjects) for files in other.recordings)


def describe(protocol: Protocol | None, subjects: Sequence[Subject]) -> str:
    """What a run tests, in words.

    Parameters
    ----------
    protocol : Protocol or None
        The protocol.
    subjects : sequence of Subject
        The corpus.
    """
    if protocol is None:
        return "no protocol: all subjects are tested with the model that is given"
    text = f"protocol {protocol.number} ({protocol.name})"
    if protocol.trains:
        twins = sorted({twin for subject in subjects for twin in _persons_others(subject.name, subjects)})
        alike = f"; {' and '.join(twins)} are one person, so none is trained on for another" if twins else ""
        return f"{text}: a model is trained for each subject{alike if protocol.number == 2 else ''}"
    numbers = {case_number(subject.name) for subject in subjects}
    lacking = [f"sub-{number:02d}" for number in SPLIT["test"] if number not in numbers]
    return f"{text}: the test split" + (f", of which the corpus lacks {', '.join(lacking)}" if lacking else "")


def in_time_order(recordings: Sequence[RecordingFiles]) -> tuple[RecordingFiles, ...]:
    """Recordings of a subject as they were made.

    Sessions come by name, since clocks of different visits are often moved apart when a corpus is de-identified. Within
    a session recordings come by the start that their events tables state, where all state one, else by name. Numbers
    in names count as numbers: run-2 comes before run-10.

    Parameters
    ----------
    recordings : sequence of RecordingFiles
        In any order.

    Raises
    ------
    ProtocolError
        When an events table cannot be read; the message names it.
    """
    by_name = sorted(recordings, key=lambda files: (_as_counted(files.folder), _as_counted(files.stem)))
    ordered: list[RecordingFiles] = []
    for _, group in groupby(by_name, key=lambda files: files.folder):
        session = list(group)
        starts = [start for start in map(_start, session) if start is not None]
        if len(starts) == len(session):
            session = [files for _, files in sorted(zip(starts, session, strict=True), key=lambda pair: pair[0])]
        ordered += session
    return tuple(ordered)


def _chronological(subject: Subject) -> tuple[tuple[RecordingFiles, ...], tuple[RecordingFiles, ...]]:
    """A subject's recordings for training, and those for the test."""
    _require_two_recordings([subject])
    recordings = in_time_order(subject.recordings)
    count = max(1, TRAINED * len(recordings) // OF)
    return recordings[:count], recordings[count:]


def _require_two_recordings(subjects: Sequence[Subject]) -> None:
    lacking = [subject.name for subject in subjects if len(subject.recordings) < 2]
    if lacking:
        raise ProtocolError(
            f"{', '.join(lacking)}: one recording each, and patient_specific needs one to train and one to test; "
            "leave them out of the corpus"
        )


def _others(subject: str, subjects: Sequence[Subject]) -> tuple[Subject, ...]:
    """All subjects that are other persons; a `ProtocolError` when there is none."""
    apart = {subject, *_persons_others(subject, subjects)}
    found = tuple(other for other in subjects if other.name not in apart)
    if not found:
        raise ProtocolError(
            f"nothing is left to train a model for {subject} on: leave_one_patient_out needs at least 2 persons"
        )
    return found


def _persons_others(subject: str, subjects: Sequence[Subject]) -> list[str]:
    """Other folders of the same person.

    Names say who is who only in CHB-MIT; a corpus that is not it may have the same names. A model that is trained on
    one subject less is a small loss, and one that knows whom it is tested on a wrong result; so only a number that
    CHB-MIT does not have says that a corpus is another.
    """
    numbers = {other.name: case_number(other.name) for other in subjects}
    if case_number(subject) not in SAME_PERSON or any((number or 0) > LAST_CASE for number in numbers.values()):
        return []
    return [name for name, number in numbers.items() if number in SAME_PERSON and name != subject]


def _as_counted(text: str) -> list[str | int]:
    """A name whose numbers are compared as numbers: text and numbers take turns."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", text))]


def _start(files: RecordingFiles) -> datetime | None:
    """Start of a recording by the first row of its events table that states one."""
    try:
        table = read_table(files.events)
        rows = [parse_row(table.cells(cells)) for _, cells in table.rows]
    except ValueError as error:
        raise ProtocolError(f"{files.events}: no order in time can be had from this table: {error}") from error
    return next((row.start for row in rows if row.start is not None), None)
