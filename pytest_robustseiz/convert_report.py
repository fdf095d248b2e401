"""What a conversion came to, for people and as a table."""

import csv
import io
import re
from collections.abc import Sequence

from pytest_robustseiz.convert_job import Done
from pytest_robustseiz.convert_plan import LeftOut, counted
from pytest_robustseiz.convert_run import Outcome

TEXT, TABLE = "conversion_report.txt", "conversion_report.tsv"
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
COLUMNS: tuple[str, ...] = ("source", "state", "target", "hours", "seizures", "missing", "notes", "reason", "fix")


def as_text(outcome: Outcome, heading: str) -> str:
    """Report for people: counts, errors, what was left out, what there is to know, what our own check says."""
    new = sum(done.is_new for done in outcome.done)
    hours, seizures = sum(done.duration_s for done in outcome.done) / 3600, sum(done.seizures for done in outcome.done)
    step_uv = max((done.step_uv for done in outcome.done), default=0.0)
    lines = [
        heading,
        f"converted: {counted(new, 'recording')} now, {len(outcome.done) - new} before; {hours:.2f} h, "
        f"{counted(seizures, 'seizure')} in all",
        f"not converted: {counted(len(outcome.errors), 'error')}",
        *(f"  error: {left.name}: {left.reason}\n    fix: {left.fix}" for left in outcome.errors),
        *(f"left out: {left.name}: {left.reason} ({left.fix})" for left in outcome.left_out if not left.is_error),
        *_notes(outcome.done),
        f"samples are rounded to 16 bits: by {step_uv / 2:.2g} uV at most",
        *_check(outcome),
    ]
    return "\n".join(lines) + "\n"


def _notes(done: Sequence[Done]) -> list[str]:
    """One note of each kind; those that differ in figures only are of one. The table has them all."""
    kinds: dict[str, list[str]] = {}
    for one in done:
        for note in one.notes:
            kinds.setdefault(_FIGURE.sub("#", note), []).append(f"{one.name}: {note}")
    found = sorted(kinds.values(), key=len, reverse=True)
    return [f"note: {notes[0]}{f' (and {len(notes) - 1} more like it)' if notes[1:] else ''}" for notes in found]


def _check(outcome: Outcome) -> list[str]:
    check = outcome.check
    lines = [
        f"check of the result: {counted(check.subjects, 'subject')}, {counted(check.recordings, 'recording')} could be "
        f"read, {check.hours:.2f} h, {counted(check.seizures, 'seizure')}, {counted(len(check.problems), 'problem')}"
    ]
    return lines + [f"  problem: {line}" for line in check.problems] + [f"  note: {line}" for line in check.notes]


def as_table(outcome: Outcome) -> str:
    """One row for each file of the source, tab-separated."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, restval="", delimiter="\t", lineterminator="\n")
    writer.writeheader()
    rows = [*map(_done_row, outcome.done), *map(_left_out_row, outcome.left_out)]
    writer.writerows(sorted(rows, key=lambda row: row["source"]))
    return text.getvalue()


def _done_row(done: Done) -> dict[str, str]:
    return {
        "source": done.name,
        "state": "converted" if done.is_new else "converted before",
        "target": done.target,
        "hours": f"{done.duration_s / 3600:.6f}",
        "seizures": str(done.seizures),
        "missing": ",".join(done.missing),
        "notes": "; ".join(done.notes),
    }


def _left_out_row(left: LeftOut) -> dict[str, str]:
    state = "error" if left.is_error else "left out"
    return {"source": left.name, "state": state, "reason": left.reason, "fix": left.fix}
