"""The rows of a recording, filled from the channels of an EEG file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.labels import parse_label
from pytest_robustseiz.montage import MIN_ELECTRODES, Montage, MontageError, Selection, select_channels
from pytest_robustseiz.resampling import resample
from pytest_robustseiz.signals import FileChannel, RecordingError, Samples, SignalFile
from pytest_robustseiz.spread import PLAUSIBLE_UV, Spread, measure_spread

SFREQ_HZ = 256
AGREE_UV = 0.1  # two channels of one name that differ by no more hold the same data, rounded at other gains
TOLD_UV = 1.0  # an average below this (RMS) is rounding of a file that was already re-referenced
_BLOCK = 1 << 16  # samples averaged at once


@dataclass(frozen=True)
class Rows:
    """The signal part of a recording; attributes as in `Recording`."""

    eeg: npt.NDArray[np.float32]
    channels: tuple[str, ...]
    montage: Montage
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def read_rows(file: SignalFile) -> Rows:
    """Load, resample and re-reference the channels of a file.

    Raises
    ------
    RecordingError
        As `read_recording` says.
    """
    usable = [channel for channel in file.channels if not channel.defect]
    try:
        selection = select_channels([channel.label for channel in usable])
    except MontageError as error:
        raise RecordingError(f"{file.path}: {error}") from error
    n_samples = round(file.duration_s * SFREQ_HZ)
    if n_samples < 1:
        raise RecordingError(f"{file.path}: {float(file.duration_s):g} s is shorter than one sample at {SFREQ_HZ} Hz")
    eeg = np.empty((len(selection.channels), n_samples), dtype=np.float32)
    spreads = _fill(eeg, file, usable, selection)
    live = _live_rows(selection, spreads)
    missing = [i for i in range(len(eeg)) if i not in live]
    names = tuple(selection.channels[i] for i in missing)
    notes = [*selection.notes, *_rate_notes(usable, selection), *_missing_notes(file, names, spreads)]
    notes += _spread_notes({name: spread for name, spread in spreads.items() if name not in names})
    if selection.montage == "unipolar":
        notes += _average_notes(subtract_average(eeg, live), len(live))
    eeg[missing] = 0
    return Rows(eeg, selection.channels, selection.montage, names, tuple(notes))


def _fill(
    eeg: npt.NDArray[np.float32], file: SignalFile, usable: Sequence[FileChannel], selection: Selection
) -> dict[str, Spread]:
    """Write each row that the file has, and measure it."""
    spreads: dict[str, Spread] = {}
    problems: list[str] = []
    for row, name in zip(eeg, selection.channels, strict=True):
        candidates = [usable[i] for i in selection.sources.get(name, ())]
        if not candidates:
            continue
        try:
            spreads[name] = _fill_row(row, candidates)
        except ValueError as error:
            problems.append(f"{file.path}: {error}")
    if problems:
        raise RecordingError("\n".join(problems))
    return spreads


def _fill_row(row: Samples, candidates: Sequence[FileChannel]) -> Spread:
    first, *others = candidates
    native = first.sfreq == SFREQ_HZ
    samples = row if native else np.empty(first.n_samples, dtype=np.float32)
    spread = _read_checked(first, samples)
    for other in others:
        again = np.empty(other.n_samples, dtype=np.float32)
        _read_checked(other, again)
        if again.shape != samples.shape or float(np.abs(again - samples).max()) > AGREE_UV:
            raise ValueError(
                f"channels {first.label!r} and {other.label!r} name one site but differ; "
                "remove the wrong one from the file"
            )
    if not native:
        row[:] = resample(samples, first.sfreq, SFREQ_HZ, row.size)
    return spread


def _read_checked(channel: FileChannel, out: Samples) -> Spread:
    try:
        channel.read_into(out)
        return measure_spread(out)
    except ValueError as error:
        raise ValueError(f"channel {channel.label!r}: {error}") from error


def _live_rows(selection: Selection, spreads: Mapping[str, Spread]) -> list[int]:
    """Rows that the file has and that are not all zero.

    Where a single electrode is not zero, all that the file has count: the average over that one would leave nothing.
    """
    present = [i for i, name in enumerate(selection.channels) if name in spreads]
    live = [i for i in present if not spreads[selection.channels[i]].is_zero]
    return present if selection.montage == "unipolar" and len(live) < MIN_ELECTRODES else live


def subtract_average(eeg: npt.NDArray[np.float32], live: Sequence[int]) -> float:
    """Subtract the mean over the live rows from them, in place; return the mean's RMS in microvolts.

    Works in blocks, so that a long recording needs no second copy.
    """
    rows: slice | list[int] = slice(None) if len(live) == len(eeg) else list(live)
    power = 0.0
    for start in range(0, eeg.shape[1], _BLOCK):
        average = eeg[rows, start : start + _BLOCK].mean(axis=0)
        eeg[rows, start : start + _BLOCK] -= average
        power += float(np.dot(average, average))
    return float(np.sqrt(power / eeg.shape[1]))


def _average_notes(rms_uv: float, n_live: int) -> list[str]:
    if rms_uv <= TOLD_UV:
        return []
    return [f"re-referenced to the common average of {n_live} electrodes, which took away {rms_uv:.3g} uV RMS"]


def _rate_notes(usable: Sequence[FileChannel], selection: Selection) -> list[str]:
    rates = {usable[i].sfreq for found in selection.sources.values() for i in found} - {SFREQ_HZ}
    return [f"resampled from {float(rate):.7g} Hz to {SFREQ_HZ} Hz" for rate in sorted(rates)]


def _missing_notes(file: SignalFile, missing: Sequence[str], spreads: Mapping[str, Spread]) -> list[str]:
    notes = []
    for channel in file.channels:
        site = parse_label(channel.label) if channel.defect else None
        if site and site.name in missing and site.name not in spreads:
            notes.append(f"channel {channel.label!r} counts as missing: {channel.defect}")
    zero = [name for name in missing if name in spreads]
    if zero:
        notes.append(f"counts as missing, since the file has only zeros there: {', '.join(zero)}")
    if missing:
        notes.append(f"missing and zero-filled: {', '.join(missing)}")
    return notes


def _spread_notes(spreads: Mapping[str, Spread]) -> list[str]:
    odd = [f"{name} {spread.sd_uv:.3g}" for name, spread in spreads.items() if not spread.is_plausible]
    if not odd:
        return []
    low, high = PLAUSIBLE_UV
    return [f"standard deviation outside {low:g} to {high:g} uV, check unit and electrode: {', '.join(odd)}"]
