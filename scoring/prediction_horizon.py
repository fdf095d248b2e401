"""Sensitivity at a prediction horizon, with the periods as parameters: outside of SzPredict's fixed protocol.

An alarm says that a seizure will begin: not within the seizure prediction horizon (SPH) that follows it, which is the
time that an intervention needs, but within the seizure occurrence period (SOP) after that [1]_ [2]_.

References
----------
.. [1] M. Winterhalder, T. Maiwald, H. U. Voss, R. Aschenbrenner-Scheibe, J. Timmer and A. Schulze-Bonhage, The seizure
   prediction characteristic: a general framework to assess and compare seizure prediction methods, Epilepsy Behav. 4,
   318-325, 2003.
.. [2] T. Maiwald, M. Winterhalder, R. Aschenbrenner-Scheibe, H. U. Voss, A. Schulze-Bonhage and J. Timmer, Comparison
   of three nonlinear seizure prediction methods by means of the seizure prediction characteristic, Physica D 194,
   357-368, 2004.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.scoring.accuracy import ratio
from pytest_robustseiz.scoring.events import Interval, merge_events
from pytest_robustseiz.scoring.prediction_chance import ChanceLevel, compare_with_chance
from pytest_robustseiz.scoring.prediction_labels import INTERICTAL
from pytest_robustseiz.scoring.prediction_time import WINDOW_TICKS, to_seconds, to_ticks
from pytest_robustseiz.scoring.prediction_windows import first_of_runs, require_classes, spaced


@dataclass(frozen=True, kw_only=True)
class HorizonSensitivity:
    """Alarms and seizures at one horizon; those of a subject's time lines add up.

    Parameters
    ----------
    sph_s, sop_s : float
        Seizure prediction horizon and seizure occurrence period, seconds.
    seizures : int
        Seizures in all.
    predicted : int
        Those that came in the occurrence period of an alarm.
    occurrence_s : tuple of float
        For each seizure that could be predicted, how long the predictor was watching at the times when an alarm would
        have predicted it, seconds.
    correct_alarms : int
        Alarms that predicted a seizure.
    late_alarms : int
        Alarms whose next seizure came within the SPH: no false alarms, and no use.
    false_alarms : int
        The other alarms.
    at_risk_s : float
        How long the predictor was watching at the times when an alarm is false, seconds.
    """

    sph_s: float
    sop_s: float
    seizures: int
    predicted: int
    occurrence_s: tuple[float, ...]
    correct_alarms: int
    late_alarms: int
    false_alarms: int
    at_risk_s: float

    def __add__(self, other: "HorizonSensitivity") -> "HorizonSensitivity":
        if (self.sph_s, self.sop_s) != (other.sph_s, other.sop_s):
            raise ValueError(
                f"sph_s, sop_s: expected the same in both, got {self.sph_s, self.sop_s} and {other.sph_s, other.sop_s}"
            )
        return HorizonSensitivity(
            sph_s=self.sph_s,
            sop_s=self.sop_s,
            seizures=self.seizures + other.seizures,
            predicted=self.predicted + other.predicted,
            occurrence_s=self.occurrence_s + other.occurrence_s,
            correct_alarms=self.correct_alarms + other.correct_alarms,
            late_alarms=self.late_alarms + other.late_alarms,
            false_alarms=self.false_alarms + other.false_alarms,
            at_risk_s=self.at_risk_s + other.at_risk_s,
        )

    @property
    def predictable(self) -> int:
        """Seizures that an alarm could have predicted."""
        return len(self.occurrence_s)

    @property
    def sensitivity(self) -> float:
        """Share of the predictable seizures that were predicted; NaN without any."""
        return ratio(self.predicted, self.predictable)

    @property
    def false_predictions_per_h(self) -> float:
        """False alarms per hour in which an alarm is false; NaN without any such time."""
        return ratio(self.false_alarms, self.at_risk_s / 3600)

    @property
    def chance(self) -> ChanceLevel:
        """Comparison with chance, see `horizon_chance`."""
        return horizon_chance([self])


def horizon_sensitivity(
    alarm_onsets_s: Sequence[float],
    seizure_onsets_s: Sequence[float],
    *,
    sph_s: float,
    sop_s: float,
    watched: Sequence[Interval],
) -> HorizonSensitivity:
    """Judge alarms by the first seizure that comes after them.

    Parameters
    ----------
    alarm_onsets_s, seizure_onsets_s : sequence of float
        Seconds on one time line, in any order; see `warning_onsets`. A seizure may lie outside of the watched time.
    sph_s : float
        Seizure prediction horizon, seconds.
    sop_s : float
        Seizure occurrence period, seconds.
    watched : sequence of (start_s, stop_s)
        When the predictor could raise an alarm: the recordings, without what the caller leaves out, such as seizures
        and the time after them. They may overlap.

    Returns
    -------
    HorizonSensitivity

    Raises
    ------
    ValueError
        When `sph_s` is negative, `sop_s` is not positive, a time is not finite, or an alarm lies outside of the watched
        time.

    Notes
    -----
    An alarm at t is judged by the first seizure at or after t: it predicts one in (t + SPH, t + SPH + SOP], is late for
    one in [t, t + SPH], and is false otherwise. So an alarm stands for one seizure, the times at
    which alarms predict one seizure or another do not overlap, and by chance seizures are predicted independently. A
    seizure within the SPH of the one before it, or before which nobody watched, cannot be predicted and is not in the
    sensitivity.
    """
    sph, sop = to_ticks(sph_s, "sph_s"), to_ticks(sop_s, "sop_s")
    if sph < 0:
        raise ValueError(f"sph_s: expected seconds, 0 or more, got {sph_s}")
    if sop <= 0:
        raise ValueError(f"sop_s: expected seconds above 0, got {sop_s}")
    spans = _watched(watched)
    seizures = sorted({to_ticks(onset_s, "seizure_onsets_s") for onset_s in seizure_onsets_s})
    alarms = [_alarm(onset_s, spans) for onset_s in alarm_onsets_s]
    waits = [_wait(alarm, seizures) for alarm in alarms]
    correct = [alarm + wait for alarm, wait in zip(alarms, waits, strict=True) if sph < wait <= sph + sop]
    late = sum(wait <= sph for wait in waits)
    # Each seizure is the next one only since the one before it, and alarms long before it are false.
    earliest = [one - sph - sop for one in seizures]
    since = [max(pair) for pair in zip(earliest, [*earliest[:1], *seizures[:-1]], strict=True)]
    openings = [_overlap(spans, start, one - sph) for start, one in zip(since, seizures, strict=True)]
    claimed = sum(_overlap(spans, start, one) for start, one in zip(since, seizures, strict=True))
    return HorizonSensitivity(
        sph_s=to_seconds(sph),
        sop_s=to_seconds(sop),
        seizures=len(seizures),
        predicted=len(set(correct)),
        occurrence_s=tuple(to_seconds(time) for time in openings if time),
        correct_alarms=len(correct),
        late_alarms=late,
        false_alarms=len(alarms) - len(correct) - late,
        at_risk_s=to_seconds(sum(stop - start for start, stop in spans) - claimed),
    )


def horizon_chance(subjects: Iterable[HorizonSensitivity]) -> ChanceLevel:
    """Compare the seizures predicted with those that random alarms of the same rate would predict.

    Parameters
    ----------
    subjects : iterable of HorizonSensitivity
        One for each subject, each with its own rate of alarms; sum the time lines of a subject, not subjects.

    Returns
    -------
    ChanceLevel
        Over the predictable seizures.

    Notes
    -----
    Random alarms are a Poisson process with the subject's rate of false alarms, of which one more is assumed than was
    seen, as in `chance_level`. A seizure is predicted with probability 1 - exp(-rate x time), where the time is its
    `occurrence_s`, at most the SOP (Schelter et al., Chaos 16, 013108, 2006). What is said there of what a p-value can
    say holds here too; and SPH and SOP that were chosen because the p-value came out small make it worthless.
    """
    chances: list[float] = []
    predicted = 0
    for one in subjects:
        rate = (one.false_alarms + 1) / one.at_risk_s if one.at_risk_s else math.nan
        chances += [-math.expm1(-rate * time_s) for time_s in one.occurrence_s]
        predicted += one.predicted
    return compare_with_chance(chances, predicted)


def warning_onsets(
    predicted: npt.NDArray[np.integer], *, start_s: float = 0.0, refractory_s: float = 0.0
) -> tuple[float, ...]:
    """Onsets of the warnings in a recording, whatever its labels: the alarms of `horizon_sensitivity`.

    Parameters
    ----------
    predicted : ndarray of int, shape (n_windows,)
        Class of each window, 0 to 2.
    start_s : float
        Start of the recording on the time line, seconds.
    refractory_s : float
        An onset less than this after the last one kept is left out, seconds.

    Returns
    -------
    tuple of float
        Start of each run of windows predicted preictal or ictal, seconds. A warning that lasts is one onset.

    Raises
    ------
    ValueError
        When `predicted` is not of whole numbers from 0 to 2; when `refractory_s` is negative.
    """
    require_classes(predicted, (predicted.size,), "predicted")
    warning = predicted != INTERICTAL
    first = np.flatnonzero(first_of_runs(warning, np.zeros_like(warning))).tolist()
    onsets = [to_ticks(start_s, "start_s") + window * WINDOW_TICKS for window in first]
    return tuple(to_seconds(onset) for onset in spaced(onsets, refractory_s))


def _watched(watched: Sequence[Interval]) -> list[tuple[int, int]]:
    for start_s, stop_s in watched:
        if not stop_s > start_s:
            raise ValueError(
                f"watched: expected (start_s, stop_s) with the stop after the start, got {start_s, stop_s}"
            )
    spans = [(to_ticks(start_s, "watched"), to_ticks(stop_s, "watched")) for start_s, stop_s in watched]
    return [(int(start), int(stop)) for start, stop in merge_events(spans)]


def _alarm(onset_s: float, spans: Sequence[tuple[int, int]]) -> int:
    alarm = to_ticks(onset_s, "alarm_onsets_s")
    if not any(start <= alarm < stop for start, stop in spans):
        raise ValueError(
            f"alarm_onsets_s: the alarm at {onset_s} s lies outside of the watched time; "
            "are alarms, seizures and watched time on one time line?"
        )
    return alarm


def _wait(alarm: int, seizures: Sequence[int]) -> float:
    place = bisect_left(seizures, alarm)
    return seizures[place] - alarm if place < len(seizures) else math.inf


def _overlap(spans: Sequence[tuple[int, int]], start: int, stop: int) -> int:
    return sum(max(0, min(stop, end) - max(start, begin)) for begin, end in spans)
