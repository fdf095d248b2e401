"""Workers, crashes, repeated runs: each case is computed once and nothing is lost that was done."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny import CONFTEST, DETECTOR

CASES = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn"], max_fp_per_24h=1000)
def test_each_subject(robustseiz_case):
    robustseiz_case.check()
"""
POOLED = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn"], max_f1_drop=0.5)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
LOGGING = CONFTEST.replace("PowerDetector()", "PowerDetector(print_to='calls.log')")
N_CASES = 3 * 7


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", *more]


def rows(folder: Path) -> list[dict[str, str]]:
    path = folder / "experiments_results.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def calls(folder: Path) -> int:
    return len((folder / "calls.log").read_text().splitlines())


@pytest.mark.parametrize("way", [["-n0"], ["-n2"], ["-n4"], ["-n2", "--dist=worksteal"], ["-p", "no:xdist"]])
def test_each_case_is_computed_once(pytester: pytest.Pytester, tiny_corpus: Path, way: list[str]) -> None:
    pytester.makeconftest(LOGGING)
    pytester.makepyfile(test_a=CASES, test_b=POOLED)
    pytester.runpytest_subprocess(*way, *options(tiny_corpus)).assert_outcomes(passed=N_CASES + 7)
    assert calls(pytester.path) == N_CASES


