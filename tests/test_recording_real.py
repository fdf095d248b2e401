"""Real recordings and real headers, against MNE and SciPy."""

import contextlib
import csv
import json
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pyedflib
import pytest
from edf_files import EVENT_COLUMNS, corpus_of_one
from scipy import signal
from tiny import CONFTEST

from pytest_robustseiz.corpus import RecordingFiles, discover
from pytest_robustseiz.edf import open_edf
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import RecordingError, read_recording


def of_file(path: Path, folder: Path) -> RecordingFiles:
    return corpus_of_one(folder, path.read_bytes())


def test_real_corpus(shared_data: Path) -> None:
    recordings = [read_recording(s.recordings[0]) for s in discover(shared_data / "real-bids")]
    assert sum(len(r.seizures) for r in recordings) == 6
    assert sum(r.duration_s for r in recordings) == pytest.approx(39 * 60, abs=60)
    for recording in recordings:
        assert recording.missing == ()
        assert np.abs(recording.eeg.mean(axis=0)).max() < 0.01
        assert not any("re-referenced" in note for note in recording.notes)


REAL = {"clinical_inverted_range.edf": (200, 46), "edf_plus_c_online.edf": (256, 21)}  # rate in Hz, signals
LEFT_OUT = "left out, since they are no electrodes of the montage: "


def by_mne(path: Path) -> tuple[dict[str, np.ndarray], float]:
    """Microvolts of each electrode as MNE has them, at the rate and reference of the file."""
    raw: Any = mne.io.read_raw_edf(path, preload=True, verbose="error")
    labels = {label.removeprefix("EEG ").removesuffix("-Ref"): label for label in raw.ch_names}
    return {name: raw.get_data(picks=[labels[name]])[0] * 1e6 for name in ELECTRODES}, float(raw.info["sfreq"])


@pytest.mark.parametrize("name", REAL)
def test_samples_of_each_electrode_are_those_of_mne(shared_data: Path, name: str) -> None:
    """To 0.05 nV, at the rate and reference of the file: float32 holds 500 uV to 0.03 nV.

    MNE 1.13 reads the inverted range as the format asks (the digital minimum is the physical minimum, which is the
    larger value): a polarity of its own would show here.
    """
    path = shared_data / "raw" / name
    wanted, sfreq = by_mne(path)
    file = open_edf(path)
    assert (sfreq, len(file.channels)) == REAL[name]
    for channel in file.channels:
        electrode = channel.label.removeprefix("EEG ").removesuffix("-Ref")
        if electrode in wanted:
            samples = np.empty(channel.n_samples, dtype=np.float32)
            channel.read_into(samples)
            assert channel.sfreq == sfreq
            np.testing.assert_allclose(samples, wanted.pop(electrode), rtol=0, atol=5e-5)
    assert not wanted


def test_samples_are_those_of_pyedflib_which_refuses_the_second_file(shared_data: Path) -> None:
    reader = pyedflib.EdfReader(str(shared_data / "raw" / "clinical_inverted_range.edf"))
    with contextlib.closing(reader):
        for i, channel in enumerate(open_edf(shared_data / "raw" / "clinical_inverted_range.edf").channels):
            if channel.label in ELECTRODES:
                samples = np.empty(channel.n_samples, dtype=np.float32)
                channel.read_into(samples)
                assert reader.getLabel(i) == channel.label
                np.testing.assert_allclose(samples, reader.readSignal(i), rtol=0, atol=5e-5)
    with pytest.raises(OSError, match="not EDF"):
        pyedflib.EdfReader(str(shared_data / "raw" / "edf_plus_c_online.edf"))


def by_fft(data: np.ndarray, sfreq: float) -> np.ndarray:
    """Data at 256 Hz by SciPy's FFT, both ends extended by 5 s of point reflection."""
    pad = round(5 * sfreq)
    extended = np.pad(data, ((0, 0), (pad, pad)), "reflect", reflect_type="odd")
    resampled = signal.resample(extended, round(extended.shape[1] * 256 / sfreq), axis=1)
    return np.asarray(resampled[:, 5 * 256 : -5 * 256])


@pytest.mark.parametrize("name", REAL)
def test_recordings_against_mne_with_scipy_as_resampler(shared_data: Path, tmp_path: Path, name: str) -> None:
    """Each electrode, against the average of the 19 and at 256 Hz, to 0.1 nV, or 10 nV where the rate is another.

    MNE's own resampler is no reference: with its default padding it moves the signal in time.
    """
    path = shared_data / "raw" / name
    recording = read_recording(of_file(path, tmp_path))
    of_electrode, sfreq = by_mne(path)
    data = np.array([of_electrode[electrode] for electrode in ELECTRODES])
    wanted = data if sfreq == 256 else by_fft(data, sfreq)
    wanted = wanted - wanted.mean(axis=0)
    assert recording.eeg.shape == wanted.shape
    assert recording.missing == ()
    if sfreq == 256:
        np.testing.assert_allclose(recording.eeg, wanted, rtol=0, atol=1e-4)
        return
    below = signal.butter(12, 85, fs=256, output="sos")  # resamplers differ close to the Nyquist frequency of 100 Hz
    difference = signal.sosfiltfilt(below, recording.eeg - wanted, axis=1)[:, 256:-256]
    assert np.abs(difference).max() < 0.01


