"""From probabilities to a mask of events."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# RobustSeiz, arXiv 2609.04007: the eventisation defaults of its detector.
THRESHOLD = 0.8
OPENING_SAMPLES = 5
CLOSING_SAMPLES = 5
MIN_DURATION_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Eventizer:
    """The rules that turn probabilities into events.

    Parameters
    ----------
    threshold : float
        A sample belongs to an event when its probability is at least this, 0 to 1.
    opening : int
        Runs shorter than this many samples are removed.
    closing : int
        Then gaps shorter than this many samples between two events are filled.
    min_duration_s : float
        Then events shorter than this, in seconds, are removed.
    """

    threshold: float = THRESHOLD
    opening: int = OPENING_SAMPLES
    closing: int = CLOSING_SAMPLES
    min_duration_s: float = MIN_DURATION_S

    def __post_init__(self) -> None:
        """Check the rules."""
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold: expected a probability between 0 and 1, got {self.threshold}")
        for name in ("opening", "closing", "min_duration_s"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}: expected 0 or more, got {getattr(self, name)}")

    def __call__(self, probabilities: npt.NDArray[np.floating], sfreq: float) -> npt.NDArray[np.bool_]:
        """Apply the rules.

        Parameters
        ----------
        probabilities : ndarray of float, shape (n_samples,)
            Between 0 and 1.
        sfreq : float
            Samples per second.

        Returns
        -------
        ndarray of bool, shape (n_samples,)

        Raises
        ------
        ValueError
            When a probability is NaN or outside 0 to 1.
        """
        _require_probabilities(probabilities)
        runs = find_runs(probabilities >= self.threshold)
        runs = runs[runs[:, 1] - runs[:, 0] >= self.opening]
        runs = _close_gaps(runs, self.closing)
        runs = runs[(runs[:, 1] - runs[:, 0]) / sfreq >= self.min_duration_s]
        mask = np.zeros(len(probabilities), dtype=np.bool_)
        for start, stop in runs:
            mask[start:stop] = True
        return mask


def find_runs(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Start and stop (exclusive) of each run of True.

    Parameters
    ----------
    mask : ndarray of bool, shape (n_samples,)

    Returns
    -------
    ndarray of int64, shape (n_runs, 2)
        In samples.
    """
    changes = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    first = [0] if len(mask) and mask[0] else []
    last = [len(mask)] if len(mask) and mask[-1] else []
    return np.concatenate([first, changes, last]).astype(np.int64).reshape(-1, 2)


def _close_gaps(runs: npt.NDArray[np.int64], closing: int) -> npt.NDArray[np.int64]:
    if len(runs) == 0:
        return runs
    apart = runs[1:, 0] - runs[:-1, 1] >= closing
    starts = runs[np.concatenate([[True], apart]), 0]
    stops = runs[np.concatenate([apart, [True]]), 1]
    return np.stack([starts, stops], axis=1)


def _require_probabilities(probabilities: npt.NDArray[np.floating]) -> None:
    if probabilities.ndim != 1 or len(probabilities) == 0:
        raise ValueError(f"probabilities: expected shape (n_samples,) and a sample, got {probabilities.shape}")
    low, high = probabilities.min(), probabilities.max()
    if not (low >= 0 and high <= 1):  # also true when either is NaN
        where = int(np.argmax(~((probabilities >= 0) & (probabilities <= 1))))
        raise ValueError(f"probabilities: expected 0 to 1, got {probabilities[where]} at sample {where}")
