"""Small synthetic networks for tests of torch detectors."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters import Eventizer
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter
from pytest_robustseiz.shifts import ELECTRODES

SFREQ = 64.0
N_CHANNELS = 3
CHANNELS = ELECTRODES[:N_CHANNELS]
WINDOW = 128  # samples


class Small(TorchAdapter):
    """Windows of two seconds of three channels."""

    name = "small"
    window_s = 2.0
    step_s = 2.0
    eventizer = Eventizer(threshold=0.5, min_duration_s=0.0)


class Overlapping(Small):
    name = "overlapping"
    step_s = 0.5


class TwoClasses(Small):
    """A network of two log-probabilities, background and seizure."""

    name = "two classes"

    def logits(self, windows: Tensor) -> Tensor:
        log_probabilities: Tensor = self.module(windows)
        return log_probabilities[:, 1] - log_probabilities[:, 0]


def eeg(n_samples: int = 1000, *, seed: int = 0, n_channels: int = N_CHANNELS) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 30, (n_channels, n_samples)).astype(np.float32)


def linear(*, bias: float = 0.0, dtype: torch.dtype = torch.float32) -> nn.Module:
    torch.manual_seed(0)
    weights = nn.Linear(N_CHANNELS * WINDOW, 1)
    nn.init.constant_(weights.bias, bias)
    return nn.Sequential(nn.Flatten(), weights, nn.Flatten(0)).to(dtype)


def convolutional(outputs: int = 1, *, per_sample: bool = False) -> nn.Module:
    """One logit per window (or several columns), or one per sample; smooth, so that gradients are everywhere."""
    torch.manual_seed(1)
    body: list[nn.Module] = [nn.Conv1d(N_CHANNELS, 8, 7, padding=3), nn.BatchNorm1d(8), nn.ELU(), nn.Dropout(0.2)]
    if per_sample:
        net = nn.Sequential(*body, nn.Conv1d(8, 1, 5, padding=2), nn.Flatten(1))
    else:
        end = [nn.Flatten(0)] if outputs == 1 else []
        net = nn.Sequential(*body, nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(32, outputs), *end)
    for part in net.modules():
        if isinstance(part, nn.BatchNorm1d):
            nn.init.uniform_(part.running_mean, -0.2, 0.2)  # type: ignore[arg-type]
            nn.init.uniform_(part.running_var, 0.5, 1.5)  # type: ignore[arg-type]
    return net.eval()


class Recurrent(nn.Module):
    def __init__(self, *, dropout: float = 0.0) -> None:
        super().__init__()
        torch.manual_seed(2)
        self.lstm = nn.LSTM(N_CHANNELS, 6, num_layers=2, batch_first=True, dropout=dropout)
        self.out = nn.Linear(6, 1)

    def forward(self, windows: Tensor) -> Tensor:
        hidden, _ = self.lstm(windows.transpose(1, 2))
        result: Tensor = self.out(hidden[:, -1])[:, 0]
        return result


def state_of(module: nn.Module) -> dict[str, Any]:
    """Everything that a visit must leave as it was."""
    return {
        "modes": [part.training for part in module.modules()],
        "values": {name: value.clone() for name, value in module.state_dict().items()},
        "requires_grad": [weight.requires_grad for weight in module.parameters()],
        "grads": [None if weight.grad is None else weight.grad.clone() for weight in module.parameters()],
        "cudnn": torch.backends.cudnn.enabled,
        "rng": torch.get_rng_state(),
        "grad mode": torch.is_grad_enabled(),
    }


def same_state(before: dict[str, Any], module: nn.Module) -> bool:
    after = state_of(module)
    same_values = all(torch.equal(value, after["values"][name]) for name, value in before["values"].items())
    same_grads = all(
        (one is None and two is None) or (one is not None and two is not None and torch.equal(one, two))
        for one, two in zip(before["grads"], after["grads"], strict=True)
    )
    rest = ("modes", "requires_grad", "cudnn", "grad mode")
    return (
        same_values
        and same_grads
        and torch.equal(before["rng"], after["rng"])
        and all(before[key] == after[key] for key in rest)
    )
