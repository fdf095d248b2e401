"""Counts of the prediction task over windows, alarms and seizures, and the figures that follow from them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from pytest_robustseiz.scoring.accuracy import ratio
from pytest_robustseiz.scoring.prediction_confusion import (
    Confusion,
    PredictionScores,
    as_confusion,
    prediction_scores,
)
from pytest_robustseiz.scoring.prediction_labels import (
    CLASSES,
    EXCLUDED,
    ICTAL,
    INTERICTAL,
    PREICTAL,
    PREICTAL_S,
    SubjectLabels,
)
from pytest_robustseiz.scoring.prediction_time import WINDOW_S, to_seconds, to_ticks
from pytest_robustseiz.scoring.prediction_windows import Predictions, WindowRow, spaced


@dataclass(frozen=True, kw_only=True)
class LeadTime:
    """How long before their onsets seizures were predicted; NaN where none was.

    Parameters
    ----------
    mean_s, median_s, min_s, max_s : float
        Over the seizures that have a lead time, seconds.
    seizures : int
        Their number.
    """

    mean_s: float
    median_s: float
    min_s: float
    max_s: float
    seizures: int


@dataclass(frozen=True, kw_only=True)
class PredictionCounts:
    """What scoring counted, over any number of recordings and subjects; counts add up.

    Excluded windows are in none of them. A warning is a window that is predicted preictal or ictal.

    Parameters
    ----------
    confusion : 3 x 3 tuple of int
        Windows, see `Confusion`.
    alarms : int
        False alarms: maximal runs of interictal windows with a warning. A run ends with its recording and at any
        window that is not interictal, excluded windows too. One that goes over into the preictal part of a seizure is
        an alarm as well.
    spaced_alarms : int
        The same without those that start within the refractory time of the last one counted.
    seizures : int
        Seizures with at least one preictal or ictal window.
    missed : int
        Those without a warning in any of these.
    warned : int
        Those with a warning in a preictal window, which always ends before the window of the onset.
    preictal_windows : tuple of int
        Preictal windows of each seizure that has any. A seizure at the start of a recording, or soon after another,
        may have none; no predictor can warn of it.
    lead_times_s : tuple of float
        Of each seizure that has one: its onset minus the start of its first preictal window that is predicted
        preictal, seconds. At most 300: of a window that reaches out of the last 300 s only the part within counts.

    Raises
    ------
    ValueError
        When the counts contradict each other.
    """

    confusion: Confusion
    alarms: int
    spaced_alarms: int
    seizures: int
    missed: int
    warned: int
    preictal_windows: tuple[int, ...]
    lead_times_s: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the counts."""
        as_confusion(self.confusion)
        false = sum(self.confusion[INTERICTAL][PREICTAL:])
        for name, value, most in (
            ("alarms", self.alarms, false),
            ("spaced_alarms", self.spaced_alarms, self.alarms),
            ("with_preictal", self.with_preictal, self.seizures),
            ("warned", self.warned, self.with_preictal),
            ("missed", self.missed, self.seizures - self.warned),
            ("number of lead times", len(self.lead_times_s), self.warned),
        ):
            if not 0 <= value <= most:
                raise ValueError(f"{name}: expected 0 to {most}, by the other counts, got {value}")

    def __add__(self, other: "PredictionCounts") -> "PredictionCounts":
        rows = zip(self.confusion, other.confusion, strict=True)
        return PredictionCounts(
            confusion=as_confusion([[a + b for a, b in zip(one, two, strict=True)] for one, two in rows]),
            alarms=self.alarms + other.alarms,
            spaced_alarms=self.spaced_alarms + other.spaced_alarms,
            seizures=self.seizures + other.seizures,
            missed=self.missed + other.missed,
            warned=self.warned + other.warned,
            preictal_windows=self.preictal_windows + other.preictal_windows,
            lead_times_s=self.lead_times_s + other.lead_times_s,
        )

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "PredictionCounts":
        """Read back what `dataclasses.asdict` and JSON made of counts, in which tuples are lists."""
        return cls(
            **{
                **values,
                "confusion": as_confusion(values["confusion"]),
                "preictal_windows": tuple(values["preictal_windows"]),
                "lead_times_s": tuple(values["lead_times_s"]),
            }
        )

    @property
    def scores(self) -> PredictionScores:
        """The figures of the confusion matrix."""
        return prediction_scores(self.confusion)

    @property
    def lead_time(self) -> LeadTime:
        """Summary of the lead times."""
        leads = self.lead_times_s
        if not leads:
            return LeadTime(mean_s=math.nan, median_s=math.nan, min_s=math.nan, max_s=math.nan, seizures=0)
        mean_s = math.fsum(leads) / len(leads)
        return LeadTime(mean_s=mean_s, median_s=median(leads), min_s=min(leads), max_s=max(leads), seizures=len(leads))

    @property
    def n_windows(self) -> int:
        """Windows that were scored."""
        return sum(map(sum, self.confusion))

    @property
    def duration_s(self) -> float:
        """Time that was scored, seconds."""
        return self.n_windows * WINDOW_S

    @property
    def interictal_s(self) -> float:
        """Interictal time, seconds."""
        return sum(self.confusion[INTERICTAL]) * WINDOW_S

    @property
    def warning_s(self) -> float:
        """Scored time with a warning, seconds."""
        return sum(sum(row[PREICTAL:]) for row in self.confusion) * WINDOW_S

    @property
    def with_preictal(self) -> int:
        """Seizures with at least one preictal window."""
        return len(self.preictal_windows)

    @property
    def fpr_per_h(self) -> float:
        """False alarms per hour of interictal time; NaN without any."""
        return ratio(self.alarms, self.interictal_s / 3600)

    @property
    def spaced_fpr_per_h(self) -> float:
        """The same of `spaced_alarms`."""
        return ratio(self.spaced_alarms, self.interictal_s / 3600)

    @property
    def miss_rate(self) -> float:
        """Share of the seizures without any warning, before or during; NaN without seizures."""
        return ratio(self.missed, self.seizures)

    @property
    def transition_detection_rate(self) -> float:
        """Share of the seizures with a warning before the onset, of all seizures; NaN without seizures."""
        return ratio(self.warned, self.seizures)

    @property
    def time_in_warning(self) -> float:
        """Share of the scored time with a warning; NaN without any."""
        return ratio(self.warning_s, self.duration_s)


