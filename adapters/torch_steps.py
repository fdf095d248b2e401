"""The steps of a torch detector, and running them over the windows of a recording."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters.batches import Windowed, run_in_batches
from pytest_robustseiz.adapters.torch_parts import divisor, leave_inference_mode, zscore
from pytest_robustseiz.adapters.window_steps import Windowing
from pytest_robustseiz.adapters.windows import Windows

Result = TypeVar("Result")


class TorchSteps(Windowing):
    """What `TorchAdapter` lets an author override, and what runs it; see there."""

    name: str = "torch-detector"

    def __init__(self, module: nn.Module, *, device: str = "cpu", batch_size: int = 64) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size: expected 1 or more, got {batch_size}")
        self.device = torch.device(device)
        self.module = module.to(self.device).eval()
        leave_inference_mode(self.module)
        self.batch_size = batch_size
        self.group_limit = 1 << 30  # windows per stochastic pass, until memory runs out
        self.has_dropout: bool | None = None  # not found out yet
        self._remarks: list[str] = []

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Sequence[str]) -> Windowed:
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

    def pushed(self, logits: Tensor) -> Tensor:
        """What an attack raises or lowers: here, the logits themselves.

        Parameters
        ----------
        logits : Tensor
            As `logits` returned them.

        Returns
        -------
        Tensor, shape (n_batch,) or (n_batch, n_window_samples)
            Log-odds of what the model is to warn of.
        """
        return logits

    def scale_uv(self, windows: Windowed, index: slice) -> Tensor | None:
        """Microvolts per unit of some windows, so that an attack's change can be told in microvolts.

        Parameters
        ----------
        windows : Windowed
            What `preprocess` returned.
        index : slice
            Which windows.

        Returns
        -------
        Tensor or None, shape (n_batch, n_channels, 1), or one that spreads to it
            Here, the deviation of each channel where they were normalised by `zscore`, and None for others.
        """
        if isinstance(windows, Windows) and windows.transform is zscore:
            return divisor(replace(windows, transform=None)[index]).to(self.device)
        return None

    def in_batches(
        self, windows: Windowed, work: Callable[[Tensor, slice], Result], *, most: int | None = None
    ) -> list[Result]:
        """Call `work` with each batch on the device and its place; where memory runs out, batches are halved for good.

        Parameters
        ----------
        windows : Windowed
            All windows.
        work : callable
            Takes a batch and its place among the windows.
        most : int, optional
            Windows per batch, where `batch_size` would be more than is good.
        """
        size = self.batch_size if most is None else min(most, self.batch_size)
        results, ended = run_in_batches(windows, size, self.device, work)
        if ended < size:
            self.remark(f"out of memory with {size} windows at once; went on with {ended}")
            self.batch_size = ended
        return results

    def checked_logits(self, batch: Tensor) -> Tensor:
        """Logits of a batch, when there is a row for each window.

        Raises
        ------
        ValueError
            Naming what came instead.
        """
        logits = self.logits(batch)
        if logits.ndim not in (1, 2) or len(logits) != len(batch):
            raise ValueError(
                f"logits: expected shape ({len(batch)},) or ({len(batch)}, n_window_samples), got {tuple(logits.shape)}"
            )
        return logits

    def checked_probabilities(self, logits: Tensor) -> npt.NDArray[np.float32]:
        """Probabilities, when none is NaN; raises ValueError otherwise."""
        result: npt.NDArray[np.float32] = self.probabilities_of(logits.float()).cpu().numpy()
        if np.isnan(result).any():
            raise ValueError(f"logits: the network of {self.name} returned NaN")
        return result

    def probabilities_of(self, logits: Tensor) -> Tensor:
        """What the network's logits stand for: here, the probability of seizure of each."""
        return torch.sigmoid(logits)

    def remark(self, text: str) -> None:
        """Note what the run is to say at its end, once."""
        self._remarks.append(f"{self.name}: {text}")

    def take_remarks(self) -> list[str]:
        """What was noted since the last call."""
        remarks, self._remarks = self._remarks, []
        return remarks
