"""Train the demo detector on synthetic subjects that the demo corpus doesn't hold, and write its weights.

    python examples/demo_training/train.py [weights.pt]

Runs on one CPU core in three to four minutes. The seed is fixed: the same machine and torch give the same weights.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters.torch_adapter import zscore
from pytest_robustseiz.demo_detector import SFREQ_HZ, DemoDetector, DemoNetwork
from pytest_robustseiz.demo_seizures import MIRROR
from pytest_robustseiz.demo_signals import SyntheticRecording, synthetic_subject
from pytest_robustseiz.scoring import ZERO, event_counts, mask_to_events
from pytest_robustseiz.shifts import ELECTRODES

TRAINING_SUBJECTS = range(101, 161)
VALIDATION_SUBJECTS = range(161, 171)
WEIGHTS = Path(__file__).resolve().parents[2] / "pytest_robustseiz" / "demo_weights.pt"

SEED = 7
EPOCHS = 20
BATCH = 16
LEARNING_RATE = 3e-3
WINDOW = round(DemoDetector.window_s * SFREQ_HZ)

# Row of the electrode on the other side: left and right are alike in the synthetic head.
MIRRORED = [ELECTRODES.index(MIRROR.get(name, name)) for name in ELECTRODES]

Pair = tuple[Tensor, Tensor]


def main() -> None:
    """Train, validate after each fourth epoch, save the last."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    training, validation = load(TRAINING_SUBJECTS), load(VALIDATION_SUBJECTS)
    network = train(training, validation)
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS
    torch.save(network.state_dict(), path)
    print(f"wrote {path}, {path.stat().st_size} bytes")


def load(subjects: range) -> list[Pair]:
    """All recordings of the subjects, as `pair` returns them."""
    return [pair(recording) for subject in subjects for recording in synthetic_subject(subject)]


def pair(recording: SyntheticRecording) -> Pair:
    """EEG, shape (19, n_samples), microvolts, and label, shape (n_samples,), 0 or 1; both float32."""
    label = torch.zeros(recording.eeg.shape[1])
    for seizure in recording.seizures:
        label[round(seizure.onset_s * SFREQ_HZ) : round(seizure.stop_s * SFREQ_HZ)] = 1
    return torch.from_numpy(recording.eeg.astype(np.float32)), label


def train(training: list[Pair], validation: list[Pair]) -> DemoNetwork:
    """Fit a network by AdamW with a one-cycle learning rate; which epoch is kept is not chosen: the last."""
    rng = np.random.default_rng(SEED)
    network = DemoNetwork()
    steps = len(epoch_starts(training, np.random.default_rng(SEED))) // BATCH
    optimiser = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=EPOCHS * (steps + 2))
    for epoch in range(EPOCHS):
        began, losses = time.monotonic(), []
        for eeg, label in batches(training, rng):
            loss = nn.functional.binary_cross_entropy_with_logits(network(eeg), label)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        report = f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, {time.monotonic() - began:.0f} s"
        print(report + (f", {validate(network, validation)}" if epoch % 4 == 3 else ""), flush=True)
    return network


def epoch_starts(recordings: list[Pair], rng: np.random.Generator) -> list[tuple[int, int]]:
    """(recording, first sample) of an epoch's windows: half overlapping, shifted at random, in random order."""
    starts = [
        (i, start)
        for i, (eeg, _) in enumerate(recordings)
        for start in range(rng.integers(WINDOW // 2), eeg.shape[1] - WINDOW + 1, WINDOW // 2)
    ]
    return [starts[k] for k in rng.permutation(len(starts))]


def batches(recordings: list[Pair], rng: np.random.Generator) -> Iterator[Pair]:
    """Batches of normalised windows and their labels, half of the windows mirrored."""
    starts = epoch_starts(recordings, rng)
    for first in range(0, len(starts) - BATCH + 1, BATCH):
        chosen = starts[first : first + BATCH]
        eeg = torch.stack([recordings[i][0][:, start : start + WINDOW] for i, start in chosen])
        mirrored = torch.from_numpy(rng.random(len(eeg)) < 0.5)
        eeg[mirrored] = eeg[mirrored][:, MIRRORED]
        yield zscore(eeg), torch.stack([recordings[i][1][start : start + WINDOW] for i, start in chosen])


def validate(network: DemoNetwork, recordings: list[Pair]) -> str:
    """Event scores on subjects that the network wasn't fitted to."""
    detector, counts = DemoDetector(network), ZERO
    for eeg, label in recordings:
        found = mask_to_events(detector.detect(eeg.numpy(), SFREQ_HZ, ELECTRODES), SFREQ_HZ)
        true = mask_to_events(label.numpy() > 0, SFREQ_HZ)
        counts += event_counts(true, found, sfreq=SFREQ_HZ, n_samples=len(label))
    network.train()
    return f"validation: F1 {counts.f1:.2f}, {counts.tp} of {counts.reference} found, {counts.fp} false"


if __name__ == "__main__":
    main()
