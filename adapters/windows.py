"""Cutting a recording into windows and putting the answers together again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = Any  # a numpy array or a torch tensor


@dataclass(frozen=True)
class Windows:
    """Windows of a recording, cut when they are asked for, so that overlapping ones need no memory.

    Parameters
    ----------
    eeg : array, shape (n_channels, n_samples)
        A numpy array or a torch tensor.
    window, step : int
        Length of a window and distance between starts, in samples. There are as many windows as it takes to cover the
        recording; what sticks out at the end is zero.
    transform : callable, optional
        Applied to each slice of windows, such as a normalisation.
    """

    eeg: Array
    window: int
    step: int
    transform: Callable[[Array], Array] | None = None

    def __post_init__(self) -> None:
        """Check the sizes."""
        if not 1 <= self.step <= self.window:
            raise ValueError(f"step: expected 1 to the window's {self.window} samples, got {self.step}")

    def __len__(self) -> int:
        """Number of windows."""
        return count_windows(self.eeg.shape[1], self.window, self.step)

    def __getitem__(self, index: slice, /) -> Array:
        """Windows as an array of shape (n, n_channels, window).

        Parameters
        ----------
        index : slice
            Which windows; the step of the slice must be 1.
        """
        first, last, stride = index.indices(len(self))
        if stride != 1:
            raise ValueError(f"index: expected consecutive windows, got a slice with step {stride}")
        n_channels = self.eeg.shape[0]
        shape = (max(last - first, 0), n_channels, self.window)
        cut = self.eeg.new_zeros(shape) if hasattr(self.eeg, "new_zeros") else np.zeros(shape, self.eeg.dtype)
        for i in range(shape[0]):
            start = (first + i) * self.step
            piece = self.eeg[:, start : start + self.window]
            cut[i, :, : piece.shape[1]] = piece
        return cut if self.transform is None else self.transform(cut)

    def map(self, transform: Callable[[Array], Array]) -> "Windows":
        """Return the same windows with a function applied to each batch of them."""
        return replace(self, transform=transform)


def count_windows(n_samples: int, window: int, step: int) -> int:
    """How many windows cover `n_samples`, the last one possibly sticking out."""
    return 1 + max(0, -(-(n_samples - window) // step))


def stitch(probabilities: npt.NDArray[np.floating], n_samples: int, window: int, step: int) -> npt.NDArray[np.float32]:
    """Mean over all windows that cover a sample.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n_windows,) or (n_windows, window)
        One value per window, or one per sample of each window.
    n_samples : int
        Length of the recording.
    window, step : int
        In samples, as in `Windows`.

    Returns
    -------
    ndarray of float32, shape (n_samples,)

    Raises
    ------
    ValueError
        When the shape does not fit the windows that cover the recording.
    """
    n_windows = count_windows(n_samples, window, step)
    if probabilities.shape not in ((n_windows,), (n_windows, window)):
        raise ValueError(
            f"probabilities: expected shape ({n_windows},) or ({n_windows}, {window}), got {probabilities.shape}"
        )
    if step == window:
        whole = np.repeat(probabilities, window) if probabilities.ndim == 1 else probabilities.reshape(-1)
        return whole[:n_samples].astype(np.float32)
    total = np.zeros((n_windows - 1) * step + window, dtype=np.float64)
    count = np.zeros(len(total), dtype=np.float64)
    for i, values in enumerate(probabilities):
        total[i * step : i * step + window] += values
        count[i * step : i * step + window] += 1
    return (total / count)[:n_samples].astype(np.float32)
