"""Detectors in ONNX: against onnxruntime by hand, against torch, devices, threads, files, and in the plugin."""

import importlib.util
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import expit
from scipy.stats import zscore as scipy_zscore
from test_plugin import options, rows

from pytest_robustseiz.adapters import Adapter, Eventizer, Windows

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from graphs import save_graph, save_linear, save_loudness, save_mean_of_channels  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from pytest_robustseiz.adapters import onnx_session  # noqa: E402
from pytest_robustseiz.adapters.onnx_adapter import OnnxAdapter, sigmoid  # noqa: E402

SFREQ = 64.0
WINDOW = 128  # samples
CHANNELS = ("Fp1", "F3", "C3")
WEIGHTS = (np.random.default_rng(7).normal(size=(3, WINDOW)) / 10).astype(np.float32)


class Small(OnnxAdapter):
    """Windows of two seconds of three channels."""

    name = "small"
    window_s = 2.0
    step_s = 2.0
    eventizer = Eventizer(threshold=0.5, min_duration_s=0.0)
    gives: ClassVar[Literal["logits", "probabilities"]] = "logits"


class Overlapping(Small):
    step_s = 0.5


class Ready(Small):
    gives: ClassVar[Literal["logits", "probabilities"]] = "probabilities"


def eeg(n_samples: int = 1000) -> npt.NDArray[np.float32]:
    return np.random.default_rng(0).normal(0, 30, (3, n_samples)).astype(np.float32)


