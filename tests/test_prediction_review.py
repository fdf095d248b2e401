"""What the prediction task must not get wrong: leakage, identities, training that fails, figures that do not apply."""

import dataclasses
import gc
import weakref
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import edfio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from predictions import counts
from test_prediction_runs import PREDICTOR
from trainings import (
    BEGAN,
    DURATION_S,
    Says,
    Trainer,
    models_of,
    runner_of,
    settings_of,
    write_corpus,
    write_recording,
)

from pytest_robustseiz.adapters import Eventizer, ExaminationUnavailable
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter
from pytest_robustseiz.corpus import Subject, discover
from pytest_robustseiz.gates import judge
from pytest_robustseiz.handles import RobustnessCase
from pytest_robustseiz.intervals import DRAWS, FLOOR, draw_positions, figure_interval, loss_interval
from pytest_robustseiz.options import resolve
from pytest_robustseiz.predictioncase import read_stretch
from pytest_robustseiz.protocols import PROTOCOLS, ProtocolError
from pytest_robustseiz.protocolsplits import subjects_tested, trained_on
from pytest_robustseiz.registry import PREDICTION_COLUMNS
from pytest_robustseiz.regression import DIRECTIONS, parse_limits
from pytest_robustseiz.results import CaseResult, Scores, SettingInfo
from pytest_robustseiz.scope import Scope
from pytest_robustseiz.scoretext import degenerate_text, figures_text
from pytest_robustseiz.scoring import PREDICTION_ZERO, PredictionCounts
from pytest_robustseiz.shifts import AWGN, ELECTRODES, FGSM, Baseline
from pytest_robustseiz.store import Store, Wanted
from pytest_robustseiz.tasks import PREDICTION
from pytest_robustseiz.trainedmodels import TrainedModels, TrainingFailed
from pytest_robustseiz.training import TrainingError
from pytest_robustseiz.trainingset import TrainingSet
from pytest_robustseiz.visit import DetectorError
from pytest_robustseiz.workersession import WorkerSession

PLAN: dict[str, list[list[tuple[float, float]]]] = {
    "sub-02": [[(10.0, 18.0)], []],
    "sub-03": [[], [(5.0, 6.0)]],
    "sub-04": [[], [], []],
}


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> tuple[Subject, ...]:
    return write_corpus(tmp_path_factory.mktemp("corpus"), PLAN)


def predicted(models: TrainedModels, runner: Any, subject: str = "sub-03") -> str:
    said: str = runner.case(subject, Baseline(), models, {}).result.recordings[0].predicted
    return said


# Training: how often, on what, and what it leaves behind.


def test_each_model_is_trained_once_however_many_settings_are_pooled(
    subjects: tuple[Subject, ...], tmp_path: Path
) -> None:
    train = Trainer(lambda training: Says(0, " ".join(training.subjects)))
    runner, models = runner_of(subjects, tmp_path), models_of(train, subjects, tmp_path)
    for snr_db in (0.0, 5.0):
        runner.experiment(AWGN(snr_db=snr_db), models, {})
    assert [training.subjects for training in train.calls] == [("sub-02",), ("sub-03",), ("sub-04",)]


@pytest.mark.parametrize(
    "make, first",
    [
        (lambda _: int("no"), "robustseiz_train failed for sub-02, on 1 recordings of 1 subjects: ValueError: invalid"),
        (lambda _: "a model", "robustseiz_train: str is not an adapter: it has no name, montages, predict"),
        (lambda _: None, "robustseiz_train: NoneType is not an adapter"),
    ],
)
def test_training_that_fails_is_not_tried_again(
    subjects: tuple[Subject, ...], tmp_path: Path, make: Any, first: str
) -> None:
    train = Trainer(make)
    runner, models = runner_of(subjects, tmp_path), models_of(train, subjects, tmp_path)
    with pytest.raises(Exception, match=first):
        runner.case("sub-02", Baseline(), models, {})
    for snr_db in (0.0, 5.0):
        with pytest.raises(TrainingFailed, match=f"no model for sub-02, as was said at first: .*{first}"):
            runner.case("sub-02", AWGN(snr_db=snr_db), models, {})
    assert len(train.calls) == 1


