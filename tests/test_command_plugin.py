"""Runs of the plugin with detectors that are reached by files, named on the command line."""

import csv
import json
import os
import sys
from pathlib import Path

import pytest
from file_detectors import LOUD, FakeEngine, write_program
from tiny import CONFTEST

from pytest_robustseiz.adapters import CommandAdapter, ContainerAdapter
from pytest_robustseiz.change import InputChange, set_against
from pytest_robustseiz.detectors import choose_device, load_adapter

POOLED = """
import pytest

from pytest_robustseiz.shifts import ADC, AWGN

@pytest.mark.robustseiz(grid=[AWGN(snr_db=100), AWGN(snr_db=0), ADC(bits=5)], max_fp_per_24h=1e9)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
CASES = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn"], max_fp_per_24h=1e9)
def test_each(robustseiz_case):
    robustseiz_case.check()
"""
N_SETTINGS = 1 + 3
SCORES = ("sample_", "event_", "lead_", "lag_", "ontime_", "onset_", "change_", "subject_mean_")
IMAGE = "ghcr.io/group/loud:1"


def rows(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "experiments_results.csv").open(newline="") as file:
        return {row["experiment_name"]: row for row in csv.DictReader(file)}


def scores(row: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if name.startswith(SCORES)}


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", *more]


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyedflib", reason="the program reads with it; comes with the extra convert")
    return write_program(tmp_path_factory.mktemp("program"), LOUD)


@pytest.fixture
def direct(pytester: pytest.Pytester, tiny_corpus: Path) -> dict[str, dict[str, str]]:
    """Rows of the same rule as an adapter in Python, which sees the recordings as they are."""
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_pooled=POOLED)
    pytester.runpytest_subprocess(*options(tiny_corpus)).assert_outcomes(passed=N_SETTINGS)
    found = rows(pytester.path)
    (pytester.path / "experiments_results.csv").unlink()
    (pytester.path / "conftest.py").unlink()
    return found


def test_a_program_scores_as_the_rule_in_python_does(
    pytester: pytest.Pytester, tiny_corpus: Path, program: Path, direct: dict[str, dict[str, str]]
) -> None:
    """The two see inputs that differ by quantisation only, which is far below the margin of the rule's threshold."""
    name = f"--robustseiz-adapter=command:{sys.executable} {program} {{input}} {{output}}"
    result = pytester.runpytest_subprocess("-n2", *options(tiny_corpus, name))
    result.assert_outcomes(passed=N_SETTINGS)
    result.stdout.fnmatch_lines(
        [f"*detector: stored results hold while {Path(sys.executable).name}, detector.py stay*"]
    )
    found = rows(pytester.path)
    assert found.keys() == direct.keys()
    for label, row in found.items():
        assert scores(row) == scores(direct[label])
        figures = json.loads(row["shift_figures_json"])
        added = {name: figures.pop(name) for name in list(figures) if name.startswith("edf_")}
        assert figures == json.loads(direct[label]["shift_figures_json"])
        assert added["edf_added_samples"] == 0
        assert 0.001 < added["edf_step_uv"] < 0.02
        # The step is that of the loudest channel; the error is over all.
        assert added["edf_step_uv"] / 20 < added["edf_error_rms_uv"] < added["edf_step_uv"] / 2
        assert ("edf_error_to_change" in added) == (row["shift"] != "baseline")
    weak = json.loads(found["awgn-snr_db_100"]["shift_figures_json"])
    assert weak["edf_error_to_change"] > 1  # noise of 0.2 nV: the file changes more
    assert weak["edf_error_to_change"] == pytest.approx(
        weak["edf_error_rms_uv"] / float(found["awgn-snr_db_100"]["change_rms_uv"]), rel=0.1
    )


def test_an_image_scores_as_the_rule_in_python_does(
    pytester: pytest.Pytester,
    tiny_corpus: Path,
    program: Path,
    direct: dict[str, dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    engine = FakeEngine(tmp_path / "engine")
    monkeypatch.setenv("PATH", os.pathsep.join([str(engine.programs), os.environ["PATH"]]))
    command = f'exec {sys.executable} {program} "/data/$INPUT" "/output/$OUTPUT"'
    engine.offer({IMAGE: {"id": "abc123", "cmd": command, "here": False}})
    arguments = ["-n2", *options(tiny_corpus, f"--robustseiz-adapter=szcore[engine=docker,timeout_s=60]:{IMAGE}")]
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=N_SETTINGS)
    found = rows(pytester.path)
    assert {label: scores(row) for label, row in found.items()} == {label: scores(row) for label, row in direct.items()}
    assert {row["adapter"] for row in found.values()} == {"loud:1"}
    ran = [call for call in engine.calls() if call[1] == "run"]
    assert len(ran) == len({call[call.index("--name") + 1] for call in ran}) == 3 * N_SETTINGS
    assert all("OMP_NUM_THREADS=1" in call for call in ran)
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=N_SETTINGS)
    assert len([call for call in engine.calls() if call[1] == "run"]) == len(ran)  # the rest was in the store


