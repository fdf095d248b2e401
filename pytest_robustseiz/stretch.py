"""The piece of EEG that a gallery shows."""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.corpus import RecordingFiles, discover
from pytest_robustseiz.events import read_events
from pytest_robustseiz.recording import Recording, read_recording

DEMO = "demo"
SYNTHETIC = "Synthetic demo EEG: no person was recorded."
CONTEXT_S = 300.0  # what the shifts act on: long enough for slow drifts, short enough for eighty settings in a minute
MINUTE_S = 60.0
BEFORE_ONSET = 0.25  # share of the view that lies before a seizure's onset


class StretchError(ValueError):
    """The stretch that was asked for does not exist."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A piece of a recording, and the few seconds of it that are drawn.

    Attributes
    ----------
    recording : Recording
        Where it is from.
    eeg : ndarray of float32, shape (n_channels, n_samples)
        Microvolts; what the shifts act on.
    start_s : float
        Where in the recording it begins.
    view, minute : slice
        Samples of `eeg` that are drawn for all chosen channels, and for one.
    """

    recording: Recording
    eeg: npt.NDArray[np.float32]
    start_s: float
    view: slice
    minute: slice

    @property
    def sfreq(self) -> float:
        """Sampling rate in Hz."""
        return self.recording.sfreq

    def seconds(self, samples: slice) -> tuple[float, float]:
        """Start and stop of a slice of `eeg`, in seconds of the recording."""
        return self.start_s + samples.start / self.sfreq, self.start_s + samples.stop / self.sfreq


def load(data: str, stem: str | None) -> Recording:
    """Read the recording of a gallery.

    Parameters
    ----------
    data : str
        Folder of a BIDS-EEG corpus, or "demo" for the synthetic one.
    stem : str or None
        The recording, such as "sub-01_ses-01_task-szMonitoring_run-00"; None takes the first that has a seizure, or
        else the first.

    Raises
    ------
    StretchError
        When there is no such recording.
    CorpusError, RecordingError, EventsError
        When the data cannot be read.
    """
    if data != DEMO:
        return read_recording(_choose(Path(data), stem))
    from pytest_robustseiz.demo_corpus import demo_corpus

    with tempfile.TemporaryDirectory(prefix="robustseiz-") as folder:
        return read_recording(_choose(demo_corpus(Path(folder)), stem))


def _choose(root: Path, stem: str | None) -> RecordingFiles:
    files = [recording for subject in discover(root) for recording in subject.recordings]
    if stem is None:
        return next((recording for recording in files if _has_seizure(recording)), files[0])
    for recording in files:
        if recording.stem == stem:
            return recording
    raise StretchError(f"no recording {stem!r}; there are {', '.join(recording.stem for recording in files)}")


def _has_seizure(files: RecordingFiles) -> bool:
    # The length is known only after reading the EEG, and is checked then.
    return any(event.is_seizure for event in read_events(files.events, recording_s=math.inf))


def cut(recording: Recording, *, start_s: float | None, seconds: float) -> Stretch:
    """Choose a stretch.

    Parameters
    ----------
    recording : Recording
        Where to cut.
    start_s : float or None
        Begin of what is drawn, in seconds; None takes a moment before the first seizure's onset, or the middle.
    seconds : float
        Length of what is drawn.

    Raises
    ------
    StretchError
        When the recording does not hold it.
    """
    duration_s, sfreq = recording.duration_s, recording.sfreq
    latest_s = duration_s - seconds
    if latest_s < 0:
        raise StretchError(f"{recording.stem} has {duration_s:g} s, which is less than the {seconds:g} s to draw")
    if start_s is None:
        start_s = min(max(_interesting_s(recording.seizures, duration_s, seconds), 0.0), latest_s)
    if not 0 <= start_s <= latest_s:
        raise StretchError(f"{recording.stem}: start must be between 0 and {latest_s:g} s, got {start_s:g}")
    context = _around(start_s, seconds, CONTEXT_S, 0.0, duration_s)
    first, last = (round(time_s * sfreq) for time_s in context)
    minute = _around(start_s, seconds, MINUTE_S, *context)

    def samples(begin_s: float, end_s: float) -> slice:
        return slice(round(begin_s * sfreq) - first, round(end_s * sfreq) - first)

    eeg = recording.eeg[:, first:last]
    return Stretch(recording, eeg, first / sfreq, samples(start_s, start_s + seconds), samples(*minute))


def _interesting_s(seizures: Sequence[tuple[float, float]], duration_s: float, seconds: float) -> float:
    return seizures[0][0] - BEFORE_ONSET * seconds if seizures else (duration_s - seconds) / 2


def _around(start_s: float, seconds: float, wanted_s: float, low_s: float, high_s: float) -> tuple[float, float]:
    """A span of the wanted length around another one, moved or shortened to fit between two limits."""
    length_s = min(max(wanted_s, seconds), high_s - low_s)
    begin_s = min(max(start_s + seconds / 2 - length_s / 2, low_s), high_s - length_s)
    return begin_s, begin_s + length_s
