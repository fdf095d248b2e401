"""The example SeizureTransformer under the plugin, in a small configuration with random weights."""

import csv
import json

import pytest
from example_modules import EXAMPLES, load_example

torch = pytest.importorskip("torch")

EXAMPLE = EXAMPLES / "seizure_transformer"
MODULES = ("seizure_transformer.py", "seizure_transformer_network.py", "test_robustness.py")

SMALL = """
import pytest
import torch
from seizure_transformer import SeizureTransformerAdapter
from seizure_transformer_network import SeizureTransformer

@pytest.fixture(scope="session")
def robustseiz_adapter(robustseiz_device):
    torch.manual_seed(0)
    network = SeizureTransformer(filters=(4, 8, 8, 16, 16), n_layers=1, n_heads=2, n_hidden=16)
    torch.nn.init.constant_(network.conv_d.bias, 1.4)  # near the threshold, so that something is found
    return SeizureTransformerAdapter(network, device=robustseiz_device)
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for name in MODULES:
        (pytester.path / name).write_text((EXAMPLE / name).read_text(encoding="utf-8"), encoding="utf-8")
    return pytester


def test_its_own_tests_run_on_the_demo_corpus(project: pytest.Pytester) -> None:
    project.makeconftest(SMALL)
    options = ["--robustseiz-mode=subset", "--robustseiz-subjects=2", "--robustseiz-data=demo"]
    chosen = "baseline or adc-bits_12 or fgsm-epsilon_0.1-mode_increase"
    result = project.runpytest_subprocess("-k", chosen, *options)
    outcomes = result.parseoutcomes()
    assert "errors" not in outcomes
    assert outcomes["passed"] > 0
    with (project.path / "experiments_results.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["shift"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"baseline", "adc", "fgsm"}
    assert {row["adapter"] for row in rows.values()} == {"seizure-transformer"}
    assert all(0 < float(row["mcd_mean_agreement"]) < 1 for row in rows.values())
    attack = json.loads(rows["fgsm"]["attack_outcome_json"])
    assert attack["verdict"] == "achieved"
    assert attack["without_gradient_share"] == 0


CHECK = """
import pytest

@pytest.fixture(scope="session")
def robustseiz_device():
    return "cpu"

def test_adapter(robustseiz_adapter):
    assert robustseiz_adapter.name == "seizure-transformer"
"""


@pytest.fixture
def shipped(project: pytest.Pytester) -> pytest.Pytester:
    project.makeconftest((EXAMPLE / "conftest.py").read_text(encoding="utf-8"))
    (project.path / "test_robustness.py").unlink()
    project.makepyfile(CHECK)
    return project


def test_conftest_without_weights_is_an_error(shipped: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEIZURE_TRANSFORMER_WEIGHTS", raising=False)
    result = shipped.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*SEIZURE_TRANSFORMER_WEIGHTS: expected the authors' model.pth, got nothing*README.md*"]
    )


def test_conftest_loads_the_weights(shipped: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    with torch.device("meta"):
        shapes = load_example("seizure_transformer", "seizure_transformer_network").SeizureTransformer().state_dict()
    state = {name: torch.zeros((), dtype=value.dtype).expand(value.shape) for name, value in shapes.items()}
    torch.save(state, shipped.path / "model.pth")  # small: each tensor repeats one number
    monkeypatch.setenv("SEIZURE_TRANSFORMER_WEIGHTS", str(shipped.path / "model.pth"))
    shipped.runpytest_subprocess().assert_outcomes(passed=1)
