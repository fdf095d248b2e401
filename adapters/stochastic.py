"""Stochastic passes of a torch detector."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pytest_robustseiz.adapters.agreement import Agreement, AgreementUnavailable, StochasticPasses
from pytest_robustseiz.adapters.batches import Windowed, run_in_batches, windows_of
from pytest_robustseiz.adapters.contract import DetectorOutputError
from pytest_robustseiz.adapters.dropout import dropout_on, seeded
from pytest_robustseiz.adapters.torch_steps import TorchSteps

# Dropout masks depend on the shape of what is dropped from, so windows go through in groups whose size follows from the
# shape of a window and nothing else: results are then the same whatever the adapter's batch size.
GROUP_VALUES = 1 << 20
PROBE_WINDOWS = 8
PROBES = 8  # passes until two differ; dropout with a small probability may drop nothing in one of them


def agree(adapter: TorchSteps, windows: Windowed, n_samples: int, sfreq: float, asked: StochasticPasses) -> Agreement:
    """Run the passes on windows that were preprocessed once.

    Parameters
    ----------
    adapter : TorchSteps
        In evaluation mode, and under `torch.no_grad()`.
    windows : Windowed
        What its `preprocess` returned.
    n_samples : int
        Length of the recording.
    sfreq : float
        Sampling rate in Hz.
    asked : StochasticPasses
        Number of passes, threshold and seed.

    Raises
    ------
    AgreementUnavailable
        When no dropout acts, or the detector cannot say what the probability of a sample is.
    DetectorOutputError
        When the detector is random without dropout.
    """
    size = min(windows_of(GROUP_VALUES, windows), adapter.group_limit)
    require_dropout(adapter, windows)

    def all_passes(batch: Tensor, index: slice) -> list[npt.NDArray[np.float32]]:
        with seeded(adapter.device, asked.seed, index.start), dropout_on(adapter.module):
            return [adapter.checked_probabilities(_logits(adapter, batch)) for _ in range(asked.passes)]

    groups, ended = run_in_batches(windows, size, adapter.device, all_passes)
    if ended < size:
        adapter.group_limit = ended
        adapter.remark(
            f"out of memory with {size} windows at once in stochastic passes, which went on with {ended}; "
            "their random masks, and so phi, differ from those of a run with more memory"
        )
    passes = (np.concatenate([group[i] for group in groups]) for i in range(asked.passes))
    try:
        return _count([adapter.timeline(values, n_samples, sfreq) for values in passes], asked.tau)
    except ValueError as error:
        raise AgreementUnavailable(
            f"{adapter.name} does not say what the probability of a sample is: {error}; override timeline()"
        ) from error


def require_dropout(adapter: TorchSteps, windows: Windowed) -> None:
    """Find out, once per adapter, whether its passes differ with dropout on and don't without.

    Raises
    ------
    AgreementUnavailable, DetectorOutputError
        As `agree`.
    """
    if adapter.has_dropout is None:
        batch = windows[0:PROBE_WINDOWS].to(adapter.device)
        _require_steady(adapter, batch)
        # Dropout may have nothing to act on in a silent window.
        adapter.has_dropout = any(_dropout_acts(adapter, probe) for probe in (batch, _noise(batch)))
    if not adapter.has_dropout:
        raise AgreementUnavailable(
            f"{adapter.name} has no dropout that acts: passes with dropout on do not differ from each other"
        )


def _require_steady(adapter: TorchSteps, batch: Tensor) -> None:
    first, second = _logits(adapter, batch), _logits(adapter, batch)
    if _differ(first, second):
        raise DetectorOutputError(
            f"{adapter.name} is random in evaluation mode: the same windows gave logits that differ by "
            f"{float((first - second).abs().max()):.3g}; switch off what is random there"
        )


def _dropout_acts(adapter: TorchSteps, batch: Tensor) -> bool:
    with seeded(adapter.device, 0), dropout_on(adapter.module):
        first = _logits(adapter, batch)
        return any(_differ(first, _logits(adapter, batch)) for _ in range(PROBES))


def _logits(adapter: TorchSteps, batch: Tensor) -> Tensor:
    return adapter.checked_logits(batch.clone())  # each pass gets its own: a network may write into its input


def _differ(first: Tensor, second: Tensor) -> bool:
    # By more than the rounding of sums that a GPU adds up in any order.
    return bool((first - second).abs().max() > 1e-5 * (1 + first.abs().max()))


def _noise(batch: Tensor) -> Tensor:
    values = np.random.default_rng(0).standard_normal(tuple(batch.shape), dtype=np.float32)
    return torch.as_tensor(values, dtype=batch.dtype, device=batch.device)


def _count(timelines: list[npt.NDArray[np.float32]], tau: float) -> Agreement:
    votes = sum((timeline >= tau).astype(np.float32) for timeline in timelines)
    mean = sum(timeline.astype(np.float64) for timeline in timelines) / len(timelines)
    phi = np.asarray(votes / np.float32(len(timelines)), dtype=np.float32)
    return Agreement(phi, np.asarray(mean, dtype=np.float32))
