"""The plugin as an author sees it."""

import csv
import importlib.util
from pathlib import Path

import pytest
from tiny import CONFTEST, DETECTOR, make_corpus

from pytest_robustseiz.events import read_events

CASES = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn"], max_f1_drop=0.10)
def test_each_subject(robustseiz_case):
    robustseiz_case.check()
"""
POOLED = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn", "drop_named"], max_f1_drop=0.10)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
# Ways to run that must give the same rows.
WAYS = {"plain": [], "no xdist": ["-p", "no:xdist"]}
if importlib.util.find_spec("xdist"):
    WAYS |= {"two workers": ["-n2"], "by subject": ["-n2", "--dist=loadgroup"]}


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", *more]


def rows(folder: Path, name: str = "experiments_results.csv") -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_without_a_mode_robustness_tests_are_skipped(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES, test_b=POOLED)
    result = pytester.runpytest("-rs")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*robustness tests run with --robustseiz-mode=subset*"])


def test_ids_order_and_baseline(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest("--collect-only", "-q", *options(tiny_corpus))
    settings = ["baseline", *(f"awgn-snr_db_{snr}" for snr in (100, 50, 20, 5, 2, 0))]
    expected = [
        f"test_a.py::test_each_subject[{subject}-{setting}]"
        for subject in ("sub-01", "sub-02", "sub-03")
        for setting in settings
    ]
    assert [line for line in result.outlines if "::" in line] == expected


def test_rows_are_the_same_however_the_tests_are_run(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES, test_b=POOLED)
    found = {}
    for way, arguments in WAYS.items():
        more = [f"--robustseiz-store=store-{way}", f"--robustseiz-registry={way}.csv"]
        result = pytester.runpytest_subprocess(*arguments, *options(tiny_corpus, *more))
        result.assert_outcomes(passed=23, skipped=7)  # nothing to judge in the subject without seizures
        found[way] = [row | {"timestamp_utc": ""} for row in rows(pytester.path, f"{way}.csv")]
    assert all(rows_of == found["plain"] for rows_of in found.values())
    labels = ["drop_named-electrodes_O1_O2", "drop_named-electrodes_T7_T8"]
    labels += [f"awgn-snr_db_{snr}" for snr in (100, 50, 20, 5, 2, 0)]
    assert [row["experiment_name"] for row in found["plain"]] == ["baseline", *labels]


def test_scores_are_right_on_a_corpus_of_known_content(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest("-k", "baseline", *options(tiny_corpus)).assert_outcomes(passed=1)
    [row] = rows(pytester.path)
    # The detector works in whole seconds and the seizures start and end on them: it is exact.
    assert [row[f"event_{name}"] for name in ("tp", "fp", "reference")] == ["3", "0", "3"]
    assert [row[f"sample_{name}"] for name in ("tp", "fp", "reference")] == [str(100 * 256), "0", str(100 * 256)]
    assert float(row["event_f1"]) == float(row["sample_f1"]) == 1.0
    assert (row["ontime_count"], row["onset_tp_count"]) == ("3", "3")
    assert row["lead_mean_steps"] == row["lag_mean_steps"] == "nan"
    assert float(row["hours"]) == 0.25
    assert (row["subjects"], row["recordings"], row["seizures"]) == ("3", "3", "3")
    assert float(row["change_rms_uv"]) == 0.0
    assert (row["mode"], row["seed"], row["adapter"]) == ("full", "0", "power")


def test_hypotheses_and_scores_are_written_below_the_output_folder(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    folder = pytester.path / "Results" / "baseline" / "baseline"
    table = folder / "sub-02/ses-01/eeg/sub-02_ses-01_task-szMonitoring_run-00_events.tsv"
    events = read_events(table, recording_s=300)
    assert [(event.onset_s, event.stop_s, event.is_seizure) for event in events] == [(20, 50, True), (200, 230, True)]
    with (folder / "results.csv").open(newline="") as file:
        scores = list(csv.DictReader(file))
    assert [row["subject"] for row in scores] == ["sub-01"] * 2 + ["sub-02"] * 2 + ["sub-03"] * 2 + ["all"]
    assert scores[-1]["event_tp"] == "3"
    with (folder / "onset.csv").open(newline="") as file:
        assert [row["delay_samples"] for row in csv.DictReader(file)] == ["0", "0", "0"]
    assert "Pooled over the scope" in (folder / "results.txt").read_text()
    assert "3 true positives, 3 on time" in (folder / "onset.txt").read_text()


def test_the_corpus_is_not_written_to(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in tiny_corpus.rglob("*")}
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES)
    pytester.runpytest(*options(tiny_corpus))
    assert {path: path.stat().st_mtime_ns for path in tiny_corpus.rglob("*")} == before


def test_a_failed_limit_says_what_to_know(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST.replace("return PowerDetector()", "return PowerDetector(threshold_uv=33.0)"))
    pytester.makepyfile(
        """
        import pytest
        from pytest_robustseiz.shifts import AWGN

        @pytest.mark.robustseiz(grid=[AWGN(snr_db=-10.0)], max_precision_drop=0.1)
        def test_noise(robustseiz_experiment):
            robustseiz_experiment.check()
        """
    )
    result = pytester.runpytest(*options(tiny_corpus))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*RobustnessError: awgn-snr_db_-10 on 3 subjects:",
            "*event precision dropped by 0.???: baseline 1.000, now 0.???, limit max_precision_drop=0.1 "
            "(3 of 3 reference events found, ? false positives in 0.25 h); no interval over subjects can be given: "
            "2 of 3 subjects have detections, at least 5 are needed",
            "baseline: event F1 1.000, sensitivity 1.000, precision 1.000, 0.0 FP/24h",
            "largest drops of event F1:",
            "*awgn-snr_db_-10: -0.*",
            "registry: *experiments_results.csv (+2 rows)",
        ]
    )


def test_thresholds_of_pyproject_and_marker(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyprojecttoml(
        """
        [tool.robustseiz.thresholds]
        default = { min_f1 = 0.5 }
        noise = { min_f1 = 0.6 }
        "awgn[snr_db=0]" = { min_f1 = 0.7, max_lag_s = 5 }
        """
    )
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.robustseiz(shifts=["awgn"], max_fp_per_24h=24)
        def test_limits(robustseiz_experiment):
            expected = {
                "baseline": {"min_f1": 0.5},
                "awgn-snr_db_0": {"min_f1": 0.7, "max_lag_s": 5},
            }.get(robustseiz_experiment.setting.label, {"min_f1": 0.6})
            assert robustseiz_experiment.limits == expected | {"max_fp_per_24h": 24}

        @pytest.mark.robustseiz(shifts=["awgn"], min_f1=0.1)
        def test_marker_wins(robustseiz_experiment):
            assert robustseiz_experiment.limits["min_f1"] == 0.1
        """
    )
    pytester.runpytest(*options(tiny_corpus)).assert_outcomes(passed=14)


