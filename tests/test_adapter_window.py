"""Detectors in numpy: windows to probabilities, checks, fingerprints."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import zscore as scipy_zscore

from pytest_robustseiz.adapters import (
    Adapter,
    AgreementUnavailable,
    DetectorOutputError,
    Eventizer,
    ExaminationUnavailable,
    Examiner,
    StochasticPasses,
)
from pytest_robustseiz.adapters.window_adapter import WindowAdapter, WindowArrays, zscore
from pytest_robustseiz.adapters.window_parts import hash_content
from pytest_robustseiz.shifts import FGSM

SFREQ = 64.0
WINDOW = 128  # samples
CHANNELS = ("Fp1", "F3", "C3")
WEIGHTS = np.random.default_rng(7).normal(size=(3, WINDOW)) / 10


class Small(WindowAdapter):
    """One probability per window of two seconds."""

    name = "small"
    window_s = 2.0
    step_s = 2.0
    eventizer = Eventizer(threshold=0.5, min_duration_s=0.0)

    def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        values: npt.NDArray[Any] = expit((windows * WEIGHTS).sum((1, 2)))
        return values


class Overlapping(Small):
    step_s = 0.5


class Column(Small):
    """As dense layers answer."""

    def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return super().predict(windows)[:, None]


class BySample(Overlapping):
    def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        values: npt.NDArray[Any] = expit(windows.mean(1))
        return values


def eeg(n_samples: int = 1000) -> npt.NDArray[np.float32]:
    return np.random.default_rng(0).normal(0, 30, (3, n_samples)).astype(np.float32)


def answering(answer: Any) -> WindowAdapter:
    class Fixed(Small):
        def predict(self, windows: npt.NDArray[Any]) -> Any:
            return answer(windows)

    return Fixed()


def by_hand(adapter: WindowAdapter, signal: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Probability of each sample, window by window in plain numpy."""
    step, n_samples = round(adapter.step_s * SFREQ), signal.shape[1]
    total, count, start = np.zeros(n_samples + WINDOW), np.zeros(n_samples + WINDOW), 0
    while True:
        piece = np.zeros((1, len(signal), WINDOW))
        cut = signal[:, start : start + WINDOW]
        piece[0, :, : cut.shape[1]] = cut
        with np.errstate(invalid="ignore"):
            normal = np.nan_to_num(scipy_zscore(piece, axis=-1))
        total[start : start + WINDOW] += np.asarray(adapter.predict(normal)).ravel()
        count[start : start + WINDOW] += 1
        if start + WINDOW >= n_samples:
            return np.asarray((total / np.maximum(count, 1))[:n_samples])
        start += step


def test_it_is_an_adapter() -> None:
    assert isinstance(Small(), Adapter)
    assert isinstance(Small(), Examiner)


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")  # scipy's, of the padded part
@pytest.mark.parametrize("n_samples", [2, WINDOW, WINDOW + 1, 1000])
@pytest.mark.parametrize("kind", [Small, Overlapping, Column, BySample])
def test_against_a_loop_over_windows(kind: type[Small], n_samples: int) -> None:
    adapter, signal = kind(batch_size=3), eeg(n_samples)
    expected = by_hand(adapter, signal)
    found = adapter.timeline(adapter.probabilities(signal, SFREQ, CHANNELS), n_samples, SFREQ)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    mask = adapter.detect(signal, SFREQ, CHANNELS)
    np.testing.assert_array_equal(mask, adapter.eventizer(found, SFREQ))
    np.testing.assert_array_equal(adapter.examine(signal, SFREQ, CHANNELS).mask, mask)


def test_batches_hold_what_they_may_and_every_window_once() -> None:
    seen: list[npt.NDArray[Any]] = []

    class Watching(Small):
        def preprocess(self, eeg: npt.NDArray[Any], sfreq: float, channels: Any) -> WindowArrays:
            return np.arange(23.0)[:, None, None]

        def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            seen.append(windows[:, 0, 0])
            return windows[:, 0, 0] / 23

    adapter = Watching(batch_size=5)
    adapter.probabilities(eeg(), SFREQ, CHANNELS)
    assert [len(batch) for batch in seen] == [4, 4, 5, 5, 5, 5, 3]  # the first two find out whether it is random
    seen.clear()
    found = adapter.probabilities(eeg(), SFREQ, CHANNELS)
    np.testing.assert_array_equal(np.concatenate(seen), np.arange(23.0))
    np.testing.assert_allclose(found, np.arange(23) / 23, rtol=1e-6)


