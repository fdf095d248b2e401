"""The network of the example SeizureTransformer: names and shapes of its weights, and what it computes."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from example_modules import load_example

torch = pytest.importorskip("torch")
functional = torch.nn.functional

network = load_example("seizure_transformer", "seizure_transformer_network")
example = load_example("seizure_transformer", "seizure_transformer")
WINDOW = 15360

# Names and shapes of the weights that the authors' program loads (keruiwu/SeizureTransformer).
ENCODER = [(32, 19, 11), (64, 32, 9), (128, 64, 7), (256, 128, 7), (512, 256, 5)]
DECODER = [(512, 512, 3), (256, 512, 5), (128, 256, 5), (64, 128, 7), (32, 64, 7)]
RESIDUAL = [3, 3, 3, 3, 2, 3, 2]
NORM = {"weight": (512,), "bias": (512,), "running_mean": (512,), "running_var": (512,), "num_batches_tracked": ()}
LAYER = {
    "self_attn.in_proj_weight": (1536, 512),
    "self_attn.in_proj_bias": (1536,),
    "self_attn.out_proj.weight": (512, 512),
    "self_attn.out_proj.bias": (512,),
    "linear1.weight": (2048, 512),
    "linear1.bias": (2048,),
    "linear2.weight": (512, 2048),
    "linear2.bias": (512,),
    "norm1.weight": (512,),
    "norm1.bias": (512,),
    "norm2.weight": (512,),
    "norm2.bias": (512,),
}


def released() -> dict[str, tuple[int, ...]]:
    convolutions = {"conv_d": (1, 32, 11)}
    convolutions |= {f"encoder.convs.{i}": shape for i, shape in enumerate(ENCODER)}
    convolutions |= {f"decoder_d.convs.{i}": shape for i, shape in enumerate(DECODER)}
    blocks = [f"res_cnn_stack.members.{i}" for i in range(7)]
    convolutions |= {
        f"{block}.conv{j}": (512, 512, size) for block, size in zip(blocks, RESIDUAL, strict=True) for j in (1, 2)
    }
    layers = ["transformer_encoder_layer", *(f"transformer_encoder.layers.{i}" for i in range(8))]
    shapes: dict[str, tuple[int, ...]] = {"position_encoding.pe": (6000, 1, 512)}
    shapes |= {f"{name}.weight": shape for name, shape in convolutions.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in convolutions.items()}
    shapes |= {f"{block}.norm{j}.{key}": shape for block in blocks for j in (1, 2) for key, shape in NORM.items()}
    shapes |= {f"{layer}.{key}": shape for layer in layers for key, shape in LAYER.items()}
    return shapes


def small() -> Any:
    """A network of the same form with 16 channels at its bottom, and statistics as if it were trained."""
    torch.manual_seed(0)
    net = network.SeizureTransformer(filters=(4, 8, 8, 16, 16), n_layers=2, n_heads=4, n_hidden=32)
    for part in net.modules():
        if isinstance(part, torch.nn.BatchNorm1d):
            torch.nn.init.uniform_(part.running_mean, -0.2, 0.2)
            torch.nn.init.uniform_(part.running_var, 0.01, 1.5)
    return net.eval()


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_names_and_shapes_are_those_of_the_release() -> None:
    with torch.device("meta"):
        state = network.SeizureTransformer().state_dict()
    assert {name: tuple(value.shape) for name, value in state.items()} == released()
    # Others who have the file say that it has 168 MiB and 41 million weights.
    assert round(sum(value.nbytes for value in state.values()) / 2**20) == 168
    statistics = ("pe", "running_mean", "running_var", "num_batches_tracked")
    weights = sum(value.numel() for name, value in state.items() if not name.endswith(statistics))
    assert round(weights / 1e6) == 41


def save_released(path: Path, **changed: Any) -> Path:
    """A file as the authors' is in all but its values: small, since each tensor repeats one number."""
    state = {name: torch.tensor(0.01).expand(shape) for name, shape in released().items()}
    state |= {name: torch.tensor(7) for name in state if name.endswith("num_batches_tracked")}
    torch.save(state | changed, path)
    return path


def test_a_file_of_the_release_is_loaded(tmp_path: Path) -> None:
    state = example.load_network(save_released(tmp_path / "model.pth")).state_dict()
    assert all(bool((value == (7 if name.endswith("tracked") else 0.01)).all()) for name, value in state.items())


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected the file .*model\.pth, which does not exist; README"):
        example.load_network(tmp_path / "model.pth")


def test_other_weights_are_refused(tmp_path: Path) -> None:
    path = save_released(tmp_path / "model.pth", stranger=torch.zeros(1))
    with pytest.raises(ValueError, match=r"a SeizureTransformer in .*model\.pth, got (?s:.*)stranger"):
        example.load_network(path)