def test_a_failure_keeps_nothing_of_what_training_held(subjects: tuple[Subject, ...], tmp_path: Path) -> None:
    held: list[weakref.ref[np.ndarray]] = []

    def train(_: TrainingSet) -> Says:
        windows = np.zeros(1000)
        held.append(weakref.ref(windows))
        raise ValueError("diverged")

    models = models_of(train, subjects, tmp_path)
    with pytest.raises(TrainingFailed, match="diverged"):
        models.model("sub-02")
    gc.collect()
    assert held[0]() is None


def test_failed_cases_keep_no_recordings(tmp_path: Path) -> None:
    held: list[weakref.ref[np.ndarray]] = []

    def compute() -> CaseResult:
        shifted = np.zeros(1000)
        held.append(weakref.ref(shifted))
        try:
            raise ValueError("no answer")
        except ValueError as error:
            raise DetectorError("the predictor failed") from error

    store = Store(tmp_path)
    for number in range(4):
        with pytest.raises(DetectorError, match="the predictor failed"):
            store.get(Wanted(f"key {number}", compute))
    gc.collect()
    assert [reference() is None for reference in held] == [True, True, True, False]  # the last may yet be reported
    with pytest.raises(DetectorError, match="the predictor failed"):
        store.get(Wanted("key 0", compute))
    assert len(held) == 4


def test_models_without_a_fingerprint_are_told_apart(subjects: tuple[Subject, ...], tmp_path: Path) -> None:
    runner = runner_of(subjects, tmp_path)
    quiet, loud = (models_of(lambda _, value=value: Says(value, None), subjects, tmp_path) for value in (0, 1))
    assert predicted(quiet, runner) == "0" * DURATION_S
    assert predicted(loud, runner) == "1" * DURATION_S
    assert quiet.group("sub-03").fingerprint == ""
    assert models_of(lambda _: Says(0, "f"), subjects, tmp_path).group("sub-03").fingerprint == "protocol 1"


@pytest.mark.parametrize("fingerprint, wrap", [("f", True), ("f", False), (None, False)])
def test_a_model_that_is_trained_again_for_another_subject_is_an_error(
    subjects: tuple[Subject, ...], tmp_path: Path, fingerprint: str | None, wrap: bool
) -> None:
    network = {"weights": ""}

    class Wrapper(Says):
        def fingerprint(self) -> str | None:
            return fingerprint and fingerprint + network["weights"]

    only = Wrapper(0, None)

    def train(training: TrainingSet) -> Says:
        network["weights"] = training.subjects[0]
        return Wrapper(0, None) if wrap else only

    models = models_of(train, subjects, tmp_path, protocol="2")
    models.model("sub-02")
    with pytest.raises(ProtocolError, match="training for sub-03 changed an earlier model; build a new one each time"):
        models.model("sub-03")
    for subject in ("sub-02", "sub-03"):
        with pytest.raises(TrainingFailed, match=f"no model for {subject}, .*training for sub-03 changed an earlier"):
            models.model(subject)


def test_a_model_that_learns_nothing_may_serve_all(subjects: tuple[Subject, ...], tmp_path: Path) -> None:
    only = Says(0, "always interictal")
    models = models_of(lambda _: only, subjects, tmp_path)
    assert {id(models.model(subject)) for subject in PLAN} == {id(only)}


def test_models_of_different_names_are_an_error(subjects: tuple[Subject, ...], tmp_path: Path) -> None:
    models = models_of(lambda one: Says(0, "f", name=f"cnn of {one.subjects[0]}"), subjects, tmp_path)
    models.identity("sub-02")
    with pytest.raises(ProtocolError, match="'cnn of sub-02' for sub-02 and 'cnn of sub-03' for sub-03; give the"):
        models.identity("sub-03")


