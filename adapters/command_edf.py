"""Recordings as EDF files, written in blocks: a long recording is in memory once."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import edfio
import numpy as np
import numpy.typing as npt

RECORD_BYTES = 61_440  # the most that a data record should have (EDF specification)
MOST_UV = 9_999_998  # limits have eight characters in the header, the sign included
DIGITAL_MIN, STEPS = -32_768, 65_535
_RECORDS_FIELD = slice(236, 244)  # of the header: number of data records
_BLOCK = 1 << 16  # samples of a channel quantised at once
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Written:
    """What writing did to a recording.

    Attributes
    ----------
    step_uv : tuple of float
        Distance of neighbouring values of each channel, in microvolts: its range in the file over 65535. 0 where the
        channel is flat.
    error_rms_uv : float
        RMS of what is in the file less what was to be written, over all channels, in microvolts.
    added_samples : int
        How often the last sample was repeated to fill the last data record.
    """

    step_uv: tuple[float, ...]
    error_rms_uv: float
    added_samples: int

    def figures(self) -> dict[str, float]:
        """Largest step, error and added samples, by name."""
        return {
            "edf_step_uv": max(self.step_uv),
            "edf_error_rms_uv": self.error_rms_uv,
            "edf_added_samples": float(self.added_samples),
        }


@dataclass(frozen=True)
class _Scale:
    """Microvolts of digital step k, counted from 0, are `low_uv + k * gain_uv`."""

    low_uv: float
    gain_uv: float

    def quantise(self, values: _Floats) -> tuple[_Floats, _Floats]:
        """Digital values, and what they are off by in microvolts."""
        steps = np.rint((values - self.low_uv) / self.gain_uv)
        return steps + DIGITAL_MIN, steps * self.gain_uv + self.low_uv - values


def write_edf(path: Path, eeg: npt.NDArray[np.floating], sfreq: float, labels: Sequence[str]) -> Written:
    """Write a recording as an anonymous EDF file in microvolts.

    Limits are each channel's own extremes, so that nothing is clipped and each value is off by half a step at most; a
    channel of zeros stays zero. The header states the rate exactly. Where no data record divides the
    recording, the last sample is repeated: at 256 Hz, whose records must be multiples of four samples to have a length
    of eight characters, by up to three samples.

    Parameters
    ----------
    path : Path
        The file.
    eeg : ndarray, shape (n_channels, n_samples)
        Microvolts.
    sfreq : float
        Sampling rate in Hz.
    labels : sequence of str
        Names of the channels, up to 16 characters each.

    Raises
    ------
    ValueError
        When there is no sample, a value is not finite or too large for the header, or the header cannot state the rate.
    """
    record, record_s = choose_record(eeg.shape[0], eeg.shape[1], sfreq)
    signals = [_signal(row, record, sfreq, label) for row, label in zip(eeg, labels, strict=True)]
    scales = [_Scale(signal.physical_min, (signal.physical_max - signal.physical_min) / STEPS) for signal in signals]
    records = math.ceil(eeg.shape[1] / record)
    with path.open("wb") as file:
        file.write(_header(signals, record_s, records))
        energy = _write_records(file, eeg, scales, record, records)
    steps = [0.0 if row.min() == row.max() else scale.gain_uv for row, scale in zip(eeg, scales, strict=True)]
    return Written(tuple(steps), math.sqrt(energy / eeg.size), records * record - eeg.shape[1])


def choose_record(n_channels: int, n_samples: int, sfreq: float) -> tuple[int, float]:
    """Samples per data record of each channel, and the record's length in seconds.

    Of the records whose length eight characters state exactly, one that needs the fewest samples added, and of these
    the one closest to a second.

    Raises
    ------
    ValueError
        When there is no sample, or no such record.
    """
    if n_samples < 1:
        raise ValueError("the recording has no sample; an EDF file must have one")
    lengths = {size: _seconds(size, sfreq) for size in range(1, RECORD_BYTES // (2 * n_channels) + 1)}
    exact = [size for size, seconds in lengths.items() if seconds]
    if not exact:
        raise ValueError(f"an EDF header cannot state {sfreq:.12g} Hz exactly in eight characters; resample to 256 Hz")
    best = min(exact, key=lambda size: (-n_samples % size, abs(lengths[size] - 1)))
    return best, lengths[best]


def _seconds(size: int, sfreq: float) -> float:
    """Length of a record, 0 where eight characters without an exponent cannot state it."""
    seconds = float(f"{size / sfreq:.6f}")
    return seconds if 1e-4 <= seconds < 10 and size / seconds == sfreq else 0.0


def _signal(row: npt.NDArray[np.floating], record: int, sfreq: float, label: str) -> edfio.EdfSignal:
    """A channel with the header of the whole row and the data of one empty record."""
    return edfio.EdfSignal.from_digital(
        np.zeros(record, dtype=np.int16),
        sfreq,
        label=label,
        physical_dimension="uV",
        physical_range=_limits(float(row.min()), float(row.max()), label),
    )


def _limits(low: float, high: float, label: str) -> tuple[float, float]:
    """The range of a channel, widened to what eight characters can hold."""
    if not (low >= -MOST_UV and high <= MOST_UV):  # NaN too
        raise ValueError(
            f"channel {label!r} ranges from {low:g} to {high:g} uV; an EDF header holds finite values up "
            f"to {MOST_UV} uV"
        )
    bottom, top = _rounded(low, math.floor), _rounded(high, math.ceil)
    return bottom, top if top > bottom else bottom + 1  # a flat channel lies on the lower limit exactly


def _rounded(value: float, direction: Callable[[float], int]) -> float:
    """A limit of up to eight characters, with no exponent: some readers take none."""
    candidates = (direction(value * 10**decimals) / 10**decimals for decimals in (4, 3, 2, 1))
    return next((limit for limit in candidates if len(str(limit)) <= 8), float(direction(value)))


def _header(signals: Sequence[edfio.EdfSignal], record_s: float, records: int) -> bytes:
    edf = edfio.Edf(signals, data_record_duration=record_s)
    header = bytearray(edf.to_bytes()[: edf.bytes_in_header_record])
    header[_RECORDS_FIELD] = f"{records:<8}".encode("ascii")
    return bytes(header)


def _write_records(
    file: BinaryIO, eeg: npt.NDArray[np.floating], scales: Sequence[_Scale], record: int, records: int
) -> float:
    """Write all data records; the sum of squares of the error."""
    energy = 0.0
    at_once = max(1, _BLOCK // record)
    for first in range(0, records, at_once):
        count = min(at_once, records - first)
        block = np.empty((count, len(scales), record), dtype="<i2")
        for i, scale in enumerate(scales):
            values = eeg[i, first * record : (first + count) * record].astype(np.float64)
            digital, error = scale.quantise(values)
            energy += float(error @ error)
            filled = np.pad(digital, (0, count * record - digital.size), mode="edge")
            block[:, i, :] = filled.reshape(count, record)
        file.write(block.data)
    return energy
