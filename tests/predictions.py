"""Synthetic experiments of the prediction task: every setting on confusion matrices made by hand."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.case import describe
from pytest_robustseiz.change import InputChange
from pytest_robustseiz.registry import RunFacts, make_row
from pytest_robustseiz.report import Scored
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult
from pytest_robustseiz.scoring import PredictionCounts
from pytest_robustseiz.scoring.prediction_confusion import as_confusion
from pytest_robustseiz.shifts import AWGN, Baseline, DropNamed, Shift

Whole = npt.NDArray[np.int64]
Matrix = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]
SETTINGS: tuple[Shift, ...] = (Baseline(), AWGN(snr_db=5), AWGN(snr_db=0), DropNamed(electrodes=("O1",)))
BASELINE, NOISE_5, NOISE_0, DROPPED = (setting.label for setting in SETTINGS)
# A good predictor that notices less and less; without O1 it says interictal only.
GOOD: dict[str, Matrix] = {
    BASELINE: ((900, 100, 0), (20, 80, 0), (0, 4, 16)),
    NOISE_5: ((800, 200, 0), (50, 50, 0), (4, 8, 8)),
    NOISE_0: ((500, 500, 0), (60, 30, 10), (10, 6, 4)),
    DROPPED: ((1000, 0, 0), (100, 0, 0), (20, 0, 0)),
}
MAJORITY: dict[str, Matrix] = dict.fromkeys(GOOD, ((1000, 0, 0), (100, 0, 0), (20, 0, 0)))


def counts(confusion: Matrix, *, leads: tuple[float, ...] = ()) -> PredictionCounts:
    """Of one subject with one seizure; alarms last ten windows."""
    return PredictionCounts(
        confusion=confusion,
        alarms=sum(confusion[0][1:]) // 10,
        spaced_alarms=0,
        seizures=1,
        missed=int(not any(sum(row[1:]) for row in confusion[1:])),
        warned=int(sum(confusion[1][1:]) > 0),
        preictal_windows=(sum(confusion[1]),),
        lead_times_s=leads or ((2.0 * confusion[1][1],) if confusion[1][1] else ()),
    )


def varied(confusion: Matrix, subject: int) -> Matrix:
    """The matrix with a few windows moved, so that subjects differ: 7 windows of each row for each subject."""
    rows = [list(row) for row in confusion]
    for row in rows[:2]:
        moved = min(7 * subject, row[1])
        row[1] -= moved
        row[0] += moved
    return as_confusion(rows)


def experiment(
    setting: Shift, by_subject: Mapping[str, PredictionCounts], *, labelling: str = "across recordings"
) -> ExperimentResult:
    """One recording for each subject."""
    info = describe(setting)
    cases = []
    for name, own in by_subject.items():
        recording = RecordingResult(
            folder=f"{name}/eeg", stem=f"{name}_run-00", content="c0ffee", duration_s=own.duration_s, start=None,
            seizures=own.seizures, change=InputChange(4.0, 400.0, 1, 4), figures={}, notes=(), predicted="0",
        )  # fmt: skip
        cases.append(CaseResult(name, info, (recording,), own, labelling))
    return ExperimentResult(info, tuple(cases))


def facts(*, protocol: str = "", data_dir: str = "/data/synthetic", mode: str = "full") -> RunFacts:
    """Of a run."""
    return RunFacts(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), data_dir, "/out", mode, 7, protocol=protocol)


def scored(
    said: Mapping[str, Matrix] = GOOD,
    *,
    subjects: int = 6,
    adapter: str = "good",
    labelling: str = "across recordings",
    run: RunFacts | None = None,
    settings: Sequence[Shift] = SETTINGS,
) -> list[Scored]:
    """All settings with their rows."""
    found: list[Scored] = []
    for setting in settings:
        own = {f"sub-{i:02d}": counts(varied(said[setting.label], i)) for i in range(subjects)}
        one = experiment(setting, own, labelling=labelling)
        row = make_row(one, adapter=adapter, fingerprint="f" * 64, corpus="0123456789abcdef", facts=run or facts())
        found.append((one, row))
    return found


def pooled(said: Mapping[str, Matrix], label: str, *, subjects: Sequence[int] = range(6)) -> Whole:
    """The summed matrix of subjects."""
    total: Whole = np.array([varied(said[label], i) for i in subjects], dtype=np.int64).sum(axis=0)
    return total


def balanced_accuracy(matrix: Whole) -> float:
    """Mean recall of the classes that occur."""
    totals = matrix.sum(axis=1)
    return float(np.mean(matrix.diagonal()[totals > 0] / totals[totals > 0]))
