"""SeizureTransformer as a detector for pytest-robustseiz.

The network is that of Wu, Zhao and Yener 2025, arXiv 2504.00336. Normalisation, filters, windows and rules are those of
the program that its authors released, keruiwu/SeizureTransformer; README.md says where it differs from the paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from scipy.signal import butter, iirnotch, sosfilt, tf2sos
from seizure_transformer_network import SeizureTransformer
from torch import Tensor

from pytest_robustseiz.adapters import Eventizer, Montage, Windows
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter, Windowed, load_weights, zscore
from pytest_robustseiz.montage import ELECTRODES

SFREQ_HZ = 256
BAND_HZ = (0.5, 120)
BAND_ORDER = 3
NOTCHES_HZ = (1, 60)  # heart and mains, says the paper
NOTCH_Q = 30


def impulse_response(n_samples: int) -> npt.NDArray[np.float64]:
    """Response of the band-pass and the two notches to a single sample of 1.

    Parameters
    ----------
    n_samples : int

    Returns
    -------
    ndarray of float64, shape (n_samples,)
    """
    band = butter(BAND_ORDER, BAND_HZ, btype="bandpass", fs=SFREQ_HZ, output="sos")
    notches = [tf2sos(*iirnotch(frequency, NOTCH_Q, fs=SFREQ_HZ)) for frequency in NOTCHES_HZ]
    impulse = np.zeros(n_samples)
    impulse[0] = 1
    response: npt.NDArray[np.float64] = sosfilt(np.concatenate([band, *notches]), impulse)
    return response


@dataclass(frozen=True, eq=False)
class Filtering:
    """Filters each window from rest, as the release does.

    From rest a filter's output is the convolution of the window with the start of its impulse response, which is exact,
    runs where the windows are and has a gradient.

    Attributes
    ----------
    response : Tensor, shape (n_window_samples,)
        Impulse response.
    scale_uv : Tensor, shape (n_channels, 1)
        Microvolts per unit of the windows.
    """

    response: Tensor
    scale_uv: Tensor

    def __call__(self, windows: Tensor) -> Tensor:
        """Windows of the same shape, (n, n_channels, n_window_samples)."""
        length = 2 * windows.shape[-1]  # so that nothing wraps around
        spectrum = torch.fft.rfft(windows, length) * torch.fft.rfft(self.response, length).to(torch.complex64)
        filtered: Tensor = torch.fft.irfft(spectrum, length)[..., : windows.shape[-1]]
        return filtered


def load_network(path: Path) -> SeizureTransformer:
    """Build the network from the authors' weights.

    Parameters
    ----------
    path : Path
        State dict, `model.pth` in the release.

    Raises
    ------
    ValueError
        When the file is missing or is not the state dict of a SeizureTransformer; the message names the file.
    """
    if not path.is_file():
        raise ValueError(f"weights: expected the file {path}, which does not exist; README.md says where to get it")
    network = SeizureTransformer()
    try:
        network.load_state_dict(load_weights(path), strict=True)
    except RuntimeError as error:
        raise ValueError(f"weights: expected the state dict of a SeizureTransformer in {path}, got {error}") from error
    return network


class SeizureTransformerAdapter(TorchAdapter):
    """SeizureTransformer on windows of 60 s, one after the other, with a probability per sample.

    Parameters
    ----------
    module : SeizureTransformer
        From `load_network`, or a smaller one of one's own.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.
    """

    name = "seizure-transformer"
    montages: tuple[Montage, ...] = ("unipolar",)
    window_s: ClassVar[float] = 60.0
    step_s: ClassVar[float] = 60.0
    eventizer: ClassVar[Eventizer] = Eventizer(threshold=0.8, opening=5, closing=5, min_duration_s=2.0)

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Sequence[str]) -> Windowed:
        """Each channel of the recording to mean 0 and deviation 1, then windows, each filtered from rest.

        Parameters
        ----------
        eeg : Tensor, shape (19, n_samples), float32
            Microvolts against the common average.
        sfreq : float
            256 Hz.
        channels : sequence of str
            The 19 electrodes in the order of `ELECTRODES`, which is the release's too.

        Returns
        -------
        Windows, shape (n_windows, 19, 15360)
            The last is filled up with zeros before it is filtered. A flat channel is zero.

        Raises
        ------
        ValueError
            At another sampling rate or for other channels.
        """
        if sfreq != SFREQ_HZ:
            raise ValueError(f"sfreq: expected {SFREQ_HZ} Hz, which the weights are for, got {sfreq}; resample first")
        if tuple(channels) != ELECTRODES:
            raise ValueError(f"channels: expected {', '.join(ELECTRODES)}, got {', '.join(channels)}")
        normalised = torch.empty_like(eeg)
        for i, channel in enumerate(eeg):  # one at a time, for memory
            normalised[i] = zscore(channel)
        windows = self.windows(normalised, sfreq)
        response = torch.from_numpy(impulse_response(windows.window)).to(eeg.device)
        deviation = eeg.detach().std(dim=1, correction=0, keepdim=True)
        return windows.map(Filtering(response, deviation))

    def scale_uv(self, windows: Windowed, index: slice) -> Tensor | None:
        """Microvolts per unit: the deviation of each channel of the recording.

        Parameters
        ----------
        windows : Windowed
            What `preprocess` returned.
        index : slice
            Not looked at: it is the same for all windows.

        Returns
        -------
        Tensor, shape (19, 1)
        """
        if isinstance(windows, Windows) and isinstance(windows.transform, Filtering):
            return windows.transform.scale_uv.to(self.device)
        return None
