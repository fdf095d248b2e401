"""Torch detectors: the contract's basics, batches, memory, fingerprints."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from nets import CHANNELS, SFREQ, WINDOW, Overlapping, Small, TwoClasses, convolutional, eeg, linear
from torch import Tensor, nn

from pytest_robustseiz.adapters import Adapter, Eventizer, Examiner, StochasticPasses, Windows, stitch
from pytest_robustseiz.adapters.batches import run_in_batches
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter, Windowed, evaluating, load_weights, zscore
from pytest_robustseiz.adapters.torch_parts import divisor

KINDS: list[tuple[type[Small], Callable[[], nn.Module]]] = [
    (Small, convolutional),
    (Small, lambda: convolutional(per_sample=True)),
    (Overlapping, convolutional),
    (Overlapping, lambda: convolutional(per_sample=True)),
    (TwoClasses, lambda: nn.Sequential(convolutional(2), nn.LogSoftmax(dim=1))),
]


def by_hand(adapter: TorchAdapter, signal: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Probability of each sample, window by window in plain numpy."""
    step, n_samples = round(adapter.step_s * SFREQ), signal.shape[1]
    total, count, start = np.zeros(n_samples + WINDOW), np.zeros(n_samples + WINDOW), 0
    while True:
        piece = np.zeros((len(signal), WINDOW))
        cut = signal[:, start : start + WINDOW]
        piece[:, : cut.shape[1]] = cut
        piece -= piece.mean(axis=1, keepdims=True)
        spread = piece.std(axis=1, keepdims=True)
        piece /= np.where(spread == 0, 1, spread)
        with torch.no_grad():
            logits = adapter.logits(torch.from_numpy(piece[None].astype(np.float32)))
        total[start : start + WINDOW] += torch.sigmoid(logits)[0].numpy()
        count[start : start + WINDOW] += 1
        if start + WINDOW >= n_samples:
            return np.asarray((total / np.maximum(count, 1))[:n_samples], dtype=np.float32)
        start += step


def test_it_is_an_adapter_and_can_be_examined() -> None:
    adapter = Small(linear())
    assert isinstance(adapter, Adapter)
    assert isinstance(adapter, Examiner)


@pytest.mark.parametrize("n_samples", [1, WINDOW, WINDOW + 1, 1000])
@pytest.mark.parametrize("kind, build", KINDS)
def test_against_a_loop_over_windows(kind: type[Small], build: Callable[[], nn.Module], n_samples: int) -> None:
    adapter, signal = kind(build(), batch_size=3), eeg(n_samples)
    expected = by_hand(adapter, signal)
    probabilities = adapter.timeline(adapter.probabilities(signal, SFREQ, CHANNELS), n_samples, SFREQ)
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)
    mask = adapter.detect(signal, SFREQ, CHANNELS)
    assert np.array_equal(mask, adapter.eventizer(probabilities, SFREQ))
    assert np.array_equal(adapter.examine(signal, SFREQ, CHANNELS).mask, mask)


