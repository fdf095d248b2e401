"""Small graphs in ONNX, made by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
Shape = Sequence[int | str | None]


def save_graph(
    path: Path,
    nodes: Sequence[Any],
    inputs: Mapping[str, Shape],
    outputs: Mapping[str, Shape],
    constants: Mapping[str, npt.NDArray[Any]],
    *,
    kind: int = FLOAT,
    output_kind: int | None = None,
) -> Path:
    """Write a graph whose inputs, and outputs, are of one kind each."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, output_kind or kind, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save_model(model, path)
    return path


def save_linear(
    path: Path,
    weights: npt.NDArray[Any],
    bias: float = 0.0,
    *,
    batch: int | str = "batch",
    window: int | str | None = None,
    kind: int = FLOAT,
    sigmoid: bool = False,
    column: bool = False,
) -> Path:
    """One output per window: the sum of weights times samples, plus a bias.

    Parameters
    ----------
    path : Path
        Of the file.
    weights : ndarray, shape (n_channels, n_window_samples)
        As many as there are values in a window.
    bias : float
        Added to each output.
    batch, window : int or str
        Size of the batch and length of a window that the graph declares.
    kind : int
        Type of all values.
    sigmoid : bool
        Whether the output is a probability.
    column : bool
        Whether the output has shape (n_batch, 1) and not (n_batch,).
    """
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    nodes = [
        helper.make_node("Flatten", ["windows"], ["flat"], axis=1),
        helper.make_node("Gemm", ["flat", "weights", "bias"], ["sums"]),
        helper.make_node("Sigmoid" if sigmoid else "Identity", ["sums"], ["column"]),
        helper.make_node("Identity", ["column"], ["answer"])
        if column
        else helper.make_node("Squeeze", ["column", "axis"], ["answer"]),
    ]
    constants = {"weights": weights.reshape(-1, 1).astype(dtype), "bias": np.array([bias], dtype)}
    shape = (batch, weights.shape[0], weights.shape[1] if window is None else window)
    return save_graph(
        path,
        nodes,
        {"windows": shape},
        {"answer": (batch, 1) if column else (batch,)},
        constants if column else constants | {"axis": np.array([1], np.int64)},
        kind=kind,
    )


def save_mean_of_channels(path: Path) -> Path:
    """One output per sample of each window: the mean over the channels."""
    nodes = [helper.make_node("ReduceMean", ["windows", "axis"], ["answer"], keepdims=0)]
    inputs, outputs = {"windows": ("batch", "channels", "time")}, {"answer": ("batch", "time")}
    return save_graph(path, nodes, inputs, outputs, {"axis": np.array([1], np.int64)})


def save_loudness(path: Path, level_uv: float) -> Path:
    """One logit per window: how far the root mean square of the first channel is above a level, in microvolts."""
    nodes = [
        helper.make_node("Gather", ["windows", "first"], ["channel"], axis=1),
        helper.make_node("ReduceL2", ["channel", "axis"], ["length"], keepdims=0),
        helper.make_node("Shape", ["channel"], ["sizes"]),
        helper.make_node("Gather", ["sizes", "last"], ["size"], axis=0),
        helper.make_node("Cast", ["size"], ["n_samples"], to=FLOAT),
        helper.make_node("Sqrt", ["n_samples"], ["root"]),
        helper.make_node("Div", ["length", "root"], ["rms"]),
        helper.make_node("Sub", ["rms", "level"], ["answer"]),
    ]
    constants: dict[str, npt.NDArray[Any]] = {
        "first": np.array(0, np.int64),
        "last": np.array(1, np.int64),
        "axis": np.array([1], np.int64),
        "level": np.array(level_uv, np.float32),
    }
    return save_graph(path, nodes, {"windows": ("batch", "channels", "time")}, {"answer": ("batch",)}, constants)
