"""Agreement: phi against a hand loop, strata against a hand-made table, what is refused."""

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from nets import CHANNELS, SFREQ, WINDOW, Overlapping, Small, convolutional, eeg
from torch import nn

from pytest_robustseiz.adapters import Agreement, AgreementUnavailable, StochasticPasses, as_agreement, stitch
from pytest_robustseiz.adapters.batches import windows_of
from pytest_robustseiz.adapters.dropout import dropout_on, seeded
from pytest_robustseiz.adapters.stochastic import GROUP_VALUES
from pytest_robustseiz.agreement import AgreementStage, pack_votes
from pytest_robustseiz.scoring import AgreementRates, rate_agreement, summarise_agreement

TAU = 0.5


def hand_loop(adapter: Small, signal: Any, *, passes: int, seed: int, size: int) -> tuple[Any, Any]:
    """Phi and mean probability, pass by pass; the groups are the only thing it shares with the code under test."""
    windows = adapter.preprocess(torch.from_numpy(signal), SFREQ, CHANNELS)
    votes, total = np.zeros(signal.shape[1]), np.zeros(signal.shape[1])
    by_pass: list[list[Any]] = [[] for _ in range(passes)]
    for start in range(0, len(windows), size):
        with torch.no_grad(), seeded(torch.device("cpu"), seed, start), dropout_on(adapter.module):
            for one in by_pass:
                one.append(torch.sigmoid(adapter.module(windows[start : start + size])).numpy())
    for one in by_pass:
        probability = stitch(np.concatenate(one), signal.shape[1], WINDOW, round(adapter.step_s * SFREQ))
        votes += probability >= TAU
        total += probability
    return votes / passes, total / passes


