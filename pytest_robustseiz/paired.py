"""Drops of pooled figures with their intervals over subjects, for the gate."""

from dataclasses import dataclass

from pytest_robustseiz.intervals import BootstrapInterval, Figure, SubjectCounts, loss_interval
from pytest_robustseiz.options import Gate
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.scoring import PredictionCounts

# Limits on a drop or an increase whose figure follows from the counts of subjects.
FIGURES: dict[str, Figure] = {
    "max_f1_drop": "f1",
    "max_sensitivity_drop": "sensitivity",
    "max_precision_drop": "precision",
    "max_fp_per_24h_increase": "fp_per_day",
    "max_balanced_accuracy_drop": "balanced_accuracy",
    "max_fpr_per_h_increase": "fpr_per_h",
}


@dataclass(frozen=True)
class Paired:
    """Counts of the same subjects under a setting and unperturbed.

    Attributes
    ----------
    now, baseline : mapping of str to Counts or PredictionCounts
        By subject.
    gate : {"point", "interval", "holm"}
        Whether a drop above its limit fails, or only one whose whole 95 % interval is; by "holm" all drops are judged
        together, at the end of the run.
    seed : int
        Of the bootstrap.
    """

    now: SubjectCounts
    baseline: SubjectCounts
    gate: Gate
    seed: int

    @classmethod
    def of(cls, now: ExperimentResult, baseline: ExperimentResult, *, gate: Gate, seed: int) -> "Paired":
        """Counts of two experiments."""
        return cls(counts_by_subject(now), counts_by_subject(baseline), gate, seed)

    def interval(self, limit_name: str) -> BootstrapInterval | None:
        """Interval of the drop that a limit is about; None for limits of another kind."""
        figure = FIGURES.get(limit_name)
        return None if figure is None else loss_interval(self.now, self.baseline, figure, seed=self.seed)

    def excuses(self, found: BootstrapInterval | None, limit: float) -> bool:
        """Whether a drop above its limit passes here: its interval reaches down to the limit, or its time will come.

        Where no interval can be given the drop is judged by point: a corpus of few subjects must not pass everything.
        """
        if self.gate == "point" or found is None or found.reason:
            return False
        return self.gate == "holm" or found.low <= limit

    def describe(self, found: BootstrapInterval | None) -> str:
        """What to add to the sentence of a failed limit."""
        if found is None:
            return ""
        if found.reason:
            judged = ", so judged by point" if self.gate != "point" else ""
            return f"; no interval over subjects can be given: {found.reason}{judged}"
        return f"; 95% interval of the change by paired bootstrap over subjects {found.low:.3f} to {found.high:.3f}"


def counts_by_subject(experiment: ExperimentResult) -> SubjectCounts:
    """What was counted, by subject: events, or what a predictor said."""
    return predictions_by_subject(experiment) or {case.subject: case.scores.event for case in experiment.cases}


def predictions_by_subject(experiment: ExperimentResult) -> dict[str, PredictionCounts]:
    """What a predictor said, by subject; empty where the task is another."""
    return {case.subject: case.prediction for case in experiment.cases if case.prediction is not None}
