"""The synthetic corpus: what it promises, checked on the files and by independent spectra."""

import hashlib
import importlib.util
import json
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import edfio
import numpy as np
import numpy.typing as npt
import pytest
from scipy.signal import welch

from pytest_robustseiz import demo_corpus as module
from pytest_robustseiz import demo_tree
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.demo_corpus import DEMO_SUBJECTS, demo_corpus, make_demo_corpus
from pytest_robustseiz.demo_seizures import Seizure
from pytest_robustseiz.demo_signals import SyntheticRecording, synthetic_subject
from pytest_robustseiz.demo_waves import distances
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.shifts import ELECTRODES

ROOT = Path(__file__).resolve().parents[1]
# Root mean square of the first recording of subjects 1 to 10; when it changes, so must CORPUS_VERSION.
RMS_UV_OF_VERSION_2 = [
    11.80171513, 16.615003, 11.545451, 16.66259766, 15.97882774,
    13.46430779, 13.0057033, 14.51857872, 12.39835933, 12.03472613,
]  # fmt: skip
SUBJECTS = (3, 4)  # two recordings with a seizure each, one recording without


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_demo_corpus(tmp_path_factory.mktemp("demo") / "small", subjects=SUBJECTS)


@pytest.fixture(scope="module")
def everybody() -> dict[int, tuple[SyntheticRecording, ...]]:
    return {number: synthetic_subject(number) for number in DEMO_SUBJECTS}


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_bytes_every_time(tmp_path: Path, small: Path) -> None:
    again = make_demo_corpus(tmp_path / "again", subjects=SUBJECTS)
    assert content(again) == content(small)


def test_a_subject_does_not_depend_on_the_others(tmp_path: Path, small: Path) -> None:
    alone = make_demo_corpus(tmp_path / "alone", subjects=[4])
    assert content(alone / "sub-04") == content(small / "sub-04")
    assert content(small / "sub-03") != content(small / "sub-04")


def test_a_change_of_the_signals_asks_for_a_new_version(everybody: dict[int, tuple[SyntheticRecording, ...]]) -> None:
    rms_uv = [float(np.sqrt(np.mean(recordings[0].eeg ** 2))) for recordings in everybody.values()]
    assert module.CORPUS_VERSION == "2"
    assert rms_uv == pytest.approx(RMS_UV_OF_VERSION_2, rel=1e-6)


def test_called_synthetic_everywhere(small: Path) -> None:
    description = json.loads((small / "dataset_description.json").read_text(encoding="utf-8"))
    sidecar = json.loads(next(small.rglob("*_eeg.json")).read_text(encoding="utf-8"))
    participants = (small / "participants.tsv").read_text(encoding="utf-8").splitlines()
    assert "synthetic" in description["Name"].lower()
    assert "No person was recorded" in (small / "README").read_text(encoding="utf-8")
    assert "synthetic" in sidecar["TaskDescription"].lower()
    assert participants == [
        "participant_id\torigin\tsplit",
        "sub-03\tsynthetic\tevaluation",
        "sub-04\tsynthetic\tevaluation",
    ]
    assert edfio.read_edf(next(small.rglob("*.edf"))).recording.equipment_code == "synthetic"


def test_it_is_found_and_read_without_a_remark(small: Path) -> None:
    subjects = discover(small)
    assert [(subject.name, len(subject.recordings)) for subject in subjects] == [("sub-03", 2), ("sub-04", 1)]
    for subject, number in zip(subjects, SUBJECTS, strict=True):
        for files, made in zip(subject.recordings, synthetic_subject(number), strict=True):
            recording = read_recording(files)
            assert (recording.sfreq, recording.channels, recording.montage) == (256.0, ELECTRODES, "unipolar")
            assert (recording.missing, recording.notes, recording.start) == ((), (), demo_tree.START)
            assert recording.seizures == tuple((seizure.onset_s, seizure.stop_s) for seizure in made.seizures)


def test_the_files_hold_the_signal_unclipped(small: Path) -> None:
    made = synthetic_subject(3)[0].eeg
    signals = edfio.read_edf(next((small / "sub-03").rglob("*run-00*.edf"))).signals
    for signal, row in zip(signals, made, strict=True):
        step_uv = (signal.physical_max - signal.physical_min) / 65535
        assert np.abs(signal.data - row).max() <= 0.51 * step_uv
        assert -32768 < signal.digital.min() < signal.digital.max() < 32767


def test_scale_and_reference(everybody: dict[int, tuple[SyntheticRecording, ...]]) -> None:
    for recordings in everybody.values():
        for recording in recordings:
            deviation_uv = recording.eeg.std(axis=1)
            assert 5 < deviation_uv.min() < deviation_uv.max() < 60
            assert np.abs(recording.eeg.mean(axis=0)).max() < 1e-9


