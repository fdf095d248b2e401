"""A device that is not there: keeps torch to the rules of a GPU, with the numbers of the CPU."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from pytest_robustseiz.adapters.torch_adapter import TorchAdapter

DEVICE = torch.device("cuda:7")
CPU = torch.device("cpu")
_TO_NUMPY = (Tensor.numpy, Tensor.__array__)
_MATRIX_PRODUCTS = (Tensor.__matmul__, Tensor.matmul, torch.matmul)
_DIVISIONS = {Tensor.__truediv__: Tensor.mul, Tensor.div: Tensor.mul, Tensor.div_: Tensor.mul_}


class Elsewhere(Tensor):
    """A tensor that counts as being on the device."""


class PretendDevice(TorchFunctionMode):
    """Inside of it, tensors can be made on `DEVICE` and moved there.

    As on a GPU, one there does not meet one of the CPU (but for single numbers), does not turn into a numpy array,
    shares no memory with one, and is divided by a number through the rounded inverse. Products of matrices are refused,
    since a GPU may round them to ten bits.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        tensors = list(_tensors([args, named]))
        asked = any(_is_device(value) for value in (*args, *named.values()))
        with torch._C.DisableTorchFunctionSubclass():
            if func is Tensor.cpu:
                return args[0].clone().as_subclass(Tensor)
            if any(isinstance(tensor, Elsewhere) for tensor in tensors):
                if func == Tensor.device.__get__:
                    return DEVICE
                _require_allowed(func, tensors, asked=asked)
                func, args = _as_there(func, args)
            elif not asked:
                return func(*args, **named)
            return _wrapped(func(*map(_on_cpu, args), **{name: _on_cpu(value) for name, value in named.items()}))


def move_there(adapter: TorchAdapter) -> TorchAdapter:
    """Put an adapter and its weights on the device."""
    for part in adapter.module.modules():
        for name, weight in part._parameters.items():
            part._parameters[name] = None if weight is None else nn.Parameter(weight.data.as_subclass(Elsewhere))
        for name, buffer in part._buffers.items():
            part._buffers[name] = None if buffer is None else buffer.as_subclass(Elsewhere)
    adapter.device = DEVICE
    return adapter


def _require_allowed(func: Callable[..., Any], tensors: list[Tensor], *, asked: bool) -> None:
    if func in _TO_NUMPY:
        raise TypeError(f"can't convert {DEVICE} device type tensor to numpy; use Tensor.cpu() first")
    if func in _MATRIX_PRODUCTS and tensors[0].ndim > 1:
        raise RuntimeError("a product of matrices, which a GPU may round")
    if not asked and any(tensor.ndim for tensor in tensors if not isinstance(tensor, Elsewhere)):
        raise RuntimeError(f"{func}: expected all tensors to be on {DEVICE}, found some on the CPU")


def _as_there(func: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    if func in _DIVISIONS and isinstance(args[1], int | float):
        return _DIVISIONS[func], (args[0], 1 / torch.tensor(args[1], dtype=args[0].dtype))
    return func, args


def _is_device(value: object) -> bool:
    return isinstance(value, torch.device | str) and str(value) == str(DEVICE)


def _on_cpu(value: Any) -> Any:
    return CPU if _is_device(value) else value


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _wrapped(result: Any) -> Any:
    if isinstance(result, Tensor) and not isinstance(result, Elsewhere):
        return (result if result._base is not None else result.clone()).as_subclass(Elsewhere)
    if isinstance(result, list | tuple):
        return type(result)(_wrapped(item) for item in result)
    return result
