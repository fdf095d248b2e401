"""Attacks on torch detectors: what they reach, what they leave alone, what they say."""

import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from nets import (
    CHANNELS,
    N_CHANNELS,
    SFREQ,
    WINDOW,
    Overlapping,
    Recurrent,
    Small,
    TwoClasses,
    convolutional,
    eeg,
    linear,
    same_state,
    state_of,
)
from torch import Tensor, nn

from pytest_robustseiz.adapters import AttackOutcome, ExaminationUnavailable, StochasticPasses
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter, zscore
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.demo_detector import demo_adapter
from pytest_robustseiz.demo_signals import synthetic_subject
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.shifts import ELECTRODES, FGSM, PGD, Attack, PGDMicrovolts, RandomSign, paper_grid

GRID = tuple(setting for setting in paper_grid() if isinstance(setting, Attack))
FEW = tuple(setting for setting in GRID if setting.bound in (0.01, 0.1, 1.0))
MODES: tuple[Any, ...] = ("increase", "decrease", "flip")


class Raw(Small):
    """Windows in microvolts, as they are."""

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Any) -> Any:
        return self.windows(eeg, sfreq)


def attacked(adapter: TorchAdapter, attack: Attack, signal: Any = None, *, seed: int = 0) -> AttackOutcome:
    values = eeg(8 * WINDOW) if signal is None else signal
    found = adapter.examine(values.copy(), SFREQ, CHANNELS, attack=attack, rng=np.random.default_rng(seed))
    assert found.outcome is not None
    return found.outcome


def shift_of_logits(adapter: TorchAdapter, attack: Attack, signal: Any) -> Any:
    """Logits under the attack less those without."""
    seen: list[Tensor] = []
    hook = adapter.module.register_forward_hook(lambda module, inputs, logits: seen.append(logits.detach()))
    adapter.examine(signal.copy(), SFREQ, CHANNELS, attack=attack)
    hook.remove()
    return (seen[-1] - seen[0]).numpy()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("kind", ["fgsm", "pgd", "pgd_uv"])
def test_on_a_linear_detector_the_logit_moves_by_epsilon_times_the_norm_of_the_weights(
    kind: str, epsilon: float, mode: Any
) -> None:
    net = linear(dtype=torch.float64)
    signal = eeg(5 * WINDOW).astype(np.float64)
    attack: Attack = {
        "fgsm": FGSM(epsilon=epsilon, mode=mode),
        "pgd": PGD(epsilon=epsilon, mode=mode, alpha="auto"),
        "pgd_uv": PGDMicrovolts(epsilon_uv=epsilon, mode=mode),
    }[kind]
    weights = next(net.parameters()).detach()
    clean = Raw(net).module(torch.from_numpy(signal.reshape(N_CHANNELS, 5, WINDOW).transpose(1, 0, 2).copy())) > 0
    assert 0 < int(clean.sum()) < 5
    sign: Any = {"increase": 1.0, "decrease": -1.0, "flip": np.where(clean.numpy(), -1.0, 1.0)}[mode]
    expected = sign * epsilon * float(weights.abs().sum())
    np.testing.assert_allclose(shift_of_logits(Raw(net), attack, signal), np.broadcast_to(expected, 5), rtol=1e-9)


def pgd_by_hand(adapter: TorchAdapter, windows: Tensor, setting: PGD) -> Tensor:
    """Window by window, as a textbook has it."""
    result = []
    for window in windows:
        clean = window[None]
        with torch.no_grad():
            above = torch.sigmoid(adapter.logits(clean)) >= adapter.eventizer.threshold
        sign: Any = {"increase": 1.0, "decrease": -1.0, "flip": torch.where(above, -1.0, 1.0)}[setting.mode]
        point = clean.clone()
        for _ in range(setting.steps):
            point.requires_grad_()
            (sign * adapter.logits(point)).sum().backward()
            assert point.grad is not None
            moved = point.detach() + 0.01 * point.grad.sign()
            point = torch.minimum(torch.maximum(moved, clean - setting.epsilon), clean + setting.epsilon)
        with torch.no_grad():
            result.append(adapter.logits(point))
    return torch.cat(result)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("per_sample", [False, True])
