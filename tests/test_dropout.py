"""Every kind of dropout on, everything else in evaluation mode, and all as before at the end."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from nets import CHANNELS, N_CHANNELS, SFREQ, WINDOW, Recurrent, Small, convolutional, eeg, same_state, state_of
from torch import Tensor, nn
from torch.nn import functional

from pytest_robustseiz.adapters import AgreementUnavailable, DetectorOutputError, StochasticPasses
from pytest_robustseiz.adapters.dropout import dropout_on, may_drop, seeded


class Around(nn.Module):
    """Batch norm, a part that drops or not, and a linear end: one logit per window."""

    def __init__(self, part: nn.Module, *, n_features: int = N_CHANNELS) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(N_CHANNELS)
        nn.init.uniform_(self.norm.running_mean, -1, 1)  # type: ignore[arg-type]
        self.part = part
        self.end = nn.Linear(n_features, 1)

    def forward(self, windows: Tensor) -> Tensor:
        result: Tensor = self.end(self.part(self.norm(windows)).mean(dim=-1))[:, 0]
        return result


class Functional(nn.Module):
    def forward(self, windows: Tensor) -> Tensor:
        return functional.dropout(windows, 0.5, training=self.training)


class IfTraining(nn.Module):
    """Stochastic depth, as many write it."""

    def forward(self, windows: Tensor) -> Tensor:
        if not self.training:
            return windows
        kept = torch.bernoulli(torch.full((len(windows), 1, 1), 0.5, device=windows.device))
        return windows * kept / 0.5


class Lstm(nn.Module):
    def __init__(self, kind: Any = nn.LSTM) -> None:
        super().__init__()
        self.rnn = kind(N_CHANNELS, N_CHANNELS, num_layers=2, batch_first=True, dropout=0.5)

    def forward(self, windows: Tensor) -> Tensor:
        hidden: Tensor = self.rnn(windows.transpose(1, 2))[0]
        return hidden.transpose(1, 2)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(N_CHANNELS, 1, dropout=0.5, batch_first=True)

    def forward(self, windows: Tensor) -> Tensor:
        steps = windows.transpose(1, 2)
        attended: Tensor = self.attention(steps, steps, steps, need_weights=False)[0]
        return attended.transpose(1, 2)


class Transformer(nn.Module):
    def __init__(self, *, dropout: float = 0.5) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)

    def forward(self, windows: Tensor) -> Tensor:
        four = torch.cat([windows, windows[:, :1]], dim=1)
        encoded: Tensor = self.encoder(four.transpose(1, 2))
        return encoded.transpose(1, 2)[:, :N_CHANNELS]


class ScaledAttention(nn.Module):
    def forward(self, windows: Tensor) -> Tensor:
        dropped = 0.5 if self.training else 0.0
        return functional.scaled_dot_product_attention(windows, windows, windows, dropout_p=dropped)


class FunctionalNorm(nn.Module):
    """Batch norm as a function beside dropout: its statistics must not move."""

    mean: Tensor
    variance: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(N_CHANNELS))
        self.register_buffer("variance", torch.ones(N_CHANNELS))

    def forward(self, windows: Tensor) -> Tensor:
        normed = functional.batch_norm(windows, self.mean, self.variance, training=self.training)
        return functional.dropout(normed, 0.5, training=self.training)


class CustomNorm(nn.BatchNorm1d):
    """An author's subclass is a norm all the same."""


