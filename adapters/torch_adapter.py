"""Detectors written in PyTorch: three steps that an author overrides."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.batches import Windowed
from pytest_robustseiz.adapters.contract import Array
from pytest_robustseiz.adapters.torch_model import TorchModel
from pytest_robustseiz.adapters.torch_parts import evaluating, load_weights, zscore
from pytest_robustseiz.adapters.window_steps import Masks

__all__ = ["TorchAdapter", "Windowed", "evaluating", "load_weights", "zscore"]


class TorchAdapter(Masks, TorchModel):
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
