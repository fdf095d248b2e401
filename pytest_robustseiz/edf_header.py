"""The header of EDF, EDF+ and BDF files: plain text in fields of fixed width."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_robustseiz.signals import RecordingError

_MAGIC = {b"0": 2, b"\xffBIOSEMI": 3}  # bytes per sample
_MAIN = [("version", 8), ("patient", 80), ("recording", 80), ("date", 8), ("time", 8), ("n_bytes", 8), ("reserved", 44)]
_MAIN += [("n_records", 8), ("record_s", 8), ("n_signals", 4)]
_SIGNAL = [("label", 16), ("transducer", 80), ("unit", 8), ("physical_min", 8), ("physical_max", 8), ("digital_min", 8)]
_SIGNAL += [("digital_max", 8), ("prefiltering", 80), ("samples_per_record", 8), ("reserved", 32)]
_RANGE = ("physical_min", "physical_max", "digital_min", "digital_max")
_BLOCK = 256  # bytes of the main header, and of each signal's


@dataclass(frozen=True)
class SignalHeader:
    """Header of one signal.

    The ends of the range are NaN where they cannot be read. `offset` is where the signal's samples begin within a
    record, in bytes.
    """

    label: str
    unit: bytes
    physical_min: float
    physical_max: float
    digital_min: float
    digital_max: float
    samples_per_record: int
    offset: int

    @property
    def is_annotation(self) -> bool:
        """Whether the signal holds annotations (EDF+, BDF+)."""
        return self.label in ("EDF Annotations", "BDF Annotations")


@dataclass(frozen=True)
class Header:
    """Header of a file; `n_records` is what it states, which need not be true."""

    n_bytes: int
    sample_bytes: int
    is_discontinuous: bool
    n_records: int
    record_s: Fraction
    signals: tuple[SignalHeader, ...]

    @property
    def record_bytes(self) -> int:
        """Size of one data record."""
        return self.sample_bytes * sum(signal.samples_per_record for signal in self.signals)


class _Fields:
    """Fields of one header block; a bad number is an error that names file, field and bytes."""

    def __init__(self, where: str, values: dict[str, bytes]) -> None:
        self.where = where
        self.values = values

    def text(self, name: str) -> str:
        return self.values[name].decode("latin-1").strip(" \0")

    def number_or_nan(self, name: str) -> float:
        try:
            value = float(self.text(name))
        except ValueError:
            return math.nan
        return value if math.isfinite(value) else math.nan

    def number(self, name: str) -> float:
        value = self.number_or_nan(name)
        if math.isnan(value):
            raise RecordingError(f"{self.where}: header field {name} is {self.values[name]!r}, expected a number")
        return value

    def integer(self, name: str) -> int:
        value = self.number(name)
        if value != int(value):
            raise RecordingError(f"{self.where}: header field {name} is {self.values[name]!r}, expected a whole number")
        return int(value)


def read_header(path: Path) -> Header:
    """Read and check the header.

    Raises
    ------
    RecordingError
        When the file is not EDF or BDF, the header is longer than the file, or a field is not what it must be.
    """
    with path.open("rb") as file:
        main = _Fields(str(path), _split(file.read(_BLOCK), _MAIN, 1)[0])
        sample_bytes = _MAGIC.get(main.values["version"].strip(b" \0"))
        if sample_bytes is None:
            raise RecordingError(f"{path}: not an EDF or BDF file, it begins with {main.values['version']!r}")
        n_signals, n_bytes = main.integer("n_signals"), main.integer("n_bytes")
        block = file.read(max(n_signals, 0) * _BLOCK)
    if n_signals < 1 or n_bytes != (n_signals + 1) * _BLOCK:
        raise RecordingError(
            f"{path}: header states {n_signals} signals and {n_bytes} bytes, expected {_BLOCK} bytes a signal"
        )
    if len(block) < n_signals * _BLOCK:
        raise RecordingError(
            f"{path}: the header is longer than the file ({n_bytes} bytes); copy it again from its source"
        )
    record_s = _record_duration(path, main)
    signals = _signals(path, _split(block, _SIGNAL, n_signals), sample_bytes)
    discontinuous = main.text("reserved").startswith(("EDF+D", "BDF+D"))
    return Header(n_bytes, sample_bytes, discontinuous, main.integer("n_records"), record_s, signals)


def _split(block: bytes, fields: Sequence[tuple[str, int]], n: int) -> list[dict[str, bytes]]:
    """Fields of n signals: the file has first all labels, then all transducers, and so on."""
    values: list[dict[str, bytes]] = [{} for _ in range(n)]
    position = 0
    for name, width in fields:
        for value in values:
            value[name] = block[position : position + width]
            position += width
    return values


def _record_duration(path: Path, main: _Fields) -> Fraction:
    """Exact duration: 1.00008 s is not the float of that name."""
    if main.number("record_s") <= 0:
        raise RecordingError(
            f"{path}: data record duration is {main.text('record_s')!r} s, so the sampling rate is not known; "
            "expected more than 0, write the file again from its source"
        )
    return Fraction(main.text("record_s"))


def _signals(path: Path, values: list[dict[str, bytes]], sample_bytes: int) -> tuple[SignalHeader, ...]:
    signals: list[SignalHeader] = []
    offset = 0
    for number, value in enumerate(values, start=1):
        field = _Fields(f"{path}: signal {number} ({value['label'].decode('latin-1').strip()!r})", value)
        samples = field.integer("samples_per_record")
        if samples < 0:
            raise RecordingError(f"{field.where}: {samples} samples per record, expected 0 or more")
        ends = {name: field.number_or_nan(name) for name in _RANGE}
        signals.append(
            SignalHeader(field.text("label"), value["unit"], **ends, samples_per_record=samples, offset=offset)
        )
        offset += samples * sample_bytes
    return tuple(signals)
