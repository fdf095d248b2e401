"""The container image: what it runs is run here without a container, since no engine is needed for that."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pytest_robustseiz.demo_corpus import make_demo_corpus
from pytest_robustseiz.optiontable import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")


def instructions(name: str) -> list[str]:
    """Arguments of the instructions of one name, with continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(line for line in DOCKERFILE.splitlines() if not line.startswith("#")))
    return [line.removeprefix(f"{name} ") for line in joined.splitlines() if line.startswith(f"{name} ")]


def entrypoint() -> list[str]:
    [arguments] = instructions("ENTRYPOINT")
    command: list[str] = json.loads(arguments)
    return command


def test_the_entrypoint_runs_full_mode_and_passes_arguments_on(tmp_path: Path) -> None:
    """On two subjects of the demo corpus and the CPU; nothing is written but below the output folder."""
    corpus, output = make_demo_corpus(tmp_path / "corpus", subjects=[1, 2]), tmp_path / "output"
    output.mkdir()
    places = {"/data": str(corpus), "/output": str(output), "=cuda": "=cpu"}
    command = [re.sub("/data|/output|=cuda", lambda found: places[found[0]], part) for part in entrypoint()]
    assert command[0] == "pytest"
    before = {path: path.stat().st_mtime_ns for path in corpus.rglob("*")}
    result = subprocess.run(
        # pytest-benchmark is no part of the image, and leaves a folder where pytest is started.
        [sys.executable, "-m", *command, "-p", "no:benchmark", "--robustseiz-grid=smoke", "--robustseiz-shifts=car"],
        cwd=tmp_path,
        env=os.environ | {"ROBUSTSEIZ_ADAPTER": "demo", "HOME": str(output), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"rootdir: {output}\n" in result.stdout  # whose pyproject.toml may hold limits, and which can be written to
    assert "4 passed, 2 skipped" in result.stdout  # pooled tests have no limit to judge
    with (output / "experiments_results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["experiment_name"], row["mode"], row["subjects"]) for row in rows] == [
        ("baseline", "full", "2"),
        ("car", "full", "2"),
    ]
    assert {path.name for path in output.iterdir() if not path.name.startswith(".")} == {
        "Results", "experiments_results.csv", "report.html", "store",
    }  # fmt: skip
    assert {path: path.stat().st_mtime_ns for path in corpus.rglob("*")} == before
    assert {path.name for path in tmp_path.iterdir()} == {"corpus", "output"}


def test_it_does_not_run_as_root_and_holds_no_secret() -> None:
    assert instructions("USER") == ["10001:10001"]
    assert DOCKERFILE.index("\nUSER ") < DOCKERFILE.index("\nENTRYPOINT ")
    assert "privileged" not in re.sub(r"no-new-privileges:true", "", COMPOSE)
    for text in (DOCKERFILE, COMPOSE):
        assert not re.search(r"(?i)secret|token|passw|api_?key", text)


def test_tags_are_pinned_and_the_version_is_that_of_the_package() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    bases = [line.split()[0] for line in instructions("FROM")]
    assert [base for base in bases if base != "base"] == ["nvidia/cuda:13.0.1-runtime-ubuntu24.04"]
    [labels] = instructions("LABEL")
    assert f'org.opencontainers.image.version="{version}"' in labels
    assert f"image: pytest-robustseiz:{version}\n" in COMPOSE


def test_compose_and_image_agree_on_folders_and_variables() -> None:
    for folder in ("/data", "/model"):
        assert re.search(rf"target: {folder}\n +read_only: true\n", COMPOSE)
    assert "source: output\n        target: /output\n" in COMPOSE
    assert instructions("WORKDIR")[-1] == "/output"
    assert any("PYTHONPATH=/model" in line for line in instructions("ENV"))
    assert set(re.findall(r"ROBUSTSEIZ_\w+", DOCKERFILE + COMPOSE)) == {ENVIRONMENT["adapter"]}
    assert "ROBUSTSEIZ_ADAPTER: ${ACTIVE_MODEL:?" in COMPOSE
    assert "network_mode: none" in COMPOSE


def test_what_is_copied_into_the_image_makes_the_package(tmp_path: Path) -> None:
    """And .dockerignore lets in exactly that."""
    copied = [name for line in instructions("COPY") if not line.startswith("--from") for name in line.split()[:-1]]
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert sorted(copied) == sorted(line[1:] for line in allowed if line.startswith("!"))
    assert "*" in allowed
    source = tmp_path / "src"
    source.mkdir()
    for name in copied:
        path = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__")
        if path.is_dir():
            shutil.copytree(path, source / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(path, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(command, check=True)
    assert len(list(tmp_path.glob("pytest_robustseiz-*.whl"))) == 1


def test_the_detector_is_taken_from_the_environment(
    pytester: pytest.Pytester, tiny_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile("def test_it(robustseiz_experiment):\n    pass\n")
    monkeypatch.setenv("ROBUSTSEIZ_ADAPTER", "nobody")
    options = ["--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}", "-k", "baseline"]
    result = pytester.runpytest(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'nobody' is neither module:factory nor a known name*"])
    pytester.runpytest(*options, "--robustseiz-adapter=demo").assert_outcomes(passed=1)
