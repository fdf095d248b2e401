"""The synthetic demo corpus: ten subjects of synthetic EEG as a BIDS tree, written on first use.

No person was recorded. The corpus exists so that the suite can be tried and tested with no data at hand; scores on it
say nothing about how a detector does on patients.
"""

from collections.abc import Sequence
from pathlib import Path

from pytest_robustseiz.demo_signals import synthetic_subject
from pytest_robustseiz.demo_tree import Descriptions, made_once, write_descriptions, write_recording, write_whole

# Raise this when a file changes: a corpus made earlier stays in users' caches under its own number.
CORPUS_VERSION = "2"
DEMO_SUBJECTS = range(1, 11)

README = """Synthetic EEG with synthetic seizures. No person was recorded.

Made by pytest_robustseiz.demo_corpus for trying and testing pytest-robustseiz. Scores on it say nothing about how a
detector does on patients. 19 electrodes against their common average, 256 Hz, microvolts.
"""
DATASET: dict[str, object] = {
    "Name": "Synthetic demo of pytest-robustseiz",
    "BIDSVersion": "1.9.0",
    "DatasetType": "raw",
    "DatasetVersion": CORPUS_VERSION,
    "License": "CC0",
    "GeneratedBy": [{"Name": "pytest_robustseiz.demo_corpus", "Version": CORPUS_VERSION}],
}
PARTICIPANTS: dict[str, object] = {
    "origin": {"Description": "synthetic: computed, no person was recorded"},
    "split": {"Levels": {"evaluation": "not in the training of the demo detector"}},
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
    return made_once(cache / f"robustseiz-demo-{CORPUS_VERSION}", make_demo_corpus)


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

    def write(tree: Path) -> None:
        texts = Descriptions(README, DATASET, PARTICIPANTS)
        write_descriptions(tree, texts, [(number, "evaluation") for number in sorted(subjects)])
        for number in subjects:
            for run, recording in enumerate(synthetic_subject(number)):
                seizures = [(seizure.onset_s, seizure.stop_s) for seizure in recording.seizures]
                write_recording(tree, number, run, recording.eeg, seizures)

    return write_whole(folder, write)
