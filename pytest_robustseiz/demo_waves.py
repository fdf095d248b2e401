"""Elementary waves and the head that carries them, for the synthetic demo."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts import ELECTRODES

SFREQ_HZ = 256

Array: TypeAlias = npt.NDArray[np.float64]

# The 10-20 system seen from above: nose up, ears at 1 from the vertex.
POSITIONS: dict[str, tuple[float, float]] = {
    "Fp1": (-0.31, 0.95), "Fp2": (0.31, 0.95),
    "F7": (-0.81, 0.59), "F3": (-0.42, 0.52), "Fz": (0.0, 0.5), "F4": (0.42, 0.52), "F8": (0.81, 0.59),
    "T3": (-1.0, 0.0), "C3": (-0.5, 0.0), "Cz": (0.0, 0.0), "C4": (0.5, 0.0), "T4": (1.0, 0.0),
    "T5": (-0.81, -0.59), "P3": (-0.42, -0.52), "Pz": (0.0, -0.5), "P4": (0.42, -0.52), "T6": (0.81, -0.59),
    "O1": (-0.31, -0.95), "O2": (0.31, -0.95),
}  # fmt: skip


def distances(site: str) -> Array:
    """Distance of each electrode from one of them, shape (19,), in head radii."""
    places = np.array([POSITIONS[name] for name in ELECTRODES])
    result: Array = np.linalg.norm(places - POSITIONS[site], axis=1)
    return result


def gains(site: str, width: float) -> Array:
    """How strongly each electrode sees a source below one of them: a Gaussian of that width, in head radii."""
    return np.exp(-((distances(site) / width) ** 2) / 2)


def project(gain: Array, wave: Array) -> Array:
    """What each electrode sees of one source: gain of shape (n_channels,) times wave of shape (n_samples,)."""
    return gain[:, np.newaxis] * wave


def add(eeg: Array, onset_s: float, piece: Array) -> None:
    """Add a piece to a recording in place; what sticks out at the end is cut off.

    Parameters
    ----------
    eeg : ndarray of float64, shape (19, n_samples)
        Microvolts.
    onset_s : float
        Where the piece starts, 0 or more.
    piece : ndarray of float64, shape (19, n_piece)
        Microvolts.
    """
    start = round(onset_s * SFREQ_HZ)
    room = eeg.shape[1] - start
    eeg[:, start : start + piece.shape[1]] += piece[:, :room]


def envelope(n: int, rise: float, fall: float) -> Array:
    """Rise over a share of n samples, stay at 1, fall over another share; cosine edges."""
    at = (np.arange(n) + 0.5) / n
    edge = np.minimum(np.minimum(at / rise, (1 - at) / fall), 1)
    return np.sin(np.pi / 2 * edge) ** 2


def bump(n: int) -> Array:
    """One smooth positive wave of height 1."""
    return envelope(n, 0.4, 0.6)


def pink_noise(rng: np.random.Generator, shape: tuple[int, ...], slope: float) -> Array:
    """Noise of root mean square 1 whose power falls as 1/f**slope above 1 Hz and is flat below.

    Parameters
    ----------
    rng : numpy.random.Generator
    shape : tuple of int
        The last axis is time at 256 Hz.
    slope : float
        1 to 2 for the human EEG.
    """
    freqs_hz = np.fft.rfftfreq(shape[-1], 1 / SFREQ_HZ)
    return _shaped(rng.standard_normal(shape), np.maximum(freqs_hz, 1) ** (-slope / 2) * (freqs_hz > 0.3))


def band_noise(rng: np.random.Generator, n: int, low_hz: float, high_hz: float) -> Array:
    """Noise of root mean square 1 between two frequencies, shape (n,), with soft edges."""
    freqs_hz = np.fft.rfftfreq(n, 1 / SFREQ_HZ)
    centre, half = (low_hz + high_hz) / 2, (high_hz - low_hz) / 2
    return _shaped(rng.standard_normal(n), np.exp(-(((freqs_hz - centre) / half) ** 4) / 2))


def rhythm(rng: np.random.Generator, n: int, freq_hz: float | Array, *, sharpness: float) -> Array:
    """A wave of amplitude 1 that repeats at a frequency, which wanders by some percent, as rhythms of the brain do.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
        Samples at 256 Hz.
    freq_hz : float or ndarray of shape (n,)
        Fundamental.
    sharpness : float
        Height of the harmonics, 0 for a sine to 1 for a train of spikes and waves.
    """
    wander = 1 + 0.06 * np.cumsum(rng.standard_normal(n)) / SFREQ_HZ**0.5 / max(1, n / SFREQ_HZ) ** 0.5
    phase = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.cumsum(freq_hz * wander) / SFREQ_HZ
    return np.sin(phase) + sharpness * (0.6 * np.sin(2 * phase + 1) + 0.35 * np.sin(3 * phase + 2))


def _shaped(white: Array, gain: Array) -> Array:
    spectrum = np.fft.rfft(white) * gain
    shaped: Array = np.fft.irfft(spectrum, white.shape[-1])
    result: Array = shaped / np.sqrt(np.mean(shaped**2, axis=-1, keepdims=True))
    return result