def test_pgd_against_a_textbook_loop(mode: Any, per_sample: bool) -> None:
    adapter = Small(convolutional(per_sample=per_sample), batch_size=3)
    signal = eeg(7 * WINDOW)
    setting = PGD(epsilon=0.05, mode=mode)
    windows = adapter.preprocess(torch.from_numpy(signal), SFREQ, CHANNELS)
    expected = torch.sigmoid(pgd_by_hand(adapter, windows[0:7], setting)).double()
    outcome = attacked(adapter, setting, signal)
    assert outcome.after == pytest.approx(float(expected.sum()), rel=1e-5)
    assert outcome.largest_change == pytest.approx(0.05, abs=1e-6)


KINDS: dict[str, Callable[[], TorchAdapter]] = {
    "one logit per window": lambda: Small(convolutional()),
    "one logit per sample": lambda: Small(convolutional(per_sample=True)),
    "overlapping windows": lambda: Overlapping(convolutional()),
    "overlapping windows, per sample": lambda: Overlapping(convolutional(per_sample=True)),
    "two classes": lambda: TwoClasses(nn.Sequential(convolutional(2), nn.LogSoftmax(dim=1))),
    "recurrent": lambda: Small(Recurrent()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_gets_what_it_is_for(kind: str) -> None:
    adapter = KINDS[kind]()
    gains = {}
    for setting in GRID:
        outcome = attacked(adapter, setting)
        gains[setting.label] = outcome.mean_gain
        assert outcome.verdict == "achieved", setting.label
        assert outcome.mean_gain > 0
        if setting.aim == "increase":
            assert outcome.mean_after >= outcome.mean_before
        if setting.aim == "decrease":
            assert outcome.mean_after <= outcome.mean_before
        assert outcome.without_gradient == outcome.undefined_gradient == 0
        assert outcome.largest_change <= setting.bound + 1e-5
    assert gains["pgd-epsilon_1-mode_flip"] == gains["pgd-epsilon_0.1-mode_flip"]  # ten steps of 0.01
    control = attacked(adapter, RandomSign(epsilon=0.1))
    assert control.verdict == "control"
    assert abs(control.mean_gain) < gains["fgsm-epsilon_0.1-mode_flip"]


def test_an_ensemble_is_pushed_column_by_column() -> None:
    class Voting(Small):
        def postprocess(self, probabilities: Any, n_samples: int, sfreq: float) -> Any:
            return np.repeat(np.median(probabilities, axis=1) > 0.5, WINDOW)[:n_samples]

    adapter = Voting(convolutional(5))
    assert attacked(adapter, FGSM(epsilon=0.1, mode="flip")).outputs == 8 * 5
    for setting in FEW:
        assert attacked(adapter, setting).mean_gain > 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), epsilon=st.sampled_from([0.01, 0.05, 0.1]), mode=st.sampled_from(MODES))
