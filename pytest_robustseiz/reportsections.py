"""The sections of one chapter of the report: one detector on one corpus."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from pytest_robustseiz.reportcharts import curve, phi_chart
from pytest_robustseiz.reportdata import SFREQ, Chapter, Entry
from pytest_robustseiz.reportfigures import (
    SubjectLine,
    level,
    retained_f1,
    subject_f1,
    subject_lines,
    worst_entries,
    worst_of,
    worst_subject,
    worst_subject_of,
)
from pytest_robustseiz.reportintervals import retained_interval
from pytest_robustseiz.reportonsets import onset_chart
from pytest_robustseiz.reporttables import Cell, bullets, figure, link, number, paragraph, scrolling, table, words
from pytest_robustseiz.scoring import STRATA

HEAT = {
    "event_f1": "Event F1",
    "event_sensitivity": "Event sensitivity",
    "event_precision": "Event precision",
    "event_fp_per_day": "Event FP/24h",
    "sample_f1": "Sample F1",
    "lead_mean_steps": "Mean Lead, s",
    "lag_mean_steps": "Mean Lag, s",
}
LEVELS = ("at most 2 % worse", "at most 10 %", "at most 25 %", "at most 50 %", "over 50 % worse")
CURVES = {"event_f1": "Event F1", "event_sensitivity": "Event sensitivity", "event_fp_per_day": "Event FP/24h"}


def summary(chapter: Chapter, prefix: str) -> Iterator[str]:
    """The summary number, the baseline and the worst settings."""
    first, baseline = chapter.first, chapter.baseline
    scope = (
        f"{first.text('mode')} scope: {first.text('subjects')} subjects, {first.text('recordings')} recordings, "
        f"{first.value('hours'):.2f} h, {first.text('seizures')} seizures"
    )
    yield paragraph(f"Detector {first.text('adapter')}; {scope}; {len(chapter.entries)} settings and the baseline.")
    low_high, why_not = retained_interval(chapter)
    interval = f"95 % interval {low_high[0]:.3f} to {low_high[1]:.3f}" if low_high else why_not
    values = [("Retained event F1", number(retained_f1(chapter)), interval)]
    if baseline is not None:
        values += [(HEAT[name], number(_in_unit(name, baseline)), "baseline") for name in list(HEAT)[:4]]
    boxes = "".join(
        f"<div><dt>{name}</dt><dd>{value}<small>{escape(more)}</small></dd></div>" for name, value, more in values
    )
    yield f'<dl class="sum">{boxes}</dl>'
    yield paragraph(
        "Retained event F1 is the mean over shifts of the mean over their settings of event F1 / baseline event F1: "
        "1 means that nothing was lost.",
        "soft",
    )
    worst = worst_entries(chapter)
    if worst:
        yield table("The worst settings by event F1", WORST_HEADS, [_worst_row(chapter, one, prefix) for one in worst])


WORST_HEADS = (
    "Setting",
    "Event F1",
    "Change",
    "Sensitivity",
    "Precision",
    "FP/24h",
    "Worst subject",
    "Input changed by",
)


def _worst_row(chapter: Chapter, entry: Entry, prefix: str) -> list[Cell]:
    reference = math.nan if chapter.baseline is None else chapter.baseline.value("event_f1")
    return [
        link(entry.label, f"{prefix}{entry.label}"),
        figure(entry.value("event_f1")),
        figure(entry.value("event_f1") - reference),
        figure(entry.value("event_sensitivity")),
        figure(entry.value("event_precision")),
        figure(entry.value("event_fp_per_day"), digits=1),
        words(worst_subject_of(entry) or "not known"),
        words(_change(entry)),
    ]


def _change(entry: Entry) -> str:
    return f"{entry.value('change_rms_uv'):.3g} µV RMS ({100 * entry.value('change_relative'):.3g} %)"


def heat_map(chapter: Chapter, prefix: str) -> Iterator[str]:
    """Shift by metric: the worst value over the grid."""
    metrics = dict(HEAT)
    if chapter.has_agreement:
        metrics["mcd_mean_agreement"] = "Mean phi"
    rows = [
        [link(shift, f"{prefix}shift-{shift}"), *(_heat_cell(chapter, entries, metric) for metric in metrics)]
        for shift, entries in chapter.by_shift().items()
    ]
    yield "<h3>Worst value of each shift</h3>"
    key = "".join(f'<span class="l{number}">{text}</span>' for number, text in enumerate(LEVELS))
    yield f'<p class="key soft">Shade, beside the baseline: {key}</p>'
    yield table("Worst value over the settings of each shift, and below it the change from the baseline",
                ("Shift", *metrics.values()), rows, style="heat")  # fmt: skip


def _heat_cell(chapter: Chapter, entries: Sequence[Entry], metric: str) -> Cell:
    worst = worst_of(metric, entries)
    if worst is None:
        return Cell("n/a", style="n")
    value, digits = _in_unit(metric, worst), 1 if metric.endswith(("per_day", "steps")) else 3
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
    """Curves, onset delays, agreement and the table of one shift."""
    baseline = chapter.baseline
    yield f'<section id="{prefix}shift-{shift}">'
    yield f'<h3>{escape(shift)} <span class="soft">({entries[0].family})</span></h3>'
    charts = [
        curve(title, entries, metric, math.nan if baseline is None else baseline.value(metric))
        for metric, title in CURVES.items()
    ]
    if any(not math.isnan(entry.value("mcd_mean_agreement")) for entry in entries):
        charts.append(phi_chart(entries))
    yield f'<div class="charts">{"".join(f"<figure>{chart}</figure>" for chart in charts)}</div>'
    onsets = scrolling(onset_chart(baseline, entries), f"{shift}: Lead and Lag")
    yield f'<figure class="onset">{onsets}{_ONSET_KEY}</figure>'
    yield _settings_table(chapter, shift, entries, prefix)
    yield "</section>"


_ONSET_KEY = (
    "<figcaption>Left of zero: Lead, noticed before the reference onset; right: Lag. Bar: least to largest; dot: "
    "median; strokes: detected seizures.</figcaption>"
)
SETTING_COLUMNS = {
    "event_f1": ("Event F1", 3),
    "event_sensitivity": ("Sensitivity", 3),
    "event_precision": ("Precision", 3),
    "event_fp_per_day": ("FP/24h", 1),
    "sample_f1": ("Sample F1", 3),
    "lead_mean_steps": ("Mean Lead, s", 1),
    "lead_median_steps": ("Median Lead, s", 1),
    "lag_mean_steps": ("Mean Lag, s", 1),
    "lag_median_steps": ("Median Lag, s", 1),
    "ontime_count": ("On time", 0),
    "onset_tp_count": ("Detected", 0),
}


def _settings_table(chapter: Chapter, shift: str, entries: Sequence[Entry], prefix: str) -> str:
    agreement = {f"mcd_{name}_agreement": (f"phi {name}", 4) for name in STRATA} if chapter.has_agreement else {}
    columns = SETTING_COLUMNS | agreement
    heads = ["Setting", "No.", *(head for head, _ in columns.values()), "Input change, µV RMS", "Relative change, %"]
    baseline = [("0", chapter.baseline)] if chapter.baseline else []
    numbered = [*baseline, *((str(place + 1), entry) for place, entry in enumerate(entries))]
    rows = []
    for name, entry in numbered:
        cells = [figure(_in_unit(metric, entry), digits=digits) for metric, (_, digits) in columns.items()]
        changes = [
            figure(entry.value("change_rms_uv"), digits=2),
            figure(100 * entry.value("change_relative"), digits=2),
        ]
        place = "" if entry is chapter.baseline else f' id="{escape(prefix + entry.label)}"'
        rows.append([Cell(f"<span{place}>{escape(entry.label)}</span>"), words(name, style="n"), *cells, *changes])
    return table(f"{shift}: all settings, pooled over the subjects", heads, rows)


def subjects_section(chapter: Chapter, prefix: str) -> Iterator[str]:
    """Which subjects suffer: a line for each, and event F1 of all of them under all settings."""
    lines = subject_lines(chapter)
    yield "<h3>Subjects</h3>"
    if not lines:
        yield paragraph("Scores of single subjects are not known: a registry holds pooled rows only, and the output "
                        "folders that it names have no results.csv for the baseline.")  # fmt: skip
        return
    worst = worst_subject(lines)
    if worst is not None and worst.worst is not None:
        yield paragraph(
            f"Worst subject: {worst.subject}, with a mean event F1 of {worst.mean_f1:.3f} over the settings "
            f"(baseline {worst.baseline.f1:.3f}), lowest at {worst.worst.label} ({worst.worst_f1:.3f})."
        )
    heads = ("Subject", "Seizures", "Hours", "Baseline event F1", "Mean event F1", "Lowest event F1", "At")
    rows = [_subject_row(line, prefix) for line in lines]
    yield table("Subjects over all settings; event F1 needs seizures", heads, rows)
    yield f"<details><summary>Event F1 of every subject under every setting</summary>{_matrix(chapter)}</details>"


def _subject_row(line: SubjectLine, prefix: str) -> list[Cell]:
    counts = line.baseline
    return [
        words(line.subject),
        figure(counts.reference, digits=0),
        figure(counts.duration_s / 3600, digits=2),
        figure(counts.f1 if counts.reference else math.nan),
        figure(line.mean_f1),
        figure(line.worst_f1),
        link(line.worst.label, f"{prefix}{line.worst.label}") if line.worst else words(""),
    ]


def _matrix(chapter: Chapter) -> str:
    assert chapter.baseline is not None  # noqa: S101  # the caller has subjects of the baseline
    names = list(chapter.baseline.subjects)
    rows = []
    for entry in chapter.all:
        cells = [_subject_cell(chapter.baseline, entry, name) for name in names]
        rows.append([words(entry.label), words(worst_subject_of(entry) or "none"), *cells])
    return table("Event F1 by setting and subject; shades as above, beside the subject's own baseline",
                 ("Setting", "Worst subject", *names), rows)  # fmt: skip


def _subject_cell(baseline: Entry, entry: Entry, subject: str) -> Cell:
    value = subject_f1(entry, subject)
    shade = level("event_f1", subject_f1(baseline, subject), value)
    return Cell(number(value, 2), style=f"n l{shade}" if shade > 0 else "n")


def absent_section(chapter: Chapter) -> Iterator[str]:
    """What was not done."""
    yield "<h3>What was not done, and what to know</h3>"
    yield bullets(chapter.absent) if chapter.absent else paragraph("Everything that was asked for was done.")
    if not chapter.has_agreement:
        yield paragraph(f"No agreement stage: {chapter.first.text('mcd_unavailable') or 'it was off'}.")
    if chapter.notes:
        yield bullets(chapter.notes)
