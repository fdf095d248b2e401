"""Synthetic patients for the prediction demo: no person was recorded, and nothing here stands in for clinical data.

The EEG and the seizures are those of the detection demo. Before each seizure something is added that a predictor can
learn: over the five minutes sharp waves at the focus come ever more often and fast activity grows. Both occur at other
times too, rarely and in short bursts, so that warnings can be false. That seizures announce themselves like this is an
assumption of the demo, not a finding about patients.
"""

from dataclasses import dataclass, replace

import numpy as np

from pytest_robustseiz.demo_seizures import Seizure, draw_seizure, postictal_wave, seizure_wave
from pytest_robustseiz.demo_signals import Traits, add_often, draw_traits, synthetic_recording
from pytest_robustseiz.demo_waves import SFREQ_HZ, Array, add, band_noise, bump, envelope, gains, project
from pytest_robustseiz.scoring import PREICTAL_S
from pytest_robustseiz.shifts import ELECTRODES

SEED = 20261108

RECORDING_S = 660
# Three recordings that follow each other after a change of file; seconds from the start of the first.
STARTS_S = (0, 672, 1357)
# Recording, earliest and latest onset in seconds. Of the first kind most of the preictal part lies in another file.
EARLY = (1, 90.0, 150.0)
LATE = (2, 500.0, 530.0)

FAST_HZ = (15.0, 25.0)
FAST_UV = 6.0
SHARP_UV = 50.0
SHARP_PER_S = (0.3, 2.0)  # five minutes before the onset, and at the onset
SHARP_ELSEWHERE_PER_MIN = 1.8
BURSTS_PER_MIN = 1.5


@dataclass(frozen=True)
class Plan:
    """Where a subject's seizures start, and which of `EARLY` and `LATE` it has."""

    focus: str
    seizures: tuple[tuple[int, float, float], ...]


# By number of the subject, so that each part of SzPredict's fixed split has some of either side.
PLANS = {
    1: Plan("T3", (EARLY, LATE)),
    2: Plan("T3", (EARLY, LATE)),
    3: Plan("T4", (EARLY, LATE)),
    4: Plan("T4", (EARLY, LATE)),
    5: Plan("T3", (LATE,)),
    7: Plan("T4", (EARLY, LATE)),
    11: Plan("T4", (EARLY,)),
}


@dataclass(frozen=True, eq=False)
class PredictionRecording:
    """One recording of a synthetic patient.

    Parameters
    ----------
    start_s : int
        Seconds from the start of the subject's first recording.
    eeg : ndarray of float64, shape (19, n_samples)
        Microvolts against the common average, rows in the order of `ELECTRODES`, 256 Hz.
    seizures : tuple of Seizure
        Times from the start of this recording.
    """

    start_s: int
    eeg: Array
    seizures: tuple[Seizure, ...]


def prediction_subject(number: int) -> tuple[PredictionRecording, ...]:
    """Make all recordings of one synthetic patient.

    Parameters
    ----------
    number : int
        Number of the subject, one of `PLANS`; decides everything.

    Returns
    -------
    tuple of PredictionRecording
        In order of time.

    Raises
    ------
    ValueError
        When there is no such subject.
    """
    if number not in PLANS:
        raise ValueError(f"number: expected a subject of the demo, {', '.join(map(str, PLANS))}, got {number}")
    plan = PLANS[number]
    rng = np.random.default_rng([SEED, number])
    traits = replace(draw_traits(rng), focus=plan.focus)
    eegs = [_quiet(rng, traits) for _ in STARTS_S]
    seizures: list[list[Seizure]] = [[] for _ in STARTS_S]
    for place, earliest_s, latest_s in plan.seizures:
        seizure = _draw_clear_seizure(rng, traits, rng.uniform(earliest_s, latest_s))
        seizures[place].append(seizure)
        _announce(eegs, STARTS_S[place] + seizure.onset_s, preictal_wave(rng, traits.focus))
        add(eegs[place], seizure.onset_s, seizure_wave(rng, seizure))
        add(eegs[place], seizure.stop_s, postictal_wave(rng, seizure))
    return tuple(
        PredictionRecording(start_s, eeg - eeg.mean(axis=0), tuple(own))
        for start_s, eeg, own in zip(STARTS_S, eegs, seizures, strict=True)
    )


