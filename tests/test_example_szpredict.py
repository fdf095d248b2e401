"""The prediction baselines: the network against the specification, the simple ones against closed forms, training."""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from example_modules import EXAMPLES, load_example
from tiny import make_eeg, write_edf

from pytest_robustseiz.adapters.prediction import PredictionAdapter, as_classes
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.events import write_events
from pytest_robustseiz.montage import DOUBLE_BANANA
from pytest_robustseiz.predictioncase import stretch_of
from pytest_robustseiz.protocols import fixed_split
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.scoring import Stretch, prediction_counts, subject_labels
from pytest_robustseiz.shifts import ELECTRODES
from pytest_robustseiz.training import read_training_subjects
from pytest_robustseiz.trainingset import TrainingSet

torch = pytest.importorskip("torch")
baselines = load_example("szpredict", "baselines")
fitting = load_example("szpredict", "fitting")
train = load_example("szpredict", "train")

Floats = npt.NDArray[np.float32]

# Onset at 430 s: interictal to 130 s, preictal to 430 s, ictal to 470 s; the last 30 s are excluded.
DURATION_S = 500
SEIZURE = (430.0, 470.0)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two training subjects, one for validation, one for the test; waves of 20 Hz before the seizure."""
    folder = tmp_path_factory.mktemp("corpus")
    time_s = np.arange(DURATION_S * 256) / 256
    before = (time_s >= SEIZURE[0] - 300) & (time_s < SEIZURE[0])
    for number in (1, 3, 4, 2):
        eeg = make_eeg([SEIZURE], DURATION_S, seed=number)
        eeg[4:9, before] += 15 * np.sin(2 * np.pi * 20 * time_s[before])
        write(folder, f"sub-{number:02d}", 0, eeg, [SEIZURE])
    return folder


def write(folder: Path, subject: str, run: int, eeg: np.ndarray, seizures: Sequence[tuple[float, float]]) -> None:
    stem = folder / subject / "ses-01" / "eeg" / f"{subject}_ses-01_task-szMonitoring_run-{run:02d}"
    write_edf(stem.with_name(f"{stem.name}_eeg.edf"), eeg)
    start = datetime(2000, 1, 1, run)
    write_events(stem.with_name(f"{stem.name}_events.tsv"), seizures, recording_s=eeg.shape[1] / 256, start=start)


def recordings(folder: Path, part: str) -> TrainingSet:
    return TrainingSet([files for one in fixed_split(discover(folder), part) for files in one.recordings])


def noise(n_samples: int, *, seed: int = 1, n_channels: int = 19) -> Floats:
    return np.random.default_rng(seed).normal(scale=30, size=(n_channels, n_samples)).astype(np.float32)


# Filters, kernel and inputs of each convolution, and the sizes of the linear layers, from the specification.
@pytest.mark.parametrize("n_channels", [18, 19])
def test_the_network_is_that_of_the_specification(n_channels: int) -> None:
    network = baselines.Cnn(n_channels)
    shapes = {name: tuple(values.shape) for name, values in network.named_parameters() if values.ndim > 1}
    assert list(shapes.values()) == [
        (32, n_channels, 7),
        (64, 32, 5),
        (64, 64, 3),
        (64, 64 * 32),
        (3, 64),
    ]
    weights = 32 * n_channels * 7 + 64 * 32 * 5 + 64 * 64 * 3 + 64 * 2048 + 3 * 64
    others = (32 + 64 + 64 + 64 + 3) + 2 * (32 + 64 + 64)  # biases, and scale and shift of each batch normalisation
    assert sum(values.numel() for values in network.parameters()) == weights + others
    assert [part.p for part in network if isinstance(part, torch.nn.Dropout)] == [0.3]
    assert network(torch.zeros(5, n_channels, 256)).shape == (5, 3)


def test_the_network_computes_what_its_layers_say() -> None:
    torch.manual_seed(0)
    network = baselines.Cnn(19)
    network(torch.randn(64, 19, 256) * 20)  # moves the statistics of the batch normalisations
    network.eval()
    functional, held, windows = torch.nn.functional, list(network.state_dict().values()), torch.randn(4, 19, 256) * 20
    signal = windows
    for place, padding in ((0, 3), (7, 2), (14, 1)):
        weight, bias, scale, shift, mean, variance, _ = held[place : place + 7]
        signal = functional.conv1d(signal, weight, bias, padding=padding)
        signal = (signal - mean[:, None]) / torch.sqrt(variance + 1e-5)[:, None] * scale[:, None] + shift[:, None]
        signal = torch.clamp(signal, min=0)
        signal = torch.maximum(signal[..., 0::2], signal[..., 1::2])
    hidden = torch.clamp(signal.reshape(4, -1) @ held[21].T + held[22], min=0)
    expected = hidden @ held[23].T + held[24]
    torch.testing.assert_close(network(windows), expected, rtol=1e-4, atol=1e-4)


def test_a_constant_factor_makes_no_difference_to_training() -> None:
    torch.manual_seed(0)
    network = baselines.Cnn(19).train()
    network.get_submodule("12").p = 0.0
    windows = torch.randn(64, 19, 256) * 20
    torch.testing.assert_close(network(windows), network(windows * 0.02), rtol=1e-3, atol=1e-3)


def test_windows_are_raw_microvolts() -> None:
    eeg = noise(3 * 256 + 100)
    windows = baselines.CnnPredictor(baselines.Cnn(19)).preprocess(torch.as_tensor(eeg), 256.0, ELECTRODES)
    assert len(windows) == 4  # the last is not scored
    np.testing.assert_array_equal(windows[1:2][0], eeg[:, 256:512])


@pytest.mark.parametrize("n_samples, n_windows", [(100, 0), (256, 1), (511, 1), (768, 3)])
@pytest.mark.parametrize("make", [baselines.RandomPredictor, baselines.MajorityPredictor, None])
def test_one_class_for_each_whole_second(make: Any, n_samples: int, n_windows: int) -> None:
    predictor = make() if make else baselines.CnnPredictor(baselines.Cnn(19))
    assert isinstance(predictor, PredictionAdapter)
    assert len(as_classes(predictor.predict(noise(n_samples), 256.0, ELECTRODES), n_windows)) == n_windows


def test_the_network_takes_either_montage_and_says_which() -> None:
    electrodes, pairs = (baselines.CnnPredictor(baselines.Cnn(n)) for n in (19, 18))
    assert (electrodes.montages, pairs.montages) == (("unipolar",), ("bipolar",))
    assert pairs.predict(noise(512, n_channels=18), 256.0, DOUBLE_BANANA).shape == (2,)
    with pytest.raises(ValueError, match=r"channels: szpredict-cnn was trained on Fp1, F3, .*, got F3, Fp1"):
        electrodes.predict(noise(512), 256.0, ("F3", "Fp1", *ELECTRODES[2:]))
    with pytest.raises(ValueError, match=r"sfreq: szpredict-cnn expects 256 Hz, got 250"):
        electrodes.predict(noise(512), 250.0, ELECTRODES)


def scored(predictor: Any, n_interictal_s: int) -> Any:
    """Counts on a recording with one seizure of 100 s, its five preictal minutes and interictal time before them."""
    labels = subject_labels([Stretch(0.0, n_interictal_s + 400.0, ((n_interictal_s + 300.0, n_interictal_s + 400.0),))])
    eeg = noise((n_interictal_s + 400) * 256, n_channels=2)
    return prediction_counts(labels, [predictor.predict(eeg, 256.0, ("Fp1", "F3"))])


def test_majority_is_degenerate() -> None:
    counts = scored(baselines.MajorityPredictor(), 3600)
    scores = counts.scores
    assert (scores.sensitivity, scores.specificity, scores.balanced_accuracy) == (0.0, 1.0, pytest.approx(1 / 3))
    assert scores.f1_macro == pytest.approx(2 * 3600 / (3600 + 4000) / 3)
    assert (scores.degenerate, scores.degenerate_class) == (True, "interictal")
    assert (counts.miss_rate, counts.fpr_per_h) == (1.0, 0.0)


def test_random_is_at_chance() -> None:
    counts = scored(baselines.RandomPredictor(), 3600)
    scores = counts.scores
    for part, total in zip(scores.per_class, (3600, 300, 100), strict=True):
        assert part.total == total
        assert part.accuracy == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / total))
    assert scores.sensitivity == pytest.approx(2 / 3, abs=4 * math.sqrt(2 / 9 / 400))
    assert scores.specificity == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / 3600))
    # An alarm starts with a warning (2/3) after a window without (1/3).
    assert counts.fpr_per_h == pytest.approx(3600 * 2 / 9, rel=0.1)
    assert not scores.degenerate


def test_random_follows_from_seed_and_content_alone() -> None:
    first, second = noise(100 * 256), noise(100 * 256, seed=2)
    predictor, again = baselines.RandomPredictor(), baselines.RandomPredictor()
    classes = predictor.predict(first, 256.0, ELECTRODES)
    other = predictor.predict(second, 256.0, ELECTRODES)
    assert (other != classes).any()
    np.testing.assert_array_equal(again.predict(second, 256.0, ELECTRODES), other)
    np.testing.assert_array_equal(again.predict(first, 256.0, ELECTRODES), classes)
    assert (baselines.RandomPredictor(seed=1).predict(first, 256.0, ELECTRODES) != classes).any()


def test_fingerprints_tell_the_baselines_and_seeds_apart() -> None:
    made = [
        baselines.MajorityPredictor(),
        baselines.RandomPredictor(),
        baselines.RandomPredictor(seed=1),
        baselines.CnnPredictor(baselines.Cnn(19)),
    ]
    assert len({predictor.fingerprint() for predictor in made} - {None}) == 4
    assert baselines.RandomPredictor().fingerprint() == made[1].fingerprint()


def fitted(corpus: Path, **settings: Any) -> Any:
    return fitting.fit(
        recordings(corpus, "train"), recordings(corpus, "val"), patience=3, say=lambda _: None, **settings
    )


def test_a_small_training_learns_and_is_the_same_on_any_number_of_threads(corpus: Path) -> None:
    network = fitted(corpus, epochs=3)
    torch.set_num_threads(2)
    torch.rand(1)
    again = fitted(corpus, epochs=3)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
    for one, two in zip(network.state_dict().values(), again.state_dict().values(), strict=True):
        assert torch.equal(one, two)
    [files] = fixed_split(discover(corpus), "test")[0].recordings
    recording = read_recording(files)
    classes = baselines.CnnPredictor(network).predict(recording.eeg, 256.0, ELECTRODES)
    scores = prediction_counts(subject_labels([stretch_of(recording)]), [classes]).scores
    assert [part.total for part in scores.per_class] == [130, 300, 40]
    assert scores.balanced_accuracy > 0.6


def test_another_seed_gives_other_weights(corpus: Path) -> None:
    one, two = (fitting.fit(recordings(corpus, "val"), None, epochs=1, seed=seed, say=str) for seed in (0, 1))
    assert not torch.equal(one.state_dict()["0.weight"], two.state_dict()["0.weight"])


def test_the_first_of_the_best_epochs_is_kept(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([0.4, 0.6, 0.5, 0.6, 0.9])
    seen: list[Any] = []
    said: list[str] = []

    def balanced_accuracy(network: Any, validation: TrainingSet) -> float:
        assert validation.subjects == ("sub-04",)
        seen.append(network.state_dict()["0.weight"].clone())
        return next(scores)

    monkeypatch.setattr(fitting, "balanced_accuracy", balanced_accuracy)
    monkeypatch.setattr(fitting, "batches", lambda *_: iter([(torch.randn(64, 19, 256), torch.arange(64) % 3)]))
    network = fitting.fit(recordings(corpus, "train"), recordings(corpus, "val"), patience=2, say=said.append)
    assert len(seen) == 4
    assert torch.equal(network.state_dict()["0.weight"], seen[1])
    assert said[-1] == "kept epoch 2"


def test_balanced_accuracy_of_a_network_that_says_interictal(corpus: Path) -> None:
    network = baselines.Cnn(19)
    with torch.no_grad():
        network.get_submodule("16").weight.zero_()
        network.get_submodule("16").bias.copy_(torch.tensor([1.0, 0.0, 0.0]))
    assert fitting.balanced_accuracy(network, recordings(corpus, "val")) == pytest.approx(1 / 3)


def test_an_epoch_has_every_learnable_window_once_mixed(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "POOL", 300)
    training = recordings(corpus, "train")
    expected = {}
    for one in training:
        for second in np.flatnonzero(one.labels.labels != -1):
            window = one.recording.eeg[:, second * 256 : (second + 1) * 256]
            expected[window.tobytes()] = int(one.labels.labels[second])
    assert len(expected) == 2 * 470
    found: dict[bytes, int] = {}
    for windows, classes in fitting.batches(training, ELECTRODES, np.random.default_rng(0)):
        assert windows.shape[1:] == (19, 256)
        assert len(windows) <= 64
        found |= {window.numpy().tobytes(): int(label) for window, label in zip(windows, classes, strict=True)}
    assert found == expected


def test_recordings_with_other_channels_are_named(corpus: Path) -> None:
    with pytest.raises(ValueError, match=r"sub-0\d_.*_eeg\.edf: expected the channels Fp1-F3, .*, got Fp1, F3, "):
        list(fitting.batches(recordings(corpus, "train"), DOUBLE_BANANA, np.random.default_rng(0)))


def test_nothing_to_learn_from_is_an_error(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "batches", lambda *_: iter([]))
    with pytest.raises(ValueError, match="training: no window to learn from"):
        fitting.fit(recordings(corpus, "train"), None)


def test_subjects_are_held_out_whole(corpus: Path) -> None:
    everybody = TrainingSet([files for subject in discover(corpus) for files in subject.recordings])
    training, validation = fitting.hold_out(everybody)
    assert (training.subjects, validation.subjects) == (("sub-01", "sub-02", "sub-03"), ("sub-04",))
    assert fitting.hold_out(recordings(corpus, "val"))[1] is None


def test_training_opens_no_file_of_a_test_subject(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    for path in corpus.rglob("*.*"):
        copy = tree / path.relative_to(corpus)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(b"nobody may read this" if "sub-02" in path.name else path.read_bytes())
    assert [subject.name for subject in fixed_split(discover(tree), "test")] == ["sub-02"]
    weights = tmp_path / "cnn.pt"
    train.main([str(tree), str(weights), "--epochs=1"])
    said = capsys.readouterr().out
    assert "training: sub-01, sub-03; 2 recordings, seconds 260 interictal, 600 preictal, 80 ictal" in said
    assert "validation: sub-04; 1 recordings" in said
    assert read_training_subjects(tmp_path / "cnn.subjects.txt") == ("sub-01", "sub-03", "sub-04")
    predictor = baselines.CnnPredictor.load(weights)
    assert predictor.montages == ("unipolar",)
    assert predictor.fingerprint() == baselines.CnnPredictor.load(weights).fingerprint()
    with pytest.raises(ValueError, match=r"sub-02.*_eeg\.edf"):
        read_recording(fixed_split(discover(tree), "test")[0].recordings[0])


def test_bad_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected the file .*cnn\.pt, which does not exist; train\.py writes one"):
        baselines.CnnPredictor.load(tmp_path / "cnn.pt")
    torch.save({"linear.weight": torch.zeros(1)}, tmp_path / "cnn.pt")
    with pytest.raises(ValueError, match=r"expected those of a Cnn in .*cnn\.pt, got linear\.weight"):
        baselines.CnnPredictor.load(tmp_path / "cnn.pt")
    torch.save({"0.weight": torch.zeros(32, 19, 7)}, tmp_path / "cnn.pt")
    with pytest.raises(ValueError, match=r"expected those of a Cnn in .*cnn\.pt, got (?s:.*)Missing key"):
        baselines.CnnPredictor.load(tmp_path / "cnn.pt")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for path in (EXAMPLES / "szpredict").glob("*.py"):
        (pytester.path / path.name).write_bytes(path.read_bytes())
    for name in ("SZPREDICT_BASELINE", "SZPREDICT_WEIGHTS"):
        monkeypatch.delenv(name, raising=False)
    return pytester


def run(project: pytest.Pytester, corpus: Path, protocol: int) -> pytest.RunResult:
    options = ["--robustseiz-task=prediction", f"--robustseiz-protocol={protocol}", "--robustseiz-mode=full"]
    return project.runpytest_subprocess(*options, f"--robustseiz-data={corpus}", "-k", "baseline")


def test_majority_is_called_degenerate_in_words(
    project: pytest.Pytester, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SZPREDICT_BASELINE", "majority")
    result = run(project, corpus, 3)
    result.assert_outcomes(passed=3, failed=1)  # it raises no false alarm, loses nothing, and misses everything
    result.stdout.fnmatch_lines(["*miss rate is 1.000*max_miss_rate=0.2*", "THE BASELINE IS DEGENERATE: 100.0%*"])


def test_the_network_needs_weights_for_protocol_3(project: pytest.Pytester, corpus: Path) -> None:
    result = run(project, corpus, 3)
    result.stdout.fnmatch_lines(["*SZPREDICT_WEIGHTS: expected the file that train.py wrote, got nothing*"])
    result.assert_outcomes(errors=4)


def test_an_unknown_baseline_is_refused(
    project: pytest.Pytester, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SZPREDICT_BASELINE", "oracle")
    result = run(project, corpus, 3)
    result.stdout.fnmatch_lines(["*SZPREDICT_BASELINE: expected random, majority or cnn, got 'oracle'*"])


def test_the_network_is_trained_by_the_run_for_protocol_2(project: pytest.Pytester, corpus: Path) -> None:
    settings = (project.path / "conftest.py").read_text(encoding="utf-8").replace("EPOCHS = 10", "EPOCHS = 1")
    (project.path / "conftest.py").write_text(settings, encoding="utf-8")
    result = run(project, corpus, 2)
    result.stdout.fnmatch_lines(["scope: full, 4 subjects, 4 recordings*"])
    assert sum(result.parseoutcomes().values()) >= 2
    assert "errors" not in result.parseoutcomes()
