"""One recording: converted, read back as a run would read it, and put into its place in one go."""

import hashlib
import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pytest_robustseiz.convert_corpora import CORPORA
from pytest_robustseiz.convert_epilepsy2bids import second_reading, template
from pytest_robustseiz.convert_plan import Choices, ConvertError, Corpus, Reading, Source
from pytest_robustseiz.convert_signals import Signals, open_source, read_signals
from pytest_robustseiz.convert_write import write_edf, write_json
from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.events import write_event_rows
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import Recording, read_recording
from pytest_robustseiz.rows import SFREQ_HZ

PARTIAL = ".robustseiz-partial"  # folder in the target for files that are being written
FORMAT = 1  # raise it when what a conversion writes changes: recordings of an earlier one are then done again
KEY = "RobustseizConversion"  # in the sidecar
TASK = "szMonitoring"


@dataclass(frozen=True)
class Job:
    """What a worker is told: the corpus' name for the command, a recording of it, where to, and what was chosen."""

    corpus: str
    source: Source
    target: Path
    choices: Choices


@dataclass(frozen=True)
class Done:
    """A converted recording.

    Attributes
    ----------
    name : str
        Of the source.
    target : str
        Folder and stem in the BIDS tree.
    duration_s : float
        Recorded time in seconds.
    seizures : int
        How many there are.
    step_uv : float
        By half of this, in microvolts, samples were rounded at most.
    missing, notes : tuple of str
        Channels that the file has not, and what there is to know.
    is_new : bool
        False where an earlier run had converted it.
    """

    name: str
    target: str
    duration_s: float
    seizures: int
    step_uv: float
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    is_new: bool = True


def files_of(source: Source, target: Path) -> RecordingFiles:
    """The files of a recording in the BIDS tree."""
    return _files(source, target / source.folder)


def _files(source: Source, folder: Path) -> RecordingFiles:
    return RecordingFiles(
        subject=source.participant,
        stem=source.stem,
        folder=source.folder,
        eeg=folder / f"{source.stem}_eeg.edf",
        events=folder / f"{source.stem}_events.tsv",
    )


def sidecar_of(files: RecordingFiles) -> Path:
    """The JSON file beside a recording; written last, so that a recording which has it is whole."""
    return files.eeg.with_suffix(".json")


def already_done(job: Job) -> Done | None:
    """What an earlier run made of a recording; None where it has to be done.

    It has to be done again when the EDF file (by size and time), one of its lists (by content), the choices or the
    form of the output changed, or when a file in the target is missing or of another length.
    """
    files = files_of(job.source, job.target)
    try:
        record = json.loads(sidecar_of(files).read_text(encoding="utf-8"))[KEY]
        same = record["Made"] == _made_from(job) and record["EegBytes"] == files.eeg.stat().st_size
        if not same or not files.events.is_file():
            return None
        result = record["Result"]
        return Done(
            name=job.source.name,
            target=job.source.place.target,
            duration_s=float(result["DurationSeconds"]),
            seizures=int(result["Seizures"]),
            step_uv=float(result["StepMicrovolts"]),
            missing=tuple(result["Missing"]),
            notes=tuple(result["Notes"]),
            is_new=False,
        )
    except (OSError, ValueError, LookupError, TypeError):  # no sidecar, or not one of ours
        return None


def _made_from(job: Job) -> dict[str, Any]:
    stat = job.source.edf.stat()
    return {
        "Format": FORMAT,
        "File": job.source.name,
        "Bytes": stat.st_size,
        "Modified": int(stat.st_mtime),
        "Lists": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in job.source.lists},
        "Choices": [job.choices.annotator, job.choices.assumed_s],
    }


def remove_outdated(job: Job) -> None:
    """Remove what an interrupted run, or an earlier state of the source, left of a recording that is to be done."""
    files = files_of(job.source, job.target)
    for path in (sidecar_of(files), files.events, files.eeg):
        path.unlink(missing_ok=True)
    folder = files.eeg.parent
    while folder != job.target and folder.is_dir() and not any(folder.iterdir()):  # an empty one is no subject
        folder.rmdir()
        folder = folder.parent


def convert(job: Job) -> Done:
    """Convert one recording.

    The files are written to a folder of their own, read back and checked there, and then moved into their place, the
    sidecar last.

    Raises
    ------
    ConvertError, RecordingError, EventsError, OSError
        When it cannot be converted; nothing is left of it.
    """
    corpus, source = CORPORA[job.corpus], job.source
    made = _made_from(job)
    file, span = open_source(source.edf, corpus.labels)
    reading = corpus.read(source, span, job.choices)
    if note := second_reading(corpus, source, reading.seizures):
        reading = Reading(reading.seizures, (*reading.notes, note))
    with tempfile.TemporaryDirectory(dir=job.target / PARTIAL) as folder:
        files = _files(source, Path(folder))
        done = _write(job, files, read_signals(file, corpus), reading, span.start)
        record = {"Made": made, "EegBytes": files.eeg.stat().st_size, "Result": _result(done)}
        write_json(sidecar_of(files), {**_sidecar(corpus, done), KEY: record})
        _check(read_recording(files), corpus, reading, done)
        place = files_of(source, job.target)
        place.eeg.parent.mkdir(parents=True, exist_ok=True)
        files.events.replace(place.events)
        files.eeg.replace(place.eeg)
        sidecar_of(files).replace(sidecar_of(place))
    return done


def _write(job: Job, files: RecordingFiles, signals: Signals, reading: Reading, start: datetime | None) -> Done:
    duration_s = signals.eeg.shape[1] / SFREQ_HZ
    clipped = [replace(event, duration_s=min(event.stop_s, duration_s) - event.onset_s) for event in reading.seizures]
    write_event_rows(files.events, clipped, recording_s=duration_s, start=start)
    return Done(
        name=job.source.name,
        target=job.source.place.target,
        duration_s=duration_s,
        seizures=len(clipped),
        step_uv=write_edf(files.eeg, signals, start=start),
        missing=signals.missing,
        notes=(*reading.notes, *signals.notes),
    )


def _result(done: Done) -> dict[str, Any]:
    return {
        "DurationSeconds": done.duration_s,
        "Seizures": done.seizures,
        "StepMicrovolts": done.step_uv,
        "Missing": done.missing,
        "Notes": done.notes,
    }


def _sidecar(corpus: Corpus, done: Done) -> dict[str, Any]:
    """The sidecar of epilepsy2bids, without what it states of every file and is true of few."""
    channels = len(ELECTRODES if corpus.montage == "unipolar" else DOUBLE_BANANA)
    content = template(corpus, "eeg.json", fs=SFREQ_HZ, channels=channels, duration=done.duration_s, task=TASK)
    return content | {"RecordingType": "continuous", "SoftwareFilters": "n/a"}


def _check(recording: Recording, corpus: Corpus, reading: Reading, done: Done) -> None:
    """Compare what a run would get with what was meant."""
    meant = [(event.onset_s, min(event.stop_s, done.duration_s)) for event in reading.seizures]
    found: dict[str, tuple[object, object]] = {
        "montage": (recording.montage, corpus.montage),
        "missing channels": (recording.missing, done.missing),
        "length in s": (recording.duration_s, done.duration_s),
        "seizures": (_rounded(recording.seizures), _rounded(sorted(meant))),
    }
    wrong = [f"{what} {read} instead of {wanted}" for what, (read, wanted) in found.items() if read != wanted]
    if wrong:
        raise ConvertError(f"read back, the converted recording has {', '.join(wrong)}", "report this as a bug")


def _rounded(times: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(round(start_s, 6), round(stop_s, 6)) for start_s, stop_s in times]
