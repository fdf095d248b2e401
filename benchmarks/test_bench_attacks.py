"""What attacks and stochastic passes cost beyond the passes of the network that they need.

Run with `OMP_NUM_THREADS=1 pytest benchmarks/test_bench_attacks.py`. Both sides of a ratio are measured in turn.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import torch
from pytest_benchmark.fixture import BenchmarkFixture
from torch import Tensor, nn

from pytest_robustseiz.adapters import StochasticPasses
from pytest_robustseiz.adapters.dropout import dropout_on
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter
from pytest_robustseiz.demo_detector import demo_adapter
from pytest_robustseiz.shifts import ELECTRODES, FGSM, PGD, Attack

SFREQ = 256.0
MINUTES = 10
PASSES = 5
ROUNDS = 7


class Million(TorchAdapter):
    """About a million parameters, windows of ten seconds."""

    name = "million"
    window_s = 10.0
    step_s = 10.0

    def __init__(self) -> None:
        torch.manual_seed(0)
        super().__init__(
            nn.Sequential(
                nn.Conv1d(19, 96, 7, stride=2, padding=3), nn.ReLU(),
                nn.Conv1d(96, 288, 7, stride=4, padding=3), nn.ReLU(),
                nn.Conv1d(288, 400, 7, stride=4, padding=3), nn.ReLU(),
                nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.3), nn.Linear(400, 1), nn.Flatten(0),
            )
        )  # fmt: skip


DETECTORS: dict[str, Callable[[], TorchAdapter]] = {"million": Million, "demo": demo_adapter}
ATTACKS: list[Attack] = [FGSM(epsilon=0.1, mode="flip"), PGD(epsilon=0.1, mode="flip")]


def synthetic_eeg() -> npt.NDArray[np.float32]:
    """Noise, called synthetic."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((19, round(MINUTES * 60 * SFREQ)), dtype=np.float32) * np.float32(30)


def batches(adapter: TorchAdapter, eeg: npt.NDArray[np.float32]) -> list[Tensor]:
    windows = adapter.preprocess(torch.from_numpy(eeg.copy()), SFREQ, ELECTRODES)
    return [windows[start : start + adapter.batch_size] for start in range(0, len(windows), adapter.batch_size)]


def ratio_of(benchmark: BenchmarkFixture, ours: Callable[[], object], bare: Callable[[], object]) -> None:
    """Put the median ratio of two ways to do the same passes into the report, in time of one core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    ratios = []

    def pair() -> None:
        start = time.process_time()
        bare()
        middle = time.process_time()
        ours()
        ratios.append((time.process_time() - middle) / (middle - start))

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=1)
    torch.set_num_threads(threads)
    benchmark.extra_info["ratio"] = statistics.median(ratios[1:])


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.label)
@pytest.mark.parametrize("detector", DETECTORS)
def test_attack_over_bare_passes(benchmark: BenchmarkFixture, detector: str, attack: Attack) -> None:
    """An attacked recording, against as many forward and backward passes on the same windows."""
    adapter, eeg = DETECTORS[detector](), synthetic_eeg()
    windows, steps = batches(adapter, eeg), 1 if attack.name == "fgsm" else 10

    def bare() -> None:
        for batch in windows:
            for _ in range(steps):
                leaf = batch.detach().requires_grad_()
                torch.autograd.grad(adapter.module(leaf).sum(), leaf)
            with torch.no_grad():
                adapter.module(batch)

    ratio_of(benchmark, lambda: adapter.examine(eeg.copy(), SFREQ, ELECTRODES, attack=attack), bare)


@pytest.mark.parametrize("dropping", [True, False], ids=["dropout", "evaluation"])
@pytest.mark.parametrize("detector", DETECTORS)
def test_agreement_over_bare_passes(benchmark: BenchmarkFixture, detector: str, dropping: bool) -> None:  # noqa: FBT001
    """All three stages in one visit, against one pass and T more, with dropout on or without its own cost."""
    adapter, eeg = DETECTORS[detector](), synthetic_eeg()
    windows, asked = batches(adapter, eeg), StochasticPasses(PASSES, 0.8, 0)

    def bare() -> None:
        with torch.no_grad():
            for batch in windows:
                adapter.module(batch)
                if dropping:
                    with dropout_on(adapter.module):
                        for _ in range(PASSES):
                            adapter.module(batch)
                else:
                    for _ in range(PASSES):
                        adapter.module(batch)

    ratio_of(benchmark, lambda: adapter.examine(eeg.copy(), SFREQ, ELECTRODES, stochastic=asked), bare)