def test_workers_hold_training_to_be_reproducible(subjects: tuple[Subject, ...], tmp_path: Path) -> None:
    shared = tmp_path / "told"
    first = models_of(lambda _: Says(0, "a" * 64), subjects, tmp_path, shared=shared)
    second = models_of(lambda _: Says(0, "b" * 64), subjects, tmp_path, shared=shared)
    assert first.identity("sub-02") == second.identity("sub-02")  # told, not trained
    with pytest.raises(ProtocolError, match=r"sub-02 is not reproducible: it gave constant a{12} before and .* b{12}"):
        second.model("sub-02")
    assert second.known() == first.known()


ASKS = st.tuples(st.integers(0, 1), st.sampled_from(["identity", "model", "group"]), st.sampled_from([*PLAN]))


@given(asked=st.lists(ASKS, max_size=12), protocol=st.sampled_from(["1", "2"]), hashable=st.booleans())
@settings(max_examples=30, deadline=None)
def test_in_any_order_a_worker_trains_a_model_at_most_once_and_on_nothing_tested(
    subjects: tuple[Subject, ...],
    tmp_path_factory: pytest.TempPathFactory,
    asked: list[tuple[int, str, str]],
    protocol: str,
    hashable: bool,
) -> None:
    folder = tmp_path_factory.mktemp("asked")
    own = {one.name: one.recordings for one in subjects_tested(PROTOCOLS[protocol], subjects)}
    served = {trained_on(PROTOCOLS[protocol], subjects, name): name for name in own}
    trains = [Trainer(lambda one: Says(0, served[one.files] if hashable else None)) for _ in range(2)]
    workers = [models_of(train, subjects, folder, protocol=protocol, shared=folder / "told") for train in trains]
    for worker, what, subject in asked:
        getattr(workers[worker], what)(subject)
    for worker, train in enumerate(trains):
        names = [served[call.files] for call in train.calls]
        assert len(names) == len(set(names))
        for call, name in zip(train.calls, names, strict=True):
            assert not set(call.files) & set(own[name])
            assert {files.subject for files in call.files} == ({name} if protocol == "1" else set(PLAN) - {name})
        assert {subject for at, what, subject in asked if (at, what) == (worker, "model")} <= set(names)
        # Nobody can tell another worker of a model that has no fingerprint; any other is trained by who needs it first.
        asked_here = {subject for at, _, subject in asked if at == worker}
        assert set(names) == asked_here if not hashable else set(names) <= asked_here


# Leakage.


def test_the_same_signal_under_another_name_is_an_error(tmp_path: Path) -> None:
    write_recording(tmp_path / "sub-02" / "eeg", "sub-02_run-00", [], BEGAN, seed=1)
    for name in ("sub-03", "sub-04"):
        write_recording(tmp_path / name / "eeg", f"{name}_run-00", [], BEGAN, seed=2)
    models = models_of(lambda _: Says(0, "f"), discover(tmp_path), tmp_path / "store", protocol="2")
    models.model("sub-02")
    with pytest.raises(
        ProtocolError,
        match="sub-03/eeg/sub-03_run-00 is tested, and sub-04/eeg/sub-04_run-00, which is for training, holds the same",
    ):
        models.model("sub-03")


@pytest.mark.parametrize("known, overlap_s, is_an_error", [(True, 5, True), (True, 0, False), (False, 5, False)])
def test_training_and_test_do_not_overlap_in_time(
    tmp_path: Path, known: bool, overlap_s: int, is_an_error: bool
) -> None:
    for run in range(2):
        start = BEGAN + timedelta(seconds=run * (DURATION_S - overlap_s)) if known else None
        write_recording(tmp_path / "sub-02" / "eeg", f"sub-02_run-{run}", [], start, seed=run)
    models = models_of(lambda _: Says(0, "f"), discover(tmp_path), tmp_path / "store")
    if not is_an_error:
        assert models.identity("sub-02").fingerprint == "f"
        return
    with pytest.raises(ProtocolError, match=r"sub-02_run-0 is for training and ends 5 s after sub-02_run-1, which is"):
        models.identity("sub-02")


