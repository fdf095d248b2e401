"""Attacks on a torch detector, between its preprocessing and its forward pass or through both."""

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pytest_robustseiz.adapters.batches import Windowed, windows_of
from pytest_robustseiz.adapters.examination import AttackLike, ExaminationUnavailable
from pytest_robustseiz.adapters.objective import Objective, forward_with_graph, largest_by_window
from pytest_robustseiz.adapters.outcome import AttackOutcome
from pytest_robustseiz.adapters.torch_steps import TorchSteps

Floats = npt.NDArray[np.float32]

# An attack goes over its input many times. On a CPU that costs as much as a small network does, unless a batch fits
# into the cache and its memory is used again instead of being given back to the system at each step.
CACHED_VALUES = 1 << 20


@dataclass(frozen=True, eq=False)
class Seen:
    """What the network saw and said.

    Attributes
    ----------
    windows : Windowed or None
        Input windows, where they were to be kept.
    probabilities : ndarray of float32, shape (n_windows,) or (n_windows, n)
        Of the network.
    outcome : AttackOutcome, optional
        What the attack achieved, where there was one.
    recording : ndarray of float32, shape (n_channels, n_samples), optional
        Microvolts, where the attack acts on the recording.
    """

    windows: Windowed | None
    probabilities: Floats
    outcome: AttackOutcome | None = None
    recording: Floats | None = None


def attack_windows(
    adapter: TorchSteps, windows: Windowed, attack: AttackLike, rng: np.random.Generator, *, keep: bool
) -> Seen:
    """Attack the input windows, batch by batch.

    Parameters
    ----------
    adapter : TorchSteps
        In evaluation mode, and under `torch.no_grad()`.
    windows : Windowed
        What its `preprocess` returned.
    attack : AttackLike
        Acts on windows.
    rng : numpy.random.Generator
        For the attack.
    keep : bool
        Whether to return the attacked windows too, on the CPU.
    """

    def one_batch(batch: Tensor, index: slice) -> tuple[Floats, AttackOutcome, Tensor | None]:
        state = rng.bit_generator.state
        try:
            return _attack_batch(adapter, batch, adapter.scale_uv(windows, index), attack, rng, keep=keep)
        except torch.OutOfMemoryError:
            rng.bit_generator.state = state  # the batch is tried again in halves: with the same numbers
            raise

    most = windows_of(CACHED_VALUES, windows) if adapter.device.type == "cpu" else None
    found, outcomes, kept = zip(*adapter.in_batches(windows, one_batch, most=most), strict=True)
    outcome = functools.reduce(operator.add, outcomes)
    return Seen(torch.cat(kept) if keep else None, np.concatenate(found), outcome)


def _attack_batch(
    adapter: TorchSteps,
    batch: Tensor,
    scale: Tensor | None,
    attack: AttackLike,
    rng: np.random.Generator,
    *,
    keep: bool,
) -> tuple[Floats, AttackOutcome, Tensor | None]:
    clean = batch.clone() if batch.is_inference() else batch
    everything = slice(len(clean))
    # The first forward pass serves the clean decision and the first gradient.
    graph = forward_with_graph(adapter, clean) if attack.guided else None
    objective = Objective(adapter, attack, graph[1].detach() if graph else adapter.checked_logits(clean.clone()))

    def gradient(point: Tensor) -> Tensor:
        nonlocal graph
        known, graph = graph, None
        leaf, logits = known if known and point is clean else forward_with_graph(adapter, point)
        return objective.gradient(leaf, logits, everything)

    attacked: Tensor = attack.attack(clean, gradient, rng)
    graph = None
    change = attacked - clean
    kept = attacked.cpu().clone() if keep else None  # the forward pass may write into its input
    after = adapter.checked_logits(attacked)
    largest = largest_by_window(change)
    outcome = objective.outcome(after, largest > 0, float(largest.max()))
    if scale is not None:
        outcome = _with_energies(outcome, change, clean, scale)
    return adapter.checked_probabilities(after), outcome, kept


