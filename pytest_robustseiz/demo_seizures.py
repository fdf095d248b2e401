"""Synthetic seizures: rhythms that slow down, grow and spread."""

from dataclasses import dataclass

import numpy as np

from pytest_robustseiz.demo_waves import SFREQ_HZ, Array, band_noise, distances, envelope, gains, project, rhythm

# The electrode on the other side of the head.
MIRROR = {"T3": "T4", "T5": "T6", "F7": "F8", "F3": "F4", "C3": "C4", "P3": "P4", "O1": "O2", "Fp1": "Fp2"}
MIRROR |= {right: left for left, right in MIRROR.items()}


@dataclass(frozen=True)
class Seizure:
    """One synthetic seizure.

    Parameters
    ----------
    onset_s, duration_s : float
        Seconds from the start of the recording; multiples of 0.25, so that a table with two decimals is exact.
    focus : str
        Electrode where it starts.
    amplitude_uv : float
        Of the fundamental at the focus, once it is fully grown.
    first_hz, last_hz : float
        Frequency at onset and at the end.
    spread : float
        Width of the source at the end, in head radii.
    """

    onset_s: float
    duration_s: float
    focus: str
    amplitude_uv: float
    first_hz: float
    last_hz: float
    spread: float

    @property
    def stop_s(self) -> float:
        """End, in seconds."""
        return self.onset_s + self.duration_s


def draw_seizure(rng: np.random.Generator, focus: str, amplitude_uv: float, onset_s: float) -> Seizure:
    """Draw a seizure near a time; a quarter is faint, as many scalp recordings of focal ones are.

    Parameters
    ----------
    rng : numpy.random.Generator
    focus : str
        The subject's seizure onset zone.
    amplitude_uv : float
        What is usual for the subject.
    onset_s : float
        In seconds.
    """
    faint = rng.random() < 0.25
    return Seizure(
        onset_s=round(onset_s * 4) / 4,
        duration_s=round(np.exp(rng.uniform(np.log(14), np.log(75))) * 4) / 4,
        focus=focus,
        amplitude_uv=amplitude_uv * (rng.uniform(0.3, 0.5) if faint else rng.uniform(0.8, 1.2)),
        first_hz=rng.uniform(6, 9),
        last_hz=rng.uniform(2, 3.5),
        spread=rng.uniform(0.3, 0.5) if faint else rng.uniform(0.5, 1.0),
    )


def seizure_wave(rng: np.random.Generator, seizure: Seizure) -> Array:
    """Microvolts of a seizure, shape (19, n): later and weaker with distance, and on the other side later still."""
    n = round(seizure.duration_s * SFREQ_HZ)
    at = np.linspace(0, 1, n)
    freq_hz = seizure.last_hz + (seizure.first_hz - seizure.last_hz) * np.exp(-2.5 * at)
    growth = np.clip(0.3 + 1.4 * at, None, 1) * envelope(n, 0.05, 0.06)
    wave = seizure.amplitude_uv * growth * rhythm(rng, n, freq_hz, sharpness=0.5)
    width = 0.25 + (seizure.spread - 0.25) * at
    far = distances(seizure.focus)[:, np.newaxis]
    field: Array = np.exp(-((far / width) ** 2) / 2) * _delayed(wave, far[:, 0])
    if seizure.focus in MIRROR:
        recruited = np.clip(2 * at - 1, 0, None) * 0.6 * seizure.spread
        field += project(gains(MIRROR[seizure.focus], 0.35), recruited * wave)
    return field


def postictal_wave(rng: np.random.Generator, seizure: Seizure) -> Array:
    """Irregular slow activity around the focus for half a minute after a seizure, shape (19, n), in microvolts."""
    n = round(rng.uniform(15, 35) * SFREQ_HZ)
    wave = 0.4 * seizure.amplitude_uv * band_noise(rng, n, 0.8, 3) * envelope(n, 0.05, 0.7)
    return project(gains(seizure.focus, seizure.spread), wave)


def _delayed(wave: Array, far: Array) -> Array:
    """The wave at each electrode, 30 ms later per head radius of distance."""
    n = len(wave)
    lags = np.round(0.03 * SFREQ_HZ * far).astype(int)
    return np.stack([np.concatenate([np.zeros(lag), wave])[:n] for lag in lags])