def test_a_second_run_computes_nothing_and_writes_its_rows(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(LOGGING)
    pytester.makepyfile(test_a=CASES)
    for _ in range(2):
        pytester.runpytest_subprocess(*options(tiny_corpus)).assert_outcomes(passed=N_CASES)
    assert calls(pytester.path) == N_CASES
    first, second = rows(pytester.path)[:7], rows(pytester.path)[7:]
    assert [row | {"timestamp_utc": ""} for row in first] == [row | {"timestamp_utc": ""} for row in second]


@pytest.mark.parametrize(
    "change",
    [
        ["--robustseiz-seed=1"],
        ["detector"],
        ["events"],
    ],
)
def test_what_changes_a_result_is_computed_again(
    pytester: pytest.Pytester, tiny_corpus: Path, change: list[str]
) -> None:
    corpus = pytester.path / "corpus"
    subprocess.run(["cp", "-r", str(tiny_corpus), str(corpus)], check=True)
    pytester.makeconftest(LOGGING)
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest_subprocess(*options(corpus)).assert_outcomes(passed=7)
    arguments = change if change[0].startswith("--") else []
    if change == ["detector"]:
        pytester.makeconftest(LOGGING.replace("PowerDetector(print", "PowerDetector(threshold_uv=41.0, print"))
    if change == ["events"]:
        table = next(corpus.glob("sub-01/**/*_events.tsv"))
        table.write_text(table.read_text().replace("100.0\t40.0", "101.0\t39.0"))
    pytester.runpytest_subprocess(*options(corpus, *arguments)).assert_outcomes(passed=7)
    # One subject's events changed: its seven cases are computed again, the others found.
    assert calls(pytester.path) == N_CASES + (7 if change == ["events"] else N_CASES)
    fingerprints = [row["corpus_fingerprint"] for row in rows(pytester.path)]
    assert (fingerprints[0] != fingerprints[-1]) == (change == ["events"])


def test_a_detector_without_fingerprint_is_kept_for_the_session(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(LOGGING.replace('return f"power {self.threshold_uv}"', "return None"))
    pytester.makepyfile(test_a=CASES, test_b=POOLED)
    pytester.runpytest_subprocess(*options(tiny_corpus)).assert_outcomes(passed=N_CASES + 7)
    result = pytester.runpytest_subprocess(*options(tiny_corpus))
    result.assert_outcomes(passed=N_CASES + 7)
    result.stdout.fnmatch_lines(["detector power (no fingerprint, so its results were kept for this session only)"])
    assert calls(pytester.path) == 2 * N_CASES
    assert rows(pytester.path)[0]["adapter_fingerprint"] == ""


def test_a_worker_that_dies_loses_its_case_only(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    """The detector takes the process down on the third of the cases, under one setting of one subject."""
    pytester.makeconftest(
        """
import os
"""
        + DETECTOR.replace(
            "    def detect(self, eeg, sfreq, channels):",
            """    def detect(self, eeg, sfreq, channels):
        if os.environ["PYTEST_CURRENT_TEST"].split("[")[1].startswith("sub-02-awgn-snr_db_20]"):
            os._exit(1)""",
        )
        + """
import pytest

@pytest.fixture(scope="session")
def robustseiz_adapter():
    return PowerDetector()
"""
    )
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest_subprocess("-n2", *options(tiny_corpus))
    result.assert_outcomes(passed=N_CASES - 1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "incomplete, so without a row:",
            "  awgn-snr_db_20 of power: 1 of 3 subjects have no result (sub-02)",
            "lost with their worker:",
            "  test_a.py::test_each_subject?sub-02-awgn-snr_db_20?",
        ]
    )
    labels = [row["experiment_name"] for row in rows(pytester.path)]
    assert labels == ["baseline", *(f"awgn-snr_db_{snr}" for snr in (100, 50, 5, 2, 0))]


def test_a_killed_run_resumes(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(
        LOGGING.replace(
            '                log.write("called\\n")',
            '                log.write("called\\n")\n'
            '            if len(open(self.print_to).readlines()) == 9:\n                __import__("os")._exit(1)',
        )
    )
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest_subprocess("-p", "no:xdist", *options(tiny_corpus))
    assert result.ret == 1
    assert rows(pytester.path) == []
    pytester.runpytest_subprocess(*options(tiny_corpus)).assert_outcomes(passed=7)
    assert calls(pytester.path) == N_CASES + 1  # the call in which it was killed is the only one made twice


@pytest.mark.parametrize(
    "fault, message",
    [
        ("raise RuntimeError('out of ideas')", "RuntimeError: out of ideas"),
        ("return None", "DetectorOutputError: expected a mask of 76800 booleans, one per sample, got None"),
        ("return mask[:-256]", "*expected a mask of 76800 booleans, one per sample, got shape (76544,) of bool"),
        ("return mask * 0.5", "*got 0.5 at sample 25600; turn probabilities into a mask*"),
    ],
)
def test_a_faulty_detector_is_an_error_of_its_case_and_never_silence(
    pytester: pytest.Pytester, tiny_corpus: Path, fault: str, message: str
) -> None:
    when = f"        if mask.sum() == 40 * 256:\n            {fault}\n        return mask"  # sub-01 has 40 s of seizure
    pytester.makeconftest(CONFTEST.replace("        return mask", when))
    pytester.makepyfile(test_a=CASES.replace('["awgn"]', '["drop_named"]'), test_b=POOLED)
    result = pytester.runpytest(*options(tiny_corpus))
    result.assert_outcomes(passed=6, errors=3 + 7)
    result.stdout.fnmatch_lines(
        [
            f"*DetectorError: power failed on sub-01_ses-01_task-szMonitoring_run-00 under baseline: *{message}",
            "incomplete, so without a row:",
            "  baseline of power: 1 of 3 subjects have no result (sub-01); DetectorError: power failed on *",
        ]
    )
    assert rows(pytester.path) == []


def test_a_detector_that_writes_into_its_input_harms_nobody(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST.replace("        return mask", "        eeg *= 0\n        return mask"))
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest(*options(tiny_corpus)).assert_outcomes(passed=7)
    assert rows(pytester.path)[0]["event_tp"] == "3"


def test_a_detector_for_another_montage_is_told(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST.replace('montages = ("unipolar",)', 'montages = ("bipolar",)'))
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*MontageError: sub-01*_run-00 is unipolar, and power accepts bipolar only*"])


def test_an_unreadable_recording_is_an_error_that_names_the_file(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    corpus = pytester.path / "corpus"
    subprocess.run(["cp", "-r", str(tiny_corpus), str(corpus)], check=True)
    next(corpus.glob("sub-02/**/*_events.tsv")).write_text("onset\tduration\teventType\n10\tn/a\tsz\n")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest("-k", "baseline", *options(corpus))
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*sub-02*_events.tsv*", "*1 of 3 subjects have no result (sub-02)*"])


def test_items_are_the_same_whatever_the_hash_seed(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES)
    listings = []
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *options(tiny_corpus)]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        listings.append([line for line in done.stdout.splitlines() if "::" in line])
    assert listings[0] == listings[1]
    assert len(listings[0]) == N_CASES


def test_items_are_grouped_by_subject(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(
        CONFTEST
        + """
def pytest_collection_finish(session):
    groups = {item.get_closest_marker("xdist_group").kwargs["name"] for item in session.items}
    print("GROUPS", sorted(groups))
"""
    )
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest("-s", "--collect-only", *options(tiny_corpus))
    result.stdout.fnmatch_lines(["GROUPS ?'sub-01', 'sub-02', 'sub-03'?"])


def test_many_items_are_collected_without_opening_a_recording(pytester: pytest.Pytester) -> None:
    for number in range(100):
        folder = pytester.path / "corpus" / f"sub-{number:03d}" / "eeg"
        folder.mkdir(parents=True)
        (folder / f"sub-{number:03d}_run-00_eeg.edf").write_bytes(b"not an EDF file")
        (folder / f"sub-{number:03d}_run-00_events.tsv").write_bytes(b"nor a table")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CASES)
    result = pytester.runpytest("--collect-only", "-q", *options(pytester.path / "corpus"))
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"{100 * 7} tests collected in *"])


def test_the_plugin_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    """Neither at start nor while robustness tests are collected and skipped for want of a mode."""
    pytester.makepyfile(
        test_a=CASES,
        test_modules="""
        import json, sys

        def test_modules():
            print("MODULES", json.dumps(sorted(sys.modules)))
        """,
    )
    result = pytester.runpytest_subprocess("-s", "-p", "no:hypothesispytest", "-p", "no:syrupy", "-p", "no:benchmark")
    result.assert_outcomes(passed=1, skipped=1)
    [line] = [line for line in result.outlines if "MODULES" in line]
    modules = set(json.loads(line.partition("MODULES ")[2].rpartition("]")[0] + "]"))
    assert "pytest_robustseiz.plugin" in modules
    assert not modules & {"numpy", "scipy", "torch", "mne", "pandas", "matplotlib", "timescoring", "edfio", "soxr"}


@pytest.mark.parametrize("off", [["-p", "no:xdist"], ["-p", "no:syrupy"], ["-p", "no:cacheprovider"]])
def test_other_plugins_may_be_off(pytester: pytest.Pytester, tiny_corpus: Path, off: list[str]) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest_subprocess(*off, "-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(passed=1)


def test_the_plugin_works_without_torch(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest("import sys\nsys.modules['torch'] = None\n" + CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest_subprocess("-k", "baseline", *options(tiny_corpus)).assert_outcomes(passed=1)


def test_workers_share_the_cores(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        """
        import os
        import torch

        def test_threads(robustseiz_device):
            cores = len(os.sched_getaffinity(0))
            assert torch.get_num_threads() == max(1, cores // int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
            assert robustseiz_device == "cpu"
        """
    )
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    command = [sys.executable, "-m", "pytest", "-n2", *options(tiny_corpus)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "1 passed" in done.stdout, done.stdout
