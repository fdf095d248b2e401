"""Predictors written in PyTorch: the same three steps as a detector's, with three logits per window."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pytest_robustseiz.adapters.contract import Array
from pytest_robustseiz.adapters.eventize import Eventizer
from pytest_robustseiz.adapters.prediction import CLASSES, WINDOW_S, count_seconds
from pytest_robustseiz.adapters.torch_model import TorchModel
from pytest_robustseiz.adapters.window_steps import NEAR
from pytest_robustseiz.adapters.windows import count_windows

Floats = npt.NDArray[np.float32]
_PREICTAL = CLASSES.index("preictal")


class TorchPredictor(TorchModel):
    """A predictor made of `preprocess`, `logits` and `by_second`.

    Override `preprocess` for other windows or another normalisation, `logits` for a network whose output is not three
    logits, `by_second` for another way from windows to seconds. Attacks push the log-odds of the preictal class;
    stochastic passes agree on warnings, which are preictal or ictal.

    Parameters
    ----------
    module : torch.nn.Module
        Maps (n_windows, n_channels, n_window_samples) to logits of interictal, preictal and ictal, (n_windows, 3).
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.

    Attributes
    ----------
    name, montages : str, tuple
        Class attributes; see `PredictionAdapter`.
    window_s, step_s : float
        Class attributes: length of a window and distance of their starts, in seconds.
    eventizer : Eventizer
        Class attribute. Only its threshold is used: an attack that flips decisions pushes windows whose preictal
        probability is at least this down, and the others up.
    """

    name = "torch-predictor"
    question: ClassVar[str] = "predict"
    window_s: ClassVar[float] = WINDOW_S
    step_s: ClassVar[float] = WINDOW_S
    eventizer: ClassVar[Eventizer] = Eventizer(threshold=0.5)

    def predict(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.int8]:
        """See `PredictionAdapter.predict`."""
        return self.postprocess(self.probabilities(eeg, sfreq, channels), eeg.shape[1], sfreq)

    def by_second(
        self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float
    ) -> npt.NDArray[np.float32]:
        """Probabilities of each whole second: here, those of the last window that ends by the second's end.

        Seconds that end before the first window does have its answer, which looks ahead by less than `window_s`.

        Parameters
        ----------
        probabilities : ndarray of float32, shape (n_windows, 3)
            Of interictal, preictal and ictal.
        n_samples : int
            Length of the recording.
        sfreq : float
            Sampling rate in Hz.

        Returns
        -------
        ndarray of float32, shape (n_seconds, 3)

        Raises
        ------
        ValueError
            When there are more windows than cover the recording, or fewer than its whole seconds need.
        """
        ends = np.round((np.arange(count_seconds(n_samples, sfreq)) + 1) * sfreq)
        window, step = round(self.window_s * sfreq), round(self.step_s * sfreq)
        last = np.maximum((ends - window) // step, 0).astype(np.intp)
        least, most = (int(last[-1]) + 1 if len(last) else 0), count_windows(n_samples, window, step)
        if not least <= len(probabilities) <= most:
            raise ValueError(
                f"probabilities: expected those of {most} windows of {self.window_s:g} s every {self.step_s:g} s, "
                f"got {len(probabilities)}; override by_second() for other windows"
            )
        found: Floats = probabilities[last]
        return found

    def postprocess(self, probabilities: Floats, n_samples: int, sfreq: float) -> npt.NDArray[np.int8]:
        """Make classes: here, the most probable one of each second, and of equally probable ones the first."""
        likeliest: npt.NDArray[np.int8] = self.by_second(probabilities, n_samples, sfreq).argmax(axis=1).astype(np.int8)
        return likeliest

    def timeline(self, probabilities: Floats, n_samples: int, sfreq: float) -> Floats:
        """Probability of each second that a seizure is coming or there."""
        warning: Floats = self.by_second(probabilities, n_samples, sfreq)[:, 1:].sum(axis=1)
        return np.minimum(warning, np.float32(1))

    def pushed(self, logits: Tensor) -> Tensor:
        """Log-odds of the preictal class."""
        others = [place for place in range(len(CLASSES)) if place != _PREICTAL]
        return logits[:, _PREICTAL] - torch.logsumexp(logits[:, others], dim=1)

    def checked_logits(self, batch: Tensor) -> Tensor:
        """Logits of a batch, when there are three for each window.

        Raises
        ------
        ValueError
            Naming what came instead.
        """
        logits = self.logits(batch)
        if logits.shape != (len(batch), len(CLASSES)):
            raise ValueError(
                f"logits: expected shape ({len(batch)}, {len(CLASSES)}) for {', '.join(CLASSES)}, "
                f"got {tuple(logits.shape)}"
            )
        return logits

    def probabilities_of(self, logits: Tensor) -> Tensor:
        """Probability of each class, shape (n_batch, 3)."""
        return torch.softmax(logits, dim=1)

    def near_threshold(self, probabilities: Floats, n_samples: int, sfreq: float) -> int:
        """Number of seconds whose two most probable classes are so close that rounding may decide between them."""
        found = np.sort(self.by_second(probabilities, n_samples, sfreq), axis=1)
        return int(np.count_nonzero(found[:, -1] - found[:, -2] <= NEAR))
