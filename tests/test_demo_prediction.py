"""The synthetic prediction corpus: labels by hand, and the change before seizures by an independent measure."""

import hashlib
import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import groupby
from pathlib import Path

import edfio
import numpy as np
import numpy.typing as npt
import pytest
from scipy.signal import butter, find_peaks, sosfiltfilt, welch
from scipy.stats import spearmanr

from pytest_robustseiz import demo_prediction as module
from pytest_robustseiz.corpus import Subject, discover
from pytest_robustseiz.demo_prediction import PREDICTION_SUBJECTS, demo_prediction_corpus, make_demo_prediction_corpus
from pytest_robustseiz.demo_prediction_signals import PLANS, PredictionRecording, prediction_subject, preictal_wave
from pytest_robustseiz.predictioncase import stretch_of
from pytest_robustseiz.protocols import fixed_split
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.scoring import subject_labels
from pytest_robustseiz.shifts import ELECTRODES

Floats = npt.NDArray[np.floating]
SUBJECTS = (1, 5, 11)  # an early and a late seizure, a late one alone, an early one alone

# Root mean square of the first recording, in microvolts; when it changes, so must CORPUS_VERSION.
RMS_UV_OF_VERSION_1 = {"sub-01": 15.82392, "sub-05": 12.65945, "sub-11": 16.50561}

