"""The example detector: the network, its filter, its votes, and what it finds in real EEG."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.signal import butter, filtfilt

from pytest_robustseiz.adapters import Adapter, derive_pairs, find_runs
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import Recording, read_recording

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "eegwavenet"
SFREQ = 256

# Seconds that the published program (esl-epfl/eegwavenet_2021) marks in each recording.
PUBLISHED: dict[str, list[list[float]]] = {
    "sub-emu01": [],
    "sub-icu01": [[21, 44]],
    "sub-icu02": [[0, 7], [16, 20], [26, 41], [43, 46]],
    "sub-icu03": [],
    "sub-icu04": [],
    "sub-icu05": [],
    "sub-icu06": [],
    "sub-icu07": [[0, 46]],
    "sub-icu08": [[0, 46]],
    "sub-icu09": [[0, 7], [10, 21], [23, 37], [45, 46]],
}


def load_example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("eegwavenet", EXAMPLE / "eegwavenet.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["eegwavenet"] = module  # the fingerprint finds the code by this name
    spec.loader.exec_module(module)
    return module


example = load_example()


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def trained(shared_data: Path) -> Any:
    return example.EEGWaveNetAdapter(shared_data / "eegwavenet")


@pytest.fixture(scope="module")
def recordings(shared_data: Path) -> dict[str, Recording]:
    subjects = discover(shared_data / "real-bids")
    return {subject.name: read_recording(subject.recordings[0]) for subject in subjects}


def save_untrained(folder: Path, *, bias: tuple[float, float] | None = None) -> Path:
    torch.manual_seed(0)
    for fold in range(1, 6):
        state = example.EEGWaveNet().state_dict()
        if bias is not None:
            state["classifier.4.bias"] = torch.tensor(bias)
        torch.save(state, folder / f"model_fold_{fold}.pt")
    return folder


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return example.EEGWaveNetAdapter(save_untrained(tmp_path_factory.mktemp("untrained")))


@pytest.fixture(scope="module")
def always(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return example.EEGWaveNetAdapter(save_untrained(tmp_path_factory.mktemp("always"), bias=(-50.0, 50.0)))


def noise(n_samples: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(1).normal(scale=30, size=(len(ELECTRODES), n_samples)).astype(np.float32)


def test_each_fold_holds_its_own_weights(trained: Any, shared_data: Path) -> None:
    held = trained.module.state_dict()
    for fold in range(5):
        path = shared_data / "eegwavenet" / f"model_fold_{fold + 1}.pt"
        for key, value in torch.load(path, weights_only=True).items():
            assert torch.equal(held.pop(f"{fold}.{key}"), value)
    assert held == {}


def test_missing_weights_are_named(tmp_path: Path) -> None:
    (save_untrained(tmp_path) / "model_fold_3.pt").unlink()
    with pytest.raises(ValueError, match=r"expected the file .*model_fold_3\.pt, which does not exist; README"):
        example.EEGWaveNetAdapter(tmp_path)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    torch.save({"linear.weight": torch.zeros(1)}, save_untrained(tmp_path) / "model_fold_2.pt")
    with pytest.raises(ValueError, match=r"an EEGWaveNet in .*model_fold_2\.pt, got (?s:.*)linear\.weight"):
        example.EEGWaveNetAdapter(tmp_path)


def test_fingerprint_follows_the_weights(untrained: Any, always: Any, tmp_path: Path) -> None:
    assert isinstance(untrained, Adapter)
    again = example.EEGWaveNetAdapter(save_untrained(tmp_path), batch_size=3)
    assert untrained.fingerprint() == again.fingerprint()
    assert untrained.fingerprint() not in (None, always.fingerprint())


def test_lowpass_agrees_with_scipy() -> None:
    signal = noise(5000)[0].astype(np.float64)
    expected = filtfilt(*butter(4, 64, fs=SFREQ), signal)
    np.testing.assert_allclose(example.lowpass(signal), expected, rtol=0, atol=1e-9)


def test_lowpass_halves_its_corner_without_delay() -> None:
    time_s = np.arange(20 * SFREQ) / SFREQ
    corner = np.sin(2 * np.pi * 64 * time_s + 0.3)  # 3 dB forwards and 3 dB backwards
    middle = slice(5 * SFREQ, 15 * SFREQ)
    np.testing.assert_allclose(example.lowpass(corner)[middle], corner[middle] / 2, atol=1e-6)


@pytest.mark.parametrize("n_samples", [1, 2, 15, 16])
def test_lowpass_keeps_a_short_constant(n_samples: int) -> None:
    np.testing.assert_allclose(example.lowpass(np.full(n_samples, 100.0)), 100.0, rtol=1e-9)


def test_windows_hold_the_filtered_pairs(untrained: Any) -> None:
    eeg = noise(6 * SFREQ)
    windows = untrained.preprocess(torch.as_tensor(eeg.copy()), 256.0, ELECTRODES)[0:3]
    row = {name: eeg[i].astype(np.float64) for i, name in enumerate(ELECTRODES)}
    expected = filtfilt(*butter(4, 64, fs=SFREQ), row["Fz"] - row["Cz"])
    assert windows.shape == (3, 18, 1024)
    np.testing.assert_allclose(windows[2, DOUBLE_BANANA.index("Fz-Cz")], expected[512:1536], atol=1e-3)


@pytest.mark.parametrize("sfreq", [250.0, 512.0])
def test_other_rates_are_refused(untrained: Any, sfreq: float) -> None:
    with pytest.raises(ValueError, match=rf"sfreq: expected 256 Hz, which the weights are for, got {sfreq}"):
        untrained.detect(noise(2000), sfreq, ELECTRODES)


def vote_by_counting(says_seizure: npt.NDArray[np.bool_], n_seconds: int) -> list[bool]:
    answer = []
    for second in range(n_seconds - 4):
        networks = 0
        for network in range(5):
            neighbours = [bool(says_seizure[window, network]) for window in (second - 1, second) if window >= 0]
            networks += 2 * sum(neighbours) > len(neighbours)
        answer.append(networks >= 3)
    return answer


@st.composite
def decided(draw: st.DrawFn) -> tuple[npt.NDArray[np.float64], int]:
    """Logits of all windows of a recording, none of them zero, and the recording's length in samples."""
    n_seconds, rest = draw(st.integers(0, 12)), draw(st.integers(0, SFREQ - 1))
    n_samples = max(n_seconds * SFREQ + rest, 1)
    n_windows = 1 + max(0, -(-(n_samples - 1024) // SFREQ))
    sizes = st.floats(0.001, 20) | st.floats(-20, -0.001)
    return draw(arrays(np.float64, (n_windows, 5), elements=sizes)), n_samples


@settings(deadline=None)
@given(decided())
def test_median_of_the_lesser_is_the_published_vote(untrained: Any, case: tuple[npt.NDArray[np.float64], int]) -> None:
    logits, n_samples = case
    probabilities = torch.sigmoid(torch.as_tensor(logits).float()).numpy()
    mask = untrained.postprocess(probabilities, n_samples, 256.0)
    seconds = vote_by_counting(logits > 0, n_samples // SFREQ)
    expected = np.zeros(n_samples, dtype=bool)
    expected[: len(seconds) * SFREQ] = np.repeat(np.array(seconds, dtype=bool), SFREQ)
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, expected)


def test_votes_by_hand(untrained: Any) -> None:
    says = [  # one row per window, one column per network
        [1, 1, 1, 0, 0],  # second 0: window 0 alone, three networks
        [0, 0, 1, 1, 1],  # second 1: most networks in each window, but only one in both
        [0, 1, 1, 1, 1],  # second 2: three networks in both
        [1, 1, 1, 1, 0],  # second 3: three networks in both
        [0, 0, 0, 0, 0],  # second 4: none
        [1, 1, 1, 1, 1],  # not judged: the recording ends with this window
    ]
    mask = untrained.postprocess(np.array(says, dtype=np.float32), 9 * SFREQ, 256.0)
    assert find_runs(mask).tolist() == [[0, 256], [512, 1024]]


@pytest.mark.parametrize(
    "n_samples, n_marked",
    [(1, 0), (15, 0), (1023, 0), (1024, 0), (1279, 0), (1280, 256), (1281, 256), (1536, 512), (2815, 1536)],
)
def test_the_last_four_seconds_are_not_judged(always: Any, n_samples: int, n_marked: int) -> None:
    mask = always.detect(noise(n_samples), 256.0, ELECTRODES)
    assert mask.shape == (n_samples,)
    assert mask[:n_marked].all()
    assert not mask[n_marked:].any()


def test_every_network_has_a_logit_and_a_gradient(untrained: Any) -> None:
    windows = torch.randn(3, 18, 1024, requires_grad=True)
    logits = untrained.logits(windows)
    assert logits.shape == (3, 5)
    for network in range(5):
        (gradient,) = torch.autograd.grad(logits[:, network].sum(), windows, retain_graph=True)
        assert (gradient.abs().amax(dim=(1, 2)) > 0).all()


def runs_s(adapter: Any, recording: Recording) -> list[list[float]]:
    mask = adapter.detect(recording.eeg.copy(), recording.sfreq, recording.channels)
    runs: list[list[float]] = (find_runs(mask) / SFREQ).tolist()
    return runs


@pytest.mark.parametrize("subject", PUBLISHED)
def test_finds_what_the_published_program_finds(trained: Any, recordings: dict[str, Recording], subject: str) -> None:
    assert runs_s(trained, recordings[subject]) == PUBLISHED[subject]


def test_absences_are_missed_among_false_alarms(trained: Any, recordings: dict[str, Recording]) -> None:
    recording = recordings["sub-absence01"]
    runs = runs_s(trained, recording)
    assert len(runs) == 53
    assert sum(stop - start for start, stop in runs) == 722
    hits = [run for run in runs for start, stop in recording.seizures if run[0] < stop and run[1] > start]
    assert hits == []


def test_no_recording_is_left_out(recordings: dict[str, Recording]) -> None:
    assert sorted(recordings) == sorted([*PUBLISHED, "sub-absence01"])


def test_pairs_and_electrodes_give_the_same_mask(trained: Any, recordings: dict[str, Recording]) -> None:
    recording = recordings["sub-icu09"]
    names = DOUBLE_BANANA[::-1]
    pairs = derive_pairs(recording.eeg, recording.channels, names)
    expected = trained.detect(recording.eeg.copy(), 256.0, recording.channels)
    np.testing.assert_array_equal(trained.detect(pairs, 256.0, names), expected)


@pytest.mark.parametrize("batch_size", [1, 7])
def test_batches_do_not_matter(
    trained: Any, shared_data: Path, recordings: dict[str, Recording], batch_size: int
) -> None:
    recording = recordings["sub-icu02"]
    other = example.EEGWaveNetAdapter(shared_data / "eegwavenet", batch_size=batch_size)
    assert runs_s(other, recording) == PUBLISHED["sub-icu02"]
    given_eeg = (recording.eeg.copy(), recording.sfreq, recording.channels)
    np.testing.assert_allclose(other.probabilities(*given_eeg), trained.probabilities(*given_eeg), atol=1e-5)


CONFTEST_CHECK = """
import pytest

@pytest.fixture(scope="session")
def robustseiz_device():
    return "cpu"

def test_adapter(robustseiz_adapter):
    assert robustseiz_adapter.name == "eegwavenet"
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in ("eegwavenet.py", "conftest.py"):
        (pytester.path / name).write_text((EXAMPLE / name).read_text(encoding="utf-8"), encoding="utf-8")
    pytester.makepyfile(CONFTEST_CHECK)
    return pytester


def test_conftest_without_weights_is_an_error(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EEGWAVENET_WEIGHTS", raising=False)
    result = project.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*EEGWAVENET_WEIGHTS: expected a folder with model_fold_1.pt*got nothing*README.md*"])


def test_conftest_loads_the_weights(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EEGWAVENET_WEIGHTS", str(save_untrained(project.mkdir("weights"))))
    project.runpytest_subprocess().assert_outcomes(passed=1)
