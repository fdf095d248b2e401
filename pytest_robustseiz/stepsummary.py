"""A short summary in Markdown, as GitHub shows it for a job."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_robustseiz.documents import escaped, markdown_table
from pytest_robustseiz.figuretexts import number
from pytest_robustseiz.reportdata import Chapter, Entry, Report
from pytest_robustseiz.reportfigures import retained_headline, worst_entries
from pytest_robustseiz.reporttasks import view_of
from pytest_robustseiz.reportview import View

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
    first, reference, view = chapter.first, chapter.baseline, view_of(chapter)
    yield (
        f"\n**{escaped(first.text('adapter'))}**: {first.text('mode')}, {first.text('subjects')} subjects, "
        f"{first.value('hours'):.2f} h, {first.text('seizures')} seizures, {len(chapter.entries)} settings; "
        f"retained {view.task.title} {number(retained_headline(chapter))}\n"
    )
    for statement in view.page.statements(chapter):
        text = escaped(statement.text)
        yield f"{f'**{text}**' if statement.warns else text}\n"
    headline = math.nan if reference is None else reference.value(view.task.headline)
    shown = [*([reference] if reference else []), *worst_entries(chapter)]
    heads = ("Setting", view.headline.title, "Change", *(column.title for column in view.page.worst.values()))
    yield markdown_table(heads, (_cells(view, entry, headline) for entry in shown)).rstrip("\n")


def _cells(view: View, entry: Entry, reference: float) -> list[str]:
    value = entry.value(view.task.headline)
    figures = [number(entry.value(name), column.digits) for name, column in view.page.worst.items()]
    return [entry.label, number(value), number(value - reference), *figures]


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"- {escaped(line)}" for line in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"- and {len(lines) - MOST_LINES} more"
