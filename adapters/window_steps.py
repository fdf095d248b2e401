"""The steps of a detector that looks at windows which need no particular runtime."""

from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.contract import Array, Montage
from pytest_robustseiz.adapters.eventize import Eventizer
from pytest_robustseiz.adapters.windows import Windows, stitch

Floats = npt.NDArray[np.float32]

NEAR = 1e-6  # probabilities this close to the threshold may fall on either side by rounding


class WindowArrays(Protocol):
    """What `WindowAdapter.preprocess` returns: an array, or anything with a length whose slices are arrays."""

    def __len__(self) -> int:
        """Number of windows."""
        ...

    def __getitem__(self, index: slice, /) -> npt.NDArray[Any]:
        """Some windows."""
        ...


class Windowing:
    """What a model that looks at windows says of itself, and the way from a recording to windows and back."""

    name: str
    montages: tuple[Montage, ...] = ("unipolar",)
    window_s: ClassVar[float] = 60.0
    step_s: ClassVar[float] = 60.0
    eventizer: ClassVar[Eventizer] = Eventizer()

    def windows(self, eeg: Array, sfreq: float) -> Windows:
        """Windows of `window_s` every `step_s` that cover the whole recording, the last one padded with zeros."""
        return Windows(eeg, round(self.window_s * sfreq), round(self.step_s * sfreq))

    def timeline(self, probabilities: Floats, n_samples: int, sfreq: float) -> Floats:
        """Probability of seizure of each sample: here, the mean over the windows that cover it.

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
        ndarray of float32, shape (n_samples,)
        """
        return stitch(probabilities, n_samples, round(self.window_s * sfreq), round(self.step_s * sfreq))


class Masks(Windowing):
    """From what a model says of windows to a mask."""

    def postprocess(self, probabilities: Floats, n_samples: int, sfreq: float) -> npt.NDArray[np.bool_]:
        """Make a mask: here, `timeline`, then `eventizer`.

        Parameters
        ----------
        probabilities, n_samples, sfreq
            As in `timeline`.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
        """
        return self.eventizer(self.timeline(probabilities, n_samples, sfreq), sfreq)

    def near_threshold(self, probabilities: Floats, n_samples: int, sfreq: float) -> int:
        """How many values lie so close to the threshold that rounding may decide them.

        Samples where the mask comes from `timeline`, what the model returned where `postprocess` is the author's.
        """
        by_sample = type(self).postprocess is Masks.postprocess
        values = self.timeline(probabilities, n_samples, sfreq) if by_sample else probabilities
        return int(np.count_nonzero(np.abs(values - self.eventizer.threshold) <= NEAR))


class WindowSteps(Masks):
    """The steps of `WindowAdapter` that need no model."""

    name: str = "window-detector"

    def timeline(self, probabilities: Floats, n_samples: int, sfreq: float) -> Floats:
        """As `Windowing.timeline`, also of shape (n_windows, 1), which many runtimes give."""
        one_each = probabilities.ndim == 2 and probabilities.shape[1] == 1
        return super().timeline(probabilities[:, 0] if one_each else probabilities, n_samples, sfreq)
