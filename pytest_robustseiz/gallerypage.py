"""The gallery as one HTML page that needs nothing from anywhere else."""

import html
from collections.abc import Iterable, Iterator

from pytest_robustseiz import __version__
from pytest_robustseiz.drawing import rule
from pytest_robustseiz.gallery import Gallery, Picture
from pytest_robustseiz.shifts import Shift
from pytest_robustseiz.shifttexts import definition, given_params, models, parameter_lines

STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --soft: #5a6470; --line: #d9dee4; --old: #b4bcc6;
  --new: #b3261e; --mark: #0b63c5; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --ink: #e6e9ed; --soft: #a2acb8; --line: #333a42;
  --old: #5d6874; --new: #ff8a7a; --mark: #7db7ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--mark); }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 3rem 0 0.5rem; padding-top: 0.5rem; border-top: 2px solid var(--line); font-size: 1.35rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
p { max-width: 60rem; margin: 0.4rem 0; }
.soft { color: var(--soft); }
nav a { display: inline-block; margin: 0 0.9rem 0.3rem 0; }
pre { overflow-x: auto; color: var(--soft); font-size: 0.85rem; white-space: pre-wrap; }
figure { margin: 1.2rem 0; padding-top: 0.8rem; border-top: 1px solid var(--line); break-inside: avoid; }
.panels { display: grid; grid-template-columns: 3fr 2fr; gap: 0.5rem 1rem; align-items: start; margin-top: 0.4rem; }
.drawing { display: block; width: 100%; height: auto; }
.drawing text { font-size: 12px; fill: var(--soft); }
.drawing .label text { fill: var(--ink); stroke: var(--page); stroke-width: 4px; paint-order: stroke; }
.definitions { position: absolute; width: 0; height: 0; }
path { fill: none; stroke-linejoin: round; }
.before { stroke: var(--old); stroke-width: 3px; }
.after { stroke: var(--new); stroke-width: 1px; }
.grid { stroke: var(--line); stroke-width: 1px; }
.onset { stroke: var(--mark); stroke-width: 2px; stroke-dasharray: 6 4; }
.bar { stroke: var(--ink); stroke-width: 2px; }
.legend { display: inline-block; width: 2.2rem; height: 0.8rem; vertical-align: middle; }
dl { display: flex; flex-wrap: wrap; gap: 0.1rem 1.4rem; margin: 0.3rem 0 0; font-size: 0.9rem; }
dl div { display: flex; gap: 0.4rem; }
dt { color: var(--soft); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.nothing { font-weight: 600; }
@media (max-width: 42rem) { .panels { grid-template-columns: 1fr; } .panels > .drawing text { font-size: 15px; } }
@media print { body { max-width: none; } nav, details { display: none; } h2 { break-after: avoid; } }
"""
ATTACKS = "Attacks are not shown: they follow the gradient of a detector, and here is none."
ROUNDING = 1e-6  # of the signal: what single precision does on the way


def render(gallery: Gallery, *, about: str = "") -> str:
    """The page.

    Parameters
    ----------
    gallery : Gallery
        What to show.
    about : str
        A sentence about the EEG, for the top of the page.
    """
    by_shift: dict[type[Shift], list[Picture]] = {}  # a grid may come back to a shift
    for picture in gallery.pictures:
        by_shift.setdefault(type(picture.setting), []).append(picture)
    sections = [_section(shift, pictures) for shift, pictures in by_shift.items()]
    body = [*_head(gallery, about), gallery.definitions, *sections, *map(_without_meaning, gallery.not_applicable)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Gallery of shifts</title>\n<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n"
        "</body>\n</html>\n"
    )


def _head(gallery: Gallery, about: str) -> Iterator[str]:
    stretch, recording = gallery.stretch, gallery.stretch.recording
    begin_s, end_s = stretch.seconds(slice(0, stretch.eeg.shape[1]))
    view_s, minute_s = (end - begin for begin, end in (stretch.seconds(stretch.view), stretch.seconds(stretch.minute)))
    yield "<header><h1>Gallery of shifts</h1>" + _paragraph(about)
    yield _paragraph(
        f"{recording.stem}, {begin_s:g} to {end_s:g} s: {len(recording.channels)} channels, {recording.montage}, "
        f"at {recording.sfreq:g} Hz. Seed {gallery.seed}; pytest-robustseiz {__version__}."
    )
    yield _paragraph(
        f"Each setting acts on all of this stretch, and its figures are those of the stretch. Drawn are {view_s:g} s "
        f"of some channels; of one of them, its power spectra in µV²/Hz and {minute_s:g} s."
    )
    yield _legend()
    yield "".join(_paragraph(f"About this recording: {note}.", "soft") for note in recording.notes)
    yield _paragraph(ATTACKS + (f" {gallery.attacks} settings were left out." if gallery.attacks else ""), "soft")
    names = dict.fromkeys(picture.setting.name for picture in gallery.pictures)
    yield "<nav>" + "".join(f'<a href="#shift-{name}">{name}</a>' for name in names) + "</nav></header>"


def _legend() -> str:
    lines = {"before": "before: wide, grey", "after": "after: thin, red", "onset": "seizure onset: dashed, upright"}
    keys = (
        f'<svg class="legend" viewBox="0 0 36 12" aria-hidden="true">{rule(0, 6, 36, 6, style)}</svg> {words}'
        for style, words in lines.items()
    )
    return f"<p>{' &nbsp; '.join(keys)}</p>"


def _section(shift: type[Shift], pictures: Iterable[Picture]) -> str:
    parameters = html.escape("\n".join(parameter_lines(shift)))
    details = f"<details><summary>Parameters</summary><pre>{parameters}</pre></details>" if parameters else ""
    return "\n".join(
        [
            f'<section id="shift-{shift.name}"><h2>{shift.name} <span class="soft">({shift.family})</span></h2>',
            _paragraph(models(shift)),
            *(_paragraph(paragraph, "soft") for paragraph in definition(shift)),
            details,
            *map(_figure, pictures),
            "</section>",
        ]
    )


def _figure(picture: Picture) -> str:
    setting = picture.setting
    rows = "".join(f"<div><dt>{html.escape(name)}</dt><dd>{value}</dd></div>" for name, value in _figures(picture))
    return (
        f'<figure id="{setting.label}"><figcaption><h3>{setting.label}</h3>'
        f'<p class="soft">{html.escape(given_params(setting))}</p>{_nothing(picture)}<dl>{rows}</dl></figcaption>'
        f'<div class="panels">{picture.traces}<div>{picture.spectra}{picture.minute}</div></div></figure>'
    )


def _figures(picture: Picture) -> Iterator[tuple[str, str]]:
    change = picture.change
    yield "changed channels", str(picture.changed_channels)
    yield "RMS of the change", f"{change.rms_uv:.3g} µV"
    yield "relative to the signal", f"{100 * change.relative:.3g} %"
    yield "share of samples changed", f"{100 * change.share_changed:.3g} %"
    for name, value in picture.figures.items():
        yield name, f"{value:.0f}" if value.is_integer() else f"{value:.4g}"


def _nothing(picture: Picture) -> str:
    if not picture.change.changed:
        return '<p class="nothing">This setting changed nothing.</p>'
    if picture.change.relative < ROUNDING:
        return '<p class="nothing">This setting changed nothing but rounding.</p>'
    return ""


def _without_meaning(left_out: tuple[Shift, str]) -> str:
    setting, reason = left_out
    return f"<section><h2>{setting.label}</h2>{_paragraph(f'Not applicable: {reason}.')}</section>"


def _paragraph(words: str, style: str = "") -> str:
    return f"<p{f' class={style!r}' if style else ''}>{html.escape(words)}</p>" if words else ""
