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


@dataclass(frozen=True)
class _Source:
    """The channel that a row was read from, and those that it was not read from: dead ones, and spares."""

    channel: FileChannel
    spread: Spread
    dead: tuple[tuple[FileChannel, Spread], ...]
    spares: tuple[FileChannel, ...]


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
    sources = _fill(eeg, file, usable, selection)
    live = [i for i, name in enumerate(selection.channels) if name in sources and not sources[name].spread.is_dead]
    missing = [i for i in range(len(eeg)) if i not in live]
    names = tuple(selection.channels[i] for i in missing)
    notes = [*selection.notes, *_source_notes(sources), *_missing_notes(file, names, sources)]
    notes += _spread_notes({name: source.spread for name, source in sources.items() if name not in names})
    if selection.montage == "unipolar":
        notes += _rereference(eeg, live, selection)
    eeg[missing] = 0
    return Rows(eeg, selection.channels, selection.montage, names, tuple(notes))


def _fill(
    eeg: npt.NDArray[np.float32], file: SignalFile, usable: Sequence[FileChannel], selection: Selection
) -> dict[str, _Source]:
    """Write each row that the file has, and measure it."""
    sources: dict[str, _Source] = {}
    problems: list[str] = []
    for row, name in zip(eeg, selection.channels, strict=True):
        best = [usable[i] for i in selection.sources.get(name, ())]
        spares = [usable[i] for i in selection.spares.get(name, ())]
        if not best:
            continue
        try:
            sources[name] = _fill_row(row, best, spares)
        except ValueError as error:
            problems.append(f"{file.path}: {error}")
    if problems:
        raise RecordingError("\n".join(problems))
    return sources


def _fill_row(row: Samples, best: Sequence[FileChannel], spares: Sequence[FileChannel]) -> _Source:
    """Write the first channel that carries signal, or else the first; `spares` are looked at after `best`.

    Channels of equal standing must hold the same data, dead ones apart.
    """
    dead: list[tuple[FileChannel, Spread]] = []
    for group in (best, spares):
        for k, channel in enumerate(group):
            samples = row if channel.sfreq == SFREQ_HZ else np.empty(channel.n_samples, dtype=np.float32)
            spread = _read_checked(channel, samples)
            if spread.is_dead:
                dead.append((channel, spread))
                continue
            dead += _compare(channel, samples, group[k + 1 :])
            if samples is not row:
                row[:] = resample(samples, channel.sfreq, SFREQ_HZ, row.size)
            return _Source(channel, spread, tuple(dead), tuple(spares) if group is best else ())
    channel, spread = dead[0]
    return _Source(channel, spread, (), ())


def _compare(channel: FileChannel, samples: Samples, others: Sequence[FileChannel]) -> list[tuple[FileChannel, Spread]]:
    """Those of the other channels of one name that carry no signal; ValueError where one has other data."""
    dead = []
    for other in others:
        again = np.empty(other.n_samples, dtype=np.float32)
        spread = _read_checked(other, again)
        if spread.is_dead:
            dead.append((other, spread))
        elif again.shape != samples.shape or float(np.abs(again - samples).max()) > AGREE_UV:
            raise ValueError(
                f"channels {channel.label!r} and {other.label!r} name one site but differ; "
                "remove the wrong one from the file"
            )
    return dead


def _read_checked(channel: FileChannel, out: Samples) -> Spread:
    try:
        channel.read_into(out)
        return measure_spread(out, limits_uv=channel.limits_uv)
    except ValueError as error:
        raise ValueError(f"channel {channel.label!r}: {error}") from error


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


def _rereference(eeg: npt.NDArray[np.float32], live: Sequence[int], selection: Selection) -> list[str]:
    """Subtract the common average, in place, where there is one; the notes on it."""
    if len(live) < MIN_ELECTRODES:
        only = [selection.channels[i] for i in live]
        return [f"only {name} carries signal; it was not re-referenced, since nothing would be left" for name in only]
    rms_uv = subtract_average(eeg, live)
    if rms_uv <= TOLD_UV:
        return []
    origin = selection.reference or "a reference that the labels do not state"
    how = f"of {len(live)} electrodes; it took away {rms_uv:.3g} uV RMS"
    return [f"re-referenced from {origin} to the common average ({how})"]


def _source_notes(sources: Mapping[str, _Source]) -> list[str]:
    notes = []
    for name, source in sources.items():
        passed = [f"{channel.label!r} ({spread.what})" for channel, spread in source.dead]
        passed += [repr(channel.label) for channel in source.spares]
        if passed:
            notes.append(f"{name} was read from {source.channel.label!r}, not from {', '.join(passed)}")
    rates = {source.channel.sfreq for source in sources.values()} - {SFREQ_HZ}
    return notes + [f"resampled from {float(rate):.7g} Hz to {SFREQ_HZ} Hz" for rate in sorted(rates)]


def _missing_notes(file: SignalFile, missing: Sequence[str], sources: Mapping[str, _Source]) -> list[str]:
    notes = []
    for channel in file.channels:
        site = parse_label(channel.label) if channel.defect else None
        if site and site.name in missing and site.name not in sources:
            notes.append(f"channel {channel.label!r} counts as missing: {channel.defect}")
    dead: dict[str, list[str]] = {}
    for name in missing:
        if name in sources:
            dead.setdefault(sources[name].spread.what, []).append(name)
    notes += [f"counts as missing, since it is {what}: {', '.join(names)}" for what, names in dead.items()]
    if missing:
        notes.append(f"missing and zero-filled: {', '.join(missing)}")
    return notes


def _spread_notes(spreads: Mapping[str, Spread]) -> list[str]:
    odd = [f"{name} ({spread.sd_uv:.3g} uV)" for name, spread in spreads.items() if not spread.is_plausible]
    if not odd:
        return []
    usual = "{:g} to {:g} uV".format(*PLAUSIBLE_UV)
    return [f"standard deviation is not one of EEG, check unit and electrode (usual are {usual}): {', '.join(odd)}"]
