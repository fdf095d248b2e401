"""EDF, EDF+ and BDF files, read by edfio.

edfio takes a header on trust; what it would misread without a word is checked here.
"""

import math
import struct
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path

import edfio
import numpy as np

from pytest_robustseiz.signals import FileChannel, RecordingError, Samples, SignalFile
from pytest_robustseiz.units import microvolts_per_unit

Edf = edfio.Edf | edfio.Bdf
Signal = edfio.EdfSignal | edfio.BdfSignal

# Latin-1 gives every byte of labels and units a letter, so that the bytes can be had back.
_READERS: dict[bytes, Callable[[Path], Edf]] = {
    b"0": partial(edfio.read_edf, lazy_load_data=True, header_encoding="latin-1"),
    b"\xffBIOSEMI": partial(edfio.read_bdf, header_encoding="latin-1"),
}
_BLOCK = 256  # bytes of the main header, and of each signal's
# Read here for what edfio does not tell: the number of all signals, and the fields of a header that it fails on.
_MAIN = struct.Struct("8s176x8s44x8s8s4s")
_NAMES = ("version", "header_bytes", "records", "record_s", "signals")


def open_edf(path: Path) -> SignalFile:
    """Open an EDF, EDF+ or BDF file.

    Samples of EDF stay on disk until a channel is loaded; those of BDF are loaded at once, with a peak of about eight
    times the file's size in memory. The length is what the file really holds: a record count of -1, or one that does
    not match the size, is corrected, and an incomplete last record is left out, each with a note.

    Raises
    ------
    RecordingError
        When the header is not valid, there is no complete data record, or an EDF+D file has gaps.
    """
    edf, notes = _read(path)
    if edf.reserved.startswith(("EDF+D", "BDF+D")):
        if problem := _discontinuity(edf):
            raise RecordingError(f"{path}: marked as discontinuous (EDF+D), {problem}")
        notes.append("marked as discontinuous (EDF+D), but its records follow each other without a gap")
    record_s = Fraction(str(edf.data_record_duration))  # from the decimal: 1.00008 s is not the float of that name
    channels = tuple(
        FileChannel(
            label=signal.label.strip(" \0"),
            sfreq=signal.samples_per_data_record / record_s,
            n_samples=edf.num_data_records * signal.samples_per_data_record,
            read_into=partial(_read_into, signal, edf.duration),
            limits_uv=_limits_uv(signal),
            defect=_defect(signal),
        )
        for signal in edf.signals
        if signal.samples_per_data_record
    )
    return SignalFile(path, channels, edf.num_data_records * record_s, tuple(notes))


def _read(path: Path) -> tuple[Edf, list[str]]:
    """The file as edfio has it, and what edfio warned of."""
    with path.open("rb") as file:
        fields = _MAIN.unpack(file.read(_BLOCK).ljust(_BLOCK))
    main = {name: field.strip(b" \0") for name, field in zip(_NAMES, fields, strict=True)}
    read = _READERS.get(main["version"])
    if read is None:
        raise RecordingError(f"{path}: not an EDF or BDF file, it begins with {main['version']!r}")
    try:
        _check_main(main, path.stat().st_size)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            edf = read(path)
        _check(edf)
    except Exception as error:  # a broken header makes edfio raise almost anything
        raise RecordingError(
            f"{path}: cannot be read ({type(error).__name__}: {error}); its header states {main}, the file has "
            f"{path.stat().st_size} bytes; expected {_BLOCK} bytes of header and as many for each signal, then "
            "complete records of more than 0 s with samples; copy the file again from its source"
        ) from error
    return edf, [f"edfio: {warning.message}" for warning in caught]


def _check_main(main: Mapping[str, bytes], size: int) -> None:
    """Refuse a main header on which edfio fails in ways that do not tell the reason."""
    if size < _BLOCK:
        raise ValueError(f"the main header of {_BLOCK} bytes is longer than the file")
    header_bytes, n_signals = int(main["header_bytes"]), int(main["signals"])
    if header_bytes > size:
        raise ValueError(f"the header of {header_bytes} bytes is longer than the file")
    if header_bytes != _BLOCK * (n_signals + 1):
        raise ValueError("length of the header and number of signals disagree")
    if n_signals < 1:
        raise ValueError("there are no signals")
    if not 0 < float(main["record_s"].decode("latin-1")) < math.inf:
        raise ValueError("data record duration is not more than 0 s, or without end")


def _check(edf: Edf) -> None:
    """Refuse what edfio lets pass."""
    if edf.num_data_records < 1:
        raise ValueError("no complete data record")
    for signal in edf.signals:
        if signal.samples_per_data_record < 0:
            raise ValueError(f"signal {signal.label!r} has {signal.samples_per_data_record} samples per record")


def _discontinuity(edf: Edf) -> str:
    """Why an EDF+D file cannot be taken as one stretch of signal, "" where it can."""
    if edf.bytes_in_header_record == _BLOCK * (edf.num_signals + 1):
        return "without an annotation signal, so its gaps are not known; convert it to EDF+C"
    try:
        continuous = edf.is_continuous
    except ValueError as error:
        return f"in which not every record says when it begins ({error}); convert it to EDF+C"
    return "" if continuous else "with a gap between records; split it into continuous files"


def _defect(signal: Signal) -> str:
    with suppress(ValueError):  # not a number: an error, but only where the channel is read
        for kind, (low, high) in (("physical", signal.physical_range), ("digital", signal.digital_range)):
            if low == high:
                return f"{kind} minimum and maximum are both {low:g}"
    return ""


def _limits_uv(signal: Signal) -> tuple[float, float] | None:
    with suppress(ValueError):  # no voltage, or not a number: an error, but only where the channel is read
        factor = microvolts_per_unit(signal.physical_dimension.encode("latin-1"))
        low, high = sorted(factor * limit for limit in signal.physical_range)  # the first may be the larger
        return low, high
    return None


def _read_into(signal: Signal, duration_s: float, out: Samples) -> None:
    """Write all samples of one channel, in microvolts, into `out`."""
    factor = microvolts_per_unit(signal.physical_dimension.encode("latin-1"))
    try:
        gain = (signal.physical_max - signal.physical_min) / (signal.digital_max - signal.digital_min)
        offset = signal.physical_min - signal.digital_min * gain
        if not math.isfinite(gain):
            raise ValueError(f"gain is {gain}")
    except ValueError as error:
        raise ValueError(f"range in the header is not a number ({error}); correct it in the file") from error
    # `signal.digital` would keep the samples, and `signal.data` makes two copies in float64
    np.multiply(signal.get_digital_slice(0, duration_s), np.float32(gain * factor), out=out, casting="same_kind")
    out += np.float32(offset * factor)
