"""Drops of pooled figures with their intervals over subjects, for the gate."""

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_robustseiz.intervals import BootstrapInterval, Figure, loss_interval
from pytest_robustseiz.options import Gate
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.scoring import Counts

# Limits on a drop or an increase whose figure follows from the event counts of subjects.
FIGURES: dict[str, Figure] = {
    "max_f1_drop": "f1",
    "max_sensitivity_drop": "sensitivity",
    "max_precision_drop": "precision",
    "max_fp_per_24h_increase": "fp_per_day",
}


@dataclass(frozen=True)
class Paired:
    """Event counts of the same subjects under a setting and unperturbed.

    Attributes
    ----------
    now, baseline : mapping of str to Counts
        By subject.
    gate : {"point", "interval", "holm"}
        Whether a drop above its limit fails, or only one whose whole 95 % interval is; by "holm" all drops are judged
        together, at the end of the run.
    seed : int
        Of the bootstrap.
    """

    now: Mapping[str, Counts]
    baseline: Mapping[str, Counts]
    gate: Gate
    seed: int

    @classmethod
    def of(cls, now: ExperimentResult, baseline: ExperimentResult, *, gate: Gate, seed: int) -> "Paired":
        """Counts of two experiments."""
        return cls(event_counts_of(now), event_counts_of(baseline), gate, seed)

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


def event_counts_of(experiment: ExperimentResult) -> dict[str, Counts]:
    """Event counts by subject."""
    return {case.subject: case.scores.event for case in experiment.cases}
