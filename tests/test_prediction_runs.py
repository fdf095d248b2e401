"""Runs of the prediction task, from a BIDS-EEG tree to rows and files."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tiny import HEADER, make_eeg, write_edf

from pytest_robustseiz.adapters import WindowAdapter
from pytest_robustseiz.detectors import require_predictor
from pytest_robustseiz.shifts import ELECTRODES

DURATION_S = 700
# Says preictal where the power at O2 is high, which the corpus raises for the 300 s before each onset.
PREDICTOR = """
import numpy as np

from pytest_robustseiz.adapters import AgreementUnavailable

class PowerPredictor:
    name = "power"
    montages = ("unipolar",)

    def __init__(self, threshold_uv=30.0):
        self.threshold_uv = threshold_uv

    def predict(self, eeg, sfreq, channels):
        seconds = eeg[:, : eeg.shape[1] // 256 * 256].reshape(len(eeg), -1, 256)
        deviation = seconds.std(axis=2)
        classes = np.zeros(seconds.shape[1], dtype=int)
        classes[deviation[channels.index("O2")] > self.threshold_uv] = 1
        classes[deviation[channels.index("Fp1")] > 2 * self.threshold_uv] = 2
        return classes

    def agreement(self, eeg, sfreq, channels, *, passes, tau, seed):
        raise AgreementUnavailable("power has nothing random")

    def fingerprint(self):
        return f"power {self.threshold_uv}"
"""
CONFTEST = (
    PREDICTOR
    + """
import pytest

@pytest.fixture(scope="session")
def robustseiz_adapter():
    return PowerPredictor()

@pytest.fixture(scope="session")
def robustseiz_train():
    def train(recordings):
        with open("trained.log", "a") as log:
            log.write(" ".join(files.stem for files in recordings.files) + "\\n")
        rest = [item.recording.eeg[item.recording.channels.index("O2")] for item in recordings]
        return PowerPredictor(round(1.5 * float(np.median([part.std() for part in rest])), 3))
    return train
"""
)
TESTS = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn"], max_balanced_accuracy_drop=1.0, max_fpr_per_h=3600)
def test_each_subject(robustseiz_case):
    robustseiz_case.check()

@pytest.mark.robustseiz(shifts=["awgn"], max_balanced_accuracy_drop=1.0, max_miss_rate=1.0)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
# Seizures of each recording; recordings of one subject follow each other without a gap.
SEIZURES = {
    "sub-02": ([(500.0, 520.0)], [(100.0, 120.0)]),  # the second begins its preictal part in the first recording
    "sub-03": ([(400.0, 430.0)], []),
    "sub-07": ([(350.0, 380.0)], []),
}


def make_prediction_corpus(folder: Path) -> Path:
    """A tree of two recordings for each subject, 700 s each, with a louder O2 before onsets."""
    for number, (subject, recordings) in enumerate(SEIZURES.items()):
        for run, seizures in enumerate(recordings):
            eeg = make_eeg(seizures, DURATION_S, seed=10 * number + run)
            for start, _ in [*seizures, *((start + DURATION_S, 0) for start, _ in recordings[1] if run == 0)]:
                window = slice(max(0, round((start - 300) * 256)), min(eeg.shape[1], round(start * 256)))
                eeg[ELECTRODES.index("O2"), window] *= 3
            stem = folder / subject / "eeg" / f"{subject}_task-szMonitoring_run-{run:02d}"
            write_edf(stem.with_name(f"{stem.name}_eeg.edf"), eeg)
            seconds = run * DURATION_S
            began = f"2020-01-01 {10 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
            rows = [f"{on}\t{off - on}\tsz\tn/a\tn/a\t{began}\t{DURATION_S}" for on, off in seizures]
            rows = rows or [f"0\t{DURATION_S}\tbckg\tn/a\tn/a\t{began}\t{DURATION_S}"]
            stem.with_name(f"{stem.name}_events.tsv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def prediction_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_prediction_corpus(tmp_path_factory.mktemp("prediction"))


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", "--robustseiz-task=prediction", *more]


def rows(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "prediction_results.csv").open(newline="") as file:
        return {row["experiment_name"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("way", [["-p", "no:xdist"], ["-n2"]])
def test_a_run_scores_predictions(pytester: pytest.Pytester, prediction_corpus: Path, way: list[str]) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    result = pytester.runpytest_subprocess(*way, *options(prediction_corpus))
    result.assert_outcomes(passed=3 * 7 + 7)
    row = rows(pytester.path)["baseline"]
    # sub-02: first recording: 0-199 interictal or post-ictal, ... counted by hand below.
    assert int(row["seizures_scored"]) == 4
    assert float(row["miss_rate"]) == 0
    assert float(row["sensitivity"]) > 0.99
    assert float(row["fpr_per_h"]) == 0
    assert float(row["lead_time_max_s"]) == 300
    assert row["labelling"] == "across recordings"
    assert row["protocol"] == ""
    assert set(json.loads(row["per_subject_json"])) == set(SEIZURES)
    assert len(rows(pytester.path)) == 7
    [table] = (pytester.path / "Results-prediction").glob("**/baseline/sub-03/eeg/*run-00_prediction.tsv")
    runs = [line.split("\t") for line in table.read_text().splitlines()]
    assert runs[0] == ["onset", "duration", "class"]
    assert [run[2] for run in runs[1:]] == ["interictal", "preictal", "ictal", "interictal"]
    assert runs[2][:2] == ["100", "300"]


def test_windows_are_counted_as_by_hand(pytester: pytest.Pytester, prediction_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    pytester.runpytest_subprocess("-p", "no:xdist", *options(prediction_corpus), "-k", "baseline")
    row = rows(pytester.path)["baseline"]
    # sub-02 on one time line of 1400 s, seizures 500-520 and 800-820: the gap of 280 s between them is excluded, so
    # only the first has preictal seconds: 200-500. Interictal: 0-200 and 1120-1400.
    # sub-03: preictal 100-400, ictal 400-430, excluded to 730; sub-07: preictal 50-350, ictal 350-380, excluded to 680.
    interictal = (200 + 280) + (100 + 670) + (50 + 720)
    confusion = [int(row[f"true_{true}_pred_{predicted}"]) for true in ("interictal", "preictal", "ictal")
                 for predicted in ("interictal", "preictal", "ictal")]  # fmt: skip
    assert sum(confusion[:3]) == interictal
    assert sum(confusion[3:6]) == 900
    assert sum(confusion[6:]) == 100
    assert int(row["n_windows"]) == interictal + 1000
    assert int(row["seizures_with_preictal"]) == 3
    assert np.isclose(float(row["interictal_h"]), interictal / 3600)


def trained(folder: Path) -> list[str]:
    return (folder / "trained.log").read_text().splitlines()


def test_the_earlier_recordings_train_and_the_later_ones_are_tested(
    pytester: pytest.Pytester, prediction_corpus: Path
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    result = pytester.runpytest_subprocess("-p", "no:xdist", *options(prediction_corpus, "--robustseiz-protocol=1"))
    result.assert_outcomes(passed=3 * 7 + 7)
    first = [f"{subject}_task-szMonitoring_run-00" for subject in SEIZURES]
    assert trained(pytester.path) == first
    row = rows(pytester.path)["baseline"]
    assert (row["protocol"], row["recordings"], row["adapter"]) == ("1", "3", "power")
    assert row["scoring_preset"] == "szpredict-0.1, protocol 1"
    assert len(row["adapter_fingerprint"]) == 64
    # Only the seizure of the second recording of sub-02 is tested. It begins 280 s after the end of the one that was
    # trained on, so that all between them is excluded. Interictal: 700 s without 120 s and 300 s; sub-03 without the
    # 30 s that follow its seizure at 400-430 s by less than 300 s; sub-07 all, as its seizure ended 320 s before.
    assert (row["seizures_scored"], row["seizures_with_preictal"]) == ("1", "0")
    assert np.isclose(float(row["interictal_h"]), ((700 - 120 - 300) + (700 - 30) + 700) / 3600)


def test_one_is_left_out(pytester: pytest.Pytester, prediction_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    run = ("-n2", *options(prediction_corpus, "--robustseiz-protocol=2"))
    pytester.runpytest_subprocess(*run).assert_outcomes(passed=3 * 7 + 7)
    for line in trained(pytester.path):
        subjects = {stem.partition("_")[0] for stem in line.split()}
        assert len(subjects) == 2
    # Two workers, three subjects: no worker trains a subject twice, nor any for the pooled tests whose cases are in the
    # store.
    assert len(trained(pytester.path)) <= 2 * 3
    row = rows(pytester.path)["baseline"]
    assert row["subjects"] == "3"
    assert row["subject_hardest_balanced_accuracy"] in SEIZURES


@pytest.mark.parametrize("protocol", ["3", "4"])
def test_only_the_test_split_is_tested(pytester: pytest.Pytester, prediction_corpus: Path, protocol: str) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    run = options(prediction_corpus, f"--robustseiz-protocol={protocol}", "-k", "baseline", "-p", "no:xdist")
    result = pytester.runpytest_subprocess(*run)
    result.assert_outcomes(passed=2 + 1, deselected=12 + 6)
    result.stdout.fnmatch_lines(["*the test split, of which the corpus lacks sub-11, sub-17, sub-19, sub-22, sub-23*"])
    row = rows(pytester.path)["baseline"]
    assert (row["subjects"], row["protocol"]) == ("2", protocol)
    assert not (pytester.path / "trained.log").exists()


@pytest.mark.parametrize(
    "more, message",
    [
        (["--robustseiz-protocol=5"], "*--robustseiz-protocol: expected 1, 2, 3, 4, got '5'*"),
        (["--robustseiz-task=forecast"], "*--robustseiz-task: expected 'detection' or 'prediction', got 'forecast'*"),
        (["--robustseiz-task=detection", "--robustseiz-protocol=3"], "*add --robustseiz-task=prediction*"),
    ],
)
def test_mistakes_in_options_are_usage_errors(
    pytester: pytest.Pytester, prediction_corpus: Path, more: list[str], message: str
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    result = pytester.runpytest_inprocess(*options(prediction_corpus, *more))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_protocols_that_train_need_a_callable(pytester: pytest.Pytester, prediction_corpus: Path) -> None:
    pytester.makepyfile(test_a=TESTS)
    run = options(prediction_corpus, "--robustseiz-protocol=2", "-k", "baseline", "-x", "-p", "no:xdist")
    result = pytester.runpytest_subprocess(*run)
    result.stdout.fnmatch_lines(["*define the fixture robustseiz_train, which returns a callable*"])


def test_limits_of_the_other_task_are_refused_in_a_marker(pytester: pytest.Pytester, prediction_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS.replace("max_fpr_per_h=3600", "max_f1_drop=0.1"))
    result = pytester.runpytest_subprocess("-p", "no:xdist", *options(prediction_corpus))
    result.stdout.fnmatch_lines(["*test_each_subject: max_f1_drop cannot be judged in a run of the prediction task*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_limits_are_judged_with_counts(pytester: pytest.Pytester, prediction_corpus: Path) -> None:
    deaf = CONFTEST.replace("return PowerPredictor()", "return PowerPredictor(1e9)")
    pytester.makeconftest(deaf)
    pytester.makepyfile(test_a=TESTS.replace("max_miss_rate=1.0", "max_miss_rate=0.5, min_lead_time_s=60"))
    result = pytester.runpytest_subprocess("-p", "no:xdist", *options(prediction_corpus, "-k", "pooled and baseline"))
    result.assert_outcomes(failed=1, deselected=27)
    result.stdout.fnmatch_lines(
        [
            "*miss rate is 1.000 (baseline 1.000), limit max_miss_rate=0.5 (0 of 4 seizures noticed, 0 false alarms in "
            "0.56 h between seizures)*",
            "*mean lead time in s is n/a (baseline n/a), limit min_lead_time_s=60*",
            "*THE BASELINE IS DEGENERATE: 100.0% of its predictions are interictal*",
        ]
    )


def test_an_answer_that_is_none_is_an_error(pytester: pytest.Pytester, prediction_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST.replace("return classes", "return classes[:-1]"))
    pytester.makepyfile(test_a=TESTS)
    result = pytester.runpytest_subprocess("-p", "no:xdist", *options(prediction_corpus, "-k", "pooled and baseline"))
    result.assert_outcomes(errors=1, deselected=27)
    result.stdout.fnmatch_lines(
        ["*expected 700 classes (0, 1, 2), or their probabilities in shape (700, 3), got shape*"]
    )


def test_a_detector_is_no_predictor() -> None:
    with pytest.raises(pytest.UsageError, match="WindowAdapter is a detector, and this run is of the prediction task"):
        require_predictor(WindowAdapter(), "robustseiz_adapter")
