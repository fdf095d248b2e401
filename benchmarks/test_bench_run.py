"""Whole runs: start of pytest, collection, and the naive pipeline's work."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pytest_robustseiz.demo_corpus import demo_corpus

# The naive pipeline's 24 settings, as ours.
SETTINGS = """
from pytest_robustseiz.shifts import *

GRID = [
    CAR(), *(Resample(rate_hz=rate) for rate in (50.0, 100.0, 200.0, 230.0)),
    DropNamed(electrodes=("O1", "O2")), DropNamed(electrodes=("T3", "T4")),
    *(ADC(bits=bits) for bits in (5, 10, 12)),
    *(Bandpass(low_hz=low, high_hz=high) for low, high in ((0.5, 40.0), (1.0, 40.0), (1.0, 30.0), (0.5, 25.0))),
    *(Impedance(low_hz=low, high_hz=high, rms_uv=50.0) for low, high in ((0.05, 0.5), (0.1, 1.0))),
    Drift(mode="random_walk", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.1),
    *(AWGN(snr_db=snr) for snr in (0.0, 5.0, 20.0)),
    Mains(amplitude_ratio=0.5), Impulse(share=0.005, height_ratio=4.0), Notch(freqs_hz=(60.0,)),
]
"""
DETECTOR = """
import numpy as np

def detect(x, fs):
    seconds = x[:, : x.shape[1] // int(fs) * int(fs)].reshape(len(x), -1, int(fs))
    loud = np.abs(np.diff(seconds, axis=2)).mean(axis=(0, 2)) > 12.0
    mask = np.zeros(x.shape[1], bool)
    mask[: loud.size * int(fs)] = np.repeat(loud, int(fs))
    return mask

class Adapter:
    name, montages = "line length", ("unipolar",)

    def detect(self, eeg, sfreq, channels):
        return detect(eeg, sfreq)

    def agreement(self, *args, **kwargs):
        raise NotImplementedError

    def fingerprint(self):
        return "line length 12"

def build(*, device):
    return Adapter()
"""
# Plugins of the development environment; what is measured is this one.
OTHERS = ["-p", "no:hypothesispytest", "-p", "no:benchmark", "-p", "no:syrupy", "-p", "no:xdist"]
TEST = """
import pytest
from settings import GRID

@pytest.mark.robustseiz(grid=GRID, max_f1_drop=1.0)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""


def run(command: Sequence[str], folder: Path) -> float:
    """Seconds that a command takes."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return seconds


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model's repository, and the synthetic corpus beside it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "cache").mkdir()
    (folder / "settings.py").write_text(SETTINGS)
    (folder / "my_model.py").write_text(DETECTOR)
    (folder / "test_pooled.py").write_text(TEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


def test_same_work_as_the_naive_pipeline(benchmark: BenchmarkFixture, naive_pipeline: Path, project: Path) -> None:
    """Cold and warm, one process, against one process per setting."""
    corpus = demo_corpus(project / "cache")
    ours = [
        sys.executable, "-m", "pytest", "-q", *OTHERS, "--robustseiz-mode=full", f"--robustseiz-data={corpus}",
        "--robustseiz-adapter=my_model:build", "--robustseiz-store=store",
    ]  # fmt: skip
    naive = [sys.executable, str(naive_pipeline), "--data", str(corpus), "--detector", "my_model:detect"]
    naive_s = run(naive, project)
    cold_s = run(ours, project)
    warm_s = benchmark.pedantic(run, args=(ours, project), rounds=3)
    benchmark.extra_info |= {"naive_s": naive_s, "cold_ratio": cold_s / naive_s, "warm_ratio": warm_s / naive_s}


def test_start_of_pytest(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """`pytest --version` with and without the plugin, in turn."""
    command = [sys.executable, "-m", "pytest", "--version", "--version", *OTHERS]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    differences = []

    def pair() -> None:
        without_s = run([*command, "-p", "no:robustseiz"], tmp_path)
        differences.append(run(command, tmp_path) - without_s)

    benchmark.pedantic(pair, rounds=20, warmup_rounds=1)
    benchmark.extra_info["added_ms"] = 1000 * statistics.median(differences[1:])


def test_collection_of_20000_items(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """250 subjects and 80 settings; the files are empty, so opening one would fail."""
    for number in range(250):
        folder = tmp_path / "corpus" / f"sub-{number:03d}" / "ses-01" / "eeg"
        folder.mkdir(parents=True)
        for ending in ("eeg.edf", "events.tsv"):
            (folder / f"sub-{number:03d}_ses-01_{ending}").touch()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_cases.py").write_text("def test_case(robustseiz_case):\n    robustseiz_case.check()\n")
    command = [
        sys.executable, "-m", "pytest", "--collect-only", "-qq", *OTHERS,
        "--robustseiz-mode=full", "--robustseiz-data=corpus",
    ]  # fmt: skip
    benchmark.pedantic(run, args=(command, tmp_path), rounds=3)
