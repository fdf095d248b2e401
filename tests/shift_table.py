"""Settings that the tests of the shifts' contract run over, and what they expect of each."""

import itertools
import math
from pathlib import Path
from typing import Any, NamedTuple

import edfio
import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts import (
    ADC,
    ELECTRODES,
    Attack,
    Bandpass,
    Baseline,
    Drift,
    DropNamed,
    DropRandom,
    Impedance,
    Impulse,
    Mains,
    Notch,
    Resample,
    Shift,
    paper_grid,
)

Floats = npt.NDArray[Any]
SFREQ = 256.0
PAIRS = tuple(f"{a}-{b}" for a, b in itertools.pairwise(ELECTRODES))
BAND: dict[str, Any] = {"low_hz": 0.1, "high_hz": 1.0}


class Target(NamedTuple):
    """What the contract needs to know about a shift."""

    extra: tuple[Shift, ...] = ()  # settings beyond the default grid
    identity: tuple[Shift, ...] = ()  # settings that change nothing
    random: bool = False  # draws from the generator in each of its settings that changes something
    relative: bool = False  # strength follows each channel's RMS
    bad: tuple[tuple[dict[str, Any], str], ...] = ()  # parameters, and what the message says


TABLE: dict[str, Target] = {
    "baseline": Target(identity=(Baseline(),)),
    "car": Target(),
    "resample": Target(
        extra=(Resample(rate_hz=128.0, transition_ratio=0.3), Resample(rate_hz=250.0)),
        bad=(
            ({"rate_hz": 0.5}, r"rate_hz: expected 1 Hz or more, got 0.5"),
            ({"rate_hz": "fast"}, r"rate_hz: expected a finite number, got 'fast'"),
            ({"rate_hz": True}, r"rate_hz: expected a finite number, got True"),
            ({"rate_hz": 100.0, "transition_ratio": 0.9}, r"transition_ratio: expected 0.01 to 0.5, got 0.9"),
        ),
    ),
    "drop_named": Target(
        extra=(DropNamed(electrodes=("Fp1",)),),
        identity=(DropNamed(electrodes=()),),
        bad=(
            ({"electrodes": "O1"}, r"electrodes: expected a tuple, got 'O1'"),
            ({"electrodes": ("O1", "O1")}, r"electrodes: expected different electrode names"),
            ({"electrodes": ("T3", "T7")}, r"electrodes: expected different electrode names"),
            ({"electrodes": ("Fp1-F3",)}, r"electrodes: expected different electrode names"),
            ({"electrodes": (1,)}, r"electrodes: expected text, got 1"),
        ),
    ),
    "drop_random": Target(
        identity=(DropRandom(n_channels=0),),
        random=True,
        bad=(
            ({"n_channels": -1}, r"n_channels: expected 0 or more, got -1"),
            ({"n_channels": 1.5}, r"n_channels: expected a whole number, got 1.5"),
        ),
    ),
    "adc": Target(
        extra=(ADC(bits=2), ADC(bits=24, full_scale_uv=5e5)),
        bad=(
            ({"bits": 1}, r"bits: expected 2 to 24, got 1"),
            ({"bits": 8, "full_scale_uv": 0.0}, r"full_scale_uv: expected microvolts above 0"),
        ),
    ),
    "bandpass": Target(
        extra=(
            Bandpass(low_hz=0.1, high_hz=70.0, order=6),
            Bandpass(low_hz=0.5, high_hz=40.0, causal=True),
            Bandpass(low_hz=9.0, high_hz=11.0, order=10),
        ),
        bad=(
            (
                {"low_hz": 0.0, "high_hz": 40.0},
                r"low_hz, high_hz: expected 0.001 <= low_hz and low_hz \+ 0.01 <= high_hz",
            ),
            ({"low_hz": 40.0, "high_hz": 1.0}, r"low_hz, high_hz: expected 0.001 <= low_hz and"),
            ({"low_hz": 1.0, "high_hz": float("inf")}, r"high_hz: expected a finite number, got inf"),
            ({"low_hz": 1.0, "high_hz": 40.0, "order": 11}, r"order: expected 1 to 10, got 11"),
            ({"low_hz": 1.0, "high_hz": 40.0, "causal": 1}, r"causal: expected true or false, got 1"),
        ),
    ),
    "impedance": Target(
        extra=(
            Impedance(low_hz=20.0, high_hz=100.0, rms_uv=10.0, electrodes=("Fp1",)),
            Impedance(low_hz=0.0, high_hz=127.0, rms_ratio=0.1),
        ),
        identity=(Impedance(**BAND, rms_uv=0.0), Impedance(**BAND, rms_ratio=0.0)),
        random=True,
        bad=(
            ({**BAND}, r"rms_uv, rms_ratio: expected exactly one of the two, 0 or more"),
            ({**BAND, "rms_uv": 1.0, "rms_ratio": 1.0}, r"rms_uv, rms_ratio: expected exactly one of the two"),
            ({**BAND, "rms_uv": -1.0}, r"rms_uv, rms_ratio: expected exactly one of the two, 0 or more"),
            ({"low_hz": 1.0, "high_hz": 1.0, "rms_uv": 1.0}, r"low_hz, high_hz: expected 0 <= low_hz"),
            ({"low_hz": -1.0, "high_hz": 1.0, "rms_uv": 1.0}, r"low_hz, high_hz: expected 0 <= low_hz"),
            ({**BAND, "rms_uv": 1.0, "electrodes": ("a b",)}, r"electrodes: expected different electrode names"),
        ),
    ),
    "drift": Target(
        extra=(Drift(mode="piecewise", low_hz=0.2, high_hz=40.0, amplitude_uv=20.0, n_channels=1, burst_s=1.0),),
        identity=(
            Drift(mode="sin", freq_hz=0.2, amplitude_uv=0.0),
            Drift(mode="random_walk", **BAND, amplitude_ratio=1.0, n_channels=0),
        ),
        random=True,
        bad=(
            ({"mode": "square", "freq_hz": 1.0, "amplitude_uv": 1.0}, r"mode: expected one of 'sin', 'sin_band'"),
            ({"mode": "sin", "amplitude_uv": 1.0}, r"freq_hz, low_hz, high_hz: expected with mode 'sin' a freq_hz"),
            ({"mode": "sin", **BAND, "amplitude_uv": 1.0}, r"expected with mode 'sin' a freq_hz above 0 and no band"),
            ({"mode": "sin_band", "freq_hz": 1.0, "amplitude_uv": 1.0}, r"with mode 'sin_band' a band and no freq_hz"),
            ({"mode": "random_walk", "low_hz": 1.0, "high_hz": 0.5, "amplitude_uv": 1.0}, r"low_hz, high_hz: expected"),
            (
                {"mode": "piecewise", "low_hz": 0, "high_hz": 1, "amplitude_uv": 1},
                r"low_hz: expected above 0 with mode",
            ),
            ({"mode": "sin", "freq_hz": 0.2}, r"amplitude_uv, amplitude_ratio: expected exactly one of the two"),
            ({"mode": "sin", "freq_hz": 1, "amplitude_uv": 1, "n_channels": -1}, r"n_channels: expected 0 or more"),
            ({"mode": "sin", "freq_hz": 1, "amplitude_uv": 1, "burst_s": 0.5}, r"burst_s: expected 1 s or more"),
        ),
    ),
    "awgn": Target(
        random=True,
        relative=True,
        bad=(
            ({"snr_db": float("nan")}, r"snr_db: expected a finite number, got nan"),
            ({"snr_db": 300.0}, r"snr_db: expected -200 to 200 dB, got 300"),
        ),
    ),
    "mains": Target(
        extra=(Mains(freq_hz=50.0, amplitude_ratio=0.5, harmonic_ratios=(0.5,)),),
        identity=(Mains(amplitude_ratio=0.0),),
        random=True,
        relative=True,
        bad=(
            ({"amplitude_ratio": -0.1}, r"amplitude_ratio: expected 0 or more, got -0.1"),
            ({"amplitude_ratio": 0.1, "freq_hz": 0.0}, r"freq_hz: expected a frequency above 0, got 0.0"),
            ({"amplitude_ratio": 0.1, "harmonic_ratios": (-1.0,)}, r"harmonic_ratios: expected 0 or more each"),
            ({"amplitude_ratio": 0.1, "harmonic_ratios": 1.0}, r"harmonic_ratios: expected a tuple, got 1.0"),
        ),
    ),
    "impulse": Target(
        extra=(Impulse(share=1.0, height_ratio=1.0),),
        identity=(Impulse(share=0.0, height_ratio=4.0), Impulse(share=0.01, height_ratio=0.0)),
        random=True,
        relative=True,
        bad=(
            ({"share": 1.5, "height_ratio": 1.0}, r"share: expected 0 to 1, got 1.5"),
            ({"share": 0.1, "height_ratio": -1.0}, r"height_ratio: expected 0 or more, got -1.0"),
        ),
    ),
    "notch": Target(
        identity=(Notch(freqs_hz=()),),
        extra=(Notch(freqs_hz=(), mains_hz=50.0, mains_ratio=0.1),),
        bad=(
            ({"freqs_hz": (0.0,)}, r"freqs_hz: expected different frequencies above 0"),
            ({"freqs_hz": (50.0, 50.0)}, r"freqs_hz: expected different frequencies above 0"),
            ({"freqs_hz": (50.0,), "quality": 0.1}, r"quality: expected 1 to 1000, got 0.1"),
            ({"freqs_hz": (50.0,), "mains_hz": 60.0}, r"mains_hz, mains_ratio: expected both above 0, or neither"),
        ),
    ),
}
# Attacks need a detector; their contract is tested on its own.
PAPER_SHIFTS = tuple(setting for setting in paper_grid() if not isinstance(setting, Attack))
SETTINGS = tuple(dict.fromkeys((*PAPER_SHIFTS, *(s for t in TABLE.values() for s in (*t.extra, *t.identity)))))
# Those that act on any number of channels of any name.
ANY_SHAPE = tuple(
    s
    for s in SETTINGS
    if getattr(s, "n_channels", None) in (None, 0, 1) and getattr(s, "electrodes", None) in (None, ())
)