def convolved(signal: Any, state: dict[str, Any], name: str) -> Any:
    weight = state[f"{name}.weight"]
    size = weight.shape[-1]
    return functional.conv1d(
        functional.pad(signal, ((size - 1) // 2, size // 2)), weight, state[f"{name}.bias"]
    )  # nothing is strided, so a kernel of two looks one sample ahead


def normalised(signal: Any, state: dict[str, Any], name: str) -> Any:
    mean, variance, weight, bias = (
        state[f"{name}.{key}"][:, None] for key in ("running_mean", "running_var", "weight", "bias")
    )
    return (signal - mean) / torch.sqrt(variance + 0.001) * weight + bias


def layer_normed(tokens: Any, state: dict[str, Any], name: str) -> Any:
    centred = tokens - tokens.mean(-1, keepdim=True)
    deviation = torch.sqrt(centred.square().mean(-1, keepdim=True) + 1e-5)
    return centred / deviation * state[f"{name}.weight"] + state[f"{name}.bias"]


def attended(tokens: Any, state: dict[str, Any], name: str, n_heads: int) -> Any:
    width = tokens.shape[-1] // n_heads
    projected = tokens @ state[f"{name}.in_proj_weight"].T + state[f"{name}.in_proj_bias"]
    outputs = []
    for head in range(n_heads):
        query, key, value = (part[:, head * width : (head + 1) * width] for part in projected.chunk(3, dim=-1))
        outputs.append(torch.softmax(query @ key.T / math.sqrt(width), dim=-1) @ value)
    return torch.cat(outputs, dim=-1) @ state[f"{name}.out_proj.weight"].T + state[f"{name}.out_proj.bias"]


def by_hand(window: Any, state: dict[str, Any], *, n_layers: int, n_heads: int) -> Any:
    """Logits of one window, written out from the paper's section IV and the release's constants."""
    skips = []
    for level in range(5):
        skips.append(functional.elu(convolved(window, state, f"encoder.convs.{level}")))
        window = torch.maximum(skips[-1][:, 0::2], skips[-1][:, 1::2])
    for block in (f"res_cnn_stack.members.{i}" for i in range(7)):
        inner = convolved(normalised(window, state, f"{block}.norm1").clamp(min=0), state, f"{block}.conv1")
        window = window + convolved(normalised(inner, state, f"{block}.norm2").clamp(min=0), state, f"{block}.conv2")
    width, n_tokens = window.shape
    places = [
        [(math.cos if i % 2 else math.sin)(place / 10000 ** (i // 2 * 2 / width)) for i in range(width)]
        for place in range(n_tokens)
    ]
    tokens = window.T + torch.tensor(places)
    for layer in (f"transformer_encoder.layers.{i}" for i in range(n_layers)):
        tokens = layer_normed(tokens + attended(tokens, state, f"{layer}.self_attn", n_heads), state, f"{layer}.norm1")
        hidden = (tokens @ state[f"{layer}.linear1.weight"].T + state[f"{layer}.linear1.bias"]).clamp(min=0)
        tokens = tokens + hidden @ state[f"{layer}.linear2.weight"].T + state[f"{layer}.linear2.bias"]
        tokens = layer_normed(tokens, state, f"{layer}.norm2")
    signal = tokens.T + window
    for level in range(5):
        signal = functional.elu(convolved(signal.repeat_interleave(2, dim=1), state, f"decoder_d.convs.{level}"))
        signal = signal + skips[-1 - level]
    return convolved(signal, state, "conv_d")[0]


def test_the_network_is_what_the_paper_says() -> None:
    net = small()
    windows = torch.randn(2, 19, 32 * 24)
    with torch.no_grad():
        found = net(windows)
        expected = [by_hand(window, net.state_dict(), n_layers=2, n_heads=4) for window in windows]
    torch.testing.assert_close(found, torch.stack(expected), rtol=0, atol=1e-5)


def test_the_full_network_gives_a_logit_per_sample() -> None:
    with torch.device("meta"):
        assert network.SeizureTransformer().eval()(torch.empty(3, 19, WINDOW)).shape == (3, WINDOW)


@pytest.mark.parametrize("n_samples", [31, 15361, 32 * 6001])
def test_lengths_that_do_not_fit_are_refused(n_samples: int) -> None:
    with pytest.raises(ValueError, match=rf"expected a multiple of 32 samples, at most 192000, got {n_samples}"):
        small()(torch.zeros(1, 19, n_samples))


def test_each_window_and_sample_has_a_gradient() -> None:
    windows = torch.randn(2, 19, WINDOW, requires_grad=True)
    (gradient,) = torch.autograd.grad(small()(windows)[0].sum(), windows)
    assert bool((gradient[0].abs().amax(dim=0) > 0).all())
    assert not gradient[1].any()


def test_dropout_is_where_the_release_has_it() -> None:
    with torch.device("meta"):
        net = network.SeizureTransformer()
    found = {
        name: part.p for name, part in net.named_modules() if isinstance(part, torch.nn.modules.dropout._DropoutNd)
    }
    layers = ["transformer_encoder_layer", *(f"transformer_encoder.layers.{i}" for i in range(8))]
    expected = {f"{layer}.{name}" for layer in layers for name in ("dropout", "dropout1", "dropout2")}
    expected |= {f"res_cnn_stack.members.{i}.dropout" for i in range(7)} | {"position_encoding.dropout"}
    assert set(found) == expected
    assert set(found.values()) == {0.1}
    assert {net.get_submodule(f"{layer}.self_attn").dropout for layer in layers} == {0.1}
