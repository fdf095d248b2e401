"""Counts of each subject of a registry's row, from the score files of its run."""

import csv
from pathlib import Path

from pytest_robustseiz.registryfile import StoredRow

COUNTS = ("event_tp", "event_fp", "event_reference", "duration_s")


class SubjectCountsError(ValueError):
    """The counts of a row's subjects cannot be had; the message says why."""


def subject_table(row: StoredRow) -> dict[str, tuple[float, float, float, float]]:
    """Event counts of each subject.

    Parameters
    ----------
    row : StoredRow
        Its `output_dir` holds <category>/<experiment>/results.csv.

    Returns
    -------
    dict of str to (float, float, float, float)
        True positives, false positives, reference events, seconds; in order of subject.

    Raises
    ------
    SubjectCountsError
        When the file is not there or not what a run writes, or when it does not add up to the row, since a later run
        wrote over it.
    """
    path = Path(row["output_dir"]) / row["category"] / row["experiment_name"] / "results.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line["recording"] == "all" and line["subject"] != "all"]
        table = {line["subject"]: _counts(line) for line in lines}
    except OSError as error:
        raise SubjectCountsError(f"{path}: {error.strerror or error}") from error
    except (KeyError, ValueError, TypeError) as error:
        raise SubjectCountsError(f"{path} is not a table of scores: {error}") from error
    for position, name in enumerate(COUNTS[:3]):
        if sum(counts[position] for counts in table.values()) != row.number(name):
            raise SubjectCountsError(f"{path} does not add up to {name} of the row: it is of another run")
    return dict(sorted(table.items()))


def _counts(line: dict[str, str]) -> tuple[float, float, float, float]:
    tp, fp, reference, duration_s = (float(line[name]) for name in COUNTS)
    return tp, fp, reference, duration_s
