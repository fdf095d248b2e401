"""Opening an ONNX file: device, threads, input and output, and the files that belong to it."""

import mmap
import os
import re
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

try:
    import onnxruntime
except ImportError as error:
    raise ImportError("detectors in ONNX need onnxruntime: pip install 'pytest-robustseiz[onnx]'") from error

DTYPES = {"tensor(float16)": np.float16, "tensor(float)": np.float32, "tensor(double)": np.float64}
# A weight outside of the file is a pair in its protocol buffer: key (field 1) "location", then value (field 2).
_LOCATION = re.compile(rb"\x0a\x08location\x12")


class Port(NamedTuple):
    """An input or output of a graph.

    Attributes
    ----------
    name : str
        In the graph.
    shape : tuple of int, str or None
        Sizes; a name or None where any size is taken.
    kind : str
        Type, such as "tensor(float)".
    """

    name: str
    shape: tuple[int | str | None, ...]
    kind: str

    def __str__(self) -> str:
        sizes = ("any" if size is None else str(size) for size in self.shape)
        return f"{self.name} of {self.kind} and shape ({', '.join(sizes)})"

    def takes(self, shape: tuple[int, ...]) -> bool:
        """Whether windows of this shape go in, whatever their number."""
        sizes = zip(self.shape[1:], shape[1:], strict=False)
        return len(shape) == len(self.shape) and all(not isinstance(want, int) or want == got for want, got in sizes)


def open_session(path: Path, device: str, threads: int | None) -> Any:
    """Load a graph onto a device.

    Parameters
    ----------
    path : Path
        The ONNX file.
    device : str
        "cpu", "cuda" or "cuda:1" and the like.
    threads : int, optional
        Threads of one call on the CPU; `share_of_cores` by default.

    Raises
    ------
    ValueError
        When there is no such file, or no such device for this onnxruntime; it never goes on with another device.
    """
    if not path.is_file():
        raise ValueError(f"path: expected an ONNX file at {path}, and there is none")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = share_of_cores() if threads is None else threads
    options.inter_op_num_threads = 1
    provider, settings = _provider(device)
    if provider not in onnxruntime.get_available_providers():
        raise ValueError(_without_cuda(device, "has no CUDA"))
    if device != "cpu" and hasattr(onnxruntime, "preload_dlls"):
        onnxruntime.preload_dlls()  # finds the CUDA libraries that pip installs
    # Where CUDA cannot start, onnxruntime takes the CPU, and only the session's providers tell.
    session = onnxruntime.InferenceSession(str(path), options, providers=[(provider, settings)])
    if session.get_providers()[0] != provider:
        raise ValueError(_without_cuda(device, "cannot start CUDA: its driver or libraries are missing or do not fit"))
    return session


def choose_port(arguments: list[Any], what: str, name: str = "") -> Port:
    """One input or output of a session.

    Parameters
    ----------
    arguments : list
        What the session has.
    what : str
        For messages, such as "input".
    name : str
        Which one; may be empty where there is one.

    Raises
    ------
    ValueError
        When there is none of that name, or several to choose from, listing them.
    """
    ports = [Port(argument.name, tuple(argument.shape), argument.type) for argument in arguments]
    chosen = [port for port in ports if name in ("", port.name)]
    if len(chosen) != 1:
        wanted = f"an {what} named {name!r}" if name else f"one {what}"
        raise ValueError(f"expected {wanted}, got {len(ports)}: {'; '.join(map(str, ports))}")
    return chosen[0]


def external_files(path: Path) -> Iterator[Path]:
    """Files beside a graph that hold weights of it.

    Parameters
    ----------
    path : Path
        The ONNX file.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        names = {_text_at(content, found.end()) for found in _LOCATION.finditer(content)}
    found = (path.parent / name for name in sorted(names))
    return (file for file in found if file.is_file())  # other pairs may have this key too


def share_of_cores() -> int:
    """Threads for this process: OMP_NUM_THREADS where it is set, else the cores over the workers of pytest-xdist."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _text_at(content: mmap.mmap, place: int) -> str:
    """A length in base 128, lowest digits first, and as many bytes of text."""
    length = shift = 0
    while True:
        byte = content[place]
        place += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return content[place : place + length].decode("utf-8", "replace")


def _provider(device: str) -> tuple[str, dict[str, Any]]:
    if device == "cpu":
        return "CPUExecutionProvider", {}
    kind, colon, number = device.partition(":")
    if kind != "cuda" or (colon and not number.isdigit()):
        raise ValueError(f"device: expected cpu, cuda or cuda:N, got {device!r}")
    # Without TF32, as a GPU then gives what a CPU gives but for rounding, and results of both are kept under one name.
    return "CUDAExecutionProvider", {"device_id": int(number or 0), "use_tf32": 0}


def _without_cuda(device: str, what: str) -> str:
    packages = ", ".join(packages_distributions().get("onnxruntime", ["unknown"]))
    offered = ", ".join(onnxruntime.get_available_providers())
    return (
        f"device: {device} was asked for, and onnxruntime {onnxruntime.__version__} {what} "
        f"(package: {packages}; it offers: {offered}); use the CPU, or install onnxruntime-gpu in place of "
        "onnxruntime, with the CUDA libraries that it needs"
    )
