"""What is wrong with a registry, a line for each problem."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from pytest_robustseiz.registry import COLUMNS, RegistryError, check_registry
from pytest_robustseiz.registryfile import StoredRow, read_registry

_LEVELS = ("sample", "event")
_RATIOS = ("sensitivity", "precision", "f1")
_ENDS = ("ci_low", "ci_high")
# An empty cell says that a stage was off, or that there is no such figure.
MAY_BE_EMPTY = frozenset(
    {name for name in COLUMNS if name.startswith("mcd_") or name.endswith(_ENDS)}
    | {"T", "tau", "attack_outcome_json", "adapter_fingerprint"}
)
_TEXT = frozenset(
    {"experiment_name", "category", "shift", "data_dir", "output_dir", "adapter", "adapter_fingerprint"}
    | {"corpus_fingerprint", "scoring_preset", "mcd_unavailable", "package_version", "timescoring_version"}
)
_SHARES = frozenset(
    {name for name in COLUMNS if name.removesuffix("_ci_low").removesuffix("_ci_high").endswith(_RATIOS)}
    | {name for name in COLUMNS if name.endswith("_agreement")}
    | {"tau", "change_share", "mcd_disagreement", "mcd_entropy_bits", "mcd_calibration_error"}
)
_WHOLE = frozenset(
    {f"{level}_{name}" for level in _LEVELS for name in ("tp", "fp", "reference")}
    | {name for name in COLUMNS if name.endswith("_files")}
    | {"ontime_count", "onset_tp_count", "mcd_file_count", "subjects", "recordings", "seizures", "seed", "T"}
)
_CLOSE = 1e-9


def registry_problems(path: Path, *, grid: Sequence[str] = ()) -> list[str]:
    """Check columns, types, ranges and agreement of figures with counts; on request, completeness.

    Parameters
    ----------
    path : Path
        The registry.
    grid : sequence of str
        Settings that every detector should have in every scope; none are asked for by default.

    Returns
    -------
    list of str
        One line per problem, in order of rows.
    """
    try:
        check_registry(path)
        rows = read_registry(path, COLUMNS)
    except RegistryError as error:
        return [str(error)]
    problems = [f"{path}, line {row.line}: {problem}" for row in rows for problem in _row_problems(row)]
    return problems + [f"{path}: {problem}" for problem in _missing(rows, grid)]


def _row_problems(row: StoredRow) -> list[str]:
    found = [problem for name in COLUMNS for problem in _cell_problem(name, row[name])]
    return found or list(_contradictions(row))  # what is no number cannot be compared


def _cell_problem(name: str, text: str) -> Iterator[str]:
    if not text:
        if name not in MAY_BE_EMPTY:
            yield f"{name} is empty"
        return
    expected, check = _rule(name)
    if not check(text):
        yield f"{name} must be {expected}, got {text!r}"


def _rule(name: str) -> tuple[str, Callable[[str], bool]]:
    if name == "timestamp_utc":
        return "a time such as 2026-01-02T03:04:05Z", _is_time
    if name == "mode":
        return "full or subset", ("full", "subset").__contains__
    if name.endswith("_json"):
        return "a JSON object", _is_object
    if name in _TEXT:
        return "text", bool
    if name in _WHOLE:
        return "a whole number of at least 0", lambda text: text.isascii() and text.isdecimal()
    if name in _SHARES:
        return "a number from 0 to 1, or nan", lambda text: _is_number(text, most=1.0)
    return "a number of at least 0, or nan", lambda text: _is_number(text, most=math.inf)


def _is_time(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return False
    return text.endswith("Z")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except json.JSONDecodeError:
        return False


def _is_number(text: str, *, most: float) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isnan(value) or (0 <= value <= most + _CLOSE and math.isfinite(value))


def _contradictions(row: StoredRow) -> Iterator[str]:
    """Figures that do not follow from the row's own counts."""
    for level in _LEVELS:
        tp, fp, reference = (row.number(f"{level}_{name}") for name in ("tp", "fp", "reference"))
        if tp > reference:
            yield f"{level}_tp is {tp:g}, more than the {reference:g} of {level}_reference"
            continue
        expected = {
            "sensitivity": _ratio(tp, reference),
            "precision": _ratio(tp, tp + fp),
            "f1": _ratio(2 * tp, tp + fp + reference),
            "fp_per_day": _ratio(fp, row.number("hours") / 24),
        }
        for name, value in expected.items():
            stored = row.number(f"{level}_{name}")
            if not _alike(stored, value):
                yield f"{level}_{name} is {stored:g}, but the row's counts give {value:g}"
    for name in ("event_f1", "event_sensitivity", "event_fp_per_day"):
        low, high = (row.number(f"{name}_{end}") for end in _ENDS)
        if low > high:
            yield f"{name}_ci_low is {low:g}, above {name}_ci_high {high:g}"


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _alike(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _missing(rows: Sequence[StoredRow], grid: Sequence[str], *, most: int = 10) -> Iterator[str]:
    """Settings of the grid that a detector lacks in a scope."""
    groups: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        groups.setdefault((row["adapter"], *row.scope), set()).add(row["experiment_name"])
    for (adapter, mode, subjects, *_), have in groups.items():
        lacking = [label for label in grid if label not in have]
        if lacking:
            more = f" and {len(lacking) - most} more" if len(lacking) > most else ""
            yield (
                f"{adapter!r} lacks {len(lacking)} of {len(grid)} settings in mode {mode} with {subjects} subjects: "
                f"{', '.join(lacking[:most])}{more}"
            )