def test_a_threshold_that_can_match_nothing_is_a_usage_error(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyprojecttoml('[tool.robustseiz.thresholds]\n"awng[snr_db=0]" = { min_f1 = 0.5 }\n')
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest(*options(tiny_corpus))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*'awng?snr_db=0?' matches no family, shift or setting*"])


def test_check_without_a_limit_is_an_error(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_it(robustseiz_experiment):\n    robustseiz_experiment.check()\n")
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*check() has no limit to judge; give one in the marker*"])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--robustseiz-mode=some"], "*--robustseiz-mode: expected 'full' or 'subset', got 'some'*"),
        (["--robustseiz-mode=full"], "*--robustseiz-data: no corpus given; name a BIDS-EEG folder*"),
        (["--robustseiz-mode=full", "--robustseiz-data=gone"], "*gone: no such folder; a corpus is*eeg*_eeg.*"),
        (
            ["--robustseiz-mode=full", "--robustseiz-data=demo", "--robustseiz-seed=x"],
            "*--robustseiz-seed: expected a whole number of at least 0, got 'x'*",
        ),
        (
            ["--robustseiz-mode=subset", "--robustseiz-data=demo", "--robustseiz-subjects=0"],
            "*--robustseiz-subjects: expected a whole number of at least 1, got '0'*",
        ),
    ],
)
def test_mistakes_on_the_command_line_are_usage_errors(
    pytester: pytest.Pytester, arguments: list[str], message: str
) -> None:
    result = pytester.runpytest(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


@pytest.mark.parametrize(
    "marker, message",
    [
        ("shifts=['awng']", "*unknown shift 'awng'; known are adc, *"),
        ("grid='papre'", "*unknown grid 'papre'; known are paper*"),
        ("grid=[3]", "*a grid is a list of settings such as AWGN(snr_db=10), got 3*"),
        ("max_drop=1", "*unknown limit 'max_drop'*"),
    ],
)
def test_mistakes_in_the_marker_are_usage_errors(
    pytester: pytest.Pytester, tiny_corpus: Path, marker: str, message: str
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        f"import pytest\n@pytest.mark.robustseiz({marker})\ndef test_a(robustseiz_case):\n    robustseiz_case.check()\n"
    )
    result = pytester.runpytest(*options(tiny_corpus))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_missing_detector_is_an_error_with_a_snippet(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no detector to test*", "*def robustseiz_adapter(robustseiz_device):*"])


def test_a_detector_by_name(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makepyfile(my_model=DETECTOR + "\ndef build(*, device):\n    return PowerDetector()\n")
    pytester.makepyfile(test_b=POOLED)
    pytester.syspathinsert()
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, "--robustseiz-adapter=my_model:build"))
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "name, message",
    [
        ("my_model:gone", "*--robustseiz-adapter=my_model:gone: module 'my_model' has no attribute 'gone'*"),
        ("no_model:build", "*No module named 'no_model'*"),
        ("my_model:wrong", "*dict is not an adapter: it has no name, montages, detect, agreement, fingerprint*"),
    ],
)
def test_mistakes_in_the_detectors_name(pytester: pytest.Pytester, tiny_corpus: Path, name: str, message: str) -> None:
    pytester.makepyfile(my_model="def wrong(*, device):\n    return {}\n")
    pytester.makepyfile(test_b=POOLED)
    pytester.syspathinsert()
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, f"--robustseiz-adapter={name}"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


