"""Detectors written in PyTorch: three steps that an author overrides."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters.contract import AgreementUnavailable, Array, Montage
from pytest_robustseiz.adapters.eventize import Eventizer
from pytest_robustseiz.adapters.fingerprints import NotFingerprintable, fingerprint, source_of
from pytest_robustseiz.adapters.windows import Windows, stitch


class TorchAdapter:
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

    name: str = "torch-detector"
    montages: tuple[Montage, ...] = ("unipolar",)
    window_s: ClassVar[float] = 60.0
    step_s: ClassVar[float] = 60.0
    eventizer: ClassVar[Eventizer] = Eventizer()

    def __init__(self, module: nn.Module, *, device: str = "cpu", batch_size: int = 64) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size: expected 1 or more, got {batch_size}")
        self.device = torch.device(device)
        self.module = module.to(self.device).eval()
        self.batch_size = batch_size

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Sequence[str]) -> "Windowed":
        """Cut a recording into normalised windows: here, each channel of each window to mean 0 and deviation 1.

        Parameters
        ----------
        eeg : Tensor, shape (n_channels, n_samples), float32
            Microvolts, on the adapter's device.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows.

        Returns
        -------
        Tensor or Windows, shape (n_windows, n_channels, n_window_samples)
            Anything with a length whose slices are tensors. Together the windows cover the recording.
        """
        return self.windows(eeg, sfreq).map(zscore)

    def windows(self, eeg: Tensor, sfreq: float) -> Windows:
        """Windows of `window_s` every `step_s` that cover the whole recording, the last one padded with zeros."""
        return Windows(eeg, round(self.window_s * sfreq), round(self.step_s * sfreq))

    def logits(self, windows: Tensor) -> Tensor:
        """Run the module.

        Parameters
        ----------
        windows : Tensor, shape (n_batch, n_channels, n_window_samples)
            One batch of what `preprocess` returned.

        Returns
        -------
        Tensor, shape (n_batch,) or (n_batch, n_window_samples)
            One logit per window or per sample; a sigmoid makes it the probability of seizure.
        """
        result: Tensor = self.module(windows)
        return result

    def postprocess(
        self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float
    ) -> npt.NDArray[np.bool_]:
        """Make a mask: here, the mean of overlapping windows, then `eventizer`.

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
        window, step = round(self.window_s * sfreq), round(self.step_s * sfreq)
        return self.eventizer(stitch(probabilities, n_samples, window, step), sfreq)

    def probabilities(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.float32]:
        """Probability of seizure of each window, or of each sample of each window.

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
        ndarray of float32, shape (n_windows,) or (n_windows, n_window_samples)

        Raises
        ------
        ValueError
            When the network returns NaN or a wrong number of logits.
        """
        with torch.inference_mode(), evaluating(self.module):
            windows = self.preprocess(torch.as_tensor(eeg, device=self.device), sfreq, channels)
            batches = [self._batch_probabilities(batch) for batch in self.batches(windows)]
        return np.concatenate(batches)

    def batches(self, windows: "Windowed") -> Iterator[Tensor]:
        """Windows in groups of `batch_size`, on the device."""
        for start in range(0, len(windows), self.batch_size):
            yield windows[start : start + self.batch_size].to(self.device)

    def detect(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """See `Adapter.detect`."""
        return self.postprocess(self.probabilities(eeg, sfreq, channels), eeg.shape[1], sfreq)

    def agreement(
        self, eeg: Array, sfreq: float, channels: Sequence[str], *, passes: int, tau: float, seed: int
    ) -> npt.NDArray[np.float32]:
        """See `Adapter.agreement`."""
        raise AgreementUnavailable(f"{self.name} offers no stochastic passes")

    def fingerprint(self) -> str | None:
        """Hash of weights, author's code and plain attributes; None where an attribute cannot be hashed."""
        kept = {key: value for key, value in vars(self).items() if key not in {"module", "device", "batch_size"}}
        settings = (self.name, self.montages, self.window_s, self.step_s, vars(self.eventizer))
        parts = {type(part) for part in self.module.modules()}
        state = {key: value.detach().cpu().numpy() for key, value in self.module.state_dict().items()}
        try:
            return fingerprint(
                torch.__version__, settings, kept, repr(self.module), source_of(type(self), *parts), state
            )
        except NotFingerprintable:
            return None

    def _batch_probabilities(self, batch: Tensor) -> npt.NDArray[np.float32]:
        logits = self.logits(batch)
        if logits.ndim not in (1, 2) or len(logits) != len(batch):
            raise ValueError(
                f"logits: expected shape ({len(batch)},) or ({len(batch)}, n_window_samples), got {tuple(logits.shape)}"
            )
        result: npt.NDArray[np.float32] = torch.sigmoid(logits.float()).cpu().numpy()
        if np.isnan(result).any():
            raise ValueError(f"logits: the network of {self.name} returned NaN")
        return result


class Windowed(Protocol):
    """What `TorchAdapter.preprocess` returns: a tensor, or anything with a length whose slices are tensors."""

    def __len__(self) -> int:
        """Number of windows."""
        ...

    def __getitem__(self, index: slice, /) -> Tensor:
        """Some windows."""
        ...


def zscore(windows: Tensor) -> Tensor:
    """Scale each channel of each window to mean 0 and deviation 1; a flat channel becomes zero.

    Parameters
    ----------
    windows : Tensor, shape (..., n_window_samples)
    """
    centred = windows - windows.mean(dim=-1, keepdim=True)
    deviation = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return centred / torch.where(deviation > 0, deviation, 1.0)


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Put a module into evaluation mode, and each part back into its own mode afterwards."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training


def load_weights(path: Any) -> dict[str, Tensor]:
    """Load a state dict without unpickling anything else.

    Parameters
    ----------
    path : str, Path or binary file

    Returns
    -------
    dict of str to Tensor
        On the CPU.
    """
    state: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
    return state