def test_by_protocol_1_time_orders_recordings_whatever_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "sub-02" / "eeg"
    for run in range(3):
        write_recording(folder, f"sub-02_run-{run}", [], BEGAN - timedelta(seconds=run * DURATION_S), seed=run)
    train = Trainer(lambda _: Says(0, "f"))
    models_of(train, discover(tmp_path), tmp_path / "store").model("sub-02")
    assert [files.stem for files in train.calls[0].files] == ["sub-02_run-2", "sub-02_run-1"]


@pytest.mark.parametrize("name", ["sub-02", "02", "sub-2", "chb02", "sub-chb02"])
def test_to_a_protocol_all_names_of_a_case_are_one(tmp_path: Path, name: str) -> None:
    for number in (1, 2):
        write_recording(tmp_path / f"sub-{number:02d}" / "eeg", f"run-{number}", [], BEGAN, seed=number)
    fixed: Any = Scope(settings_of(tmp_path, protocol="3", data=tmp_path), None)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="1 of 1 training subjects would be evaluated: sub-02"):
        fixed.all_training_subjects([name])
    (tmp_path / "training.txt").write_text(f"{name}\n", encoding="utf-8")
    run = dataclasses.replace(settings_of(tmp_path, protocol="4", data=tmp_path),
                              training_subjects=tmp_path / "training.txt")  # fmt: skip
    with pytest.raises(pytest.UsageError, match="would be evaluated: sub-02"):
        Scope(run, None).check()  # type: ignore[arg-type]
    assert fixed.all_training_subjects(["chb01", "PN00"]) == ("sub-01", "sub-PN00")
    assert fixed.unchecked(("sub-01",)) == ""
    assert fixed.unchecked(()).startswith("protocol 3: no subjects of the training were named")


def test_subset_mode_tests_fewer_and_trains_on_all(subjects: tuple[Subject, ...], tmp_path: Path) -> None:
    folder = subjects[0].recordings[0].eeg.parents[2]
    run = dataclasses.replace(settings_of(tmp_path, protocol="2", data=folder), mode="subset", subjects=1)
    scope: Any = Scope(run, None)  # type: ignore[arg-type]
    assert scope.names == ["sub-02"]
    assert {files.subject for files in trained_on(PROTOCOLS["2"], scope.corpus, "sub-02")} == {"sub-03", "sub-04"}


def test_a_session_shares_with_its_own_workers_only(tmp_path: Path) -> None:
    def process(**given: object) -> WorkerSession:
        return WorkerSession(SimpleNamespace(**given))  # type: ignore[arg-type]

    sessions = [process(), process()]
    told = [SimpleNamespace(workerinput={"workerid": f"gw{i}", "testrunuid": "always-the-same"}) for i in range(3)]
    for node, session in zip(told, (sessions[0], sessions[0], sessions[1]), strict=True):
        session.tell(node)
    folders = [process(workerinput=node.workerinput).folder(tmp_path) for node in told]
    assert folders[0] == folders[1] != folders[2]
    assert sessions[0].folder(tmp_path) is None
    assert folders[0] is not None
    folders[0].mkdir(parents=True)
    sessions[1].clear(tmp_path)
    assert folders[0].is_dir()
    sessions[0].clear(tmp_path)
    assert not folders[0].exists()


@pytest.mark.parametrize("task, protocol", [("detection", None), ("prediction", PROTOCOLS["3"])])
def test_a_project_of_both_tasks_has_its_protocol_in_the_ini_file(
    pytester: pytest.Pytester, task: str, protocol: object
) -> None:
    pytester.makeini("[pytest]\nrobustseiz_protocol = 3\nrobustseiz_data = demo\n")
    found = resolve(pytester.parseconfig("--robustseiz-mode=full", f"--robustseiz-task={task}"))
    assert found is not None
    assert found.protocol == protocol


# Labels.


