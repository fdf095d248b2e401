"""The synthetic prediction corpus: seven subjects of synthetic EEG as a BIDS tree, written on first use.

No person was recorded. Their numbers are such that SzPredict's fixed split has training, validation and test subjects
among them. Scores on it say nothing about how a predictor does on patients.
"""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from pytest_robustseiz.demo_prediction_signals import PLANS, prediction_subject
from pytest_robustseiz.demo_tree import START, Descriptions, made_once, write_descriptions, write_recording, write_whole
from pytest_robustseiz.protocols import SPLIT

# Raise this when a file changes: a corpus made earlier stays in users' caches under its own number.
CORPUS_VERSION = "1"
PREDICTION_SUBJECTS = tuple(PLANS)

README = """Synthetic EEG with synthetic seizures and a synthetic change before each of them. No person was recorded.

Made by pytest_robustseiz.demo_prediction for trying and testing the prediction task of pytest-robustseiz. That seizures
announce themselves is an assumption of this corpus; scores on it say nothing about how a predictor does on patients.
19 electrodes against their common average, 256 Hz, microvolts. The recordings of a subject follow each other in time.
"""
DATASET: dict[str, object] = {
    "Name": "Synthetic prediction demo of pytest-robustseiz",
    "BIDSVersion": "1.9.0",
    "DatasetType": "raw",
    "DatasetVersion": CORPUS_VERSION,
    "License": "CC0",
    "GeneratedBy": [{"Name": "pytest_robustseiz.demo_prediction", "Version": CORPUS_VERSION}],
}
PARTICIPANTS: dict[str, object] = {
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
    return made_once(cache / f"robustseiz-demo-prediction-{CORPUS_VERSION}", make_demo_prediction_corpus)


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
    parts = {number: part for part, numbers in SPLIT.items() for number in numbers}

    def write(tree: Path) -> None:
        texts = Descriptions(README, DATASET, PARTICIPANTS)
        write_descriptions(tree, texts, [(number, parts[number]) for number in sorted(subjects)])
        for number in subjects:
            for run, recording in enumerate(prediction_subject(number)):
                seizures = [(seizure.onset_s, seizure.stop_s) for seizure in recording.seizures]
                start = START + timedelta(seconds=recording.start_s)
                write_recording(tree, number, run, recording.eeg, seizures, start=start)

    return write_whole(folder, write)
