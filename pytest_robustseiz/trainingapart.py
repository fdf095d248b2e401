"""That what a model is trained on and what it is tested on are apart: as files, by content, and in time."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.predictioncase import EPOCH, read_stretch
from pytest_robustseiz.protocols import ProtocolError
from pytest_robustseiz.scoring import WINDOW_S


def require_other_signals(
    training: Sequence[RecordingFiles], tested: Sequence[RecordingFiles], content: Callable[[RecordingFiles], str]
) -> None:
    """Check that no recording is in both, under whatever name.

    Parameters
    ----------
    training, tested : sequence of RecordingFiles
        What a model is trained on, and what it is tested on.
    content : callable
        Hash of the content of a recording's EEG file.

    Raises
    ------
    ProtocolError
        Naming a recording that is in both.
    """
    hidden = {content(files): files for files in tested}
    for files in training:
        twin = hidden.get(content(files))
        if twin is not None:
            raise ProtocolError(
                f"{twin.folder}/{twin.stem} is tested, and {files.folder}/{files.stem}, which is for training, holds "
                "the same signal; leave one of them out of the corpus"
            )


def require_other_times(training: Sequence[RecordingFiles], tested: Sequence[RecordingFiles]) -> None:
    """Check that recordings of one subject were made one after the other, where their events tables say when.

    Parameters
    ----------
    training, tested : sequence of RecordingFiles
        The earlier recordings of a subject, and the later ones.

    Raises
    ------
    ProtocolError
        When a recording for training ends after one of the same session that is tested began, by a second or more.
        Sessions may have clocks of their own.
    """
    after = list(_timed(tested))
    for early, _, stop_s in _timed(training):
        for late, start_s, _ in after:
            beyond_s = stop_s - start_s
            if early.folder == late.folder and beyond_s >= WINDOW_S:
                raise ProtocolError(
                    f"{early.stem} is for training and ends {beyond_s:g} s after {late.stem}, which is tested, began "
                    f"({EPOCH + timedelta(seconds=start_s)}): recordings of one session come by their dateTime where "
                    "all have one, else by name; put right the dateTime in their events tables, or write n/a where it "
                    "is not known"
                )


def _timed(recordings: Sequence[RecordingFiles]) -> Iterator[tuple[RecordingFiles, float, float]]:
    """Start and stop of those recordings whose start is known, seconds."""
    for files in recordings:
        stretch = read_stretch(files)
        if stretch.start_s is not None:
            yield files, stretch.start_s, stretch.start_s + stretch.duration_s
