"""A submission from the rows of a registry."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_robustseiz.prediction_check import tally_of_row
from pytest_robustseiz.prediction_subjects import subjects_of
from pytest_robustseiz.protocols import Protocol
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.shifts import paper_grid
from pytest_robustseiz.submission_facts import REQUIRED
from pytest_robustseiz.submission_fields import fields_of, or_zero
from pytest_robustseiz.submission_patients import across_patients, lacking, lacking_text
from pytest_robustseiz.submission_rows import BASELINE, Chosen
from pytest_robustseiz.tasks import PREDICTION

VERSION = "0.1"
# Figures of the robustness block, by their names in the file and in the registry.
RANGES = {
    "balanced_accuracy": "balanced_accuracy",
    "fpr_per_hour": "fpr_per_h",
    "miss_rate": "miss_rate",
    "lead_time_mean_seconds": "lead_time_mean_s",
}
_OPTIONAL = ("preprocessing", "post_processing")


def submission(chosen: Chosen, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The file as an object.

    Parameters
    ----------
    chosen : Chosen
        Rows of one predictor, protocol and scope, whose figures follow from their counts.
    facts : mapping of str to object
        Of the author, by field.

    Returns
    -------
    dict of str to object
        The fields of SzPredict in the order of its specification, then what is added to them.
    """
    row, protocol = chosen.baseline, chosen.protocol
    patients = subjects_of(row)
    fields = fields_of(tally_of_row(row))
    added = {name: fields.pop(name) for name in ("fpr_per_hour", "transition_detection_rate")}
    notes = [*([facts["notes"]] if "notes" in facts else []), *remarks(chosen)]
    return {
        "benchmark_version": VERSION,
        "protocol": protocol.name,
        "model_name": row["adapter"],
        **{name: facts[name] for name in REQUIRED},
        **{name: facts[name] for name in _OPTIONAL if name in facts},
        **({"notes": "\n".join(notes)} if notes else {}),
        **fields,
        "per_patient": {name: fields_of(own) for name, own in patients.items()},
        **added,
        **({"across_patients": across_patients(patients, protocol)} if protocol.trains else {}),
        "robustness": robustness(chosen.settings),
        "identity": _identity(row),
    }


def as_text(document: Mapping[str, Any]) -> str:
    """The file as it is written."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def lacking_subjects(chosen: Chosen) -> list[str]:
    """Subjects of the protocol that the rows do not have."""
    return lacking(chosen.protocol, json.loads(chosen.baseline["per_subject_json"]))


def remarks(chosen: Chosen) -> list[str]:
    """What the file has to say against itself: that it is partial, or that settings are missing."""
    return [*_partial(chosen.protocol, lacking_subjects(chosen)), *_not_run(chosen.settings)]


def _partial(protocol: Protocol, names: list[str]) -> list[str]:
    return [f"Partial: lacks {lacking_text(protocol, names)}."] if names else []


def _not_run(settings: Sequence[StoredRow], *, most: int = 10) -> list[str]:
    have = {BASELINE, *(row["experiment_name"] for row in settings)}
    grid = [setting.label for setting in paper_grid()]
    names = [label for label in grid if label not in have]
    if not names:
        return []
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return [
        f"Robustness: {len(names)} of the {len(grid)} settings of the default grid were not run or do not apply: "
        f"{', '.join(names[:most])}{more}."
    ]


def robustness(settings: Iterable[StoredRow]) -> dict[str, Any]:
    """Ranges over the settings of each family of shifts.

    Parameters
    ----------
    settings : iterable of StoredRow
        The latest row of each setting, without the baseline.

    Returns
    -------
    dict of str to dict
        By family: the number of settings, and of each figure the least and the largest value and the setting with the
        worst one, the first by name where several share it. A setting without any lead time has 0, as in the file.
    """
    families: dict[str, list[StoredRow]] = {}
    for row in settings:
        families.setdefault(row["category"], []).append(row)
    return {
        family: {"settings": len(rows), **{name: _range(rows, column) for name, column in RANGES.items()}}
        for family, rows in families.items()
    }


def _range(rows: Sequence[StoredRow], column: str) -> dict[str, Any]:
    by_setting = {row["experiment_name"]: or_zero(row.number(column)) for row in rows}
    values = dict(sorted(by_setting.items()))
    worst_of: Callable[..., str] = min if column in PREDICTION.less_is_worse else max
    return {"min": min(values.values()), "max": max(values.values()), "worst": worst_of(values, key=values.__getitem__)}


def _identity(row: StoredRow) -> dict[str, Any]:
    known = ("corpus_name", "corpus_version", "corpus_fingerprint", "adapter_fingerprint")
    return {
        **{name: row[name] or None for name in known},
        "seed": int(row["seed"]),
        "labelling": row["labelling"],
        "package_version": row["package_version"],
    }