@pytest.mark.parametrize(
    "name, more, message",
    [
        ("nobody", [], "*'nobody' is neither module:factory nor a known name; known are demo*"),
        ("demo", ["--robustseiz-task=prediction"], "*adapter=demo: a detector, and this run is of the pred*"),
    ],
)
def test_a_name_that_nobody_offers_is_said_once(
    pytester: pytest.Pytester, tiny_corpus: Path, name: str, more: list[str], message: str
) -> None:
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest(*options(tiny_corpus, f"--robustseiz-adapter={name}", *more))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert "collected" not in result.stdout.str()


def test_two_detectors_get_rows_and_folders_of_their_own(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(
        DETECTOR
        + """
import pytest

@pytest.fixture(scope="session", params=[40.0, 1000.0], ids=["good", "deaf"])
def robustseiz_adapter(request):
    detector = PowerDetector(request.param)
    detector.name = {40.0: "good", 1000.0: "deaf"}[request.param]
    return detector
"""
    )
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest("-k", "baseline", *options(tiny_corpus)).assert_outcomes(passed=2)
    assert [(row["adapter"], float(row["event_f1"])) for row in rows(pytester.path)] == [("deaf", 0.0), ("good", 1.0)]
    assert (pytester.path / "Results/good/baseline/baseline/results.csv").exists()
    assert (pytester.path / "Results/deaf/baseline/baseline/results.csv").exists()


def test_one_detector_that_fails_costs_the_other_no_row(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(
        DETECTOR
        + """
import pytest

class Broken(PowerDetector):
    name = "broken"

    def detect(self, eeg, sfreq, channels):
        raise RuntimeError("no memory left")

    def fingerprint(self):
        return "broken"

@pytest.fixture(scope="session", params=[PowerDetector, Broken])
def robustseiz_adapter(request):
    return request.param()
"""
    )
    pytester.makepyfile(test_b=POOLED, test_a=CASES)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(passed=3, skipped=1, errors=4)
    assert [row["adapter"] for row in rows(pytester.path)] == ["power"]
    assert "baseline of power:" not in result.stdout.str()


def test_a_baseline_that_finds_nothing_is_said(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST.replace("return PowerDetector()", "return PowerDetector(threshold_uv=1e6)"))
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["THE BASELINE FINDS NO SEIZURE: *limits on drops mean nothing"])


def test_subset_takes_the_first_subjects_by_name(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    arguments = ["--robustseiz-mode=subset", "--robustseiz-subjects=2", f"--robustseiz-data={tiny_corpus}"]
    result = pytester.runpytest("-k", "baseline", *arguments)
    result.stdout.fnmatch_lines(["robustseiz: subset of *: 2 subjects, 2 recordings; seed 0; store *"])
    [row] = rows(pytester.path)
    assert (row["mode"], row["subjects"], row["event_reference"]) == ("subset", "2", "3")


def test_settings_come_from_ini_keys_and_environment_too(
    pytester: pytest.Pytester, tiny_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    pytester.makeini("[pytest]\nrobustseiz_mode = full\nrobustseiz_data = /gone\nrobustseiz_registry = of_ini.csv\n")
    monkeypatch.setenv("ROBUSTSEIZ_DATA", str(tiny_corpus))
    pytester.runpytest("-k", "baseline", "--robustseiz-output=elsewhere").assert_outcomes(passed=1)
    assert (pytester.path / "of_ini.csv").exists()
    assert (pytester.path / "elsewhere" / "baseline").is_dir()


def test_only_some_shifts(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest("--collect-only", "-q", *options(tiny_corpus, "--robustseiz-shifts=environment"))
    assert [line.partition("[")[2] for line in result.outlines if "::" in line] == [
        "baseline]", "drop_named-electrodes_O1_O2]", "drop_named-electrodes_T7_T8]"
    ]  # fmt: skip
    result = pytester.runpytest(*options(tiny_corpus, "--robustseiz-shifts=awng"))
    result.stdout.fnmatch_lines(["*--robustseiz-shifts: unknown shift 'awng'*"])


def test_a_registry_of_another_kind_is_refused_before_anything_runs(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    (pytester.path / "experiments_results.csv").write_text("a,b\n1,2\n")
    result = pytester.runpytest(*options(tiny_corpus))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*experiments_results.csv is not a registry of this version*"])


def test_what_cannot_be_written_is_said_and_fails_the_run(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    (pytester.path / "Results").write_text("a file where the folder should be")
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["NOT WRITTEN: *Results*"])


def test_the_shipped_suite_needs_no_test(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makepyfile(my_model=DETECTOR + "\ndef build(*, device):\n    return PowerDetector()\n")
    pytester.makepyprojecttoml("[tool.robustseiz.thresholds]\nnoise = { max_f1_drop = 0.1 }\n")
    pytester.syspathinsert()
    result = pytester.runpytest(
        "--pyargs", "pytest_robustseiz.suite", "--junitxml=report.xml",
        *options(tiny_corpus, "--robustseiz-adapter=my_model:build", "--robustseiz-shifts=awgn"),
    )  # fmt: skip
    result.assert_outcomes(passed=21 + 6, skipped=1)  # the baseline has no limit
    assert len(rows(pytester.path)) == 7
    report = (pytester.path / "report.xml").read_text()
    assert 'name="event_f1" value="1.0"' in report
    assert "hypothesis" not in report


def test_help_and_markers(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--help")
    for name in ("mode", "data", "subjects", "shifts", "registry", "output", "store", "seed", "adapter", "device"):
        result.stdout.fnmatch_lines([f"*--robustseiz-{name}=*"])
        result.stdout.fnmatch_lines([f"*robustseiz_{name} (string)*"])
    pytester.runpytest("--markers").stdout.fnmatch_lines(["@pytest.mark.robustseiz(shifts=None, grid='paper', *"])
    pytester.runpytest("--fixtures").stdout.fnmatch_lines(["robustseiz_case*", "*One setting on one subject*"])


def test_other_plugins_seed_option_does_not_clash(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "def pytest_addoption(parser):\n    parser.addoption('--seed')\n    parser.addoption('--mode')\n"
    )
    pytester.makepyfile("def test_it(pytestconfig):\n    assert pytestconfig.getoption('--seed') == '3'\n")
    pytester.runpytest("--seed=3").assert_outcomes(passed=1)


def test_equal_names_with_odd_letters_stay_apart(pytester: pytest.Pytester) -> None:
    corpus = make_corpus(pytester.path / "corpus", {"sub-a+b": [(100.0, 140.0)]})
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest("--collect-only", "-q", *options(corpus))
    result.stdout.fnmatch_lines(["*test_each_subject?sub-a_b-baseline?"])
