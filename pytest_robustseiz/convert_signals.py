"""The signals of one recording of a corpus, as the converted corpus has them."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters import derive_pairs
from pytest_robustseiz.convert_plan import ConvertError, Corpus, Span
from pytest_robustseiz.edf import open_edf
from pytest_robustseiz.montage import DOUBLE_BANANA
from pytest_robustseiz.rows import SFREQ_HZ, Rows, read_rows
from pytest_robustseiz.signals import SignalFile

QUANTUM = 4  # samples: 1/64 s is the shortest time at 256 Hz that the eight characters of an EDF header can state
_START = re.compile(rb"(\d\d)[.:](\d\d)[.:](\d\d)(\d\d)[.:](\d\d)[.:](\d\d)")  # TUSZ has a date with colons
_PIVOT = 85  # years from 85 are of the last century


@dataclass(frozen=True, eq=False)
class Signals:
    """Signals and what belongs to them.

    Attributes
    ----------
    eeg : ndarray of float32, shape (n_channels, n_samples)
        Microvolts at 256 Hz; the number of samples is a multiple of four.
    channels : tuple of str
        The 19 electrodes, or the 18 pairs of the double banana.
    missing : tuple of str
        Channels that the file has not; they are zero.
    notes : tuple of str
        What reading did or noticed, a sentence each.
    """

    eeg: npt.NDArray[np.float32]
    channels: tuple[str, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def open_source(path: Path, labels: Mapping[str, str]) -> tuple[SignalFile, Span]:
    """Open an EDF file of a corpus, with its mistyped labels corrected.

    Raises
    ------
    RecordingError
        As `open_edf` says.
    """
    file = open_edf(path)
    channels = tuple(replace(channel, label=labels.get(channel.label, channel.label)) for channel in file.channels)
    return replace(file, channels=channels), Span(read_start(path), float(file.duration_s))


def read_start(path: Path) -> datetime | None:
    """When a recording began, from the main header of its EDF file; None where that holds no date and time."""
    with path.open("rb") as file:
        found = _START.fullmatch(file.read(184)[168:])
    if found:
        day, month, year, hour, minute, second = (int(part) for part in found.groups())
        with suppress(ValueError):  # the thirtieth of February
            return datetime(year + (1900 if year >= _PIVOT else 2000), month, day, hour, minute, second)
    return None


def read_signals(file: SignalFile, corpus: Corpus) -> Signals:
    """Read the signals of a recording in the montage of its corpus.

    Where the corpus holds pairs and the file electrodes, as three files of CHB-MIT do, the pairs are derived: the
    reference cancels.

    Raises
    ------
    RecordingError
        As `read_recording` says.
    ConvertError
        When the file holds pairs and the corpus electrodes.
    """
    rows = read_rows(file)
    if rows.montage != corpus.montage:
        rows = _derived(rows, corpus)
    n_samples = rows.eeg.shape[1] // QUANTUM * QUANTUM
    notes = (*file.notes, *rows.notes)
    if cut := rows.eeg.shape[1] - n_samples:
        notes += (
            f"the last {cut / SFREQ_HZ * 1000:.1f} ms were left out, since an EDF file cannot state their length",
        )
    return Signals(rows.eeg[:, :n_samples], rows.channels, rows.missing, notes)


def _derived(rows: Rows, corpus: Corpus) -> Rows:
    if rows.montage == "bipolar":
        raise ConvertError(
            f"its channels are pairs of electrodes, and {corpus.name} is recorded against a common reference",
            "find out whether the file belongs to this corpus",
        )
    eeg = np.asarray(derive_pairs(rows.eeg, rows.channels, DOUBLE_BANANA), dtype=np.float32)
    missing = tuple(pair for pair in DOUBLE_BANANA if set(pair.split("-")) & set(rows.missing))
    eeg[[DOUBLE_BANANA.index(pair) for pair in missing]] = 0
    notes = (*rows.notes, "the file has electrodes; the pairs were derived from them")
    return Rows(eeg, DOUBLE_BANANA, "bipolar", missing, notes)