# Seizures of the files, in seconds of their recording, and the labels that follow from them by hand. The recordings
# begin at 0, 672 and 1357 s. Excluded: -1, interictal: 0, preictal: 1, ictal: 2; (label, first window, last window).
EVENTS_OF_SUB_01 = [[], [(120.25, 183.5)], [(526.75, 587.0)]]
LABELS_OF_SUB_01 = [
    [(0, 0, 491), (1, 492, 659)],  # the first onset is at 792.25 s, so its preictal part starts at 492.25 s
    [(1, 0, 119), (2, 120, 183), (-1, 184, 483), (0, 484, 659)],
    [(0, 0, 225), (1, 226, 525), (2, 526, 586), (-1, 587, 659)],
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_demo_prediction_corpus(tmp_path_factory.mktemp("demo") / "small", subjects=SUBJECTS)


@pytest.fixture(scope="module")
def subjects(small: Path) -> dict[str, Subject]:
    return {subject.name: subject for subject in discover(small)}


@pytest.fixture(scope="module")
def eegs(subjects: dict[str, Subject]) -> dict[str, Floats]:
    """All recordings of a subject one after the other, without what was not recorded, shape (19, n_samples)."""
    return {
        name: np.concatenate([read_recording(files).eeg for files in subject.recordings], axis=1)
        for name, subject in subjects.items()
    }


def labels_of(subject: Subject) -> list[npt.NDArray[np.int8]]:
    found = subject_labels([stretch_of(read_recording(files)) for files in subject.recordings])
    assert found.across
    return [own.labels for own in found.windows]


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_subject_has_the_same_bytes_every_time_whoever_is_beside_it(tmp_path: Path, small: Path) -> None:
    alone = make_demo_prediction_corpus(tmp_path / "alone", subjects=[11])
    assert content(alone / "sub-11") == content(small / "sub-11")
    assert content(small / "sub-01") != content(small / "sub-11")


def test_a_change_of_the_signals_asks_for_a_new_version(subjects: dict[str, Subject]) -> None:
    rms_uv = {
        name: float(np.sqrt(np.mean(read_recording(subject.recordings[0]).eeg ** 2, dtype=np.float64)))
        for name, subject in subjects.items()
    }
    assert module.CORPUS_VERSION == "1"
    assert rms_uv == pytest.approx(RMS_UV_OF_VERSION_1, rel=1e-5)


def test_called_synthetic_everywhere(small: Path) -> None:
    description = json.loads((small / "dataset_description.json").read_text(encoding="utf-8"))
    sidecar = json.loads(next(small.rglob("*_eeg.json")).read_text(encoding="utf-8"))
    assert "synthetic" in description["Name"].lower()
    assert description["DatasetVersion"] == module.CORPUS_VERSION
    assert "No person was recorded" in (small / "README").read_text(encoding="utf-8")
    assert "synthetic" in sidecar["TaskDescription"].lower()
    assert (small / "participants.tsv").read_text(encoding="utf-8").splitlines() == [
        "participant_id\torigin\tsplit",
        "sub-01\tsynthetic\ttrain",
        "sub-05\tsynthetic\ttrain",
        "sub-11\tsynthetic\ttest",
    ]
    assert edfio.read_edf(next(small.rglob("*.edf"))).recording.equipment_code == "synthetic"


def test_every_part_of_the_fixed_split_has_subjects_and_no_part_has_one_side_only() -> None:
    everybody = [Subject(f"sub-{number:02d}", ()) for number in PREDICTION_SUBJECTS]
    parts = {part: [subject.name for subject in fixed_split(everybody, part)] for part in ("train", "val", "test")}
    assert parts == {
        "train": ["sub-01", "sub-03", "sub-05"],
        "val": ["sub-04"],
        "test": ["sub-02", "sub-07", "sub-11"],
    }
    assert {PLANS[number].focus for number in (1, 3, 5)} == {PLANS[number].focus for number in (2, 7, 11)}


def test_it_is_read_without_a_remark_and_recordings_follow_each_other(subjects: dict[str, Subject]) -> None:
    for subject in subjects.values():
        recordings = [read_recording(files) for files in subject.recordings]
        assert [recording.start for recording in recordings] == [
            datetime(2000, 1, 1, 0, 0, 0),
            datetime(2000, 1, 1, 0, 11, 12),
            datetime(2000, 1, 1, 0, 22, 37),
        ]
        for recording in recordings:
            assert (recording.sfreq, recording.channels, recording.montage) == (256.0, ELECTRODES, "unipolar")
            assert (recording.missing, recording.notes, recording.duration_s) == ((), (), 660.0)


def test_it_is_small(small: Path) -> None:
    size = sum(path.stat().st_size for path in small.rglob("*") if path.is_file())
    assert size / len(SUBJECTS) * len(PREDICTION_SUBJECTS) < 150e6


def test_labels_by_hand(subjects: dict[str, Subject]) -> None:
    subject = subjects["sub-01"]
    assert [list(read_recording(files).seizures) for files in subject.recordings] == EVENTS_OF_SUB_01
    for labels, expected in zip(labels_of(subject), LABELS_OF_SUB_01, strict=True):
        assert runs(labels) == expected


def runs(labels: npt.NDArray[np.int8]) -> list[tuple[int, int, int]]:
    found, first = [], 0
    for label, group in groupby(labels.tolist()):
        count = len(list(group))
        found.append((label, first, first + count - 1))
        first += count
    return found


def test_a_preictal_part_lies_in_the_recording_before(subjects: dict[str, Subject]) -> None:
    before, during, after = labels_of(subjects["sub-11"])
    seizure = read_recording(subjects["sub-11"].recordings[1]).seizures[0]
    assert seizure[0] < 300
    assert np.count_nonzero(before == 1) + np.count_nonzero(during == 1) + 12 in (300, 301)
    assert not (after == 1).any()


def test_enough_of_every_class(subjects: dict[str, Subject]) -> None:
    for subject in subjects.values():
        counts = np.bincount(np.concatenate(labels_of(subject)) + 1, minlength=4)
        assert counts[1] > 800
        assert counts[2] > 250
        assert counts[3] > 40


def fast_power(row: Floats) -> Floats:
    """Power between 15 and 25 Hz in each 10 s, in square microvolts."""
    pieces = row[: len(row) // 2560 * 2560].reshape(-1, 2560)
    freqs_hz, density = welch(pieces, 256, nperseg=512)
    inside = (freqs_hz >= 15) & (freqs_hz <= 25)
    power: Floats = density[:, inside].sum(axis=1) * (freqs_hz[1] - freqs_hz[0])
    return power


@pytest.mark.parametrize("name", ["sub-01", "sub-11"])
def test_fast_activity_grows_before_seizures_and_not_elsewhere(
    subjects: dict[str, Subject], eegs: dict[str, Floats], name: str
) -> None:
    row = eegs[name][ELECTRODES.index(PLANS[int(name[-2:])].focus)]
    usual = np.median(fast_power(row[: 480 * 256]))  # the first recording up to the first preictal part
    late = fast_power(row[(660 + 90 - 60) * 256 : (660 + 90) * 256])  # no onset is before second 90
    assert np.median(late) > 5 * usual
    before = fast_power(row[560 * 256 : 660 * 256])  # the end of the recording before
    assert np.median(before) > 2 * usual
    rising = fast_power(row[500 * 256 : (660 + 90) * 256])
    assert spearmanr(np.arange(len(rising)), rising).statistic > 0.4
    first, second = (fast_power(row[start * 256 : (start + 240) * 256]) for start in (0, 240))
    assert 0.5 < np.median(second) / np.median(first) < 2
    last = read_recording(subjects[name].recordings[2])
    if last.seizures:
        onset = round(last.seizures[0][0] * 256)
        own = last.eeg[ELECTRODES.index(PLANS[int(name[-2:])].focus)]
        assert np.median(fast_power(own[onset - 60 * 256 : onset])) > 5 * usual


def test_nothing_grows_where_no_seizure_comes(eegs: dict[str, Floats]) -> None:
    row = eegs["sub-05"][ELECTRODES.index(PLANS[5].focus)]
    usual = np.median(fast_power(row[: 480 * 256]))
    for start_s, stop_s in ((560, 660), (690, 750), (750, 1320)):  # when others have an early one
        assert 0.67 < np.median(fast_power(row[start_s * 256 : stop_s * 256])) / usual < 1.5


def test_sharp_waves_come_ever_more_often() -> None:
    wave = preictal_wave(np.random.default_rng(0), "T3")
    assert wave.shape == (19, 300 * 256)
    slow = sosfiltfilt(butter(4, (1, 10), "bandpass", fs=256, output="sos"), wave[ELECTRODES.index("T3")])
    minutes = [len(find_peaks(-piece, prominence=20)[0]) for piece in slow.reshape(5, -1)]
    # The rate rises in a line from 0.3 to 2 per second; waves that overlap count once.
    assert minutes == pytest.approx([28, 49, 69, 89, 110], rel=0.35)
    farthest = wave[ELECTRODES.index("T4")]
    assert np.ptp(farthest) < 0.6 * np.ptp(wave[ELECTRODES.index("T3")])


def test_of_many_who_ask_at_once_one_makes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def slow(folder: Path) -> Path:
        made.append(folder)
        time.sleep(0.2)
        folder.mkdir()
        return folder

    monkeypatch.setattr(module, "make_demo_prediction_corpus", slow)
    cache = tmp_path / "not" / "there"
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(demo_prediction_corpus, [cache] * 4))
    assert answers == [cache / f"robustseiz-demo-prediction-{module.CORPUS_VERSION}"] * 4
    assert len(made) == 1


def test_an_interrupted_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(number: int) -> tuple[PredictionRecording, ...]:
        raise KeyboardInterrupt(f"at subject {number}")

    monkeypatch.setattr(module, "prediction_subject", interrupt)
    with pytest.raises(KeyboardInterrupt, match="at subject 1"):
        make_demo_prediction_corpus(tmp_path / "demo", subjects=SUBJECTS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("numbers", [(), (1, 1), (1, 6)])
def test_bad_subjects_are_refused(tmp_path: Path, numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"subjects: expected different numbers out of 1, 2, 3, 4, 5, 7, 11, got"):
        make_demo_prediction_corpus(tmp_path / "demo", subjects=numbers)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="exists; remove it or choose another"):
        make_demo_prediction_corpus(tmp_path, subjects=[1])


def test_an_unknown_subject_is_refused() -> None:
    with pytest.raises(ValueError, match=r"number: expected a subject of the demo, 1, 2, 3, 4, 5, 7, 11, got 6"):
        prediction_subject(6)
