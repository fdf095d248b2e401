"""Train SzPredict's network on the train subjects of protocol 3, choose the epoch on its val subjects, write weights.

    python train.py demo cnn.pt                      # the synthetic corpus, made in this folder
    python train.py data/chbmit-bids cnn.pt          # a BIDS tree whose subjects are CHB-MIT's

No file of a test subject is opened. Beside the weights goes a list of the subjects that were used.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from fitting import EPOCHS, PATIENCE, fit

from pytest_robustseiz.corpus import Subject, discover
from pytest_robustseiz.demo_prediction import demo_prediction_corpus
from pytest_robustseiz.protocols import fixed_split
from pytest_robustseiz.scoring import CLASSES
from pytest_robustseiz.trainingset import TrainingSet


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, train, write."""
    given = _parser().parse_args(arguments)
    folder = demo_prediction_corpus(Path()) if given.data == "demo" else Path(given.data)
    subjects = discover(folder)
    training, validation = (_recordings(fixed_split(subjects, part)) for part in ("train", "val"))
    for name, recordings in (("training", training), ("validation", validation)):
        print(f"{name}: {describe(recordings)}", flush=True)
    network = fit(
        training,
        validation,
        epochs=given.epochs,
        patience=given.patience,
        seed=given.seed,
        device=given.device,
        say=lambda text: print(text, flush=True),
    )
    torch.save(network.state_dict(), given.weights)
    used = list_of_subjects(given.weights)
    used.write_text("\n".join([*training.subjects, *validation.subjects, ""]), encoding="utf-8")
    print(f"wrote {given.weights} ({given.weights.stat().st_size} bytes) and {used}")
    print(f"now: SZPREDICT_WEIGHTS={given.weights} pytest --robustseiz-data={folder} ..., see README.md")


def list_of_subjects(weights: Path) -> Path:
    """Where the subjects stand that some weights were trained and chosen on."""
    return weights.with_suffix(".subjects.txt")


def describe(recordings: TrainingSet) -> str:
    """Say what a set holds."""
    labels = np.concatenate([own.labels for own in recordings.labels().values()])
    counts = [f"{int(np.count_nonzero(labels == label))} {name}" for label, name in enumerate(CLASSES)]
    return f"{', '.join(recordings.subjects)}; {len(recordings)} recordings, seconds {', '.join(counts)}"


def _recordings(subjects: Sequence[Subject]) -> TrainingSet:
    return TrainingSet([files for subject in subjects for files in subject.recordings])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Train SzPredict's network for protocol 3.")
    parser.add_argument("data", help="folder of a BIDS tree, or 'demo' for the synthetic corpus")
    parser.add_argument("weights", type=Path, help="file to write")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help=f"at most (default: {EPOCHS})")
    parser.add_argument("--patience", type=int, default=PATIENCE, help=f"epochs without gain (default: {PATIENCE})")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--device", default="cpu", help="such as cuda:0 (default: cpu)")
    return parser


if __name__ == "__main__":
    main()
