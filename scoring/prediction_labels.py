"""Labels of the prediction task: what each second of a recording is, by the rules of SzPredict 0.1."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.scoring.events import Interval
from pytest_robustseiz.scoring.prediction_time import WINDOW_TICKS, to_seconds, to_ticks

CLASSES = ("interictal", "preictal", "ictal")
"""Names of labels 0, 1 and 2, which are also the classes that a predictor may say."""
INTERICTAL, PREICTAL, ICTAL, EXCLUDED = 0, 1, 2, -1
NO_SEIZURE = -1

PREICTAL_S = 300.0
"""Before the onset. Fixed by SzPredict 0.1, as are the next two."""
POSTICTAL_S = 300.0
"""After the offset, excluded."""
SHORT_GAP_S = 600.0
"""A gap between two seizures that is shorter is excluded."""

_PREICTAL = to_ticks(PREICTAL_S, "PREICTAL_S")
_POSTICTAL = to_ticks(POSTICTAL_S, "POSTICTAL_S")
_SHORT_GAP = to_ticks(SHORT_GAP_S, "SHORT_GAP_S")
_Ticks: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class WindowLabels:
    """Labels of one recording; window i covers the seconds [i, i + 1) of it.

    Parameters
    ----------
    labels : ndarray of int8, shape (n_windows,), read-only
        `INTERICTAL`, `PREICTAL`, `ICTAL` or `EXCLUDED`.
    seizure : ndarray of int32, shape (n_windows,), read-only
        Id of the seizure of a preictal or ictal window, -1 for every other window.
    """

    labels: npt.NDArray[np.int8]
    seizure: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Stretch:
    """A recording on the time line of its subject.

    Parameters
    ----------
    start_s : float or None
        When it began, seconds from any zero that all recordings of the subject share; None where it is not known.
    duration_s : float
        Its length, seconds.
    seizures : tuple of (start_s, stop_s)
        Seconds from the start of this recording, in any order. They may overlap, and reach over either end of it.

    Raises
    ------
    ValueError
        When the length is not positive, or a seizure is not finite, stops before its start or lies wholly outside.
    """

    start_s: float | None
    duration_s: float
    seizures: tuple[Interval, ...]

    def __post_init__(self) -> None:
        """Check the times."""
        if self.start_s is not None:
            to_ticks(self.start_s, "start_s")
        if not (math.isfinite(self.duration_s) and self.duration_s > 0):
            raise ValueError(f"duration_s: expected seconds above 0, got {self.duration_s}")
        for seizure in self.seizures:
            start, stop = _seizure_ticks(seizure)
            if stop <= 0 or start >= _length(self):
                raise ValueError(
                    f"seizure {seizure}: lies wholly outside the recording of {self.duration_s} s; "
                    "are the times in seconds from its start, and is it the right recording?"
                )


@dataclass(frozen=True, eq=False)
class SubjectLabels:
    """Labels of the recordings of one subject.

    Parameters
    ----------
    windows : tuple of WindowLabels
        Of each recording, in the order given. Ids are unique over the subject.
    starts_s : tuple of float
        Where each recording begins on its time line: the subject's, or its own with zero at its start.
    seizures : tuple of (start_s, stop_s)
        By id, after merging, on the time line of the recordings that carry the id.
    across : bool
        True: labelled on the time line of the subject. False: each recording alone.
    reason : str
        Why each recording was labelled alone; empty where it was not.
    """

    windows: tuple[WindowLabels, ...]
    starts_s: tuple[float, ...]
    seizures: tuple[Interval, ...]
    across: bool
    reason: str

    def select(self, recordings: Sequence[int]) -> "SubjectLabels":
        """Labels of some of the recordings, such as those of a test split, unchanged by leaving out the others.

        Parameters
        ----------
        recordings : sequence of int
            Their places, from 0.
        """
        return SubjectLabels(
            tuple(self.windows[place] for place in recordings),
            tuple(self.starts_s[place] for place in recordings),
            self.seizures,
            self.across,
            self.reason,
        )


def window_labels(seizures: Sequence[Interval], *, duration_s: float) -> WindowLabels:
    """Label the windows of one recording alone.

    Parameters
    ----------
    seizures : sequence of (start_s, stop_s)
        Seconds from the start of the recording; see `Stretch`.
    duration_s : float
        Length of the recording, seconds. A last part shorter than a window is dropped.

    Returns
    -------
    WindowLabels
        Seizures are numbered by onset, after merging.

    Raises
    ------
    ValueError
        As `Stretch`.

    Notes
    -----
    Intervals are half-open, and times count to the microsecond. A window is ictal when it overlaps [onset, offset);
    else preictal when it overlaps [onset - 300 s, onset); else excluded when it overlaps [offset, offset + 300 s); else
    interictal. Last, every window that overlaps a gap under 600 s between two seizures and is not ictal is excluded.
    Seizures that overlap or touch are one. A seizure of no length is ictal in the window that holds it. A window in
    which two seizures lie belongs to the earlier.
    """
    return subject_labels([Stretch(None, duration_s, tuple(seizures))]).windows[0]


def subject_labels(stretches: Sequence[Stretch]) -> SubjectLabels:
    """Label the windows of all recordings of a subject, by the rules of `window_labels`.

    Where the start of every recording is known, one time line holds all: the preictal part of a seizure early in a
    recording lies in the recording before, and so do exclusions; time that was not recorded passes like any other.
    Else each recording is labelled alone, and `reason` says why.

    Parameters
    ----------
    stretches : sequence of Stretch
        The recordings, in any order.

    Returns
    -------
    SubjectLabels

    Notes
    -----
    Recordings that overlap by a window or more have starts that cannot all be right (de-identified files often share
    one date): they are labelled alone. Less than that is rounding of the starts, which files keep in whole seconds.

    Two neighbouring seizures in different recordings are parts of one when less than a window lies between them, as
    where a seizure runs on over the border of two files. Over a longer gap they are two: nobody saw what lay between.
    """
    known = [to_ticks(one.start_s, "start_s") for one in stretches if one.start_s is not None]
    reason = _why_alone(stretches, known)
    starts = [0] * len(stretches) if reason else known
    places = range(len(stretches))
    windows: dict[int, WindowLabels] = {}
    seizures: list[_Ticks] = []
    for group in [[place] for place in places] if reason else [list(places)]:
        merged = _merged([(starts[place], place, stretches[place]) for place in group])
        for place in group:
            windows[place] = _label(merged, len(seizures), starts[place], _length(stretches[place]) // WINDOW_TICKS)
        seizures += merged
    return SubjectLabels(
        tuple(windows[place] for place in places),
        tuple(to_seconds(start) for start in starts),
        tuple((to_seconds(start), to_seconds(stop)) for start, stop in seizures),
        not reason,
        reason,
    )


def _why_alone(stretches: Sequence[Stretch], starts: Sequence[int]) -> str:
    if len(starts) < len(stretches):
        unknown = [place for place, one in enumerate(stretches, 1) if one.start_s is None]
        return f"the start of recording {unknown[0]} of {len(stretches)} is not known"
    spans = [
        (start, start + _length(one), place)
        for place, (start, one) in enumerate(zip(starts, stretches, strict=True), 1)
    ]
    for (_, stop, earlier), (start, _, later) in pairwise(sorted(spans)):
        if stop - start >= WINDOW_TICKS:
            return (
                f"recording {later} of {len(stretches)} begins {to_seconds(stop - start):g} s before the end of "
                f"recording {earlier}, so their starts cannot both be right"
            )
    return ""


def _length(stretch: Stretch) -> int:
    return to_ticks(stretch.duration_s, "duration_s")


def _seizure_ticks(seizure: Interval) -> _Ticks:
    start, stop = (to_ticks(time_s, f"seizure {seizure}") for time_s in seizure)
    if stop < start:
        raise ValueError(
            f"seizure {seizure}: expected (start_s, stop_s) with the stop after the start; "
            "was a duration given as the stop?"
        )
    return start, max(stop, start + 1)


def _merged(recordings: Sequence[tuple[int, int, Stretch]]) -> list[_Ticks]:
    parts = []
    for origin, place, stretch in recordings:
        for start, stop in map(_seizure_ticks, stretch.seizures):
            parts.append((origin + start, origin + stop, place))
    merged: list[_Ticks] = []
    last = -1
    for start, stop, place in sorted(parts):
        # Over the border of two recordings, starts in whole seconds leave a gap that is none.
        reach = merged[-1][1] + (WINDOW_TICKS - 1 if place != last else 0) if merged else start - 1
        if start > reach:
            merged.append((start, stop))
            last = place
        elif stop > merged[-1][1]:
            merged[-1] = (merged[-1][0], stop)
            last = place
    return merged


def _label(seizures: Sequence[_Ticks], first_id: int, origin: int, n_windows: int) -> WindowLabels:
    labels = np.zeros(n_windows, dtype=np.int8)
    owner = np.full(n_windows, NO_SEIZURE, dtype=np.int32)

    def paint(start: int, stop: int, label: int, seizure: int = NO_SEIZURE) -> None:
        first, beyond = (start - origin) // WINDOW_TICKS, -((origin - stop) // WINDOW_TICKS)
        where = slice(max(first, 0), max(beyond, 0))
        labels[where], owner[where] = label, seizure

    end = origin + n_windows * WINDOW_TICKS
    near = [
        (seizure, start, stop)
        for seizure, (start, stop) in enumerate(seizures, first_id)
        if stop > origin - _SHORT_GAP and start < end + _SHORT_GAP
    ]
    # From the weakest rule to the strongest; backwards in time, so that a window of two seizures is the earlier's.
    for _, _, stop in near:
        paint(stop, stop + _POSTICTAL, EXCLUDED)
    for seizure, start, _ in reversed(near):
        paint(start - _PREICTAL, start, PREICTAL, seizure)
    for (_, _, stop), (_, start, _) in pairwise(near):
        if start - stop < _SHORT_GAP:
            paint(stop, start, EXCLUDED)
    for seizure, start, stop in reversed(near):
        paint(start, stop, ICTAL, seizure)
    labels.flags.writeable = owner.flags.writeable = False
    return WindowLabels(labels, owner)
