"""A recording as every detector gets it: 256 Hz, microvolts, one order of channels."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.edf import open_edf
from pytest_robustseiz.events import Event, read_events_table
from pytest_robustseiz.montage import Montage
from pytest_robustseiz.rows import SFREQ_HZ, read_rows
from pytest_robustseiz.signals import RecordingError, SignalFile

__all__ = ["Recording", "RecordingError", "read_recording"]


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """One recording with its reference events.

    Attributes
    ----------
    subject, stem, folder : str
        As in `RecordingFiles`.
    eeg : ndarray of float32, shape (n_channels, n_samples)
        Microvolts; read-only, C-contiguous. While a model is visited that takes tensors, one on its device.
    sfreq : float
        256 Hz.
    channels : tuple of str
        The 19 electrodes in the order of epilepsy2bids, or the 18 pairs of the double banana.
    montage : {"unipolar", "bipolar"}
        Unipolar signals are against the common average of the electrodes that carry signal.
    events : tuple of Event
        In order of onset.
    start : datetime or None
        When the recording began, as the events table says: local time without a zone.
    missing : tuple of str
        Channels that the file has not, or has without range, as one constant value or pinned at a limit; they are zero.
    notes : tuple of str
        What reading did or noticed, a sentence each.
    """

    subject: str
    stem: str
    folder: str
    eeg: npt.NDArray[np.float32]
    sfreq: float
    channels: tuple[str, ...]
    montage: Montage
    events: tuple[Event, ...]
    start: datetime | None
    missing: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def n_samples(self) -> int:
        """Number of samples per channel."""
        return int(self.eeg.shape[1])

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.n_samples / self.sfreq

    @property
    def seizures(self) -> tuple[tuple[float, float], ...]:
        """Start and stop of each reference seizure in seconds, in order of onset, not merged."""
        return tuple((event.onset_s, event.stop_s) for event in self.events if event.is_seizure)

    def to_raw(self) -> Any:
        """Copy into an `mne.io.RawArray`: volts, events as annotations, `start` taken as UTC.

        MNE has no type for a difference of electrodes, so pairs are of type eeg too.
        """
        import mne

        info = mne.create_info(list(self.channels), self.sfreq, ch_types="eeg")
        raw = mne.io.RawArray(self.eeg.astype(np.float64) * 1e-6, info, verbose="error")
        if self.start is not None:
            raw.set_meas_date(self.start.replace(tzinfo=UTC))
        onsets, durations = [e.onset_s for e in self.events], [e.duration_s for e in self.events]
        raw.set_annotations(
            mne.Annotations(onsets, durations, [e.event_type for e in self.events], orig_time=raw.info["meas_date"])
        )
        return raw


def read_recording(files: RecordingFiles) -> Recording:
    """Read one recording: standard channels, microvolts, 256 Hz, common average, checked events.

    Missing channels are zero-filled, electrodes after the average, which is over the electrodes that the file has. A
    channel counts as missing too when its header gives it no range (physical minimum equals maximum), when all its
    samples have one value, as converters write for an electrode they lack, or when they stay at a limit of what the
    file can hold, as those of an amplifier at its rail. Where two channels name one electrode, one that carries signal
    is read. A single electrode with signal is not re-referenced. Signals at another rate are resampled without moving
    them in time. Other channels are left out. What was done is in the notes.

    Parameters
    ----------
    files : RecordingFiles
        One recording of a corpus.

    Raises
    ------
    RecordingError
        When the EEG file cannot be read, is of another montage, has units other than volts, mV or uV, has samples that
        are not finite, or names a channel twice with signals that differ.
    EventsError
        When the events table has bad rows.
    """
    file = _open(files.eeg)
    rows = read_rows(file)
    rows.eeg.setflags(write=False)
    duration_s = rows.eeg.shape[1] / SFREQ_HZ
    table = read_events_table(files.events, recording_s=duration_s)
    return Recording(
        subject=files.subject,
        stem=files.stem,
        folder=files.folder,
        eeg=rows.eeg,
        sfreq=float(SFREQ_HZ),
        channels=rows.channels,
        montage=rows.montage,
        events=table.events,
        start=table.start,
        missing=rows.missing,
        notes=(*file.notes, *rows.notes, *table.notes),
    )


def _open(path: Path) -> SignalFile:
    if not path.exists():
        raise RecordingError(f"{path}: no such file; if it is a link, fetch its content first (datalad get)")
    if path.suffix.lower() in (".edf", ".bdf"):
        return open_edf(path)
    from pytest_robustseiz.otherformats import open_with_mne  # imports mne

    return open_with_mne(path)