def test_toy_networks_never_get_the_contrary(seed: int, epsilon: float, mode: Any) -> None:
    torch.manual_seed(seed)
    net = nn.Sequential(
        nn.Conv1d(N_CHANNELS, 4, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(3), nn.Flatten(), nn.Linear(12, 1), nn.Flatten(0)
    )
    for attack in (FGSM(epsilon=epsilon, mode=mode), PGD(epsilon=epsilon, mode=mode)):
        assert attacked(Small(net), attack, eeg(8 * WINDOW, seed=seed)).mean_gain >= 0


@pytest.mark.parametrize("setting", FEW, ids=lambda setting: setting.label)
def test_the_demo_detector_is_pushed_where_the_attack_wants_it(setting: Attack) -> None:
    recording = synthetic_subject(1)[0]
    signal = recording.eeg[:, : 256 * 150].astype(np.float32)
    detector = demo_adapter()
    found = detector.examine(signal, 256.0, ELECTRODES, attack=setting).outcome
    assert found is not None
    assert found.verdict == "achieved"
    assert found.mean_gain > 0.005
    if setting.aim != "flip":
        assert (found.mean_after > found.mean_before) is (setting.aim == "increase")


@pytest.fixture(scope="module")
def eegwavenet(shared_data: Path) -> Any:
    path = Path(__file__).resolve().parents[1] / "examples" / "eegwavenet" / "eegwavenet.py"
    spec = importlib.util.spec_from_file_location("eegwavenet", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["eegwavenet"] = module
    spec.loader.exec_module(module)
    return module.EEGWaveNetAdapter(shared_data / "eegwavenet")


@pytest.mark.parametrize("subject", ["sub-icu02", "sub-icu07"])
def test_eegwavenet_is_pushed_where_the_attack_wants_it(eegwavenet: Any, shared_data: Path, subject: str) -> None:
    [files] = [found.recordings[0] for found in discover(shared_data / "real-bids") if found.name == subject]
    recording = read_recording(files)
    signal = recording.eeg[:, : 256 * 20]
    for setting in FEW:
        found = eegwavenet.examine(signal.copy(), 256.0, recording.channels, attack=setting).outcome
        assert found.outputs == 5 * found.windows
        assert found.verdict == "achieved", setting.label
        assert found.mean_gain > 0
        if setting.aim != "flip":
            assert (found.mean_after > found.mean_before) is (setting.aim == "increase")


def test_eegwavenet_has_no_way_back_to_microvolts(eegwavenet: Any, shared_data: Path) -> None:
    signal = np.random.default_rng(0).normal(0, 30, (19, 256 * 8)).astype(np.float32)
    attack = PGDMicrovolts(epsilon_uv=5.0, mode="flip")
    with pytest.raises(ExaminationUnavailable, match=r"^pgd_uv goes through the preprocessing, and that of eegwavenet"):
        eegwavenet.examine(signal, 256.0, ELECTRODES, attack=attack)
    with pytest.raises(ExaminationUnavailable, match=r"cannot be differentiated: Can't call numpy"):
        eegwavenet.examine(signal, 256.0, ELECTRODES, attack=attack)


def test_epsilon_is_told_in_microvolts_and_as_snr() -> None:
    signal = eeg(8 * WINDOW)
    found = attacked(Small(convolutional()), FGSM(epsilon=0.1, mode="increase"), signal).figures()
    spread = signal.reshape(N_CHANNELS, 8, WINDOW).std(axis=2)
    assert found["change_rms_uv"] == pytest.approx(0.1 * math.sqrt(np.mean(spread**2)), rel=1e-4)
    assert found["snr_db"] == pytest.approx(20.0, abs=1e-3)
    assert found["largest_change"] == pytest.approx(0.1, abs=1e-6)
    assert found["largest_change_unit"] == "window"
    assert "snr_db" not in attacked(Raw(convolutional()), FGSM(epsilon=0.1, mode="increase")).figures()


def test_batch_size_does_not_matter() -> None:
    for attack in (FGSM(epsilon=0.1, mode="flip"), PGD(epsilon=0.1, mode="flip", random_start=True)):
        one, many = (attacked(Overlapping(convolutional(), batch_size=size), attack) for size in (1, 64))
        assert one.after == pytest.approx(many.after, rel=1e-6)
        assert (one.windows, one.improved) == (many.windows, many.improved)


def test_memory_that_runs_out_changes_no_number() -> None:
    class Tight(nn.Module):
        def __init__(self, most: int) -> None:
            super().__init__()
            self.net, self.most = convolutional(), most

        def forward(self, windows: Tensor) -> Any:
            if len(windows) > self.most and not torch.is_grad_enabled():  # in the last pass, after the draw
                raise torch.OutOfMemoryError("synthetic")
            return self.net(windows)

    attack = PGD(epsilon=0.1, mode="flip", random_start=True)
    adapter = Small(Tight(3), batch_size=8)
    tight = attacked(adapter, attack)
    assert adapter.batch_size == 2
    assert tight.after == pytest.approx(attacked(Small(Tight(100), batch_size=8), attack).after, rel=1e-6)
    assert adapter.take_remarks() == ["small: out of memory with 8 windows at once; went on with 2"]


@pytest.mark.parametrize(
    "attack", [FGSM(epsilon=0.1, mode="flip"), PGDMicrovolts(epsilon_uv=1.0, mode="flip"), RandomSign(epsilon=0.1)]
)
@pytest.mark.parametrize("build", [convolutional, Recurrent])
def test_nothing_else_changes(attack: Attack, build: Callable[[], nn.Module]) -> None:
    net = build()
    first, second, *_ = net.parameters()
    first.requires_grad_(False)
    second.grad = torch.ones_like(second)
    adapter = Small(net)
    net.train()
    before = state_of(net)
    attacked(adapter, attack)
    assert same_state(before, net)

    calls = 0

    def fail_late(module: nn.Module, inputs: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("out of ideas")

    hook = net.register_forward_pre_hook(fail_late)
    with pytest.raises(RuntimeError, match="out of ideas"):
        attacked(adapter, attack)
    hook.remove()
    assert same_state(before, net)


@pytest.mark.parametrize("build, expected", [(Recurrent, False), (convolutional, True)])
def test_cudnn_is_off_for_the_gradient_step_of_recurrent_networks_only(
    build: Callable[[], nn.Module], expected: bool
) -> None:
    seen = set()
    net = build()
    hook = net.register_forward_pre_hook(
        lambda module, inputs: seen.add((torch.is_grad_enabled(), torch.backends.cudnn.enabled))
    )
    attacked(Small(net), PGD(epsilon=0.1, mode="flip"))
    hook.remove()
    assert seen == {(True, expected), (False, True)}
    assert torch.backends.cudnn.enabled


def test_a_saturated_sigmoid_has_a_gradient() -> None:
    """Logits of 1000: every probability is exactly 1, and 0 seen from the other side."""
    for bias, mode in ((1000.0, "decrease"), (-1000.0, "increase")):
        outcome = attacked(Small(linear(bias=bias)), FGSM(epsilon=0.1, mode=mode))  # type: ignore[arg-type]
        assert outcome.without_gradient == 0
        assert outcome.improved == outcome.windows
        assert outcome.verdict == "achieved"
        assert outcome.mean_gain == 0


class Dead(nn.Module):
    """Its logit depends on the windows only where the first sample is positive."""

    def forward(self, windows: Tensor) -> Tensor:
        return torch.relu(windows[:, 0, 0]) * windows.sum(dim=(1, 2))


def test_windows_without_a_gradient_are_counted() -> None:
    signal = eeg(8 * WINDOW)
    dead = int((signal[0, ::WINDOW] < 0).sum())
    assert 0 < dead < 8
    assert attacked(Raw(Dead()), FGSM(epsilon=1e-3, mode="increase"), signal).without_gradient == dead


NO_GRADIENT: dict[str, Callable[[Tensor], Tensor]] = {
    "threshold": lambda w: (w.mean(dim=(1, 2)) > 0).float(),
    "rounding": lambda w: w.mean(dim=(1, 2)).round(),
    "numpy": lambda w: torch.from_numpy(w.detach().numpy().mean(axis=(1, 2))),
    "no_grad": torch.no_grad()(lambda w: w.mean(dim=(1, 2))),
    "inference_mode": torch.inference_mode()(lambda w: w.mean(dim=(1, 2))),
    "another input": lambda w: nn.Parameter(torch.ones(len(w))) * 2,
}


@pytest.mark.parametrize("what", NO_GRADIENT)
def test_logits_without_a_gradient_are_found_out(what: str) -> None:
    class Cut(Small):
        def logits(self, windows: Tensor) -> Tensor:
            return NO_GRADIENT[what](windows)

    for attack in (FGSM(epsilon=0.1, mode="flip"), PGD(epsilon=0.1, mode="flip")):
        outcome = attacked(Cut(linear()), attack)
        assert outcome.without_gradient == outcome.windows == 8
        assert outcome.verdict == "nothing"


def test_a_gradient_that_is_not_a_number_in_parts_is_counted_and_the_rest_followed() -> None:
    class Unguarded(nn.Module):
        """Divides by the deviation inside the network: 0 of a flat channel, whose slope is infinite."""

        def forward(self, windows: Tensor) -> Tensor:
            spread = windows.var(dim=2).sqrt()
            return torch.where(spread > 0, spread, 1.0).prod(dim=1) + windows[:, 0].mean(dim=1)

    signal = eeg(8 * WINDOW)
    signal[1, : 2 * WINDOW] = 5.0
    outcome = attacked(Raw(Unguarded()), FGSM(epsilon=0.1, mode="increase"), signal)
    assert outcome.undefined_gradient == 2
    assert outcome.without_gradient == 0
    assert outcome.improved == 8


def test_flat_channels_and_silence_are_guarded() -> None:
    signal = eeg(8 * WINDOW)
    signal[1] = 5.0
    for attack in (FGSM(epsilon=0.1, mode="increase"), PGDMicrovolts(epsilon_uv=1.0, mode="increase")):
        outcome = attacked(Small(convolutional()), attack, signal)
        assert outcome.undefined_gradient == outcome.without_gradient == 0
        assert outcome.mean_gain > 0
        assert math.isfinite(attacked(Small(convolutional()), attack, 0 * signal).mean_after)


def test_tensors_of_inference_mode_are_attacked_too() -> None:
    class Inference(Small):
        @torch.inference_mode()
        def preprocess(self, eeg: Tensor, sfreq: float, channels: Any) -> Any:
            cut = self.windows(eeg, sfreq)
            return zscore(cut[0 : len(cut)])

    attack = PGD(epsilon=0.1, mode="flip")
    assert attacked(Inference(convolutional()), attack).after == attacked(Small(convolutional()), attack).after


def test_a_network_may_write_into_its_input() -> None:
    class InPlace(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = convolutional()

        def forward(self, windows: Tensor) -> Any:
            windows *= 0.5
            return self.net(windows)

    class Copying(InPlace):
        def forward(self, windows: Tensor) -> Any:
            return self.net(windows * 0.5)

    asked = StochasticPasses(3, 0.5, 0)
    for attack in (PGD(epsilon=0.1, mode="flip"), PGDMicrovolts(epsilon_uv=1.0, mode="flip"), RandomSign(epsilon=0.1)):
        first, second = (
            Small(net).examine(eeg(), SFREQ, CHANNELS, attack=attack, stochastic=asked)
            for net in (InPlace(), Copying())
        )
        assert first.outcome == second.outcome
        assert first.agreement is not None
        assert second.agreement is not None
        assert np.array_equal(first.agreement.phi, second.agreement.phi)


def test_stochastic_passes_see_what_the_attack_left() -> None:
    adapter, asked = Small(convolutional()), StochasticPasses(20, 0.5, 0)
    clean = adapter.examine(eeg(), SFREQ, CHANNELS, stochastic=asked).agreement
    for attack in (FGSM(epsilon=1.0, mode="increase"), PGDMicrovolts(epsilon_uv=30.0, mode="increase")):
        found = adapter.examine(eeg(), SFREQ, CHANNELS, attack=attack, stochastic=asked).agreement
        assert clean is not None
        assert found is not None
        assert found.phi.mean() > clean.phi.mean()


class Filtering(Small):
    """One graph for all windows: a moving average over the whole recording, then windows at once."""

    def preprocess(self, eeg: Tensor, sfreq: float, channels: Any) -> Any:
        kernel = torch.full((1, 1, 5), 0.2, dtype=eeg.dtype, device=eeg.device)
        smooth = nn.functional.conv1d(eeg[:, None], kernel, padding=2)[:, 0]
        cut = self.windows(smooth, sfreq)
        return zscore(cut[0 : len(cut)])


@pytest.mark.parametrize("kind", [Small, Overlapping, Filtering])
@pytest.mark.parametrize("mode", MODES)
def test_an_attack_in_microvolts_goes_through_the_preprocessing(kind: type[Small], mode: Any) -> None:
    adapter, signal = kind(convolutional(), batch_size=3), eeg(1000)
    attack = PGDMicrovolts(epsilon_uv=4.0, mode=mode)
    found = adapter.examine(signal.copy(), SFREQ, CHANNELS, attack=attack)
    assert found.outcome is not None
    assert found.attacked is not None
    change = found.attacked - signal
    assert 3.9 < np.abs(change).max() <= 4.0 + 1e-4
    assert found.outcome.verdict == "achieved"
    assert found.outcome.largest_change == pytest.approx(float(np.abs(change).max()))
    assert found.outcome.figures()["change_rms_uv"] == pytest.approx(math.sqrt(np.mean(change**2)), rel=1e-5)
    expected = -10 * math.log10(np.mean(change**2) / np.mean((signal - signal.mean(axis=1, keepdims=True)) ** 2))
    assert found.outcome.figures()["snr_db"] == pytest.approx(expected, abs=1e-3)
    # What the detector says of the attacked recording is what it says when it is given that recording.
    assert np.array_equal(found.mask, adapter.detect(found.attacked, SFREQ, CHANNELS))
    whole = kind(convolutional(), batch_size=64).examine(signal.copy(), SFREQ, CHANNELS, attack=attack)
    assert whole.attacked is not None
    # The signs of gradients near zero may differ by the order of sums.
    assert np.mean(np.abs(whole.attacked - found.attacked) > 1e-3) < 0.01


@pytest.mark.parametrize(
    "cut, reason",
    [
        (lambda eeg: torch.from_numpy(eeg.cpu().numpy()), "Can't call numpy"),
        (lambda eeg: eeg.detach(), "no gradient comes through it"),
        (lambda eeg: eeg.round().int().float(), "no gradient comes through it"),
    ],
)
def test_a_preprocessing_without_a_gradient_leaves_the_setting_out(
    cut: Callable[[Tensor], Tensor], reason: str
) -> None:
    class Cut(Small):
        def preprocess(self, eeg: Tensor, sfreq: float, channels: Any) -> Any:
            return self.windows(cut(eeg), sfreq).map(zscore)

    with pytest.raises(ExaminationUnavailable, match=f"that of small cannot be differentiated: {reason}"):
        attacked(Cut(convolutional()), PGDMicrovolts(epsilon_uv=1.0, mode="flip"))
    assert attacked(Cut(convolutional()), FGSM(epsilon=0.1, mode="flip")).verdict == "achieved"


def test_a_preprocessing_whose_gradient_is_not_a_number_is_an_error() -> None:
    class Unguarded(Small):
        def preprocess(self, eeg: Tensor, sfreq: float, channels: Any) -> Any:
            spread = eeg.var(dim=1, keepdim=True).sqrt()
            return self.windows(eeg / torch.where(spread > 0, spread, 1.0), sfreq)

    signal = eeg(1000)
    signal[2] = 0.0
    attack = PGDMicrovolts(epsilon_uv=1.0, mode="flip")
    with pytest.raises(ValueError, match=r"in small its gradient is not a number at 1000 of 3000 values; guard what"):
        attacked(Unguarded(convolutional()), attack, signal)


@pytest.mark.parametrize("name", ["detect", "probabilities", "agreement"])
def test_an_adapter_that_overrides_a_step_of_the_harness_is_not_passed_by(name: str) -> None:
    own = type("Own", (Small,), {name: lambda self, *args, **kwargs: None})
    with pytest.raises(ExaminationUnavailable, match=f"^small overrides {name}, which an attack would pass by"):
        own(linear()).examine(eeg(), SFREQ, CHANNELS)


def test_verdicts() -> None:
    def outcome(**values: Any) -> AttackOutcome:
        plain: dict[str, Any] = {
            "guided": True, "unit": "window", "windows": 10, "outputs": 10, "before": 5.0, "after": 6.0, "gain": 1.0,
            "improved": 10, "worsened": 0, "without_gradient": 0, "undefined_gradient": 0, "largest_change": 0.1,
        }  # fmt: skip
        return AttackOutcome(**(plain | values))

    assert outcome().verdict == "achieved"
    assert outcome(gain=0.0, improved=0).verdict == "nothing"
    assert outcome(gain=-0.1, improved=9, worsened=1).verdict == "contrary"
    assert outcome(gain=0.0, improved=1, worsened=9).verdict == "contrary"  # saturated, and the logits got worse
    assert outcome(gain=0.0, improved=9, worsened=1).verdict == "achieved"  # saturated, and the logits got better
    assert outcome(guided=False, gain=-1.0).verdict == "control"
    both = outcome(largest_change=0.3, windows=2, outputs=30) + outcome(change_energy_uv2=8.0, scaled=2)
    assert (both.windows, both.outputs, both.largest_change, both.before) == (12, 40, 0.3, 10.0)
    assert both.mean_gain == pytest.approx(2 / 40)
    assert both.figures()["change_rms_uv"] == 2.0