def test_input_may_be_read_only_or_a_tensor_and_is_not_changed() -> None:
    torch = pytest.importorskip("torch")
    expected = Small().detect(eeg(), SFREQ, CHANNELS)
    signal = eeg()
    signal.flags.writeable = False
    np.testing.assert_array_equal(Small().detect(signal, SFREQ, CHANNELS), expected)
    np.testing.assert_array_equal(Small().detect(torch.from_numpy(eeg()), SFREQ, CHANNELS), expected)
    np.testing.assert_array_equal(signal, eeg())


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda w: np.full(len(w), np.nan), r"predict: expected probabilities of 0 to 1, got NaN for window 0$"),
        (lambda w: np.linspace(0, 1.5, len(w)), r"got 1\.5 for window 3$"),
        (lambda w: np.full((len(w), WINDOW), -0.25), r"got -0\.25 for window 0$"),
        (lambda w: np.zeros(len(w) + 1), r"small was to return probabilities of 4 windows, shape \(4,\) or \(4, n_w"),
        (lambda w: np.zeros(len(w) + 1), r"n_window_samples\), got shape \(5,\) of float64$"),
        (lambda w: None, r"got NoneType$"),
        (lambda w: 0.5, r"got float$"),
        (lambda w: np.zeros(len(w), dtype=complex), r"got shape \(4,\) of complex128$"),
        (lambda w: np.zeros((len(w), 2)), r"probabilities: expected shape \(5,\) or \(5, 128\), got \(5, 2\)$"),
    ],
)
def test_wrong_answers_are_named(answer: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        answering(answer).detect(eeg(5 * WINDOW), SFREQ, CHANNELS)


def test_the_window_that_is_wrong_is_counted_over_all_batches() -> None:
    class Late(Small):
        def preprocess(self, eeg: npt.NDArray[Any], sfreq: float, channels: Any) -> WindowArrays:
            return np.arange(23.0)[:, None, None]

        def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.where(windows[:, 0, 0] == 17, np.nan, 0.5)

    with pytest.raises(ValueError, match=r"got NaN for window 17$"):
        Late(batch_size=5).probabilities(eeg(), SFREQ, CHANNELS)


def test_a_detector_that_is_random_is_an_error() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(DetectorOutputError, match=r"^small is random: the same windows got probabilities that differ"):
        answering(lambda windows: rng.uniform(size=len(windows))).detect(eeg(), SFREQ, CHANNELS)


def test_a_detector_that_writes_into_its_windows_is_not_taken_for_random() -> None:
    def halve(windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        windows *= 0.5
        return np.asarray(expit(windows.sum((1, 2))))

    class Whole(Small):
        def preprocess(self, eeg: npt.NDArray[Any], sfreq: float, channels: Any) -> WindowArrays:
            return np.ones((3, 1, 4)) * [[[0.1]], [[0.2]], [[0.3]]]

        def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return halve(windows)

    found = Whole().probabilities(eeg(), SFREQ, CHANNELS)
    np.testing.assert_allclose(found, expit([0.2, 0.4, 0.6]), rtol=1e-6)


def test_without_predict_it_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"^WindowAdapter has no predict\(\)"):
        WindowAdapter().detect(eeg(), SFREQ, CHANNELS)


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_holds_a_window(size: int) -> None:
    with pytest.raises(ValueError, match=f"batch_size: expected 1 or more, got {size}"):
        Small(batch_size=size)


def test_what_lies_on_the_threshold_is_counted() -> None:
    def fixed(windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.array([0.5 + 1e-7, 0.5 - 9e-7, 0.5 - 3e-6, 0.9])[: len(windows)]

    class Votes(Small):
        def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return fixed(windows)

        def postprocess(self, probabilities: Any, n_samples: int, sfreq: float) -> Any:
            return np.zeros(n_samples, dtype=bool)

    assert answering(fixed).examine(eeg(4 * WINDOW), SFREQ, CHANNELS).near_threshold == 2 * WINDOW
    assert Votes().examine(eeg(4 * WINDOW), SFREQ, CHANNELS).near_threshold == 2


def test_there_are_no_attacks_and_no_agreement() -> None:
    with pytest.raises(ExaminationUnavailable, match=r"^small gives no gradients: .* TorchAdapter$"):
        Small().examine(eeg(), SFREQ, CHANNELS, attack=FGSM(epsilon=0.1, mode="increase"))
    with pytest.raises(AgreementUnavailable, match=r"^small makes no stochastic passes"):
        Small().agreement(eeg(), SFREQ, CHANNELS, passes=2, tau=0.8, seed=0)
    assert (
        Small().examine(eeg(), SFREQ, CHANNELS, stochastic=StochasticPasses(2, 0.8, 0)).unavailable.startswith("small")
    )
    assert Small().examine(eeg(), SFREQ, CHANNELS).unavailable == ""


@pytest.mark.parametrize("name", ["detect", "agreement"])
def test_what_an_author_overrides_is_called_from_outside(name: str) -> None:
    kind = type("Own", (Small,), {name: lambda self, *args, **kwargs: np.zeros(1000)})
    with pytest.raises(ExaminationUnavailable, match=f"^small overrides {name}$"):
        kind().examine(eeg(), SFREQ, CHANNELS)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-5), (np.float64, 1e-12)])
