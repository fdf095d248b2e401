"""The registry: one CSV row per experiment per run, appended and never edited."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from pytest_robustseiz.intervals import Figure
from pytest_robustseiz.paired import counts_by_subject
from pytest_robustseiz.predictionrow import PREDICTION_COLUMNS, prediction_row
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.rowcells import (
    AGREEMENT,
    CORPUS_COLUMNS,
    HEAD,
    OWN_AGREEMENT,
    RunFacts,
    corpus_cells,
    interval_cells,
    shared_cells,
)
from pytest_robustseiz.scoring import SZCORE, subject_means
from pytest_robustseiz.store import write_atomically
from pytest_robustseiz.tasks import DETECTION, PREDICTION, Task

__all__ = [
    "COLUMNS",
    "CORPUS_COLUMNS",
    "PREDICTION_COLUMNS",
    "RegistryError",
    "RunFacts",
    "append",
    "as_cells",
    "check_registry",
    "columns_of",
    "corpus_cells",
    "make_row",
    "task_of_header",
]

_STATISTICS = ("mean", "median", "p90", "min", "max")
_LEVEL = ("sensitivity", "precision", "f1", "fp_per_day")
# Of these a row has the 95 % interval over subjects; its cells are empty where none can be given.
_WITH_INTERVAL: dict[str, Figure] = {f"event_{name}": name for name in ("f1", "sensitivity", "fp_per_day")}

COLUMNS: tuple[str, ...] = (
    *HEAD,
    *(f"{level}_{name}" for level in ("sample", "event") for name in _LEVEL),
    *(f"{side}_{name}_steps" for side in ("lead", "lag") for name in _STATISTICS),
    "ontime_count", "onset_tp_count",
    *AGREEMENT,
    # Beyond the published columns.
    "mode", "subjects", "recordings", "hours", "seizures",
    "adapter", "adapter_fingerprint", "corpus_fingerprint", "seed", "T", "tau", "scoring_preset",
    *OWN_AGREEMENT, "mcd_unavailable",
    "change_rms_uv", "change_relative", "change_share", "shift_figures_json", "attack_outcome_json",
    *(f"{level}_{name}" for level in ("sample", "event") for name in ("tp", "fp", "reference")),
    *(f"subject_mean_{name}" for name in ("sample_f1", *(f"event_{name}" for name in _LEVEL))),
    "package_version", "timescoring_version",
    *(f"{name}_ci_{end}" for name in _WITH_INTERVAL for end in ("low", "high")),
    *CORPUS_COLUMNS, "training_subjects", "reading_json",
)  # fmt: skip


class RegistryError(ValueError):
    """A registry cannot be appended to."""


def make_row(
    experiment: ExperimentResult, *, adapter: str, fingerprint: str, corpus: str, facts: RunFacts
) -> dict[str, object]:
    """One row by column.

    Parameters
    ----------
    experiment : ExperimentResult
        Complete over the scope.
    adapter, fingerprint : str
        The detector.
    corpus : str
        Fingerprint of the recordings and their events.
    facts : RunFacts
        Of the run.
    """
    counts = experiment.scores.prediction
    if counts is not None:
        return prediction_row(experiment, counts, adapter=adapter, fingerprint=fingerprint, corpus=corpus, facts=facts)
    row = shared_cells(experiment, adapter=adapter, fingerprint=fingerprint, corpus=corpus, facts=facts)
    row |= {"scoring_preset": SZCORE.name, "timescoring_version": version("timescoring")}
    row |= _counts(experiment) | _subject_means(experiment)
    return row | interval_cells(counts_by_subject(experiment), _WITH_INTERVAL, seed=facts.seed)


def _counts(experiment: ExperimentResult) -> dict[str, object]:
    scores = experiment.scores
    return {
        f"{level}_{name}": getattr(counts, name)
        for level, counts in (("sample", scores.sample), ("event", scores.event))
        for name in ("tp", "fp", "reference")
    }


def _subject_means(experiment: ExperimentResult) -> dict[str, object]:
    event = subject_means({case.subject: case.scores.event for case in experiment.cases})
    sample = subject_means({case.subject: case.scores.sample for case in experiment.cases})
    means: dict[str, object] = {f"subject_mean_event_{name}": event[name].mean for name in _LEVEL}
    return means | {"subject_mean_sample_f1": sample["f1"].mean}


def columns_of(task: Task) -> tuple[str, ...]:
    """Columns of a task's registry, in order."""
    return PREDICTION_COLUMNS if task is PREDICTION else COLUMNS


def task_of_header(header: Iterable[str]) -> Task:
    """The task whose registry has such columns."""
    return PREDICTION if PREDICTION.headline in header else DETECTION


def check_registry(path: Path, task: Task = DETECTION) -> None:
    """Check that rows of a task can be appended to a registry.

    Raises
    ------
    RegistryError
        When the file has other columns, or does not end with a whole row.
    """
    if path.is_file() and path.stat().st_size:
        _check_text(path, path.read_text(encoding="utf-8"), task)


def append(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Append rows under a lock: all of them or none.

    Parameters
    ----------
    path : Path
        Made with a header when it is missing or empty.
    rows : sequence of mapping
        By column; all of one task.

    Raises
    ------
    RegistryError
        As `check_registry`.
    """
    if not rows:
        return
    path = path.resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    task = task_of_header(rows[0])
    with FileLock(path.with_name(f".{path.name}.lock")):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text:
            _check_text(path, text, task)
        lines = _lines([list(as_cells(row).values()) for row in rows])
        # Rewritten and renamed, so that a crash in the middle leaves the old file.
        write_atomically(path, (text or _lines([columns_of(task)])) + lines)


def as_cells(row: Mapping[str, object]) -> dict[str, str]:
    """A row as it is written, by column.

    Raises
    ------
    RegistryError
        When its columns are not those of its task's registry.
    """
    columns = columns_of(task_of_header(row))
    unknown = set(row) ^ set(columns)
    if unknown:
        raise RegistryError(f"a row and the registry's columns differ in {', '.join(sorted(unknown))}")
    return {name: _cell(row[name]) for name in columns}


def _check_text(path: Path, text: str, task: Task) -> None:
    header, columns = next(csv.reader(io.StringIO(text, newline=""))), columns_of(task)
    if tuple(header) != columns:
        lacking = [name for name in columns if name not in header]
        extra = [name for name in header if name not in columns]
        raise RegistryError(
            f"{path} is not a registry of this version for the {task.name} task (missing columns: "
            f"{', '.join(lacking) or 'none'}; unknown: {', '.join(extra) or 'none'}; or another order); "
            "name another file with --robustseiz-registry"
        )
    if not text.endswith("\n"):
        raise RegistryError(f"{path} ends in the middle of a row; repair or move it, or name another file")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(float(value))
    return str(value)


def _lines(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
