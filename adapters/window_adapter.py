"""Detectors that turn windows into probabilities with numpy: the base for every runtime but torch."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.agreement import Agreement, AgreementUnavailable, StochasticPasses
from pytest_robustseiz.adapters.contract import Array, DetectorOutputError
from pytest_robustseiz.adapters.examination import AttackLike, Examination, ExaminationUnavailable
from pytest_robustseiz.adapters.fingerprints import NotFingerprintable, fingerprint, source_of
from pytest_robustseiz.adapters.window_parts import hash_content, version_behind, zscore
from pytest_robustseiz.adapters.window_steps import Floats, WindowArrays, WindowSteps

__all__ = ["WindowAdapter", "WindowArrays", "zscore"]

STEADY = 1e-5  # two answers to the same windows may differ by this much, by rounding
PROBE_WINDOWS = 4
# What does not decide the answers, or is in the fingerprint by what `files` hold.
_NOT_IDENTITY = {"model", "device", "batch_size", "_contents", "_steady"}


class WindowAdapter(WindowSteps):
    """A detector made of `preprocess`, `predict` and `postprocess`, in numpy.

    Override `predict`, and `preprocess` and `postprocess` as far as the model differs.

    Parameters
    ----------
    model : object, optional
        What `predict` uses, such as a loaded network. Kept as `self.model`; never copied, pickled or looked into.
    files : iterable of str or Path
        What the model was loaded from. The fingerprint covers the content of these files, and of all files in those
        that are folders; a detector with a model and no files has none.
    batch_size : int
        Windows per call of `predict`.

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

    Raises
    ------
    ValueError
        When a file is missing, or the batch size is below 1.
    """

    def __init__(self, model: Any = None, *, files: Iterable[str | Path] = (), batch_size: int = 64) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size: expected 1 or more, got {batch_size}")
        self.model = model
        self.batch_size = batch_size
        self._contents = [hash_content(Path(file)) for file in files]  # now, as the files may change later
        self._steady = False  # not found out yet

    def preprocess(self, eeg: npt.NDArray[Any], sfreq: float, channels: Sequence[str]) -> WindowArrays:
        """Cut a recording into normalised windows: here, each channel of each window to mean 0 and deviation 1.

        Parameters
        ----------
        eeg : ndarray of float32, shape (n_channels, n_samples)
            Microvolts.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows.

        Returns
        -------
        ndarray or Windows, shape (n_windows, n_channels, n_window_samples)
            Anything with a length whose slices are arrays. Together the windows cover the recording.
        """
        return self.windows(eeg, sfreq).map(zscore)

    def predict(self, windows: npt.NDArray[Any]) -> npt.ArrayLike:
        """Probability of seizure, of each window or of each of its samples.

        Parameters
        ----------
        windows : ndarray, shape (n_batch, n_channels, n_window_samples)
            One batch of what `preprocess` returned.

        Returns
        -------
        array_like, shape (n_batch,), (n_batch, 1) or (n_batch, n_window_samples)
            Between 0 and 1. Other columns per window need a `timeline` or `postprocess` of their own.
        """
        raise NotImplementedError(f"{type(self).__name__} has no predict(), which turns windows into probabilities")

    def probabilities(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> Floats:
        """What `predict` says of all windows.

        Parameters
        ----------
        eeg : array, shape (n_channels, n_samples), float32
            Microvolts.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows.

        Returns
        -------
        ndarray of float32, shape (n_windows, ...)

        Raises
        ------
        ValueError
            When there is not one row per window, or a value is NaN or not between 0 and 1.
        DetectorOutputError
            When two answers to the same windows differ.
        """
        windows = self.preprocess(np.asarray(eeg), sfreq, channels)
        self._require_steady(windows)
        starts = range(0, len(windows), self.batch_size)
        return np.concatenate([self._answer(windows[start : start + self.batch_size], start) for start in starts])

    def detect(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """See `Adapter.detect`."""
        return self.postprocess(self.probabilities(eeg, sfreq, channels), eeg.shape[1], sfreq)

    def examine(
        self,
        eeg: Array,
        sfreq: float,
        channels: Sequence[str],
        *,
        attack: AttackLike | None = None,
        rng: np.random.Generator | None = None,
        stochastic: StochasticPasses | None = None,
    ) -> Examination:
        """See `Examiner.examine`: no attack, as there are no gradients; it counts what lies on the threshold."""
        if attack is not None:
            raise ExaminationUnavailable(f"{self.name} gives no gradients: attacks need the network as a TorchAdapter")
        own = [
            name for name in ("detect", "agreement") if getattr(type(self), name) is not getattr(WindowAdapter, name)
        ]
        if own:
            raise ExaminationUnavailable(f"{self.name} overrides {' and '.join(own)}")
        found, n_samples = self.probabilities(eeg, sfreq, channels), eeg.shape[1]
        return Examination(
            mask=self.postprocess(found, n_samples, sfreq),
            near_threshold=self.near_threshold(found, n_samples, sfreq),
            unavailable="" if stochastic is None else self._no_agreement(),
        )

    def agreement(
        self, eeg: Array, sfreq: float, channels: Sequence[str], *, passes: int, tau: float, seed: int
    ) -> Agreement:
        """See `Adapter.agreement`; override it where the runtime can switch dropout on.

        Raises
        ------
        AgreementUnavailable
            Always.
        """
        raise AgreementUnavailable(self._no_agreement())

    def fingerprint(self) -> str | None:
        """Hash of files, author's code and attributes; None where that is not all that decides the answers."""
        if self.model is not None and not self._contents:
            return None
        kept = {key: value for key, value in vars(self).items() if key not in _NOT_IDENTITY}
        try:
            own = (self._settings(), kept, source_of(type(self)))
            return fingerprint(self._contents, version_behind(self.model), own)
        except NotFingerprintable:
            return None

    def _settings(self) -> tuple[object, ...]:
        """What the class says; its name, since two classes may stand in one file."""
        kind = type(self).__qualname__
        return (kind, self.name, self.montages, self.window_s, self.step_s, vars(self.eventizer))

    def _no_agreement(self) -> str:
        return f"{self.name} makes no stochastic passes: its runtime keeps dropout off"

    def _answer(self, windows: npt.NDArray[Any], start: int) -> Floats:
        """Probabilities of a batch, checked; `start` is the number of its first window."""
        answer = self.predict(windows)
        values = np.asarray(answer)
        if values.ndim == 0 or len(values) != len(windows) or values.dtype.kind not in "fiub":
            got = type(answer).__name__ if values.ndim == 0 else f"shape {values.shape} of {values.dtype}"
            raise ValueError(
                f"predict: {self.name} was to return probabilities of {len(windows)} windows, shape ({len(windows)},) "
                f"or ({len(windows)}, n_window_samples), got {got}"
            )
        values = values.astype(np.float32, copy=False)
        if not (values.min() >= 0 and values.max() <= 1):  # also true when either is NaN
            where = np.argwhere(~((values >= 0) & (values <= 1)))[0]
            got = "NaN" if np.isnan(values[tuple(where)]) else str(values[tuple(where)])
            raise ValueError(f"predict: expected probabilities of 0 to 1, got {got} for window {start + where[0]}")
        return values

    def _require_steady(self, windows: WindowArrays) -> None:
        """Find out, once per adapter, whether the same windows get the same answer."""
        if self._steady:
            return
        size = min(PROBE_WINDOWS, self.batch_size)
        first, second = (self._answer(windows[0:size].copy(), 0) for _ in range(2))
        difference = float(np.abs(first - second).max())
        if difference > STEADY:
            raise DetectorOutputError(
                f"{self.name} is random: the same windows got probabilities that differ by {difference:.3g}; "
                "switch off what is random, such as dropout"
            )
        self._steady = True