def test_what_reading_did_is_printed_and_recorded(shared_data: Path, pytester: pytest.Pytester, tmp_path: Path) -> None:
    """Both files as they are, in one tree, with the whole way of a run."""
    for number, name in enumerate(REAL, start=1):
        folder = tmp_path / f"sub-{number:02d}" / "eeg"
        folder.mkdir(parents=True)
        stem = folder / f"sub-{number:02d}_task-sz"
        Path(f"{stem}_eeg.edf").write_bytes((shared_data / "raw" / name).read_bytes())
        Path(f"{stem}_events.tsv").write_text(f"{EVENT_COLUMNS}\n", encoding="utf-8")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_it(robustseiz_experiment):\n    pass\n")
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={tmp_path}", "-k", "baseline")
    result.assert_outcomes(passed=1)
    first, second = (f"  sub-{number:02d}_task-sz:" for number in (1, 2))
    many = "'A1', 'A2', 'Fpz', 'ECG', 'X2', 'X3', 'X4', 'X5', 'X6', 'X7', 'X8', 'X9'"
    unknown = "re-referenced from a reference that the labels do not state to the common average"
    known = "re-referenced from REF to the common average"
    odd = "standard deviation is not one of EEG, check unit and electrode"
    lines = [
        f"{first} {LEFT_OUT}{many} (and 15 more)",
        f"{first} resampled from 200 Hz to 256 Hz",
        f"{first} {unknown} (of 19 electrodes; it took away 43.6 uV RMS)",
        f"{second} {LEFT_OUT}'ECG EKG-Ref', 'EEG Effort-Ref'",
        f"{second} {odd} (usual are 0.5 to 2000 uV): Cz (0.251 uV)",
        f"{second} {known} (of 19 electrodes; it took away 8.19 uV RMS)",
    ]
    at = result.outlines.index("notes on the recordings:")
    assert result.outlines[at + 1 : at + 1 + len(lines)] == lines
    with (pytester.path / "experiments_results.csv").open(newline="") as file:
        [row] = csv.DictReader(file)
    kinds = [f"{LEFT_OUT}{many}", "resampled from 200 Hz to 256 Hz", unknown]
    kinds += [f"{LEFT_OUT}'ECG EKG-Ref', 'EEG Effort-Ref'", f"{odd}: Cz", known]
    assert json.loads(row["reading_json"]) == dict.fromkeys(kinds, 1)


def test_headers_of_the_corpora(shared_data: Path, tmp_path: Path) -> None:
    headers = shared_data / "raw" / "headers"
    for name, rate in {"PN00-5_sample": "512", "PN16-1": "512", "P_ID10_r5_sample": "250"}.items():
        recording = read_recording(of_file(headers / f"{name}.edf", tmp_path / name))
        assert (recording.channels, recording.missing, recording.eeg.shape) == (ELECTRODES, (), (19, 512))
        assert f"resampled from {rate} Hz to 256 Hz" in recording.notes


def test_header_of_chb_mit(shared_data: Path, tmp_path: Path) -> None:
    """The file's two channels T8-P8 hold independent noise, so it is first refused, and read once they agree."""
    data = bytearray((shared_data / "raw" / "headers" / "chb01_01_sample.edf").read_bytes())
    with pytest.raises(RecordingError, match="channels 'T8-P8' and 'T8-P8' name one site but differ"):
        read_recording(corpus_of_one(tmp_path / "a", bytes(data)))
    header, record = 6400, 23 * 512 + 114
    for start in (header, header + record):
        data[start + 22 * 512 : start + 23 * 512] = data[start + 14 * 512 : start + 15 * 512]
    recording = read_recording(corpus_of_one(tmp_path / "b", bytes(data)))
    assert (recording.montage, recording.channels, recording.missing) == ("bipolar", DOUBLE_BANANA, ())
    digital = np.frombuffer(bytes(data[header:]), dtype="<i2").reshape(2, -1)[:, 14 * 256 : 15 * 256].reshape(-1)
    wanted = -800 + (digital.astype(float) + 2048) * 1600 / 4095
    np.testing.assert_allclose(recording.eeg[DOUBLE_BANANA.index("T4-T6")], wanted, atol=1e-3)
