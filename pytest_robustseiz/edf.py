"""EDF, EDF+ and BDF files.

Read here rather than by a library, for what a benchmark needs and none offers: channels loaded one at a time from BDF
too, the bytes of the unit field, the exact record duration, and the record times of EDF+D. The layout is Kemp et al.,
"A simple format for exchange of digitized polygraphic recordings", Electroencephalogr Clin Neurophysiol
1992;82:391-393, and https://www.edfplus.info/specs/edfplus.html.
"""

import math
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.edf_header import Header, SignalHeader, read_header
from pytest_robustseiz.signals import FileChannel, RecordingError, Samples, SignalFile
from pytest_robustseiz.units import microvolts_per_unit

GAP_S = 0.01  # record onsets are decimal text, rounded by some writers
Records = npt.NDArray[np.uint8]


def open_edf(path: Path) -> SignalFile:
    """Open an EDF, EDF+ or BDF file; samples stay on disk until a channel is loaded.

    The length is what the file really holds: a record count of -1, or one that does not match the size, is corrected,
    and an incomplete last record is left out, each with a note.

    Raises
    ------
    RecordingError
        When the header is not valid, there is no complete data record, or an EDF+D file has gaps.
    """
    size = path.stat().st_size
    header = read_header(path)
    if sum(signal.samples_per_record for signal in header.signals) == 0:
        raise RecordingError(f"{path}: its signals have no samples; write the file again from its source")
    n_records, rest = divmod(size - header.n_bytes, header.record_bytes)
    if n_records < 1:
        raise RecordingError(
            f"{path}: no complete data record ({size} bytes, of which {header.n_bytes} header; a record has "
            f"{header.record_bytes}); copy the file again from its source"
        )
    records = np.memmap(path, dtype=np.uint8, mode="r", offset=header.n_bytes, shape=(n_records, header.record_bytes))
    notes = _length_notes(header, n_records, rest)
    if header.is_discontinuous:
        _check_continuous(path, header, records)
        notes.append("marked as discontinuous (EDF+D), but its records follow each other without a gap")
    channels = tuple(
        FileChannel(
            label=signal.label,
            sfreq=signal.samples_per_record / header.record_s,
            n_samples=n_records * signal.samples_per_record,
            read_into=partial(_read_into, records, signal, header.sample_bytes),
            defect=_defect(signal),
        )
        for signal in header.signals
        if not signal.is_annotation and signal.samples_per_record
    )
    return SignalFile(path, channels, n_records * header.record_s, tuple(notes))


def _length_notes(header: Header, n_records: int, rest: int) -> list[str]:
    notes = []
    if header.n_records == -1:
        notes.append(f"the header gives no record count (-1); the file holds {n_records} records")
    elif header.n_records != n_records:
        notes.append(f"the header says {header.n_records} records, the file holds {n_records}, which were read")
    if rest:
        notes.append(f"the last record is incomplete ({rest} of {header.record_bytes} bytes) and was left out")
    return notes


def _defect(signal: SignalHeader) -> str:
    if signal.physical_min == signal.physical_max:
        return f"physical minimum and maximum are both {signal.physical_min:g}"
    if signal.digital_min == signal.digital_max:
        return f"digital minimum and maximum are both {signal.digital_min:g}"
    return ""


def _read_into(records: Records, signal: SignalHeader, sample_bytes: int, out: Samples) -> None:
    """Write all samples of one channel, in microvolts, into `out`, with no copy in between for EDF."""
    factor = microvolts_per_unit(signal.unit)
    gain = (signal.physical_max - signal.physical_min) / (signal.digital_max - signal.digital_min)
    offset = signal.physical_min - signal.digital_min * gain
    if not math.isfinite(gain):
        raise ValueError("physical or digital range in the header is not a number; correct it in the file")
    stop = signal.offset + signal.samples_per_record * sample_bytes
    digital = _digital(records[:, signal.offset : stop], sample_bytes)
    np.multiply(digital, np.float32(gain * factor), out=out.reshape(digital.shape), casting="same_kind")
    out += np.float32(offset * factor)


def _digital(raw: Records, sample_bytes: int) -> npt.NDArray[np.int16] | npt.NDArray[np.int32]:
    """Little-endian integers of 16 bits (EDF) or 24 bits (BDF), a row per record."""
    if sample_bytes == 2:
        return raw.view("<i2")
    wide = np.zeros((len(raw), raw.shape[1] // 3, 4), dtype=np.uint8)
    wide[:, :, 1:] = raw.reshape(len(raw), -1, 3)
    return wide.view("<i4")[:, :, 0] >> 8  # the shift carries the sign


def _check_continuous(path: Path, header: Header, records: Records) -> None:
    keeper = next((signal for signal in header.signals if signal.is_annotation), None)
    if keeper is None:
        raise RecordingError(
            f"{path}: EDF+D without an annotation signal, so its gaps are not known; convert it to EDF+C"
        )
    stop = keeper.offset + keeper.samples_per_record * header.sample_bytes
    onsets = [_onset(path, i, row.tobytes()) for i, row in enumerate(records[:, keeper.offset : stop])]
    for i, onset in enumerate(onsets):
        expected = onsets[0] + i * float(header.record_s)
        if abs(onset - expected) > GAP_S:
            raise RecordingError(
                f"{path}: EDF+D with a gap: record {i} begins at {onset:g} s, expected {expected:g} s; "
                "split it into continuous files"
            )


def _onset(path: Path, record: int, annotation: bytes) -> float:
    """Time of a record, which its first annotation gives as +seconds, then byte 20."""
    try:
        return float(annotation[: annotation.index(b"\x14")])
    except ValueError:
        raise RecordingError(
            f"{path}: EDF+D, but record {record} does not say when it begins; convert it to EDF+C"
        ) from None