@pytest.mark.parametrize("kind, build", KINDS)
def test_batches_of_1_and_64_give_one_mask(kind: type[Small], build: Callable[[], nn.Module]) -> None:
    reference = kind(build())
    values = np.unique(reference.timeline(reference.probabilities(eeg(4000), SFREQ, CHANNELS), 4000, SFREQ))
    middle = float(values[len(values) // 2 - 1 : len(values) // 2 + 1].mean())

    class Halving(kind):  # type: ignore[misc,valid-type]
        eventizer = Eventizer(threshold=middle, opening=0, closing=0, min_duration_s=0.0)

    one, many = Halving(build(), batch_size=1), Halving(build(), batch_size=64)
    first, second = (adapter.examine(eeg(4000), SFREQ, CHANNELS) for adapter in (one, many))
    assert np.any(first.mask)
    assert not np.all(first.mask)
    assert np.array_equal(first.mask, second.mask) or first.near_threshold


def test_what_lies_on_the_threshold_is_counted() -> None:
    class Fixed(nn.Module):
        def forward(self, windows: Tensor) -> Tensor:
            return torch.logit(torch.tensor([0.5 + 1e-7, 0.5 - 9e-7, 0.5 - 3e-6, 0.9])[: len(windows)])

    class Votes(Small):
        def postprocess(self, probabilities: Any, n_samples: int, sfreq: float) -> Any:
            return np.zeros(n_samples, dtype=bool)

    # By sample where the mask comes from samples; else by output of the network.
    assert Small(Fixed()).examine(eeg(4 * WINDOW), SFREQ, CHANNELS).near_threshold == 2 * WINDOW
    assert Votes(Fixed()).examine(eeg(4 * WINDOW), SFREQ, CHANNELS).near_threshold == 2


@pytest.mark.parametrize(
    "output, message",
    [
        (lambda w: torch.full((len(w),), float("nan")), "logits: the network of small returned NaN"),
        (lambda w: torch.zeros(len(w) + 1), r"logits: expected shape \(5,\) or \(5, n_window_samples\), got \(6,\)"),
        (lambda w: torch.zeros(len(w), 1, 2), r"got \(5, 1, 2\)"),
        (lambda w: torch.zeros(()), r"got \(\)"),
        (lambda w: torch.zeros(len(w), 2), r"probabilities: expected shape \(5,\) or \(5, 128\), got \(5, 2\)"),
    ],
)
def test_wrong_logits_are_named(output: Callable[[Tensor], Tensor], message: str) -> None:
    class Wrong(Small):
        def logits(self, windows: Tensor) -> Tensor:
            return output(windows)

    with pytest.raises(ValueError, match=message):
        Wrong(linear()).detect(eeg(5 * WINDOW), SFREQ, CHANNELS)


def test_input_may_be_read_only_or_a_tensor_and_is_not_changed() -> None:
    adapter = Small(convolutional())
    signal = eeg()
    expected = adapter.detect(signal.copy(), SFREQ, CHANNELS)
    signal.flags.writeable = False
    assert np.array_equal(adapter.detect(signal, SFREQ, CHANNELS), expected)
    assert np.array_equal(adapter.detect(torch.from_numpy(eeg()), SFREQ, CHANNELS), expected)
    assert np.array_equal(signal, eeg())


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_holds_a_window(size: int) -> None:
    with pytest.raises(ValueError, match=f"batch_size: expected 1 or more, got {size}"):
        Small(linear(), batch_size=size)


def test_zscore() -> None:
    windows = torch.from_numpy(eeg(300).reshape(3, 3, 100).copy()).double()
    windows[1, 2] = 7.0
    scaled = zscore(windows)
    np.testing.assert_allclose(scaled.mean(dim=-1), 0, atol=1e-12)
    expected = np.ones((3, 3))
    expected[1, 2] = 0
    np.testing.assert_allclose(scaled.std(dim=-1, unbiased=False), expected, atol=1e-12)


def test_the_scale_of_a_window_is_its_deviation() -> None:
    windows = torch.from_numpy(eeg(300).reshape(3, 3, 100).copy())
    windows[1, 2], windows[2, 0] = 0.1, windows[2, 0] + 1000
    expected = windows.double().std(dim=-1, correction=0, keepdim=True)
    expected[1, 2] = 1
    torch.testing.assert_close(divisor(windows), expected.float(), rtol=1e-3, atol=0)


@pytest.mark.parametrize("level", [0.0, 0.1, -37.2, 1e4])
def test_a_flat_channel_becomes_exactly_zero(level: float) -> None:
    """Whose mean in single precision is not its level."""
    assert not zscore(torch.full((1, 1, 15360), level)).any()


def test_zscore_of_a_flat_channel_has_a_gradient_that_is_a_number() -> None:
    windows = torch.from_numpy(eeg(100)[None].copy())
    windows[0, 1] = 5.0
    windows.requires_grad_()
    [gradient] = torch.autograd.grad((zscore(windows) ** 3).sum(), windows)
    assert bool(torch.isfinite(gradient).all())
    assert bool(gradient[0, 0].any())


def test_evaluating_puts_each_mode_back() -> None:
    net = nn.Sequential(nn.Dropout(), nn.Sequential(nn.BatchNorm1d(3)), nn.ReLU())
    net.train()
    net[1].eval()
    modes = [part.training for part in net.modules()]
    with evaluating(net):
        assert not any(part.training for part in net.modules())
    assert [part.training for part in net.modules()] == modes
    with pytest.raises(RuntimeError, match="out of ideas"), evaluating(net):
        raise RuntimeError("out of ideas")
    assert [part.training for part in net.modules()] == modes


def test_a_network_that_was_put_into_training_mode_is_still_evaluated() -> None:
    adapter = Small(convolutional())
    expected = adapter.probabilities(eeg(), SFREQ, CHANNELS)
    adapter.module.train()
    assert np.array_equal(adapter.probabilities(eeg(), SFREQ, CHANNELS), expected)
    assert adapter.module.training


def test_weights_of_state_dicts_are_loaded_and_pickles_refused(tmp_path: Path) -> None:
    torch.save(linear().state_dict(), tmp_path / "weights.pt")
    assert all(
        torch.equal(value, linear().state_dict()[name]) for name, value in load_weights(tmp_path / "weights.pt").items()
    )
    torch.save(linear(), tmp_path / "module.pt")
    with pytest.raises(pickle.UnpicklingError, match=r"[Ww]eights.only"):
        load_weights(tmp_path / "module.pt")


class Limited(nn.Module):
    """Runs out of memory with more than so many windows; stands in for a GPU."""

    def __init__(self, net: nn.Module, most: int) -> None:
        super().__init__()
        self.net, self.most = net, most
        self.sizes: list[int] = []

    def forward(self, windows: Tensor) -> Tensor:
        self.sizes.append(len(windows))
        if len(windows) > self.most:
            raise torch.OutOfMemoryError("synthetic")
        result: Tensor = self.net(windows)
        return result


def test_out_of_memory_halves_the_batch_goes_on_and_says_so() -> None:
    net = Limited(convolutional(), 5)
    adapter = Small(net, batch_size=32)
    expected = Small(convolutional()).probabilities(eeg(20 * WINDOW), SFREQ, CHANNELS)
    np.testing.assert_allclose(adapter.probabilities(eeg(20 * WINDOW), SFREQ, CHANNELS), expected, atol=1e-6)
    assert net.sizes == [20, 16, 8, 4, 4, 4, 4, 4]
    assert adapter.take_remarks() == ["small: out of memory with 32 windows at once; went on with 4"]
    assert adapter.take_remarks() == []
    adapter.probabilities(eeg(20 * WINDOW), SFREQ, CHANNELS)
    assert net.sizes[8:] == [4] * 5
    assert adapter.take_remarks() == []


def test_out_of_memory_with_one_window_is_an_error() -> None:
    with pytest.raises(torch.OutOfMemoryError, match="synthetic"):
        Small(Limited(linear(), 0), batch_size=4).detect(eeg(), SFREQ, CHANNELS)


def test_every_window_is_seen_once_and_in_order_whatever_runs_out() -> None:
    windows = torch.arange(23.0)[:, None]

    def work(batch: Tensor, index: slice) -> list[float]:
        if index.start >= 10 and len(batch) > 3:
            raise torch.OutOfMemoryError("synthetic")
        return [float(value) for value in batch[:, 0]]

    results, size = run_in_batches(windows, 8, torch.device("cpu"), work)
    assert [value for batch in results for value in batch] == list(range(23))
    assert size == 2


def test_a_slow_tensor_library_may_return_any_windowed() -> None:
    class Eager(Small):
        def preprocess(self, eeg: Tensor, sfreq: float, channels: Any) -> Windowed:
            cut = self.windows(eeg, sfreq)
            return zscore(cut[0 : len(cut)])

    assert np.array_equal(
        Eager(convolutional()).detect(eeg(), SFREQ, CHANNELS), Small(convolutional()).detect(eeg(), SFREQ, CHANNELS)
    )


def test_the_fingerprint_follows_what_decides_the_answers() -> None:
    class Other(Small):
        pass

    class Sharper(Small):
        eventizer = Eventizer(threshold=0.6)

    class Longer(Small):
        window_s = 3.0

    class Renamed(Small):
        name = "renamed"

    def with_attribute(value: object) -> Small:
        adapter = Small(linear())
        adapter.extra = value  # type: ignore[attr-defined]
        return adapter

    changed = linear()
    with torch.no_grad():
        next(changed.parameters())[0, 0] += 1e-3
    batch_norm = convolutional()
    batch_norm_changed = convolutional()
    batch_norm_changed[1].running_mean += 1  # type: ignore[index]
    same = Small(linear()).fingerprint()
    assert same is not None
    assert Small(linear(), batch_size=1).fingerprint() == same
    adapters = [
        Small(linear()),
        Small(changed),
        Small(nn.Sequential(linear(), nn.Identity())),
        Small(batch_norm),
        Small(batch_norm_changed),
        Sharper(linear()),
        Longer(linear()),
        Renamed(linear()),
        with_attribute(3),
        with_attribute(np.arange(3)),
        with_attribute("3"),
    ]
    fingerprints = [adapter.fingerprint() for adapter in adapters]
    assert None not in fingerprints
    assert len(set(fingerprints)) == len(adapters)
    assert with_attribute(object()).fingerprint() is None


def test_the_fingerprint_follows_what_no_weight_shows() -> None:
    class Scaled(nn.Module):
        def __init__(self, scale: object) -> None:
            super().__init__()
            self.scale = scale

    def heads(count: int) -> nn.Module:
        torch.manual_seed(0)
        return nn.MultiheadAttention(4, count)

    def encoder(activation: Any) -> nn.Module:
        torch.manual_seed(0)
        return nn.TransformerEncoderLayer(4, 2, dim_feedforward=4, activation=activation)

    modules = [
        Scaled(1.0), Scaled(2.0), Scaled(torch.ones(2)), Scaled(torch.zeros(2)), Scaled(torch.relu), heads(1), heads(2),
        encoder(nn.functional.relu), encoder(nn.functional.gelu),
    ]  # fmt: skip
    fingerprints = [Small(module).fingerprint() for module in modules]
    assert None not in fingerprints
    assert len(set(fingerprints)) == len(modules)
    assert Small(heads(2)).fingerprint() == fingerprints[-3]
    assert Small(Scaled(object())).fingerprint() is None


def test_the_fingerprint_is_that_of_before_after_a_visit() -> None:
    adapter = Small(convolutional())
    before = adapter.fingerprint()
    adapter.examine(eeg(), SFREQ, CHANNELS, stochastic=StochasticPasses(2, 0.5, 0))
    adapter.remark("something")
    assert adapter.fingerprint() == before


def test_the_fingerprint_follows_the_authors_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "import torch\nfrom pytest_robustseiz.adapters.torch_adapter import TorchAdapter\n"
        "class Mine(TorchAdapter):\n    def logits(self, windows):\n        return {}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for number, value in enumerate(("windows.mean((1, 2))", "-windows.mean((1, 2))", "windows.mean((1, 2))")):
        (tmp_path / f"author_{number}.py").write_text(source.format(value))
        module = __import__(f"author_{number}")
        found.append(module.Mine(linear()).fingerprint())
    assert None not in found
    assert found[0] != found[1]


def test_weights_made_under_inference_mode_allow_gradients_and_stay_shared() -> None:
    with torch.inference_mode():
        net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.BatchNorm1d(4))
        net[1].weight = net[0].weight
    adapter = Small(net)
    assert adapter.module[0].weight is adapter.module[1].weight  # type: ignore[index]
    assert not any(value.is_inference() for value in (*net.parameters(), *net.buffers()))
    net(torch.zeros(2, 4, requires_grad=True)).sum().backward()


def test_windows_cover_the_recording() -> None:
    cut = Small(linear()).windows(torch.from_numpy(eeg(300)), SFREQ)
    assert isinstance(cut, Windows)
    assert len(cut) == 3
    assert torch.equal(cut[0:3].permute(1, 0, 2).reshape(3, -1)[:, :300], torch.from_numpy(eeg(300)))
    assert not cut[2:3][..., 300 - 2 * WINDOW :].any()
    assert stitch(np.arange(3, dtype=np.float32), 300, WINDOW, WINDOW)[-1] == 2


class Twin(Small):
    """As `Small` in everything that can be hashed but its code."""

    def postprocess(self, probabilities: Any, n_samples: int, sfreq: float) -> npt.NDArray[np.bool_]:
        return ~super().postprocess(probabilities, n_samples, sfreq)


class Other(Small):
    """As `Twin`, in the same file."""


def test_two_classes_of_one_file_are_two_detectors() -> None:
    network = linear()
    assert len({kind(network).fingerprint() for kind in (Small, Twin, Other)}) == 3
