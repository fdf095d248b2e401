"""EDF and BDF files that cannot be read: the message begins with the reason."""

from collections.abc import Callable
from pathlib import Path

import pytest
from edf_files import EdfFile, electrodes

from pytest_robustseiz.edf import open_edf
from pytest_robustseiz.signals import RecordingError


def cut(size: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:size]


def put(position: int, value: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data[:position] + value + data[position + len(value) :]


@pytest.mark.parametrize(
    "damage, message",
    [
        (cut(768), "no complete data record.*'header_bytes': b'768'.*the file has 768 bytes"),
        (cut(1000), "no complete data record.*the file has 1000 bytes"),
        (cut(767), "the header of 768 bytes is longer than the file.*'header_bytes': b'768'.*the file has 767 bytes"),
        (cut(500), "the header of 768 bytes is longer than the file.*'header_bytes': b'768'.*the file has 500 bytes"),
        (cut(100), "the main header of 256 bytes is longer than the file.*'signals': b''.*the file has 100 bytes"),
        (cut(0), "not an EDF or BDF file, it begins with b''"),
        (put(0, b"version "), "not an EDF or BDF file, it begins with b'version'"),
        (put(184, b"1024    "), "length of the header and number of signals disagree.*b'1024'.*'signals': b'2'"),
        (put(184, b"99999999"), "the header of 99999999 bytes is longer than the file.*b'99999999'"),
        (put(184, b"        "), "invalid literal for int.*'header_bytes': b''"),
        (
            put(252, b"1   "),
            "length of the header and number of signals disagree.*'header_bytes': b'768'.*'signals': b'1'",
        ),
        (
            put(252, b"0   "),
            "length of the header and number of signals disagree.*'header_bytes': b'768'.*'signals': b'0'",
        ),
        (put(252, b"-2  "), "length of the header and number of signals disagree.*'signals': b'-2'"),
        (lambda data: put(252, b"0   ")(put(184, b"256     ")(data)), "there are no signals"),
        (put(236, b"ten     "), "invalid literal for int.*'records': b'ten'"),
        (put(236, b"2.5     "), "invalid literal for int.*'records': b'2.5'"),
        (put(244, b"0       "), "data record duration is not more than 0 s.*'record_s': b'0'.*expected .*records of"),
        (put(244, b"-1      "), "data record duration is not more than 0 s.*'record_s': b'-1'"),
        (put(244, b"nan     "), "data record duration is not more than 0 s.*'record_s': b'nan'"),
        (put(244, b"inf     "), "data record duration is not more than 0 s, or without end.*'record_s': b'inf'"),
        (put(244, b"1,0     "), "could not convert string to float: '1,0'"),
        (put(256 + 2 * 216, b"inf     "), "invalid literal for int.*'inf"),
        (put(256 + 2 * 216, b"-256    "), ".*expected .*records of more than 0 s with samples"),
        (put(256 + 2 * 216, b"-128    "), "signal 'Fp1' has -128 samples per record"),
        (put(256 + 2 * 216, b"0       0       "), ".*expected .*records of more than 0 s with samples"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    data = EdfFile(electrodes(512, labels=["Fp1", "F3"]), n_records=2).encode()
    (tmp_path / "a.edf").write_bytes(damage(data))
    with pytest.raises(RecordingError, match=rf"a\.edf: (cannot be read \(\w+: )?{message}"):
        open_edf(tmp_path / "a.edf")


@pytest.mark.parametrize("damage", [cut(768), cut(767), cut(500), put(252, b"1   "), put(244, b"0       ")])
def test_bdf_files_that_cannot_be_read(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    data = EdfFile(electrodes(512, labels=["Fp1", "F3"]), n_records=2, bdf=True).encode()
    (tmp_path / "a.bdf").write_bytes(damage(data))
    with pytest.raises(
        RecordingError, match=r"a\.bdf: cannot be read .* its header states \{'version': b'.xffBIOSEMI'"
    ):
        open_edf(tmp_path / "a.bdf")
