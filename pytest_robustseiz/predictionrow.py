"""The registry row of the prediction task."""

import json
from collections.abc import Mapping

from pytest_robustseiz.intervals import Figure
from pytest_robustseiz.paired import predictions_by_subject
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.rowcells import (
    AGREEMENT,
    CORPUS_COLUMNS,
    HEAD,
    OWN_AGREEMENT,
    RunFacts,
    interval_cells,
    shared_cells,
)
from pytest_robustseiz.scoring import (
    CLASSES,
    PREDICTION_METRICS,
    PredictionCounts,
    chance_level,
    patient_summaries,
    prediction_metrics,
)
from pytest_robustseiz.tasks import PREDICTION

CONFUSION = tuple(f"true_{true}_pred_{predicted}" for true in CLASSES for predicted in CLASSES)
_WITH_INTERVAL: dict[str, Figure] = {name: name for name in ("balanced_accuracy", "fpr_per_h", "miss_rate")}
# Over subjects, each of whom counts the same, as SzPredict reports protocols 1 and 2.
_OVER_SUBJECTS = ("balanced_accuracy", "fpr_per_h", "miss_rate")
_SUMMARY = ("mean", "std", "median", "hardest", "easiest")

PREDICTION_COLUMNS: tuple[str, ...] = (
    *HEAD,
    *PREDICTION_METRICS, "lead_time_count", "degenerate", "degenerate_class",
    "chance_warned", "chance_p_value",
    "n_windows", *CONFUSION, "alarms", "interictal_h", "seizures_scored", "seizures_with_preictal", "missed", "warned",
    *(f"subject_{statistic}_{name}" for name in _OVER_SUBJECTS for statistic in _SUMMARY),
    *(f"{name}_ci_{end}" for name in _WITH_INTERVAL for end in ("low", "high")),
    "mode", "protocol", "subjects", "recordings", "hours", "seizures",
    "adapter", "adapter_fingerprint", "corpus_fingerprint", "seed", "T", "tau", "scoring_preset", "labelling",
    *AGREEMENT, *OWN_AGREEMENT, "mcd_unavailable",
    "change_rms_uv", "change_relative", "change_share", "shift_figures_json", "attack_outcome_json",
    "package_version", *CORPUS_COLUMNS, "training_subjects", "reading_json", "per_subject_json",
)  # fmt: skip


def prediction_row(
    experiment: ExperimentResult,
    counts: PredictionCounts,
    *,
    adapter: str,
    fingerprint: str,
    corpus: str,
    facts: RunFacts,
) -> dict[str, object]:
    """One row by column.

    Parameters
    ----------
    experiment, adapter, fingerprint, corpus, facts
        As `pytest_robustseiz.registry.make_row`.
    counts : PredictionCounts
        Pooled over the subjects.
    """
    by_subject = predictions_by_subject(experiment)
    chance = chance_level(by_subject.values())
    row = shared_cells(experiment, adapter=adapter, fingerprint=fingerprint, corpus=corpus, facts=facts)
    row |= confusion_cells(counts)
    row |= {
        "degenerate": int(counts.scores.degenerate),
        "degenerate_class": counts.scores.degenerate_class,
        "chance_warned": chance.expected,
        "chance_p_value": chance.p_value,
        "n_windows": counts.n_windows,
        "alarms": counts.alarms,
        "interictal_h": counts.interictal_s / 3600,
        "seizures_scored": counts.seizures,
        "seizures_with_preictal": counts.with_preictal,
        "missed": counts.missed,
        "warned": counts.warned,
        "protocol": facts.protocol,
        "scoring_preset": preset_name(facts.protocol),
        "labelling": "; ".join(dict.fromkeys(case.labelling for case in experiment.cases)),
        "per_subject_json": json.dumps({name: _own_figures(own) for name, own in by_subject.items()}, sort_keys=True),
    }
    row |= _over_subjects(by_subject)
    return row | interval_cells(by_subject, _WITH_INTERVAL, seed=facts.seed)


def confusion_cells(counts: PredictionCounts) -> dict[str, int]:
    """The confusion matrix by column."""
    return dict(zip(CONFUSION, (cell for line in counts.confusion for cell in line), strict=True))


def preset_name(protocol: str) -> str:
    """Rules and protocol, which together decide what two rows may be compared."""
    return f"{PREDICTION.preset}, protocol {protocol}" if protocol else PREDICTION.preset


def _over_subjects(by_subject: Mapping[str, PredictionCounts]) -> dict[str, object]:
    summaries = patient_summaries(by_subject)
    return {
        f"subject_{statistic}_{name}": getattr(summaries[name], statistic)
        for name in _OVER_SUBJECTS
        for statistic in _SUMMARY
    }


def _own_figures(counts: PredictionCounts) -> dict[str, object]:
    """What a row says of one subject: counts, and the figures that follow from them; null where one is not defined."""
    figures = {name: None if value != value else value for name, value in prediction_metrics(counts).items()}
    own: dict[str, object] = {"confusion": counts.confusion, "alarms": counts.alarms, "seizures": counts.seizures}
    own |= {"missed": counts.missed, "warned": counts.warned, "lead_time_count": counts.lead_time.seizures}
    return {**figures, **own}