DROPS: dict[str, Callable[[], nn.Module]] = {
    "Dropout": lambda: nn.Dropout(0.5),
    "Dropout1d": lambda: nn.Dropout1d(0.5),
    "AlphaDropout": lambda: nn.AlphaDropout(0.5),
    "FeatureAlphaDropout": lambda: nn.FeatureAlphaDropout(0.5),
    "functional": Functional,
    "if training": IfTraining,
    "LSTM": Lstm,
    "GRU": lambda: Lstm(nn.GRU),
    "RNN": lambda: Lstm(nn.RNN),
    "MultiheadAttention": Attention,
    "TransformerEncoder": Transformer,
    "scaled dot product": ScaledAttention,
    "beside functional batch norm": FunctionalNorm,
    "beside a custom norm": lambda: nn.Sequential(CustomNorm(N_CHANNELS), nn.Dropout(0.5)),
    "small probability": lambda: nn.Dropout(0.01),
    "silent unless fed": lambda: nn.Sequential(nn.Threshold(0.5, 0.0), nn.Dropout(0.5)),
}
STILL: dict[str, Callable[[], nn.Module]] = {
    "none": nn.Identity,
    "probability 0": lambda: nn.Dropout(0.0),
    "one layer": lambda: nn.Sequential(nn.Conv1d(N_CHANNELS, N_CHANNELS, 1)),
    "RReLU": nn.RReLU,
    "InstanceNorm": lambda: nn.InstanceNorm1d(N_CHANNELS, track_running_stats=True),
    "TransformerEncoder": lambda: Transformer(dropout=0.0),
    "functional norm": lambda: nn.Sequential(FunctionalNormOnly(), FunctionalNormOnly()),
}


class FunctionalNormOnly(FunctionalNorm):
    def forward(self, windows: Tensor) -> Tensor:
        return functional.batch_norm(windows, self.mean, self.variance, training=self.training)


def build(part: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    return Around(part).eval()


def passes(adapter: Small, n: int = 6, **how: Any) -> Any:
    asked = {"passes": n, "tau": 0.5, "seed": 1} | how
    return adapter.agreement(eeg(12 * WINDOW), SFREQ, CHANNELS, **asked)


@pytest.mark.parametrize("kind", DROPS)
def test_every_kind_of_dropout_acts_and_nothing_else_changes(kind: str) -> None:
    net = build(DROPS[kind]())
    adapter = Small(net)
    before = state_of(net)
    found = passes(adapter, 16)
    assert same_state(before, net)
    assert adapter.has_dropout
    plain = adapter.probabilities(eeg(12 * WINDOW), SFREQ, CHANNELS)
    # The passes scatter around what the network says without dropout.
    mean = found.mean_probability.reshape(12, WINDOW)[:, 0]
    assert abs(mean - plain).max() > 1e-6


@pytest.mark.parametrize("kind", STILL)
def test_where_nothing_drops_the_stage_is_not_available(kind: str) -> None:
    adapter = Small(build(STILL[kind]()))
    with pytest.raises(AgreementUnavailable, match=r"^small has no dropout that acts: passes with dropout on do not"):
        passes(adapter)
    found = adapter.examine(eeg(), SFREQ, CHANNELS, stochastic=StochasticPasses(5, 0.5, 0))
    assert found.agreement is None
    assert found.unavailable.startswith("small has no dropout that acts")


def test_only_what_drops_is_in_training_mode() -> None:
    parts = {
        nn.Dropout(): True, nn.Dropout3d(): True, Functional(): True, nn.LSTM(2, 2): True, nn.Linear(2, 2): False,
        nn.TransformerEncoderLayer(2, 1): True, nn.BatchNorm2d(2): False, CustomNorm(2): False, nn.RReLU(): False,
        nn.SyncBatchNorm(2): False, nn.InstanceNorm1d(2): False, nn.Sequential(): False,
        nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2)): False,
    }  # fmt: skip
    assert {type(part).__name__: may_drop(part) for part in parts} == {
        type(part).__name__: expected for part, expected in parts.items()
    }


@pytest.mark.parametrize("part", [nn.Dropout(0.5), FunctionalNorm(), Lstm()])
def test_all_is_as_before_after_an_exception(part: nn.Module) -> None:
    net = build(part)
    adapter = Small(net)
    net.train()
    net.get_submodule("part").eval()
    before = state_of(net)
    calls = 0

    def fail_late(module: nn.Module, inputs: Any) -> None:
        nonlocal calls
        calls += 1
        if module.training and calls > 3:
            raise RuntimeError("out of ideas")

    hook = net.register_forward_pre_hook(fail_late)
    with pytest.raises(RuntimeError, match="out of ideas"):
        passes(adapter)
    hook.remove()
    assert calls > 3
    assert same_state(before, net)


