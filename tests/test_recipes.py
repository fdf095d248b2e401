"""The recipes of README.md work as they are written there."""

import importlib.util
import os
import re
from pathlib import Path

import numpy as np
import pytest
from test_plugin import options, rows
from tiny import make_eeg

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n# conftest\.py\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RECIPES = {
    "ONNX": "seizure-net",
    "TensorFlow and Keras": "keras-net",
    "scikit-learn": "line-length",
}
RUNTIMES = {
    "ONNX": ["onnx", "onnxruntime"],
    "TensorFlow and Keras": ["keras", "torch"],  # Keras runs on torch here
    "scikit-learn": ["sklearn"],
}

# Windows of a recording that is a whole number of them, each channel to mean 0 and deviation 1, by scipy.
WINDOWS = """
import numpy as np
from scipy.stats import zscore

eeg = np.load("eeg.npy")
windows = zscore(eeg.reshape(19, -1, 60 * 256).transpose(1, 0, 2).astype(np.float64), axis=-1).astype(np.float32)
"""
# Each writes the file that the recipe loads, and what its runtime, called by hand, says of eeg.npy.
MODELS = {
    "ONNX": """
import onnxruntime
from pathlib import Path
from graphs import save_linear
from scipy.special import expit

weights = np.random.default_rng(0).normal(size=(19, 60 * 256)) / 500
save_linear(Path("seizure-net.onnx"), weights)
np.save("expected.npy", expit((windows * weights).sum(axis=(1, 2))))
""",
    "TensorFlow and Keras": """
import keras

keras.utils.set_random_seed(0)
layers = keras.layers
net = keras.Sequential([
    keras.Input((60 * 256, 19)), layers.Conv1D(4, 64, strides=32, activation="relu"), layers.Dropout(0.5),
    layers.GlobalAveragePooling1D(), layers.Dense(1, activation="sigmoid"),
])
net.save("keras-net.keras")
np.save("expected.npy", net.predict(windows.transpose(0, 2, 1), verbose=0)[:, 0])
""",
    "scikit-learn": """
import joblib
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

def features(window):
    steps = np.abs(window[:, 1:] - window[:, :-1]).mean(axis=1)
    return 10 * np.log10(1 + np.concatenate([steps, np.var(window, axis=1)]))

starts = np.arange(0, eeg.shape[1] - 2559, 1280)
found = np.array([features(eeg[:, start : start + 2560].astype(np.float64)) for start in starts])
middle_s = (starts + 1280) / 256
seizure = (middle_s > 20) & (middle_s < 50) | (middle_s > 130) & (middle_s < 160)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(found, seizure)
joblib.dump(model, "line-length.joblib")
np.save("expected.npy", model.predict_proba(found)[:, 1])
""",
}
TESTS = """
import numpy as np
from pytest_robustseiz.shifts import ELECTRODES

def test_pooled(robustseiz_experiment):
    assert robustseiz_experiment.scores.event.duration_s > 0

def test_adapter(robustseiz_adapter):
    np.save("found.npy", robustseiz_adapter.probabilities(np.load("eeg.npy"), 256.0, ELECTRODES))
    assert robustseiz_adapter.fingerprint() is not None
"""


def recipe(name: str) -> str:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"\n### {name}\n")[2]
    [block] = BLOCK.findall(re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0])
    return str(block)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("KERAS_HOME", str(pytester.path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"), prepend=os.pathsep)
    eeg = make_eeg([(20, 50), (130, 160)], 240, seed=5)
    np.save(pytester.path / "eeg.npy", (eeg - eeg.mean(axis=0)).astype(np.float32))
    return pytester


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_does_what_its_runtime_does(project: pytest.Pytester, tiny_corpus: Path, name: str) -> None:
    missing = [module for module in RUNTIMES[name] if importlib.util.find_spec(module) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} is not installed")
    project.makeconftest(recipe(name))
    made = project.runpython(project.makepyfile(make_model=WINDOWS + MODELS[name]))
    assert made.ret == 0
    project.makepyfile(test_a=TESTS)
    result = project.runpytest_subprocess("-k", "baseline or adapter", *options(tiny_corpus))
    result.assert_outcomes(passed=2)
    expected, found = np.load(project.path / "expected.npy"), np.load(project.path / "found.npy").ravel()
    np.testing.assert_allclose(found[: len(expected)], expected, atol=1e-5)
    assert np.ptp(expected) > 1e-3
    [row] = rows(project.path)
    assert row["adapter"] == RECIPES[name]
    if name == "scikit-learn":  # the one that was trained
        assert (row["event_tp"], row["event_fp"], row["event_reference"]) == ("3", "0", "3")
