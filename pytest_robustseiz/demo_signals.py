"""Synthetic EEG for the demo: no person was recorded, and nothing here stands in for clinical data.

The pieces are the ones that a reader of EEG knows: a 1/f background with posterior alpha, slow waves, eye movements,
muscle, seizures that evolve in frequency, amplitude and space, and rhythms that look like the start of one but don't
evolve. All arithmetic is in float64, so that rounding to 16-bit samples gives the same file on any machine.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pytest_robustseiz.demo_seizures import Seizure, draw_seizure, postictal_wave, seizure_wave
from pytest_robustseiz.demo_waves import (
    SFREQ_HZ,
    Array,
    add,
    band_noise,
    bump,
    envelope,
    gains,
    pink_noise,
    project,
    rhythm,
)
from pytest_robustseiz.shifts import ELECTRODES

SEED = 20260409

# Recordings of a subject as (seconds, seizures), by the last digit of its number. Onsets are at least four minutes
# apart, since event scoring merges what is closer than 90 s and allows 30 s before and 60 s after.
PLANS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((570, 2),),
    ((570, 2),),
    ((570, 2),),
    ((300, 1), (300, 1)),
    ((420, 0),),
    ((570, 2),),
    ((300, 1), (300, 0)),
    ((900, 3),),
    ((570, 2),),
    ((210, 0), (210, 0)),
)
SEIZURE_EVERY_S = 340

FOCI = ("T3", "T4", "T5", "T6", "F7", "F8", "F3", "F4", "C3", "C4", "P3", "P4", "O1", "O2")


@dataclass(frozen=True, eq=False)
class SyntheticRecording:
    """One synthetic recording.

    Parameters
    ----------
    eeg : ndarray of float64, shape (19, n_samples)
        Microvolts against the common average, rows in the order of `ELECTRODES`, 256 Hz.
    seizures : tuple of Seizure
        In order of onset; empty where there are none.
    """

    eeg: Array
    seizures: tuple[Seizure, ...]


@dataclass(frozen=True)
class Traits:
    """What one subject's recordings have in common; amplitudes are root mean squares, rates per minute."""

    slope: float
    background_uv: float
    alpha_hz: float
    alpha_uv: float
    slow_per_min: float
    blinks_per_min: float
    muscle_per_min: float
    mimics_per_min: float
    focus: str
    seizure_uv: float


def synthetic_subject(number: int) -> tuple[SyntheticRecording, ...]:
    """Make all recordings of one synthetic subject.

    Parameters
    ----------
    number : int
        Number of the subject, 1 or more; decides everything.

    Returns
    -------
    tuple of SyntheticRecording

    Raises
    ------
    ValueError
        When the number is below 1.
    """
    if number < 1:
        raise ValueError(f"number: expected a subject number of 1 or more, got {number}")
    rng = np.random.default_rng([SEED, number])
    traits = draw_traits(rng)
    return tuple(synthetic_recording(rng, traits, *plan) for plan in PLANS[number % len(PLANS)])


def draw_traits(rng: np.random.Generator) -> Traits:
    """Draw one subject."""
    return Traits(
        slope=rng.uniform(1.4, 2.2),
        background_uv=rng.uniform(10, 18),
        alpha_hz=rng.uniform(8.5, 11),
        alpha_uv=rng.uniform(6, 22),
        slow_per_min=rng.uniform(0.5, 3),
        blinks_per_min=rng.uniform(3, 12),
        muscle_per_min=rng.uniform(0.5, 3),
        mimics_per_min=rng.uniform(0.6, 1.4),
        focus=str(rng.choice(FOCI)),
        seizure_uv=rng.uniform(30, 65),
    )


def synthetic_recording(
    rng: np.random.Generator, traits: Traits, duration_s: int, n_seizures: int
) -> SyntheticRecording:
    """Draw one recording of a subject.

    Parameters
    ----------
    rng : numpy.random.Generator
        Of the subject.
    traits : Traits
        Of the subject.
    duration_s : int
        Length in seconds.
    n_seizures : int
        How many seizures it has.
    """
    eeg = _background(rng, traits, duration_s * SFREQ_HZ)
    add_often(rng, eeg, traits.slow_per_min, _slow_waves)
    add_often(rng, eeg, traits.blinks_per_min, _eye_movement)
    add_often(rng, eeg, traits.muscle_per_min, _muscle)
    seizures = tuple(
        draw_seizure(rng, traits.focus, traits.seizure_uv, SEIZURE_EVERY_S * i + rng.uniform(60, 100))
        for i in range(n_seizures)
    )
    add_often(rng, eeg, traits.mimics_per_min, _mimic, busy=seizures)
    for seizure in seizures:
        add(eeg, seizure.onset_s, seizure_wave(rng, seizure))
        add(eeg, seizure.stop_s, postictal_wave(rng, seizure))
    return SyntheticRecording(eeg - eeg.mean(axis=0), seizures)