def test_what_follows_a_seizure_is_excluded_over_the_border_of_training_and_test(
    subjects: tuple[Subject, ...], tmp_path: Path
) -> None:
    runner, models = runner_of(subjects, tmp_path), models_of(lambda _: Says(1, "f"), subjects, tmp_path)
    # The seizure of the first recording ends 2 s before the second, which is all within the 300 s after it.
    case = runner.case("sub-02", Baseline(), models, {}).result
    assert case.prediction == PREDICTION_ZERO
    assert len(case.recordings) == 1
    # That of the second recording is its own; the preictal part that lies in the first one is not tested.
    own = runner.case("sub-03", Baseline(), models, {}).result.prediction
    assert own is not None
    assert own.preictal_windows == (5,)


def test_labels_for_training_know_nothing_of_the_test(subjects: tuple[Subject, ...]) -> None:
    training = TrainingSet(trained_on(PROTOCOLS["1"], subjects, "sub-03"))
    [labelled] = training.labels().values()
    assert not labelled.labels.any()  # though the seizure that is tested begins 5 s later


def test_a_stretch_is_read_again_when_its_table_changes(tmp_path: Path) -> None:
    write_recording(tmp_path / "sub-02" / "eeg", "run-1", [], BEGAN, seed=1)
    [subject] = discover(tmp_path)
    [files] = subject.recordings
    assert read_stretch(files).seizures == ()
    assert read_stretch(files) is read_stretch(files)
    text = files.events.read_text(encoding="utf-8")
    files.events.write_text(f"{text}3.5\t2\tsz\tn/a\tn/a\tn/a\tn/a\n", encoding="utf-8")
    assert read_stretch(files).seizures == ((3.5, 5.5),)


@pytest.mark.parametrize("duration_s", [0.5, 1.0])
def test_only_whole_seconds_have_a_window(tmp_path: Path, duration_s: float) -> None:
    folder = tmp_path / "sub-02" / "eeg"
    for run in range(2):
        write_recording(folder, f"run-{run}", [], None, seed=run)
    eeg = np.random.default_rng(1).normal(0, 20, (len(ELECTRODES), round(256 * duration_s)))
    signals = [
        edfio.EdfSignal(row, 256, label=name, physical_dimension="uV")
        for name, row in zip(ELECTRODES, eeg, strict=True)
    ]
    edfio.Edf(signals, data_record_duration=duration_s).write(folder / "run-1_eeg.edf")
    (folder / "run-1_events.tsv").write_text("onset\tduration\teventType\n", encoding="utf-8")
    corpus = discover(tmp_path)
    models = models_of(lambda _: Says(1, "f"), corpus, tmp_path / "store")
    case = runner_of(corpus, tmp_path / "store").case("sub-02", Baseline(), models, {}).result
    assert case.recordings[0].predicted == "1" * int(duration_s)
    assert case.prediction is not None
    assert case.prediction.n_windows == int(duration_s)
    assert CaseResult.from_json(case.to_json()) == case


# Figures that do not apply.

QUIET = dataclasses.replace(PREDICTION_ZERO, confusion=((10, 0, 0), (0, 0, 0), (0, 0, 0)))
AT_ONCE = dataclasses.replace(PREDICTION_ZERO, confusion=((9, 0, 0), (0, 0, 0), (0, 0, 5)), seizures=1)
BUSY = dataclasses.replace(PREDICTION_ZERO, confusion=((0, 0, 0), (1, 4, 0), (0, 0, 5)), seizures=1, warned=1,
                           preictal_windows=(5,), lead_times_s=(4.0,))  # fmt: skip


