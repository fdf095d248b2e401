"""EEGWaveNet as a detector for pytest-robustseiz.

The network is that of Thuwajit et al. 2021, "EEGWaveNet: Multiscale CNN-Based Spatiotemporal Feature Extraction for EEG
Seizure Detection", IEEE Transactions on Industrial Informatics, doi 10.1109/TII.2021.3133307. Weights, filter, windows
and vote are those of its SzCORE reproduction, esl-epfl/eegwavenet_2021.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from scipy.signal import butter, sosfiltfilt
from torch import Tensor, nn
from torch.nn import functional

from pytest_robustseiz.adapters import Eventizer, Montage, Windows, derive_pairs
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter, load_weights
from pytest_robustseiz.montage import DOUBLE_BANANA

N_SCALES = 6
N_FEATURES = 32
FOLDS = (1, 2, 3, 4, 5)

SFREQ_HZ = 256
LOWPASS_HZ = 64
FILTER_ORDER = 4
FILTER_PADDING = 3 * (FILTER_ORDER + 1)  # samples; scipy's default for this order


class EEGWaveNet(nn.Module):
    """Depthwise convolutions that halve the rate six times, and features of the five lower rates.

    Parameters
    ----------
    n_channels : int
        Rows of a window.
    """

    def __init__(self, *, n_channels: int = len(DOUBLE_BANANA)) -> None:
        super().__init__()
        for scale in range(1, N_SCALES + 1):
            halving = nn.Conv1d(n_channels, n_channels, kernel_size=2, stride=2, groups=n_channels)
            self.add_module(f"temp_conv{scale}", halving)
        for block in range(1, N_SCALES):
            self.add_module(f"chpool{block}", _spatiotemporal_block(n_channels))
        self.classifier = nn.Sequential(
            nn.Linear((N_SCALES - 1) * N_FEATURES, 64),
            nn.LeakyReLU(0.01),
            nn.Linear(64, 32),
            nn.Sigmoid(),  # not a second LeakyReLU; the weights fit either
            nn.Linear(32, 2),
        )

    def forward(self, windows: Tensor) -> Tensor:
        """Log-probabilities of background and seizure.

        Parameters
        ----------
        windows : Tensor, shape (n_batch, n_channels, n_window_samples)
            Microvolts, at least 448 samples each.

        Returns
        -------
        Tensor, shape (n_batch, 2)
        """
        signal = self.get_submodule("temp_conv1")(windows)
        features = []
        for block in range(1, N_SCALES):
            signal = self.get_submodule(f"temp_conv{block + 1}")(signal)
            features.append(self.get_submodule(f"chpool{block}")(signal).mean(dim=-1))
        return functional.log_softmax(self.classifier(torch.cat(features, dim=1)), dim=1)


def _spatiotemporal_block(n_channels: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv1d(n_channels, N_FEATURES, kernel_size=4),
        nn.BatchNorm1d(N_FEATURES),
        nn.LeakyReLU(0.01),
        nn.Conv1d(N_FEATURES, N_FEATURES, kernel_size=4),
        nn.BatchNorm1d(N_FEATURES),
        nn.LeakyReLU(0.01),
    )


class Folds(nn.ModuleList):
    """The networks of a cross-validation, side by side: one logit of seizure per window and network."""

    def forward(self, windows: Tensor) -> Tensor:
        """Run all networks.

        Parameters
        ----------
        windows : Tensor, shape (n_batch, n_channels, n_window_samples)

        Returns
        -------
        Tensor, shape (n_batch, n_folds)
            Its sigmoid is the network's probability of seizure.
        """
        log_probabilities = torch.stack([network(windows) for network in self], dim=1)
        return log_probabilities[..., 1] - log_probabilities[..., 0]


def load_folds(folder: Path) -> Folds:
    """Build the networks of all folds from their weights.

    Parameters
    ----------
    folder : Path
        Holds `model_fold_1.pt` to `model_fold_5.pt`.

    Raises
    ------
    ValueError
        When a file is missing or its weights are not those of an EEGWaveNet; the message names the file.
    """
    return Folds([_load_network(folder / f"model_fold_{fold}.pt") for fold in FOLDS])


def _load_network(path: Path) -> EEGWaveNet:
    if not path.is_file():
        raise ValueError(f"weights: expected the file {path}, which does not exist; README.md says where to get it")
    network = EEGWaveNet()
    try:
        network.load_state_dict(load_weights(path), strict=True)
    except RuntimeError as error:
        raise ValueError(f"weights: expected the state dict of an EEGWaveNet in {path}, got {error}") from error
    return network


def lowpass(signal: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Remove what is above 64 Hz, without delay.

    Parameters
    ----------
    signal : ndarray of float, shape (n_samples,)
        Microvolts at 256 Hz, at least one sample.

    Returns
    -------
    ndarray of float64, shape (n_samples,)
    """
    sections = butter(FILTER_ORDER, LOWPASS_HZ, fs=SFREQ_HZ, output="sos")
    padding = min(FILTER_PADDING, len(signal) - 1)  # scipy refuses to mirror more than there is
    filtered: npt.NDArray[np.float64] = sosfiltfilt(sections, signal, padlen=padding)
    return filtered


