"""EEG of the worst cases: before and after the shift, with the events of the reference and of the detector."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.case import generator
from pytest_robustseiz.drawing import drawing, path_data, plot, round_number, rule, text, thinned
from pytest_robustseiz.gallery import shown_rows
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.reportchanges import change_of_interest, changed_windows, warnings_of
from pytest_robustseiz.reporttables import scrolling
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import SZCORE, Interval
from pytest_robustseiz.shifts import Attack, Shift, registered

Samples = npt.NDArray[np.float32]
Span = tuple[float, float]
Reader = Callable[[RecordingResult, str], Recording]

MOST = 3
SHOWN_S, BEFORE_S = 12.0, 3.0  # how much EEG is drawn, and how much of it lies before the event
LEFT, WIDTH, ROW, STRIP = 66.0, 640.0, 50.0, 18.0
COLUMNS = 700
NAMES = ("reference", "before", "after")


@dataclass(frozen=True)
class Case:
    """What one picture shows.

    Attributes
    ----------
    before, after : RecordingResult
        One recording under the baseline and under the setting.
    subject : str
        Folder name.
    setting : SettingInfo
        The setting.
    """

    before: RecordingResult
    after: RecordingResult
    subject: str
    setting: SettingInfo


def worst_cases(baseline: ExperimentResult, experiments: Sequence[ExperimentResult]) -> list[Case]:
    """The worst setting of each of the worst shifts, and the recording that loses most events there.

    Attacks are left out: what they add depends on the detector's gradient, which is gone when the run is over.
    """
    shifts = registered()
    losses: dict[str, tuple[float, ExperimentResult]] = {}
    for experiment in experiments:
        shift, loss = experiment.setting.shift, _headline(baseline) - _headline(experiment)
        known = shifts.get(shift)
        if known is not None and not issubclass(known, Attack) and loss > losses.get(shift, (0.0, None))[0]:
            losses[shift] = (loss, experiment)
    worst = sorted(losses.values(), key=lambda pair: -pair[0])[:MOST]
    return [case for _, experiment in worst if (case := _worst_case(baseline, experiment)) is not None]


def _headline(experiment: ExperimentResult) -> float:
    return experiment.scores.metrics()[experiment.scores.task.headline]


def _worst_case(baseline: ExperimentResult, experiment: ExperimentResult) -> Case | None:
    pairs = [
        (_lost(one, other), Case(one, other, after.subject, experiment.setting))
        for before, after in zip(baseline.cases, experiment.cases, strict=True)
        for one, other in _recordings(before, after)
    ]
    lost, case = max(pairs, key=lambda pair: pair[0])
    return case if lost > 0 else None


def _recordings(before: CaseResult, after: CaseResult) -> Iterator[tuple[RecordingResult, RecordingResult]]:
    yield from zip(before.recordings, after.recordings, strict=True)


def _lost(before: RecordingResult, after: RecordingResult) -> int:
    """Events that were right under the baseline and are not any more; of a predictor, windows with another class."""
    if before.predicted:
        return changed_windows(before.predicted, after.predicted)
    return max(before.event.tp - after.event.tp, 0) + max(after.event.fp - before.event.fp, 0)


def event_of_interest(
    reference: Sequence[Interval], before: Sequence[Interval], after: Sequence[Interval]
) -> tuple[Span, str]:
    """The event that shows what went wrong, and a sentence about it.

    A seizure that only the baseline found; else a false alarm that only the setting raised; else the first seizure.
    Found means what it means in scoring: any overlap, from 30 s before to 60 s after.
    """
    for event in reference:
        window = (event[0] - SZCORE.tolerance_start_s, event[1] + SZCORE.tolerance_end_s)
        if _overlaps(window, before) and not _overlaps(window, after):
            return event, f"a seizure at {event[0]:.0f} s that was found before the shift and is missed after it"
    for event in after:
        if not (_overlaps(event, before) or _overlaps(event, reference)):
            return event, f"a false alarm at {event[0]:.0f} s that was not raised before the shift"
    [event, *_] = [*reference, *after, *before, (0.0, SHOWN_S)]
    return event, f"the event at {event[0]:.0f} s"


def _overlaps(span: Span, others: Sequence[Interval]) -> bool:
    return any(start < span[1] and stop > span[0] for start, stop in others)


def picture(case: Case, read: Reader, seed: int) -> str:
    """Read the recording, apply the shift once more and draw both.

    Parameters
    ----------
    case : Case
        What to show.
    read : callable
        Reads a recording.
    seed : int
        Of the run, so that random shifts do what they did in it.

    Raises
    ------
    ValueError, OSError
        When the corpus is not there any more, or has changed.
    """
    recording = read(case.after, case.subject)
    setting = _setting(case)
    rng = generator(seed, recording, setting)
    shifted = setting.apply(recording.eeg, recording.sfreq, rng, channels=recording.channels)
    event, sentence = _of_interest(recording, case)
    start_s = max(min(event[0] - BEFORE_S, recording.duration_s - SHOWN_S), 0.0)
    span = slice(round(start_s * recording.sfreq), round((start_s + SHOWN_S) * recording.sfreq))
    heading = f"<h4>{escape(case.setting.label)}: {escape(case.subject)}</h4>"
    shown = "seizures, and warnings (preictal or ictal)" if case.after.predicted else "events"
    caption = (
        f"{recording.stem}: {sentence}. Wide and grey: before; thin and coloured: after. Below: {shown} in the piece "
        "shown, and in the whole recording, where a frame marks the piece."
    )
    alt = f"{case.setting.label}, {recording.stem}: EEG before and after, and events; {sentence}"
    parts = [*_traces(recording, shifted, span), *_strips(recording, case, start_s, ROW * 5 + 24)]
    image = scrolling(drawing(LEFT + WIDTH + 8, ROW * 5 + 24 + 7 * STRIP + 30, alt, parts), alt)
    return f'<figure class="eeg">{heading}{image}<figcaption>{escape(caption)}</figcaption></figure>'


def _of_interest(recording: Recording, case: Case) -> tuple[Span, str]:
    if case.after.predicted:
        return change_of_interest(case.before.predicted, case.after.predicted)
    return event_of_interest(recording.seizures, case.before.hypothesis, case.after.hypothesis)


def _marked(result: RecordingResult) -> Sequence[Interval]:
    """What the strips show of a result."""
    return warnings_of(result.predicted) if result.predicted else result.hypothesis


def _setting(case: Case) -> Shift:
    shift = registered()[case.setting.shift]
    params = {name: tuple(value) if isinstance(value, list) else value for name, value in case.setting.params.items()}
    return shift(**params)


def _traces(recording: Recording, shifted: Samples, span: slice) -> Iterator[str]:
    before, after = recording.eeg[:, span].astype(np.float64), shifted[:, span].astype(np.float64)
    changed = [i for i in range(len(before)) if not np.array_equal(before[i], after[i])]
    rows = shown_rows(recording, changed)
    means = before.mean(axis=1, keepdims=True)
    row_uv = max(
        2.2
        * float(np.percentile(np.abs(np.concatenate([before[rows] - means[rows], after[rows] - means[rows]])), 99.5)),
        1e-3,
    )
    for number, i in enumerate(rows):
        yield text(LEFT - 6, ROW * (number + 0.5) + 4, recording.channels[i], anchor="end")
        paths = [_wave(wave[i] - means[i], row_uv, style) for wave, style in ((before, "before"), (after, "after"))]
        yield plot((LEFT, ROW * number, WIDTH, ROW), (0, -100, before.shape[1], 200), paths)
    start_s = span.start / recording.sfreq
    for tick_s in range(int(np.ceil(start_s)), int(start_s + SHOWN_S) + 1, 3):
        x = LEFT + WIDTH * (tick_s - start_s) / SHOWN_S
        anchor = "end" if x > LEFT + 0.97 * WIDTH else "middle"
        yield rule(x, 0, x, ROW * len(rows), "grid") + text(x, ROW * len(rows) + 15, f"{tick_s} s", anchor=anchor)
    bar_uv = round_number(row_uv)
    yield rule(LEFT + WIDTH + 3, 4, LEFT + WIDTH + 3, 4 + ROW * bar_uv / row_uv, "bar")
    yield f'<g class="label">{text(LEFT + WIDTH - 2, 14, f"{bar_uv:g} µV", anchor="end")}</g>'


def _wave(wave: npt.NDArray[np.float64], row_uv: float, style: str) -> str:
    points = thinned(np.arange(wave.size, dtype=np.float64), -wave / row_uv * 200, COLUMNS)
    return f'<path class="{style}" d="{path_data(*points)}" vector-effect="non-scaling-stroke"/>'


def _strips(recording: Recording, case: Case, start_s: float, top: float) -> Iterator[str]:
    tracks = (recording.seizures, _marked(case.before), _marked(case.after))
    whole = (0.0, recording.duration_s)
    for block, (first_s, last_s) in enumerate(((start_s, start_s + SHOWN_S), whole)):
        base = top + block * (3 * STRIP + 12)
        for number, events in enumerate(tracks):
            y = base + STRIP * number
            yield text(LEFT - 6, y + 13, NAMES[number], anchor="end")
            yield rule(LEFT, y + STRIP, LEFT + WIDTH, y + STRIP, "grid")
            yield from _bars(events, (first_s, last_s), y + 4, number)
    y, scale = top + 3 * STRIP + 12, WIDTH / recording.duration_s
    yield _rectangle("here", LEFT + start_s * scale, y, max(SHOWN_S * scale, 3), 3 * STRIP)
    yield text(LEFT, y + 3 * STRIP + 15, "0 s")
    yield text(LEFT + WIDTH, y + 3 * STRIP + 15, f"{recording.duration_s:.0f} s", anchor="end")


def _bars(events: Sequence[Interval], span: Span, y: float, number: int) -> Iterator[str]:
    first_s, last_s = span
    for start_s, stop_s in events:
        low, high = max(start_s, first_s), min(stop_s, last_s)
        if low < high:
            x, width = (WIDTH * length / (last_s - first_s) for length in (low - first_s, high - low))
            yield _rectangle(f"event{number}", LEFT + x, y, max(width, 1.5), STRIP - 7)


def _rectangle(style: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
