"""The windows of several recordings in one row, and runs of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.scoring.prediction_labels import CLASSES, ICTAL, INTERICTAL, SubjectLabels
from pytest_robustseiz.scoring.prediction_time import WINDOW_S, WINDOW_TICKS, to_ticks

Predictions: TypeAlias = Sequence[npt.NDArray[np.integer]]
Mask: TypeAlias = npt.NDArray[np.bool_]
Whole: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WindowRow:
    """The windows of all recordings, one after the other.

    Parameters
    ----------
    truth : ndarray of int64, shape (n_windows,)
        Label.
    owner : ndarray of int64, shape (n_windows,)
        Id of the seizure.
    classes : ndarray of int64, shape (n_windows,)
        Predicted class.
    recording : ndarray of int64, shape (n_windows,)
        Place of the recording.
    begins : ndarray of int64, shape (n_windows,)
        Start of the window on the recording's time line, microseconds.
    n_seizures : int
        Seizures of the subject.
    """

    truth: Whole
    owner: Whole
    classes: Whole
    recording: Whole
    begins: Whole
    n_seizures: int

    @classmethod
    def of(cls, labels: SubjectLabels, predicted: Predictions) -> "WindowRow":
        """Join the recordings; see `prediction_counts` for what is checked."""
        _check(labels, predicted)
        lengths = [len(one.labels) for one in labels.windows]
        begins = [
            to_ticks(start_s, "starts_s") + WINDOW_TICKS * np.arange(length)
            for start_s, length in zip(labels.starts_s, lengths, strict=True)
        ]
        return cls(
            _joined([one.labels for one in labels.windows]),
            _joined([one.seizure for one in labels.windows]),
            _joined(predicted),
            np.repeat(np.arange(len(lengths)), lengths),
            _joined(begins),
            len(labels.seizures),
        )

    @property
    def warning(self) -> Mask:
        """Windows predicted preictal or ictal."""
        warning: Mask = self.classes != INTERICTAL
        return warning

    def runs(self, where: Mask) -> Mask:
        """First window of each run of these; a run ends with its recording."""
        ends: Mask = np.diff(self.recording, prepend=-1) != 0
        return first_of_runs(where, ends)

    def per_seizure(self, where: Mask) -> Whole:
        """Number of these windows by id of the seizure."""
        return np.bincount(self.owner[where], minlength=self.n_seizures)

    def earliest(self, where: Mask) -> dict[int, int]:
        """Start of the earliest of these windows by id of the seizure, microseconds."""
        times = np.full(self.n_seizures, np.iinfo(np.int64).max)
        np.minimum.at(times, self.owner[where], self.begins[where])
        return {seizure: int(times[seizure]) for seizure in np.flatnonzero(self.per_seizure(where)).tolist()}

    def timelines(self, where: Mask, *, across: bool) -> list[list[int]]:
        """When these windows begin, ascending: on the subject's time line, or on that of each recording."""
        if across:
            return [np.sort(self.begins[where]).tolist()]
        return [self.begins[where & (self.recording == place)].tolist() for place in np.unique(self.recording)]


def first_of_runs(mask: Mask, ends: Mask) -> Mask:
    """Mark the first window of each run of True.

    Parameters
    ----------
    mask : ndarray of bool, shape (n_windows,)
        Windows in order.
    ends : ndarray of bool, shape (n_windows,)
        Windows before which any run ends.
    """
    goes_on = np.zeros_like(mask)
    goes_on[1:] = mask[:-1] & ~ends[1:]
    return mask & ~goes_on


def spaced(times: Sequence[int], refractory_s: float) -> list[int]:
    """Leave out what follows the last one kept by less than the refractory time.

    Parameters
    ----------
    times : sequence of int
        Microseconds, ascending.
    refractory_s : float
        Seconds.

    Raises
    ------
    ValueError
        When `refractory_s` is negative or not finite.
    """
    refractory = to_ticks(refractory_s, "refractory_s")
    if refractory < 0:
        raise ValueError(f"refractory_s: expected seconds, 0 or more, got {refractory_s}")
    kept: list[int] = []
    for time in times:
        if not kept or time - kept[-1] >= refractory:
            kept.append(time)
    return kept


def require_classes(classes: npt.NDArray[np.integer], shape: tuple[int, ...], name: str) -> None:
    """Check the predicted classes of one recording.

    Raises
    ------
    ValueError
        When they are not whole numbers from 0 to 2 in this shape.
    """
    if classes.shape != shape or classes.dtype.kind not in "iu":
        raise ValueError(
            f"{name}: expected whole numbers of shape {shape}, one for each window of {WINDOW_S:g} s, "
            f"got {classes.dtype} of shape {classes.shape}"
        )
    if classes.size and not (classes.min() >= INTERICTAL and classes.max() <= ICTAL):
        raise ValueError(f"{name}: expected 0, 1 or 2 ({', '.join(CLASSES)}), got {classes.min()} to {classes.max()}")


def _check(labels: SubjectLabels, predicted: Predictions) -> None:
    n_recordings = len(labels.windows)
    if len(predicted) != n_recordings:
        raise ValueError(f"predicted: expected an array for each of {n_recordings} recordings, got {len(predicted)}")
    for place, (windows, classes) in enumerate(zip(labels.windows, predicted, strict=True), 1):
        require_classes(classes, windows.labels.shape, f"predicted, recording {place} of {n_recordings}")


def _joined(arrays: Sequence[npt.NDArray[Any]]) -> Whole:
    return np.concatenate([np.empty(0, dtype=np.int64), *(array.astype(np.int64) for array in arrays)])
