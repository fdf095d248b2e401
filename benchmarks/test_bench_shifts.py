"""How long a shift takes, in units of one float64 copy of the same array, beside scipy, mne and audiomentations.

Run with `OMP_NUM_THREADS=1 pytest benchmarks/test_bench_shifts.py`; a table stands at the end. Times are those of the
processor, and the unit is measured beside each of them, since other work on the machine slows both down. An hour,
since the copy of a short array reuses memory that an hour's has to ask the system for. Nothing here asserts a time.

audiomentations wants an older soxr than CI pins and is left out where it is missing; `tox run -e bench-audio` has it.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import mne
import numpy as np
import numpy.typing as npt
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy import signal

from pytest_robustseiz.shifts import ELECTRODES, Shift, paper_grid, smoke_grid

SFREQ = 256.0
MINUTES = 60
SETTINGS = tuple(setting for setting in paper_grid() if setting.family != "adversarial")
ONE_OF_EACH = tuple(setting for setting in smoke_grid() if setting.family != "adversarial")
COLUMNS = ("ours", "measure", "scipy", "mne", "audiomentations")
Floats = npt.NDArray[np.float64]
Single = npt.NDArray[np.float32]
pytestmark = [
    pytest.mark.benchmark(min_rounds=3, max_time=0.3, timer=time.process_time, warmup=False),
    pytest.mark.filterwarnings("default"),  # of libraries that are compared with
]


@pytest.fixture(scope="module")
def eeg() -> Single:
    """Synthetic: white noise of 30 uV."""
    return 30 * np.random.default_rng(0).standard_normal((19, int(MINUTES * 60 * SFREQ)), dtype=np.float32)


@pytest.fixture(scope="module")
def double(eeg: Single) -> Floats:
    return eeg.astype(np.float64)


class Stopwatch:
    """Measures in copies, and keeps what it measured by shift and column."""

    def __init__(self, array: Floats) -> None:
        self.array = array
        self.found: dict[str, dict[str, list[float]]] = {}
        self.units_s: list[float] = []

    def time(self, benchmark: BenchmarkFixture, shift: str, column: str, work: Callable[[], Any]) -> Any:
        benchmark.group = shift
        before_s = self.copy_s()
        result = benchmark(work)
        unit_s = min(before_s, self.copy_s())
        found: Any = benchmark.stats
        if found is not None:  # as it is under --benchmark-disable
            copies = found.stats.min / unit_s
            benchmark.extra_info["copies"] = copies
            self.found.setdefault(shift, {}).setdefault(column, []).append(copies)
            self.units_s.append(unit_s)
        return result

    def copy_s(self) -> float:
        """Least time of a few copies."""
        times = []
        for _ in range(5):
            start = time.process_time()
            self.array.copy()
            times.append(time.process_time() - start)
        return min(times)

    def table(self) -> Iterator[str]:
        yield f"in copies of the array in float64, each {1000 * statistics.median(self.units_s):.1f} ms:"
        yield "".join(["shift".ljust(14), *(column.rjust(17) for column in COLUMNS)])
        for shift, by_column in self.found.items():
            yield "".join([shift.ljust(14), *(span(by_column.get(column, [])).rjust(17) for column in COLUMNS)])
        ours = [copies for by_column in self.found.values() for copies in by_column.get("ours", [])]
        if ours:
            yield f"{len(ours)} settings of ours: median {statistics.median(ours):.1f}, at most {max(ours):.1f}"


def span(values: list[float]) -> str:
    ends = [f"{value:.1f}" for value in (min(values), max(values))] if values else ["-"]
    return " to ".join(dict.fromkeys(ends))


@pytest.fixture(scope="module")
def stopwatch(request: pytest.FixtureRequest, double: Floats) -> Iterator[Stopwatch]:
    watch = Stopwatch(double)
    yield watch
    terminal: Any = request.config.pluginmanager.getplugin("terminalreporter")
    capture: Any = request.config.pluginmanager.getplugin("capturemanager")
    if terminal is None or capture is None or not watch.found:
        return
    with capture.global_and_fixture_disabled():
        terminal.write_line("")
        for line in watch.table():
            terminal.write_line(line)


@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.label for setting in SETTINGS])
def test_shift(benchmark: BenchmarkFixture, stopwatch: Stopwatch, eeg: Single, setting: Shift) -> None:
    rng = np.random.default_rng(0)
    shifted = stopwatch.time(benchmark, setting.name, "ours", lambda: setting.apply(eeg, SFREQ, rng))
    assert shifted.shape == eeg.shape


@pytest.mark.parametrize("setting", ONE_OF_EACH, ids=[setting.label for setting in ONE_OF_EACH])
def test_own_figures(benchmark: BenchmarkFixture, stopwatch: Stopwatch, eeg: Single, setting: Shift) -> None:
    """What the harness measures of each shift beside the change itself."""
    shifted = setting.apply(eeg, SFREQ, np.random.default_rng(0))
    stopwatch.time(benchmark, setting.name, "measure", lambda: setting.measure(eeg, shifted, SFREQ))


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


@pytest.mark.parametrize("plain", PLAIN, ids=[plain.__name__ for plain in PLAIN])
def test_plain_scipy(benchmark: BenchmarkFixture, stopwatch: Stopwatch, double: Floats, plain: Any) -> None:
    """What a script does today: the whole array in double precision."""
    rng = np.random.default_rng(0)
    shifted = stopwatch.time(benchmark, plain.__name__, "scipy", lambda: plain(double, rng))
    assert shifted.shape == double.shape


def there_and_back(raw: Any) -> Floats:
    down = mne.filter.resample(raw.get_data(), up=50.0, down=SFREQ, verbose="error")
    return np.asarray(mne.filter.resample(down, up=SFREQ, down=50.0, verbose="error"))


def add_noise(raw: Any) -> Any:
    cov = mne.make_ad_hoc_cov(raw.info, std={"eeg": 30e-6}, verbose="error")
    return mne.simulation.add_noise(raw.copy(), cov, random_state=0, verbose="error")


BUTTERWORTH = {"order": 4, "ftype": "butter", "output": "sos"}
OF_MNE: dict[str, Callable[[Any], Any]] = {
    "car": lambda raw: raw.copy().set_eeg_reference("average", verbose="error"),
    "resample": there_and_back,
    "bandpass": lambda raw: raw.copy().filter(0.5, 40.0, method="iir", iir_params=BUTTERWORTH, verbose="error"),
    "bandpass-fir": lambda raw: raw.copy().filter(0.5, 40.0, verbose="error"),
    "awgn": add_noise,
    "notch": lambda raw: raw.copy().notch_filter(60.0, method="iir", verbose="error"),
    "notch-fir": lambda raw: raw.copy().notch_filter(60.0, verbose="error"),
}


@pytest.mark.parametrize("name", OF_MNE)
def test_mne(benchmark: BenchmarkFixture, stopwatch: Stopwatch, double: Floats, name: str) -> None:
    """Each that has a counterpart; where MNE's own choice is an FIR filter, that one too."""
    info = mne.create_info(list(ELECTRODES), SFREQ, "eeg")
    raw = mne.io.RawArray(double * 1e-6, info, verbose="error")
    stopwatch.time(benchmark, name.partition("-")[0], "mne", lambda: OF_MNE[name](raw))