def test_buffers_that_a_module_moves_itself_are_put_back() -> None:
    class Counting(nn.Module):
        count: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, windows: Tensor) -> Tensor:
            if self.training:
                self.count += 1
            return functional.dropout(windows, 0.5, training=self.training)

    net = build(Counting())
    before = state_of(net)
    passes(Small(net))
    assert same_state(before, net)


def test_statistics_less_functional_norm_keeps_those_of_the_batch() -> None:
    values = torch.from_numpy(eeg(50)[None].copy())
    expected = functional.batch_norm(values, None, None, training=True)
    with dropout_on(nn.Identity()):
        assert torch.equal(functional.batch_norm(values, None, None, training=True), expected)
        assert torch.equal(functional.instance_norm(values), functional.instance_norm(values))


@pytest.mark.parametrize(
    "function",
    [
        lambda self, values: functional.batch_norm(values, self.mean, self.variance, training=self.training),
        lambda self, values: functional.instance_norm(values, self.mean, self.variance, use_input_stats=self.training),
        lambda self, values: functional.rrelu(values, training=self.training),
    ],
)
def test_functions_that_an_authors_module_calls_stay_as_in_evaluation(function: Any) -> None:
    class Calling(FunctionalNorm):
        def forward(self, windows: Tensor) -> Tensor:
            assert self.training is switched
            result: Tensor = function(self, windows)
            return result

    net, values = Calling().eval(), torch.from_numpy(eeg(50)[None].copy())
    switched = False
    expected = net(values)
    switched = True
    with dropout_on(net):
        assert torch.equal(net(values), expected)


def test_a_silent_recording_hides_no_dropout() -> None:
    net = nn.Sequential(nn.Dropout(0.5), nn.Flatten(), nn.Linear(N_CHANNELS * WINDOW, 1, bias=False), nn.Flatten(0))
    found = Small(net).agreement(0 * eeg(), SFREQ, CHANNELS, passes=3, tau=0.5, seed=0)
    assert (found.phi == 1).all()


def test_a_detector_that_is_random_in_evaluation_is_an_error() -> None:
    class Noisy(nn.Module):
        def forward(self, windows: Tensor) -> Tensor:
            return functional.dropout(windows, 0.5, training=True)

    with pytest.raises(DetectorOutputError, match="small is random in evaluation mode: the same windows gave logits"):
        passes(Small(build(Noisy())))


def test_results_follow_the_seed_and_not_batch_size_or_global_state() -> None:
    whole = passes(Small(convolutional(), batch_size=64), tau=0.5)
    torch.manual_seed(99)
    again = passes(Small(convolutional(), batch_size=5), tau=0.5)
    assert torch.equal(torch.from_numpy(whole.phi), torch.from_numpy(again.phi))
    assert (whole.mean_probability == again.mean_probability).all()
    other = passes(Small(convolutional()), tau=0.5, seed=2)
    assert (other.mean_probability != whole.mean_probability).any()


def test_seeding_leaves_the_global_state_alone() -> None:
    before = torch.get_rng_state()
    with seeded(torch.device("cpu"), 3, 4):
        first = torch.rand(3)
    with seeded(torch.device("cpu"), 3, 4):
        assert torch.equal(first, torch.rand(3))
    with seeded(torch.device("cpu"), 4, 3):
        assert not torch.equal(first, torch.rand(3))
    assert torch.equal(before, torch.get_rng_state())
    assert not torch.cuda.is_initialized()  # type: ignore[no-untyped-call]


def test_dropout_in_a_recurrent_detector_acts_between_layers() -> None:
    assert (passes(Small(Recurrent(dropout=0.5)), 8, tau=0.5).mean_probability > 0).all()
    with pytest.raises(AgreementUnavailable, match="no dropout that acts"):
        passes(Small(Recurrent()))
