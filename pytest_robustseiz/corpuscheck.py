"""What is wrong with a corpus: every recording is read as a run would read it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_robustseiz.corpus import CorpusError, discover
from pytest_robustseiz.corpusfacts import read_corpus_facts
from pytest_robustseiz.events import EventsError
from pytest_robustseiz.recording import Recording, RecordingError, read_recording


@dataclass
class CorpusCheck:
    """What was found.

    Attributes
    ----------
    problems, notes : list of str
        A line for each: what stops a run, and what reading did or noticed.
    subjects, recordings, seizures : int
        What could be read.
    hours : float
        Recorded time of it.
    """

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    subjects: int = 0
    recordings: int = 0
    seizures: int = 0
    hours: float = 0.0

    def add(self, recording: Recording) -> None:
        """Count a recording that could be read."""
        self.recordings += 1
        self.seizures += len(recording.seizures)
        self.hours += recording.duration_s / 3600
        self.notes += [f"{recording.folder}/{recording.stem}: {note}" for note in recording.notes]


def check_corpus(root: Path, progress: Callable[[int, int], None]) -> CorpusCheck:
    """Read every recording: names, labels, units, samples, events and durations.

    Parameters
    ----------
    root : Path
        The folder that holds the `sub-*` folders.
    progress : callable
        Called with the number of recordings done and of all, after each.
    """
    check = CorpusCheck()
    try:
        subjects = discover(root)
        read_corpus_facts(root, [subject.name for subject in subjects])
    except CorpusError as error:
        check.problems += _lines(error)
        return check
    check.subjects = len(subjects)
    recordings = [files for subject in subjects for files in subject.recordings]
    for done, files in enumerate(recordings, start=1):
        try:
            check.add(read_recording(files))
        except (RecordingError, EventsError) as error:
            check.problems += _lines(error)
        progress(done, len(recordings))
    if check.recordings and not check.seizures:
        check.notes.append(f"{root}: no recording has a seizure, so sensitivity and F1 are not defined")
    return check


def _lines(error: ValueError) -> list[str]:
    """One line per problem: the lines below a heading, each with the heading's path; else the message."""
    heading, *listed = str(error).splitlines()
    if listed and listed[0].startswith("  "):
        return [f"{heading.partition(': ')[0]}: {line.strip()}" for line in listed]
    return [heading, *listed]
