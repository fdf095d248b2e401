"""Training SzPredict's network on recordings that are read one at a time."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from baselines import SFREQ_HZ, Cnn, CnnPredictor
from torch import Tensor, nn

from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.scoring import CLASSES, EXCLUDED, prediction_scores
from pytest_robustseiz.trainingset import TrainingSet

# Batch, epochs, patience and learning rate are those of SzPredict's own baseline, as is the unweighted loss.
BATCH = 64
EPOCHS = 50
PATIENCE = 10
LEARNING_RATE = 1e-3
# Windows that are mixed with each other, 160 MB. Training takes about three times as much, and one recording.
POOL = 8192

Pair = tuple[Tensor, Tensor]
Labels = npt.NDArray[np.int8]


def fit(
    training: TrainingSet,
    validation: TrainingSet | None,
    *,
    epochs: int = EPOCHS,
    patience: int = PATIENCE,
    seed: int = 0,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> Cnn:
    """Train a network; the same recordings and seed give the same weights on one kind of machine.

    Every window weighs the same in the loss, whatever its class ("equal class weights").

    Parameters
    ----------
    training : TrainingSet
        What the weights are fitted to.
    validation : TrainingSet or None
        What the epoch is chosen by: the best balanced accuracy, of equal ones the first. None: the last is taken.
    epochs, patience : int
        Most epochs, and after how many without a better one training ends.
    seed : int
        Of weights, order and dropout.
    device : str
        Such as "cpu" or "cuda:0".
    say : callable
        Gets a line for each epoch.

    Returns
    -------
    Cnn
        On the CPU.

    Raises
    ------
    ValueError
        When there is no window to learn from or to choose by, or recordings differ in their channels.
    """
    with _reproducible(seed, device):
        channels = read_recording(training.files[0]).channels
        network = Cnn(len(channels)).to(device)
        optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
        best = Best()
        for epoch in range(1, epochs + 1):
            rng = np.random.default_rng([seed, epoch])
            text = f"epoch {epoch}: loss {_one_epoch(network, optimiser, batches(training, channels, rng)):.4f}"
            if validation is not None:
                score = balanced_accuracy(network, validation)
                best.offer(epoch, score, network)
                text += f", balanced accuracy on validation {score:.4f}"
            say(text)
            if validation is not None and epoch - best.epoch >= patience:
                break
        if validation is not None:
            say(f"kept epoch {best.epoch}")
            network.load_state_dict(best.state)
        return network.cpu()


def hold_out(training: TrainingSet) -> tuple[TrainingSet, TrainingSet | None]:
    """Keep some subjects of a training set apart to choose the epoch by, where no others are given.

    Parameters
    ----------
    training : TrainingSet

    Returns
    -------
    training, validation : TrainingSet, TrainingSet or None
        The last fifth of the subjects is for validation, at least one; none of a single subject, since any part of two
        recordings or three would be too little of either.
    """
    subjects = training.subjects
    kept = subjects[: len(subjects) - max(1, len(subjects) // 5)]
    if not kept:
        return training, None
    parts = [[files for files in training.files if (files.subject in kept) is fitted] for fitted in (True, False)]
    return TrainingSet(parts[0]), TrainingSet(parts[1])


@dataclass
class Best:
    """The best epoch so far."""

    epoch: int = 0
    score: float = -1.0
    state: dict[str, Tensor] = field(default_factory=dict)

    def offer(self, epoch: int, score: float, network: Cnn) -> None:
        """Keep an epoch that is better."""
        if score > self.score:
            self.epoch, self.score, self.state = epoch, score, copy.deepcopy(network.state_dict())


def balanced_accuracy(network: Cnn, recordings: TrainingSet) -> float:
    """Mean recall over the classes that occur.

    Raises
    ------
    ValueError
        When there is no window that counts.
    """
    predictor = CnnPredictor(network, device=str(next(network.parameters()).device))
    confusion = np.zeros((len(CLASSES), len(CLASSES)), dtype=np.int64)
    for one in recordings:
        recording, labels = one.recording, one.labels.labels
        classes = predictor.predict(recording.eeg, recording.sfreq, recording.channels)
        counts = labels != EXCLUDED
        np.add.at(confusion, (labels[counts], classes[counts]), 1)
    score = prediction_scores(confusion.tolist()).balanced_accuracy
    if np.isnan(score):
        raise ValueError(f"validation: no window counts in the recordings of {', '.join(recordings.subjects)}")
    return score


def batches(training: TrainingSet, channels: Sequence[str], rng: np.random.Generator) -> Iterator[Pair]:
    """Batches of windows that are mixed over many recordings.

    Recordings come in random order. Their windows gather in a pool; when it is full, a random half of it leaves.

    Parameters
    ----------
    training : TrainingSet
        Its excluded windows are left out.
    channels : sequence of str
        What every recording must have.
    rng : numpy.random.Generator

    Yields
    ------
    windows : Tensor, shape (n_batch, n_channels, 256), float32
        Microvolts.
    labels : Tensor, shape (n_batch,), int64
        0, 1 or 2.
    """
    labels = training.labels()
    pool: list[Pair] = []
    for place in rng.permutation(len(training.files)):
        files = training.files[place]
        pool.append(_learnable(files, labels[files].labels, channels))
        if sum(len(classes) for _, classes in pool) >= POOL:
            windows, classes = _mixed(pool, rng)
            half = len(classes) // 2 // BATCH * BATCH
            yield from _cut(windows[:half], classes[:half])
            pool = [(windows[half:].clone(), classes[half:])]
    yield from _cut(*_mixed(pool, rng))


def _learnable(files: RecordingFiles, labels: Labels, channels: Sequence[str]) -> Pair:
    """Windows of a recording that are not excluded, and their labels."""
    recording = read_recording(files)
    if recording.channels != tuple(channels):
        raise ValueError(
            f"{files.eeg}: expected the channels {', '.join(channels)}, got {', '.join(recording.channels)}"
        )
    seconds = recording.eeg[:, : len(labels) * SFREQ_HZ].reshape(len(channels), len(labels), SFREQ_HZ)
    kept = labels != EXCLUDED
    return torch.from_numpy(seconds[:, kept].swapaxes(0, 1)), torch.from_numpy(labels[kept].astype(np.int64))


def _mixed(pool: Sequence[Pair], rng: np.random.Generator) -> Pair:
    windows, classes = torch.cat([pair[0] for pair in pool]), torch.cat([pair[1] for pair in pool])
    order = torch.from_numpy(rng.permutation(len(classes)))
    return windows[order], classes[order]


def _cut(windows: Tensor, classes: Tensor) -> Iterator[Pair]:
    for start in range(0, len(classes), BATCH):
        if len(classes) - start > 1:  # a batch normalisation has no use for a single window
            yield windows[start : start + BATCH], classes[start : start + BATCH]


def _one_epoch(network: Cnn, optimiser: torch.optim.Optimizer, pairs: Iterator[Pair]) -> float:
    """Take a step for each batch; return the mean loss."""
    device = next(network.parameters()).device
    network.train()
    losses = []
    for windows, classes in pairs:
        loss = nn.functional.cross_entropy(network(windows.to(device)), classes.to(device))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    if not losses:
        raise ValueError("training: no window to learn from; are all recordings excluded or under a second long?")
    return float(np.mean(losses))


@contextmanager
def _reproducible(seed: int, device: str) -> Iterator[None]:
    """Seed torch, and let nothing else decide how sums are rounded; both as before afterwards."""
    threads = torch.get_num_threads()
    devices = [torch.device(device)] if torch.device(device).type == "cuda" else []
    with torch.random.fork_rng(devices), torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True):
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # a process beside this one may have another share of the cores
        try:
            yield
        finally:
            torch.set_num_threads(threads)
