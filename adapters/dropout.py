"""Dropout on, everything else as in evaluation (Gal and Ghahramani 2016, arXiv 1506.02142)."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.dropout import _DropoutNd
from torch.overrides import TorchFunctionMode

from pytest_robustseiz.adapters.torch_parts import is_authors

# Parts of torch that drop something in training mode and do nothing else differently there. (In evaluation mode the
# transformer's layers take a fused path that has no dropout.)
_DROPPING = (
    _DropoutNd,
    nn.RNNBase,
    nn.MultiheadAttention,
    nn.Transformer,
    nn.TransformerEncoder,
    nn.TransformerEncoderLayer,
    nn.TransformerDecoder,
    nn.TransformerDecoderLayer,
)
_OTHERWISE = (_NormBase, nn.RReLU)
# Functions that an author's module may call with training=self.training, and the argument that keeps them still.
_STILL: dict[Callable[..., Any], str] = {
    nn.functional.batch_norm: "training",
    nn.functional.instance_norm: "use_input_stats",
    nn.functional.rrelu: "training",
}


@contextmanager
def dropout_on(module: nn.Module) -> Iterator[None]:
    """Switch on every kind of dropout in a module that is in evaluation mode.

    Modules of torch that drop are put into training mode, and so is every module that an author wrote, since it may
    call functional dropout with `training=self.training`. Normalisation layers and all other parts of torch stay in
    evaluation mode, also where an author's module calls them as functions. Modes and buffers are put back at the end,
    whatever happens.

    Parameters
    ----------
    module : torch.nn.Module
        The network.
    """
    modes = [(part, part.training) for part in module.modules()]
    buffers = [(buffer, buffer.clone()) for buffer in module.buffers()]
    try:
        for part, _ in modes:
            part.training = may_drop(part)
        with _NormsInEvaluation():
            yield
    finally:
        for part, training in modes:
            part.training = training
        with torch.no_grad():
            for buffer, before in buffers:
                if not torch.equal(buffer, before):
                    buffer.copy_(before)


def may_drop(part: nn.Module) -> bool:
    """Whether a module is to be in training mode so that its own dropout acts; its children are asked on their own."""
    if isinstance(part, _OTHERWISE):
        return False
    return is_authors(part) or isinstance(part, _DROPPING)


@contextmanager
def seeded(device: torch.device, *words: int) -> Iterator[None]:
    """Seed torch's random numbers on a device and on the CPU, and put their state back at the end.

    Parameters
    ----------
    device : torch.device
        Other devices are not touched.
    *words : int
        What the seed is made from; 0 or more each.
    """
    seed = int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> np.uint64(1))
    on_cpu = device.type == "cpu"
    kind = "cuda" if on_cpu else device.type  # with no device named, nothing of this kind is touched
    number = device.index or 0
    with torch.random.fork_rng(devices=[] if on_cpu else [number], device_type=kind):
        torch.default_generator.manual_seed(seed)
        if not on_cpu:
            library = torch.get_device_module(device)
            with library.device(number):
                library.manual_seed(seed)
        yield


class _NormsInEvaluation(TorchFunctionMode):
    """Keeps functional normalisation still inside modules whose training flag is up for their dropout."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func not in _STILL:
            return func(*args, **given)
        call = inspect.signature(func).bind(*args, **given)
        call.apply_defaults()
        has_statistics = "running_mean" not in call.arguments or call.arguments["running_mean"] is not None
        if has_statistics:  # without them it has to use those of the batch in evaluation too
            call.arguments[_STILL[func]] = False
        return func(*call.args, **call.kwargs)
