"""The example detector in ONNX: against the functions of the package that its weights come from."""

import hashlib
import importlib.metadata
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from test_plugin import options, rows

from pytest_robustseiz.adapters import Adapter, find_runs
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.demo_corpus import make_demo_corpus
from pytest_robustseiz.recording import Recording, read_recording
from pytest_robustseiz.shifts import ELECTRODES

pytest.importorskip("onnxruntime")
seizure = pytest.importorskip("brainmaze_eeg_models.seizure")

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "brainmaze"
SFREQ = 256
CLIPS = ("sub-emu01", "sub-icu01", "sub-icu07")


def load_example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("brainmaze_seizure", EXAMPLE / "brainmaze_seizure.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["brainmaze_seizure"] = module  # the fingerprint finds the code by this name
    spec.loader.exec_module(module)
    return module


example = load_example()


@pytest.fixture(scope="module", params=["modelA", "modelB"])
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def adapter(model: str) -> Any:
    return example.BrainmazeAdapter(model)


def noise(n_samples: int, *, n_channels: int = 2, seed: int = 1) -> npt.NDArray[np.float32]:
    """White noise with waves of 3 Hz, which the networks take for a seizure here and there."""
    rng = np.random.default_rng(seed)
    time_s = np.arange(n_samples) / SFREQ
    waves = 80 * np.sin(2 * np.pi * 3 * time_s) * (np.sin(2 * np.pi * time_s / 97) > 0.6)
    return np.asarray(rng.normal(scale=20, size=(n_channels, n_samples)) + waves, dtype=np.float32)


def published(eeg: npt.NDArray[np.float32], model: str, **settings: Any) -> npt.NDArray[np.float64]:
    """What the package's own function says of each channel; it gives NaN where it says nothing."""
    network = seizure.load_trained_model(model, threads=1)
    found = [seizure.predict_channel_seizure_probability(row, SFREQ, network, **settings)[1] for row in eeg]
    return np.asarray(np.nan_to_num(np.array(found)), dtype=np.float64)


def of_whole(eeg: npt.NDArray[np.float32], model: str) -> npt.NDArray[np.float64]:
    """The package's function on a recording that is one window."""
    whole_s = eeg.shape[1] // (SFREQ // 2) / 2
    return published(eeg, model, window_s=whole_s, step_s=0.5, discard_edges_s=0)


def by_channel(adapter: Any, eeg: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    found: npt.NDArray[np.float32] = adapter.by_channel(
        adapter.probabilities(eeg, float(SFREQ), ELECTRODES), eeg.shape[1], float(SFREQ)
    )
    return found


def test_each_window_gets_what_the_package_gives_it(adapter: Any, model: str) -> None:
    eeg = noise(345 * SFREQ)
    found = adapter.probabilities(eeg, float(SFREQ), ELECTRODES)
    starts_s = [0, 20, 40, 45]  # the last is off the grid and ends with the recording
    windows = np.stack([row[start * SFREQ : (start + 300) * SFREQ] for row in eeg for start in starts_s])
    expected = seizure.infer_seizure_probability(seizure.preprocess_input(windows, SFREQ), model)
    assert found.shape == expected.shape == (8, 599)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert expected.max() > 0.5 > expected.min()


# One window; one and a rest that is no window; several, on the grid and off it; an odd number of samples.
@pytest.mark.parametrize("n_samples", [300 * SFREQ, 300 * SFREQ + 100, 320 * SFREQ, 345 * SFREQ, 333 * SFREQ + 77])
def test_a_channel_gets_what_the_package_gives_it(adapter: Any, model: str, n_samples: int) -> None:
    eeg = noise(n_samples)
    np.testing.assert_allclose(by_channel(adapter, eeg), published(eeg, model), atol=1e-6)


@pytest.mark.parametrize("n_samples", [2 * SFREQ, 30 * SFREQ + 3, 299 * SFREQ])
def test_a_short_recording_is_one_window(adapter: Any, model: str, n_samples: int) -> None:
    eeg = noise(n_samples)
    np.testing.assert_allclose(by_channel(adapter, eeg), of_whole(eeg, model), atol=1e-6)


@pytest.mark.parametrize("level", [0.0, 100.0, -33.3])
def test_what_is_flat_is_no_seizure(adapter: Any, model: str, level: float) -> None:
    eeg = noise(333 * SFREQ)
    eeg[0, 60 * SFREQ : 75 * SFREQ + 50] = level
    eeg[0, -12 * SFREQ :] = level
    eeg[1] = level
    found = by_channel(adapter, eeg)
    np.testing.assert_allclose(found, published(eeg, model), atol=1e-6)
    assert not found[1].any()
    assert not found[0, 121:150].any()
    assert found[0, 120] > 0


def test_a_single_second_with_a_signal_is_not_divided_by_its_spread(adapter: Any, model: str) -> None:
    eeg = np.zeros((1, 30 * SFREQ), np.float32)
    eeg[0, : SFREQ // 2] = noise(SFREQ // 2, n_channels=1)
    found = by_channel(adapter, eeg)
    np.testing.assert_allclose(found, of_whole(eeg, model), atol=1e-6)
    assert np.count_nonzero(found) == 1


def test_other_steps_give_what_the_package_gives(model: str) -> None:
    class Sparse(example.BrainmazeAdapter):  # type: ignore[misc,name-defined]
        window_s = 60.0
        step_s = 25.5
        edge_s = 4.0

    eeg = noise(200 * SFREQ)
    expected = published(eeg, model, window_s=60, step_s=25.5, discard_edges_s=4)
    np.testing.assert_allclose(by_channel(Sparse(model), eeg), expected, atol=1e-6)


def test_gain_and_offset_do_not_matter(adapter: Any) -> None:
    eeg = noise(30 * SFREQ)
    np.testing.assert_allclose(by_channel(adapter, 3 * eeg + 500), by_channel(adapter, eeg), atol=1e-3)


def test_the_mask_follows_the_highest_channel(adapter: Any) -> None:
    n_samples = 10 * SFREQ + 100
    halves = np.zeros((3, 20), np.float32)
    halves[0, 4:9] = 0.6  # around 2.0 s to 4.0 s
    halves[2, 9:11] = 0.7
    halves[1, 15] = 0.9  # for half a second
    timeline = adapter.timeline(halves[:, 1:20].reshape(3, -1), n_samples, 256.0)
    assert timeline.shape == (n_samples,)
    mask = adapter.postprocess(halves[:, 1:20].reshape(3, -1), n_samples, 256.0)
    assert find_runs(mask).tolist() == [[4 * 128 - 64, 11 * 128 - 64]]
    np.testing.assert_array_equal(timeline[15 * 128 - 64 : 16 * 128 - 64], np.float32(0.9))
    assert timeline[20 * 128 - 64 :].max() == 0  # no second is centred on what is left


@pytest.mark.parametrize("sfreq, got", [(199.0, "199"), (198.0, "198"), (257.0, "257"), (250.5, "250.5")])
def test_other_rates_are_refused(adapter: Any, sfreq: float, got: str) -> None:
    with pytest.raises(ValueError, match=rf"^sfreq: expected an even number of Hz, 200 or more, got {got}; resample"):
        adapter.detect(noise(3000), sfreq, ELECTRODES)


def test_too_short_a_recording_is_refused(adapter: Any) -> None:
    with pytest.raises(ValueError, match=r"^eeg: expected 2 s or more, got 1\.99609 s$"):
        adapter.detect(noise(2 * SFREQ - 1), 256.0, ELECTRODES)


def test_the_models_are_told_apart() -> None:
    one, two = example.BrainmazeAdapter("modelA"), example.BrainmazeAdapter("modelB")
    assert isinstance(one, Adapter)
    assert (one.name, two.name) == ("brainmaze-modelA", "brainmaze-modelB")
    assert one.fingerprint() not in (None, two.fingerprint())
    assert one.fingerprint() == example.BrainmazeAdapter("modelA", batch_size=3).fingerprint()


def test_the_weights_are_those_of_the_package(model: str) -> None:
    file, digest = seizure.TRAINED_MODELS[model]
    path = example.find_weights(model)
    assert path.name == file
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest


def test_unknown_models_are_refused() -> None:
    with pytest.raises(ValueError, match="model: expected one of modelA, modelB, got 'modelC'"):
        example.BrainmazeAdapter("modelC")


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(example, "distribution", missing)
    with pytest.raises(ModuleNotFoundError, match=r"pip install brainmaze-eeg-models==0\.1\.0"):
        example.BrainmazeAdapter()


@pytest.mark.parametrize("subject", CLIPS)
def test_real_eeg_gets_what_the_package_gives_it(adapter: Any, model: str, shared_data: Path, subject: str) -> None:
    recording = real(shared_data, subject)
    np.testing.assert_allclose(by_channel(adapter, recording.eeg), of_whole(recording.eeg, model), atol=1e-6)


def real(shared_data: Path, name: str) -> Recording:
    [subject] = [subject for subject in discover(shared_data / "real-bids") if subject.name == name]
    return read_recording(subject.recordings[0])


def test_a_long_real_recording_gets_what_the_package_gives_it(shared_data: Path) -> None:
    """Ten minutes of two channels, with the calibration signal and the impedance check."""
    eeg = real(shared_data, "sub-absence01").eeg[:2, : 600 * SFREQ + 31]
    adapter = example.BrainmazeAdapter("modelA")
    np.testing.assert_allclose(by_channel(adapter, eeg), published(eeg, "modelA"), atol=1e-6)


# The plugin

SUITE = """
def test_pooled(robustseiz_experiment):
    assert robustseiz_experiment.scores.event.duration_s > 0
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in ("brainmaze_seizure.py", "conftest.py"):
        (pytester.path / name).write_text((EXAMPLE / name).read_text(encoding="utf-8"), encoding="utf-8")
    pytester.makepyfile(SUITE)
    return pytester


def run(project: pytest.Pytester, corpus: Path) -> dict[str, str]:
    """Baseline, one shift and one attack over a corpus; the row of the baseline."""
    chosen = ["-k", "baseline or drift or fgsm", "--robustseiz-grid=smoke"]
    result = project.runpytest_subprocess(*chosen, *options(corpus))
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes["skipped"]) == (2, 1)
    result.stdout.fnmatch_lines(["not applicable: fgsm-*: brainmaze-modelA gives no gradients*"])
    found = {row["experiment_name"].partition("-")[0]: row for row in rows(project.path)}
    assert set(found) == {"baseline", "drift"}
    assert found["baseline"]["adapter"] == "brainmaze-modelA"
    assert found["baseline"]["adapter_fingerprint"] == example.BrainmazeAdapter("modelA").fingerprint()
    return found["baseline"]


def test_the_plugin_runs_it(project: pytest.Pytester, tiny_corpus: Path) -> None:
    assert run(project, tiny_corpus)["recordings"] == "3"


def test_the_plugin_runs_it_on_the_demo_corpus(project: pytest.Pytester, tmp_path: Path) -> None:
    corpus = make_demo_corpus(tmp_path / "demo", subjects=[4])
    project.runpytest_subprocess("-k", "baseline", *options(corpus)).assert_outcomes(passed=1)
    [row] = rows(project.path)
    assert row["recordings"] == str(len(discover(corpus)[0].recordings))


def test_the_plugin_runs_it_on_real_eeg(project: pytest.Pytester, shared_data: Path, tmp_path: Path) -> None:
    for name in CLIPS:
        shutil.copytree(shared_data / "real-bids" / name, tmp_path / "clips" / name)
    row = run(project, tmp_path / "clips")
    marked = {}
    for name in CLIPS:
        recording = real(shared_data, name)
        marked[name] = of_whole(recording.eeg, "modelA").max(axis=0) >= 0.5
    # By the package's own function both seizures of the three clips are found, and the third has false alarms.
    assert [bool(mask.any()) for mask in marked.values()] == [True, True, True]
    assert (row["event_tp"], row["event_reference"]) == ("2", "2")
    assert int(row["event_fp"]) >= 1
