"""The demo detector: a small convolutional network, trained on synthetic EEG only.

It exists to give the suite something to test. It has never seen a patient's EEG and detects nothing in it.
"""

from collections.abc import Sequence
from importlib.resources import as_file, files
from typing import ClassVar

from torch import Tensor, nn

from pytest_robustseiz.adapters.torch_adapter import TorchAdapter, Windowed, load_weights
from pytest_robustseiz.shifts import ELECTRODES

SFREQ_HZ = 256
WEIGHTS = "demo_weights.pt"


class DemoDetector(TorchAdapter):
    """The shipped detector: windows of 60 s that overlap by half, one logit per second.

    Parameters
    ----------
    module : torch.nn.Module
        A `DemoNetwork`, or anything that maps (n_windows, 19, n_window_samples) to a logit per sample.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.
    """

    name = "demo"
    window_s: ClassVar[float] = 60.0
    step_s: ClassVar[float] = 30.0

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Sequence[str]) -> Windowed:
        """Cut into windows and scale each channel to mean 0 and deviation 1, as `TorchAdapter` does.

        Raises
        ------
        ValueError
            When the rows are not the 19 electrodes in their order, or the rate is not 256 Hz.
        """
        if tuple(channels) != ELECTRODES:
            raise ValueError(f"channels: the demo detector expects {', '.join(ELECTRODES)}, got {', '.join(channels)}")
        if sfreq != SFREQ_HZ:
            raise ValueError(f"sfreq: the demo detector expects {SFREQ_HZ} Hz, got {sfreq}; resample the recording")
        return super().preprocess(eeg, sfreq, channels)


class DemoNetwork(nn.Module):
    """From 256 Hz down to one value per second, then context over about half a minute."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *_block(len(ELECTRODES), 24, kernel=8, stride=4),
            *_block(24, 32, kernel=6, stride=4),
            *_block(32, 32, kernel=6, stride=4),
            *_block(32, 32, kernel=4, stride=4),
            *_block(32, 32, kernel=5),
            *_block(32, 32, kernel=5, dilation=2),
            *_block(32, 32, kernel=5, dilation=3),
            nn.Conv1d(32, 1, kernel_size=1),
        )

    def forward(self, windows: Tensor) -> Tensor:
        """Logit of seizure for each sample.

        Parameters
        ----------
        windows : Tensor, shape (n_windows, 19, n_window_samples), float32
            Normalised; at least one second.

        Returns
        -------
        Tensor, shape (n_windows, n_window_samples)
            Interpolated from one logit per second.
        """
        per_second = self.layers(windows)
        per_sample = nn.functional.interpolate(per_second, size=windows.shape[-1], mode="linear")
        result: Tensor = per_sample[:, 0]
        return result


def demo_adapter(*, device: str = "cpu") -> DemoDetector:
    """Return the demo detector with its shipped weights.

    Parameters
    ----------
    device : str
        Such as "cpu" or "cuda:0".
    """
    network = DemoNetwork()
    with as_file(files("pytest_robustseiz") / WEIGHTS) as path:
        network.load_state_dict(load_weights(path))
    return DemoDetector(network, device=device)


def _block(inputs: int, outputs: int, *, kernel: int, stride: int = 1, dilation: int = 1) -> list[nn.Module]:
    # This much padding makes the output exactly 1/stride as long as an input that stride divides.
    padding = ((kernel - 1) * dilation + 1 - stride) // 2 if stride > 1 else (kernel - 1) * dilation // 2
    return [
        nn.Conv1d(inputs, outputs, kernel, stride=stride, padding=padding, dilation=dilation),
        nn.BatchNorm1d(outputs),
        nn.ELU(),
        nn.Dropout(0.15),
    ]
