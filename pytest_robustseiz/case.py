"""Running one case: shift, detect, score."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any

import numpy as np

from pytest_robustseiz import __version__
from pytest_robustseiz.adapters import Adapter, Examination, StochasticPasses
from pytest_robustseiz.agreement import AgreementStage, pack_votes
from pytest_robustseiz.change import InputChange, measure_change, set_against
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.results import CaseResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import (
    SZCORE,
    event_counts,
    events_to_mask,
    mask_to_events,
    onset_delays,
    rate_agreement,
    sample_counts,
)
from pytest_robustseiz.shifts import Attack, Shift
from pytest_robustseiz.tasks import DETECTION, Task
from pytest_robustseiz.visit import DetectorError, Model, Visit, require_attackable

__all__ = [
    "DetectorError",
    "Dropout",
    "Loaded",
    "MontageError",
    "Visited",
    "case_key",
    "describe",
    "generator",
    "recording_facts",
    "run_case",
    "visit",
]


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


@dataclasses.dataclass(frozen=True)
class Dropout:
    """The agreement stage, as a run asks for it.

    Attributes
    ----------
    passes : int
        Number of stochastic passes T.
    tau : float
        Probability that counts as seizure.
    """

    passes: int
    tau: float

    def on(self, recording: Recording, seed: int) -> StochasticPasses:
        """The stage on one recording: its random masks are the same under every setting, so that these compare."""
        words = json.dumps([seed, recording.subject, recording.folder, recording.stem, "agreement"]).encode()
        own = int.from_bytes(hashlib.blake2b(words, digest_size=7).digest(), "big")
        return StochasticPasses(self.passes, self.tau, own)


def describe(setting: Shift) -> SettingInfo:
    """Return a setting as results name it."""
    params = json.dumps(setting.params(), sort_keys=True, allow_nan=False)
    return SettingInfo(setting.label, setting.name, setting.family, params)


def case_key(
    setting: Shift,
    *,
    adapter: str,
    seed: int,
    subject: str,
    contents: Iterable[tuple[str, str]],
    context: Iterable[tuple[str, str]] = (),
    dropout: Dropout | None = None,
    task: Task = DETECTION,
) -> str:
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
        Place (folder and stem) and content hash of each recording, in order.
    context : iterable of (str, str)
        The same of recordings that are not tested, and whose seizures decide what is scored in those that are.
    dropout : Dropout, optional
        Agreement stage; None where it is off.
    task : Task
        What is scored.
    """
    parts = {
        "format": 3,
        "task": [task.name, task.preset],
        "setting": setting.spec(),
        "adapter": adapter,
        "seed": seed,
        "subject": subject,
        "recordings": [list(pair) for pair in contents],
        "context": [list(pair) for pair in context],
        "agreement": None if dropout is None else dataclasses.asdict(dropout),
        "preset": dataclasses.asdict(SZCORE),
        "versions": [__version__, version("timescoring")],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def generator(seed: int, recording: Recording, setting: Shift) -> np.random.Generator:
    """Random numbers of one setting on one recording, whatever runs before it or beside it."""
    # With the folder, since two sessions may hold files of one name.
    words = json.dumps([seed, recording.subject, recording.folder, recording.stem, setting.spec()]).encode()
    return np.random.default_rng(int.from_bytes(hashlib.blake2b(words, digest_size=16).digest(), "big"))


@dataclasses.dataclass(frozen=True, eq=False)
class Visited:
    """What came of a setting on one recording, before it is scored.

    Attributes
    ----------
    found : Examination
        What the model said, checked.
    change : InputChange
        What the setting did to the input.
    figures : dict of str to float
        The shift's own figures.
    """

    found: Examination
    change: InputChange
    figures: dict[str, float]


def run_case(
    setting: Shift,
    subject: str,
    recordings: Iterable[Callable[[], Loaded]],
    adapter: Adapter,
    seed: int,
    *,
    dropout: Dropout | None = None,
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
    dropout : Dropout, optional
        Agreement stage; None leaves it out.

    Raises
    ------
    DetectorError
        When the detector fails, or an attack has no gradient; the message names the recording and the setting.
    MontageError
        When the detector does not accept a recording's montage.
    NotApplicable
        When the shift has no meaning for a recording's montage, or the detector cannot be attacked.
    """
    require_attackable(adapter, setting)
    results = tuple(_run_recording(setting, load(), adapter, seed, dropout) for load in recordings)
    return CaseResult(subject, describe(setting), results)


def visit(
    setting: Shift, loaded: Loaded, adapter: Model, seed: int, dropout: Dropout | None, task: Task = DETECTION
) -> Visited:
    """Apply a setting to a recording and ask the model; raises as `run_case` does."""
    recording = loaded.recording
    if recording.montage not in adapter.montages:
        raise MontageError(
            f"{recording.stem} is {recording.montage}, and {adapter.name} accepts {' or '.join(adapter.montages)} "
            "only; use a corpus in that montage, let the adapter derive what it needs, or say that it takes these "
            f"channels (montages = ('{recording.montage}',) in its class, command[{recording.montage}]: of a program)"
        )
    eeg, sfreq = recording.eeg, recording.sfreq
    rng = generator(seed, recording, setting)
    stochastic = None if dropout is None else dropout.on(recording, seed)
    if isinstance(setting, Attack):
        found = Visit(adapter, recording, setting, rng, stochastic, task).run(eeg.copy())
        attacked = found.attacked
        untouched = InputChange(0.0, loaded.energy, 0, eeg.size)
        return Visited(found, untouched if attacked is None else measure_change(eeg, attacked, loaded.energy), {})
    shifted = setting.apply(eeg, sfreq, rng, channels=recording.channels)
    # Measured first: the detector may write into the array, which is its own.
    change = measure_change(eeg, shifted, loaded.energy)
    figures = setting.measure(eeg, shifted, sfreq)
    found = Visit(adapter, recording, setting, rng, stochastic, task).run(shifted)
    return Visited(found, change, figures | set_against(change, found.figures))


def recording_facts(loaded: Loaded, visited: Visited) -> dict[str, Any]:
    """What the result of a recording holds whatever the task."""
    recording = loaded.recording
    return {
        "folder": recording.folder,
        "stem": recording.stem,
        "content": loaded.content,
        "duration_s": recording.duration_s,
        "start": recording.start.isoformat() if recording.start else None,
        "seizures": len(recording.seizures),
        "change": visited.change,
        "figures": visited.figures,
        "notes": recording.notes,
        "outcome": visited.found.outcome,
        "no_agreement": visited.found.unavailable,
        "near_threshold": visited.found.near_threshold,
    }


def _run_recording(
    setting: Shift, loaded: Loaded, adapter: Adapter, seed: int, dropout: Dropout | None
) -> RecordingResult:
    visited = visit(setting, loaded, adapter, seed, dropout)
    recording, found = loaded.recording, visited.found
    reference, sfreq, n_samples = recording.seizures, recording.sfreq, recording.n_samples
    mask = np.asarray(found.mask)
    hypothesis = mask_to_events(mask, sfreq)
    stage = None
    if dropout is not None and found.agreement is not None:
        phi, mean = found.agreement.phi, found.agreement.mean_probability
        rates = rate_agreement(phi, mean, events_to_mask(reference, sfreq, n_samples), mask)
        stage = AgreementStage(dropout.passes, dropout.tau, rates, pack_votes(phi, dropout.passes))
    return RecordingResult(
        **recording_facts(loaded, visited),
        sample=sample_counts(reference, hypothesis, sfreq=sfreq, n_samples=n_samples),
        event=event_counts(reference, hypothesis, sfreq=sfreq, n_samples=n_samples),
        delays=onset_delays(reference, hypothesis, sfreq=sfreq, n_samples=n_samples),
        hypothesis=tuple(hypothesis),
        agreement=stage,
    )
