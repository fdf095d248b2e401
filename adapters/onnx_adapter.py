"""Detectors in ONNX, run by onnxruntime."""

from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.onnx_session import DTYPES, choose_port, external_files, open_session
from pytest_robustseiz.adapters.window_adapter import WindowAdapter, WindowArrays, zscore
from pytest_robustseiz.adapters.window_steps import Floats

__all__ = ["OnnxAdapter", "WindowArrays", "sigmoid", "zscore"]


class OnnxAdapter(WindowAdapter):
    """A detector made of `preprocess`, `predict` and `postprocess`, whose network is an ONNX file.

    Override `preprocess` for other windows or another normalisation, `predict` for a network whose output is neither
    one logit nor one probability, `postprocess` for other rules.

    Parameters
    ----------
    path : str or Path
        The ONNX file; weights that it keeps in files beside it are found there.
    device : str
        "cpu", "cuda" or "cuda:1" and the like, which needs the package onnxruntime-gpu.
    batch_size : int
        Windows per call; where the graph fixes their number, that counts, and the last batch is filled with zeros.
    threads : int, optional
        Threads of one call on the CPU. By default OMP_NUM_THREADS, or this worker's part of the cores.

    Attributes
    ----------
    name, montages, window_s, step_s, eventizer
        Class attributes, see `WindowAdapter`.
    gives : {"logits", "probabilities"}
        Class attribute: whether the output still needs a sigmoid. There is no default.
    output : str
        Class attribute: name of the output that counts; may be left out where the graph has one.

    Raises
    ------
    ValueError
        When the file is missing, its input or output do not fit, the device is not there, or `gives` is not set.
    """

    gives: ClassVar[Literal["logits", "probabilities"]]
    output: ClassVar[str] = ""

    def __init__(
        self, path: str | Path, *, device: str = "cpu", batch_size: int = 64, threads: int | None = None
    ) -> None:
        path = Path(path)
        session = open_session(path, device, threads)
        super().__init__(session, files=[path, *external_files(path)], batch_size=batch_size)
        self.device = device
        try:
            self._input = choose_port(session.get_inputs(), "input")
            self._output = choose_port(session.get_outputs(), "output", self.output)
            self._check_ports()
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        fixed = self._input.shape[0]
        self._fixed = fixed if isinstance(fixed, int) else None
        self.batch_size = self._fixed or batch_size

    def run(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Run the network.

        Parameters
        ----------
        windows : ndarray, of the shape that the graph's input has
            One batch.

        Returns
        -------
        ndarray
            The output, as the graph gives it.

        Raises
        ------
        ValueError
            When the windows do not fit the input.
        """
        if not self._input.takes(windows.shape):
            raise ValueError(
                f"{self.name}: expected windows for the input {self._input}, got shape {windows.shape}; "
                "see window_s and preprocess"
            )
        fed = np.ascontiguousarray(windows, dtype=DTYPES[self._input.kind])
        [answer] = self.model.run([self._output.name], {self._input.name: fed})
        return np.asarray(answer)

    def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Run the network, and a sigmoid where it gives logits; see `WindowAdapter.predict`."""
        answer = self.run(windows)
        if answer.ndim not in (1, 2) or len(answer) != len(windows):
            raise ValueError(
                f"{self.name}: expected the output {self._output.name} to have shape ({len(windows)},), "
                f"({len(windows)}, 1) or ({len(windows)}, n_window_samples), got {answer.shape}; override predict"
            )
        return sigmoid(answer) if self.gives == "logits" else answer

    def _settings(self) -> tuple[object, ...]:
        return (*super()._settings(), getattr(self, "gives", ""))

    def _answer(self, windows: npt.NDArray[Any], start: int) -> Floats:
        missing = (self._fixed or 0) - len(windows)
        if missing <= 0:
            return super()._answer(windows, start)
        filled = np.concatenate([windows, np.zeros((missing, *windows.shape[1:]), windows.dtype)])
        return super()._answer(filled, start)[: len(windows)]

    def _check_ports(self) -> None:
        if self._input.kind not in DTYPES:
            raise ValueError(f"expected an input of floating-point numbers, got {self._input}")
        if not self._output.kind.startswith("tensor("):
            raise ValueError(f"expected an output that is a tensor, got {self._output}")
        own = type(self).predict is not OnnxAdapter.predict
        if not own and getattr(self, "gives", None) not in ("logits", "probabilities"):
            raise ValueError(
                f"{type(self).__name__}.gives must say what the output {self._output} holds: 'logits', which a sigmoid "
                "turns into probabilities, or 'probabilities'"
            )


def sigmoid(logits: npt.NDArray[Any]) -> Floats:
    """Probability from logits, without overflow.

    Parameters
    ----------
    logits : ndarray of float

    Returns
    -------
    ndarray of float32, shape of the input
    """
    with np.errstate(invalid="ignore"):  # NaN stays NaN, which is an error of its own
        result: Floats = np.exp(-np.logaddexp(np.float32(0), -logits.astype(np.float32)))
    return result
