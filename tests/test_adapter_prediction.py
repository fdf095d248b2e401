"""Predictors: what the harness accepts as an answer, and those in PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from pytest_robustseiz.adapters import AgreementUnavailable, DetectorOutputError, StochasticPasses
from pytest_robustseiz.adapters.prediction import PredictionAdapter, as_classes, count_seconds
from pytest_robustseiz.adapters.torch_predictor import TorchPredictor
from pytest_robustseiz.shifts import FGSM, PGD

SFREQ = 256.0
CHANNELS = ("Fp1", "Fp2")


@pytest.mark.parametrize(
    "n_samples, sfreq, seconds",
    [(0, 256.0, 0), (255, 256.0, 0), (256, 256.0, 1), (2559, 256.0, 9), (1000, 100.0, 10), (3, 0.3, 10)],
)
def test_whole_seconds(n_samples: int, sfreq: float, seconds: int) -> None:
    assert count_seconds(n_samples, sfreq) == seconds


def test_classes_and_probabilities_are_answers() -> None:
    assert as_classes([0, 1, 2], 3).tolist() == [0, 1, 2]
    assert as_classes(np.array([2.0, 0.0]), 2).tolist() == [2, 0]
    probabilities = [[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [0.1, 0.1, 0.8]]  # of equal ones the first counts
    assert as_classes(np.array(probabilities, dtype=np.float16), 3).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    "answer, message",
    [
        (None, "got None"),
        ([0, 1], r"got shape \(2,\)"),
        ([[0, 1, 0]], r"got shape \(1, 3\)"),
        ([0, 3, 1], "got 3 in window 1"),
        ([0, -1, 1], "got -1 in window 1"),
        ([0, 0.5, 1], "got 0.5 in window 1"),
        ([0, np.nan, 1], "got nan in window 1"),
        (["a", "b", "c"], "of <U1"),
        ([[1, 0, 0], [0.5, 0.5, 0.5], [0, 0, 1]], r"that add up to 1, got \[0.5, 0.5, 0.5\] in window 1"),
        ([[1, 0, 0], [2, -1, 0], [0, 0, 1]], "between 0 and 1, got"),
        ([[1, 0, 0], [np.nan, 0, 1], [0, 0, 1]], "between 0 and 1, got"),
    ],
)
def test_anything_else_is_an_error(answer: object, message: str) -> None:
    with pytest.raises(DetectorOutputError, match=message):
        as_classes(answer, 3)  # type: ignore[arg-type]


class Loudness(nn.Module):
    """Logits that follow from the mean square of a window, so that every answer can be had by hand."""

    def __init__(self, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.tensor([0.0, 1.0, 2.0]))
        self.dropout = nn.Dropout(dropout)

    def forward(self, windows: Tensor) -> Tensor:
        loudness: Tensor = windows.square().mean(dim=(1, 2)).unsqueeze(1)
        # 0 is likeliest below 1, 1 from 1 to 3, 2 above.
        logits: Tensor = self.dropout(self.slope * loudness) - torch.tensor([0.0, 1.0, 4.0])
        return logits


class Predictor(TorchPredictor):
    name = "loudness"

    def preprocess(self, eeg: Tensor, sfreq: float, channels: object) -> object:  # type: ignore[override]
        return self.windows(eeg, sfreq)


class LongPredictor(Predictor):
    window_s = 3.0
    step_s = 1.0


def eeg_of(loudness: list[float]) -> np.ndarray:
    """A constant in each second, whose square is its loudness."""
    seconds = np.repeat(np.sqrt(np.array(loudness, dtype=np.float32)), 256)
    return np.stack([seconds, seconds])


def test_a_predictor_is_an_adapter_of_its_own_kind() -> None:
    assert isinstance(Predictor(Loudness()), PredictionAdapter)
    assert not hasattr(TorchPredictor, "detect")


def test_each_second_gets_the_likeliest_class() -> None:
    eeg = eeg_of([0.5, 2.0, 5.0, 0.5])
    adapter = Predictor(Loudness(), batch_size=3)
    assert adapter.predict(eeg, SFREQ, CHANNELS).tolist() == [0, 1, 2, 0]
    # A last part of half a second has no class, though a window reaches over it.
    assert adapter.predict(eeg[:, :-128], SFREQ, CHANNELS).tolist() == [0, 1, 2]
    expected = torch.softmax(torch.tensor([[0.0, 1.0, 0.0]]), dim=1)
    np.testing.assert_allclose(adapter.probabilities(eeg, SFREQ, CHANNELS)[1:2], expected, atol=1e-6)


def test_longer_windows_look_back() -> None:
    eeg = eeg_of([0.0, 0.0, 0.0, 6.0, 6.0, 6.0, 0.0])
    # Windows of 3 s have means 0, 2, 4, 6, 4; the first answers for seconds 0 to 2, then each for its last second.
    assert LongPredictor(Loudness()).predict(eeg, SFREQ, CHANNELS).tolist() == [0, 0, 0, 1, 2, 2, 2]


def test_too_few_windows_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"expected those of 4 windows of 1 s every 1 s, got 2; override by_second"):
        Predictor(Loudness()).postprocess(np.zeros((2, 3), dtype=np.float32), 1024, SFREQ)


@pytest.mark.parametrize("kind, fits", [(Predictor, (3, 4)), (LongPredictor, (1, 2))])
def test_windows_of_another_step_are_an_error(kind: type[Predictor], fits: tuple[int, int]) -> None:
    # 3.5 s: windows that cover the recording, or its whole seconds only; twice as many have another step.
    for n_windows in range(8):
        probabilities = np.full((n_windows, 3), 1 / 3, dtype=np.float32)
        if fits[0] <= n_windows <= fits[1]:
            assert len(kind(Loudness()).postprocess(probabilities, 896, SFREQ)) == 3
            continue
        with pytest.raises(ValueError, match=f"every 1 s, got {n_windows}; override by_second"):
            kind(Loudness()).postprocess(probabilities, 896, SFREQ)


def test_less_than_a_second_has_no_class() -> None:
    found = Predictor(Loudness(dropout=0.5)).examine(
        eeg_of([1.0])[:, :200], SFREQ, CHANNELS, stochastic=StochasticPasses(3, 0.5, 1)
    )
    assert np.asarray(found.mask).shape == (0,)
    assert found.near_threshold == 0
    assert found.agreement is not None
    assert np.asarray(found.agreement.phi).shape == (0,)


class WrongShape(Predictor):
    def logits(self, windows: Tensor) -> Tensor:
        return super().logits(windows)[:, 0]


def test_two_logits_or_one_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"expected shape \(4, 3\) for interictal, preictal, ictal, got \(4,\)"):
        WrongShape(Loudness()).predict(eeg_of([1.0] * 4), SFREQ, CHANNELS)


@pytest.mark.parametrize("mode, sign", [("increase", 1), ("decrease", -1)])
@pytest.mark.parametrize("attack", [FGSM, PGD])
def test_attacks_push_the_preictal_probability(attack: Any, mode: str, sign: int) -> None:
    eeg = eeg_of([2.0, 2.5, 1.5, 0.9])
    adapter = Predictor(Loudness())
    before = adapter.probabilities(eeg.copy(), SFREQ, CHANNELS)[:, 1]
    found = adapter.examine(eeg.copy(), SFREQ, CHANNELS, attack=attack(epsilon=0.05, mode=mode),
                            rng=np.random.default_rng(0))  # fmt: skip
    assert found.outcome is not None
    assert found.outcome.before == pytest.approx(float(before.sum()), rel=1e-5)
    assert sign * (found.outcome.after - found.outcome.before) > 0.01
    assert found.outcome.verdict == "achieved"


def test_the_pushed_logit_is_the_log_odds() -> None:
    logits = torch.tensor([[0.3, -1.2, 2.0], [5.0, 0.0, 0.0]], dtype=torch.float64)
    preictal = torch.softmax(logits, dim=1)[:, 1]
    expected = torch.log(preictal / (1 - preictal))
    torch.testing.assert_close(Predictor(Loudness()).pushed(logits), expected)


def test_stochastic_passes_agree_on_warnings() -> None:
    eeg = eeg_of([0.0, 2.0, 8.0])
    adapter = Predictor(Loudness(dropout=0.5))
    found = adapter.agreement(eeg, SFREQ, CHANNELS, passes=50, tau=0.5, seed=1)
    assert found.phi.shape == (3,)
    assert found.mean_probability is not None
    assert found.phi[0] == 0  # nothing can be dropped from silence
    assert 0 < found.phi[1] < 1
    again = adapter.examine(eeg, SFREQ, CHANNELS, stochastic=StochasticPasses(50, 0.5, 1))
    assert again.agreement is not None
    np.testing.assert_array_equal(again.agreement.phi, found.phi)
    np.testing.assert_array_equal(again.mask, adapter.predict(eeg, SFREQ, CHANNELS))
    with pytest.raises(AgreementUnavailable, match="no dropout that acts"):
        Predictor(Loudness()).agreement(eeg, SFREQ, CHANNELS, passes=2, tau=0.5, seed=1)


def test_ties_are_told() -> None:
    adapter = Predictor(Loudness())
    # At a loudness of 1 the logits of interictal and preictal are both 0.
    assert adapter.examine(eeg_of([1.0, 2.0, 1.0]), SFREQ, CHANNELS).near_threshold == 2
    assert adapter.examine(eeg_of([0.5, 2.0]), SFREQ, CHANNELS).near_threshold == 0


def test_an_own_predict_cannot_be_attacked() -> None:
    class Own(Predictor):
        def predict(self, eeg: object, sfreq: float, channels: object) -> np.ndarray:
            return np.zeros(3, dtype=np.int8)

    with pytest.raises(RuntimeError, match="overrides predict"):
        Own(Loudness()).examine(eeg_of([1.0]), SFREQ, CHANNELS, attack=FGSM(epsilon=0.1, mode="increase"))


def test_the_fingerprint_follows_weights() -> None:
    one, same, other = Loudness(), Loudness(), Loudness()
    with torch.no_grad():
        other.slope[0] = 0.1
    assert Predictor(one).fingerprint() == Predictor(same).fingerprint()
    assert Predictor(one).fingerprint() != Predictor(other).fingerprint()
    assert Predictor(one).fingerprint() != LongPredictor(one).fingerprint()
