"""The four protocols of SzPredict, and its fixed split.

Source: SzPredict, specification 0.1. Its splits name the cases of CHB-MIT, chb01 to chb24; in a BIDS tree they are
sub-01 to sub-24, or sub-chb01 to sub-chb24.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_robustseiz.corpus import Subject

SPLIT: dict[str, tuple[int, ...]] = {
    "train": (1, 3, 5, 6, 8, 10, 12, 13, 15, 18, 20, 24),
    "val": (4, 9, 14, 16, 21),
    "test": (2, 7, 11, 17, 19, 22, 23),
}


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