def adds_by_rms(setting: Shift) -> bool:
    """Whether the setting adds something whose strength follows the channel's RMS."""
    fields = ("rms_ratio", "amplitude_ratio", "mains_ratio")
    return TABLE[setting.name].relative or any(getattr(setting, field, None) is not None for field in fields)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def recording(n_samples: int = 2000, dtype: type[np.floating[Any]] = np.float32) -> Floats:
    """Synthetic: noise of 30 uV, one flat channel, one zero channel, offsets of millivolts; read-only."""
    eeg = generator(7).normal(0, 30, (19, n_samples))
    eeg[3], eeg[4] = 100.0, 0.0
    eeg[5] += 5000.0
    eeg = eeg.astype(dtype)
    eeg.flags.writeable = False
    return eeg


def changes_something(setting: Shift) -> bool:
    return setting not in TABLE[setting.name].identity


def real_eeg(shared_data: Path, subject: str = "sub-emu01") -> Floats:
    """Real scalp EEG at 256 Hz, 19 channels, microvolts."""
    (file,) = (shared_data / "real-bids" / subject).glob("ses-01/eeg/*_eeg.edf")
    return np.stack([signal.data for signal in edfio.read_edf(file).signals]).astype(np.float32)


def tone(freq_hz: float, n_samples: int, amplitude: float = 50.0) -> Floats:
    """Synthetic: one channel of a sine."""
    angle = 2 * np.pi * freq_hz * np.arange(n_samples) / SFREQ
    return np.asarray(amplitude * np.sin(angle + 0.3))[None, :]


def amplitude_of(channel: Floats, freq_hz: float) -> float:
    """Amplitude of a sine by least squares, with an offset fitted beside it."""
    angle = 2 * np.pi * freq_hz * np.arange(channel.shape[0]) / SFREQ
    design = np.stack([np.sin(angle), np.cos(angle), np.ones_like(angle)], axis=1)
    fit = np.linalg.lstsq(design, channel.astype(np.float64), rcond=None)[0]
    return float(np.hypot(fit[0], fit[1]))


def gain_db(setting: Shift, freq_hz: float, *, n_samples: int = 2**15) -> float:
    """Gain for a sine, in the middle half of the recording, where no edge is near."""
    eeg = tone(freq_hz, n_samples)
    shifted = setting.apply(eeg, SFREQ, generator(), channels=("Cz",))
    middle = slice(n_samples // 4, 3 * n_samples // 4)
    ratio = amplitude_of(shifted[0, middle], freq_hz) / amplitude_of(eeg[0, middle], freq_hz)
    return 20 * math.log10(max(ratio, 1e-15))
