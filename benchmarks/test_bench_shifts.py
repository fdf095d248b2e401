"""How long a shift takes, beside one float64 copy of the same array and beside plain scipy.

Run with `OMP_NUM_THREADS=1 pytest benchmarks/test_bench_shifts.py`. The copy is the unit: divide by its time in the
same run. An hour, since the copy of a short array reuses memory that an hour's has to ask the system for. Nothing here
asserts a time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy import signal

from pytest_robustseiz.shifts import Shift, paper_grid

SFREQ = 256.0
MINUTES = 60
SETTINGS = tuple(setting for setting in paper_grid() if setting.family != "adversarial")
Floats = npt.NDArray[np.float64]
pytestmark = pytest.mark.benchmark(min_rounds=3, max_time=0.3)


@pytest.fixture(scope="module")
def eeg() -> npt.NDArray[np.float32]:
    """Synthetic: white noise of 30 uV."""
    return 30 * np.random.default_rng(0).standard_normal((19, int(MINUTES * 60 * SFREQ)), dtype=np.float32)


def test_unit_one_float64_copy(benchmark: BenchmarkFixture, eeg: npt.NDArray[np.float32]) -> None:
    benchmark.group = "unit"
    benchmark(eeg.astype(np.float64).copy)


@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.label for setting in SETTINGS])
def test_shift(benchmark: BenchmarkFixture, eeg: npt.NDArray[np.float32], setting: Shift) -> None:
    benchmark.group = setting.name
    shifted = benchmark(lambda: setting.apply(eeg, SFREQ, np.random.default_rng(0)))
    assert shifted.shape == eeg.shape


def resample(eeg: Floats, _: np.random.Generator) -> Floats:
    down = signal.resample_poly(eeg, 25, 128, axis=1)
    return np.asarray(signal.resample_poly(down, 128, 25, axis=1)[:, : eeg.shape[1]])


def band(eeg: Floats, low_hz: float, high_hz: float) -> Floats:
    sos = signal.butter(4, [low_hz, high_hz], "bandpass", fs=SFREQ, output="sos")
    return np.asarray(signal.sosfiltfilt(sos, eeg, axis=1))


def bandpass(eeg: Floats, _: np.random.Generator) -> Floats:
    return band(eeg, 0.5, 40.0)


def impedance(eeg: Floats, rng: np.random.Generator) -> Floats:
    noise = band(rng.standard_normal(eeg.shape), 0.05, 0.5)
    return np.asarray(eeg + 50 * noise / noise.std(axis=1, keepdims=True))


def drift(eeg: Floats, rng: np.random.Generator) -> Floats:
    walk = band(rng.standard_normal(eeg.shape).cumsum(axis=1), 0.05, 0.5)
    return np.asarray(eeg + 0.1 * eeg.std(axis=1, keepdims=True) * walk / walk.std(axis=1, keepdims=True))


def awgn(eeg: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(eeg + eeg.std(axis=1, keepdims=True) * rng.standard_normal(eeg.shape))


def mains(eeg: Floats, rng: np.random.Generator) -> Floats:
    line = np.sin(2 * np.pi * 60 * np.arange(eeg.shape[1]) / SFREQ + rng.uniform(0, 2 * np.pi))
    return np.asarray(eeg + 0.5 * eeg.std(axis=1, keepdims=True) * line)


def impulse(eeg: Floats, rng: np.random.Generator) -> Floats:
    hit = rng.random(eeg.shape) < 0.005
    return np.asarray(eeg + hit * rng.choice([-1, 1], eeg.shape) * 4 * eeg.std(axis=1, keepdims=True))


def notch(eeg: Floats, _: np.random.Generator) -> Floats:
    return np.asarray(signal.filtfilt(*signal.iirnotch(60, 30, SFREQ), eeg, axis=1))


def adc(eeg: Floats, _: np.random.Generator) -> Floats:
    top = np.abs(eeg).max()
    step = 2 * top / 2**5
    return np.asarray(np.clip(np.round(eeg / step) * step, -top, top - step))


def car(eeg: Floats, _: np.random.Generator) -> Floats:
    return np.asarray(eeg - eeg.mean(axis=0))


PLAIN: tuple[Callable[[Floats, np.random.Generator], Floats], ...] = (
    car, resample, adc, bandpass, impedance, drift, awgn, mains, impulse, notch,
)  # fmt: skip


@pytest.mark.parametrize("plain", PLAIN, ids=[f"plain-{plain.__name__}" for plain in PLAIN])
def test_plain_scipy(benchmark: BenchmarkFixture, eeg: npt.NDArray[np.float32], plain: Any) -> None:
    """What a script does today: the whole array in double precision."""
    benchmark.group = plain.__name__
    double = eeg.astype(np.float64)
    shifted = benchmark(lambda: plain(double, np.random.default_rng(0)))
    assert shifted.shape == eeg.shape
