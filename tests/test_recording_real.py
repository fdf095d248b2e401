"""Real recordings and real headers, against MNE and SciPy."""

from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest
from edf_files import corpus_of_one
from scipy import signal

from pytest_robustseiz.corpus import RecordingFiles, discover
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


@pytest.mark.parametrize("name", ["clinical_inverted_range.edf", "edf_plus_c_online.edf"])
def test_real_files_against_mne_and_scipy(shared_data: Path, tmp_path: Path, name: str) -> None:
    path = shared_data / "raw" / name
    recording = read_recording(of_file(path, tmp_path))
    raw: Any = mne.io.read_raw_edf(path, preload=True, verbose="error")
    of_electrode = {label.removeprefix("EEG ").removesuffix("-Ref"): label for label in raw.ch_names}
    data = raw.get_data(picks=[of_electrode[name] for name in ELECTRODES]) * 1e6
    sfreq = round(raw.info["sfreq"])
    if sfreq != 256:
        data = signal.resample_poly(data, 256, sfreq, axis=1, padtype="line", window=("kaiser", 12.0))
    wanted = data - data.mean(axis=0)
    assert recording.eeg.shape == wanted.shape
    below = signal.butter(8, 60, fs=256, output="sos")  # resamplers differ close to the Nyquist frequency of 100 Hz
    difference = signal.sosfiltfilt(below, recording.eeg - wanted, axis=1)[:, 256:-256]
    assert np.abs(difference).max() < 0.05


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
