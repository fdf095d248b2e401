"""What the model card and the checklist say of a predictor."""

import math
from collections.abc import Iterator, Sequence

from pytest_robustseiz.documents import Block, fields
from pytest_robustseiz.figuretexts import shown
from pytest_robustseiz.protocols import PROTOCOLS
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.reportpatients import FIGURES, caption, extremes, number_columns
from pytest_robustseiz.reportpatients import HEADS as PATIENT_HEADS
from pytest_robustseiz.reportview import Fields
from pytest_robustseiz.reportworth import (
    at_chance_text,
    chance_text,
    degenerate_settings,
    degenerate_text,
    protocol_text,
    scores_of,
)
from pytest_robustseiz.scoring import PREICTAL_S
from pytest_robustseiz.scoring.accuracy import ratio

HEADS = (
    "Balanced accuracy", "Sensitivity", "Specificity", "F1 macro", "False alarms/h", "Miss rate",
    "Transition detection rate", "Mean lead time, s", "Time in warning", "Degenerate",
)  # fmt: skip


def scores(entries: Sequence[Entry]) -> Iterator[str]:
    """Scores of summed counts, in the order of `HEADS`."""
    found, counts = scores_of(entries), {name: _sum(entries, name) for name in _COUNTS}
    warned_windows = sum(sum(_sum(entries, f"true_{true}_pred_{said}") for said in _WARNINGS) for true in _TRUE)
    leads = _sum(entries, "lead_time_count")
    lead_s = sum(one.value("lead_time_mean_s") * one.value("lead_time_count") for one in entries if _has_leads(one))
    values = (
        found.balanced_accuracy, found.sensitivity, found.specificity, found.f1_macro,
        ratio(counts["alarms"], counts["interictal_h"]),
        ratio(counts["missed"], counts["seizures_scored"]),
        ratio(counts["warned"], counts["seizures_scored"]),
        ratio(lead_s, leads),
        ratio(warned_windows, found.n_windows),
    )  # fmt: skip
    yield from map(shown, values)
    yield found.degenerate_class or "no"


_COUNTS = ("alarms", "interictal_h", "seizures_scored", "missed", "warned")
_TRUE = ("interictal", "preictal", "ictal")
_WARNINGS = ("preictal", "ictal")


def _sum(entries: Sequence[Entry], column: str) -> float:
    return math.fsum(entry.value(column) for entry in entries)


def _has_leads(entry: Entry) -> bool:
    return entry.value("lead_time_count") > 0


def evaluation(chapter: Chapter) -> Fields:
    """Protocol and labels."""
    yield "Protocol", _protocol(chapter.first)
    yield "Windows labelled", chapter.first.text("labelling") or None


def _protocol(entry: Entry) -> str:
    return protocol_text(entry).removeprefix("protocol ")


def blocks(chapter: Chapter, corpus: str) -> list[Block]:
    """What the baseline is worth, and its figures over subjects; `corpus` is what the card calls the corpus."""
    title, baseline = f"What the scores on {corpus} are worth", chapter.baseline
    settings = degenerate_settings(chapter) or f"None of {len(chapter.entries)} settings is degenerate."
    if baseline is None:
        return [fields(title, [("Baseline", None), ("Degenerate settings", settings)])]
    worth = [
        ("Degenerate", degenerate_text(baseline) or "The baseline is not degenerate."),
        ("Balanced accuracy and chance", at_chance_text(baseline) or _above_chance(baseline)),
        ("Warnings and chance", chance_text(baseline)),
        ("Degenerate settings", settings),
    ]
    rows = [
        (head, *(shown(baseline.value(column)) for column in number_columns(name)), *extremes(baseline, name))
        for name, head in FIGURES.items()
    ]
    return [
        fields(title, worth),
        Block(f"Over the subjects of {corpus}", PATIENT_HEADS, tuple(rows), f"{caption(baseline)}."),
    ]


def _above_chance(baseline: Entry) -> str:
    if math.isnan(baseline.value("balanced_accuracy_ci_low")):
        return "Balanced accuracy of the baseline is above chance; there are too few subjects for an interval."
    return "Balanced accuracy of the baseline is above chance with its whole 95 % interval."


def disjoint(entry: Entry) -> str | None:
    """What the protocol says of the subjects of the training, where the run trained the models."""
    protocol = PROTOCOLS.get(entry.text("protocol"))
    if protocol is None or not protocol.trains:
        return None
    return {
        1: "no, by protocol 1: of each subject the earlier recordings train and the later ones test",
        2: "yes, by protocol 2: the model for each subject was trained on the recordings of others only",
    }[protocol.number]


def scoring(entry: Entry) -> Fields:
    """Rows of the checklist."""
    yield from (("Protocol", _protocol(entry)), ("Windows labelled", entry.text("labelling") or None))


def timing(chapter: Chapter) -> Fields:
    """Rows of the checklist."""
    reported = any(entry.value("lead_time_count") > 0 for entry in chapter.all)
    yield "Lead times reported", "yes" if reported else "no seizure has one"
    yield (
        "Lead time",
        "of each seizure that has one: onset minus the start of its first preictal window predicted preictal, at most "
        f"{PREICTAL_S:g} s",
    )
