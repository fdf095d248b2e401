"""The four protocols of SzPredict: who is tested, and what a model may be trained on.

Source: SzPredict, specification 0.1. Its splits name the cases of CHB-MIT, chb01 to chb24; in a BIDS tree they are
sub-01 to sub-24, or sub-chb01 to sub-chb24.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_robustseiz.corpus import RecordingFiles, Subject

SPLIT: dict[str, tuple[int, ...]] = {
    "train": (1, 3, 5, 6, 8, 10, 12, 13, 15, 18, 20, 24),
    "val": (4, 9, 14, 16, 21),
    "test": (2, 7, 11, 17, 19, 22, 23),
}
TRAINED_SHARE = 0.7
# Case chb21 is the person of chb01, a year and a half later (CHB-MIT, PhysioNet).
SAME_PERSON = ({1, 21},)


class ProtocolError(ValueError):
    """A protocol cannot be carried out on a corpus; the message says what is missing."""


@dataclass(frozen=True)
class Protocol:
    """One protocol.

    Attributes
    ----------
    number : int
        1 to 4.
    name : str
        As SzPredict calls it.
    trains : bool
        Whether a model is trained for each subject, in the run; else the run gets one that is trained.
    """

    number: int
    name: str
    trains: bool


PROTOCOLS: dict[str, Protocol] = {
    "1": Protocol(1, "patient_specific", trains=True),
    "2": Protocol(2, "leave_one_patient_out", trains=True),
    "3": Protocol(3, "cross_patient_fixed", trains=False),
    "4": Protocol(4, "transition_timing", trains=False),
}


def case_number(subject: str) -> int | None:
    """Number of the CHB-MIT case that a folder name stands for: 7 for sub-07, sub-7 and sub-chb07; else None."""
    found = re.fullmatch(r"sub-(?:chb)?0*(\d+)", subject, re.IGNORECASE)
    return int(found[1]) if found else None


def fixed_split(subjects: Sequence[Subject], part: str) -> tuple[Subject, ...]:
    """Subjects of one part of the split of protocols 3 and 4.

    Parameters
    ----------
    subjects : sequence of Subject
        The corpus, as `pytest_robustseiz.corpus.discover` lists it.
    part : {"train", "val", "test"}
        The test part never serves selection or tuning.

    Raises
    ------
    ProtocolError
        When the corpus has none of them.
    """
    found = tuple(subject for subject in subjects if case_number(subject.name) in SPLIT[part])
    if not found:
        names = ", ".join(f"sub-{number:02d}" for number in SPLIT[part])
        raise ProtocolError(f"the corpus has none of the {part} subjects of the fixed split: {names}")
    return found


def tested(protocol: Protocol, subjects: Sequence[Subject]) -> tuple[Subject, ...]:
    """Subjects that a protocol tests, each with the recordings that it tests.

    Parameters
    ----------
    protocol : Protocol
        The protocol.
    subjects : sequence of Subject
        The corpus.

    Raises
    ------
    ProtocolError
        When the corpus has none, or too little to train on.
    """
    if protocol.number == 1:
        return tuple(replace(subject, recordings=_chronological(subject)[1]) for subject in subjects)
    if protocol.number == 2:
        if len(subjects) < 2:
            raise ProtocolError("leave one patient out needs at least 2 subjects")
        return tuple(subjects)
    return fixed_split(subjects, "test")


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
        return f"{text}: a model is trained for each subject"
    numbers = {case_number(subject.name) for subject in subjects}
    lacking = [f"sub-{number:02d}" for number in SPLIT["test"] if number not in numbers]
    return f"{text}: the test split" + (f", of which the corpus lacks {', '.join(lacking)}" if lacking else "")


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
        By protocol 1 the earlier recordings of the same subject, by protocol 2 all of all others, but not those of a
        subject that is known to be the same person.

    Raises
    ------
    ProtocolError
        When nothing is left to train on.
    """
    if protocol.number == 1:
        [own] = [other for other in subjects if other.name == subject]
        return _chronological(own)[0]
    apart = _same_person(subject, subjects)
    found = tuple(files for other in subjects if other.name not in apart for files in other.recordings)
    if not found:
        raise ProtocolError(f"nothing is left to train a model for {subject} on")
    return found


def _chronological(subject: Subject) -> tuple[tuple[RecordingFiles, ...], tuple[RecordingFiles, ...]]:
    """The first 70 % of a subject's recordings, rounded down but at least one, and the others."""
    recordings = subject.recordings
    if len(recordings) < 2:
        raise ProtocolError(f"{subject.name} has one recording; patient_specific needs one to train and one to test")
    count = max(1, int(TRAINED_SHARE * len(recordings) + 1e-9))
    return recordings[:count], recordings[count:]


def _same_person(subject: str, subjects: Sequence[Subject]) -> set[str]:
    """Folder names of a person. Only where all names are those of CHB-MIT's cases do numbers say who is who."""
    number = case_number(subject)
    numbers = {other.name: case_number(other.name) for other in subjects}
    if not all(other.name.lower().startswith("sub-chb") for other in subjects) and not _is_whole_corpus(numbers):
        return {subject}
    person = next((group for group in SAME_PERSON if number in group), {number})
    return {name for name, own in numbers.items() if own in person} | {subject}


def _is_whole_corpus(numbers: dict[str, int | None]) -> bool:
    return set(numbers.values()) == set(range(1, 25))
