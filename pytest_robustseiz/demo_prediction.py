"""The synthetic prediction corpus: seven subjects of synthetic EEG as a BIDS tree, written on first use.

No person was recorded. Their numbers are such that SzPredict's fixed split has training, validation and test subjects
among them. Scores on it say nothing about how a predictor does on patients.
"""

import datetime
import tempfile
from collections.abc import Sequence
from pathlib import Path

import edfio
from filelock import FileLock

from pytest_robustseiz.demo_corpus import EVENTS, START, _edf_signal, _sidecar, _write_json, _write_text
from pytest_robustseiz.demo_prediction_signals import PLANS, PredictionRecording, prediction_subject
from pytest_robustseiz.demo_waves import SFREQ_HZ
from pytest_robustseiz.events import write_events
from pytest_robustseiz.protocols import SPLIT
from pytest_robustseiz.shifts import ELECTRODES

# Raise this when a file changes: a corpus made earlier stays in users' caches under its own number.
CORPUS_VERSION = "1"
PREDICTION_SUBJECTS = tuple(PLANS)

README = """Synthetic EEG with synthetic seizures and a synthetic change before each of them. No person was recorded.

Made by pytest_robustseiz.demo_prediction for trying and testing the prediction task of pytest-robustseiz. That seizures
announce themselves is an assumption of this corpus; scores on it say nothing about how a predictor does on patients.
19 electrodes against their common average, 256 Hz, microvolts. The recordings of a subject follow each other in time.
"""
DATASET = {
    "Name": "Synthetic prediction demo of pytest-robustseiz",
    "BIDSVersion": "1.9.0",
    "DatasetType": "raw",
    "DatasetVersion": CORPUS_VERSION,
    "License": "CC0",
    "GeneratedBy": [{"Name": "pytest_robustseiz.demo_prediction", "Version": CORPUS_VERSION}],
}
PARTICIPANTS = {
    "origin": {"Description": "synthetic: computed, no person was recorded"},
    "split": {
        "Description": "part of SzPredict's fixed split",
        "Levels": {
            "train": "to train on",
            "val": "to choose a model by",
            "test": "for the scores alone",
        },
    },
}


def demo_prediction_corpus(cache: Path) -> Path:
    """Folder of the synthetic prediction corpus, made on first use: 3.9 h of EEG, 135 MB.

    Parameters
    ----------
    cache : Path
        Folder to keep it in; made when missing. Several processes may ask at once: one makes it, the others wait.

    Returns
    -------
    Path
        `cache`/robustseiz-demo-prediction-<version>.
    """
    folder = cache / f"robustseiz-demo-prediction-{CORPUS_VERSION}"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        return folder if folder.is_dir() else make_demo_prediction_corpus(folder)


def make_demo_prediction_corpus(folder: Path, *, subjects: Sequence[int] = PREDICTION_SUBJECTS) -> Path:
    """Write synthetic subjects as a BIDS tree; the same bytes every time.

    The tree is written beside `folder` and renamed, so that a folder of that name is always whole.

    Parameters
    ----------
    folder : Path
        Where the corpus goes; must not exist.
    subjects : sequence of int
        Which of the demo's subjects.

    Returns
    -------
    Path
        `folder`.

    Raises
    ------
    ValueError
        When there is no subject, one twice, or one that the demo has not.
    FileExistsError
        When the folder exists.
    """
    if not subjects or len(set(subjects)) != len(subjects) or not set(subjects) <= set(PREDICTION_SUBJECTS):
        known = ", ".join(map(str, PREDICTION_SUBJECTS))
        raise ValueError(f"subjects: expected different numbers out of {known}, got {list(subjects)}")
    if folder.exists():
        raise FileExistsError(f"folder: {folder} exists; remove it or choose another")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        tree = Path(beside) / folder.name
        tree.mkdir()
        _write_descriptions(tree, subjects)
        for number in subjects:
            for run, recording in enumerate(prediction_subject(number)):
                _write_recording(tree, number, run, recording)
        tree.rename(folder)
    return folder


def _write_descriptions(tree: Path, subjects: Sequence[int]) -> None:
    _write_text(tree / "README", README)
    _write_json(tree / "dataset_description.json", DATASET)
    _write_json(tree / "participants.json", PARTICIPANTS)
    _write_json(tree / "events.json", EVENTS)
    parts = {number: part for part, numbers in SPLIT.items() for number in numbers}
    rows = [f"sub-{number:02d}\tsynthetic\t{parts[number]}" for number in sorted(subjects)]
    _write_text(tree / "participants.tsv", "\n".join(["participant_id\torigin\tsplit", *rows, ""]))


def _write_recording(tree: Path, number: int, run: int, recording: PredictionRecording) -> None:
    folder = tree / f"sub-{number:02d}" / "ses-01" / "eeg"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"sub-{number:02d}_ses-01_task-szMonitoring_run-{run:02d}"
    start = START + datetime.timedelta(seconds=recording.start_s)
    duration_s = recording.eeg.shape[1] / SFREQ_HZ
    edfio.Edf(
        [_edf_signal(name, row) for name, row in zip(ELECTRODES, recording.eeg, strict=True)],
        recording=edfio.Recording(startdate=start.date(), equipment_code="synthetic"),
        starttime=start.time(),
        data_record_duration=1,
    ).write(folder / f"{stem}_eeg.edf")
    _write_json(folder / f"{stem}_eeg.json", _sidecar(duration_s))
    seizures = [(seizure.onset_s, seizure.stop_s) for seizure in recording.seizures]
    write_events(folder / f"{stem}_events.tsv", seizures, recording_s=duration_s, start=start)