PREDICTION_ZERO = PredictionCounts(
    confusion=((0, 0, 0), (0, 0, 0), (0, 0, 0)),
    alarms=0,
    spaced_alarms=0,
    seizures=0,
    missed=0,
    warned=0,
    preictal_windows=(),
    lead_times_s=(),
)


def prediction_counts(labels: SubjectLabels, predicted: Predictions, *, refractory_s: float = 0.0) -> PredictionCounts:
    """Count what a predictor said about the recordings of one subject.

    Parameters
    ----------
    labels : SubjectLabels
        Of the recordings.
    predicted : sequence of ndarray of int, shape (n_windows,)
        Class of each window of each recording, 0 to 2, in the same order; excluded windows have one too.
    refractory_s : float
        For `spaced_alarms` only: an alarm that starts less than this after the start of the last one that was counted
        is not counted. It runs on over recordings where they were labelled on one time line, and starts anew in each
        where they were not.

    Returns
    -------
    PredictionCounts

    Raises
    ------
    ValueError
        When there are not as many arrays as recordings, or an array is not of whole numbers from 0 to 2, one for each
        window.
    """
    row = WindowRow.of(labels, predicted)
    preictal, around = row.truth == PREICTAL, np.isin(row.truth, (PREICTAL, ICTAL))
    seen, found = row.per_seizure(around), row.per_seizure(around & row.warning)
    before, early = row.per_seizure(preictal), row.per_seizure(preictal & row.warning)
    scored = row.truth != EXCLUDED
    cells = np.bincount(len(CLASSES) * row.truth[scored] + row.classes[scored], minlength=len(CLASSES) ** 2)
    alarms = row.runs((row.truth == INTERICTAL) & row.warning)
    return PredictionCounts(
        confusion=as_confusion(cells.reshape(len(CLASSES), -1).tolist()),
        alarms=int(np.count_nonzero(alarms)),
        spaced_alarms=sum(len(spaced(times, refractory_s)) for times in row.timelines(alarms, across=labels.across)),
        seizures=int(np.count_nonzero(seen)),
        missed=int(np.count_nonzero(seen) - np.count_nonzero(found)),
        warned=int(np.count_nonzero(early)),
        preictal_windows=tuple(before[before > 0].tolist()),
        lead_times_s=tuple(
            min(to_seconds(to_ticks(labels.seizures[seizure][0], "seizures") - time), PREICTAL_S)
            for seizure, time in row.earliest(preictal & (row.classes == PREICTAL)).items()
        ),
    )