@pytest.mark.parametrize("per_sample", [False, True])
@pytest.mark.parametrize("kind", [Small, Overlapping])
def test_phi_against_a_hand_loop(kind: type[Small], per_sample: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_robustseiz.adapters.stochastic.GROUP_VALUES", 4 * 3 * WINDOW)
    adapter, signal = kind(convolutional(per_sample=per_sample), batch_size=3), eeg(2000)
    found = adapter.agreement(signal, SFREQ, CHANNELS, passes=7, tau=TAU, seed=5)
    phi, mean = hand_loop(adapter, signal, passes=7, seed=5, size=4)
    np.testing.assert_allclose(found.phi, phi, atol=1e-6)
    assert found.mean_probability is not None
    np.testing.assert_allclose(found.mean_probability, mean, atol=1e-6)
    assert found.phi.dtype == found.mean_probability.dtype == np.float32
    assert 0 < found.phi.mean() < 1
    assert len(np.unique(found.phi)) > 2


def test_groups_follow_from_the_shape_of_a_window_alone() -> None:
    assert windows_of(GROUP_VALUES, torch.zeros(1, 19, 15360)) == GROUP_VALUES // (19 * 15360) == 3
    assert windows_of(GROUP_VALUES, torch.zeros(100, 18, 1024)) == 56
    assert windows_of(GROUP_VALUES, torch.zeros(1, 1, GROUP_VALUES + 1)) == 1


def test_one_visit_preprocesses_once() -> None:
    calls = []

    class Counting(Small):
        def preprocess(self, eeg: Any, sfreq: float, channels: Any) -> Any:
            calls.append(1)
            return super().preprocess(eeg, sfreq, channels)

    adapter = Counting(convolutional())
    found = adapter.examine(eeg(), SFREQ, CHANNELS, stochastic=StochasticPasses(5, TAU, 3))
    assert len(calls) == 1
    assert found.agreement is not None
    alone = adapter.agreement(eeg(), SFREQ, CHANNELS, passes=5, tau=TAU, seed=3)
    assert np.array_equal(found.agreement.phi, alone.phi)
    assert np.array_equal(found.mask, adapter.detect(eeg(), SFREQ, CHANNELS))


def test_a_detector_that_cannot_say_what_a_sample_is_has_no_agreement() -> None:
    class Columns(Small):
        def postprocess(self, probabilities: Any, n_samples: int, sfreq: float) -> Any:
            return np.zeros(n_samples, dtype=bool)

    adapter = Columns(convolutional(5))
    with pytest.raises(AgreementUnavailable, match=r"small does not say what .*; override timeline\(\)$"):
        adapter.agreement(eeg(), SFREQ, CHANNELS, passes=2, tau=TAU, seed=0)


def test_memory_that_runs_out_in_stochastic_passes_halves_their_groups() -> None:
    class Tight(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = convolutional()
            self.most = 100

        def forward(self, windows: torch.Tensor) -> Any:
            if len(windows) > self.most:
                raise torch.OutOfMemoryError("synthetic")
            return self.net(windows)

    net = Tight()
    adapter = Small(net)
    adapter.agreement(eeg(), SFREQ, CHANNELS, passes=2, tau=TAU, seed=0)
    net.most = 8
    found = adapter.agreement(eeg(40 * WINDOW), SFREQ, CHANNELS, passes=2, tau=TAU, seed=0)
    assert len(found.phi) == 40 * WINDOW
    [remark] = adapter.take_remarks()
    assert "in stochastic passes, which went on with" in remark


def test_strata_against_a_hand_made_table() -> None:
    #                       seizure . . . .   background . . . . .
    reference = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    hypothesis = np.array([1, 1, 0, 0, 1, 0, 0, 0, 0, 0], dtype=bool)
    phi = np.array([1.0, 0.8, 0.4, 0.2, 0.6, 0.2, 0.0, 0.0, 0.0, 0.0], dtype=np.float32)
    mean = np.array([0.95, 0.85, 0.55, 0.35, 0.65, 0.25, 0.05, 0.05, 0.05, 0.05], dtype=np.float32)
    rates = rate_agreement(phi, mean, reference, hypothesis)
    assert rates.mean == pytest.approx(0.32)
    assert rates.seizure == pytest.approx(0.6)
    assert rates.background == pytest.approx(0.8 / 6)
    assert rates.fp == pytest.approx(0.6)
    assert rates.fn == pytest.approx(0.3)
    # 1 - |2 phi - 1|: 0, 0.4, 0.8, 0.4, 0.8, 0.4, then zeros
    assert rates.disagreement == pytest.approx(0.28)
    entropy = [-(p * math.log2(p) + (1 - p) * math.log2(1 - p)) for p in mean.tolist()]
    assert rates.entropy_bits == pytest.approx(sum(entropy) / 10, rel=1e-6)
    # per bin: |sum of probabilities - number of seizure samples|
    # 0-0.1: 0.2; 0.2-0.3: 0.25; 0.3-0.4: 0.65; 0.5-0.6: 0.45; 0.6-0.7: 0.65; 0.8-0.9: 0.15; 0.9-1: 0.05
    summary = summarise_agreement([rates])
    assert summary.calibration_error == pytest.approx((0.2 + 0.25 + 0.65 + 0.45 + 0.65 + 0.15 + 0.05) / 10, rel=1e-5)
    assert summary.contributing == {"mean": 1, "seizure": 1, "background": 1, "fp": 1, "fn": 1}


def rates_of(**values: Any) -> AgreementRates:
    nothing: dict[str, Any] = dict.fromkeys(("mean", "seizure", "background", "fp", "fn", "entropy_bits"))
    return AgreementRates(**(nothing | {"disagreement": 0.0, "bins": ()} | values))


def test_means_are_over_the_recordings_that_have_such_samples() -> None:
    summary = summarise_agreement(
        [
            rates_of(mean=0.1, seizure=0.9, background=0.0, disagreement=0.2, bins=((10, 1.0, 0),) * 10),
            rates_of(mean=0.3, background=0.3, fp=0.8, disagreement=0.4, bins=((0, 0.0, 0),) * 9 + ((100, 95.0, 45),)),
        ]
    )
    assert (summary.mean, summary.seizure, summary.background, summary.fp) == pytest.approx((0.2, 0.9, 0.15, 0.8))
    assert math.isnan(summary.fn)
    assert math.isnan(summary.entropy_bits)
    assert summary.files == 2
    assert summary.contributing == {"mean": 2, "seizure": 1, "background": 2, "fp": 1, "fn": 0}
    assert summary.disagreement == pytest.approx(0.3)
    # pooled over samples: 9 bins off by 1, the last by (1 + 95) - 45, of 200 samples
    assert summary.calibration_error == pytest.approx((9 * 1 + 51) / 200)


def test_a_detector_without_probabilities_has_no_entropy_and_no_calibration() -> None:
    phi = np.zeros(4, dtype=np.float32)
    rates = rate_agreement(phi, None, np.zeros(4, dtype=bool), np.zeros(4, dtype=bool))
    assert (rates.seizure, rates.fp, rates.fn, rates.entropy_bits, rates.bins) == (None, None, None, None, ())
    assert math.isnan(summarise_agreement([rates]).calibration_error)
    assert summarise_agreement([]).files == 0


@pytest.mark.parametrize("n_samples", [0, 3])
def test_lengths_that_differ_are_refused(n_samples: int) -> None:
    with pytest.raises(ValueError, match="phi: expected arrays of one shape"):
        rate_agreement(np.zeros(n_samples, np.float32), None, np.zeros(0, bool), np.zeros(0, bool))


@given(
    probabilities=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=40),
    seed=st.integers(0, 2**32),
)
def test_figures_stay_in_their_range(probabilities: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = len(probabilities)
    mean = np.array(probabilities, dtype=np.float32)
    phi = (rng.integers(0, 6, n) / 5).astype(np.float32)
    rates = rate_agreement(phi, mean, rng.random(n) < 0.5, rng.random(n) < 0.5)
    summary = summarise_agreement([rates])
    assert rates.entropy_bits is not None
    for value in (summary.mean, summary.disagreement, rates.entropy_bits, summary.calibration_error):
        assert -1e-9 <= value <= 1 + 1e-9
    assert sum(count for count, _, _ in rates.bins) == n


@pytest.mark.parametrize(
    "phi, message",
    [
        ([0.0, 0.2, 1.2], "phi: expected 0 to 1, got 1.2[0-9]* at sample 2"),
        ([0.0, np.nan, 1.0], "phi: expected 0 to 1, got nan at sample 1"),
        ([0.0, 0.25, 1.0], "phi: expected a share of 5 passes, got 0.25 at sample 1"),
        ([0.0, 0.2], r"phi: expected 3 floating-point numbers, got shape \(2,\) of float64"),
        ([[0.0, 0.2, 0.4]], r"phi: expected 3 floating-point numbers, got shape \(1, 3\)"),
        ([0, 1, 1], "phi: expected 3 floating-point numbers, got .* of int64"),
        (None, "phi: expected 3 floating-point numbers, got .* of object"),
    ],
)
def test_what_is_no_agreement_is_refused(phi: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_agreement(phi, 3, 5)
    if phi is not None:
        with pytest.raises(ValueError, match=message):
            as_agreement(Agreement(np.array(phi)), 3, 5)


def test_a_mean_probability_is_checked_too() -> None:
    phi = np.zeros(2, dtype=np.float32)
    with pytest.raises(ValueError, match=r"mean_probability: expected 0 to 1, got -1\.0 at sample 1"):
        as_agreement(Agreement(phi, np.array([0.0, -1.0], dtype=np.float32)), 2, 5)
    assert as_agreement(phi, 2, 5).mean_probability is None


@pytest.mark.parametrize("passes", [1, 5, 255, 256, 1000])
def test_votes_survive_packing_and_json(passes: int) -> None:
    phi = (np.random.default_rng(0).integers(0, passes + 1, 5000) / passes).astype(np.float32)
    rates = rate_agreement(phi, phi, phi > 0.5, phi > 0.7)
    stage = AgreementStage(passes, 0.8, rates, pack_votes(phi, passes))
    again = AgreementStage.from_values(json.loads(json.dumps(dataclasses.asdict(stage), allow_nan=False)))
    assert again == stage
    assert again.phi().dtype == np.float32
    np.testing.assert_allclose(again.phi(), phi, atol=1e-7)


def test_an_hour_of_what_detectors_usually_say_is_packed_into_little() -> None:
    phi = np.zeros(3600 * 256, dtype=np.float32)
    phi[100_000:120_000], phi[110_000:115_000] = 0.4, 1.0
    assert len(pack_votes(phi, 5)) < 10_000
