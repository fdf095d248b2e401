"""Running one case: shift, detect, score."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable
from importlib.metadata import version

import numpy as np
import numpy.typing as npt

from pytest_robustseiz import __version__
from pytest_robustseiz.adapters import Adapter, as_mask
from pytest_robustseiz.change import measure_change
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.results import CaseResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import SZCORE, event_counts, mask_to_events, onset_delays, sample_counts
from pytest_robustseiz.shifts import Shift


class DetectorError(RuntimeError):
    """A detector raised, or returned something that is not a mask; the case has no result."""


class MontageError(ValueError):
    """A detector does not accept the montage of a recording."""


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A recording in memory, with what every setting needs of it.

    Attributes
    ----------
    recording : Recording
        The recording.
    content : str
        SHA-256 of its files.
    energy : float
        Its signal energy, see `pytest_robustseiz.change.signal_energy`.
    """

    recording: Recording
    content: str
    energy: float


def describe(setting: Shift) -> SettingInfo:
    """Return a setting as results name it."""
    params = json.dumps(setting.params(), sort_keys=True, allow_nan=False)
    return SettingInfo(setting.label, setting.name, setting.family, params)


def case_key(setting: Shift, *, adapter: str, seed: int, subject: str, contents: Iterable[tuple[str, str]]) -> str:
    """Hash of everything that can change a case's result.

    Parameters
    ----------
    setting : Shift
        The setting.
    adapter : str
        Fingerprint of the detector.
    seed : int
        Seed of the run.
    subject : str
        Folder name of the subject.
    contents : iterable of (str, str)
        Stem and content hash of each recording, in order.
    """
    parts = {
        "format": 1,
        "setting": setting.spec(),
        "adapter": adapter,
        "seed": seed,
        "subject": subject,
        "recordings": [list(pair) for pair in contents],
        "preset": dataclasses.asdict(SZCORE),
        "versions": [__version__, version("timescoring")],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def generator(seed: int, subject: str, stem: str, setting: Shift) -> np.random.Generator:
    """Random numbers of one setting on one recording, whatever runs before it or beside it."""
    words = json.dumps([seed, subject, stem, setting.spec()]).encode()
    return np.random.default_rng(int.from_bytes(hashlib.blake2b(words, digest_size=16).digest(), "big"))


def run_case(
    setting: Shift, subject: str, recordings: Iterable[Callable[[], Loaded]], adapter: Adapter, seed: int
) -> CaseResult:
    """Run a setting on all recordings of a subject.

    Parameters
    ----------
    setting : Shift
        The setting.
    subject : str
        Folder name of the subject.
    recordings : iterable of callable
        Each returns a recording when it is its turn, so that one is held at a time.
    adapter : Adapter
        The detector.
    seed : int
        Seed of the run.

    Raises
    ------
    DetectorError
        When the detector fails; the message names the recording and the setting.
    MontageError
        When the detector does not accept a recording's montage.
    NotApplicable
        When the shift has no meaning for a recording's montage.
    """
    results = tuple(_run_recording(setting, load(), adapter, seed) for load in recordings)
    return CaseResult(subject, describe(setting), results)


def _run_recording(setting: Shift, loaded: Loaded, adapter: Adapter, seed: int) -> RecordingResult:
    recording = loaded.recording
    if recording.montage not in adapter.montages:
        raise MontageError(
            f"{recording.stem} is {recording.montage}, and {adapter.name} accepts {' or '.join(adapter.montages)} "
            "only; use a corpus in that montage or let the adapter derive what it needs"
        )
    eeg, sfreq = recording.eeg, recording.sfreq
    rng = generator(seed, recording.subject, recording.stem, setting)
    shifted = setting.apply(eeg, sfreq, rng, channels=recording.channels)
    # Measured first: the detector may write into the array, which is its own.
    change = measure_change(eeg, shifted, loaded.energy)
    figures = setting.measure(eeg, shifted, sfreq)
    hypothesis = mask_to_events(_detect(adapter, shifted, recording, setting), sfreq)
    reference, n_samples = recording.seizures, recording.n_samples
    return RecordingResult(
        folder=recording.folder,
        stem=recording.stem,
        content=loaded.content,
        duration_s=recording.duration_s,
        start=recording.start.isoformat() if recording.start else None,
        seizures=len(reference),
        sample=sample_counts(reference, hypothesis, sfreq=sfreq, n_samples=n_samples),
        event=event_counts(reference, hypothesis, sfreq=sfreq, n_samples=n_samples),
        delays=onset_delays(reference, hypothesis, sfreq=sfreq, n_samples=n_samples),
        hypothesis=tuple(hypothesis),
        change=change,
        figures=figures,
        notes=recording.notes,
    )


def _detect(
    adapter: Adapter, shifted: npt.NDArray[np.float32], recording: Recording, setting: Shift
) -> npt.NDArray[np.bool_]:
    try:
        answer = adapter.detect(shifted, recording.sfreq, recording.channels)
        return as_mask(answer, recording.n_samples)
    except Exception as error:  # the detector is the author's code: anything can come out of it
        raise DetectorError(
            f"{adapter.name} failed on {recording.stem} under {setting.label}: {type(error).__name__}: {error}"
        ) from error
