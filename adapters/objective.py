"""What an attack on a torch detector climbs, and how well it did."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters.examination import AttackLike
from pytest_robustseiz.adapters.outcome import AttackOutcome
from pytest_robustseiz.adapters.torch_steps import TorchSteps


class Objective:
    """The sum of what is pushed, each with the sign in which it is, and its gradient.

    Parameters
    ----------
    adapter : TorchSteps
        Whose `pushed` turns logits into what is pushed.
    attack : AttackLike
        Gives the signs.
    before : Tensor
        Clean logits.

    Attributes
    ----------
    before, direction : Tensor, shape of what is pushed
        On the clean input, and its signs.
    reached, undefined : Tensor of bool, shape (n_windows,)
        Windows that had a gradient at any step, and those in which a part of it was not a number.
    """

    def __init__(self, adapter: TorchSteps, attack: AttackLike, before: Tensor) -> None:
        self._adapter = adapter
        self._attack = attack
        self.before = adapter.pushed(before)
        # As the model decides: the probability against the clean threshold.
        self.direction: Tensor = attack.direction(torch.sigmoid(self.before.float()) >= adapter.eventizer.threshold)
        self.reached = torch.zeros(len(before), dtype=torch.bool, device=before.device)
        self.undefined = self.reached.clone()

    def gradient(self, leaf: Tensor, logits: Tensor, index: slice) -> Tensor:
        """Gradient at some windows, zero where it is not a number.

        Parameters
        ----------
        leaf, logits : Tensor
            As `forward_with_graph` returned them.
        index : slice
            Which windows these are.
        """
        gradient = self._raw(leaf, logits, index)
        largest = largest_by_window(gradient)
        undefined = largest.isnan()
        if bool(undefined.any()):
            gradient = gradient.nan_to_num(nan=0.0)
            largest = largest_by_window(gradient)
        self.undefined[index] |= undefined
        self.reached[index] |= largest > 0
        return gradient

    def _raw(self, leaf: Tensor, logits: Tensor, index: slice) -> Tensor:
        if not logits.requires_grad:
            return torch.zeros_like(leaf)
        with torch.enable_grad(), cudnn_for(self._adapter.module):
            total = (self.direction[index] * self._adapter.pushed(logits)).sum()
            (gradient,) = torch.autograd.grad(total, leaf, allow_unused=True)
        return torch.zeros_like(leaf) if gradient is None else gradient

    def outcome(self, after: Tensor, moved: Tensor, largest: float) -> AttackOutcome:
        """What became of it.

        Parameters
        ----------
        after : Tensor
            Logits under the attack.
        moved : Tensor of bool, shape (n_windows,)
            Windows that the attack changed; what rounding does to the others is no achievement.
        largest : float
            Largest change of any value.
        """
        after = self._adapter.pushed(after)
        rise = (self.direction * (after.double() - self.before.double())).flatten(1 if after.ndim > 1 else 0)
        objective = rise.sum(1) if after.ndim > 1 else rise
        before, after_p = torch.sigmoid(self.before.float()).double(), torch.sigmoid(after.float()).double()
        sums = torch.stack(
            [
                before.sum(),
                after_p.sum(),
                (self.direction * (after_p - before)).sum(),
                ((objective > 0) & moved).sum(),
                ((objective < 0) & moved).sum(),
                (~self.reached).sum() if self._attack.guided else torch.zeros_like(before.sum()),
                self.undefined.sum(),
            ]
        ).tolist()  # one transfer from the device
        return AttackOutcome(
            guided=self._attack.guided,
            unit="uV" if self._attack.on_recording else "window",
            windows=len(after),
            outputs=after.numel(),
            before=sums[0],
            after=sums[1],
            gain=sums[2],
            improved=round(sums[3]),
            worsened=round(sums[4]),
            without_gradient=round(sums[5]),
            undefined_gradient=round(sums[6]),
            largest_change=largest,
        )


def largest_by_window(values: Tensor) -> Tensor:
    """Largest absolute value of each window; NaN where one is.

    Parameters
    ----------
    values : Tensor, shape (n_windows, n_channels, n_window_samples)
    """
    flat = values.flatten(1)
    return torch.maximum(flat.amax(1), -flat.amin(1))  # ten times as fast as abs().amax() on a CPU


def forward_with_graph(adapter: TorchSteps, point: Tensor) -> tuple[Tensor, Tensor]:
    """Input and logits, with what a gradient needs kept."""
    leaf = point.detach().requires_grad_()
    with torch.enable_grad(), cudnn_for(adapter.module):
        return leaf, adapter.checked_logits(leaf.clone())  # a copy: a network may write into its input


def cudnn_for(module: nn.Module) -> AbstractContextManager[None]:
    """Without cuDNN where the network has recurrent layers: it refuses their gradient in evaluation mode."""
    recurrent = any(isinstance(part, nn.RNNBase) for part in module.modules())
    return torch.backends.cudnn.flags(enabled=False) if recurrent else nullcontext()
