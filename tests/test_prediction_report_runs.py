"""Reports, curves and profiles of runs of the prediction task."""

import csv
from pathlib import Path

import pytest
from pages import Page
from test_prediction_runs import CONFTEST, make_prediction_corpus, options

from pytest_robustseiz.cli import main

# Without Fp1 the predictor knows no ictal window, without O2 no preictal one; the corpus is built so that it knows all.
TESTS = """
import pytest
from pytest_robustseiz.shifts import CAR, DropNamed

GRID = [DropNamed(electrodes=("Fp1",)), DropNamed(electrodes=("O2",)), CAR()]

@pytest.mark.robustseiz(grid=GRID, max_balanced_accuracy_drop=0.1)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
WIDE = """
import pytest
from pytest_robustseiz.shifts import DropNamed
from pytest_robustseiz.snapshots import RobustnessSnapshotExtension
from pytest_robustseiz.tasks import PREDICTION

GRID = [DropNamed(electrodes=("Fp1",)), DropNamed(electrodes=("O2",))]

@pytest.mark.robustseiz(grid=GRID)
def test_curve(robustseiz_curve):
    balanced, missed = robustseiz_curve["balanced_accuracy"], robustseiz_curve["miss_rate"]
    assert balanced.baseline == 1.0
    assert balanced.values == pytest.approx((2 / 3, 2 / 3))
    assert balanced.max_drop() == pytest.approx(1 / 3)
    assert missed.values == (0.25, 0.0)
    assert missed.max_drop() == 0.25

@pytest.mark.robustseiz(grid=GRID)
def test_profile(robustseiz_profile, snapshot):
    assert list(robustseiz_profile.table()["baseline"]) == list(PREDICTION.tolerances)
    assert robustseiz_profile == snapshot(extension_class=RobustnessSnapshotExtension)
"""
FP1, O2 = "drop_named-electrodes_Fp1", "drop_named-electrodes_O2"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_prediction_corpus(tmp_path_factory.mktemp("corpus"))


def rows(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "prediction_results.csv").open(newline="") as file:
        return {row["experiment_name"]: row for row in csv.DictReader(file)}


def page_of(folder: Path, name: str = "r.html") -> Page:
    return Page((folder / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("way", [["-p", "no:xdist"], ["-n2"]], ids=["one process", "two workers"])
def test_a_run_writes_the_page(pytester: pytest.Pytester, corpus: Path, way: list[str]) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    result = pytester.runpytest_subprocess(*way, *options(corpus, "--robustseiz-report=r.html"))
    result.assert_outcomes(passed=2, failed=2)
    page, stored = page_of(pytester.path), rows(pytester.path)
    page.check_self_contained()
    text = " ".join(page.words)
    assert "FAILED: 2 of 4 checks failed" in text
    assert f"{(2 / 3 + 1) / 2:.3f}" in page.words  # what is retained: 2/3 under either setting of a shift, 1 under car
    assert "Degenerate under 1 of 3 settings: drop_named-electrodes_O2 (96." in text
    assert "the baseline warned of 3 of the 3 seizures with preictal time" in text
    shown = {row["Setting"]: row for name in ("car", "drop_named") for row in page.rows(f"{name}: all settings")}
    assert (shown["baseline"]["Balanced accuracy"], shown[FP1]["Balanced accuracy"]) == ("1.000", "0.667")
    assert (shown[FP1]["Ictal accuracy"], shown[O2]["Preictal accuracy"]) == ("0.000", "0.000")
    for label, row in stored.items():
        assert shown[label]["False alarms/h"] == f"{float(row['fpr_per_h']):.2f}"
        assert shown[label]["Transition detection rate"] == f"{float(row['transition_detection_rate']):.3f}"
    # One picture: of the worst setting of the one shift that costs anything.
    [drawn] = [drawing for drawing in page.drawings if "EEG before and after" in drawing]
    assert "ictal before the shift and interictal after it" in drawn
    assert "seizures, and warnings (preictal or ictal) in the piece shown" in text
    bars = [given.get("class") for tag, given in page.tags if tag == "rect"]
    assert {"event0", "event1", "event2"} <= set(bars)  # the seizure, and warnings before and after


def test_the_page_of_the_registry_is_that_of_the_run(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    run = options(corpus, "--robustseiz-protocol=2", "--robustseiz-report=r.html", "-p", "no:xdist")
    pytester.runpytest_subprocess(*run)
    assert main(["report", "prediction_results.csv", "registry.html"]) == 0
    run_page, registry = page_of(pytester.path), page_of(pytester.path, "registry.html")
    captions = ("Subjects over all", "Baseline over subjects", "drop_named: all settings", "Worst value over")
    for caption in captions:
        assert registry.rows(caption) == run_page.rows(caption)
    row = rows(pytester.path)["baseline"]
    [figures, *_] = run_page.rows("Baseline over subjects, each of whom counts the same, as protocol 2 reports it")
    assert figures["Mean"] == f"{float(row['subject_mean_balanced_accuracy']):.3f}"
    assert figures["Hardest"] == row["subject_hardest_balanced_accuracy"]
    assert "Protocol 2 (leave_one_patient_out): a model was trained for each subject." in " ".join(run_page.words)


def test_the_page_of_a_majority_says_that_it_is_degenerate(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.makeconftest(CONFTEST.replace("return classes", "return 0 * classes"))
    pytester.makepyfile(test_a=TESTS)
    run = options(corpus, "--robustseiz-report=r.html", "--robustseiz-summary=s.md", "-p", "no:xdist")
    pytester.runpytest_subprocess(*run).assert_outcomes(passed=4)
    told = "The baseline is degenerate: 100.0 % of its predictions are interictal (95 % or more of one class)."
    text = " ".join(page_of(pytester.path).words)
    assert told in text
    assert "with 4 of 4 seizures missed." in text
    assert "No setting but attacks lowered balanced accuracy, so there is none to show." in text
    assert f"**{told}" in (pytester.path / "s.md").read_text()


def test_curves_and_profiles_have_the_figures_of_the_task(pytester: pytest.Pytester, corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_wide=WIDE)
    run = options(corpus, "-p", "no:xdist")
    pytester.runpytest_subprocess("--snapshot-update", *run).assert_outcomes(passed=2)
    path = pytester.path / "__snapshots__/test_wide/test_profile.robustseiz.toml"
    text = path.read_text()
    assert text.startswith('"baseline".balanced_accuracy = 1\n')
    assert f'"{FP1}".miss_rate = 0.25\n' in text
    assert f'"{O2}".lead_time_mean_s = "n/a"\n' in text
    pytester.runpytest_subprocess(*run).assert_outcomes(passed=2)
    path.write_text(text.replace(f'"{FP1}".miss_rate = 0.25', f'"{FP1}".miss_rate = 0'))
    result = pytester.runpytest_subprocess("-vv", "-k", "profile", *run)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f'*- "{FP1}".miss_rate = 0', f'*+ "{FP1}".miss_rate = 0.25'])