@pytest.mark.parametrize(
    "found, limit, value, lacking",
    [
        (QUIET, "max_miss_rate", 0.5, "seizures"),
        (QUIET, "max_fpr_per_h", 1, ""),
        (AT_ONCE, "min_lead_time_s", 10, "seizures with a preictal part"),
        (AT_ONCE, "max_miss_rate", 0.5, ""),
        (BUSY, "max_fpr_per_h", 1, "interictal time"),
        (BUSY, "max_fpr_per_h_increase", 1, "interictal time"),
        (BUSY, "max_phi_background", 1, "interictal time"),
        (BUSY, "min_lead_time_s", 4, ""),
        (PREDICTION_ZERO, "min_balanced_accuracy", 0.5, "scored windows"),
        (PREDICTION_ZERO, "max_balanced_accuracy_drop", 0.5, "scored windows"),
    ],
)
def test_a_subject_is_not_judged_by_what_it_cannot_have(
    found: PredictionCounts, limit: str, value: float, lacking: str
) -> None:
    # The recording has a seizure, but it is the windows that count.
    scores = Scores(prediction=found, seizures=1)
    verdict = judge(scores, scores, {limit: value}, sfreq=256, pooled=False)
    assert verdict.lacking == ((lacking,) if lacking else ())
    assert verdict.failures == ()
    pooled = judge(scores, scores, {limit: value}, sfreq=256, pooled=True)
    assert bool(pooled.failures) is bool(lacking)  # of a whole scope a figure that is none fails


def test_the_skip_says_what_is_lacking() -> None:
    result = CaseResult("sub-07", SettingInfo("baseline", "baseline", "baseline", "{}"), (), BUSY)
    case = RobustnessCase(result, result, {"max_fpr_per_h": 1, "max_fpr_per_h_increase": 1})
    with pytest.raises(pytest.skip.Exception, match="no interictal time in sub-07: max_fpr_per_h, max_fpr_per_h_incr"):
        case.check()
    assert "balanced accuracy 0.900, sensitivity 0.900, specificity n/a, n/a false alarms/h" in figures_text(
        case.scores
    )


@pytest.mark.parametrize(
    "confusion, text",
    [
        # Always interictal, in a scope without preictal windows: any constant has 1/2 for its balanced accuracy.
        (
            ((980, 0, 0), (0, 0, 0), (20, 0, 0)),
            "DEGENERATE: 100.0% of its predictions are interictal, whatever the EEG",
        ),
        # 97 % interictal of 97 % that are, and most of the others found.
        (((965, 5, 0), (5, 20, 0), (0, 0, 5)), "DEGENERATE: 97.0% of its predictions are interictal, as are 97.0% of"),
        # Nearly always preictal where nearly all is interictal.
        (((20, 950, 0), (0, 25, 0), (0, 5, 0)), "DEGENERATE: 98.0% of its predictions are preictal, whatever the EEG"),
        (((500, 470, 0), (0, 25, 0), (0, 5, 0)), ""),
    ],
)
def test_what_a_constant_is_said_to_be(confusion: Any, text: str) -> None:
    said = degenerate_text(dataclasses.replace(PREDICTION_ZERO, confusion=confusion))
    assert said.startswith(text)
    assert bool(said) is bool(text)


def bootstrap(own: dict[str, PredictionCounts], *, seed: int) -> list[float]:
    """Balanced accuracies of draws in which all three classes occur."""
    names, values = sorted(own), []
    for drawn in draw_positions(len(own), seed=seed, n_draws=DRAWS):
        matrix = np.array([own[names[place]].confusion for place in drawn]).sum(axis=0)
        if (matrix.sum(axis=1) > 0).all():
            values.append(float(np.mean(matrix.diagonal() / matrix.sum(axis=1))))
    return values


