"""The gallery: what each setting does to a piece of EEG, before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.case import generator
from pytest_robustseiz.change import InputChange, measure_change, signal_energy
from pytest_robustseiz.panels import Panels
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.shifts import Attack, Baseline, NotApplicable, Shift
from pytest_robustseiz.stretch import Stretch

SHOWN = 5
PREFERRED = ("Fp1", "T3", "Cz", "P4", "O1")  # one of each region, on both sides


@dataclass(frozen=True)
class Picture:
    """One setting.

    Attributes
    ----------
    setting : Shift
        The setting.
    change : InputChange
        What it did to the stretch.
    figures : dict of str to float
        The shift's own figures.
    changed_channels : int
        How many channels it changed.
    traces, minute, spectra : str
        Drawings.
    """

    setting: Shift
    change: InputChange
    figures: dict[str, float]
    changed_channels: int
    traces: str
    minute: str
    spectra: str


@dataclass(frozen=True)
class Gallery:
    """All pictures of a stretch.

    Attributes
    ----------
    stretch : Stretch
        The EEG.
    seed : int
        Of the random shifts.
    pictures : tuple of Picture
        In the order of the grid.
    not_applicable : tuple of (Shift, str)
        Settings without meaning for this recording, and why.
    attacks : int
        Number of settings left out, since an attack needs a detector.
    definitions : str
        What the drawings share; it stands on the page once.
    """

    stretch: Stretch
    seed: int
    pictures: tuple[Picture, ...]
    not_applicable: tuple[tuple[Shift, str], ...]
    attacks: int
    definitions: str


def make_gallery(stretch: Stretch, grid: Sequence[Shift], *, seed: int = 0) -> Gallery:
    """Apply every setting to a stretch and draw it.

    Parameters
    ----------
    stretch : Stretch
        The EEG.
    grid : sequence of Shift
        The settings. The baseline changes nothing and is left out, and so are attacks, which need a detector.
    seed : int
        Of the random shifts.

    Raises
    ------
    ValueError
        When a setting cannot act on this recording; the message names it.
    """
    panels, energy = Panels(stretch), signal_energy(stretch.eeg)
    pictures, without_meaning = [], []
    for setting in grid:
        if isinstance(setting, Baseline | Attack):
            continue
        try:
            pictures.append(_picture(stretch, panels, setting, seed, energy))
        except NotApplicable as error:
            without_meaning.append((setting, str(error)))
        except ValueError as error:
            raise ValueError(f"{setting.label}: {error}") from error
    attacks = sum(isinstance(setting, Attack) for setting in grid)
    return Gallery(stretch, seed, tuple(pictures), tuple(without_meaning), attacks, panels.definitions())


def _picture(stretch: Stretch, panels: Panels, setting: Shift, seed: int, energy: float) -> Picture:
    eeg, recording = stretch.eeg, stretch.recording
    rng = generator(seed, recording, setting)
    shifted: npt.NDArray[np.float32] = setting.apply(eeg, recording.sfreq, rng, channels=recording.channels)
    changed = [i for i in range(len(eeg)) if not np.array_equal(eeg[i], shifted[i])]
    rows = shown_rows(recording, changed)
    telling = next((row for row in rows if row in changed), rows[0])
    return Picture(
        setting=setting,
        change=measure_change(eeg, shifted, energy),
        figures=setting.measure(eeg, shifted, recording.sfreq),
        changed_channels=len(changed),
        traces=panels.traces(setting.label, shifted, rows),
        minute=panels.minute(setting.label, shifted, telling),
        spectra=panels.spectra(setting.label, shifted, telling),
    )


def shown_rows(recording: Recording, changed: Sequence[int]) -> list[int]:
    """Which channels to draw: some of all regions, and among them up to three that changed.

    Parameters
    ----------
    recording : Recording
        The recording.
    changed : sequence of int
        Rows that the setting changed.
    """
    rows = _usual_rows(recording)
    for row in [row for row in changed if row not in rows]:
        still = [other for other in rows if other not in changed]
        if not still or sum(other in changed for other in rows) >= 3:
            break
        rows[rows.index(still[-1])] = row
    return sorted(rows)


def _usual_rows(recording: Recording) -> list[int]:
    names = recording.channels
    live = [i for i, name in enumerate(names) if name not in recording.missing] or list(range(len(names)))
    preferred = [names.index(name) for name in PREFERRED if name in names and names.index(name) in live]
    spread = [live[k * len(live) // SHOWN] for k in range(SHOWN)]
    return list(dict.fromkeys([*preferred, *spread, *live]))[:SHOWN]
