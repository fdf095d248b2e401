"""What the harness asks of an author: a predictor, a way to train one, and who was in its training."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from baselines import CnnPredictor, MajorityPredictor, RandomPredictor
from fitting import fit, hold_out
from train import list_of_subjects

from pytest_robustseiz.adapters.prediction import PredictionAdapter
from pytest_robustseiz.training import read_training_subjects
from pytest_robustseiz.trainingset import TrainingSet

UNTRAINED: dict[str, type[RandomPredictor | MajorityPredictor]] = {
    "random": RandomPredictor,
    "majority": MajorityPredictor,
}
# Protocols 1 and 2 train a network for each patient: on the synthetic corpus these are enough, and take minutes.
EPOCHS = 10
PATIENCE = 3


def baseline() -> str:
    """Which baseline SZPREDICT_BASELINE asks for."""
    name = os.environ.get("SZPREDICT_BASELINE", "cnn")
    if name not in (*UNTRAINED, "cnn"):
        raise pytest.UsageError(f"SZPREDICT_BASELINE: expected random, majority or cnn, got {name!r}")
    return name


def trains(config: pytest.Config) -> bool:
    """Whether the run trains networks itself, so that there are no weights to load."""
    return config.getoption("--robustseiz-protocol") in ("1", "2")


@pytest.fixture(scope="session")
def robustseiz_adapter(pytestconfig: pytest.Config, robustseiz_device: str) -> PredictionAdapter | None:
    """For protocols 3 and 4: the network with the weights that SZPREDICT_WEIGHTS names, or another baseline."""
    if trains(pytestconfig):
        return None
    if baseline() in UNTRAINED:
        return UNTRAINED[baseline()]()
    weights = os.environ.get("SZPREDICT_WEIGHTS")
    if not weights:  # not a skip: a gate that skips lets everything through
        raise pytest.UsageError("SZPREDICT_WEIGHTS: expected the file that train.py wrote, got nothing; see README.md")
    return CnnPredictor.load(weights, device=robustseiz_device)


@pytest.fixture(scope="session")
def robustseiz_training_subjects(pytestconfig: pytest.Config) -> tuple[str, ...]:
    """Those that train.py listed beside the weights."""
    weights = os.environ.get("SZPREDICT_WEIGHTS")
    if baseline() in UNTRAINED or trains(pytestconfig) or not weights:
        return ()
    return read_training_subjects(list_of_subjects(Path(weights)))


@pytest.fixture(scope="session")
def robustseiz_train(robustseiz_device: str) -> Callable[[TrainingSet], PredictionAdapter]:
    """For protocols 1 and 2: train the network; the other baselines have nothing to learn."""
    if baseline() in UNTRAINED:
        return lambda _: UNTRAINED[baseline()]()

    def train(training: TrainingSet) -> PredictionAdapter:
        network = fit(*hold_out(training), epochs=EPOCHS, patience=PATIENCE, device=robustseiz_device)
        return CnnPredictor(network, device=robustseiz_device)

    return train
