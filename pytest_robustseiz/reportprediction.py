"""What pages and documents show of the prediction task."""

from pytest_robustseiz.cardprediction import HEADS, blocks, disjoint, evaluation, scores, scoring, timing
from pytest_robustseiz.intervals import lacks_interval
from pytest_robustseiz.reportleads import lead_figure
from pytest_robustseiz.reportpatients import over_subjects
from pytest_robustseiz.reportview import Board, Card, Column, Page, View
from pytest_robustseiz.reportworth import (
    CONFUSION,
    chance_levels,
    meaning,
    nothing_to_retain,
    remarks,
    scope_text,
    statements,
)
from pytest_robustseiz.tasks import PREDICTION

_MAIN = {
    "balanced_accuracy": Column("Balanced accuracy"),
    "sensitivity": Column("Sensitivity"),
    "specificity": Column("Specificity"),
    "fpr_per_h": Column("False alarms/h", 2),
    "miss_rate": Column("Miss rate"),
    "transition_detection_rate": Column("Transition detection rate"),
    "lead_time_mean_s": Column("Mean lead time, s", 1),
    "time_in_warning": Column("Time in warning"),
}

PAGE = Page(
    scope=scope_text,
    meaning=meaning,
    statements=statements,
    heat=_MAIN,
    boxes=_MAIN,
    curves={
        "balanced_accuracy": "Balanced accuracy",
        "fpr_per_h": "False alarms per hour",
        "miss_rate": "Miss rate",
    },
    levels=chance_levels,
    timing=lead_figure,
    worst={
        "sensitivity": Column("Sensitivity"),
        "specificity": Column("Specificity"),
        "fpr_per_h": Column("False alarms/h", 2),
        "miss_rate": Column("Miss rate"),
        "lead_time_mean_s": Column("Mean lead time, s", 1),
    },
    settings={
        "balanced_accuracy": Column("Balanced accuracy"),
        "sensitivity": Column("Sensitivity"),
        "specificity": Column("Specificity"),
        "preictal_accuracy": Column("Preictal accuracy"),
        "ictal_accuracy": Column("Ictal accuracy"),
        "fpr_per_h": Column("False alarms/h", 2),
        "time_in_warning": Column("Time in warning"),
        "miss_rate": Column("Miss rate"),
        "transition_detection_rate": Column("Transition detection rate"),
        "lead_time_mean_s": Column("Mean lead time, s", 1),
        "lead_time_median_s": Column("Median lead time, s", 1),
        "lead_time_count": Column("With lead time", 0),
    },
    flags={"degenerate_class": "Degenerate"},
    subjects_need="balanced accuracy over the classes that a subject has: without seizures it is the specificity",
    no_subjects="Scores of single subjects are not known: the row of the baseline has none that can be read.",
    over_subjects=over_subjects,
    pictures=(
        "The worst setting of each of the three worst shifts, attacks left out; the recording in which it changed most "
        "predictions."
    ),
    no_pictures="No setting but attacks lowered balanced accuracy, so there is none to show.",
    identity=(
        "timestamp_utc", "data_dir", "corpus_name", "corpus_version", "corpus_split", "corpus_fingerprint",
        "output_dir", "mode", "protocol", "labelling", "adapter", "adapter_fingerprint", "training_subjects", "seed",
        "T", "tau", "scoring_preset", "package_version",
    ),
)  # fmt: skip

CARD = Card(
    results={
        "balanced_accuracy": "Balanced accuracy",
        "sensitivity": "Sensitivity",
        "specificity": "Specificity",
        "fpr_per_h": "False alarms/h",
        "miss_rate": "Miss rate",
        "transition_detection_rate": "Transition detection rate",
        "lead_time_mean_s": "Mean lead time, s",
        "lead_time_count": "Seizures with a lead time",
        "time_in_warning": "Time in warning",
        "mcd_mean_agreement": "Mean phi",
    },
    meaning=(
        "For each shift the least and the largest value over its settings; then the mean of the least and the mean of "
        "the largest over the shifts of the family. Balanced accuracy is the mean recall over the classes that occur: "
        "1/3 for a predictor that does not look at the EEG, with three classes."
    ),
    heads=HEADS,
    scores=scores,
    stages="accuracy of windows, alarms and seizures, lead times, comparison with chance",
    evaluation=evaluation,
    blocks=blocks,
    titles={"postprocessing": "From probabilities to classes"},
    disjoint=disjoint,
    scoring=scoring,
    timing=timing,
)

VIEW = View(
    task=PREDICTION,
    noun="Predictor",
    figure="balanced_accuracy",
    short="balanced accuracy",
    too_few=lambda tables: lacks_interval(tables[:1], "balanced_accuracy"),
    needed=("balanced_accuracy", "fpr_per_h", "miss_rate", "degenerate_class", "n_windows", "protocol", "labelling",
            *CONFUSION, "per_subject_json"),
    group=("scoring_preset",),
    no_subjects="have a per_subject_json that cannot be read: scores of subjects are not known.",
    nothing_to_retain=nothing_to_retain,
    page=PAGE,
    card=CARD,
    board=Board(
        retained="retained_balanced_accuracy",
        baseline={
            "balanced_accuracy": ("baseline_balanced_accuracy", Column("baseline balanced accuracy")),
            "fpr_per_h": ("baseline_fpr_per_h", Column("false alarms/h", 2)),
            "miss_rate": ("baseline_miss_rate", Column("miss rate")),
        },
        needed=("balanced_accuracy", "fpr_per_h", "miss_rate", "degenerate_class", "n_windows", "labelling",
                *CONFUSION, "per_subject_json"),
        alike=("labelling",),
        remarks=remarks,
    ),
)  # fmt: skip