def _draw_clear_seizure(rng: np.random.Generator, traits: Traits, onset_s: float) -> Seizure:
    """Draw a seizure of the detection demo that is long and strong, since a subject has two at most."""
    return replace(
        draw_seizure(rng, traits.focus, traits.seizure_uv, onset_s),
        duration_s=round(rng.uniform(40, 75) * 4) / 4,
        amplitude_uv=traits.seizure_uv * rng.uniform(0.8, 1.2),
        spread=rng.uniform(0.5, 1.0),
    )


def preictal_wave(rng: np.random.Generator, focus: str) -> Array:
    """Microvolts of the five minutes before an onset, shape (19, n); it ends with the onset."""
    n = round(PREICTAL_S * SFREQ_HZ)
    growth = np.linspace(0, 1, n)
    waxing = np.clip(1 + 0.7 * band_noise(rng, n, 0.0, 0.1), 0.05, None)
    field = (0.5 + gains(focus, 0.6))[:, np.newaxis] * _fast_everywhere(rng, n)
    wave: Array = FAST_UV * (0.3 + 0.7 * growth) * waxing * field
    at_s = 0.0
    while (at_s := at_s + rng.exponential(1 / np.interp(at_s, (0, PREICTAL_S), SHARP_PER_S))) < PREICTAL_S:
        add(wave, at_s, _sharp_wave(rng, focus))
    return wave


def _quiet(rng: np.random.Generator, traits: Traits) -> Array:
    """A recording without seizures, with a little of everything that announces them."""
    eeg = synthetic_recording(rng, traits, RECORDING_S, 0).eeg.copy()
    add_often(rng, eeg, SHARP_ELSEWHERE_PER_MIN, lambda draw: _sharp_wave(draw, traits.focus))
    add_often(rng, eeg, BURSTS_PER_MIN, _fast_burst)
    return eeg


def _announce(eegs: list[Array], onset_s: float, wave: Array) -> None:
    """Add what comes before an onset to whatever was recorded of that time; `onset_s` on the subject's time line."""
    for start_s, eeg in zip(STARTS_S, eegs, strict=True):
        first = round((onset_s - start_s) * SFREQ_HZ) - wave.shape[1]
        start, stop = max(first, 0), min(first + wave.shape[1], eeg.shape[1])
        if start < stop:
            eeg[:, start:stop] += wave[:, start - first : stop - first]


def _fast_everywhere(rng: np.random.Generator, n: int) -> Array:
    """Fast activity of root mean square 1 from a source below each electrode, shape (19, n)."""
    mixing = np.stack([gains(name, 0.45) for name in ELECTRODES])
    mixing /= np.linalg.norm(mixing, axis=1, keepdims=True)
    result: Array = mixing @ np.stack([band_noise(rng, n, *FAST_HZ) for _ in ELECTRODES])
    return result


def _sharp_wave(rng: np.random.Generator, focus: str) -> Array:
    """A sharp negative wave and a slow one after it."""
    sharp, slow = bump(round(rng.uniform(0.06, 0.1) * SFREQ_HZ)), bump(round(rng.uniform(0.18, 0.3) * SFREQ_HZ))
    return project(gains(focus, 0.55), SHARP_UV * rng.uniform(0.6, 1.4) * np.concatenate([-sharp, 0.45 * slow]))


def _fast_burst(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(1, 6) * SFREQ_HZ)
    wave = rng.uniform(4, 10) * band_noise(rng, n, *FAST_HZ) * envelope(n, 0.2, 0.2)
    return project(gains(str(rng.choice(ELECTRODES)), 0.5), wave)
