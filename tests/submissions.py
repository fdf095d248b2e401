"""Submissions made by hand, and registries that give them; all synthetic but for SzPredict's own result files."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from predictions import experiment

from pytest_robustseiz.corpusfacts import CorpusFacts
from pytest_robustseiz.registry import RunFacts, append, make_row
from pytest_robustseiz.scoring import PredictionCounts
from pytest_robustseiz.shifts import AWGN, CAR, Baseline, Shift

Json = dict[str, Any]
Matrix = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]
CLASSES = ("interictal", "preictal", "ictal")

MODEL: Json = {
    "model_description": "Power at O2 against a threshold",
    "model_params": 1,
    "training_time_hours": 0.5,
    "hardware": "1 CPU",
}
FACTS = (
    '[model]\ndescription = "Power at O2 against a threshold"\npreprocessing = "none"\n'
    '[submission]\nmodel_params = 1\ntraining_time_hours = 0.5\nhardware = "1 CPU"\nnotes = "Synthetic."\n'
)


def matrix(rows: Matrix) -> Json:
    """A confusion matrix as files have it."""
    return {
        true: {f"pred_{said}": cell for said, cell in zip(CLASSES, row, strict=True)}
        for true, row in zip(CLASSES, rows, strict=True)
    }


def published(name: str) -> Json:
    """A result file of SzPredict (hyperreal-ai/SzPredict, results/baseline_*.json, MIT), put together from its figures.

    Its files have neither patients nor lead times; the random predictor's has its seed.
    """
    head = {
        "benchmark_version": "0.1",
        "protocol": "cross_patient_fixed",
        "model_name": name,
        "model_description": f"{name} baseline",
        "model_params": 0,
        "training_time_hours": 0.0,
        "hardware": "CPU only (no training)",
        "n_windows": 10000,
    }
    return copy.deepcopy({**head, **_PUBLISHED[name]})


_PUBLISHED: dict[str, Json] = {
    "majority": {
        "per_class": {
            "interictal": {"correct": 8826, "total": 8826, "accuracy": 1.0},
            "preictal": {"correct": 0, "total": 839, "accuracy": 0.0},
            "ictal": {"correct": 0, "total": 335, "accuracy": 0.0},
        },
        "confusion_matrix": matrix(((8826, 0, 0), (839, 0, 0), (335, 0, 0))),
        "seizure_discrimination": 0.0,
        "sensitivity": 0.0,
        "specificity": 1.0,
        "false_negative_rate": 1.0,
        "false_positive_rate": 0.0,
        "f1_macro": 0.3125464782747264,
        "balanced_accuracy": 0.3333333333333333,
        "degenerate": {"is_degenerate": True, "single_class": "interictal", "threshold": 0.95},
        "clinical_utility": {"warn_rate_given_seizure": 0.0, "false_alarm_rate": 0.0},
        "miss_rate": {"missed_events": 15, "total_events": 15, "miss_rate": 1.0},
        "lead_time": None,
    },
    "random": {
        "seed": 42,
        "per_class": {
            "interictal": {"correct": 3012, "total": 8826, "accuracy": 0.34126444595513256},
            "preictal": {"correct": 275, "total": 839, "accuracy": 0.32777115613825986},
            "ictal": {"correct": 108, "total": 335, "accuracy": 0.32238805970149254},
        },
        "confusion_matrix": matrix(((3012, 2928, 2886), (290, 275, 274), (97, 130, 108))),
        "seizure_discrimination": 0.6703577512776832,
        "sensitivity": 0.6703577512776832,
        "specificity": 0.34126444595513256,
        "false_negative_rate": 0.32964224872231684,
        "false_positive_rate": 0.6587355540448674,
        "f1_macro": 0.22818067794020738,
        "balanced_accuracy": 0.33047455393162833,
        "degenerate": {"is_degenerate": False, "single_class": None, "threshold": 0.95},
        "clinical_utility": {"warn_rate_given_seizure": 0.6703577512776832, "false_alarm_rate": 0.6587355540448674},
        "miss_rate": {"missed_events": 0, "total_events": 15, "miss_rate": 0.0},
        "lead_time": None,
    },
}

# Two subjects by protocol 2. The first has 3 seizures in a test of 1 h interictal time with 5 alarms: one seizure is
# warned of 200 s and one 100 s before its onset, one is missed. The second is never warned of anything.
FIRST: Matrix = ((3000, 400, 200), (150, 100, 50), (10, 20, 30))
SECOND: Matrix = ((7200, 0, 0), (300, 0, 0), (40, 0, 0))
BOTH: Matrix = ((10200, 400, 200), (450, 100, 50), (50, 20, 30))


def own() -> Json:
    """A whole file with what the package adds, every figure by hand from `FIRST` and `SECOND`."""
    return copy.deepcopy(
        {
            "benchmark_version": "0.1",
            "protocol": "leave_one_patient_out",
            "model_name": "power",
            **MODEL,
            "preprocessing": "none",
            "notes": "Synthetic.\nPartial: two subjects.",
            **_figures(BOTH),
            "f1_macro": (2 * 10200 / 21500 + 2 * 100 / 1120 + 2 * 30 / 380) / 3,
            "balanced_accuracy": (10200 / 10800 + 100 / 600 + 30 / 100) / 3,
            "degenerate": {"is_degenerate": False, "single_class": None, "threshold": 0.95},
            "miss_rate": {"missed_events": 2, "total_events": 4, "miss_rate": 0.5},
            "lead_time": _leads(150.0, 150.0, 100.0, 200.0, 2),
            "per_patient": {
                "sub-02": {
                    **_figures(FIRST),
                    "f1_macro": (2 * 3000 / 6760 + 2 * 100 / 820 + 2 * 30 / 340) / 3,
                    "balanced_accuracy": (3000 / 3600 + 100 / 300 + 30 / 60) / 3,
                    "degenerate": {"is_degenerate": False, "single_class": None, "threshold": 0.95},
                    "miss_rate": {"missed_events": 1, "total_events": 3, "miss_rate": 1 / 3},
                    "lead_time": _leads(150.0, 150.0, 100.0, 200.0, 2),
                    "fpr_per_hour": 5.0,
                    "transition_detection_rate": 2 / 3,
                },
                "sub-07": {
                    **_figures(SECOND),
                    "f1_macro": (2 * 7200 / 14740) / 3,
                    "balanced_accuracy": 1 / 3,
                    "degenerate": {"is_degenerate": True, "single_class": "interictal", "threshold": 0.95},
                    "miss_rate": {"missed_events": 1, "total_events": 1, "miss_rate": 1.0},
                    "lead_time": _leads(0.0, 0.0, 0.0, 0.0, 0),
                    "fpr_per_hour": 0.0,
                    "transition_detection_rate": 0.0,
                },
            },
            "fpr_per_hour": 5 / 3,
            "transition_detection_rate": 0.5,
            "across_patients": _across(),
            "robustness": {
                "noise": {
                    "settings": 2,
                    "balanced_accuracy": {"min": 0.4, "max": 0.5, "worst": "awgn-snr_db_0"},
                    "fpr_per_hour": {"min": 1.0, "max": 60.0, "worst": "awgn-snr_db_0"},
                    "miss_rate": {"min": 0.25, "max": 0.5, "worst": "awgn-snr_db_0"},
                    "lead_time_mean_seconds": {"min": 0.0, "max": 150.0, "worst": "awgn-snr_db_0"},
                }
            },
            "identity": {
                "corpus_name": "Synthetic",
                "corpus_version": None,
                "corpus_fingerprint": "c0ffee",
                "adapter_fingerprint": "f" * 64,
                "seed": 7,
                "labelling": "across recordings",
                "package_version": "0.1.0",
            },
        }
    )


def _figures(rows: Matrix) -> Json:
    interictal, preictal, ictal = (sum(row) for row in rows)
    found = sum(rows[1][1:]) + sum(rows[2][1:])
    alarmed = sum(rows[0][1:])
    totals = zip(CLASSES, (interictal, preictal, ictal), strict=True)
    return {
        "n_windows": interictal + preictal + ictal,
        "per_class": {
            name: {"correct": rows[place][place], "total": total, "accuracy": rows[place][place] / total}
            for place, (name, total) in enumerate(totals)
        },
        "confusion_matrix": matrix(rows),
        "seizure_discrimination": found / (preictal + ictal),
        "sensitivity": found / (preictal + ictal),
        "specificity": rows[0][0] / interictal,
        "false_negative_rate": (rows[1][0] + rows[2][0]) / (preictal + ictal),
        "false_positive_rate": alarmed / interictal,
        "clinical_utility": {
            "warn_rate_given_seizure": found / (preictal + ictal),
            "false_alarm_rate": alarmed / interictal,
        },
    }


def _leads(mean: float, median: float, least: float, most: float, events: int) -> Json:
    seconds = {"mean_seconds": mean, "median_seconds": median, "min_seconds": least, "max_seconds": most}
    return {**seconds, "events_with_lead": events}


def _across() -> Json:
    """Of two values the mean is the middle and the standard deviation half of the distance."""
    found, first_f1 = 200 / 360, (2 * 3000 / 6760 + 2 * 100 / 820 + 2 * 30 / 340) / 3
    values: dict[str, tuple[float, float | None, str]] = {  # of the first, of the second, and who is the hardest
        "balanced_accuracy": (5 / 9, 1 / 3, "sub-07"),
        "sensitivity": (found, 0.0, "sub-07"),
        "specificity": (5 / 6, 1.0, "sub-02"),
        "f1_macro": (first_f1, (2 * 7200 / 14740) / 3, "sub-07"),
        "seizure_discrimination": (found, 0.0, "sub-07"),
        "false_negative_rate": (1 - found, 1.0, "sub-07"),
        "false_positive_rate": (1 / 6, 0.0, "sub-02"),
        "fpr_per_hour": (5.0, 0.0, "sub-02"),
        "miss_rate": (1 / 3, 1.0, "sub-07"),
        "transition_detection_rate": (2 / 3, 0.0, "sub-07"),
        "lead_time_mean_seconds": (150.0, None, "sub-02"),  # the second has no lead time at all
    }
    across: Json = {}
    for name, (one, two, hardest) in values.items():
        easiest = "sub-02" if two is None or hardest == "sub-07" else "sub-07"
        mean, std = (one, 0.0) if two is None else ((one + two) / 2, abs(one - two) / 2)
        patients = 1 if two is None else 2
        across[name] = {"patients": patients, "mean": mean, "std": std, "hardest": hardest, "easiest": easiest}
    return across


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of all values that are no objects."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    else:
        yield path


def objects(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of all entries, of objects too."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from objects(inner, (*path, name))


def at(document: Json, path: Sequence[str]) -> Any:
    """The value at a path."""
    for name in path:
        document = document[name]
    return document


def changed(document: Json, path: Sequence[str], value: object) -> Json:
    """A copy with another value at a path."""
    document = copy.deepcopy(document)
    at(document, path[:-1])[path[-1]] = value
    return document


def without(document: Json, path: Sequence[str]) -> Json:
    """A copy without an entry."""
    document = copy.deepcopy(document)
    del at(document, path[:-1])[path[-1]]
    return document


def write_json(path: Path, document: object) -> Path:
    """Write a file."""
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def predicted(
    rows: Matrix,
    *,
    alarms: int = 0,
    seizures: int = 1,
    missed: int = 0,
    warned: int = 0,
    leads: tuple[float, ...] = (),
) -> PredictionCounts:
    """Counts of a subject, each seizure with the same preictal time."""
    preictal = (sum(rows[1]) // seizures,) * seizures if seizures else ()
    return PredictionCounts(
        confusion=rows, alarms=alarms, spaced_alarms=0, seizures=seizures, missed=missed, warned=warned,
        preictal_windows=preictal, lead_times_s=leads,
    )  # fmt: skip


SETTINGS: tuple[Shift, ...] = (Baseline(), AWGN(snr_db=10), AWGN(snr_db=0), CAR())
SUBJECTS = {
    "sub-02": predicted(FIRST, alarms=5, seizures=3, missed=1, warned=2, leads=(200.0, 100.0)),
    "sub-07": predicted(SECOND, missed=1),
}


def write_predictions(
    path: Path,
    *,
    found: Mapping[str, Mapping[str, PredictionCounts]] | None = None,
    adapter: str = "power",
    fingerprint: str = "f" * 64,
    corpus: str = "c0ffee",
    protocol: str = "2",
    mode: str = "full",
    seed: int = 7,
    day: int = 1,
    settings: Sequence[Shift] = SETTINGS,
) -> Path:
    """Append the rows of a run; `found` has the subjects' counts of settings that differ from `SUBJECTS`."""
    facts = RunFacts(
        datetime(2026, 1, day, tzinfo=UTC), "/data/synthetic", "/out", mode, seed, CorpusFacts(name="Synthetic"),
        protocol=protocol,
    )  # fmt: skip
    rows = []
    for setting in settings:
        result = experiment(setting, (found or {}).get(setting.label, SUBJECTS))
        rows.append(make_row(result, adapter=adapter, fingerprint=fingerprint, corpus=corpus, facts=facts))
    append(path, rows)
    return path
