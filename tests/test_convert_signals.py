"""Converted signals and events: against the real headers, and as other programs read them."""

from datetime import date, datetime
from pathlib import Path

import edfio
import mne
import numpy as np
import pyedflib
import pytest
from convert_trees import (
    CHB,
    CHB12_28,
    chb_entry,
    convert,
    files_of,
    recordings,
    report,
    seizeit_list,
    write_edf,
    write_text,
)
from epilepsy2bids.annotations import Annotations
from epilepsy2bids.eeg import Eeg

from pytest_robustseiz.convert_signals import Signals, read_start
from pytest_robustseiz.convert_write import write_edf as write_converted
from pytest_robustseiz.montage import DOUBLE_BANANA
from pytest_robustseiz.shifts import ELECTRODES


@pytest.mark.parametrize(
    "field, start",
    [
        ("01.01.1622.22.04", datetime(2016, 1, 1, 22, 22, 4)),
        ("06.11.7611.42.54", datetime(2076, 11, 6, 11, 42, 54)),
        ("01:01:8512:30:00", datetime(1985, 1, 1, 12, 30)),
        ("30.02.0000.00.00", None),
        ("                ", None),
        ("1.1.2016 22.22.0", None),
    ],
)
def test_start_of_a_recording(tmp_path: Path, field: str, start: datetime | None) -> None:
    path = tmp_path / "x.edf"
    path.write_bytes(b"0".ljust(168) + field.encode() + bytes(100))
    assert read_start(path) == start


def siena_list(name: str, start: str) -> list[str]:
    """A seizure in the second second of a file of two seconds."""
    clock = datetime.strptime(start, "%H.%M.%S")
    onset, stop = (clock.replace(second=clock.second + s).strftime("%H.%M.%S") for s in (1, 2))
    return [f"Seizure n 1\nFile name: {name}\nRegistration start time: {start}\nStart time: {onset}\nEnd time: {stop}"]


@pytest.mark.parametrize(
    "header, corpus, name, lines, prefix",
    [
        ("PN00-5_sample.edf", "siena", "PN00/PN00-5.edf", siena_list("PN00-5.edf", "22.22.04"), "EEG "),
        ("PN16-1.edf", "siena", "PN16/PN16-1.edf", siena_list("PN16-1.edf", "20.45.21"), "EEG "),
        ("P_ID10_r5_sample.edf", "seizeit1", "P_ID10/P_ID10_r5.edf", seizeit_list("P_ID10", "r5", "1\t2\tFIA"), ""),
    ],
)
def test_real_headers(
    shared_data: Path, tmp_path: Path, header: str, corpus: str, name: str, lines: list[str], prefix: str
) -> None:
    source = tmp_path / "source" / name
    source.parent.mkdir(parents=True)
    source.write_bytes((shared_data / "raw" / "headers" / header).read_bytes())
    lists = source.with_name(f"Seizures-list-{name[:4]}.txt" if corpus == "siena" else "P_ID10_r5_a1.tsv")
    write_text(lists, *lines)
    assert convert(corpus, tmp_path / "source", tmp_path / "bids") == 0
    [recording] = recordings(tmp_path / "bids").values()
    assert recording.seizures == ((1.0, 2.0),)
    assert recording.missing == ()
    raw = mne.io.read_raw_edf(source, preload=True, verbose="error")
    labels = {label.upper(): label for label in raw.ch_names}
    raw.pick([labels[f"{prefix}{one}".upper()] for one in ELECTRODES])
    expected = np.asarray(raw.get_data()) * 1e6
    expected -= expected.mean(axis=0)
    rate = raw.info["sfreq"]
    low = np.fft.rfft(expected)[:, 4:200] / rate  # 2 to 100 Hz of two seconds; ends are extended differently
    found = np.fft.rfft(recording.eeg)[:, 4:200] / 256
    assert np.abs(found - low).mean() / np.abs(low).mean() < 0.05


@pytest.fixture
def bids(tmp_path: Path) -> Path:
    """A case of CHB-MIT with pairs in one file and electrodes, one of them missing, in another."""
    root = tmp_path / "source"
    write_edf(root / "chb12" / "chb12_24.edf", CHB, seconds=7)
    write_edf(root / "chb12" / "chb12_28.edf", [one for one in CHB12_28 if one != "01"], seconds=7)
    summary = [*chb_entry("chb12_24.edf", (1, 2.5), (4, 6)), *chb_entry("chb12_28.edf")]
    write_text(root / "chb12" / "chb12-summary.txt", *summary)
    assert convert("chbmit", root, tmp_path / "bids") == 0
    return tmp_path / "bids"


def test_epilepsy2bids_reads_what_we_write(bids: Path) -> None:
    first, second = files_of(bids)
    ours = recordings(bids)[first.stem]
    theirs = Eeg.loadEdfAutoDetectMontage(str(first.eeg))
    assert theirs.montage is Eeg.Montage.BIPOLAR
    assert tuple(theirs.channels) == DOUBLE_BANANA
    np.testing.assert_allclose(theirs.data, ours.eeg, atol=1e-3)
    annotations = Annotations.loadTsv(str(first.events))
    assert annotations.getEvents() == [(1.0, 2.5), (4.0, 6.0)]
    assert annotations.events[0]["dateTime"] == datetime(2016, 1, 1, 19, 39, 33)
    assert annotations.events[0]["recordingDuration"] == 7
    [background] = Annotations.loadTsv(str(second.events)).events
    assert (background["onset"], background["duration"], background["eventType"].value) == (0, 7, "bckg")


def test_pyedflib_finds_a_valid_header(bids: Path) -> None:
    for files in files_of(bids):
        with pyedflib.EdfReader(str(files.eeg)) as edf:
            assert edf.getStartdatetime() == datetime(2016, 1, 1, 19, 39, 33)
            assert edf.getSignalLabels() == list(DOUBLE_BANANA)
            assert edf.getFileDuration() == 7
            assert set(edf.getSampleFrequencies()) == {256}


def test_the_date_stands_in_both_fields_of_the_header(bids: Path) -> None:
    for files in files_of(bids):
        edf = edfio.read_edf(files.eeg)
        assert edf.recording.startdate == edf.startdate == date(2016, 1, 1)
        assert edf.patient.code == edf.recording.equipment_code == "X"


def test_a_pair_with_a_missing_electrode_is_missing(bids: Path) -> None:
    recording = recordings(bids)["sub-12_ses-01_task-szMonitoring_run-28"]
    assert recording.missing == ("P3-O1", "T5-O1")
    for pair, row in zip(DOUBLE_BANANA, recording.eeg, strict=True):
        assert row.any() != (pair in recording.missing)
    assert report(bids)["chb12/chb12_28.edf"]["missing"] == "P3-O1,T5-O1"


def test_samples_are_off_by_half_a_step_at_most(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    eeg = rng.normal(0, 30, (19, 256 * 3 + 4)).astype(np.float32)
    eeg[0] = 0
    eeg[1] += 5000  # an offset
    eeg[2, 7] = 1e6  # a spike
    path = tmp_path / "x.edf"
    step_uv = write_converted(path, Signals(eeg, ELECTRODES, (), ()), start=None)
    raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
    assert raw.ch_names == [f"{name}-Avg" for name in ELECTRODES]
    assert raw.n_times == eeg.shape[1]
    off_uv = np.abs(np.asarray(raw.get_data()) * 1e6 - eeg)
    assert off_uv.max() <= step_uv / 2 * 1.001
    assert step_uv == pytest.approx((1e6 - eeg[2].min()) / 65535, rel=0.01)
    assert not np.asarray(raw.get_data())[0].any()
