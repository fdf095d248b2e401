"""BrainVision and EEGLAB files, read through MNE."""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import mne
import numpy as np
import numpy.typing as npt

from pytest_robustseiz.labels import parse_label
from pytest_robustseiz.signals import FileChannel, RecordingError, Samples, SignalFile
from pytest_robustseiz.units import decode_unit, microvolts_per_unit

_TO_VOLTS = ("V", "mV", "\N{MICRO SIGN}V", "uV")  # MNE hands on the numbers of any other spelling as they are
_CHANNEL_LINE = re.compile(rb"^Ch\d+[ ]*=([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_RUNNING_NUMBER = re.compile(r"-\d+$")  # MNE puts it behind names that occur more than once
_CUTS = ("boundary", "New Segment/")  # how EEGLAB and BrainVision mark where the signal was cut
_BLOCK = 1 << 16  # samples converted at once


def open_with_mne(path: Path) -> SignalFile:
    """Open a BrainVision header (.vhdr) or an EEGLAB set (.set).

    EEGLAB has no units: its signals are microvolts by convention. Names and rates are those of the file.

    Raises
    ------
    RecordingError
        When MNE cannot read the file; the message has its reason.
    """
    raw, notes = _open(path)
    labels = _labels_of_file(raw.ch_names)
    units = _brainvision_units(path) if path.suffix.lower() == ".vhdr" else [b"uV"] * len(labels)
    if len(units) != len(labels):
        raise RecordingError(f"{path}: {len(labels)} channels, but {len(units)} lines that describe them; mend them")
    store = _Signals(raw, [i for i, label in enumerate(labels) if parse_label(label)])
    sfreq = Fraction(raw.info["sfreq"]).limit_denominator(10**6)
    channels = tuple(
        FileChannel(label, sfreq, raw.n_times, partial(store.read_into, i, units[i])) for i, label in enumerate(labels)
    )
    return SignalFile(path, channels, raw.n_times / sfreq, (*notes, *_cut_notes(raw)))


def _open(path: Path) -> tuple[Any, list[str]]:
    """The file as MNE has it, and what MNE warned of."""
    read = mne.io.read_raw_brainvision if path.suffix.lower() == ".vhdr" else mne.io.read_raw_eeglab
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            raw = read(path, preload=False, verbose="warning")
    except Exception as error:  # a broken file makes MNE raise almost anything
        raise RecordingError(f"{path}: cannot be read ({type(error).__name__}: {error})") from error
    return raw, [f"MNE: {str(warning.message).splitlines()[0]}" for warning in caught]


class _Signals:
    """Channels of a file, all loaded when the first is asked for: their samples alternate on disk."""

    def __init__(self, raw: Any, picks: Sequence[int]) -> None:
        self._raw = raw
        self._row = {pick: row for row, pick in enumerate(picks)}
        self._loaded: npt.NDArray[np.float32] | None = None

    def read_into(self, channel: int, unit: bytes, out: Samples) -> None:
        """Write the samples of one channel, in microvolts, into `out`."""
        factor = microvolts_per_unit(unit)
        if decode_unit(unit) in _TO_VOLTS:
            factor = 1e6
        if self._loaded is None:
            self._loaded = self._load_all()
        np.multiply(self._loaded[self._row[channel]], np.float32(factor), out=out)

    def _load_all(self) -> npt.NDArray[np.float32]:
        n = self._raw.n_times
        loaded = np.empty((len(self._row), n), dtype=np.float32)
        for start in range(0, n, _BLOCK):
            stop = min(start + _BLOCK, n)
            loaded[:, start:stop] = self._raw.get_data(picks=list(self._row), start=start, stop=stop, verbose="error")
        return loaded


def _labels_of_file(names: Sequence[str]) -> list[str]:
    """Take away the running numbers of names that occur more than once in the file."""
    stems = Counter(_RUNNING_NUMBER.sub("", name) for name in names if _RUNNING_NUMBER.search(name))
    repeated = {f"{stem}-{i}": stem for stem, n in stems.items() if n > 1 for i in range(n)}
    return [repeated.get(name, name) for name in names]


def _brainvision_units(path: Path) -> list[bytes]:
    """Unit of each channel as the header has it: the fourth field, microvolts where there is none."""
    section = path.read_bytes().partition(b"[Channel Infos]")[2].partition(b"\n[")[0]
    fields = [line.split(b",") for line in _CHANNEL_LINE.findall(section)]
    return [field[3].strip() if len(field) > 3 and field[3].strip() else b"uV" for field in fields]


def _cut_notes(raw: Any) -> list[str]:
    marks = zip(raw.annotations.onset, raw.annotations.description, strict=True)
    n = sum(onset > 0 and text.startswith(_CUTS) for onset, text in marks)
    cuts = "1 cut" if n == 1 else f"{n} cuts"
    return [f"the file marks {cuts} in the signal; times behind it are times in the file"] if n else []