def test_a_program_that_fails_on_one_subject_loses_that_subject(
    pytester: pytest.Pytester, tiny_corpus: Path, tmp_path: Path
) -> None:
    pytester.makepyfile(test_cases=CASES)
    program = tmp_path / "fragile.sh"
    program.write_text(
        "n=$(cat counter || echo 0); echo $((n + 1)) > counter\n"
        "[ $n -ne 7 ] || { echo the disk is gone; exit 9; }\n"
        "printf 'onset\\tduration\\teventType\\n' > $2\n"
    )
    result = pytester.runpytest_subprocess(*options(tiny_corpus, f"--robustseiz-adapter=command:sh {program}"))
    result.assert_outcomes(passed=14, errors=7)
    result.stdout.fnmatch_lines(
        [
            "E*DetectorError: fragile failed on sub-02_*under baseline: CommandError: sh * ended with exit status 9",
            "E*its last lines:",
            "E*the disk is gone",
            "*baseline of fragile: 1 of 3 subjects have no result (sub-02)*CommandError: sh *exit status 9",
        ]
    )


@pytest.mark.parametrize(
    "name, message",
    [
        ("command:", "*--robustseiz-adapter=command: the command is empty*"),
        ("command:no-such-program", "*--robustseiz-adapter=command: program 'no-such-program' * is not found*"),
        ("command[sideways]:sh", "*are unipolar, bipolar, name=..., timeout_s=..., version=..., got 'sideways'*"),
        ("command[pull=never]:sh", "*options in brackets are *, got 'pull=never'*"),
        ("command[timeout_s=soon]:sh", "*--robustseiz-adapter=command: could not convert string to float: 'soon'*"),
        ("szcore:", "*--robustseiz-adapter=szcore: image must be a name*"),
        ("szcore[version=1]:a", "*are unipolar, bipolar, name=..., timeout_s=..., engine=..., pull=..., got*"),
        ("szcore[engine=runc]:a", "*--robustseiz-adapter=szcore: engine must be docker or podman, got 'runc'*"),
    ],
)  # fmt: skip
def test_mistakes_in_what_is_reached_by_files(
    pytester: pytest.Pytester, tiny_corpus: Path, name: str, message: str
) -> None:
    pytester.makepyfile(test_pooled=POOLED)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, f"--robustseiz-adapter={name}"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_montage_that_is_not_named_is_refused(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makepyfile(test_pooled=POOLED)
    adapter = "--robustseiz-adapter=command[bipolar]:sh"
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, adapter))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*MontageError: sub-01_* is unipolar, and sh accepts bipolar only*"])


def test_options_in_brackets_reach_the_adapter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    adapter = load_adapter(
        "command[unipolar, bipolar,timeout_s=5,version=2.1,name=mine]:sh -c 'a b' {input} {output}", "cpu"
    )
    assert isinstance(adapter, CommandAdapter)
    assert adapter.montages == ("unipolar", "bipolar")
    assert (adapter.timeout_s, adapter.version, adapter.name, adapter.gpu) == (5.0, "2.1", "mine", None)
    assert adapter.words == ("sh", "-c", "a b", "{input}", "{output}")
    monkeypatch.setenv("PATH", str(FakeEngine(tmp_path / "engine", "podman").programs))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    program = load_adapter("command:/bin/sh", "cuda:1")
    assert isinstance(program, CommandAdapter)
    assert program.gpu == "1"
    image = load_adapter("szcore[pull=never]:ghcr.io/group/loud:1", "cuda:3")
    assert isinstance(image, ContainerAdapter)
    assert (image.image, image.pull, image.engine, image.gpu) == ("ghcr.io/group/loud:1", "never", "podman", "3")
    assert image.montages == load_adapter("szcore:a", "cpu").montages == ("unipolar",)


@pytest.mark.parametrize(
    "visible, listed, expected",
    [
        ("4,5", "", ["cuda:0", "cuda:1", "cuda:0"]),
        (None, "GPU 0: A (UUID: GPU-1)\n  MIG 1g: (UUID: MIG-1)\nGPU 1: A\n", ["cuda:0", "cuda:1", "cuda:0"]),
        (None, "GPU 0: A (UUID: GPU-1)\n", ["cuda:0"] * 3),
    ],
)  # fmt: skip
def test_workers_share_the_gpus_though_there_is_no_torch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, visible: str | None, listed: str, expected: list[str]
) -> None:
    without_torch(monkeypatch, visible)
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n[ $1 = --list-gpus ] && printf '{listed}'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), "/usr/bin", "/bin"]))
    assert [choose_device("cuda", f"gw{number}") for number in range(3)] == expected


@pytest.mark.parametrize("visible", ["", "-1", None])
def test_no_gpu_is_an_error_though_there_is_no_torch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, visible: str | None
) -> None:
    without_torch(monkeypatch, visible)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.UsageError, match="there is no GPU to be seen; use --robustseiz-device=cpu"):
        choose_device("cuda", None)


def without_torch(monkeypatch: pytest.MonkeyPatch, visible: str | None) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)


def test_the_error_of_writing_is_set_against_the_change() -> None:
    change = InputChange(change_energy=400.0, signal_energy=1.0, changed=1, values=4)  # 10 uV RMS
    figures = {"edf_step_uv": 1.0, "edf_error_rms_uv": 0.5}
    assert set_against(change, figures) == {**figures, "edf_error_to_change": 0.05}
    assert set_against(InputChange(0.0, 1.0, 0, 4), figures) == figures
    assert set_against(change, {}) == {}


def test_importing_the_adapters_reads_no_edf_library() -> None:
    import subprocess

    code = "import sys, pytest_robustseiz.adapters; assert not {'edfio', 'mne', 'scipy', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
