"""What a baseline or a setting came to, in words, for the end of a run."""

import math

from pytest_robustseiz.figuretexts import number
from pytest_robustseiz.paired import predictions_by_subject
from pytest_robustseiz.results import ExperimentResult, Scores
from pytest_robustseiz.scoring import DEGENERATE_SHARE, PredictionCounts, chance_level

SLACK = 1e-9  # of a sum of fractions


def figures_text(scores: Scores) -> str:
    """The main figures in one line."""
    if scores.prediction is not None:
        return _prediction_figures(scores.prediction)
    event = scores.event
    return (
        f"event F1 {number(event.f1)}, sensitivity {number(event.sensitivity)}, precision {number(event.precision)}, "
        f"{number(event.fp_per_day, digits=1)} FP/24h"
    )


def baseline_lines(baseline: ExperimentResult) -> list[str]:
    """What the model does on the unperturbed input, and what makes its scores worthless."""
    scores = baseline.scores
    lines = [f"baseline: {figures_text(scores)}"]
    if scores.prediction is not None:
        return [*lines, *_prediction_lines(baseline, scores.prediction)]
    if scores.event.reference and not scores.event.tp:
        lines.append("THE BASELINE FINDS NO SEIZURE: no setting can lower its scores, so limits on drops mean nothing")
    return lines


def degenerate_text(counts: PredictionCounts) -> str:
    """What is wrong with a predictor that always says one class; empty where it does not."""
    scores = counts.scores
    said = scores.degenerate_class
    if said is None:
        return ""
    if scores.true_share >= DEGENERATE_SHARE and scores.balanced_accuracy > 1 / scores.n_classes + SLACK:
        why = f"as are {scores.true_share:.1%} of the windows: judge it by its balanced accuracy"
    else:
        why = "whatever the EEG; accuracy, specificity or sensitivity alone would hide that"
    return f"DEGENERATE: {scores.largest_share:.1%} of its predictions are {said}, {why}"


def _prediction_figures(counts: PredictionCounts) -> str:
    scores, lead = counts.scores, counts.lead_time
    lead_text = "none" if math.isnan(lead.mean_s) else f"{lead.mean_s:.0f} s in {lead.seizures} seizures"
    return (
        f"balanced accuracy {number(scores.balanced_accuracy)}, sensitivity {number(scores.sensitivity)}, specificity "
        f"{number(scores.specificity)}, {number(counts.fpr_per_h, digits=2)} false alarms/h, {counts.missed} of "
        f"{counts.seizures} seizures missed, mean lead time {lead_text}"
    )


def _prediction_lines(baseline: ExperimentResult, counts: PredictionCounts) -> list[str]:
    degenerate = degenerate_text(counts)
    lines = [f"THE BASELINE IS {degenerate}"] if degenerate else []
    chance = chance_level(predictions_by_subject(baseline).values())
    if not math.isnan(chance.p_value):
        lines.append(
            f"chance: {chance.warned} of {chance.seizures} seizures were warned of; warnings at random at the same "
            f"rate would reach {chance.expected:.1f} (p = {chance.p_value:.3g})"
        )
    ways = dict.fromkeys(case.labelling for case in baseline.cases)
    return [*lines, f"windows were labelled {'; '.join(ways)}"]
