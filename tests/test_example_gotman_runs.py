"""The classical example under the plugin: by its conftest, and by name once it is installed."""

import csv
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from example_modules import EXAMPLES, load_example

from pytest_robustseiz.adapters import find_runs
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.scoring import ZERO, event_counts

EXAMPLE = EXAMPLES / "gotman"


def copy_example(folder: Path, *, but: tuple[str, ...] = ()) -> Path:
    for path in EXAMPLE.glob("*.*"):
        if path.name not in but:
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "experiments_results.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_its_own_tests_run_on_the_demo_corpus(pytester: pytest.Pytester) -> None:
    load_example("gotman", "gotman_waves")
    gotman: Any = load_example("gotman", "gotman").Gotman()
    copy_example(pytester.path)
    options = ["--robustseiz-mode=subset", "--robustseiz-subjects=4", "--robustseiz-data=demo"]
    result = pytester.runpytest_subprocess("-k", "baseline or bits_12", *options)
    assert result.ret == pytest.ExitCode.OK
    counts = ZERO
    [corpus] = pytester.path.glob(".pytest_cache/d/robustseiz-demo/robustseiz-demo-*/")
    for files in (files for subject in discover(corpus)[:4] for files in subject.recordings):
        recording = read_recording(files)
        mask = gotman.detect(recording.eeg, recording.sfreq, recording.channels)
        hypothesis = [(start / 256, stop / 256) for start, stop in find_runs(mask)]
        counts += event_counts(recording.seizures, hypothesis, sfreq=256.0, n_samples=recording.n_samples)
    baseline, converter = rows(pytester.path)
    assert (baseline["experiment_name"], converter["shift"]) == ("baseline", "adc")
    found = [int(baseline[f"event_{name}"]) for name in ("tp", "fp", "reference")]
    assert found == [counts.tp, counts.fp, counts.reference]
    assert counts.tp > 0
    assert baseline["adapter"] == "gotman"
    assert baseline["adapter_fingerprint"] == gotman.fingerprint()
    result.stdout.fnmatch_lines(["agreement not available: gotman has nothing random*"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed in it, as pip does it."""
    source = copy_example(tmp_path_factory.mktemp("source"), but=("conftest.py", "test_robustness.py"))
    target = tmp_path_factory.mktemp("site")
    here = ["--no-build-isolation"] if importlib.util.find_spec("setuptools") else []
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", *here]
    subprocess.run([*command, "--target", str(target), str(source)], check=True)
    return target


def test_what_is_installed(site: Path) -> None:
    assert {path.name for path in site.glob("*.py")} == {"gotman.py", "gotman_waves.py"}
    [points] = site.glob("robustseiz_gotman-*.dist-info/entry_points.txt")
    assert points.read_text(encoding="utf-8").split() == ["[robustseiz.adapters]", "gotman", "=", "gotman:Gotman"]


def test_an_installed_package_offers_its_detector_by_name(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tiny_corpus: Path, site: Path
) -> None:
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    options = ["--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}", "--robustseiz-adapter=gotman"]
    result = pytester.runpytest_subprocess("--pyargs", "pytest_robustseiz.suite", "-k", "baseline", *options)
    result.assert_outcomes(passed=3, skipped=1)  # three subjects; no limit is set for what is pooled
    [row] = rows(pytester.path)
    assert row["adapter"] == "gotman"
    assert row["recordings"] == "3"


def test_without_the_package_the_name_is_unknown(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    options = ["--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}", "--robustseiz-adapter=gotman"]
    result = pytester.runpytest_subprocess("--pyargs", "pytest_robustseiz.suite", "-k", "baseline", *options)
    assert result.ret != pytest.ExitCode.OK
    result.stderr.fnmatch_lines(["*--robustseiz-adapter: 'gotman' is neither module:factory nor a known name*demo*"])