def test_enough_to_score(everybody: dict[int, tuple[SyntheticRecording, ...]]) -> None:
    seizures = {number: sum(len(each.seizures) for each in made) for number, made in everybody.items()}
    hours = sum(each.eeg.shape[1] for made in everybody.values() for each in made) / 256 / 3600
    assert sum(seizures.values()) >= 14
    assert sum(count == 0 for count in seizures.values()) >= 2
    assert sum(len(made) == 2 for made in everybody.values()) >= 2
    assert hours < 2.5
    for made in everybody.values():
        for recording in made:
            assert_apart(recording)


def assert_apart(recording: SyntheticRecording) -> None:
    seizures = recording.seizures
    assert all(10 <= seizure.duration_s < 120 for seizure in seizures)
    assert all(before.stop_s + 180 < after.onset_s for before, after in pairwise(seizures))
    assert not seizures or seizures[-1].stop_s + 30 < recording.eeg.shape[1] / 256


def test_seizures_stand_out_at_their_focus(everybody: dict[int, tuple[SyntheticRecording, ...]]) -> None:
    for recording, seizure in strong_seizures(everybody):
        before = band_power(recording.eeg, seizure.onset_s - 40, seizure.onset_s - 5)
        during = band_power(recording.eeg, seizure.onset_s + 0.3 * seizure.duration_s, seizure.stop_s)
        rise = during / before
        focus, farthest = ELECTRODES.index(seizure.focus), int(distances(seizure.focus).argmax())
        assert rise[focus] > 3
        assert rise[focus] > rise[farthest]


def test_seizures_slow_down(everybody: dict[int, tuple[SyntheticRecording, ...]]) -> None:
    for recording, seizure in strong_seizures(everybody):
        row = recording.eeg[ELECTRODES.index(seizure.focus)]
        third_s = seizure.duration_s / 3
        first_hz = peak_hz(row, seizure.onset_s, seizure.onset_s + third_s)
        last_hz = peak_hz(row, seizure.stop_s - third_s, seizure.stop_s)
        assert last_hz < first_hz - 1
        assert 1.5 <= last_hz < first_hz <= 10


def strong_seizures(
    everybody: dict[int, tuple[SyntheticRecording, ...]],
) -> list[tuple[SyntheticRecording, Seizure]]:
    """Those well above the background; the faint ones are meant to hide in it."""
    found = [
        (recording, seizure)
        for recordings in everybody.values()
        for recording in recordings
        for seizure in recording.seizures
        if seizure.amplitude_uv > 35
    ]
    assert len(found) >= 5
    return found


def band_power(eeg: npt.NDArray[np.float64], start_s: float, stop_s: float) -> npt.NDArray[np.float64]:
    """Power between 2 and 10 Hz of each channel, in square microvolts."""
    freqs_hz, density = welch(eeg[:, round(start_s * 256) : round(stop_s * 256)], 256, nperseg=512)
    inside = (freqs_hz >= 2) & (freqs_hz <= 10)
    power: npt.NDArray[np.float64] = density[:, inside].sum(axis=1) * (freqs_hz[1] - freqs_hz[0])
    return power


def peak_hz(row: npt.NDArray[np.float64], start_s: float, stop_s: float) -> float:
    freqs_hz, density = welch(row[round(start_s * 256) : round(stop_s * 256)], 256, nperseg=512)
    inside = (freqs_hz >= 1.5) & (freqs_hz <= 12)
    return float(freqs_hz[inside][density[inside].argmax()])


def test_training_never_saw_the_demo() -> None:
    training = load_module(ROOT / "examples" / "demo_training" / "train.py")
    trained, validated, shown = (
        set(training.TRAINING_SUBJECTS),
        set(training.VALIDATION_SUBJECTS),
        set(DEMO_SUBJECTS),
    )
    assert len(trained | validated | shown) == len(trained) + len(validated) + len(shown)


def load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_training", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_of_many_who_ask_at_once_one_makes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def slow(folder: Path) -> Path:
        made.append(folder)
        time.sleep(0.2)
        folder.mkdir()
        return folder

    monkeypatch.setattr(module, "make_demo_corpus", slow)
    cache = tmp_path / "not" / "there"
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(demo_corpus, [cache] * 4))
    assert answers == [cache / f"robustseiz-demo-{module.CORPUS_VERSION}"] * 4
    assert len(made) == 1


def test_an_interrupted_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(number: int) -> tuple[SyntheticRecording, ...]:
        raise KeyboardInterrupt(f"at subject {number}")

    monkeypatch.setattr(module, "synthetic_subject", interrupt)
    with pytest.raises(KeyboardInterrupt, match="at subject 3"):
        make_demo_corpus(tmp_path / "demo", subjects=SUBJECTS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("subjects", [(), (1, 1), (0, 1)])
def test_bad_subjects_are_refused(tmp_path: Path, subjects: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="subjects: expected different numbers of 1 or more"):
        make_demo_corpus(tmp_path / "demo", subjects=subjects)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="exists; remove it or choose another"):
        make_demo_corpus(tmp_path, subjects=[1])


def test_a_subject_needs_a_number_from_one() -> None:
    with pytest.raises(ValueError, match="subject number of 1 or more, got 0"):
        synthetic_subject(0)
