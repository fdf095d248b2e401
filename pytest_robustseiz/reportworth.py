"""What the scores of a predictor are worth, in words: the protocol, the labels, chance, and degenerate baselines."""

import math
from collections.abc import Mapping, Sequence

from pytest_robustseiz.protocols import PROTOCOLS
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.reportview import Statement
from pytest_robustseiz.scoring import CLASSES, DEGENERATE_SHARE, PredictionScores, prediction_scores

CONFUSION = tuple(f"true_{true}_pred_{predicted}" for true in CLASSES for predicted in CLASSES)
_LISTED = 10
_SLACK = 1e-9


def scores_of(entries: Sequence[Entry]) -> PredictionScores:
    """Scores of the summed confusion matrices of rows."""
    cells = [sum(int(entry.value(name)) for entry in entries) for name in CONFUSION]
    return prediction_scores([cells[0:3], cells[3:6], cells[6:9]])


def protocol_text(entry: Entry) -> str:
    """What was tested with which model."""
    protocol = PROTOCOLS.get(entry.text("protocol"))
    if protocol is None:
        return "no protocol: all subjects were tested with the model that was given"
    how = "a model was trained for each subject" if protocol.trains else "the fixed test split, with the model given"
    return f"protocol {protocol.number} ({protocol.name}): {how}"


def scope_text(entry: Entry) -> str:
    """Task, protocol and mode in short."""
    protocol = entry.text("protocol")
    return f"prediction, {f'protocol {protocol}, ' if protocol else ''}{entry.text('mode')}"


def nothing_to_retain(baseline: Entry) -> bool:
    """Whether balanced accuracy is not above chance, so that no setting can take anything away."""
    value = baseline.value("balanced_accuracy")
    return bool(value <= 1 / _classes(baseline) + _SLACK)


def degenerate_text(baseline: Entry) -> str:
    """What it means that a baseline is degenerate; empty where it is not."""
    scores = scores_of([baseline])
    if scores.degenerate_class is None:
        return ""
    name = scores.degenerate_class
    head = (
        f"The baseline is degenerate: {_percent(scores.largest_share)} of its predictions are {name} "
        f"({100 * DEGENERATE_SHARE:.0f} % or more of one class). "
    )
    if nothing_to_retain(baseline):
        return (
            f"{head}It says one thing, whatever the EEG; specificity {scores.specificity:.3f} and sensitivity "
            f"{scores.sensitivity:.3f} are those of a constant, with {baseline.value('missed'):g} of "
            f"{baseline.value('seizures_scored'):g} seizures missed."
        )
    told = f"balanced accuracy, {scores.balanced_accuracy:.3f} where chance is 1/{_classes(baseline)}"
    if scores.true_share >= DEGENERATE_SHARE:
        return (
            f"{head}So are {_percent(scores.true_share)} of the windows, and a perfect predictor would be degenerate "
            f"too; go by {told}."
        )
    return f"{head}Accuracy, specificity or sensitivity alone would hide that; go by {told}."


def at_chance_text(baseline: Entry) -> str:
    """Whether a baseline's balanced accuracy may be chance; empty where it is above."""
    value, low, high = (baseline.value(f"balanced_accuracy{ending}") for ending in ("", "_ci_low", "_ci_high"))
    chance = f"chance (1/{_classes(baseline)})"
    if nothing_to_retain(baseline):
        return f"Balanced accuracy of the baseline, {value:.3f}, is not above {chance}: there is nothing to retain."
    if low <= 1 / _classes(baseline):
        return (
            f"The 95 % interval of the baseline's balanced accuracy, {low:.3f} to {high:.3f}, holds {chance}: what is "
            "retained of it may be chance too."
        )
    return ""


def remarks(baseline: Entry) -> list[str]:
    """What is wrong with a baseline, in sentences."""
    return [text for text in (degenerate_text(baseline), at_chance_text(baseline)) if text]


def chance_text(baseline: Entry) -> str:
    """The seizures that were warned of, beside those that chance would warn of."""
    p_value = baseline.value("chance_p_value")
    if math.isnan(p_value):
        return "No comparison with chance: no seizure has preictal time in which a warning would have been possible."
    return (
        f"Chance level: the baseline warned of {baseline.value('warned'):g} of the "
        f"{baseline.value('seizures_with_preictal'):g} seizures with preictal time before their onset; warnings at "
        f"random, as often and as long as its false alarms, would reach {baseline.value('chance_warned'):.1f} on "
        f"average (p = {p_value:.3g})."
    )


def degenerate_settings(chapter: Chapter) -> str:
    """The settings that are degenerate, with what they say; empty where there is none."""
    found = [entry for entry in chapter.entries if entry.text("degenerate_class")]
    if not found:
        return ""
    listed = [f"{entry.label} ({_share(entry)})" for entry in found[:_LISTED]]
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return f"Degenerate under {len(found)} of {len(chapter.entries)} settings: {', '.join(listed)}{more}."


def statements(chapter: Chapter) -> list[Statement]:
    """What must be known before any figure is read."""
    protocol, baseline = protocol_text(chapter.first), chapter.baseline
    labels = chapter.first.text("labelling")
    told = [Statement(f"{protocol[0].upper()}{protocol[1:]}. Windows were labelled {labels}.")]
    if baseline is not None:
        told += [Statement(text, warns=True) for text in remarks(baseline)]
    if degenerate := degenerate_settings(chapter):
        told.append(Statement(degenerate, warns=True))
    return [*told, Statement(chance_text(baseline))] if baseline is not None else told


def meaning(chapter: Chapter) -> str:
    """What retained balanced accuracy means, and where chance is."""
    text = (
        "Retained balanced accuracy is the mean over shifts of the mean over their settings of balanced accuracy / "
        "baseline balanced accuracy: 1 means that nothing was lost. Balanced accuracy is the mean recall over the "
        "classes that occur, so with three classes a predictor that does not look at the EEG has 1/3"
    )
    baseline = chapter.baseline
    if baseline is None:
        return f"{text}."
    classes = _classes(baseline)
    if classes != len(CLASSES):
        text += f" (here, where {classes} occur, 1/{classes})"
    if nothing_to_retain(baseline):
        return f"{text}. It is not given, since this baseline has no more than that."
    at_chance = 1 / classes / baseline.value("balanced_accuracy")
    return f"{text}: one that is reduced to chance still retains {at_chance:.3f} of this baseline."


def chance_levels(metric: str, chapter: Chapter) -> Mapping[str, float]:
    """The line of chance in a curve of balanced accuracy."""
    if metric != "balanced_accuracy":
        return {}
    classes = _classes(chapter.first)
    return {f"chance 1/{classes}": 1 / classes}


def _classes(entry: Entry) -> int:
    """Number of classes that occur; 3 where no window was scored."""
    return scores_of([entry]).n_classes or len(CLASSES)


def _share(entry: Entry) -> str:
    scores = scores_of([entry])
    return f"{_percent(scores.largest_share)} {scores.degenerate_class}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
