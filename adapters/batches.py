"""Windows in groups, on the device, as many at once as its memory holds."""

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import torch
from torch import Tensor

Result = TypeVar("Result")


class Windowed(Protocol):
    """What `TorchAdapter.preprocess` returns: a tensor, or anything with a length whose slices are tensors."""

    def __len__(self) -> int:
        """Number of windows."""
        ...

    def __getitem__(self, index: slice, /) -> Tensor:
        """Some windows."""
        ...


def windows_of(values: int, windows: Windowed) -> int:
    """How many windows make about so many input values, at least one.

    Parameters
    ----------
    values : int
        Samples times channels.
    windows : Windowed
        Of which one is looked at.
    """
    return max(1, values // math.prod(windows[0:1].shape[1:]))


def run_in_batches(
    windows: Windowed, size: int, device: torch.device, work: Callable[[Tensor, slice], Result]
) -> tuple[list[Result], int]:
    """Call a function with batches of windows; where memory runs out, halve the batch and go on.

    Parameters
    ----------
    windows : Windowed
        All windows.
    size : int
        Windows per batch to begin with.
    device : torch.device
        Where the batches are moved.
    work : callable
        Takes a batch and its place among the windows.

    Returns
    -------
    results : list
        Of `work`, in order.
    size : int
        Windows per batch at the end.

    Raises
    ------
    torch.OutOfMemoryError
        When a single window is too much.
    """
    results: list[Result] = []
    start = 0
    while start < len(windows):
        index = slice(start, min(start + size, len(windows)))
        try:
            results.append(work(windows[index].to(device), index))
        except torch.OutOfMemoryError:
            if size == 1:
                raise
            tight = True
        else:
            tight = False
            start = index.stop
        if tight:  # out here nothing holds the tensors of the failed batch any more
            size = max(1, size // 2)
            if device.type == "cuda":
                torch.cuda.empty_cache()
    return results, size
