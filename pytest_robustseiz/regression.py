"""The regression gate: a run against the rows that an earlier one left in a registry."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_robustseiz.figuretexts import number
from pytest_robustseiz.gates import SLACK
from pytest_robustseiz.registry import RegistryError, columns_of
from pytest_robustseiz.registryfile import SCOPE, StoredRow, read_registry
from pytest_robustseiz.tasks import DETECTION, TASKS, Task

# The sign of a change for the worse. Of Lead and of agreement neither direction is worse as such.
DIRECTIONS: dict[str, int] = {
    name: sign
    for task in TASKS.values()
    for names, sign in ((task.less_is_worse, -1), (task.more_is_worse, 1))
    for name in names
}
IDENTITY = ("adapter", "params_json", *SCOPE)


@dataclass(frozen=True)
class Comparison:
    """What the gate compares with.

    Attributes
    ----------
    path : Path
        Registry of the earlier run.
    rows : tuple of StoredRow
        Its rows, the latest last.
    limits : dict of str to float
        By column, how much worse a setting may be.
    anyway : bool
        Whether to compare rows that are not about the same.
    """

    path: Path
    rows: tuple[StoredRow, ...]
    limits: dict[str, float]
    anyway: bool


@dataclass
class Outcome:
    """What came of a comparison: lines for the summary, and whether the run fails."""

    lines: list[str] = field(default_factory=list)
    failed: bool = False


def parse_limits(text: str, task: Task = DETECTION) -> dict[str, float]:
    """Read limits such as "event_f1:0.02,event_fp_per_day:2".

    Raises
    ------
    ValueError
        When the task has no such metric, one is given twice, or a limit is not a finite number of at least 0.
    """
    limits: dict[str, float] = {}
    known = [column for column in columns_of(task) if column in DIRECTIONS]
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        if name not in known:
            of = f"of the {task.name} task: " if name in DIRECTIONS else ""
            raise ValueError(f"unknown metric {of}{name!r}; write METRIC:LIMIT,... with {', '.join(known)}")
        if name in limits:
            raise ValueError(f"{name} is given twice")
        limits[name] = _limit(name, value)
    return limits


def _limit(name: str, text: str) -> float:
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not 0 <= limit < math.inf:
        raise ValueError(f"the limit of {name} must be a finite number of at least 0, got {text!r}")
    return limit


def load_comparison(path: Path, limits: dict[str, float], *, anyway: bool) -> Comparison:
    """Read the earlier run's rows, before the run begins.

    Raises
    ------
    RegistryError
        When the file is not a registry with these metrics.
    """
    rows = read_registry(path, ("timestamp_utc", "experiment_name", *IDENTITY, *limits))
    for row in rows:
        for name in limits:
            row.number(name)
    return Comparison(path, tuple(sorted(rows, key=lambda row: row["timestamp_utc"])), limits, anyway)


def compare(comparison: Comparison, rows: Sequence[Mapping[str, str]]) -> Outcome:
    """Compare a run's rows with the latest stored rows of the same detector, setting, scope and corpus.

    Parameters
    ----------
    comparison : Comparison
        The earlier run.
    rows : sequence of mapping of str to str
        Cells of the run's rows, by column.

    Returns
    -------
    Outcome
        Failed when a metric got worse by more than its limit (equality passes; what was a number and is none any more
        is worse), when a row differs from the stored ones in what `IDENTITY` names, or when nothing was compared.
    """
    outcome = Outcome()
    worse: list[str] = []
    missing: list[str] = []
    differing: dict[str, list[str]] = {}
    compared = 0
    for row in rows:
        stored, differences = _counterpart(comparison.rows, row)
        if stored is None:
            missing.append(row["experiment_name"])
            continue
        if differences:
            differing.setdefault("; ".join(differences), []).append(row["experiment_name"])
        if not differences or comparison.anyway:
            compared += 1
            worse += _regressions(stored, row, comparison.limits)
    limits = ", ".join(f"{name}:{limit:g}" for name, limit in comparison.limits.items())
    outcome.lines.append(f"regression gate: {compared} of {len(rows)} rows compared with {comparison.path} ({limits})")
    outcome.lines += [f"  {line}" for line in worse]
    if missing:
        outcome.lines.append(f"  not in {comparison.path.name}, so not compared: {', '.join(missing)}")
    outcome.lines += [_difference_line(what, names, anyway=comparison.anyway) for what, names in differing.items()]
    if not compared:
        outcome.lines.append("  nothing was compared, so the gate fails")
    outcome.failed = bool(worse) or not compared or (bool(differing) and not comparison.anyway)
    return outcome


def _counterpart(stored: Sequence[StoredRow], row: Mapping[str, str]) -> tuple[StoredRow | None, list[str]]:
    """The latest stored row of those that differ least, and in what it differs."""
    found: StoredRow | None = None
    least: list[str] = []
    for candidate in stored:
        if candidate["experiment_name"] == row["experiment_name"]:
            differences = [
                f"{name} stored {candidate[name]!r}, now {row[name]!r}"
                for name in IDENTITY
                if candidate[name] != row[name]
            ]
            if found is None or len(differences) <= len(least):
                found, least = candidate, differences
    return found, least


def _regressions(stored: StoredRow, row: Mapping[str, str], limits: Mapping[str, float]) -> list[str]:
    lines = []
    for name, limit in limits.items():
        before, after = stored.number(name), float(row[name] or "nan")
        change = DIRECTIONS[name] * (after - before)
        lost = math.isnan(after) and not math.isnan(before)
        if change > limit + SLACK or lost:
            lines.append(
                f"{row['experiment_name']} of {row['adapter']}: {name} stored {number(before)}, now {number(after)}, "
                f"worse by {number(change)}, limit {limit:g}"
            )
    return lines


def _difference_line(what: str, names: Sequence[str], *, anyway: bool) -> str:
    which = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    if anyway:
        return f"  compared though they differ: {which}: {what}"
    return (
        f"  REFUSED: {which}: {what}; compare with a run of the same detector, settings, scope and corpus, "
        "or give --robustseiz-compare-anyway"
    )


def check_options(path: Path | None, limits: str, *, anyway: bool, task: Task = DETECTION) -> Comparison | None:
    """What the options of a run of a task ask for; None where they ask for no comparison.

    Raises
    ------
    ValueError
        When one of them is missing or wrong; the message names it.
    """
    if path is None:
        given = [name for name, on in (("max-regression", limits), ("compare-anyway", anyway)) if on]
        if given:
            raise ValueError(f"--robustseiz-{given[0]}: needs --robustseiz-compare=FILE")
        return None
    if not limits:
        raise ValueError(f"--robustseiz-compare: needs --robustseiz-max-regression, such as {task.headline}:0.02")
    try:
        parsed = parse_limits(limits, task)
    except ValueError as error:
        raise ValueError(f"--robustseiz-max-regression: {error}") from error
    try:
        return load_comparison(path, parsed, anyway=anyway)
    except RegistryError as error:
        raise ValueError(f"--robustseiz-compare: {error}") from error