def attack_recording(
    adapter: TorchSteps,
    eeg: Tensor,
    sfreq: float,
    channels: Sequence[str],
    attack: AttackLike,
    rng: np.random.Generator,
) -> Seen:
    """Attack the recording, through the preprocessing.

    Parameters
    ----------
    adapter : TorchSteps
        In evaluation mode, and under `torch.no_grad()`.
    eeg : Tensor, shape (n_channels, n_samples)
        Microvolts. It is not changed.
    sfreq : float
        Sampling rate in Hz.
    channels : sequence of str
        Names of the rows.
    attack : AttackLike
        Acts on recordings.
    rng : numpy.random.Generator
        For the attack.

    Raises
    ------
    ExaminationUnavailable
        When the preprocessing cannot be differentiated.
    ValueError
        When its gradient is not a number.
    """
    objective = Objective(adapter, attack, _all_logits(adapter, adapter.preprocess(eeg.clone(), sfreq, channels)))

    def gradient(point: Tensor) -> Tensor:
        leaf = point.detach().requires_grad_()
        total = torch.zeros_like(leaf)
        windows = _differentiable(adapter, leaf, sfreq, channels, attack)

        def pull(batch: Tensor, index: slice) -> None:
            slope = objective.gradient(*forward_with_graph(adapter, batch), index)
            # The graph of the preprocessing may be one for all batches, so it is kept.
            total.add_(torch.autograd.grad(batch, leaf, slope, retain_graph=True)[0])

        with torch.enable_grad():
            adapter.in_batches(windows, pull)
        return _require_numbers(adapter, total)

    attacked: Tensor = attack.attack(eeg, gradient, rng)
    change = attacked - eeg
    recording = attacked.cpu().numpy().copy()
    windows = adapter.preprocess(attacked, sfreq, channels)
    after = _all_logits(adapter, windows)
    moved = change.any().expand(len(after))
    outcome = objective.outcome(after, moved, float(change.abs().max()))
    outcome = _with_energies(outcome, change, eeg, torch.ones((), device=eeg.device))
    return Seen(windows, adapter.checked_probabilities(after), outcome, recording)


def _all_logits(adapter: TorchSteps, windows: Windowed) -> Tensor:
    return torch.cat(adapter.in_batches(windows, lambda batch, _: adapter.checked_logits(batch)))


def _differentiable(
    adapter: TorchSteps, leaf: Tensor, sfreq: float, channels: Sequence[str], attack: AttackLike
) -> Windowed:
    """Windows with a graph back to the recording."""
    try:
        with torch.enable_grad():
            windows = adapter.preprocess(leaf.clone(), sfreq, channels)
            if windows[0:1].requires_grad:
                return windows
        reason = "no gradient comes through it"
    except (RuntimeError, TypeError) as error:  # what torch raises where a tensor with a gradient turns to numpy
        reason = str(error)
    raise ExaminationUnavailable(
        f"{attack.label.partition('-')[0]} goes through the preprocessing, and that of {adapter.name} cannot be "
        f"differentiated: {reason}"
    )


def _require_numbers(adapter: TorchSteps, gradient: Tensor) -> Tensor:
    count = int(gradient.isnan().sum())
    if count:
        raise ValueError(
            f"preprocess: in {adapter.name} its gradient is not a number at {count} of {gradient.numel()} values; "
            "guard what divides by the deviation of a flat channel"
        )
    return gradient


def _with_energies(outcome: AttackOutcome, change: Tensor, clean: Tensor, scale: Tensor) -> AttackOutcome:
    # By norms and means, which need no second array of the windows' size.
    squares = torch.linalg.vector_norm(clean, dim=-1, keepdim=True).double().square()
    centred = (squares - clean.shape[-1] * clean.mean(dim=-1, keepdim=True).double().square()).clamp(min=0)
    change_energy = (torch.linalg.vector_norm(change, dim=-1, keepdim=True) * scale).double().square().sum()
    return replace(
        outcome,
        change_energy_uv2=float(change_energy),
        signal_energy_uv2=float((centred * scale.double().square()).sum()),
        scaled=change.numel(),
    )
