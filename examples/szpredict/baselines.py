"""The three baselines of SzPredict as predictors for pytest-robustseiz: random, majority and cnn.

Source: SzPredict, specification 0.1 (HyperReal, 2026), and what its repository, hyperreal-ai/SzPredict, says of the
network: convolutions that keep the length, ReLU after each normalisation, and the flattened end into the linear layers.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters import AgreementUnavailable, Montage, Windows, fingerprint, source_of
from pytest_robustseiz.adapters.batches import Windowed
from pytest_robustseiz.adapters.prediction import CLASSES, count_seconds
from pytest_robustseiz.adapters.torch_adapter import load_weights
from pytest_robustseiz.adapters.torch_predictor import TorchPredictor
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES

SFREQ_HZ = 256
ROWS: dict[Montage, tuple[str, ...]] = {"unipolar": ELECTRODES, "bipolar": DOUBLE_BANANA}
MONTAGES: dict[int, Montage] = {len(rows): montage for montage, rows in ROWS.items()}

Classes = npt.NDArray[np.int8]


class Untrained:
    """A predictor without weights, which looks at nothing."""

    name: str
    montages: tuple[Montage, ...] = ("unipolar", "bipolar")

    def agreement(self, *eeg: object, **stage: object) -> NoReturn:
        """There is nothing to agree."""
        raise AgreementUnavailable(f"{self.name} has no dropout")

    def fingerprint(self) -> str:
        """Hash of the code and the attributes, such as a seed."""
        return fingerprint(self.name, vars(self), source_of(type(self)))


class MajorityPredictor(Untrained):
    """Always interictal: right most of the time, and of no use."""

    name = "szpredict-majority"

    def predict(self, eeg: npt.NDArray[np.float32], sfreq: float, channels: Sequence[str]) -> Classes:
        """Class of each whole second; see `PredictionAdapter.predict`."""
        return np.zeros(count_seconds(eeg.shape[1], sfreq), dtype=np.int8)


class RandomPredictor(Untrained):
    """Each class with the same probability.

    What is drawn follows from the seed and from what the recording holds, so neither the order of calls nor the worker
    matters; a recording under a shift is another recording, and gets other classes.

    Parameters
    ----------
    seed : int
    """

    name = "szpredict-random"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def predict(self, eeg: npt.NDArray[np.float32], sfreq: float, channels: Sequence[str]) -> Classes:
        """Class of each whole second; see `PredictionAdapter.predict`."""
        content = hashlib.blake2b(np.ascontiguousarray(eeg).data, digest_size=16).digest()
        rng = np.random.default_rng([self.seed, int.from_bytes(content, "big")])
        return rng.integers(len(CLASSES), size=count_seconds(eeg.shape[1], sfreq), dtype=np.int8)


class Cnn(nn.Sequential):
    """Three convolutions and two linear layers over one second.

    Parameters
    ----------
    n_channels : int
        19 for electrodes, 18 for the pairs of the double banana.
    """

    def __init__(self, n_channels: int) -> None:
        super().__init__(
            *_block(n_channels, 32, kernel=7),
            *_block(32, 64, kernel=5),
            *_block(64, 64, kernel=3),
            nn.Dropout(0.3),
            nn.Flatten(),
            nn.Linear(64 * (SFREQ_HZ // 8), 64),
            nn.ReLU(),
            nn.Linear(64, len(CLASSES)),
        )
        self.n_channels = n_channels


def _block(inputs: int, outputs: int, *, kernel: int) -> list[nn.Module]:
    convolution = nn.Conv1d(inputs, outputs, kernel, padding=kernel // 2)
    return [convolution, nn.BatchNorm1d(outputs), nn.ReLU(), nn.MaxPool1d(2)]


class CnnPredictor(TorchPredictor):
    """The network on raw windows: microvolts, one second after the other, nothing filtered, scaled or normalised.

    No factor is needed to train it, since the batch normalisation after the first convolution takes any out again. An
    attack's epsilon is in microvolts here.

    Parameters
    ----------
    network : Cnn
        Its number of channels decides which montage it accepts.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.
    """

    name = "szpredict-cnn"

    def __init__(self, network: Cnn, *, device: str = "cpu", batch_size: int = 256) -> None:
        super().__init__(network, device=device, batch_size=batch_size)
        self.montages = (MONTAGES[network.n_channels],)

    @classmethod
    def load(cls, weights: str | Path, *, device: str = "cpu") -> "CnnPredictor":
        """Predictor with the weights that train.py wrote.

        Raises
        ------
        ValueError
            When the file is missing, or its weights are not those of a `Cnn`; the message names it.
        """
        path = Path(weights)
        if not path.is_file():
            raise ValueError(f"weights: expected the file {path}, which does not exist; train.py writes one")
        state = load_weights(path)
        n_channels = state["0.weight"].shape[1] if "0.weight" in state else 0
        if n_channels not in MONTAGES:
            raise ValueError(f"weights: expected those of a Cnn in {path}, got {', '.join(state) or 'nothing'}")
        network = Cnn(n_channels)
        try:
            network.load_state_dict(state)
        except RuntimeError as error:
            raise ValueError(f"weights: expected those of a Cnn in {path}, got {error}") from error
        return cls(network, device=device)

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Sequence[str]) -> Windows:
        """Cut into seconds.

        Parameters
        ----------
        eeg : Tensor, shape (n_channels, n_samples), float32
            Microvolts.
        sfreq : float
            256 Hz.
        channels : sequence of str
            Names of the rows.

        Returns
        -------
        Windows, shape (n_windows, n_channels, 256)

        Raises
        ------
        ValueError
            At another rate, or when the rows are not those of the montage, in order.
        """
        rows = ROWS[self.montages[0]]
        if tuple(channels) != rows:
            raise ValueError(f"channels: {self.name} was trained on {', '.join(rows)}, got {', '.join(channels)}")
        if sfreq != SFREQ_HZ:
            raise ValueError(f"sfreq: {self.name} expects {SFREQ_HZ} Hz, got {sfreq}; resample the recording")
        return self.windows(eeg, sfreq)

    def scale_uv(self, windows: Windowed, index: slice) -> Tensor:
        """See `TorchSteps.scale_uv`: the windows are in microvolts."""
        return torch.ones((), device=self.device)