def test_the_interval_of_balanced_accuracy_is_of_one_figure() -> None:
    ill = {
        f"sub-{i:02d}": counts(((900, 100 - 9 * i, 0), (60 + i, 40, 0), (10, 0, 10 + i)))
        for i in range(FLOOR)
    }  # fmt: skip
    well = {f"sub-{i:02d}": dataclasses.replace(QUIET, confusion=((90, 10, 0), (0, 0, 0), (0, 0, 0))) for i in
            range(FLOOR, 25)}  # fmt: skip
    found = figure_interval(ill | well, "balanced_accuracy", seed=3)
    expected = bootstrap(ill | well, seed=3)
    assert 0 < found.undefined == DRAWS - len(expected)  # draws that missed all who have seizures
    assert found.draws == pytest.approx(np.array(expected))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(expected, [0.025, 0.975])))
    del ill["sub-00"]
    few = loss_interval(ill | well, ill | well, "balanced_accuracy")
    assert few.reason == f"{FLOOR - 1} of 24 subjects have windows of the rarest class, at least {FLOOR} are needed"
    nobody = figure_interval(dict.fromkeys(well, PREDICTION_ZERO), "balanced_accuracy")
    assert np.isnan(nobody.value)
    assert nobody.reason.startswith("0 of 20 subjects")


def test_every_column_of_the_regression_gate_has_a_direction() -> None:
    assert PREDICTION.less_is_worse | PREDICTION.more_is_worse <= set(PREDICTION_COLUMNS)
    means = {name for name in PREDICTION_COLUMNS if name.startswith("subject_mean_")}
    assert means <= set(DIRECTIONS)
    assert parse_limits("fpr_per_h:1,subject_mean_miss_rate:0", PREDICTION) == {
        "fpr_per_h": 1, "subject_mean_miss_rate": 0,
    }  # fmt: skip
    with pytest.raises(
        ValueError, match=r"of the prediction task: 'event_f1'; write METRIC:LIMIT,... with sensitivity"
    ):
        parse_limits("event_f1:0.1", PREDICTION)
    with pytest.raises(ValueError, match=r"of the detection task: 'miss_rate'; write METRIC:LIMIT,... with sample"):
        parse_limits("miss_rate:0.1")


# Detectors in torch that their authors change.


def torch_detector(*bases: type, module: str, **own: Any) -> Any:
    import torch

    class Flat(torch.nn.Module):
        def forward(self, windows: torch.Tensor) -> torch.Tensor:
            return windows.mean(dim=(1, 2))

    kind = type(
        "Mine", (*bases, TorchAdapter), {"window_s": 1.0, "step_s": 1.0, "eventizer": HALF, **own, "__module__": module}
    )
    return kind(Flat())


HALF = Eventizer(threshold=0.5)
EEG = np.random.default_rng(0).normal(size=(2, 1024)).astype(np.float32)


class Detecting:
    def detect(self, eeg: Any, sfreq: float, channels: Sequence[str]) -> np.ndarray:
        return np.zeros(eeg.shape[1], dtype=bool)


@pytest.mark.parametrize("module", ["mine", "pytest_robustseiz_mine.adapters", "pytest_robustseiz.adapters_of_mine"])
def test_an_overridden_question_is_noticed_wherever_the_class_stands(module: str) -> None:
    for detector in (
        torch_detector(module=module, detect=Detecting.detect),
        torch_detector(Detecting, module=module),
    ):
        with pytest.raises(ExaminationUnavailable, match="overrides detect, which an attack would pass by"):
            detector.examine(EEG, 256.0, ("a", "b"), attack=FGSM(epsilon=0.1, mode="increase"))
    plain = torch_detector(module=module)
    assert plain.examine(EEG, 256.0, ("a", "b")).mask.shape == (1024,)


def test_steps_of_an_author_are_used() -> None:
    def postprocess(self: Any, probabilities: np.ndarray, n_samples: int, sfreq: float) -> np.ndarray:
        return np.repeat(probabilities > 0.5, 256)[:n_samples]

    def near_threshold(self: Any, probabilities: np.ndarray, n_samples: int, sfreq: float) -> int:
        return 7

    votes = torch_detector(module="mine", postprocess=postprocess)
    found = votes.examine(EEG.copy(), 256.0, ("a", "b"))
    np.testing.assert_array_equal(found.mask, votes.detect(EEG.copy(), 256.0, ("a", "b")))
    silent = np.zeros_like(EEG)
    assert votes.examine(silent, 256.0, ("a", "b")).near_threshold == 4  # windows, since no sample is looked at
    assert torch_detector(module="mine").examine(silent, 256.0, ("a", "b")).near_threshold == 1024
    own = torch_detector(module="mine", near_threshold=near_threshold)
    assert own.examine(silent, 256.0, ("a", "b")).near_threshold == 7


