"""Synthetic corpora of the prediction task, a few seconds long, and what trains on them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from tiny import SFREQ, write_edf

from pytest_robustseiz.corpus import RecordingFiles, Subject, discover
from pytest_robustseiz.events import write_events
from pytest_robustseiz.limits import ConfiguredLimits
from pytest_robustseiz.options import Settings
from pytest_robustseiz.protocols import PROTOCOLS
from pytest_robustseiz.protocolsplits import subjects_tested
from pytest_robustseiz.runner import Runner
from pytest_robustseiz.shifts import ELECTRODES
from pytest_robustseiz.store import ContentHashes
from pytest_robustseiz.tasks import PREDICTION
from pytest_robustseiz.trainedmodels import TrainedModels
from pytest_robustseiz.trainingset import TrainingSet

Seizures = Sequence[tuple[float, float]]
BEGAN = datetime(2020, 1, 1, 10)
DURATION_S = 20


def write_recording(
    folder: Path, stem: str, seizures: Seizures, start: datetime | None, *, seed: int, duration_s: int = DURATION_S
) -> None:
    """Noise, and its events table."""
    eeg = np.random.default_rng(seed).normal(0, 20, (len(ELECTRODES), duration_s * SFREQ))
    write_edf(folder / f"{stem}_eeg.edf", eeg)
    write_events(folder / f"{stem}_events.tsv", seizures, recording_s=duration_s, start=start)


def write_corpus(root: Path, plan: Mapping[str, Sequence[Seizures]]) -> tuple[Subject, ...]:
    """Recordings of each subject that follow each other without a gap."""
    for number, (subject, recordings) in enumerate(plan.items()):
        for run, seizures in enumerate(recordings):
            start = BEGAN + timedelta(seconds=run * DURATION_S)
            write_recording(
                root / subject / "eeg", f"{subject}_run-{run:02d}", seizures, start, seed=100 * number + run
            )
    return discover(root)


def named(subject: str, stem: str, *, session: str = "", root: Path = Path("/none")) -> RecordingFiles:
    """Files that are named and need not exist."""
    folder = f"{subject}/{session}/eeg" if session else f"{subject}/eeg"
    return RecordingFiles(subject, stem, folder, root / f"{stem}_eeg.edf", root / f"{stem}_events.tsv")


class Says:
    """A predictor that says one class."""

    montages = ("unipolar",)

    def __init__(self, value: int, fingerprint: str | None, name: str = "constant") -> None:
        self.value = value
        self.name = name
        self._fingerprint = fingerprint

    def predict(self, eeg: Any, sfreq: float, channels: object) -> np.ndarray:
        return np.full(eeg.shape[1] // round(sfreq), self.value)

    def agreement(self, *given: object, **how: object) -> Any:
        raise AssertionError("the stage is off")

    def fingerprint(self) -> str | None:
        return self._fingerprint


class Trainer:
    """A callable that counts how often it is called, and returns or raises what it is told to."""

    def __init__(self, make: Callable[[TrainingSet], Any]) -> None:
        self.make = make
        self.calls: list[TrainingSet] = []

    def __call__(self, training: TrainingSet) -> Any:
        self.calls.append(training)
        return self.make(training)


def models_of(
    train: Any, subjects: Sequence[Subject], store: Path, *, protocol: str = "1", shared: Path | None = None
) -> TrainedModels:
    """All subjects of a corpus are tested."""
    rules = PROTOCOLS[protocol]
    tested = subjects_tested(rules, subjects)
    return TrainedModels(train, rules, subjects, tested, hashes=ContentHashes(store), shared=shared)


def settings_of(store: Path, *, protocol: str = "1", data: Path = Path("/none")) -> Settings:
    """Of a run over everything without the agreement stage."""
    return Settings(
        mode="full", task=PREDICTION, protocol=PROTOCOLS[protocol], data=str(data), subjects=10, shifts=(),
        grid="paper", registry=store / "rows.csv", output=store / "out", store=store, seed=0, mcd="off", passes=1,
        tau=0.5, gate="point", compare=None, max_regression="", compare_anyway=False, report=None, summary=None,
        training_subjects=None, adapter="", device="cpu",
    )  # fmt: skip


def runner_of(subjects: Sequence[Subject], store: Path, *, protocol: str = "1") -> Runner:
    """One process of a run."""
    settings = settings_of(store, protocol=protocol)
    return Runner(settings, subjects_tested(PROTOCOLS[protocol], subjects), ConfiguredLimits(store))
