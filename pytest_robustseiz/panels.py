"""The three drawings of a setting: a few seconds of some channels, a minute of one, and its spectra.

What was there before the shift is drawn once, as a definition, and shown again in every drawing.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy.signal import welch

from pytest_robustseiz.drawing import Floats, drawing, path_data, plot, round_number, rule, text, thinned
from pytest_robustseiz.stretch import Stretch

Samples = npt.NDArray[np.float32]
Points = tuple[Floats, Floats]  # along and down

COLUMNS = 600  # of two points each; four seconds at 256 Hz are drawn whole
UNITS = 200  # vertical resolution: units per row
SEGMENT_S = 40.0  # of the spectra
LOWEST_HZ = 2 / SEGMENT_S  # below the second line, Welch's window mixes the mean in
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DECADE = 100  # units per decade of power
WIDE, NARROW = 500.0, 360.0  # of the drawings
ROW, LEFT, BOTTOM = 52.0, 56.0, 20.0


class Panels:
    """Draws the settings of one stretch.

    Parameters
    ----------
    stretch : Stretch
        The EEG.
    """

    def __init__(self, stretch: Stretch) -> None:
        self.stretch = stretch
        self.row_uv = max(2.2 * _typical_excursion_uv(stretch), 1e-3)  # between two rows, unless a shift needs more
        self._spectra = [spectrum(channel, stretch.sfreq) for channel in stretch.eeg]

    def definitions(self) -> str:
        """What was there before, to be put on the page once."""
        stretch, paths = self.stretch, []
        for i, channel in enumerate(stretch.eeg):
            paths.append(_path(self._wave(i, channel, stretch.view), f"t{i}"))
            paths.append(_path(self._wave(i, channel, stretch.minute), f"m{i}"))
            paths.append(_path(_spectrum_points(self._spectra[i], stretch.sfreq), f"p{i}"))
        return f'<svg class="definitions" aria-hidden="true"><defs>{"".join(paths)}</defs></svg>'

    def traces(self, label: str, shifted: Samples, rows: Sequence[int]) -> str:
        """A few seconds of some channels.

        Parameters
        ----------
        label : str
            The setting, for the alternative text.
        shifted : ndarray, shape (n_channels, n_samples)
            What became of `stretch.eeg`.
        rows : sequence of int
            Which channels.
        """
        view = self.stretch.view
        means_uv = self.stretch.eeg[:, view].mean(axis=1)
        row_uv = self._needed_uv([(shifted[i, view] - means_uv[i]).astype(np.float64) for i in rows])
        height, width = len(rows) * ROW, WIDE - LEFT
        units = UNITS * row_uv / self.row_uv
        waves: list[str] = []
        for number, i in enumerate(rows):
            place = f'<g transform="translate(0 {(number + 0.5) * units:.5g})">'
            waves.append(f"{place}{_before(f't{i}')}{_path(self._wave(i, shifted[i], view), style='after')}</g>")
        names = [self.stretch.recording.channels[i] for i in rows]
        labels = [text(LEFT - 6, (number + 0.5) * ROW + 4, name, anchor="end") for number, name in enumerate(names)]
        begin_s, end_s = self.stretch.seconds(view)
        parts = [
            *labels,
            *_time_axis(begin_s, end_s, (LEFT, 0, width, height), self._onsets()),
            plot((LEFT, 0, width, height), (0, 0, view.stop - view.start, units * len(rows)), waves),
            *_scale_bar(row_uv, height),
        ]
        alt = f"{label}: {end_s - begin_s:g} s of {', '.join(names)}, before and after"
        return drawing(WIDE, height + BOTTOM, alt, parts)

    def minute(self, label: str, shifted: Samples, row: int) -> str:
        """Up to a minute of one channel, and of its change alone; parameters as for `traces`."""
        minute = self.stretch.minute
        begin_s, end_s = self.stretch.seconds(minute)
        before, after = (eeg[row, minute].astype(np.float64) for eeg in (self.stretch.eeg, shifted))
        change = after - before
        top, lower = (LEFT, 0.0, NARROW - LEFT, ROW), (LEFT, ROW, NARROW - LEFT, ROW)
        row_uv = self._needed_uv([before - before.mean(), after - before.mean()])
        change_uv = max(2.1 * float(np.abs(change).max()), 1e-6)
        name = self.stretch.recording.channels[row]
        waves = [_before(f"m{row}"), _path(self._wave(row, shifted[row], minute), style="after")]
        moved = thinned(np.arange(change.size, dtype=np.float64), -change / change_uv * UNITS, COLUMNS)
        parts = [
            text(LEFT - 6, 0.5 * ROW + 4, name, anchor="end"),
            text(LEFT - 6, 1.5 * ROW + 4, "change", anchor="end"),
            *_time_axis(begin_s, end_s, (LEFT, 0, NARROW - LEFT, 2 * ROW), self._onsets()),
            plot(top, _centred(before.size, UNITS * row_uv / self.row_uv), waves),
            plot(lower, _centred(change.size, UNITS), [_path(moved, style="after")]),
            *_scale_bar(row_uv, ROW, right=NARROW),
            *(_scale_bar(change_uv, 2 * ROW, right=NARROW) if np.any(change) else ()),
        ]
        alt = f"{label}: {end_s - begin_s:g} s of {name} before and after, and its change alone"
        return drawing(NARROW, 2 * ROW + BOTTOM, alt, parts)

    def spectra(self, label: str, shifted: Samples, row: int) -> str:
        """Both spectra of one channel, over the whole stretch; parameters as for `traces`."""
        before, after = self._spectra[row], spectrum(shifted[row], self.stretch.sfreq)
        bottom, top = _decades(before[1], after[1])
        box = (LEFT, 4.0, NARROW - LEFT, 150.0)
        lines = [_before(f"p{row}"), _path(_spectrum_points(after, self.stretch.sfreq), style="after")]
        name = self.stretch.recording.channels[row]
        parts = [
            *_frequency_axis(self.stretch.sfreq, box),
            *_power_axis(bottom, top, box),
            plot(box, (0, -top * DECADE, COLUMNS, (top - bottom) * DECADE), lines),
        ]
        if not np.any(after[1] > 0):
            parts.append(text(LEFT + 8, 144, "after: no power left"))
        alt = f"{label}: power spectra of {name} before and after"
        return drawing(NARROW, 4 + 150 + BOTTOM, alt, parts)

    def _wave(self, row: int, channel: Samples, span: slice) -> Points:
        # Less the mean of what was there before, so that an offset that a shift adds or takes away is seen.
        wave = channel[span].astype(np.float64) - self.stretch.eeg[row, span].mean(dtype=np.float64)
        return thinned(np.arange(wave.size, dtype=np.float64), -wave / self.row_uv * UNITS, COLUMNS)

    def _needed_uv(self, waves: Sequence[Floats]) -> float:
        """How many microvolts a row must have to hold all but the highest peaks of these waves."""
        return max(self.row_uv, 2.2 * float(np.percentile(np.abs(np.concatenate(waves)), 99.5)))

    def _onsets(self) -> list[float]:
        return [start_s for start_s, _ in self.stretch.recording.seizures]


def spectrum(channel: Samples, sfreq: float) -> Points:
    """Frequencies in Hz and power density in uV^2/Hz.

    By Welch's method, then the mean over bands of one percent of their frequency: smooth, and finer than any notch.
    """
    n_segment = min(channel.size, round(SEGMENT_S * sfreq))
    freqs_hz, power = welch(channel.astype(np.float64), sfreq, nperseg=n_segment)
    kept = freqs_hz >= LOWEST_HZ * (1 - 1e-9)
    bands = (np.log(freqs_hz[kept] / LOWEST_HZ) / 0.01).astype(np.int64)
    starts = np.flatnonzero(np.diff(bands, prepend=-1))
    counts = np.diff(starts, append=bands.size)
    return np.add.reduceat(freqs_hz[kept], starts) / counts, np.add.reduceat(power[kept], starts) / counts


def _typical_excursion_uv(stretch: Stretch) -> float:
    waves = stretch.eeg[:, stretch.view]
    heights = np.percentile(np.abs(waves - waves.mean(axis=1, keepdims=True)), 99, axis=1)
    return float(np.median(heights[heights > 0])) if np.any(heights > 0) else 1.0


def _spectrum_points(found: Points, sfreq: float) -> Points:
    freqs_hz, power = found
    positive = power > 0
    x = COLUMNS * _place(freqs_hz[positive], sfreq)
    return thinned(x, -DECADE * np.log10(power[positive]), COLUMNS)


def _place(freq_hz: Floats, sfreq: float) -> Floats:
    place: Floats = np.log10(freq_hz / LOWEST_HZ) / math.log10(sfreq / 2 / LOWEST_HZ)
    return place


def _decades(before: Floats, after: Floats) -> tuple[int, int]:
    """Range of a power axis: down to a hundredth of what was there, over nine decades at most."""
    powers = np.concatenate([before[before > 0], after[after > 0]])
    if not powers.size:
        return -2, 2
    top = math.ceil(np.log10(powers.max()))
    least = before[before > 0].min() if np.any(before > 0) else powers.min()
    return max(math.floor(np.log10(least)) - 2, top - 9), top


def _path(points: Points, name: str = "", style: str = "") -> str:
    attributes = (f' id="{name}"' if name else "") + (f' class="{style}"' if style else "")
    return f'<path{attributes} d="{path_data(*points)}" vector-effect="non-scaling-stroke"/>'


def _centred(width: float, height: float) -> tuple[float, float, float, float]:
    return 0, -height / 2, width, height


def _before(name: str) -> str:
    return f'<use class="before" href="#{name}"/>'


def _time_axis(
    begin_s: float, end_s: float, box: tuple[float, float, float, float], onsets: Iterable[float]
) -> Iterator[str]:
    left, top, width, height = box
    step_s = round_number((end_s - begin_s) / 3)
    for number in range(math.ceil(begin_s / step_s), math.floor(end_s / step_s) + 1):
        x = left + width * (number * step_s - begin_s) / (end_s - begin_s)
        yield rule(x, top, x, top + height, "grid")
        anchor = "end" if x > left + 0.92 * width else "middle"
        yield text(x, top + height + 15, f"{number * step_s:g} s", anchor=anchor)
    for onset_s in onsets:
        if begin_s < onset_s < end_s:
            x = left + width * (onset_s - begin_s) / (end_s - begin_s)
            yield rule(x, top, x, top + height, "onset")


def _scale_bar(row_uv: float, height: float, right: float = WIDE) -> Iterator[str]:
    """A bar at the right lower end that says how much a row is."""
    bar_uv = round_number(row_uv)
    length = ROW * bar_uv / row_uv
    yield rule(right - 3, height - 4 - length, right - 3, height - 4, "bar")
    yield f'<g class="label">{text(right - 8, height - 8, f"{bar_uv:g} µV", anchor="end")}</g>'


def _frequency_axis(sfreq: float, box: tuple[float, float, float, float]) -> Iterator[str]:
    left, top, width, height = box
    for freq_hz in (0.1, 1.0, 10.0, 50.0, 60.0, 100.0):
        x = left + width * float(_place(np.array(freq_hz), sfreq))
        yield rule(x, top, x, top + height, "grid")
        if freq_hz not in (60.0, 100.0):
            yield text(x, top + height + 15, f"{freq_hz:g} Hz", anchor="middle")


def _power_axis(bottom: int, top: int, box: tuple[float, float, float, float]) -> Iterator[str]:
    left, start, _, height = box
    for decade in range(bottom, top + 1, 1 if top - bottom < 5 else 2):
        y = start + height * (top - decade) / (top - bottom)
        yield rule(left, y, NARROW, y, "grid")
        yield text(left - 6, y + 4, "10" + str(decade).translate(SUPERSCRIPT), anchor="end")