def by_hand(path: Path, signal: npt.NDArray[np.float32], step: int) -> npt.NDArray[np.float64]:
    """Probability of each sample: windows cut and scaled in plain numpy, each run alone."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    n_samples, start = signal.shape[1], 0
    total, count = np.zeros(n_samples + WINDOW), np.zeros(n_samples + WINDOW)
    while True:
        piece = np.zeros((1, len(signal), WINDOW))
        cut = signal[:, start : start + WINDOW]
        piece[0, :, : cut.shape[1]] = cut
        [answer] = session.run(None, {"windows": scipy_zscore(piece, axis=-1).astype(np.float32)})
        total[start : start + WINDOW] += expit(answer.astype(np.float64)).ravel()
        count[start : start + WINDOW] += 1
        if start + WINDOW >= n_samples:
            return np.asarray((total / np.maximum(count, 1))[:n_samples])
        start += step


GRAPHS: dict[str, Callable[[Path], Path]] = {
    "one per window": lambda path: save_linear(path, WEIGHTS),
    "a column": lambda path: save_linear(path, WEIGHTS, column=True),
    "a fixed batch": lambda path: save_linear(path, WEIGHTS, batch=1),
    "one per sample": save_mean_of_channels,
}


@pytest.mark.parametrize("n_samples", [WINDOW // 2, WINDOW, WINDOW + 3, 1000])
@pytest.mark.parametrize("kind, step", [(Small, WINDOW), (Overlapping, 32)])
@pytest.mark.parametrize("graph", GRAPHS)
def test_against_onnxruntime_by_hand(tmp_path: Path, graph: str, kind: type[Small], step: int, n_samples: int) -> None:
    path, signal = GRAPHS[graph](tmp_path / "net.onnx"), eeg(n_samples)
    adapter = kind(path, batch_size=3)
    found = adapter.timeline(adapter.probabilities(signal, SFREQ, CHANNELS), n_samples, SFREQ)
    np.testing.assert_allclose(found, by_hand(path, signal, step), atol=1e-5)
    mask = adapter.detect(signal, SFREQ, CHANNELS)
    np.testing.assert_array_equal(mask, adapter.eventizer(found, SFREQ))
    np.testing.assert_array_equal(adapter.examine(signal, SFREQ, CHANNELS).mask, mask)


def torch_twin(net: Any, kind: type[Small]) -> Any:
    """The same windows and rules as a torch detector."""
    from pytest_robustseiz.adapters.torch_adapter import TorchAdapter

    settings = {name: getattr(kind, name) for name in ("window_s", "step_s", "eventizer")}
    return type("Twin", (TorchAdapter,), settings)(net)


@pytest.mark.parametrize("kind", [Small, Overlapping])
def test_the_same_weights_in_torch_give_the_same(tmp_path: Path, kind: type[Small]) -> None:
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * WINDOW, 1), torch.nn.Flatten(0))
    net[1].weight.data = torch.from_numpy(WEIGHTS.reshape(1, -1).copy())
    net[1].bias.data = torch.tensor([0.3])
    adapter, twin = kind(save_linear(tmp_path / "net.onnx", WEIGHTS, 0.3)), torch_twin(net, kind)
    signal = eeg(4000)
    expected = twin.probabilities(signal.copy(), SFREQ, CHANNELS)
    np.testing.assert_allclose(adapter.probabilities(signal, SFREQ, CHANNELS), expected, atol=1e-6)
    mask = adapter.detect(signal, SFREQ, CHANNELS)
    assert 0 < mask.sum() < mask.size
    np.testing.assert_array_equal(mask, twin.detect(signal.copy(), SFREQ, CHANNELS))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's newer exporter needs onnxscript
@pytest.mark.parametrize("per_sample", [False, True])
def test_an_exported_network_gives_what_it_gave_in_torch(tmp_path: Path, *, per_sample: bool) -> None:
    torch = pytest.importorskip("torch")
    from nets import convolutional

    net, path = convolutional(per_sample=per_sample), tmp_path / "net.onnx"
    torch.onnx.export(
        net, (torch.zeros(2, 3, WINDOW),), path, input_names=["windows"], dynamo=False,
        output_names=["logits"], dynamic_axes={"windows": {0: "batch"}, "logits": {0: "batch"}},
    )  # fmt: skip
    adapter, twin = Overlapping(path, batch_size=5), torch_twin(net, Overlapping)
    signal = eeg(4000)
    expected = twin.probabilities(signal.copy(), SFREQ, CHANNELS)
    np.testing.assert_allclose(adapter.probabilities(signal, SFREQ, CHANNELS), expected, atol=1e-6)
    mask = adapter.detect(signal, SFREQ, CHANNELS)
    assert 0 < mask.sum() < mask.size
    np.testing.assert_array_equal(mask, twin.detect(signal.copy(), SFREQ, CHANNELS))


def test_batches_of_1_and_64_give_one_mask(tmp_path: Path) -> None:
    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    one, many = (Overlapping(path, batch_size=size).examine(eeg(4000), SFREQ, CHANNELS) for size in (1, 64))
    assert np.array_equal(one.mask, many.mask) or one.near_threshold


def test_probabilities_get_no_sigmoid(tmp_path: Path) -> None:
    logits = Small(save_linear(tmp_path / "logits.onnx", WEIGHTS))
    ready = Ready(save_linear(tmp_path / "ready.onnx", WEIGHTS, sigmoid=True))
    expected = logits.probabilities(eeg(), SFREQ, CHANNELS)
    np.testing.assert_allclose(ready.probabilities(eeg(), SFREQ, CHANNELS), expected, atol=1e-6)


def test_logits_taken_for_probabilities_are_an_error(tmp_path: Path) -> None:
    adapter = Ready(save_linear(tmp_path / "net.onnx", WEIGHTS, 40.0))
    with pytest.raises(ValueError, match=r"^predict: expected probabilities of 0 to 1, got \d\d\.\d+ for window 0$"):
        adapter.detect(eeg(), SFREQ, CHANNELS)


@pytest.mark.parametrize("kind, tolerance", [(TensorProto.FLOAT16, 5e-3), (TensorProto.DOUBLE, 1e-6)])
def test_windows_come_in_the_type_of_the_input(tmp_path: Path, kind: int, tolerance: float) -> None:
    expected = Small(save_linear(tmp_path / "single.onnx", WEIGHTS)).probabilities(eeg(), SFREQ, CHANNELS)
    other = Small(save_linear(tmp_path / "other.onnx", WEIGHTS, kind=kind))
    np.testing.assert_allclose(other.probabilities(eeg(), SFREQ, CHANNELS), expected, atol=tolerance)


def test_a_fixed_batch_is_filled(tmp_path: Path) -> None:
    expected = Small(save_linear(tmp_path / "free.onnx", WEIGHTS)).probabilities(eeg(7 * WINDOW), SFREQ, CHANNELS)
    adapter = Small(save_linear(tmp_path / "fixed.onnx", WEIGHTS, batch=5), batch_size=64)
    np.testing.assert_allclose(adapter.probabilities(eeg(7 * WINDOW), SFREQ, CHANNELS), expected, atol=1e-6)


def test_predict_may_take_what_else_the_network_gives(tmp_path: Path) -> None:
    """Two classes, with the batch on the second axis."""
    node = helper.make_node("Transpose", ["windows"], ["scores"], perm=[1, 0, 2])
    outputs = {"scores": ("c", "batch", "t")}
    path = save_graph(tmp_path / "net.onnx", [node], {"windows": ("batch", "c", "t")}, outputs, {})

    class Classes(OnnxAdapter):
        window_s = 2.0
        step_s = 2.0

        def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.asarray(expit(self.run(windows)[1].mean(-1)))

    found = Classes(path, batch_size=2).probabilities(eeg(5 * WINDOW), SFREQ, CHANNELS)
    np.testing.assert_allclose(found, 0.5, atol=1e-6)  # windows have mean 0


@pytest.mark.parametrize("value", [-1e4, -89.0, -20.0, 0.0, 3.0, 1e4])
def test_sigmoid_neither_overflows_nor_loses_digits(value: float) -> None:
    np.testing.assert_allclose(sigmoid(np.array([value])), expit(np.array([value])), rtol=1e-6, atol=1e-45)
    assert sigmoid(np.array([value])).dtype == np.float32


# What does not fit


def save_identity(path: Path, **more: Any) -> Path:
    node = helper.make_node("Identity", ["windows"], ["answer"])
    return save_graph(path, [node], {"windows": ("batch", 3, 128)}, {"answer": ("batch", 3, 128)}, {}, **more)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^path: expected an ONNX file at .*nowhere\.onnx, and there is none$"):
        Small(tmp_path / "nowhere.onnx")


@pytest.mark.parametrize(
    "n_samples, n_channels, got",
    [(128, 2, r"\(1, 2, 128\)"), (256, 3, r"\(1, 3, 256\)")],
)
def test_windows_that_do_not_fit_are_named(tmp_path: Path, n_samples: int, n_channels: int, got: str) -> None:
    adapter = Small(save_linear(tmp_path / "net.onnx", WEIGHTS))
    with pytest.raises(
        ValueError,
        match=r"^small: expected windows for the input windows of tensor\(float\) and shape \(batch, 3, 128\), "
        rf"got shape {got}; see window_s and preprocess$",
    ):
        adapter.detect(np.ones((n_channels, n_samples), np.float32), n_samples / 2, CHANNELS[:n_channels])


def test_windows_of_another_number_of_dimensions_are_named(tmp_path: Path) -> None:
    node = helper.make_node("Identity", ["windows"], ["answer"])
    path = save_graph(tmp_path / "net.onnx", [node], {"windows": ("batch", 3)}, {"answer": ("batch", 3)}, {})
    with pytest.raises(ValueError, match=r"shape \(batch, 3\), got shape \(4, 3, 128\); see window_s and preprocess$"):
        Small(path).detect(eeg(), SFREQ, CHANNELS)


def test_an_output_that_is_not_one_value_per_window_or_sample_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError,
        match=r"^small: expected the output answer to have shape \(4,\), \(4, 1\) or \(4, n_window_samples\), "
        r"got \(4, 3, 128\); override predict$",
    ):
        Small(save_identity(tmp_path / "net.onnx")).detect(eeg(), SFREQ, CHANNELS)


def test_nan_is_an_error(tmp_path: Path) -> None:
    adapter = Small(save_linear(tmp_path / "net.onnx", WEIGHTS, float("nan")))
    with pytest.raises(ValueError, match=r"^predict: expected probabilities of 0 to 1, got NaN for window 0$"):
        adapter.detect(eeg(), SFREQ, CHANNELS)


def test_a_graph_that_is_random_is_an_error(tmp_path: Path) -> None:
    """As one that was exported in training mode, with its dropout."""
    nodes = [
        helper.make_node("Dropout", ["windows", "ratio", "training"], ["dropped"]),
        helper.make_node("ReduceMean", ["dropped", "axis"], ["answer"], keepdims=0),
    ]
    constants = {"ratio": np.array(0.5, np.float32), "axis": np.array([1], np.int64)}
    path = save_graph(
        tmp_path / "net.onnx",
        nodes,
        {"windows": ("batch", 3, "time")},
        {"answer": ("batch", "time")},
        constants | {"training": np.array(True)},  # type: ignore[arg-type]
    )
    with pytest.raises(ValueError, match=r"^small is random: .* switch off what is random, such as dropout$"):
        Small(path).detect(eeg(), SFREQ, CHANNELS)


def save_two(path: Path) -> Path:
    """Two outputs: logits per sample, and their negative."""
    nodes = [
        helper.make_node("ReduceMean", ["windows", "axis"], ["seizure"], keepdims=0),
        helper.make_node("Neg", ["seizure"], ["background"]),
    ]
    outputs = {"background": ("batch", "time"), "seizure": ("batch", "time")}
    return save_graph(path, nodes, {"windows": ("batch", 3, "time")}, outputs, {"axis": np.array([1], np.int64)})


def test_the_output_is_chosen_by_name(tmp_path: Path) -> None:
    class Chosen(Small):
        output = "seizure"

    found = Chosen(save_two(tmp_path / "two.onnx")).probabilities(eeg(), SFREQ, CHANNELS)
    expected = Small(save_mean_of_channels(tmp_path / "one.onnx")).probabilities(eeg(), SFREQ, CHANNELS)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name, wanted", [("", "one output"), ("sz", "an output named 'sz'")])
def test_an_output_that_cannot_be_chosen_is_an_error_that_lists_them(tmp_path: Path, name: str, wanted: str) -> None:
    kind = type("Chosen", (Small,), {"output": name})
    with pytest.raises(
        ValueError,
        match=rf"two\.onnx: expected {wanted}, got 2: background of tensor\(float\) and shape \(batch, time\); seiz",
    ):
        kind(save_two(tmp_path / "two.onnx"))


def test_two_inputs_are_an_error(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["windows", "state"], ["answer"])
    path = save_graph(tmp_path / "net.onnx", [node], {"windows": (None, 3), "state": (2, 3)}, {"answer": (2, 3)}, {})
    with pytest.raises(
        ValueError, match=r"expected one input, got 2: windows of tensor\(float\) and shape \(any, 3\); state of "
    ):
        Small(path)


def test_an_input_of_integers_is_an_error(tmp_path: Path) -> None:
    path = save_identity(tmp_path / "net.onnx", kind=TensorProto.INT64)
    with pytest.raises(
        ValueError, match=r"expected an input of floating-point numbers, got windows of tensor\(int64\)"
    ):
        Small(path)


def test_an_output_that_is_a_sequence_is_an_error(tmp_path: Path) -> None:
    """As classifiers of scikit-learn give by default, when they are converted."""
    node = helper.make_node("SplitToSequence", ["windows"], ["answer"], axis=0)
    graph = helper.make_graph(
        [node],
        "graph",
        [helper.make_tensor_value_info("windows", TensorProto.FLOAT, ("batch", 3, 128))],
        [helper.make_tensor_sequence_value_info("answer", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save_model(model, tmp_path / "net.onnx")
    with pytest.raises(ValueError, match=r"expected an output that is a tensor, got answer of seq\(tensor\(float\)\)"):
        Small(tmp_path / "net.onnx")


def test_what_the_output_holds_must_be_said(tmp_path: Path) -> None:
    class Mute(OnnxAdapter):
        pass

    with pytest.raises(
        ValueError, match=r"net\.onnx: Mute\.gives must say what the output answer of .* holds: 'logits', which"
    ):
        Mute(save_linear(tmp_path / "net.onnx", WEIGHTS))


# Devices and threads


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:one", "cuda:-1", "CPU"])
def test_unknown_devices_are_refused(tmp_path: Path, device: str) -> None:
    with pytest.raises(ValueError, match=f"device: expected cpu, cuda or cuda:N, got '{device}'"):
        Small(save_linear(tmp_path / "net.onnx", WEIGHTS), device=device)


def test_without_cuda_the_error_says_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["SomeProvider", "CPUExecutionProvider"])
    with pytest.raises(
        ValueError,
        match=rf"^device: cuda:1 was asked for, and onnxruntime {onnxruntime.__version__} has no CUDA \(package: "
        r"onnxruntime.*; it offers: SomeProvider, CPUExecutionProvider\); use the CPU, or install onnxruntime-gpu",
    ):
        Small(save_linear(tmp_path / "net.onnx", WEIGHTS), device="cuda:1")


class StandIn:
    """Stands for a build with CUDA; keeps what it was asked, and gets the providers that it is told to get."""

    asked: ClassVar[list[Any]] = []
    got: ClassVar[list[str]] = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    real = onnxruntime.InferenceSession

    def __init__(self, path: str, options: Any, *, providers: list[Any]) -> None:
        self.asked.append(providers)
        self._session = StandIn.real(path, options, providers=["CPUExecutionProvider"])

    def get_providers(self) -> list[str]:
        return self.got

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


@pytest.fixture
def with_cuda(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: StandIn.got)
    monkeypatch.setattr(onnxruntime, "preload_dlls", lambda: None)
    monkeypatch.setattr(onnxruntime, "InferenceSession", StandIn)
    monkeypatch.setattr(StandIn, "asked", [])
    return StandIn


@pytest.mark.parametrize("device, number", [("cuda", 0), ("cuda:0", 0), ("cuda:3", 3)])
def test_cuda_gets_its_number(tmp_path: Path, with_cuda: type[StandIn], device: str, number: int) -> None:
    Small(save_linear(tmp_path / "net.onnx", WEIGHTS), device=device)
    assert with_cuda.asked == [[("CUDAExecutionProvider", {"device_id": number, "use_tf32": 0})]]


def test_the_cpu_in_place_of_cuda_is_an_error(
    tmp_path: Path, with_cuda: type[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])
    monkeypatch.setattr(with_cuda, "got", ["CPUExecutionProvider"])
    with pytest.raises(ValueError, match=r"^device: cuda:0 was asked for, and onnxruntime .* cannot start CUDA: its "):
        Small(path, device="cuda:0")


CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.mark.parametrize(
    "environment, threads",
    [
        ({}, CORES),
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "3", "PYTEST_XDIST_WORKER_COUNT": "1000"}, 3),
        ({"PYTEST_XDIST_WORKER_COUNT": "1"}, CORES),
        ({"PYTEST_XDIST_WORKER_COUNT": "1000"}, 1),
    ],
)
def test_workers_share_the_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], threads: int
) -> None:
    for name in ("OMP_NUM_THREADS", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    assert Small(path).model.get_session_options().intra_op_num_threads == threads
    assert Small(path, threads=2).model.get_session_options().intra_op_num_threads == 2


# Fingerprint and files


def test_the_fingerprint_follows_what_decides_the_answers(tmp_path: Path) -> None:
    class Sharper(Small):
        eventizer = Eventizer(threshold=0.6)

    def with_attribute(value: object) -> Small:
        adapter = Small(path)
        adapter.extra = value  # type: ignore[attr-defined]
        return adapter

    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    changed = WEIGHTS.copy()
    changed[0, 0] += 1e-3
    adapters = [
        Small(path),
        Small(save_linear(tmp_path / "changed.onnx", changed)),
        Ready(path),
        Overlapping(path),
        Sharper(path),
        with_attribute(3),
    ]
    fingerprints = [adapter.fingerprint() for adapter in adapters]
    assert None not in fingerprints
    assert len(set(fingerprints)) == len(adapters)
    again = Small(save_linear(tmp_path / "again.onnx", WEIGHTS), batch_size=1, threads=1)
    again.detect(eeg(), SFREQ, CHANNELS)
    assert isinstance(again, Adapter)
    assert again.fingerprint() == fingerprints[0]
    assert with_attribute(object()).fingerprint() is None


def test_the_fingerprint_tells_what_the_output_is_taken_for(tmp_path: Path) -> None:
    """Of two classes that have one name."""
    path = save_linear(tmp_path / "net.onnx", WEIGHTS, sigmoid=True)
    made = [type("Same", (Small,), {"gives": gives})(path) for gives in ("logits", "probabilities")]
    assert made[0].fingerprint() not in (None, made[1].fingerprint())


def test_the_device_is_no_part_of_the_fingerprint(tmp_path: Path, with_cuda: type[StandIn]) -> None:
    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    with_cuda.got = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    first = Small(path, device="cuda:0").fingerprint()
    assert first == Small(path, device="cuda:1").fingerprint() is not None


def save_beside(folder: Path, weights: npt.NDArray[np.float32], location: str) -> Path:
    """A graph whose weights are in a file beside it, so that its own file is the same for all weights."""
    path = save_linear(folder / "net.onnx", weights)
    model = onnx.load(path)
    (folder / location).parent.mkdir(parents=True, exist_ok=True)
    onnx.save_model(model, path, save_as_external_data=True, location=location, size_threshold=100)
    return path


@pytest.mark.parametrize("location", ["net.onnx.data", "weights/of the net.bin", f"{'long' * 50}.data"])
def test_weights_beside_the_graph_count(tmp_path: Path, location: str) -> None:
    (tmp_path / "net.data").write_bytes(b"not of this graph")
    first = Small(save_beside(tmp_path, WEIGHTS, location))
    graph = (tmp_path / "net.onnx").read_bytes()
    assert list(onnx_session.external_files(tmp_path / "net.onnx")) == [tmp_path / location]
    (tmp_path / location).unlink()
    second = Small(save_beside(tmp_path, WEIGHTS + 1, location))
    assert (tmp_path / "net.onnx").read_bytes() == graph
    assert first.fingerprint() not in (None, second.fingerprint())
    expected = Small(save_linear(tmp_path / "whole.onnx", WEIGHTS + 1)).probabilities(eeg(), SFREQ, CHANNELS)
    np.testing.assert_array_equal(second.probabilities(eeg(), SFREQ, CHANNELS), expected)


def test_a_note_that_looks_like_a_place_is_no_file(tmp_path: Path) -> None:
    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    model = onnx.load(path)
    helper.set_model_props(model, {"location": "Vienna"})
    onnx.save_model(model, path)
    assert list(onnx_session.external_files(path)) == []
    assert Small(path).fingerprint() is not None


def test_weights_are_not_taken_from_names(tmp_path: Path) -> None:
    path = save_linear(tmp_path / "net.onnx", WEIGHTS)
    assert numpy_helper.to_array(onnx.load(path).graph.initializer[0]).size == WEIGHTS.size
    assert list(onnx_session.external_files(path)) == []


# Memory and imports


def test_windows_are_made_in_batches(tmp_path: Path) -> None:
    signal = eeg(200_000)  # 2.4 MB; its windows overlap fourfold
    adapter = Overlapping(save_linear(tmp_path / "net.onnx", WEIGHTS), batch_size=16)
    adapter.probabilities(signal[:, :5000], SFREQ, CHANNELS)
    tracemalloc.start()
    adapter.probabilities(signal, SFREQ, CHANNELS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    cut = adapter.preprocess(signal, SFREQ, CHANNELS)
    assert isinstance(cut, Windows)
    assert len(cut) * 3 * WINDOW * 4 > 4 * 2_300_000  # what all windows at once would need
    assert peak < 1_000_000


def run_python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_onnxruntime_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['onnxruntime'] = None; import pytest_robustseiz.adapters.onnx_adapter"
    result = run_python(code)
    assert result.returncode == 1
    assert "ImportError: detectors in ONNX need onnxruntime: pip install 'pytest-robustseiz[onnx]'" in result.stderr


def test_only_detectors_in_onnx_import_onnxruntime() -> None:
    code = "import sys, pytest_robustseiz.adapters, pytest_robustseiz.plugin; sys.exit('onnxruntime' in sys.modules)"
    assert run_python(code).returncode == 0


# In the plugin

PROJECT = """
import pytest

