"""The example SeizureTransformer, with random weights: its input, its rules, and as the plugin uses it."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from example_modules import load_example
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import binary_closing, binary_opening
from scipy.signal import butter, iirnotch, lfilter

from pytest_robustseiz.adapters import Adapter, find_runs
from pytest_robustseiz.shifts import ELECTRODES, FGSM, PGDMicrovolts

torch = pytest.importorskip("torch")

network = load_example("seizure_transformer", "seizure_transformer_network")
example = load_example("seizure_transformer", "seizure_transformer")
SFREQ = 256
WINDOW = 15360


def small() -> Any:
    """A network of the same form with 16 channels at its bottom, and statistics as if it were trained."""
    torch.manual_seed(0)
    net = network.SeizureTransformer(filters=(4, 8, 8, 16, 16), n_layers=2, n_heads=4, n_hidden=32)
    for part in net.modules():
        if isinstance(part, torch.nn.BatchNorm1d):
            torch.nn.init.uniform_(part.running_mean, -0.2, 0.2)
            torch.nn.init.uniform_(part.running_var, 0.5, 1.5)
    return net.eval()


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def adapter() -> Any:
    return example.SeizureTransformerAdapter(small(), batch_size=2)


def noise(n_samples: int, *, seed: int = 1) -> npt.NDArray[np.float32]:
    eeg = np.random.default_rng(seed).normal(scale=30, size=(len(ELECTRODES), n_samples))
    return (eeg + np.arange(19)[:, None]).astype(np.float32)


def published_windows(eeg: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """As the authors' program makes them: normalise the recording, cut, fill up with zeros, filter each from rest."""
    signal = eeg.astype(np.float64)
    signal = (signal - signal.mean(1, keepdims=True)) / signal.std(1, keepdims=True)
    n_windows = max(1, math.ceil(signal.shape[1] / WINDOW))
    padded = np.pad(signal, ((0, 0), (0, n_windows * WINDOW - signal.shape[1])))
    windows = padded.reshape(19, n_windows, WINDOW).transpose(1, 0, 2)
    windows = lfilter(*butter(3, [0.5 / 128, 120 / 128], btype="band"), windows)
    for frequency in (1, 60):
        windows = lfilter(*iirnotch(frequency, Q=30, fs=SFREQ), windows)
    return np.asarray(windows)


