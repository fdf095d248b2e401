"""A short summary in Markdown, as GitHub shows it for a job."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_robustseiz.documents import escaped, markdown_table
from pytest_robustseiz.reportdata import Chapter, Entry, Report
from pytest_robustseiz.reportfigures import retained_f1, worst_entries
from pytest_robustseiz.reporttables import number

HEADS = ("Setting", "Event F1", "Change", "Sensitivity", "Precision", "FP/24h")
MOST_LINES = 20


def append_summary(path: Path, report: Report) -> None:
    """Append the summary of a run to a file.

    Parameters
    ----------
    path : Path
        Made when it is missing; its folder is too.
    report : Report
        Of the run.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(_lines(report)) + "\n")


def _lines(report: Report) -> Iterator[str]:
    yield f"## Robustness: {report.verdict.sentence}\n" if report.verdict else "## Robustness\n"
    for chapter in report.chapters:
        yield from _chapter(chapter)
    failures = report.verdict.failures if report.verdict else ()
    if failures:
        lines = [f"{failure.test}: {failure.message}" for failure in failures]
        yield from ("\n<details><summary>Failed checks</summary>\n", *_shortened(lines), "\n</details>")
    absent = report.absent or (report.chapters[0].absent if report.chapters else ())
    if absent:
        yield from ("\n<details><summary>What was not done</summary>\n", *_shortened(absent), "\n</details>")


def _chapter(chapter: Chapter) -> Iterator[str]:
    first, reference = chapter.first, chapter.baseline
    yield (
        f"\n**{escaped(first.text('adapter'))}**: {first.text('mode')}, {first.text('subjects')} subjects, "
        f"{first.value('hours'):.2f} h, {first.text('seizures')} seizures, {len(chapter.entries)} settings; "
        f"retained event F1 {number(retained_f1(chapter))}\n"
    )
    f1 = math.nan if reference is None else reference.value("event_f1")
    shown = [*([reference] if reference else []), *worst_entries(chapter)]
    yield markdown_table(HEADS, (_cells(entry, f1) for entry in shown)).rstrip("\n")


def _cells(entry: Entry, reference: float) -> list[str]:
    f1 = entry.value("event_f1")
    figures = [number(entry.value(f"event_{name}")) for name in ("sensitivity", "precision")]
    return [entry.label, number(f1), number(f1 - reference), *figures, number(entry.value("event_fp_per_day"), 1)]


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"- {escaped(line)}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"- and {len(lines) - MOST_LINES} more"
