"""BrainVision and EEGLAB recordings, from files written by hand."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from edf_files import EVENT_COLUMNS
from scipy.io import savemat

from pytest_robustseiz.corpus import RecordingFiles, discover
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import RecordingError, read_recording

RATE, SECONDS = 256, 4
N = RATE * SECONDS
Signals = npt.NDArray[np.float64]


def signals(n_channels: int, *, n: int = N) -> Signals:
    return np.random.default_rng(0).normal(0, 30, (n_channels, n)).astype(np.float32).astype(np.float64)


def events(root: Path) -> Path:
    folder = root / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    rows = [EVENT_COLUMNS, "1\t2\tsz\tn/a\tn/a\t2020-01-01 00:00:00\t4"]
    (folder / "sub-01_events.tsv").write_text("\n".join(rows) + "\n")
    return folder / "sub-01_eeg"


def only(root: Path) -> RecordingFiles:
    return discover(root)[0].recordings[0]


def brainvision(
    root: Path, data: Signals, labels: Sequence[str], *, unit: str = "µV", rate: float = RATE, cut: int | None = None
) -> RecordingFiles:
    """Multiplexed 32-bit floats; `cut` adds a second segment that begins at this sample."""
    stem = events(root)
    head = [
        "Brain Vision Data Exchange Header File Version 1.0",
        "[Common Infos]",
        "Codepage=UTF-8",
        f"DataFile={stem.name}.eeg",
        f"MarkerFile={stem.name}.vmrk",
        "DataFormat=BINARY",
        "DataOrientation=MULTIPLEXED",
        f"NumberOfChannels={len(labels)}",
        f"SamplingInterval={1e6 / rate:.10g}",
        "[Binary Infos]",
        "BinaryFormat=IEEE_FLOAT_32",
        "[Channel Infos]",
        *(f"Ch{i}={label},,1,{unit}" for i, label in enumerate(labels, start=1)),
    ]
    stem.with_suffix(".vhdr").write_text("\n".join(head) + "\n", encoding="utf-8")
    marks = [
        "Brain Vision Data Exchange Marker File, Version 1.0",
        "[Common Infos]",
        "Codepage=UTF-8",
        f"DataFile={stem.name}.eeg",
        "[Marker Infos]",
        "Mk1=New Segment,,1,1,0,20200101000000000000",
        *([f"Mk2=New Segment,,{cut},1,0,20200101000100000000"] if cut else []),
    ]
    stem.with_suffix(".vmrk").write_text("\n".join(marks) + "\n", encoding="utf-8")
    stem.with_suffix(".eeg").write_bytes(data.T.astype("<f4").tobytes())
    return only(root)


def eeglab(
    root: Path, data: Signals, labels: Sequence[str], *, rate: float = RATE, cut: int | None = None
) -> RecordingFiles:
    """Samples inside of the .set file; `cut` marks a boundary at this sample."""
    stem = events(root)
    names = np.array([(label,) for label in labels], dtype=[("labels", object)])
    marks: object = np.array([])
    if cut is not None:
        marks = np.array(
            [("boundary", float(cut), 0.0)], dtype=[("type", object), ("latency", object), ("duration", object)]
        )
    eeg = {"setname": "a", "nbchan": len(labels), "trials": 1, "pnts": data.shape[1], "srate": rate, "xmin": 0.0}
    eeg |= {"xmax": (data.shape[1] - 1) / rate, "data": data, "chanlocs": names, "event": marks, "epoch": np.array([])}
    savemat(stem.with_suffix(".set"), {"EEG": eeg})
    return only(root)


Writer = Callable[..., RecordingFiles]
both = pytest.mark.parametrize("write", [brainvision, eeglab])


@both
def test_electrodes(tmp_path: Path, write: Writer) -> None:
    data = signals(20)
    recording = read_recording(write(tmp_path, data, ["ECG", *ELECTRODES[::-1]]))
    wanted = data[:0:-1] - data[1:].mean(axis=0)
    assert (recording.montage, recording.missing, recording.seizures) == ("unipolar", (), ((1.0, 3.0),))
    assert recording.start == datetime(2020, 1, 1)
    np.testing.assert_allclose(recording.eeg, wanted, atol=1e-3)


def test_repeated_pair_with_equal_data(tmp_path: Path) -> None:
    data = signals(19)
    data[18] = data[16]
    recording = read_recording(eeglab(tmp_path, data, [*DOUBLE_BANANA, "T4-T6"]))
    assert (recording.montage, recording.missing) == ("bipolar", ())
    np.testing.assert_allclose(recording.eeg, data[:18], atol=1e-3)


def test_repeated_name_with_other_data(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"_eeg\.set: channels 'Cz' and 'Cz' name one site but differ"):
        read_recording(eeglab(tmp_path, signals(3), ["Cz", "Fz", "Cz"]))


def test_repeated_name_of_brainvision(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"_eeg\.vhdr: cannot be read \(ValueError: Channel Cz"):
        read_recording(brainvision(tmp_path, signals(3), ["Cz", "Fz", "Cz"]))


@both
def test_rate_of_the_file_is_resampled(tmp_path: Path, write: Writer) -> None:
    time_s = np.arange(500 * SECONDS) / 500
    sine = 300 * np.sin(2 * np.pi * 7 * time_s)
    recording = read_recording(write(tmp_path, np.array([sine, -sine]), ["Fp1", "F3"], rate=500))
    wanted = 300 * np.sin(2 * np.pi * 7 * np.arange(N) / 256)
    np.testing.assert_allclose(recording.eeg[0, 128:-128], wanted[128:-128], atol=0.1)
    assert "resampled from 500 Hz to 256 Hz" in recording.notes


@both
def test_rate_that_is_nearly_whole_keeps_events_in_place(tmp_path: Path, write: Writer) -> None:
    """A bump at 1000 s, in a file whose rate is 249.98 Hz and would be 0.08 s off at 250 Hz."""
    sfreq = 250 / 1.00008
    time_s = np.arange(250 * 1100) / sfreq
    bump = 800 * np.exp(-(((time_s - 1000) / 0.05) ** 2) / 2)
    recording = read_recording(write(tmp_path, np.array([bump, -bump]), ["Fp1", "F3"], rate=sfreq))
    assert recording.n_samples == round(1100 * 1.00008 * 256)
    wanted = 800 * np.exp(-(((np.arange(recording.n_samples) / 256 - 1000) / 0.05) ** 2) / 2)
    assert int(np.argmax(recording.eeg[0])) == 1000 * 256
    np.testing.assert_allclose(recording.eeg[0], wanted, atol=0.2)
    assert "resampled from 249.98 Hz to 256 Hz" in recording.notes


@both
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_not_finite(tmp_path: Path, write: Writer, value: float) -> None:
    data = signals(19)
    data[9, 300] = value
    with pytest.raises(RecordingError, match=rf"channel 'Cz': sample 300 is {value}; EEG must be finite"):
        read_recording(write(tmp_path, data, ELECTRODES))


@both
def test_cuts_are_noted(tmp_path: Path, write: Writer) -> None:
    whole = read_recording(write(tmp_path / "a", signals(19), ELECTRODES))
    from_start = read_recording(write(tmp_path / "b", signals(19), ELECTRODES, cut=1))
    cut = read_recording(write(tmp_path / "c", signals(19), ELECTRODES, cut=500))
    assert not any("cut" in note for note in (*whole.notes, *from_start.notes))
    assert any("the file marks 1 cut in the signal" in note for note in cut.notes)


@both
def test_long_file(tmp_path: Path, write: Writer) -> None:
    data = signals(2, n=150_000)
    recording = read_recording(write(tmp_path, data, ["Fp1", "F3"]))
    np.testing.assert_allclose(recording.eeg[:2], data - data.mean(axis=0), atol=1e-3)


@both
def test_other_montage(tmp_path: Path, write: Writer) -> None:
    with pytest.raises(RecordingError, match="neither electrodes of the 10-20 system"):
        read_recording(write(tmp_path, signals(2), ["ECG", "EMG"]))


UNITS = {"µV": 1, "uV": 1, "\N{GREEK SMALL LETTER MU}V": 1, "UV": 1, "mV": 1e3, "MV": 1e3, "V": 1e6, "": 1}


@pytest.mark.parametrize("unit, factor", UNITS.items())
def test_units_of_brainvision(tmp_path: Path, unit: str, factor: float) -> None:
    data = signals(2)
    recording = read_recording(brainvision(tmp_path, data, ["Fp1", "F3"], unit=unit))
    wanted = (data - data.mean(axis=0)) * factor
    np.testing.assert_allclose(recording.eeg[:2], wanted, rtol=1e-4, atol=1e-3 * factor)


@pytest.mark.parametrize("unit", ["nV", "C", "ARU"])
def test_other_units_of_brainvision(tmp_path: Path, unit: str) -> None:
    with pytest.raises(RecordingError, match=rf"_eeg\.vhdr: channel 'Fp1': unit b'{unit}' is none of uV, mV, V"):
        read_recording(brainvision(tmp_path, signals(2), ["Fp1", "F3"], unit=unit))


@both
def test_broken_file(tmp_path: Path, write: Writer) -> None:
    files = write(tmp_path, signals(2), ["Fp1", "F3"])
    files.eeg.write_bytes(b"garbage")
    with pytest.raises(RecordingError, match=r"sub-01_eeg\.(vhdr|set): cannot be read \(\w+: "):
        read_recording(files)