@pytest.mark.parametrize("n_samples, n_windows", [(1000, 1), (WINDOW, 1), (WINDOW + 1, 2), (5 * WINDOW // 2, 3)])
def test_windows_are_those_of_the_release(adapter: Any, n_samples: int, n_windows: int) -> None:
    eeg = noise(n_samples)
    windows = adapter.preprocess(torch.as_tensor(eeg.copy()), 256.0, ELECTRODES)
    assert len(windows) == n_windows
    found = windows[0:n_windows].numpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, published_windows(eeg), rtol=0, atol=2e-5)


def test_a_flat_channel_is_zero(adapter: Any) -> None:
    eeg = noise(2 * WINDOW)
    eeg[3] = 17.3
    windows = adapter.preprocess(torch.as_tensor(eeg), 256.0, ELECTRODES)[0:2]
    assert not windows[:, 3].any()
    assert bool(windows.isfinite().all())


def test_the_recording_is_not_written_to(adapter: Any) -> None:
    eeg = torch.as_tensor(noise(1000))
    before = eeg.clone()
    adapter.preprocess(eeg, 256.0, ELECTRODES)[0:1]
    assert torch.equal(eeg, before)


@pytest.mark.parametrize("sfreq, channels, message", [(250.0, ELECTRODES, "sfreq"), (256.0, ELECTRODES[::-1], "chann")])
def test_other_input_is_refused(adapter: Any, sfreq: float, channels: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        adapter.detect(noise(1000), sfreq, channels)


def published_mask(probabilities: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """The authors' post-processing, by scipy.ndimage."""
    mask = binary_opening(probabilities > 0.8, structure=np.ones(5, dtype=bool))
    mask = binary_closing(mask, structure=np.ones(5, dtype=bool))
    result = np.zeros_like(mask)
    for start, stop in find_runs(mask):
        result[start:stop] = stop - start >= 512
    return result


@given(
    st.lists(st.tuples(st.integers(1, 700) | st.integers(1, 8), st.sampled_from([0.1, 0.79, 0.81, 1.0])), max_size=30)
)
def test_rules_are_those_of_the_release(runs: list[tuple[int, float]]) -> None:
    inside = [np.full(length, value, dtype=np.float32) for length, value in runs]
    quiet = np.zeros(8, dtype=np.float32)  # at the very ends the two differ, see below
    probabilities = np.concatenate([quiet, *inside, quiet])
    found = example.SeizureTransformerAdapter.eventizer(probabilities, 256.0)
    np.testing.assert_array_equal(found, published_mask(probabilities))


def test_at_the_ends_of_a_recording_the_release_loses_two_samples() -> None:
    always = np.ones(1000, dtype=np.float32)
    assert find_runs(published_mask(always)).tolist() == [[2, 998]]
    assert example.SeizureTransformerAdapter.eventizer(always, 256.0).all()


def test_exactly_the_threshold_is_seizure_here_and_not_in_the_release() -> None:
    even = np.full(1000, np.float32(0.8))
    assert not published_mask(even).any()
    assert example.SeizureTransformerAdapter.eventizer(even, 256.0).all()


def test_probabilities_are_laid_end_to_end(adapter: Any) -> None:
    n_samples = 2 * WINDOW + 777
    eeg = noise(n_samples)
    probabilities = adapter.probabilities(eeg.copy(), 256.0, ELECTRODES)
    with torch.no_grad():
        expected = torch.sigmoid(adapter.module(torch.as_tensor(published_windows(eeg)).float())).numpy()
    np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(adapter.timeline(probabilities, n_samples, 256.0), probabilities.ravel()[:n_samples])


def test_the_contract(adapter: Any) -> None:
    assert isinstance(adapter, Adapter)
    again = example.SeizureTransformerAdapter(small(), batch_size=7)
    assert adapter.fingerprint() == again.fingerprint()
    with torch.no_grad():
        again.module.conv_d.bias += 1
    assert adapter.fingerprint() not in (None, again.fingerprint())


def test_dropout_acts_in_the_agreement_stage(adapter: Any) -> None:
    eeg = noise(WINDOW)
    level = float(np.median(adapter.probabilities(eeg.copy(), 256.0, ELECTRODES)))
    found = adapter.agreement(eeg, 256.0, ELECTRODES, passes=5, tau=level, seed=3)
    assert ((found.phi > 0) & (found.phi < 1)).any()
    again = adapter.agreement(eeg, 256.0, ELECTRODES, passes=5, tau=level, seed=3)
    np.testing.assert_array_equal(found.phi, again.phi)


def test_attacks_act_on_windows_and_are_told_in_microvolts(adapter: Any) -> None:
    eeg = noise(WINDOW)
    found = adapter.examine(eeg.copy(), 256.0, ELECTRODES, attack=FGSM(epsilon=0.1, mode="increase"))
    figures = found.outcome.figures()
    assert figures["verdict"] == "achieved"
    assert figures["without_gradient_share"] == 0
    # A step of 0.1 in each sample, in units of the channels' deviations.
    assert figures["change_rms_uv"] == pytest.approx(0.1 * math.sqrt((eeg.std(axis=1) ** 2).mean()), rel=1e-3)


def test_attacks_go_through_the_preprocessing_too(adapter: Any) -> None:
    attack = PGDMicrovolts(epsilon_uv=5.0, mode="increase")
    found = adapter.examine(noise(WINDOW), 256.0, ELECTRODES, attack=attack)
    assert found.outcome.verdict == "achieved"
    assert found.outcome.largest_change == pytest.approx(5.0, rel=1e-3)
