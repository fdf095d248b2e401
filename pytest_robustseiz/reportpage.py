"""The report as one HTML page that needs nothing from anywhere else."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape

from pytest_robustseiz import __version__
from pytest_robustseiz.card import corpus_name, model_card
from pytest_robustseiz.checklist import checklist
from pytest_robustseiz.documents import to_html
from pytest_robustseiz.reportdata import Chapter, Report, Verdict
from pytest_robustseiz.reportsections import absent_section, heat_map, shift_section, summary
from pytest_robustseiz.reportstyle import SCRIPT, STYLE
from pytest_robustseiz.reportsubjects import subjects_section
from pytest_robustseiz.reporttables import Cell, bullets, paragraph, table, words
from pytest_robustseiz.reporttasks import view_of

MOST_FAILURES = 50
MOST_LETTERS = 1500


def render(report: Report) -> str:
    """The page.

    Parameters
    ----------
    report : Report
        What to show.
    """
    body = "\n".join(
        [*_head(report), *(part for number in range(len(report.chapters)) for part in _chapter(report, number))]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Robustness report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n"
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _head(report: Report) -> Iterator[str]:
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield "<header><h1>Robustness report</h1>"
    yield (
        _verdict(report.verdict)
        if report.verdict
        else paragraph("No verdict: a registry holds scores, no checks.", "verdict")
    )
    yield paragraph(f"{report.source} Made {made} with pytest-robustseiz {__version__}.", "soft")
    if report.chapters:
        yield "<nav>" + "".join(_links(report, number) for number in range(len(report.chapters))) + "</nav>"
    yield "</header>"
    if report.verdict and report.verdict.failures:
        yield _failures(report.verdict)
    if not report.chapters:
        yield paragraph("No experiment is complete, so there are no scores to show.")
    if report.absent:
        yield "<h2>What was not done</h2>" + bullets(report.absent)


def _verdict(verdict: Verdict) -> str:
    style = "failed" if verdict.failures else "passed" if verdict.passed else ""
    return paragraph(verdict.sentence, f"verdict {style}".strip())


def _failures(verdict: Verdict) -> str:
    shown = verdict.failures[:MOST_FAILURES]
    items = "".join(f"<h3>{escape(one.test)}</h3><pre>{escape(one.message[:MOST_LETTERS])}</pre>" for one in shown)
    more = len(verdict.failures) - len(shown)
    rest = paragraph(f"And {more} more, which the terminal shows.") if more else ""
    opened = " open" if len(shown) <= 3 else ""
    return f"<details{opened}><summary>{_count(verdict)}, and why</summary>{items}{rest}</details>"


def _count(verdict: Verdict) -> str:
    failed = len(verdict.failures)
    return f"{failed} failed check{'s' if failed > 1 else ''}"


def _prefix(report: Report, number: int) -> str:
    """What the ids of a chapter start with."""
    return f"d{number + 1}-" if len(report.chapters) > 1 else ""


def _title(chapter: Chapter) -> str:
    first, scope = chapter.first, view_of(chapter).page.scope(chapter.first)
    return f"{first.text('adapter')} on {corpus_name(chapter)} ({scope})"


PARTS = {
    "worst-values": "Worst values", "shifts": "Shifts", "subjects": "Subjects", "eeg": "EEG of the worst cases",
    "absent": "Not done", "card": "Model card", "checklist": "Checklist", "parameters": "Parameters and versions",
}  # fmt: skip


def _links(report: Report, number: int) -> str:
    prefix = _prefix(report, number)
    head = f"<strong>{escape(_title(report.chapters[number]))}: </strong>" if prefix else ""
    links = "".join(f'<a href="#{prefix}{name}">{title}</a>' for name, title in PARTS.items())
    return f"<p>{head}{links}</p>"


def _chapter(report: Report, number: int) -> Iterator[str]:
    chapter, prefix = report.chapters[number], _prefix(report, number)
    yield (
        f'<main id="{prefix}top"><h2>{escape(_title(chapter))}</h2>'
        if number == 0
        else (f'<section id="{prefix}top"><h2>{escape(_title(chapter))}</h2>')
    )
    yield from summary(chapter, prefix)
    contents = {
        "worst-values": heat_map(chapter, prefix),
        "shifts": _shifts(chapter, prefix),
        "subjects": subjects_section(chapter, prefix),
        "eeg": _pictures(chapter),
        "absent": absent_section(chapter),
        "card": _card(report, chapter),
        "checklist": _checklist(report, chapter),
        "parameters": _parameters(chapter),
    }
    for name, parts in contents.items():
        yield f'<section id="{prefix}{name}">' + "\n".join(parts) + "</section>"
    yield "</main>" if number == 0 else "</section>"


def _shifts(chapter: Chapter, prefix: str) -> Iterator[str]:
    links = "".join(f'<a href="#{prefix}shift-{escape(shift)}">{escape(shift)}</a>' for shift in chapter.by_shift())
    yield f"<nav>{links}</nav>"
    for shift, entries in chapter.by_shift().items():
        yield from shift_section(chapter, shift, entries, prefix)


def _pictures(chapter: Chapter) -> Iterator[str]:
    yield "<h3>EEG of the worst cases</h3>"
    if not chapter.pictures:
        yield paragraph("No EEG was drawn: a registry has none.")
        return
    yield paragraph(view_of(chapter).page.pictures, "soft")
    yield from chapter.pictures


def _card(report: Report, chapter: Chapter) -> Iterator[str]:
    # Corpora of one detector share a card, as the command `robustseiz card` writes it; here each chapter has its own.
    yield "<h3>Model card</h3>" + to_html(model_card([chapter], report.facts))


def _checklist(report: Report, chapter: Chapter) -> Iterator[str]:
    yield "<h3>Reproducibility checklist</h3>" + to_html(checklist(chapter, report.facts, registry=report.registry))


def _parameters(chapter: Chapter) -> Iterator[str]:
    yield "<h3>Parameters and versions</h3>"
    rows = [[words(name), words(_all_values(chapter, name), style="wide")] for name in view_of(chapter).page.identity]
    rows += [[words(name), words(value, style="wide")] for name, value in chapter.environment.items()]
    yield table("What all experiments share", ("Field", "Value"), rows, sortable=False)
    settings = [
        [
            words(entry.label),
            words(entry.family),
            Cell(_params(entry.params), style="wide"),
            words(entry.text("shift_figures_json"), style="wide"),
        ]
        for entry in chapter.all
    ]
    yield table("Parameters of every setting, and what the shift measured of itself",
                ("Setting", "Family", "Parameters", "Measured"), settings)  # fmt: skip


def _all_values(chapter: Chapter, column: str) -> str:
    values = dict.fromkeys(entry.text(column) for entry in chapter.all if entry.text(column))
    if column == "timestamp_utc" and len(values) > 1:
        return f"{min(values)} to {max(values)}"
    return ", ".join(values) or "n/a"


def _params(params: dict[str, object]) -> str:
    return escape(
        ", ".join(f"{name}={json.dumps(value)}" for name, value in params.items() if value is not None) or "none"
    )
