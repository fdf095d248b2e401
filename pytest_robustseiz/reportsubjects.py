"""The section on subjects of one chapter of the report."""

from collections.abc import Iterator

from pytest_robustseiz.figuretexts import number
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.reportfigures import (
    SubjectLine,
    level,
    subject_headline,
    subject_lines,
    worst_subject,
    worst_subject_of,
)
from pytest_robustseiz.reporttables import Cell, figure, link, paragraph, table, words
from pytest_robustseiz.reporttasks import view_of


def subjects_section(chapter: Chapter, prefix: str) -> Iterator[str]:
    """Which subjects suffer: a line for each, and the headline of all of them under all settings."""
    view, lines = view_of(chapter), subject_lines(chapter)
    title = view.task.title
    yield "<h3>Subjects</h3>"
    if not lines:
        yield paragraph(view.page.no_subjects)
        return
    worst = worst_subject(lines)
    if worst is not None and worst.worst is not None:
        yield paragraph(
            f"Worst subject: {worst.subject}, with a mean {title} of {worst.mean:.3f} over the settings "
            f"(baseline {worst.baseline:.3f}), lowest at {worst.worst.label} ({worst.lowest:.3f})."
        )
    yield from view.page.over_subjects(chapter)
    heads = ("Subject", "Seizures", "Hours", f"Baseline {title}", f"Mean {title}", f"Lowest {title}", "At")
    rows = [_subject_row(line, prefix) for line in lines]
    yield table(f"Subjects over all settings; {view.page.subjects_need}", heads, rows)
    heading = f"{view.headline.title} of every subject under every setting"
    yield f"<details><summary>{heading}</summary>{_matrix(chapter, chapter.baseline)}</details>"


def _subject_row(line: SubjectLine, prefix: str) -> list[Cell]:
    return [
        words(line.subject),
        figure(line.seizures, digits=0),
        figure(line.hours, digits=2),
        figure(line.baseline),
        figure(line.mean),
        figure(line.lowest),
        link(line.worst.label, f"{prefix}{line.worst.label}") if line.worst else words(""),
    ]


def _matrix(chapter: Chapter, baseline: Entry | None) -> str:
    view, names = view_of(chapter), list(baseline.subjects) if baseline else []
    rows = []
    for entry in chapter.all:
        cells = [_subject_cell(view.task.headline, baseline, entry, name) for name in names]
        rows.append([words(entry.label), words(worst_subject_of(entry) or "none"), *cells])
    return table(f"{view.headline.title} by setting and subject; shades as above, beside the subject's own baseline",
                 ("Setting", "Worst subject", *names), rows)  # fmt: skip


def _subject_cell(metric: str, baseline: Entry | None, entry: Entry, subject: str) -> Cell:
    value = subject_headline(entry, subject)
    shade = -1 if baseline is None else level(metric, subject_headline(baseline, subject), value)
    return Cell(number(value, 2), style=f"n l{shade}" if shade > 0 else "n")
