"""What the harness adds to a detector's forward pass, in time and in memory."""

import statistics
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from pytest_benchmark.fixture import BenchmarkFixture
from torch import Tensor, nn

from pytest_robustseiz.adapters.torch_adapter import TorchAdapter
from pytest_robustseiz.case import Loaded, run_case
from pytest_robustseiz.change import signal_energy
from pytest_robustseiz.events import Event
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.shifts import AWGN, ELECTRODES, Bandpass, Baseline, DropNamed, Shift

SFREQ = 256
SETTINGS: list[Shift] = [
    Baseline(),
    AWGN(snr_db=5.0),
    Bandpass(low_hz=0.5, high_hz=40.0),
    DropNamed(electrodes=("O1",)),
]


class Million(TorchAdapter):
    """About a million parameters, at a depth where an hour of EEG takes about two seconds on one thread."""

    name = "million"
    window_s = 10.0
    step_s = 10.0

    def __init__(self) -> None:
        torch.manual_seed(0)
        super().__init__(
            nn.Sequential(
                nn.Conv1d(19, 96, 7, stride=2, padding=3), nn.ReLU(),
                nn.Conv1d(96, 288, 7, stride=3, padding=3), nn.ReLU(),
                nn.Conv1d(288, 400, 7, stride=4, padding=3), nn.ReLU(),
                nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(400, 1), nn.Flatten(0),
            )
        )  # fmt: skip


def synthetic_recording(hours: float) -> Recording:
    """Noise, called synthetic."""
    rng = np.random.default_rng(0)
    eeg = rng.standard_normal((19, round(hours * 3600 * SFREQ)), dtype=np.float32) * np.float32(30)
    eeg.flags.writeable = False
    events = (Event(600.0, 60.0),)
    return Recording("sub-01", "sub-01_run-00", "sub-01/eeg", eeg, 256.0, ELECTRODES, "unipolar", events, None, (), ())


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.label)
def test_overhead_over_forward_passes(benchmark: BenchmarkFixture, setting: Shift) -> None:
    """One hour, one thread: a whole case against the same network on the same windows, in turn."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    recording = synthetic_recording(1.0)
    loaded = Loaded(recording, "", signal_energy(recording.eeg))
    adapter = Million()
    windows = adapter.preprocess(torch.from_numpy(recording.eeg.copy()), 256.0, ELECTRODES)
    size = adapter.batch_size
    batches: list[Tensor] = [windows[start : start + size] for start in range(0, len(windows), size)]
    ratios = []

    def forward() -> None:
        with torch.inference_mode():
            for batch in batches:
                adapter.module(batch)

    def case() -> None:
        run_case(setting, "sub-01", [lambda: loaded], adapter, 0)

    def pair() -> None:
        start = time.perf_counter()
        forward()
        middle = time.perf_counter()
        case()
        ratios.append((time.perf_counter() - middle) / (middle - start))

    benchmark.pedantic(pair, rounds=5, warmup_rounds=1)
    torch.set_num_threads(threads)
    benchmark.extra_info["ratio"] = statistics.median(ratios[1:])
    benchmark.extra_info["parameters"] = sum(part.numel() for part in adapter.module.parameters())


MEMORY = """
import resource, sys, tempfile
from pathlib import Path
import numpy as np, torch, edfio, mne, scipy.signal
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.case import run_case
from pytest_robustseiz.loading import Recordings
from pytest_robustseiz.store import ContentHashes
from pytest_robustseiz.shifts import *
from pytest_robustseiz.demo_detector import demo_adapter
import functools

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

adapter = demo_adapter(device="cpu")
adapter.detect(np.zeros((19, 256 * 120), np.float32), 256.0, ELECTRODES)
before = peak()
[subject] = discover(Path(sys.argv[1]))
recordings = Recordings(ContentHashes(Path(sys.argv[2])))
for setting in (Baseline(), AWGN(snr_db=5.0), Bandpass(low_hz=0.5, high_hz=40.0)):
    loaders = [functools.partial(recordings.load, files) for files in subject.recordings]
    run_case(setting, subject.name, loaders, adapter, 0)
size = 19 * 36000 * 256 * 4
print((peak() - before) / size)
"""
WRITE = """
import sys
from pathlib import Path
import edfio, numpy as np
from pytest_robustseiz.shifts import ELECTRODES
folder = Path(sys.argv[1]) / "sub-01" / "eeg"
folder.mkdir(parents=True)
rng = np.random.default_rng(0)
signals = [
    edfio.EdfSignal(
        rng.normal(0, 30, 36000 * 256), 256, label=label, physical_dimension="uV", physical_range=(-500, 500)
    )
    for label in ELECTRODES
]
edfio.Edf(signals).write(folder / "sub-01_run-00_eeg.edf")
(folder / "sub-01_run-00_events.tsv").write_text("onset\\tduration\\teventType\\n600\\t60\\tsz\\n")
"""


def test_memory_for_ten_hours(benchmark: BenchmarkFixture, tmp_path: pytest.TempPathFactory) -> None:
    """Peak above the interpreter with its libraries, in units of the recording in float32 (0.7 GB)."""
    corpus, store = f"{tmp_path}/corpus", f"{tmp_path}/store"
    subprocess.run([sys.executable, "-c", WRITE, corpus], check=True)

    def measure() -> float:
        done = subprocess.run([sys.executable, "-c", MEMORY, corpus, store], check=True, capture_output=True, text=True)
        return float(done.stdout)

    benchmark.extra_info["recordings"] = benchmark.pedantic(measure, rounds=1)
