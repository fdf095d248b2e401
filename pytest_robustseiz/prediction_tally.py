"""Counts of a predictor as rows and files state them: what follows from them, and whether they fit each other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_robustseiz.registrycells import CLOSE, alike
from pytest_robustseiz.scoring import ICTAL, INTERICTAL, PREICTAL, PREICTAL_S, WINDOW_S, LeadTime, prediction_scores
from pytest_robustseiz.scoring.accuracy import ratio
from pytest_robustseiz.scoring.prediction_confusion import Confusion

_OF_THE_MATRIX = (
    "sensitivity", "specificity", "balanced_accuracy", "f1_macro", "seizure_discrimination", "false_negative_rate",
    "false_positive_rate", "preictal_accuracy", "ictal_accuracy",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Counts of a row, a subject or a submission.

    Attributes
    ----------
    confusion : 3 x 3 tuple of int
        Windows by true and predicted class.
    alarms, seizures, missed, warned : int or None
        As in `PredictionCounts`; None where it is not stated.
    lead : LeadTime or None
        Lead times; None where they are not stated.
    """

    confusion: Confusion
    alarms: int | None
    seizures: int | None
    missed: int | None
    warned: int | None
    lead: LeadTime | None

    @property
    def interictal_h(self) -> float:
        """Interictal time in hours."""
        return sum(self.confusion[INTERICTAL]) * WINDOW_S / 3600

    @property
    def n_windows(self) -> int:
        """Windows that were scored."""
        return sum(map(sum, self.confusion))

    def warnings(self, *classes: int) -> int:
        """Windows of some true classes that are predicted preictal or ictal."""
        return sum(sum(self.confusion[true][PREICTAL:]) for true in classes)

    def figures(self) -> dict[str, float]:
        """Figures that follow, by the names of the registry's columns; NaN for 0/0 and for what is not stated."""
        scores, counts = prediction_scores(self.confusion), (self.alarms, self.missed, self.warned)
        alarms, missed, warned = (math.nan if count is None else count for count in counts)
        return {
            **{name: getattr(scores, name) for name in _OF_THE_MATRIX},
            "fpr_per_h": ratio(alarms, self.interictal_h),
            "miss_rate": ratio(missed, self.seizures or 0),
            "transition_detection_rate": ratio(warned, self.seizures or 0),
            "time_in_warning": ratio(self.warnings(INTERICTAL, PREICTAL, ICTAL), self.n_windows),
            **self._leads(),
        }

    def _leads(self) -> dict[str, float]:
        has_any = self.lead is not None and self.lead.seizures > 0
        names = ("mean_s", "median_s", "min_s", "max_s")
        return {f"lead_time_{name}": getattr(self.lead, name) if has_any else math.nan for name in names}

    def contradictions(self) -> Iterator[str]:
        """Counts that cannot be of the same predictions, a line for each."""
        noticed = None if self.seizures is None or self.missed is None else self.seizures - self.missed
        leads = None if self.lead is None else self.lead.seizures
        if noticed is not None and noticed < 0:
            yield f"{self.missed} seizures missed are more than the {self.seizures} there are"
            return
        for what, count, windows, of_which in (
            ("false alarms", self.alarms, self.warnings(INTERICTAL), "interictal windows with a warning"),
            ("seizures not missed", noticed, self.warnings(PREICTAL, ICTAL), "seizure windows with a warning"),
            ("seizures warned of", self.warned, self.warnings(PREICTAL), "preictal windows with a warning"),
            ("seizures with a lead time", leads, self.confusion[PREICTAL][PREICTAL], "preictal windows predicted so"),
        ):
            # Each needs a window of its own, and every window belongs to one.
            if count is not None and (count > windows or (windows and not count)):
                yield f"{count} {what} cannot come of {windows} {of_which}"
        yield from _at_most("seizures warned of", self.warned, noticed, "seizures not missed")
        yield from _at_most("seizures with a lead time", leads, self.warned, "seizures warned of")
        if self.lead is not None and self.lead.seizures:
            yield from _lead_problems(self.lead)


def sum_problems(whole: Tally, parts: Sequence[Tally]) -> Iterator[str]:
    """Counts of subjects that do not add up to those of all, a line for each."""
    sums = [[sum(part.confusion[true][said] for part in parts) for said in range(3)] for true in range(3)]
    stated = [list(row) for row in whole.confusion]
    if sums != stated:
        yield f"the confusion matrices of the subjects add up to {sums}, not to {stated}"
    for name in ("alarms", "seizures", "missed", "warned"):
        counts, number = [getattr(part, name) for part in parts], getattr(whole, name)
        if number is not None and None not in counts and sum(counts) != number:
            yield f"{name} of the subjects add up to {sum(counts)}, not to {number}"
    leads = [part.lead for part in parts if part.lead is not None]
    if whole.lead is not None and len(leads) == len(parts):
        yield from _lead_sums(whole.lead, [lead for lead in leads if lead.seizures])


def _lead_sums(whole: LeadTime, parts: Sequence[LeadTime]) -> Iterator[str]:
    number = sum(lead.seizures for lead in parts)
    if number != whole.seizures:
        yield f"seizures of the subjects with a lead time add up to {number}, not to {whole.seizures}"
    elif number:
        expected = {
            "mean": math.fsum(lead.mean_s * lead.seizures for lead in parts) / number,
            "least": min(lead.min_s for lead in parts),
            "largest": max(lead.max_s for lead in parts),
        }
        stated = {"mean": whole.mean_s, "least": whole.min_s, "largest": whole.max_s}
        for name, value in expected.items():
            if not alike(value, stated[name]):
                yield f"the {name} lead time is {stated[name]:g} s, but those of the subjects give {value:g} s"


def _at_most(what: str, count: int | None, most: int | None, of_which: str) -> Iterator[str]:
    if count is not None and most is not None and count > most:
        yield f"{count} {what} are more than the {most} {of_which}"


def _lead_problems(lead: LeadTime) -> Iterator[str]:
    values = f"least {lead.min_s:g}, median {lead.median_s:g}, mean {lead.mean_s:g}, largest {lead.max_s:g}"
    if not (0 < lead.min_s <= lead.median_s <= lead.max_s <= PREICTAL_S and _is_between(lead)):
        yield (
            f"lead times must be above 0 and at most {PREICTAL_S:g} s, with median and mean from the least to the "
            f"largest; got {values}"
        )
    elif lead.seizures <= 2 and not _is_middle(lead):
        yield f"lead times of {lead.seizures} seizures must have their mean and median in the middle; got {values}"


def _is_between(lead: LeadTime) -> bool:
    return lead.min_s <= lead.mean_s * (1 + CLOSE) and lead.mean_s <= lead.max_s * (1 + CLOSE)


def _is_middle(lead: LeadTime) -> bool:
    middle = lead.min_s if lead.seizures == 1 else (lead.min_s + lead.max_s) / 2
    others = (lead.mean_s, lead.median_s, *([lead.max_s] if lead.seizures == 1 else []))
    return all(alike(value, middle) for value in others)


def lead_of(values: Mapping[str, float], seizures: int) -> LeadTime:
    """Lead times from the figures of a registry."""
    return LeadTime(
        mean_s=values["lead_time_mean_s"],
        median_s=values["lead_time_median_s"],
        min_s=values["lead_time_min_s"],
        max_s=values["lead_time_max_s"],
        seizures=seizures,
    )
