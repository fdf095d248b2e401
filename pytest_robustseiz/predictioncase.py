"""Running one case of the prediction task: shift, predict, and score over all recordings of a subject."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters import Agreement
from pytest_robustseiz.adapters.prediction import PredictionAdapter
from pytest_robustseiz.agreement import AgreementStage, pack_votes
from pytest_robustseiz.case import Dropout, Loaded, describe, recording_facts, visit
from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.recording import Recording, read_recording
from pytest_robustseiz.recordingresult import RecordingResult
from pytest_robustseiz.results import CaseResult
from pytest_robustseiz.scoring import (
    Stretch,
    SubjectLabels,
    WindowLabels,
    prediction_counts,
    rate_agreement,
    subject_labels,
)
from pytest_robustseiz.scoring.prediction_labels import EXCLUDED, INTERICTAL
from pytest_robustseiz.shifts import Shift
from pytest_robustseiz.tasks import PREDICTION
from pytest_robustseiz.visit import require_attackable

Classes = npt.NDArray[np.int8]
EPOCH = datetime(1970, 1, 1)  # starts of recordings have no zone; only their differences count


@dataclass(frozen=True, eq=False)
class _Predicted:
    """A recording that was predicted and is not scored yet: small, so that all of a subject fit into memory."""

    stretch: Stretch
    facts: dict[str, Any]
    classes: Classes
    agreement: Agreement | None


def run_prediction_case(
    setting: Shift,
    subject: str,
    recordings: Iterable[Callable[[], Loaded]],
    adapter: PredictionAdapter,
    seed: int,
    *,
    dropout: Dropout | None = None,
    context: Sequence[Stretch] = (),
) -> CaseResult:
    """Run a setting on all recordings of a subject.

    Parameters
    ----------
    setting, subject, recordings, seed, dropout
        As `pytest_robustseiz.case.run_case`.
    adapter : PredictionAdapter
        The predictor.
    context : sequence of Stretch
        Recordings of the subject that are not tested: what follows a seizure in one of them is excluded from those that
        are.

    Raises
    ------
    Exception
        As `pytest_robustseiz.case.run_case`.
    """
    require_attackable(adapter, setting)
    predicted = [_predict(setting, load(), adapter, seed, dropout) for load in recordings]
    labels = subject_labels([*context, *(one.stretch for one in predicted)])
    labels = labels.select(range(len(context), len(labels.windows)))
    results = tuple(_result(one, own, dropout) for one, own in zip(predicted, labels.windows, strict=True))
    counts = prediction_counts(labels, [one.classes for one in predicted])
    return CaseResult(subject, describe(setting), results, counts, labelling(labels))


def stretch_of(recording: Recording) -> Stretch:
    """A recording on the time line of its subject."""
    start = recording.start
    start_s = None if start is None else (start.replace(tzinfo=None) - EPOCH).total_seconds()
    return Stretch(start_s, recording.duration_s, recording.seizures)


def read_stretch(files: RecordingFiles) -> Stretch:
    """A recording on the time line of its subject; read once in a process, as long as its files stay as they are.

    Raises
    ------
    RecordingError, EventsError
        When it cannot be read; the message names the file.
    """
    states = [path.stat() for path in (files.eeg, files.events) if path.exists()]
    return _read_stretch(files, tuple((state.st_size, state.st_mtime_ns) for state in states))


@functools.cache
def _read_stretch(files: RecordingFiles, _state: tuple[tuple[int, int], ...]) -> Stretch:
    return stretch_of(read_recording(files))


def labelling(labels: SubjectLabels) -> str:
    """How windows were labelled, as rows and the summary say it."""
    return "across recordings" if labels.across else f"per recording: {labels.reason}"


def _predict(
    setting: Shift, loaded: Loaded, adapter: PredictionAdapter, seed: int, dropout: Dropout | None
) -> _Predicted:
    visited = visit(setting, loaded, adapter, seed, dropout, PREDICTION)
    return _Predicted(
        stretch_of(loaded.recording),
        recording_facts(loaded, visited),
        np.asarray(visited.found.mask, dtype=np.int8),
        visited.found.agreement,
    )


def _result(one: _Predicted, labels: WindowLabels, dropout: Dropout | None) -> RecordingResult:
    stage = None if dropout is None or one.agreement is None else _stage(one, one.agreement, labels, dropout)
    return RecordingResult(**one.facts, predicted="".join(map(str, one.classes.tolist())), agreement=stage)


def _stage(one: _Predicted, agreement: Agreement, labels: WindowLabels, dropout: Dropout) -> AgreementStage | None:
    """Agreement on warnings: rated over the windows that are not excluded, kept of all; None where none is left."""
    kept = labels.labels != EXCLUDED
    if not kept.any():
        return None
    phi, mean = agreement.phi, agreement.mean_probability
    due, given = labels.labels[kept] > INTERICTAL, one.classes[kept] > INTERICTAL
    rates = rate_agreement(phi[kept], None if mean is None else mean[kept], due, given)
    return AgreementStage(dropout.passes, dropout.tau, rates, pack_votes(phi, dropout.passes))