# Whole runs.

TWO_CONFTESTS = (
    PREDICTOR
    + """
import pytest

class Says(PowerPredictor):
    def __init__(self, value):
        self.name, self.value = f"says {value}", value

    def predict(self, eeg, sfreq, channels):
        return np.full(eeg.shape[1] // 256, self.value)

    def fingerprint(self):
        return f"fingerprint of {self.value}"
"""
)
TWO_MODULES = """
import pytest
from conftest import Says

@pytest.fixture(scope="session")
def robustseiz_train():
    return lambda recordings: Says({value})

def test_it(robustseiz_case):
    assert set(robustseiz_case.result.recordings[0].predicted) == {{"{value}"}}
"""


def options(subjects: Sequence[Subject], *more: str) -> list[str]:
    folder = subjects[0].recordings[0].eeg.parents[2]
    return ["--robustseiz-mode=full", f"--robustseiz-data={folder}", "--robustseiz-task=prediction",
            "--robustseiz-shifts=baseline", "--robustseiz-protocol=1", *more]  # fmt: skip


def test_two_callables_and_an_earlier_session_of_the_same_id_are_told_apart(
    pytester: pytest.Pytester, subjects: tuple[Subject, ...]
) -> None:
    pytester.makeconftest(TWO_CONFTESTS)
    for value in (0, 1):
        (pytester.path / f"test_{value}.py").write_text(TWO_MODULES.format(value=value), encoding="utf-8")
    run = options(subjects, "-n2", "--testrunuid=always-the-same", "--robustseiz-store=store")
    result = pytester.runpytest_subprocess(*run)
    result.assert_outcomes(passed=2 * len(PLAN))
    result.stdout.fnmatch_lines(["*detector says 0 (protocol 1)*", "*detector says 1 (protocol 1)*"])
    # Another model under the same ids: nothing that the first session's workers told each other is left.
    assert list((pytester.path / "store" / "trained").iterdir()) == []
    for path in pytester.path.glob("test_?.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("Says(0)", "Says(2)").replace('{"0"}', '{"2"}'), encoding="utf-8")
    pytester.runpytest_subprocess(*run).assert_outcomes(passed=2 * len(PLAN))


def test_a_new_callable_for_each_test_is_an_error(pytester: pytest.Pytester, subjects: tuple[Subject, ...]) -> None:
    pytester.makeconftest(TWO_CONFTESTS)
    pytester.makepyfile(test_a=TWO_MODULES.format(value=1).replace('(scope="session")', ""))
    result = pytester.runpytest_subprocess("-p", "no:xdist", *options(subjects))
    result.assert_outcomes(passed=1, errors=len(PLAN) - 1)
    result.stdout.fnmatch_lines(['*fixture robustseiz_train returned another callable*give it scope="session"*'])


def test_a_fixture_with_params_trains_each_of_them(pytester: pytest.Pytester, subjects: tuple[Subject, ...]) -> None:
    pytester.makeconftest(TWO_CONFTESTS)
    pytester.makepyfile(
        test_a="""
        import pytest
        from conftest import Says

        @pytest.fixture(scope="session", params=[0, 2])
        def value(request):
            return request.param

        @pytest.fixture(scope="session")
        def robustseiz_train(value):
            return lambda recordings: Says(value)

        @pytest.mark.parametrize("other", [5, 6])
        def test_it(robustseiz_case, value, other):
            assert set(robustseiz_case.result.recordings[0].predicted) == {str(value)}
        """
    )
    result = pytester.runpytest_subprocess("-n2", *options(subjects, "--robustseiz-store=store"))
    result.assert_outcomes(passed=2 * 2 * len(PLAN))
    rows = (pytester.path / "prediction_results.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 2
