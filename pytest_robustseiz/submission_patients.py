"""What a submission says of its patients: figures over them, and who is missing."""

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_robustseiz.prediction_subjects import summaries
from pytest_robustseiz.prediction_tally import Tally
from pytest_robustseiz.protocols import SPLIT, Protocol, case_number
from pytest_robustseiz.submission_fields import or_zero

# Figures over patients, by their names in the file and in the registry.
ACROSS = {
    **{name: name for name in ("balanced_accuracy", "sensitivity", "specificity", "f1_macro")},
    **{name: name for name in ("seizure_discrimination", "false_negative_rate", "false_positive_rate")},
    "fpr_per_hour": "fpr_per_h",
    "miss_rate": "miss_rate",
    "transition_detection_rate": "transition_detection_rate",
    "lead_time_mean_seconds": "lead_time_mean_s",
}
_STATISTICS = {1: ("mean", "std", "median"), 2: ("mean", "std", "hardest", "easiest")}


def across_patients(patients: Mapping[str, Tally], protocol: Protocol) -> dict[str, Any]:
    """Figures over patients, each of whom counts the same.

    Parameters
    ----------
    patients : mapping of str to Tally
        By name.
    protocol : Protocol
        1 (mean, standard deviation, median) or 2 (mean, standard deviation, hardest, easiest).

    Returns
    -------
    dict of str to dict
        For each figure the number of patients to whom it applies, and these; 0.0 where it applies to none.
    """
    found = summaries(patients, tuple(ACROSS.values()))
    across = {}
    for name, column in ACROSS.items():
        values = {statistic: getattr(found[column], statistic) for statistic in _STATISTICS[protocol.number]}
        across[name] = {"patients": found[column].patients} | {
            statistic: or_zero(value) if isinstance(value, float) else value for statistic, value in values.items()
        }
    return across


def lacking(protocol: Protocol, subjects: Iterable[str]) -> list[str]:
    """Subjects that a protocol tests and that are not there: of all 24, or of the test split by protocols 3 and 4.

    Parameters
    ----------
    protocol : Protocol
        The protocol.
    subjects : iterable of str
        Names as in a BIDS tree.
    """
    tested = sorted(number for part in SPLIT.values() for number in part) if protocol.trains else SPLIT["test"]
    there = {case_number(name) for name in subjects}
    return [f"sub-{number:02d}" for number in tested if number not in there]


def lacking_text(protocol: Protocol, names: list[str]) -> str:
    """Which subjects are missing, in words."""
    whom = "24 subjects" if protocol.trains else f"{len(SPLIT['test'])} test subjects"
    return f"{len(names)} of the {whom} of protocol {protocol.number} ({protocol.name}): {', '.join(names)}"
