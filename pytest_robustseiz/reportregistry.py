"""A report from a registry, as far as its rows and the output folders that they name allow."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_robustseiz.collector import in_grid_order
from pytest_robustseiz.registry import task_of_header
from pytest_robustseiz.reportdata import BASELINE, Chapter, Entry, Report
from pytest_robustseiz.reporttasks import view_of_header
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.shifts import paper_grid
from pytest_robustseiz.subjectcounts import SubjectCountsError, predicted_subjects
from pytest_robustseiz.taskrows import read_task_rows, require_columns
from pytest_robustseiz.tasks import PREDICTION

Row = dict[str, str]
# Rows that agree in these belong together; of several rows of one setting the last counts.
IDENTITY = ("adapter", "adapter_fingerprint", "data_dir", "corpus_fingerprint", "mode", "seed", "package_version")
NEEDED = ("experiment_name", "category", "shift", "params_json", "output_dir", "hours", *IDENTITY)


def read_rows(path: Path) -> list[Row]:
    """Read a registry, of this version or another that has the columns that reports need.

    Raises
    ------
    RegistryError
        As `read_task_rows` and `require_columns`.
    """
    rows, view = read_task_rows(path, NEEDED)
    require_columns(path, rows[0], view.needed, view)
    return [row.cells for row in rows]


def registry_report(path: Path, *, facts: Mapping[str, Mapping[str, object]]) -> Report:
    """Everything that can be shown of a registry.

    Raises
    ------
    RegistryError
        As `read_rows`.
    """
    return Report(
        source=f"From the registry {path}.",
        verdict=None,
        chapters=tuple(chapters_of(read_rows(path), path.parent)),
        registry=str(path),
        facts=facts,
    )


def chapters_of(rows: Sequence[Row], folder: Path) -> list[Chapter]:
    """One chapter for each detector, corpus, mode, seed and protocol, in the order of their last rows, newest first.

    Parameters
    ----------
    rows : sequence of dict
        Of a registry.
    folder : Path
        What relative output folders are relative to.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        key = tuple(row[name] for name in (*IDENTITY, *view_of_header(row).group))
        groups[key] = [*groups.pop(key, []), row]
    return [_chapter(group, folder) for group in reversed(groups.values())]


def _chapter(rows: Sequence[Row], folder: Path) -> Chapter:
    latest = {row["experiment_name"]: row for row in rows}
    entries = {label: _entry(latest[label], folder) for label in in_grid_order(latest)}
    baseline = entries.pop(BASELINE, None)
    return Chapter(baseline, tuple(entries.values()), absent=tuple(_absent(rows, latest, baseline, entries)))


def _absent(
    rows: Sequence[Row], latest: Mapping[str, Row], baseline: Entry | None, entries: Mapping[str, Entry]
) -> list[str]:
    lines = ["A registry does not say which experiments were incomplete or not applicable: they have no row."]
    if baseline is None:
        lines.append("There is no row of the baseline, so nothing can be compared with it.")
    missing = [setting.label for setting in paper_grid() if setting.label not in latest]
    if missing:
        lines.append(f"{len(missing)} settings of the default grid have no row: {', '.join(missing[:10])}" + (
            f" and {len(missing) - 10} more" if len(missing) > 10 else ""))  # fmt: skip
    if len(rows) > len(latest):
        lines.append(f"{len(rows) - len(latest)} rows are older than another row of the same setting, and not shown.")
    without = sum(not entry.subjects for entry in entries.values())
    if without:
        lines.append(f"{without} settings {view_of_header(rows[0]).no_subjects}")
    reasons = dict.fromkeys(row.get("mcd_unavailable", "") for row in latest.values())
    lines += [f"Agreement was not available: {reason}" for reason in reasons if reason]
    return [*lines, "EEG is not drawn from a registry; a run with --robustseiz-report draws it."]


def _entry(row: Row, folder: Path) -> Entry:
    return _predicted(row) if task_of_header(row) is PREDICTION else _detected(row, folder)


def _predicted(row: Row) -> Entry:
    try:
        return Entry(row, predicted_subjects(row))
    except SubjectCountsError:
        return Entry(row)


def _detected(row: Row, folder: Path) -> Entry:
    output = folder / row["output_dir"] / row["category"] / row["experiment_name"]
    try:
        subjects = _subjects(output / "results.csv")
        # Of another run that has written to the same folder since.
        if sum(counts.tp for counts in subjects.values()) != int(row["event_tp"]):
            return Entry(row)
        return Entry(row, subjects, _delays(output / "onset.csv"))
    except (OSError, KeyError, ValueError):
        return Entry(row)


def _subjects(path: Path) -> dict[str, Counts]:
    with path.open(newline="", encoding="utf-8") as file:
        return {
            row["subject"]: Counts(
                int(row["event_tp"]), int(row["event_fp"]), int(row["event_reference"]), float(row["duration_s"])
            )
            for row in csv.DictReader(file)
            if row["recording"] == "all" and row["subject"] != "all"
        }


def _delays(path: Path) -> tuple[int, ...]:
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(int(row["delay_samples"]) for row in csv.DictReader(file))