from pytest_robustseiz.adapters import Eventizer
from pytest_robustseiz.adapters.onnx_adapter import OnnxAdapter

class Loudness(OnnxAdapter):
    name = "loudness"
    window_s = 1.0
    step_s = 1.0
    gives = "logits"
    eventizer = Eventizer(threshold=0.5, min_duration_s=0.0)

    def preprocess(self, eeg, sfreq, channels):
        return self.windows(eeg, sfreq)

@pytest.fixture(scope="session")
def robustseiz_adapter(robustseiz_device):
    return Loudness("loudness.onnx", device=robustseiz_device)
"""
POOLED = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn", "fgsm"], max_f1_drop=0.10)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
WAYS = {"plain": ["-p", "no:xdist"]} | ({"workers": ["-n2"]} if importlib.util.find_spec("xdist") else {})


def test_the_plugin_runs_it(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    save_loudness(pytester.path / "loudness.onnx", 40.0)
    pytester.makeconftest(PROJECT)
    pytester.makepyfile(test_a=POOLED)
    found = {}
    for way, arguments in WAYS.items():
        more = [f"--robustseiz-store=store-{way}", f"--robustseiz-registry={way}.csv", "--robustseiz-mcd=auto"]
        command = ["-rs", *arguments, *options(tiny_corpus, *more)]
        command[command.index("--robustseiz-mode=full")] = "--robustseiz-mode=subset"
        result = pytester.runpytest_subprocess(*command)
        outcomes = result.parseoutcomes()
        assert (outcomes["passed"], outcomes["skipped"]) == (7, 18)
        result.stdout.fnmatch_lines(
            [
                "agreement not available: loudness makes no stochastic passes: its runtime keeps dropout off",
                "not applicable: 18 settings of fgsm: loudness gives no gradients: attacks need the network as a *",
            ]
        )
        found[way] = [row | {"timestamp_utc": ""} for row in rows(pytester.path, f"{way}.csv")]
    assert all(rows_of == found["plain"] for rows_of in found.values())
    baseline = found["plain"][0]
    # It works in whole seconds and the seizures start and end on them: it is exact.
    assert [baseline[f"event_{name}"] for name in ("tp", "fp", "reference")] == ["3", "0", "3"]
    assert [baseline[f"sample_{name}"] for name in ("tp", "fp", "reference")] == [str(100 * 256), "0", str(100 * 256)]
    assert baseline["adapter"] == "loudness"
