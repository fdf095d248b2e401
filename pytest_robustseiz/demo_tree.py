"""Writing a synthetic corpus as a BIDS tree: once, whole, and the same bytes every time."""

import datetime
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import edfio
import numpy as np
from filelock import FileLock

from pytest_robustseiz.demo_waves import SFREQ_HZ, Array
from pytest_robustseiz.events import write_events
from pytest_robustseiz.shifts import ELECTRODES

START = datetime.datetime(2000, 1, 1)  # EDF and BIDS want a date; this one is nobody's
EVENTS = {
    "eventType": {
        "Description": "Synthetic events",
        "Levels": {"sz": "synthetic seizure", "bckg": "background"},
    }
}


@dataclass(frozen=True)
class Descriptions:
    """What a corpus says of itself.

    Attributes
    ----------
    readme : str
        Text of README.
    dataset, participants : dict
        Content of dataset_description.json and participants.json.
    """

    readme: str
    dataset: dict[str, object]
    participants: dict[str, object]


def made_once(folder: Path, make: Callable[[Path], Path]) -> Path:
    """Return a folder, made on first use.

    Parameters
    ----------
    folder : Path
        The corpus. Several processes may ask at once: one makes it, the others wait.
    make : callable
        Makes it, and returns it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        return folder if folder.is_dir() else make(folder)


def write_whole(folder: Path, write: Callable[[Path], None]) -> Path:
    """Write a tree beside a folder and rename it, so that a folder of that name is always whole.

    Parameters
    ----------
    folder : Path
        Where the tree goes; must not exist.
    write : callable
        Takes an empty folder and writes the tree into it.

    Raises
    ------
    FileExistsError
        When the folder exists.
    """
    if folder.exists():
        raise FileExistsError(f"folder: {folder} exists; remove it or choose another")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        tree = Path(beside) / folder.name
        tree.mkdir()
        write(tree)
        tree.rename(folder)
    return folder


def write_descriptions(tree: Path, texts: Descriptions, splits: Sequence[tuple[int, str]]) -> None:
    """Write what stands at the top of the tree.

    Parameters
    ----------
    tree : Path
        Root of the tree.
    texts : Descriptions
        Of the corpus.
    splits : sequence of (int, str)
        Number and split of each subject, in order.
    """
    _write_text(tree / "README", texts.readme)
    _write_json(tree / "dataset_description.json", texts.dataset)
    _write_json(tree / "participants.json", texts.participants)
    _write_json(tree / "events.json", EVENTS)
    rows = [f"sub-{number:02d}\tsynthetic\t{split}" for number, split in splits]
    _write_text(tree / "participants.tsv", "\n".join(["participant_id\torigin\tsplit", *rows, ""]))


def write_recording(
    tree: Path,
    number: int,
    run: int,
    eeg: Array,
    seizures: Sequence[tuple[float, float]],
    *,
    start: datetime.datetime = START,
) -> None:
    """Write one recording: its EDF file, sidecar and events.

    Parameters
    ----------
    tree : Path
        Root of the tree.
    number, run : int
        Of the subject, and of the recording among the subject's.
    eeg : ndarray, shape (19, n_samples)
        Microvolts.
    seizures : sequence of (float, float)
        Onset and stop of each, in seconds.
    start : datetime
        When it began.
    """
    folder = tree / f"sub-{number:02d}" / "ses-01" / "eeg"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"sub-{number:02d}_ses-01_task-szMonitoring_run-{run:02d}"
    duration_s = eeg.shape[1] / SFREQ_HZ
    edfio.Edf(
        [_edf_signal(name, row) for name, row in zip(ELECTRODES, eeg, strict=True)],
        recording=edfio.Recording(startdate=start.date(), equipment_code="synthetic"),
        starttime=start.time(),
        data_record_duration=1,
    ).write(folder / f"{stem}_eeg.edf")
    _write_json(folder / f"{stem}_eeg.json", _sidecar(duration_s))
    write_events(folder / f"{stem}_events.tsv", seizures, recording_s=duration_s, start=start)


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
