"""The demo detector with its shipped weights, on the whole synthetic corpus."""

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from pytest_robustseiz.adapters import Adapter, as_mask
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.demo_corpus import make_demo_corpus
from pytest_robustseiz.demo_detector import WEIGHTS, DemoDetector, DemoNetwork, demo_adapter
from pytest_robustseiz.recording import Recording, read_recording
from pytest_robustseiz.scoring import ZERO, Counts, event_counts, mask_to_events
from pytest_robustseiz.shifts import AWGN, ELECTRODES

ROOT = Path(__file__).resolve().parents[1]
Eeg = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_demo_corpus(tmp_path_factory.mktemp("demo") / "corpus")


@pytest.fixture(scope="module")
def recordings(corpus: Path) -> list[Recording]:
    return [read_recording(files) for subject in discover(corpus) for files in subject.recordings]


@pytest.fixture(scope="module")
def detector() -> DemoDetector:
    return demo_adapter()


def pooled(detector: DemoDetector, recordings: list[Recording], change: Callable[[Eeg], Eeg]) -> Counts:
    counts = ZERO
    for recording in recordings:
        eeg, sfreq = change(recording.eeg.copy()), recording.sfreq
        mask = as_mask(detector.detect(eeg, sfreq, recording.channels), recording.n_samples)
        counts += event_counts(
            recording.seizures, mask_to_events(mask, sfreq), sfreq=sfreq, n_samples=recording.n_samples
        )
    return counts


def test_good_and_not_perfect_and_worse_in_noise(detector: DemoDetector, recordings: list[Recording]) -> None:
    clean = pooled(detector, recordings, lambda eeg: eeg)
    rng = np.random.default_rng(1)
    noisy = pooled(detector, recordings, lambda eeg: AWGN(snr_db=0.0).apply(eeg, 256.0, rng))
    assert 0.6 < clean.f1 < 0.95, clean
    assert noisy.f1 < clean.f1 - 0.1, (clean, noisy)


def test_the_corpus_is_small(corpus: Path) -> None:
    assert sum(path.stat().st_size for path in corpus.rglob("*") if path.is_file()) < 60e6


def test_it_is_an_adapter(detector: DemoDetector) -> None:
    assert isinstance(detector, Adapter)
    assert (detector.name, detector.montages) == ("demo", ("unipolar",))
    assert detector.fingerprint() == demo_adapter().fingerprint() is not None


def test_it_is_small() -> None:
    assert sum(weight.numel() for weight in DemoNetwork().parameters()) < 100_000


def test_the_weights_are_tensors_and_part_of_the_package() -> None:
    weights = files("pytest_robustseiz") / WEIGHTS
    with weights.open("rb") as file:
        state = torch.load(file, weights_only=True)
    assert {type(value) for value in state.values()} == {torch.Tensor}
    assert len(weights.read_bytes()) < 400_000
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert WEIGHTS in pyproject["tool"]["setuptools"]["package-data"]["pytest_robustseiz"]


@pytest.mark.parametrize("batch_size", [1, 7])
def test_the_mask_does_not_depend_on_the_batch(
    detector: DemoDetector, recordings: list[Recording], batch_size: int
) -> None:
    other = DemoDetector(detector.module, batch_size=batch_size)
    for recording in recordings[1:3]:
        mask = detector.detect(recording.eeg.copy(), recording.sfreq, recording.channels)
        assert mask.any()
        np.testing.assert_array_equal(other.detect(recording.eeg.copy(), recording.sfreq, recording.channels), mask)


def test_one_value_per_sample_at_any_length(detector: DemoDetector) -> None:
    rng = np.random.default_rng(5)
    for n_samples in (1, 300, 15360, 15361, 20000):
        eeg = rng.normal(0, 20, (19, n_samples)).astype(np.float32)
        assert detector.detect(eeg, 256.0, ELECTRODES).shape == (n_samples,)


def test_dropout_is_there_and_the_detector_is_not_random(detector: DemoDetector) -> None:
    assert any(isinstance(part, torch.nn.Dropout) for part in detector.module.modules())
    windows = torch.randn(2, 19, 15360, generator=torch.Generator().manual_seed(3))
    with torch.inference_mode():
        assert torch.equal(detector.module(windows), detector.module(windows))
        network = DemoNetwork().train()
        assert not torch.equal(network(windows), network(windows))


def test_every_window_has_a_gradient(detector: DemoDetector, recordings: list[Recording]) -> None:
    eeg = torch.from_numpy(recordings[0].eeg.copy())
    windows = detector.preprocess(eeg, 256.0, ELECTRODES)[0:4].requires_grad_()
    (gradient,) = torch.autograd.grad(detector.logits(windows).sum(), windows)
    assert torch.isfinite(gradient).all()
    assert (gradient.abs().amax(dim=(1, 2)) > 0).all()


def test_other_channels_are_refused(detector: DemoDetector) -> None:
    eeg = np.zeros((19, 15360), dtype=np.float32)
    with pytest.raises(ValueError, match=r"channels: the demo detector expects Fp1, .* got T6, "):
        detector.detect(eeg, 256.0, ELECTRODES[::-1])


def test_another_rate_is_refused(detector: DemoDetector) -> None:
    eeg = np.zeros((19, 15360), dtype=np.float32)
    with pytest.raises(ValueError, match=r"sfreq: the demo detector expects 256 Hz, got 250.0; resample"):
        detector.detect(eeg, 250.0, ELECTRODES)
