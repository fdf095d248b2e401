"""The two tasks, as data: what is judged, where rows go, and which way each figure gets worse."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

TaskName = Literal["detection", "prediction"]
Sense = Literal["drop", "increase", "least", "most"]
Basis = Literal["", "seizures", "seizures with a preictal part", "interictal time", "scored windows"]


@dataclass(frozen=True)
class Rule:
    """How one limit is judged.

    Attributes
    ----------
    column : str
        The figure by the name of its registry column, or "lag_s".
    title : str
        What messages call it.
    sense : {"drop", "increase", "least", "most"}
        Baseline minus value at most, value minus baseline at most, value at least, value at most.
    basis : str
        What a single subject must have for the figure to be defined, in words; empty where every subject has it.
    """

    column: str
    title: str
    sense: Sense
    basis: Basis = "seizures"


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes
    ----------
    name : {"detection", "prediction"}
        As `--robustseiz-task` takes it.
    headline : str
        Column by which settings are put in order.
    title : str
        What texts call it.
    preset : str
        Name of the scoring rules in each row.
    registry, output : str
        Where rows and files go unless a run says otherwise.
    noted : tuple of str
        Columns that JUnit and other reports get of each case.
    rules : mapping of str to Rule
        By name of the limit.
    tolerances : mapping of str to float
        Columns of a profile, and how far two profiles may differ in each and still be equal. Scores of one model on
        one corpus are the same to the last digit on one machine; between machines a sample or window may fall on the
        other side of a threshold.
    less_is_worse, more_is_worse : frozenset of str
        Columns by direction. Of all others neither direction is worse as such.
    """

    name: TaskName
    headline: str
    title: str
    preset: str
    registry: str
    output: str
    noted: tuple[str, ...]
    rules: Mapping[str, Rule] = field(repr=False)
    tolerances: Mapping[str, float] = field(repr=False)
    less_is_worse: frozenset[str] = field(repr=False)
    more_is_worse: frozenset[str] = field(repr=False)


# Of the stochastic passes, whichever the task.
_PHI, _DISAGREEMENT = (
    Rule("mcd_background_agreement", "mean phi outside seizures", "most", basis=""),
    Rule("mcd_disagreement", "disagreement of the stochastic passes", "most", basis=""),
)
_RATIOS = ("sensitivity", "precision", "f1")

DETECTION = Task(
    name="detection",
    headline="event_f1",
    title="event F1",
    preset="szcore",
    registry="experiments_results.csv",
    output="Results",
    noted=("event_sensitivity", "event_precision", "event_f1", "event_fp_per_day"),
    rules={
        "max_f1_drop": Rule("event_f1", "event F1", "drop"),
        "max_sensitivity_drop": Rule("event_sensitivity", "event sensitivity", "drop"),
        "max_precision_drop": Rule("event_precision", "event precision", "drop"),
        "max_fp_per_24h": Rule("event_fp_per_day", "false positives per 24 h", "most", basis=""),
        "max_fp_per_24h_increase": Rule("event_fp_per_day", "false positives per 24 h", "increase", basis=""),
        "min_f1": Rule("event_f1", "event F1", "least"),
        "min_sensitivity": Rule("event_sensitivity", "event sensitivity", "least"),
        "max_lag_s": Rule("lag_s", "mean Lag in s", "most"),
        "max_phi_background": _PHI,
        "max_disagreement": _DISAGREEMENT,
    },
    tolerances={
        "sample_sensitivity": 0.001,
        "sample_precision": 0.001,
        "sample_f1": 0.001,
        "sample_fp_per_day": 1.0,
        "event_sensitivity": 1e-6,
        "event_precision": 1e-6,
        "event_f1": 1e-6,
        "event_fp_per_day": 1e-3,
        "lead_mean_steps": 2.0,
        "lag_mean_steps": 2.0,
        "ontime_count": 0.0,
        "onset_tp_count": 0.0,
    },
    less_is_worse=frozenset(
        {f"{level}_{name}" for level in ("sample", "event") for name in _RATIOS}
        | {f"subject_mean_{name}" for name in ("sample_f1", *(f"event_{ratio}" for ratio in _RATIOS))}
    ),
    more_is_worse=frozenset(
        {"sample_fp_per_day", "event_fp_per_day", "subject_mean_event_fp_per_day"}
        | {f"lag_{statistic}_steps" for statistic in ("mean", "median", "p90", "min", "max")}
    ),
)

PREDICTION = Task(
    name="prediction",
    headline="balanced_accuracy",
    title="balanced accuracy",
    preset="szpredict-0.1",
    registry="prediction_results.csv",
    output="Results-prediction",
    noted=("balanced_accuracy", "sensitivity", "specificity", "fpr_per_h", "miss_rate", "lead_time_mean_s"),
    rules={
        "max_balanced_accuracy_drop": Rule("balanced_accuracy", "balanced accuracy", "drop", basis="scored windows"),
        "min_balanced_accuracy": Rule("balanced_accuracy", "balanced accuracy", "least", basis="scored windows"),
        "max_fpr_per_h": Rule("fpr_per_h", "false alarms per hour", "most", basis="interictal time"),
        "max_fpr_per_h_increase": Rule("fpr_per_h", "false alarms per hour", "increase", basis="interictal time"),
        "max_miss_rate": Rule("miss_rate", "miss rate", "most"),
        "min_lead_time_s": Rule(
            "lead_time_mean_s", "mean lead time in s", "least", basis="seizures with a preictal part"
        ),
        "max_phi_background": replace(_PHI, basis="interictal time"),
        "max_disagreement": replace(_DISAGREEMENT, basis="scored windows"),
    },
    tolerances={
        "balanced_accuracy": 0.001,
        "sensitivity": 0.001,
        "specificity": 0.001,
        "f1_macro": 0.001,
        "fpr_per_h": 0.1,
        "miss_rate": 1e-6,
        "transition_detection_rate": 1e-6,
        "lead_time_mean_s": 1.0,
        "lead_time_count": 0.0,
        "time_in_warning": 0.001,
    },
    less_is_worse=frozenset(
        {
            "balanced_accuracy", "sensitivity", "specificity", "f1_macro", "seizure_discrimination",
            "preictal_accuracy", "ictal_accuracy", "transition_detection_rate",
            "lead_time_mean_s", "lead_time_median_s", "lead_time_min_s", "lead_time_max_s", "lead_time_count",
            "subject_mean_balanced_accuracy",
        }
    ),
    more_is_worse=frozenset(
        {
            "false_negative_rate", "false_positive_rate", "fpr_per_h", "miss_rate", "time_in_warning", "degenerate",
            "subject_mean_fpr_per_h", "subject_mean_miss_rate",
        }
    ),
)  # fmt: skip

TASKS: dict[str, Task] = {task.name: task for task in (DETECTION, PREDICTION)}
# Every limit of any task, in the order in which help texts list them.
LIMITS: tuple[str, ...] = tuple(dict.fromkeys(name for task in TASKS.values() for name in task.rules))
