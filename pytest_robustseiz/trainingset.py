"""Recordings that a predictor is trained on, with the labels that go with them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.predictioncase import read_stretch
from pytest_robustseiz.recording import Recording, read_recording
from pytest_robustseiz.scoring import Stretch, WindowLabels, subject_labels


@dataclass(frozen=True, eq=False)
class LabelledRecording:
    """One recording of a training set.

    Attributes
    ----------
    recording : Recording
        As a predictor gets it, unperturbed.
    labels : WindowLabels
        Class of each whole second; excluded ones must not be learnt from.
    """

    recording: Recording
    labels: WindowLabels


class TrainingSet:
    """The recordings that one model may see, read when it is their turn, so that one is in memory at a time.

    Iterate over it as often as training takes; each item is a `LabelledRecording`. Labels follow from these recordings
    alone: a seizure in a recording that is not among them leaves no trace.

    Parameters
    ----------
    files : sequence of RecordingFiles
        Of one or more subjects.
    """

    def __init__(self, files: Sequence[RecordingFiles]) -> None:
        self.files = tuple(files)
        self._labels: dict[RecordingFiles, WindowLabels] | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """Folder names of the subjects, each once."""
        return tuple(dict.fromkeys(files.subject for files in self.files))

    def __len__(self) -> int:
        """Number of recordings."""
        return len(self.files)

    def __iter__(self) -> Iterator[LabelledRecording]:
        """Read the recordings in order, the labels of all of them first."""
        labels = self.labels()
        for files in self.files:
            yield LabelledRecording(read_recording(files), labels[files])

    def labels(self) -> dict[RecordingFiles, WindowLabels]:
        """Labels of each recording, without its signal.

        Raises
        ------
        RecordingError, EventsError
            When a recording cannot be read; the message names the file.
        """
        if self._labels is None:
            stretches: dict[str, dict[RecordingFiles, Stretch]] = {}
            for files in self.files:
                stretches.setdefault(files.subject, {})[files] = read_stretch(files)
            self._labels = {}
            for own in stretches.values():
                found = subject_labels(list(own.values()))
                self._labels |= dict(zip(own, found.windows, strict=True))
        return self._labels