def _background(rng: np.random.Generator, traits: Traits, n_samples: int) -> Array:
    """Independent 1/f sources below the electrodes, spread by volume conduction, with alpha and amplifier noise."""
    mixing = np.stack([gains(name, 0.45) for name in ELECTRODES])
    mixing /= np.linalg.norm(mixing, axis=1, keepdims=True)
    eeg: Array = traits.background_uv * mixing @ pink_noise(rng, (len(ELECTRODES), n_samples), traits.slope)
    for site in ("O1", "O2", "Pz"):
        alpha = band_noise(rng, n_samples, traits.alpha_hz - 0.8, traits.alpha_hz + 0.8)
        waxing = np.clip(1 + 0.7 * band_noise(rng, n_samples, 0.0, 0.1), 0.05, None)
        eeg += project(gains(site, 0.45), traits.alpha_uv / 1.7 * alpha * waxing)
    eeg += rng.standard_normal(eeg.shape)
    return eeg


Draw = Callable[[np.random.Generator], Array]


def add_often(
    rng: np.random.Generator, eeg: Array, per_min: float, draw: Draw, *, busy: tuple[Seizure, ...] = ()
) -> None:
    """Add a Poisson number of pieces at random times, none during `busy` or the minute around it."""
    duration_s = eeg.shape[1] / SFREQ_HZ
    for _ in range(rng.poisson(per_min * duration_s / 60)):
        onset_s, piece = rng.uniform(1, duration_s - 1), draw(rng)
        if not any(seizure.onset_s - 60 < onset_s < seizure.stop_s + 60 for seizure in busy):
            add(eeg, onset_s, piece)


def _slow_waves(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(3, 10) * SFREQ_HZ)
    wave = rng.uniform(12, 35) * band_noise(rng, n, 1, 3.5) * envelope(n, 0.3, 0.3)
    return project(gains(str(rng.choice(["Fz", "Cz", "F3", "F4"])), 0.8), wave)


def _eye_movement(rng: np.random.Generator) -> Array:
    """A blink (both frontal poles, positive) or a glance aside (frontotemporal, of opposite sign)."""
    if rng.random() < 0.75:
        n = round(rng.uniform(0.25, 0.45) * SFREQ_HZ)
        return project(gains("Fp1", 0.35) + gains("Fp2", 0.35), rng.uniform(40, 110) * bump(n))
    n = round(rng.uniform(0.6, 2.0) * SFREQ_HZ)
    sign = rng.choice([-1, 1])
    return project(sign * (gains("F7", 0.35) - gains("F8", 0.35)), rng.uniform(20, 60) * envelope(n, 0.15, 0.15))


def _muscle(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(1, 8) * SFREQ_HZ)
    wave = rng.uniform(8, 30) * band_noise(rng, n, 20, 90) * envelope(n, 0.2, 0.2)
    return project(gains(str(rng.choice(["T3", "T4", "F7", "F8"])), 0.25), wave)


def _mimic(rng: np.random.Generator) -> Array:
    """Something rhythmic that is no seizure."""
    return (_temporal_theta, _frontal_delta, _loose_electrode, _chewing, _brief_discharge)[rng.integers(5)](rng)


def _temporal_theta(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(8, 25) * SFREQ_HZ)
    wave = rng.uniform(20, 55) * rhythm(rng, n, rng.uniform(4.5, 7), sharpness=0.3) * envelope(n, 0.3, 0.2)
    return project(gains(str(rng.choice(["T3", "T4", "T5", "T6"])), 0.4), wave)


def _frontal_delta(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(6, 18) * SFREQ_HZ)
    wave = rng.uniform(30, 70) * rhythm(rng, n, rng.uniform(2, 3), sharpness=0.2) * envelope(n, 0.2, 0.2)
    return project(gains("Fz", 0.6), wave)


def _loose_electrode(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(8, 25) * SFREQ_HZ)
    wave = rng.uniform(30, 110) * rhythm(rng, n, rng.uniform(2.5, 6), sharpness=0.6) * envelope(n, 0.1, 0.1)
    return project(np.eye(len(ELECTRODES))[rng.integers(len(ELECTRODES))], wave)


def _chewing(rng: np.random.Generator) -> Array:
    n = round(rng.uniform(8, 20) * SFREQ_HZ)
    beat = rhythm(rng, n, rng.uniform(1.3, 2.2), sharpness=0.2)
    bursts = rng.uniform(15, 40) * band_noise(rng, n, 20, 90) * np.clip(beat, 0, None)
    wave = (bursts + rng.uniform(10, 30) * beat) * envelope(n, 0.1, 0.1)
    return project(gains("T3", 0.35) + gains("T4", 0.35), wave)


def _brief_discharge(rng: np.random.Generator) -> Array:
    """Evolves like a seizure but ends within 9 s; a seizure lasts 10 s (ACNS terminology, Hirsch et al. 2021)."""
    drawn = draw_seizure(rng, str(rng.choice(FOCI)), rng.uniform(25, 60), 0.0)
    return seizure_wave(rng, replace(drawn, duration_s=rng.uniform(4, 9)))