def test_zscore_is_that_of_scipy(dtype: type[np.floating[Any]], tolerance: float) -> None:
    windows = (np.random.default_rng(1).normal(3, 30, (4, 3, 500)) + 1000).astype(dtype)
    expected = scipy_zscore(windows.astype(np.float64), axis=-1)
    found = zscore(windows)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, atol=tolerance)


@given(st.floats(-1e6, 1e6, width=32), st.integers(1, 20000))
@settings(deadline=None)
def test_a_flat_channel_becomes_exactly_zero(level: float, n_samples: int) -> None:
    """Whose mean in single precision is not its level."""
    assert not zscore(np.full((1, 1, n_samples), level, np.float32)).any()


def test_zscore_is_that_of_torch_detectors() -> None:
    pytest.importorskip("torch")
    torch_zscore = importlib.import_module("pytest_robustseiz.adapters.torch_adapter").zscore
    torch = importlib.import_module("torch")
    windows = np.random.default_rng(1).normal(3, 30, (4, 3, 500)).astype(np.float32)
    windows[1, 2] = 0.1
    np.testing.assert_allclose(zscore(windows), torch_zscore(torch.from_numpy(windows)).numpy(), atol=1e-6)


class Model:
    """Stands for what a library loads."""


def test_the_fingerprint_follows_what_decides_the_answers(tmp_path: Path) -> None:
    class Sharper(Small):
        eventizer = Eventizer(threshold=0.6)

    class Longer(Small):
        window_s = 3.0

    class Renamed(Small):
        name = "renamed"

    class Other(Small):
        def predict(self, windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return 1 - super().predict(windows)

    def with_attribute(value: object) -> Small:
        adapter = Small()
        adapter.extra = value  # type: ignore[attr-defined]
        return adapter

    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "two").write_bytes(b"2")
    (tmp_path / "copy of one").write_bytes(b"1")
    one = Small(Model(), files=[tmp_path / "one"])
    adapters = [
        Small(),
        one,
        Small(Model(), files=[tmp_path / "two"]),
        Small(Model(), files=[tmp_path / "one", tmp_path / "two"]),
        Sharper(),
        Longer(),
        Renamed(),
        Other(),
        with_attribute(3),
        with_attribute(np.arange(3)),
    ]
    fingerprints = [adapter.fingerprint() for adapter in adapters]
    assert None not in fingerprints
    assert len(set(fingerprints)) == len(adapters)
    again = Small(Model(), files=[str(tmp_path / "copy of one")], batch_size=3)
    again.detect(eeg(), SFREQ, CHANNELS)
    assert again.fingerprint() == one.fingerprint()
    assert with_attribute(object()).fingerprint() is None


def test_a_model_from_nowhere_has_no_fingerprint() -> None:
    assert Small(Model()).fingerprint() is None


def test_the_fingerprint_is_that_of_what_was_loaded(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"1")
    adapter = Small(Model(), files=[path])
    expected = adapter.fingerprint()
    path.write_bytes(b"2")
    assert adapter.fingerprint() == expected != Small(Model(), files=[path]).fingerprint()


def test_the_fingerprint_follows_the_version_of_the_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runtime.py").write_text("__version__ = '1'\nclass Net:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    runtime = importlib.import_module("runtime")
    adapter = Small(runtime.Net(), files=[tmp_path / "runtime.py"])
    first = adapter.fingerprint()
    monkeypatch.setattr(runtime, "__version__", "2")
    assert first not in (None, adapter.fingerprint())


def test_a_folder_counts_with_all_that_is_in_it(tmp_path: Path) -> None:
    def make(name: str, files: dict[str, bytes]) -> Path:
        for file, content in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return tmp_path / name

    one = hash_content(make("one", {"graph.pb": b"g", "variables/data": b"v"}))
    assert hash_content(make("two", {"variables/data": b"v", "graph.pb": b"g"})) == one
    assert hash_content(make("three", {"graph.pb": b"g", "variables/data": b"w"})) != one
    assert hash_content(make("four", {"graph.pb": b"g", "other/data": b"v"})) != one


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"files: expected a file or folder at .*nowhere, and there is none"):
        Small(Model(), files=[tmp_path / "nowhere"])
