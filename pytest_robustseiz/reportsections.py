"""The sections of one chapter of the report: one detector on one corpus."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from pytest_robustseiz.figuretexts import number
from pytest_robustseiz.reportcharts import curve, phi_chart
from pytest_robustseiz.reportdata import SFREQ, Chapter, Entry
from pytest_robustseiz.reportfigures import level, retained_headline, worst_entries, worst_of, worst_subject_of
from pytest_robustseiz.reportintervals import retained_interval
from pytest_robustseiz.reporttables import Cell, bullets, figure, link, paragraph, table, words
from pytest_robustseiz.reporttasks import view_of
from pytest_robustseiz.reportview import Column
from pytest_robustseiz.scoring import STRATA

LEVELS = ("at most 2 % worse", "at most 10 %", "at most 25 %", "at most 50 %", "over 50 % worse")


def summary(chapter: Chapter, prefix: str) -> Iterator[str]:
    """The summary number, the baseline and the worst settings."""
    first, view = chapter.first, view_of(chapter)
    scope = (
        f"{first.text('mode')} scope: {first.text('subjects')} subjects, {first.text('recordings')} recordings, "
        f"{first.value('hours'):.2f} h, {first.text('seizures')} seizures"
    )
    yield paragraph(f"{view.noun} {first.text('adapter')}; {scope}; {len(chapter.entries)} settings and the baseline.")
    for statement in view.page.statements(chapter):
        yield paragraph(statement.text, "warns" if statement.warns else "")
    yield f'<dl class="sum">{"".join(_boxes(chapter))}</dl>'
    yield paragraph(view.page.meaning(chapter), "soft")
    worst = worst_entries(chapter)
    if worst:
        heads = ("Setting", view.headline.title, "Change", *(column.title for column in view.page.worst.values()),
                 *view.page.flags.values(), "Worst subject", "Input changed by")  # fmt: skip
        rows = [_worst_row(chapter, one, prefix) for one in worst]
        yield table(f"The worst settings by {view.task.title}", heads, rows)


def _boxes(chapter: Chapter) -> Iterator[str]:
    view, baseline = view_of(chapter), chapter.baseline
    low_high, why_not = retained_interval(chapter)
    interval = f"95 % interval {low_high[0]:.3f} to {low_high[1]:.3f}" if low_high else why_not
    values = [(f"Retained {view.task.title}", number(retained_headline(chapter)), interval)]
    if baseline is not None:
        values += [
            (column.title, number(_in_unit(name, baseline), column.digits), "baseline")
            for name, column in view.page.boxes.items()
        ]
    for name, value, more in values:
        yield f"<div><dt>{name}</dt><dd>{value}<small>{escape(more)}</small></dd></div>"


def _worst_row(chapter: Chapter, entry: Entry, prefix: str) -> list[Cell]:
    view = view_of(chapter)
    value = entry.value(view.task.headline)
    reference = math.nan if chapter.baseline is None else chapter.baseline.value(view.task.headline)
    return [
        link(entry.label, f"{prefix}{entry.label}"),
        figure(value),
        figure(value - reference),
        *(_cell(name, column, entry) for name, column in view.page.worst.items()),
        *(_flag(name, entry) for name in view.page.flags),
        words(worst_subject_of(entry) or "not known"),
        words(_change(entry)),
    ]


def _cell(metric: str, column: Column, entry: Entry) -> Cell:
    return figure(_in_unit(metric, entry), digits=column.digits)


def _flag(column: str, entry: Entry) -> Cell:
    return words(entry.text(column) or "no")


def _change(entry: Entry) -> str:
    return f"{entry.value('change_rms_uv'):.3g} µV RMS ({100 * entry.value('change_relative'):.3g} %)"


def heat_map(chapter: Chapter, prefix: str) -> Iterator[str]:
    """Shift by metric: the worst value over the grid."""
    page = view_of(chapter).page
    metrics = dict(page.heat)
    if chapter.has_agreement:
        metrics["mcd_mean_agreement"] = Column("Mean phi")
    rows = [
        [
            link(shift, f"{prefix}shift-{shift}"),
            *(_heat_cell(chapter, entries, metric, column.digits) for metric, column in metrics.items()),
            *(words(f"{sum(bool(entry.text(flag)) for entry in entries)} of {len(entries)}") for flag in page.flags),
        ]
        for shift, entries in chapter.by_shift().items()
    ]
    yield "<h3>Worst value of each shift</h3>"
    key = "".join(f'<span class="l{number}">{text}</span>' for number, text in enumerate(LEVELS))
    yield f'<p class="key soft">Shade, beside the baseline: {key}</p>'
    heads = ("Shift", *(column.title for column in metrics.values()), *page.flags.values())
    yield table("Worst value over the settings of each shift, and below it the change from the baseline",
                heads, rows, style="heat")  # fmt: skip


def _heat_cell(chapter: Chapter, entries: Sequence[Entry], metric: str, digits: int) -> Cell:
    worst = worst_of(metric, entries)
    if worst is None:
        return Cell("n/a", style="n")
    value = _in_unit(metric, worst)
    if chapter.baseline is None:
        return figure(value, digits=digits)
    reference = chapter.baseline.value(metric)
    # Phi is no better high than low, so it has no shade.
    shade = -1 if metric.startswith("mcd") else level(metric, reference, worst.value(metric))
    style = f"n l{shade}" if shade > 0 else "n"
    signed = _signed(value - _in_unit(metric, chapter.baseline), digits)
    undefined = sum(math.isnan(entry.value(metric)) for entry in entries)
    if undefined:
        signed += f"; n/a in {undefined}"
    return Cell(f"{number(value, digits)}<small>{signed}</small>", number(value, 6), style, f"at {worst.label}")


def _signed(value: float, digits: int) -> str:
    text = number(value, digits)
    if text.strip("-0.") == "":
        return "±0"
    return text if text.startswith(("-", "n")) else f"+{text}"


def _in_unit(metric: str, entry: Entry) -> float:
    value = entry.value(metric)
    return value / SFREQ if metric.endswith("_steps") else value


def shift_section(chapter: Chapter, shift: str, entries: Sequence[Entry], prefix: str) -> Iterator[str]:
    """Curves, when events were noticed, agreement and the table of one shift."""
    baseline, page = chapter.baseline, view_of(chapter).page
    yield f'<section id="{prefix}shift-{shift}">'
    yield f'<h3>{escape(shift)} <span class="soft">({entries[0].family})</span></h3>'
    charts = [
        curve(title, entries, metric, math.nan if baseline is None else baseline.value(metric),
              levels=page.levels(metric, chapter))
        for metric, title in page.curves.items()
    ]  # fmt: skip
    if any(not math.isnan(entry.value("mcd_mean_agreement")) for entry in entries):
        charts.append(phi_chart(entries))
    yield f'<div class="charts">{"".join(f"<figure>{chart}</figure>" for chart in charts)}</div>'
    yield page.timing(shift, baseline, entries)
    yield _settings_table(chapter, shift, entries, prefix)
    yield "</section>"


def _settings_table(chapter: Chapter, shift: str, entries: Sequence[Entry], prefix: str) -> str:
    page = view_of(chapter).page
    agreement = {f"mcd_{name}_agreement": Column(f"phi {name}", 4) for name in STRATA} if chapter.has_agreement else {}
    columns = {**page.settings, **agreement}
    heads = ["Setting", "No.", *page.flags.values(), *(column.title for column in columns.values()),
             "Input change, µV RMS", "Relative change, %"]  # fmt: skip
    baseline = [("0", chapter.baseline)] if chapter.baseline else []
    numbered = [*baseline, *((str(place + 1), entry) for place, entry in enumerate(entries))]
    rows = []
    for name, entry in numbered:
        cells = [_flag(flag, entry) for flag in page.flags]
        cells += [_cell(metric, column, entry) for metric, column in columns.items()]
        changes = [
            figure(entry.value("change_rms_uv"), digits=2),
            figure(100 * entry.value("change_relative"), digits=2),
        ]
        place = "" if entry is chapter.baseline else f' id="{escape(prefix + entry.label)}"'
        rows.append([Cell(f"<span{place}>{escape(entry.label)}</span>"), words(name, style="n"), *cells, *changes])
    return table(f"{shift}: all settings, pooled over the subjects", heads, rows)


def absent_section(chapter: Chapter) -> Iterator[str]:
    """What was not done."""
    yield "<h3>What was not done, and what to know</h3>"
    yield bullets(chapter.absent) if chapter.absent else paragraph("Everything that was asked for was done.")
    if not chapter.has_agreement:
        yield paragraph(f"No agreement stage: {chapter.first.text('mcd_unavailable') or 'it was off'}.")
    if chapter.notes:
        yield bullets(chapter.notes)
