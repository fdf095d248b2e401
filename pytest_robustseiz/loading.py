"""Recordings in memory: read once, kept while their subject's cases run."""

from pathlib import Path

from pytest_robustseiz.case import Loaded
from pytest_robustseiz.change import signal_energy
from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.store import ContentHashes

# Recordings of one subject stay in memory up to this many bytes; what is beyond is read again for each case.
KEEP_BYTES = 2 << 30


class Recordings:
    """Reads recordings and keeps those of the subject at hand.

    Parameters
    ----------
    hashes : ContentHashes
        Where the contents' hashes come from.
    keep_bytes : int
        How much to keep.
    """

    def __init__(self, hashes: ContentHashes, *, keep_bytes: int = KEEP_BYTES) -> None:
        self._hashes = hashes
        self._keep_bytes = keep_bytes
        self._subject = ""
        self._kept: dict[Path, Loaded] = {}

    def load(self, files: RecordingFiles) -> Loaded:
        """Return a recording, from memory or from disk.

        Raises
        ------
        RecordingError, EventsError
            When it cannot be read; the message names the file.
        """
        if files.subject != self._subject:
            self._subject = files.subject
            self._kept.clear()
        if files.eeg not in self._kept:
            recording = read_recording(files)
            loaded = Loaded(recording, self.content(files), signal_energy(recording.eeg))
            if sum(kept.recording.eeg.nbytes for kept in self._kept.values()) + recording.eeg.nbytes > self._keep_bytes:
                return loaded
            self._kept[files.eeg] = loaded
        return self._kept[files.eeg]

    def content(self, files: RecordingFiles) -> str:
        """SHA-256 over a recording's signal and events."""
        return self._hashes.of(files.eeg, files.events)
