"""Figures of the prediction task by name, and over patients."""

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_robustseiz.scoring.prediction import PredictionCounts

_HIGHER_IS_BETTER = {
    "sensitivity": True,
    "specificity": True,
    "balanced_accuracy": True,
    "f1_macro": True,
    "seizure_discrimination": True,
    "false_negative_rate": False,
    "false_positive_rate": False,
    "fpr_per_h": False,
    "preictal_accuracy": True,
    "ictal_accuracy": True,
    "miss_rate": False,
    "lead_time_mean_s": True,
    "lead_time_median_s": True,
    "lead_time_min_s": True,
    "lead_time_max_s": True,
    "transition_detection_rate": True,
    "time_in_warning": False,
}
PREDICTION_METRICS = tuple(_HIGHER_IS_BETTER)
"""Figures that `prediction_metrics` gives."""


@dataclass(frozen=True)
class PatientSummary:
    """A figure over patients, each of whom counts the same.

    Parameters
    ----------
    mean, median : float
        Over the patients to whom the figure applies; NaN when there is none.
    std : float
        Standard deviation over the same patients, divided by their number.
    hardest, easiest : str or None
        The patients with the worst and the best value, the first by name where several share it.
    patients : int
        How many contributed.
    """

    mean: float
    std: float
    median: float
    hardest: str | None
    easiest: str | None
    patients: int


def prediction_metrics(counts: PredictionCounts) -> dict[str, float]:
    """All figures of counts by name.

    Parameters
    ----------
    counts : PredictionCounts
        Of a subject, or summed over subjects: windows, alarms and seizures then count the same, whoever they are of.

    Returns
    -------
    dict of str to float
        In the order of `PREDICTION_METRICS`; NaN where a figure does not apply.
    """
    scores, lead = counts.scores, counts.lead_time
    values = {f"lead_time_{name}": getattr(lead, name) for name in ("mean_s", "median_s", "min_s", "max_s")}
    for name in PREDICTION_METRICS:
        if name not in values:
            values[name] = getattr(scores if hasattr(scores, name) else counts, name)
    return {name: values[name] for name in PREDICTION_METRICS}


def patient_summaries(counts: Mapping[str, PredictionCounts]) -> dict[str, PatientSummary]:
    """Summarise each figure over patients, as SzPredict reports protocols 1 and 2.

    Parameters
    ----------
    counts : mapping of str to PredictionCounts
        By patient: each one's test recordings, predicted by the model that may be judged on them.

    Returns
    -------
    dict of str to PatientSummary
        By name, for each of `PREDICTION_METRICS`. Patients to whom a figure does not apply are left out of it.
    """
    by_patient = {patient: prediction_metrics(counts[patient]) for patient in sorted(counts)}
    return {
        name: patient_summary(
            {patient: values[name] for patient, values in by_patient.items()}, higher_is_better=better
        )
        for name, better in _HIGHER_IS_BETTER.items()
    }


def patient_summary(values: Mapping[str, float], *, higher_is_better: bool = True) -> PatientSummary:
    """Summarise one figure over patients.

    Parameters
    ----------
    values : mapping of str to float
        By patient. NaN, where the figure does not apply, is left out.
    higher_is_better : bool
        Which end is the easiest patient.
    """
    known = {patient: values[patient] for patient in sorted(values) if not math.isnan(values[patient])}
    if not known:
        return PatientSummary(math.nan, math.nan, math.nan, None, None, 0)
    lowest, highest = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    return PatientSummary(
        mean=math.fsum(known.values()) / len(known),
        std=statistics.pstdev(known.values()),
        median=statistics.median(known.values()),
        hardest=lowest if higher_is_better else highest,
        easiest=highest if higher_is_better else lowest,
        patients=len(known),
    )
