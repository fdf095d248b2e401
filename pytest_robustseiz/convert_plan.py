"""What the parts of a conversion tell each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pytest_robustseiz.events import Event
from pytest_robustseiz.montage import Montage


class ConvertError(ValueError):
    """A recording cannot be converted.

    Parameters
    ----------
    reason : str
        What is wrong, with the value found.
    fix : str
        What to do about it.
    """

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason, fix)
        self.reason = reason
        self.fix = fix

    def __str__(self) -> str:
        """Both, as other errors of this package read."""
        return f"{self.reason}; {self.fix}"


def counted(number: int, noun: str) -> str:
    """Such as "1 error" and "2 errors"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True)
class Place:
    """What the name of a recording says.

    Attributes
    ----------
    subject : str
        As the corpus calls it, such as "chb01".
    target : str
        Folder and stem in the BIDS tree, such as "sub-01/ses-01/eeg/sub-01_ses-01_task-szMonitoring_run-03".
    lists : tuple of str
        Files with its annotations, relative to the corpus.
    split : str
        Of the corpus, such as "eval"; "" where it has none.
    """

    subject: str
    target: str
    lists: tuple[str, ...]
    split: str = ""


@dataclass(frozen=True)
class Source:
    """One recording of a corpus on disk.

    Attributes
    ----------
    root : Path
        The corpus.
    name : str
        The EDF file relative to it, with forward slashes.
    place : Place
        What the name says.
    """

    root: Path
    name: str
    place: Place

    @property
    def edf(self) -> Path:
        """The EDF file."""
        return self.root / self.name

    @property
    def lists(self) -> tuple[Path, ...]:
        """The files with its annotations."""
        return tuple(self.root / name for name in self.place.lists)

    @property
    def stem(self) -> str:
        """Of its files in the BIDS tree."""
        return self.place.target.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Of its files in the BIDS tree, relative to that."""
        return self.place.target.rpartition("/")[0]

    @property
    def participant(self) -> str:
        """Name of the subject in the BIDS tree, such as "sub-01"."""
        return self.place.target.partition("/")[0]


@dataclass(frozen=True)
class LeftOut:
    """A file, or several, that a conversion leaves out; an error unless the user's options say so."""

    name: str
    reason: str
    fix: str
    is_error: bool = True


@dataclass(frozen=True)
class Plan:
    """The recordings that are to be converted, in order of name, and what is left out."""

    sources: tuple[Source, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Span:
    """When the samples of a recording were taken; `start` is None where the header has no time that can be read."""

    start: datetime | None
    duration_s: float


@dataclass(frozen=True)
class Choices:
    """What the user may choose.

    Attributes
    ----------
    annotator : str
        SeizeIT1: which of its two lists is the reference, "a1" or "a2".
    assumed_s : float or None
        SeizeIT1: length in seconds of a seizure whose end the list does not state; None makes it an error.
    """

    annotator: str = "a1"
    assumed_s: float | None = None


@dataclass(frozen=True)
class Reading:
    """Seizures that the lists of a recording state, in order of onset, and what reading them noticed."""

    seizures: tuple[Event, ...]
    notes: tuple[str, ...] = ()


class Corpus(Protocol):
    """How one corpus is laid out on disk.

    Attributes
    ----------
    name : str
        As the dataset description and the model card call it.
    montage : {"unipolar", "bipolar"}
        Of all recordings of the converted corpus.
    pattern : str
        Names of its files, for messages.
    templates : str
        Folder of epilepsy2bids with its dataset description.
    labels : Mapping of str to str
        Channel labels that are mistyped in the corpus, and what they stand for.
    """

    name: str
    montage: Montage
    pattern: str
    templates: str
    labels: Mapping[str, str]

    def locate(self, name: str, choices: Choices) -> Place | None:
        """Place of an EDF file by its name relative to the corpus; None when it is not named like a recording."""
        ...

    def read(self, source: Source, span: Span, choices: Choices) -> Reading:
        """Read the annotations of a recording; raises ConvertError when they cannot be trusted."""
        ...

    def listed(self, path: Path) -> dict[str, int]:
        """EDF files beside a list that it names, with their numbers of seizures; empty where it names none."""
        ...

    def participant(self, source: Source) -> dict[str, str]:
        """Cells of participants.tsv for the subject of a recording."""
        ...
