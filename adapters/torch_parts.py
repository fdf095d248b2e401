"""Small parts of torch detectors."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters.fingerprints import NotFingerprintable, fingerprint


def zscore(windows: Tensor) -> Tensor:
    """Scale each channel of each window to mean 0 and deviation 1; a flat channel becomes zero.

    Parameters
    ----------
    windows : Tensor, shape (..., n_window_samples)
    """
    centred = _centred(windows)
    return centred / _divisor(centred)


def divisor(windows: Tensor) -> Tensor:
    """What `zscore` divides by, but for rounding: the deviation of each channel of each window, 1 where it is flat.

    Parameters
    ----------
    windows : Tensor, shape (..., n_window_samples)

    Returns
    -------
    Tensor, shape (..., 1)
    """
    # By sums in double precision instead of a second array of the windows' size; for reports, so without a graph.
    n_samples, mean = windows.shape[-1], windows.mean(dim=-1, keepdim=True).double()
    squares = torch.linalg.vector_norm(windows, dim=-1, keepdim=True).double().square()
    deviation = (squares / n_samples - mean.square()).clamp(min=0).sqrt()
    flat = windows.amax(dim=-1, keepdim=True) == windows.amin(dim=-1, keepdim=True)
    return torch.where(flat, 1.0, deviation).to(windows.dtype)


def _centred(windows: Tensor) -> Tensor:
    # The mean of equal samples is rounded and leaves something; their difference from the first leaves nothing.
    moved = windows - windows[..., :1]
    return moved - moved.mean(dim=-1, keepdim=True)


def _divisor(centred: Tensor) -> Tensor:
    # A norm, unlike the root of a mean of squares, has a slope that is a number where all is zero.
    deviation = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / math.sqrt(centred.shape[-1])
    return torch.where(deviation > 0, deviation, 1.0)


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


def settings_of(module: nn.Module) -> dict[str, dict[str, object]]:
    """Public attributes of each part that are neither weights nor parts, such as a number of heads.

    Parameters
    ----------
    module : torch.nn.Module

    Returns
    -------
    dict of str to dict
        By the name of the part. Tensors are numpy arrays and functions their names. Of parts that torch brings, what
        cannot be hashed is left out; of an author's it is kept, so that hashing it says so.
    """
    return {name: _attributes(part) for name, part in module.named_modules()}


def _attributes(part: nn.Module) -> dict[str, object]:
    named = {key: value for key, value in vars(part).items() if not key.startswith("_") and key != "training"}
    plain = {key: _plain(value) for key, value in named.items()}
    return plain if is_authors(part) else {key: value for key, value in plain.items() if _has_hash(value)}


def _plain(value: object) -> object:
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, FunctionType | BuiltinFunctionType | type):
        return f"{value.__module__}.{value.__qualname__}"
    return value


def _has_hash(value: object) -> bool:
    try:
        fingerprint(value)
    except NotFingerprintable:
        return False
    return True


def is_authors(part: nn.Module) -> bool:
    """Whether a module, or any class that it is built on, comes from somewhere else than torch."""
    known = ("torch", "builtins", "typing", "abc")
    return any(base.__module__.partition(".")[0] not in known for base in type(part).__mro__)


def leave_inference_mode(module: nn.Module) -> None:
    """Replace weights and buffers that were made under `torch.inference_mode` by copies that allow gradients.

    Parameters
    ----------
    module : torch.nn.Module
        Changed in place; weights that are shared stay shared.
    """
    copies: dict[int, Tensor] = {}
    for part in module.modules():
        for held in (part._parameters, part._buffers):
            for name, value in held.items():
                if value is not None and value.is_inference():
                    copies.setdefault(id(value), _ordinary(value))
                    held[name] = copies[id(value)]  # type: ignore[assignment]


def _ordinary(value: Tensor) -> Tensor:
    copy = value.detach().clone()
    return nn.Parameter(copy, requires_grad=value.requires_grad) if isinstance(value, nn.Parameter) else copy
