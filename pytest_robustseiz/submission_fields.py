"""Fields of a SzPredict submission and the counts behind them, in both directions.

Names and nesting are those of the result files of SzPredict 0.1 (HyperReal, 2026), where 0/0 is written as 0.0.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_robustseiz.prediction_tally import Tally
from pytest_robustseiz.registrycells import alike
from pytest_robustseiz.scoring import CLASSES, DEGENERATE_SHARE, INTERICTAL, WINDOW_S, LeadTime, prediction_scores
from pytest_robustseiz.scoring.prediction_confusion import as_confusion

Block = Mapping[str, Any]
LEADS = ("mean", "median", "min", "max")


def fields_of(tally: Tally) -> dict[str, Any]:
    """Fields of a submission, or of one of its patients.

    Parameters
    ----------
    tally : Tally
        The counts.

    Returns
    -------
    dict of str to object
        In the order of the specification; null for a group of which the counts are not stated.
    """
    scores = prediction_scores(tally.confusion)
    figures = {name: or_zero(value) for name, value in tally.figures().items()}
    classes = dict(zip(CLASSES, scores.per_class, strict=True))
    events = {"missed_events": tally.missed, "total_events": tally.seizures, "miss_rate": figures["miss_rate"]}
    return {
        "n_windows": scores.n_windows,
        "per_class": {
            name: {"correct": one.correct, "total": one.total, "accuracy": or_zero(one.accuracy)}
            for name, one in classes.items()
        },
        "confusion_matrix": {
            true: {f"pred_{said}": cell for said, cell in zip(CLASSES, row, strict=True)}
            for true, row in zip(CLASSES, tally.confusion, strict=True)
        },
        "seizure_discrimination": figures["seizure_discrimination"],
        "sensitivity": figures["sensitivity"],
        "specificity": figures["specificity"],
        "false_negative_rate": figures["false_negative_rate"],
        "false_positive_rate": figures["false_positive_rate"],
        "f1_macro": scores.f1_macro_as_submitted,
        "balanced_accuracy": figures["balanced_accuracy"],
        "degenerate": {
            "is_degenerate": scores.degenerate,
            "single_class": scores.degenerate_class,
            "threshold": DEGENERATE_SHARE,
        },
        "clinical_utility": {
            "warn_rate_given_seizure": figures["sensitivity"],
            "false_alarm_rate": figures["false_positive_rate"],
        },
        "miss_rate": None if tally.seizures is None else events,
        "lead_time": None if tally.lead is None else _lead_fields(tally.lead, figures),
        "fpr_per_hour": figures["fpr_per_h"],
        "transition_detection_rate": figures["transition_detection_rate"],
    }


def or_zero(value: float) -> float:
    """A figure as submissions have it: 0.0 for 0/0."""
    return 0.0 if math.isnan(value) else value


def _lead_fields(lead: LeadTime, figures: Mapping[str, float]) -> dict[str, float]:
    return {f"{name}_seconds": figures[f"lead_time_{name}_s"] for name in LEADS} | {"events_with_lead": lead.seizures}


def tally_of(block: Block) -> Tally:
    """The counts behind a submission, or a patient of one, that fits the schema and has the confusion matrix."""
    matrix, events = block["confusion_matrix"], block.get("miss_rate")
    # JSON may have 3.0 for 3.
    confusion = as_confusion([[int(matrix[true][f"pred_{said}"]) for said in CLASSES] for true in CLASSES])
    seizures = int(events["total_events"]) if events else None
    return Tally(
        confusion=confusion,
        alarms=_whole(block.get("fpr_per_hour"), sum(confusion[INTERICTAL]) * WINDOW_S / 3600),
        seizures=seizures,
        missed=int(events["missed_events"]) if events else None,
        warned=_whole(block.get("transition_detection_rate"), seizures),
        lead=_lead_of(block.get("lead_time")),
    )


def _whole(rate: float | None, of: float | None) -> int | None:
    return None if rate is None or of is None else round(rate * of)


def _lead_of(lead: Block | None) -> LeadTime | None:
    if lead is None:
        return None
    return LeadTime(**{f"{name}_s": lead[f"{name}_seconds"] for name in LEADS}, seizures=int(lead["events_with_lead"]))


def block_problems(block: Block) -> Iterator[str]:
    """Fields that do not follow from the block's own counts, and counts that contradict each other, a line for each."""
    tally = tally_of(block)
    expected = fields_of(tally)
    for name in ("fpr_per_hour", "transition_detection_rate"):
        if name in block and not alike(block[name], expected.pop(name)):
            of = "alarms per hour of interictal time" if name == "fpr_per_hour" else "of the seizures"
            yield f"{name} is {block[name]}, which is not that of any whole number {of}"
    yield from differences(block, {name: expected[name] for name in expected if name in block})
    yield from tally.contradictions()


def differences(given: Any, expected: Any, where: str = "") -> Iterator[str]:
    """Values that are not what they should be by the counts of the file, a line for each."""
    if isinstance(expected, dict) and isinstance(given, Mapping):
        for name, value in expected.items():
            yield from differences(given.get(name), value, f"{where}.{name}" if where else name)
    elif not _same(given, expected):
        yield f"{where} is {given}, but the file's own counts give {expected}"


def _same(given: Any, expected: Any) -> bool:
    if isinstance(expected, bool) or not isinstance(expected, int | float):
        return bool(given == expected)
    return isinstance(given, int | float) and alike(given, expected)
