"""Detectors written in PyTorch: three steps that an author overrides."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.batches import Windowed
from pytest_robustseiz.adapters.contract import Array
from pytest_robustseiz.adapters.torch_model import NEAR, TorchModel
from pytest_robustseiz.adapters.torch_parts import evaluating, load_weights, zscore

__all__ = ["TorchAdapter", "Windowed", "evaluating", "load_weights", "zscore"]


class TorchAdapter(TorchModel):
    """A detector made of `preprocess`, `logits` and `postprocess`.

    Override `preprocess` for other windows or another normalisation, `logits` for a model whose output is not one
    logit, `postprocess` for other rules. The module is put into evaluation mode and on the device.

    Parameters
    ----------
    module : torch.nn.Module
        Maps (n_windows, n_channels, n_window_samples) to one logit per window or per sample.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.

    Attributes
    ----------
    name : str
        Class attribute; what the registry calls the detector.
    montages : tuple of {"unipolar", "bipolar"}
        Class attribute.
    window_s, step_s : float
        Class attributes: length of a window and distance of their starts, in seconds.
    eventizer : Eventizer
        Class attribute: threshold, opening, closing and minimum duration.
    """

    question: ClassVar[str] = "detect"

    def detect(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """See `Adapter.detect`."""
        return self.postprocess(self.probabilities(eeg, sfreq, channels), eeg.shape[1], sfreq)

    def postprocess(
        self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float
    ) -> npt.NDArray[np.bool_]:
        """Make a mask: here, `timeline`, then `eventizer`.

        Parameters
        ----------
        probabilities : ndarray of float32, shape (n_windows,) or (n_windows, n_window_samples)
            Between 0 and 1.
        n_samples : int
            Length of the recording.
        sfreq : float
            Sampling rate in Hz.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
        """
        return self.eventizer(self.timeline(probabilities, n_samples, sfreq), sfreq)

    def near_threshold(self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float) -> int:
        """See `TorchModel.near_threshold`."""
        by_sample = type(self).postprocess is TorchAdapter.postprocess
        values = self.timeline(probabilities, n_samples, sfreq) if by_sample else probabilities
        return int(np.count_nonzero(np.abs(values - self.eventizer.threshold) <= NEAR))