def fixed(**values: float) -> dict[str, Any]:
    """Ranges to draw from that hold one value; applied always."""
    ends = {f"{end}_{name}": value for name, value in values.items() for end in ("min", "max")}
    return {**ends, "p": 1.0}


BAND = fixed(center_freq=20.25, bandwidth_fraction=39.5 / 20.25, rolloff=48)  # 0.5 to 40 Hz, order 4 both ways
LINE = fixed(center_freq=60.0, bandwidth_fraction=1 / 30, rolloff=12)
OF_AUDIOMENTATIONS: dict[str, Callable[[Any], list[Any]]] = {
    "resample": lambda audio: [audio.Resample(**fixed(sample_rate=rate_hz)) for rate_hz in (50, 256)],
    "adc": lambda audio: [audio.BitCrush(**fixed(bit_depth=5))],
    "bandpass": lambda audio: [audio.BandPassFilter(**BAND, zero_phase=True)],
    "drift": lambda audio: [audio.AddColorNoise(**fixed(snr_db=20.0, f_decay=-6.0))],
    "awgn": lambda audio: [audio.AddGaussianSNR(**fixed(snr_db=5.0))],
    "notch": lambda audio: [audio.BandStopFilter(**LINE, zero_phase=True)],
}


@pytest.mark.parametrize("name", OF_AUDIOMENTATIONS)
def test_audiomentations(benchmark: BenchmarkFixture, stopwatch: Stopwatch, eeg: Single, name: str) -> None:
    """Each that has a counterpart; a drift's is brown noise, whose spectrum is that of a random walk."""
    audio = pytest.importorskip("audiomentations", reason="no audiomentations here: tox run -e bench-audio")
    steps, sound = OF_AUDIOMENTATIONS[name](audio), eeg / np.float32(200)  # lies between -1 and 1

    def run() -> Single:
        samples, rate_hz = sound, int(SFREQ)
        for step in steps:
            samples = step(samples, rate_hz)
            rate_hz = step.parameters.get("target_sample_rate", rate_hz)
        return samples

    assert stopwatch.time(benchmark, name, "audiomentations", run).shape == eeg.shape