class EEGWaveNetAdapter(TorchAdapter):
    """Five EEGWaveNets that vote.

    Window i covers the seconds i to i + 4. A network calls second i a seizure when it says so in the windows i and
    i - 1 (the first second: in window 0), and the detector when three of five networks do. As in the published program,
    a window is judged only when the recording goes on after it, so the last 4 whole seconds, and what follows them, are
    never called a seizure.

    The order matters: networks that take turns outvote each other if the folds are combined first. So `logits` gives
    one column per network, and the votes are taken in `postprocess`.

    Parameters
    ----------
    weights : str or Path
        Folder with `model_fold_1.pt` to `model_fold_5.pt`.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.

    Raises
    ------
    ValueError
        See `load_folds`.
    """

    name = "eegwavenet"
    montages: tuple[Montage, ...] = ("unipolar", "bipolar")
    window_s: ClassVar[float] = 4.0
    step_s: ClassVar[float] = 1.0
    eventizer: ClassVar[Eventizer] = Eventizer(threshold=0.5, opening=0, closing=0, min_duration_s=0.0)

    def __init__(self, weights: str | Path, *, device: str = "cpu", batch_size: int = 512) -> None:
        super().__init__(load_folds(Path(weights)), device=device, batch_size=batch_size)

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Sequence[str]) -> Windows:
        """Windows of the low-passed double banana, in microvolts.

        Parameters
        ----------
        eeg : Tensor, shape (n_channels, n_samples), float32
            Microvolts: electrodes against any common reference, or the pairs themselves.
        sfreq : float
            256 Hz.
        channels : sequence of str
            Names of the rows, such as "Fp1" or "Fp1-F3".

        Returns
        -------
        Windows, shape (n_windows, 18, 1024)
            Cut on the CPU, so that a long recording needs no memory on the device.

        Raises
        ------
        ValueError
            At another sampling rate, or when an electrode is missing.
        """
        if sfreq != SFREQ_HZ:
            raise ValueError(f"sfreq: expected {SFREQ_HZ} Hz, which the weights are for, got {sfreq}; resample first")
        pairs = derive_pairs(eeg.cpu().numpy(), channels, DOUBLE_BANANA)  # a copy, so it can be filtered in place
        for pair in pairs:
            pair[:] = lowpass(pair)
        return self.windows(torch.from_numpy(pairs), sfreq)

    def logits(self, windows: Tensor) -> Tensor:
        """One logit per window and network.

        Parameters
        ----------
        windows : Tensor, shape (n_batch, 18, 1024)

        Returns
        -------
        Tensor, shape (n_batch, 5)
        """
        return super().logits(windows)

    def postprocess(
        self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float
    ) -> npt.NDArray[np.bool_]:
        """Take both votes, over neighbouring windows and then over networks.

        A network says seizure in both windows when the lesser of its probabilities is above one half, and most networks
        do when their median is.

        Parameters
        ----------
        probabilities : ndarray of float32, shape (n_windows, 5)
            Between 0 and 1.
        n_samples : int
            Length of the recording.
        sfreq : float
            256 Hz.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
        """
        second = round(sfreq)
        judged = probabilities[: max(n_samples // second - round(self.window_s), 0)]
        both = np.minimum(judged, np.concatenate([judged[:1], judged[:-1]]))
        seizure = np.median(both, axis=1) > self.eventizer.threshold
        mask = np.zeros(n_samples, dtype=np.bool_)
        mask[: len(seizure) * second] = np.repeat(seizure, second)
        return mask
