"""The synthetic demo corpus: ten subjects of synthetic EEG as a BIDS tree, written on first use.

No person was recorded. The corpus exists so that the suite can be tried and tested with no data at hand; scores on it
say nothing about how a detector does on patients.
"""

import datetime
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import edfio
import numpy as np
from filelock import FileLock

from pytest_robustseiz.demo_signals import synthetic_subject
from pytest_robustseiz.demo_waves import SFREQ_HZ, Array
from pytest_robustseiz.events import write_events
from pytest_robustseiz.shifts import ELECTRODES

# Raise this when a file changes: a corpus made earlier stays in users' caches under its own number.
CORPUS_VERSION = "2"
DEMO_SUBJECTS = range(1, 11)
START = datetime.datetime(2000, 1, 1)  # EDF and BIDS want a date; this one is nobody's

README = """Synthetic EEG with synthetic seizures. No person was recorded.

Made by pytest_robustseiz.demo_corpus for trying and testing pytest-robustseiz. Scores on it say nothing about how a
detector does on patients. 19 electrodes against their common average, 256 Hz, microvolts.
"""
DATASET = {
    "Name": "Synthetic demo of pytest-robustseiz",
    "BIDSVersion": "1.9.0",
    "DatasetType": "raw",
    "DatasetVersion": CORPUS_VERSION,
    "License": "CC0",
    "GeneratedBy": [{"Name": "pytest_robustseiz.demo_corpus", "Version": CORPUS_VERSION}],
}
PARTICIPANTS = {
    "origin": {"Description": "synthetic: computed, no person was recorded"},
    "split": {"Levels": {"evaluation": "not in the training of the demo detector"}},
}
EVENTS = {
    "eventType": {
        "Description": "Synthetic events",
        "Levels": {"sz": "synthetic seizure", "bckg": "background"},
    }
}


def demo_corpus(cache: Path) -> Path:
    """Folder of the synthetic demo corpus, made on first use.

    Parameters
    ----------
    cache : Path
        Folder to keep it in; made when missing. Several processes may ask at once: one makes it, the others wait.

    Returns
    -------
    Path
        `cache`/robustseiz-demo-<version>.
    """
    folder = cache / f"robustseiz-demo-{CORPUS_VERSION}"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        return folder if folder.is_dir() else make_demo_corpus(folder)


def make_demo_corpus(folder: Path, *, subjects: Sequence[int] = DEMO_SUBJECTS) -> Path:
    """Write synthetic subjects as a BIDS tree; the same bytes every time.

    The tree is written beside `folder` and renamed, so that a folder of that name is always whole.

    Parameters
    ----------
    folder : Path
        Where the corpus goes; must not exist.
    subjects : sequence of int
        Numbers of the synthetic subjects, 1 or more. The demo's are 1 to 10.

    Returns
    -------
    Path
        `folder`.

    Raises
    ------
    ValueError
        When there is no subject, one twice, or one below 1.
    FileExistsError
        When the folder exists.
    """
    if not subjects or len(set(subjects)) != len(subjects) or min(subjects) < 1:
        raise ValueError(f"subjects: expected different numbers of 1 or more, got {list(subjects)}")
    if folder.exists():
        raise FileExistsError(f"folder: {folder} exists; remove it or choose another")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        tree = Path(beside) / folder.name
        tree.mkdir()
        _write_descriptions(tree, subjects)
        for number in subjects:
            _write_subject(tree, number)
        tree.rename(folder)
    return folder


def _write_descriptions(tree: Path, subjects: Sequence[int]) -> None:
    _write_text(tree / "README", README)
    _write_json(tree / "dataset_description.json", DATASET)
    _write_json(tree / "participants.json", PARTICIPANTS)
    _write_json(tree / "events.json", EVENTS)
    rows = [f"sub-{number:02d}\tsynthetic\tevaluation" for number in sorted(subjects)]
    _write_text(tree / "participants.tsv", "\n".join(["participant_id\torigin\tsplit", *rows, ""]))


def _write_subject(tree: Path, number: int) -> None:
    folder = tree / f"sub-{number:02d}" / "ses-01" / "eeg"
    folder.mkdir(parents=True)
    for run, recording in enumerate(synthetic_subject(number)):
        stem = f"sub-{number:02d}_ses-01_task-szMonitoring_run-{run:02d}"
        duration_s = recording.eeg.shape[1] / SFREQ_HZ
        _write_edf(folder / f"{stem}_eeg.edf", recording.eeg)
        _write_json(folder / f"{stem}_eeg.json", _sidecar(duration_s))
        seizures = [(seizure.onset_s, seizure.stop_s) for seizure in recording.seizures]
        write_events(folder / f"{stem}_events.tsv", seizures, recording_s=duration_s, start=START)


def _write_edf(path: Path, eeg: Array) -> None:
    signals = [_edf_signal(name, row) for name, row in zip(ELECTRODES, eeg, strict=True)]
    edfio.Edf(
        signals,
        recording=edfio.Recording(startdate=START.date(), equipment_code="synthetic"),
        starttime=START.time(),
        data_record_duration=1,
    ).write(path)


def _edf_signal(name: str, row: Array) -> edfio.EdfSignal:
    # Symmetric and a little wider than the signal, in whole microvolts: no clipping, and exact in the header's text.
    limit = float(np.ceil(np.abs(row).max()) + 1)
    return edfio.EdfSignal(row, SFREQ_HZ, label=f"{name}-Avg", physical_dimension="uV", physical_range=(-limit, limit))


def _sidecar(duration_s: float) -> dict[str, object]:
    return {
        "TaskName": "szMonitoring",
        "TaskDescription": "Synthetic EEG; no person was recorded",
        "SamplingFrequency": SFREQ_HZ,
        "EEGReference": "common average of the 19 electrodes",
        "PowerLineFrequency": "n/a",
        "RecordingDuration": duration_s,
        "RecordingType": "continuous",
        "EEGChannelCount": len(ELECTRODES),
        "SoftwareFilters": "n/a",
    }


def _write_json(path: Path, content: object) -> None:
    _write_text(path, json.dumps(content, indent=2) + "\n")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
