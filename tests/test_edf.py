"""EDF and BDF files with headers as they are met, read from bytes written here and by other libraries."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import edfio
import mne
import numpy as np
import numpy.typing as npt
import pytest
from edf_files import Channel, EdfFile, electrodes, microvolts, noise

from pytest_robustseiz.edf import open_edf
from pytest_robustseiz.labels import parse_label
from pytest_robustseiz.signals import FileChannel, RecordingError
from pytest_robustseiz.units import microvolts_per_unit


def write(path: Path, file: EdfFile, *, name: str = "a.edf") -> Path:
    (path / name).write_bytes(file.encode())
    return path / name


def samples(channel: FileChannel) -> npt.NDArray[np.float32]:
    out = np.full(channel.n_samples, np.nan, dtype=np.float32)
    channel.read_into(out)
    return out


def annotation(n_records: int, onsets: list[float]) -> Channel:
    """Annotation signal of 16 bytes a record, each with the time at which the record begins."""
    text = b"".join(f"+{onset:g}\x14\x14".encode().ljust(16, b"\0") for onset in onsets)
    digital = np.frombuffer(text, dtype="<i2").astype(np.int64)
    assert len(onsets) == n_records
    return Channel(b"EDF Annotations", digital, unit=b"", physical=(b"-1", b"1"))


# Units


@pytest.mark.parametrize(
    "unit, factor",
    [
        (b"uV", 1),
        (b"uv", 1),
        (b"UV", 1),
        (b"\xb5V", 1),
        (b"\xc2\xb5V", 1),
        (b"\xce\xbcV", 1),
        (b"\xce\xbcv ", 1),
        (b"mV", 1e3),
        (b"MV      ", 1e3),
        (b"V\0\0\0", 1e6),
        (b"v", 1e6),
    ],
)
def test_units_in_any_case_and_encoding(tmp_path: Path, unit: bytes, factor: float) -> None:
    channel = replace(electrodes(512)[0], unit=unit)
    read = open_edf(write(tmp_path, EdfFile([channel], n_records=2))).channels[0]
    np.testing.assert_allclose(samples(read), microvolts(channel) * factor, rtol=1e-6)


@pytest.mark.parametrize("unit", [b"nV", b".V", b"", b"\xe6V", b"uVolt", b"%", b"kV"])
def test_other_units_are_errors_that_show_the_bytes(unit: bytes) -> None:
    with pytest.raises(ValueError, match="is none of uV, mV, V") as caught:
        microvolts_per_unit(unit)
    assert repr(unit) in str(caught.value)


# Calibration


@pytest.mark.parametrize("physical", [(b"8711", b"-8711"), (b"-100", b"900"), (b"-4.5e3", b"4500")])
@pytest.mark.parametrize("digital", [(b"-32768", b"32767"), (b"0", b"4095"), (b"2047", b"-2048")])
@pytest.mark.parametrize("unit, factor", [(b"uV", 1.0), (b"mV", 1e3), (b"V", 1e6)])
def test_any_linear_range(
    tmp_path: Path, physical: tuple[bytes, bytes], digital: tuple[bytes, bytes], unit: bytes, factor: float
) -> None:
    counts = np.arange(-2000, 2000, dtype=np.int64)
    channel = Channel(b"Fp1", counts, unit=unit, physical=physical, digital_range=digital)
    read = open_edf(write(tmp_path, EdfFile([channel], n_records=4))).channels[0]
    ends = [float(value) for value in (*digital, *physical)]
    expected = np.polyval(np.polyfit(ends[:2], ends[2:], 1), counts) * factor  # the line through both ends
    np.testing.assert_allclose(samples(read), expected, atol=1e-3 * factor)


@pytest.mark.parametrize(
    "physical, digital, defect",
    [
        ((b"0", b"0"), (b"-1", b"1"), "physical minimum and maximum are both 0"),
        ((b"-1", b"1"), (b"5", b"5"), "digital minimum and maximum are both 5"),
    ],
)
def test_channel_without_range_is_marked(
    tmp_path: Path, physical: tuple[bytes, bytes], digital: tuple[bytes, bytes], defect: str
) -> None:
    channel = replace(electrodes(256)[0], physical=physical, digital_range=digital)
    assert open_edf(write(tmp_path, EdfFile([channel], n_records=1))).channels[0].defect == defect


@pytest.mark.parametrize(
    "change, value",
    [
        ({"physical": (b"-1,5", b"2")}, "'-1,5'"),
        ({"physical": (b"-1", b"")}, "''"),
        ({"physical": (b"-1", b"nan")}, "nan"),
        ({"physical": (b"-inf", b"inf")}, "inf"),
        ({"digital_range": (b"\xb5", b"5")}, "int()"),
    ],
)
def test_unreadable_range_matters_only_where_it_is_used(tmp_path: Path, change: dict[str, Any], value: str) -> None:
    channels = electrodes(256, labels=["Cz", "ECG"])
    channels[1] = replace(channels[1], **change)
    cz, ecg = open_edf(write(tmp_path, EdfFile(channels, n_records=1))).channels
    np.testing.assert_allclose(samples(cz), microvolts(channels[0]), rtol=1e-6)
    with pytest.raises(ValueError, match="range in the header is not a number") as caught:
        samples(ecg)
    assert value in str(caught.value)


def test_twenty_four_bits(tmp_path: Path) -> None:
    counts = np.array([-8388608, -65537, -1, 0, 1, 255, 65536, 8388607] * 32, dtype=np.int64)
    first = Channel(b"Fp1", counts, physical=(b"-262144", b"262144"), digital_range=(b"-8388608", b"8388607"))
    channels = [first, replace(first, label=b"F3", digital=counts[::-1])]
    file = open_edf(write(tmp_path, EdfFile(channels, n_records=2, bdf=True), name="a.bdf"))
    gain = 524288 / 16777215
    for read, wanted in zip(file.channels, (counts, counts[::-1]), strict=True):
        np.testing.assert_allclose(samples(read), -262144 + (wanted + 8388608) * gain, rtol=1e-5, atol=0.02)


# Length


def test_records_interleave(tmp_path: Path) -> None:
    channels = [Channel(b"Fp1", noise(300)), Channel(b"SpO2\0", noise(3, seed=1)), Channel(b"F3", noise(600, seed=2))]
    empty = Channel(b"DC1", noise(0))
    file = open_edf(write(tmp_path, EdfFile([empty, *channels], n_records=3, record_s=b"0.5")))
    assert [c.label for c in file.channels] == ["Fp1", "SpO2", "F3"]
    assert [c.sfreq for c in file.channels] == [200, 2, 400]
    assert file.duration_s == Fraction(3, 2)
    for read, written in zip(file.channels, channels, strict=True):
        np.testing.assert_allclose(samples(read), microvolts(written), rtol=1e-6)


@pytest.mark.parametrize(
    "stated, tail, notes",
    [
        (b"4", b"", []),
        (b"-1", b"", ["header indicates -1 data records, but file contains 4"]),
        (b"9", b"", ["header indicates 9 data records, but file contains 4"]),
        (b"3", b"", ["header indicates 3 data records, but file contains 4"]),
        (b"4", b"\1" * 100, ["Incomplete data record at the end"]),
        (b"9", b"\1" * 100, ["Incomplete data record at the end", "header indicates 9 data records"]),
    ],
)
@pytest.mark.parametrize("bdf", [False, True])
def test_real_length_is_used(tmp_path: Path, stated: bytes, tail: bytes, notes: list[str], bdf: bool) -> None:
    written = EdfFile(electrodes(1024)[:1], n_records=4, stated_records=stated, tail=tail, bdf=bdf)
    file = open_edf(write(tmp_path, written))
    assert (file.channels[0].n_samples, float(file.duration_s), len(file.notes)) == (1024, 4.0, len(notes))
    assert all(wanted in note for wanted, note in zip(notes, file.notes, strict=True))
    np.testing.assert_allclose(samples(file.channels[0]), microvolts(written.channels[0]), rtol=1e-6)


def test_exact_record_duration(tmp_path: Path) -> None:
    file = open_edf(write(tmp_path, EdfFile(electrodes(1000)[:1], n_records=4, record_s=b"1.00008")))
    assert file.duration_s == Fraction(400032, 100000)
    assert file.channels[0].sfreq == Fraction(250 * 100000, 100008)


# Kinds of EDF+


def test_annotations_are_no_channel(tmp_path: Path) -> None:
    channels = [*electrodes(512)[:1], annotation(2, [0, 1])]
    file = open_edf(write(tmp_path, EdfFile(channels, n_records=2, reserved=b"EDF+C")))
    assert [c.label for c in file.channels] == ["Fp1"]
    assert file.notes == ()


def test_discontinuous_file_without_gap_is_read(tmp_path: Path) -> None:
    channels = [*electrodes(768)[:1], annotation(3, [0.25, 1.25, 2.25])]
    file = open_edf(write(tmp_path, EdfFile(channels, n_records=3, reserved=b"EDF+D")))
    assert file.duration_s == 3
    assert file.notes == ("marked as discontinuous (EDF+D), but its records follow each other without a gap",)


@pytest.mark.parametrize(
    "extra, message",
    [
        ([annotation(3, [0, 1, 5])], r"\(EDF\+D\), with a gap between records; split"),
        ([], r"\(EDF\+D\), without an annotation signal"),
        ([Channel(b"EDF Annotations", noise(24), unit=b"")], "not every record says when it begins"),
    ],
)
def test_discontinuous_file_with_gaps_is_refused(tmp_path: Path, extra: list[Channel], message: str) -> None:
    file = EdfFile([*electrodes(768)[:1], *extra], n_records=3, reserved=b"EDF+D")
    with pytest.raises(RecordingError, match=rf"a\.edf: .*{message}"):
        open_edf(write(tmp_path, file))


def test_discontinuous_bdf(tmp_path: Path) -> None:
    text = b"".join(f"+{onset}\x14\x14".encode().ljust(15, b"\0") for onset in (0, 1, 5))
    digital = np.frombuffer(text, dtype=np.uint8).astype(np.int64).reshape(-1, 3) @ np.array([1, 1 << 8, 1 << 16])
    channels = [*electrodes(768)[:1], Channel(b"BDF Annotations", digital, unit=b"", physical=(b"-1", b"1"))]
    file = EdfFile(channels, n_records=3, reserved=b"BDF+D", bdf=True)
    with pytest.raises(RecordingError, match=r"a\.bdf: .*with a gap between records"):
        open_edf(write(tmp_path, file, name="a.bdf"))
    file.reserved = b"BDF+C"
    assert [c.label for c in open_edf(write(tmp_path, file, name="b.bdf")).channels] == ["Fp1"]


# Against other libraries


@pytest.mark.parametrize("annotated", [False, True])
def test_file_written_by_edfio(tmp_path: Path, annotated: bool) -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(0, 50, (3, 2000))
    signals = [
        edfio.EdfSignal(row, 200, label=name, physical_dimension="uV") for row, name in zip(data, "abc", strict=True)
    ]
    notes = [edfio.EdfAnnotation(1.5, None, "note")] if annotated else None
    edfio.Edf(signals, annotations=notes).write(tmp_path / "a.edf")
    file = open_edf(tmp_path / "a.edf")
    assert [c.label for c in file.channels] == ["a", "b", "c"]
    assert file.duration_s == 10
    for channel, signal in zip(file.channels, signals, strict=True):
        np.testing.assert_allclose(samples(channel), signal.data, atol=1e-4)


@pytest.mark.parametrize("name", ["clinical_inverted_range.edf", "edf_plus_c_online.edf"])
def test_real_files_against_mne(shared_data: Path, name: str) -> None:
    path = shared_data / "raw" / name
    raw: Any = mne.io.read_raw_edf(path, preload=True, verbose="error")
    channels = [c for c in open_edf(path).channels if parse_label(c.label)]
    assert len(channels) == 19
    for channel in channels:
        np.testing.assert_allclose(samples(channel), raw.get_data(picks=[channel.label])[0] * 1e6, atol=2e-3)
