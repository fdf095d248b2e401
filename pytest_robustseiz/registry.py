"""The registry: one CSV row per experiment per run, appended and never edited."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from pytest_robustseiz import __version__
from pytest_robustseiz.intervals import Figure, figure_interval
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.scoring import STRATA, SZCORE, subject_means
from pytest_robustseiz.store import write_atomically

_STATISTICS = ("mean", "median", "p90", "min", "max")
_LEVEL = ("sensitivity", "precision", "f1", "fp_per_day")
_AGREEMENT = (*(f"mcd_{name}_agreement" for name in STRATA), "mcd_file_count")

_OWN_AGREEMENT = (
    *(f"mcd_{name}_files" for name in STRATA[1:]), "mcd_disagreement", "mcd_entropy_bits", "mcd_calibration_error",
)  # fmt: skip

# Of these a row has the 95 % interval over subjects; its cells are empty where none can be given.
_WITH_INTERVAL: tuple[Figure, ...] = ("f1", "sensitivity", "fp_per_day")

COLUMNS: tuple[str, ...] = (
    "timestamp_utc", "experiment_name", "category", "shift", "data_dir", "output_dir", "params_json",
    *(f"{level}_{name}" for level in ("sample", "event") for name in _LEVEL),
    *(f"{side}_{name}_steps" for side in ("lead", "lag") for name in _STATISTICS),
    "ontime_count", "onset_tp_count",
    *_AGREEMENT,
    # Beyond the published columns.
    "mode", "subjects", "recordings", "hours", "seizures",
    "adapter", "adapter_fingerprint", "corpus_fingerprint", "seed", "T", "tau", "scoring_preset",
    *_OWN_AGREEMENT, "mcd_unavailable",
    "change_rms_uv", "change_relative", "change_share", "shift_figures_json", "attack_outcome_json",
    *(f"{level}_{name}" for level in ("sample", "event") for name in ("tp", "fp", "reference")),
    *(f"subject_mean_{name}" for name in ("sample_f1", *(f"event_{name}" for name in _LEVEL))),
    "package_version", "timescoring_version",
    *(f"event_{name}_ci_{end}" for name in _WITH_INTERVAL for end in ("low", "high")),
)  # fmt: skip


class RegistryError(ValueError):
    """A registry cannot be appended to."""


@dataclass(frozen=True)
class RunFacts:
    """What all rows of a run share.

    Attributes
    ----------
    timestamp : datetime
        End of the run, UTC.
    data_dir, output_dir : str
        Folders.
    mode : str
        "full" or "subset".
    seed : int
        Of the random shifts.
    """

    timestamp: datetime
    data_dir: str
    output_dir: str
    mode: str
    seed: int


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
    setting, scores = experiment.setting, experiment.scores
    recordings = [recording for case in experiment.cases for recording in case.recordings]
    row: dict[str, object] = {
        "timestamp_utc": facts.timestamp.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "experiment_name": setting.label,
        "category": setting.family,
        "shift": setting.shift,
        "data_dir": facts.data_dir,
        "output_dir": facts.output_dir,
        "params_json": setting.params_json,
        **scores.metrics(),
        "mode": facts.mode,
        "subjects": len(experiment.cases),
        "recordings": len(recordings),
        "hours": scores.event.duration_s / 3600,
        "seizures": scores.seizures,
        "adapter": adapter,
        "adapter_fingerprint": fingerprint,
        "corpus_fingerprint": corpus,
        "seed": facts.seed,
        "scoring_preset": SZCORE.name,
        "change_rms_uv": scores.change.rms_uv,
        "change_relative": scores.change.relative,
        "change_share": scores.change.share_changed,
        "shift_figures_json": json.dumps(experiment.figures(), sort_keys=True),
        "attack_outcome_json": json.dumps(scores.outcome.figures(), sort_keys=True) if scores.outcome else None,
        "package_version": __version__,
        "timescoring_version": version("timescoring"),
    }
    row |= _counts(experiment) | _subject_means(experiment) | _agreement(experiment)
    return row | _intervals(experiment, facts.seed)


def _agreement(experiment: ExperimentResult) -> dict[str, object]:
    """T and tau, or the reason why the stage did not run; its cells are empty then."""
    recordings = [recording for case in experiment.cases for recording in case.recordings]
    stage = next((recording.agreement for recording in recordings if recording.agreement is not None), None)
    if stage is not None:
        return {"T": stage.passes, "tau": stage.tau, "mcd_unavailable": None}
    reason = next((recording.no_agreement for recording in recordings if recording.no_agreement), None)
    cells: dict[str, object] = {"mcd_unavailable": reason}
    cells.update(dict.fromkeys((*_AGREEMENT, *_OWN_AGREEMENT, "T", "tau")))
    return cells


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


def _intervals(experiment: ExperimentResult, seed: int) -> dict[str, object]:
    cells: dict[str, object] = {}
    counts = {case.subject: case.scores.event for case in experiment.cases}
    for name in _WITH_INTERVAL:
        found = figure_interval(counts, name, seed=seed)
        cells[f"event_{name}_ci_low"] = None if found.reason else found.low
        cells[f"event_{name}_ci_high"] = None if found.reason else found.high
    return cells


def check_registry(path: Path) -> None:
    """Check that rows can be appended to a registry.

    Raises
    ------
    RegistryError
        When the file has other columns, or does not end with a whole row.
    """
    if path.is_file() and path.stat().st_size:
        _check_text(path, path.read_text(encoding="utf-8"))


def append(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Append rows under a lock: all of them or none.

    Parameters
    ----------
    path : Path
        Made with a header when it is missing or empty.
    rows : sequence of mapping
        By column.

    Raises
    ------
    RegistryError
        As `check_registry`.
    """
    path = path.resolve()  # a link stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.name}.lock")):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text:
            _check_text(path, text)
        # Rewritten and renamed, so that a crash in the middle leaves the old file.
        write_atomically(path, (text or _lines([COLUMNS])) + _lines([_cells(row) for row in rows]))


def as_cells(row: Mapping[str, object]) -> dict[str, str]:
    """A row as it is written, by column.

    Raises
    ------
    RegistryError
        When its columns are not those of the registry.
    """
    return dict(zip(COLUMNS, _cells(row), strict=True))


def _check_text(path: Path, text: str) -> None:
    header = next(csv.reader(io.StringIO(text, newline="")))
    if tuple(header) != COLUMNS:
        lacking = [name for name in COLUMNS if name not in header]
        extra = [name for name in header if name not in COLUMNS]
        raise RegistryError(
            f"{path} is not a registry of this version (missing columns: {', '.join(lacking) or 'none'}; "
            f"unknown: {', '.join(extra) or 'none'}; or another order); name another file with --robustseiz-registry"
        )
    if not text.endswith("\n"):
        raise RegistryError(f"{path} ends in the middle of a row; repair or move it, or name another file")


def _cells(row: Mapping[str, object]) -> list[str]:
    unknown = set(row) ^ set(COLUMNS)
    if unknown:
        raise RegistryError(f"a row and the registry's columns differ in {', '.join(sorted(unknown))}")
    return [_cell(row[name]) for name in COLUMNS]


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
