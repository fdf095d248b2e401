"""`robustseiz validate`: every kind of problem in a registry and in a corpus."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from registries import write_registry
from tiny import make_corpus, write_edf

from pytest_robustseiz.cli import main
from pytest_robustseiz.registry import COLUMNS
from pytest_robustseiz.registrycheck import registry_problems
from pytest_robustseiz.shifts import paper_grid, smoke_grid

FOUND = {"baseline": [9, 8, 9, 8, 9, 8]} | {
    setting.label: [8, 8, 9, 8, 9, 8] for setting in (*smoke_grid(), *paper_grid())
}


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    path = tmp_path / "r.csv"
    write_registry(path, [setting for setting in smoke_grid() if setting.name != "baseline"], FOUND)
    return path


def spoil(path: Path, column: str, value: str) -> None:
    """Write another value into the first row."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0][column] = value
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def test_a_sound_registry(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(registry), "--grid=smoke"]) == 0
    assert capsys.readouterr().out == f"{registry}: registry, 0 problems\n"


@pytest.mark.parametrize(
    "column, value, problem",
    [
        ("timestamp_utc", "yesterday", "timestamp_utc must be a time such as 2026-01-02T03:04:05Z, got 'yesterday'"),
        ("timestamp_utc", "2026-01-02T03:04:05+02:00", "timestamp_utc must be a time"),
        ("mode", "half", "mode must be full or subset, got 'half'"),
        ("adapter", "", "adapter is empty"),
        ("params_json", "[1]", "params_json must be a JSON object, got '[1]'"),
        ("params_json", "{", "params_json must be a JSON object, got '{'"),
        ("subjects", "3.5", "subjects must be a whole number of at least 0, got '3.5'"),
        ("subjects", "-1", "subjects must be a whole number of at least 0, got '-1'"),
        ("sample_f1", "1.5", "sample_f1 must be a number from 0 to 1, or nan, got '1.5'"),
        ("event_f1_ci_high", "2", "event_f1_ci_high must be a number from 0 to 1, or nan, got '2'"),
        ("subject_mean_event_f1", "many", "subject_mean_event_f1 must be a number from 0 to 1, or nan, got 'many'"),
        ("mcd_fp_agreement", "-0.1", "mcd_fp_agreement must be a number from 0 to 1, or nan, got '-0.1'"),
        ("lag_mean_steps", "-3", "lag_mean_steps must be a number of at least 0, or nan, got '-3'"),
        ("hours", "inf", "hours must be a number of at least 0, or nan, got 'inf'"),
        ("hours", "1.0", "sample_fp_per_day is 0.5, but the row's counts give 72"),
        ("event_f1", "0.5", "event_f1 is 0.5, but the row's counts give 0.884956"),
        ("event_sensitivity", "nan", "event_sensitivity is nan, but the row's counts give 0.833333"),
        ("event_tp", "61", "event_tp is 61, more than the 60 of event_reference"),
        ("event_f1_ci_low", "1.0", "event_f1_ci_low is 1, above event_f1_ci_high 0."),
    ],
)
def test_a_wrong_cell_is_a_line(
    registry: Path, capsys: pytest.CaptureFixture[str], column: str, value: str, problem: str
) -> None:
    spoil(registry, column, value)
    assert main(["validate", str(registry)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{registry}, line 2: {problem}")
    assert lines[-1] == f"{registry}: registry, {len(lines) - 1} problem{'s' if len(lines) > 2 else ''}"


def test_a_stage_that_is_off_may_be_empty(registry: Path) -> None:
    for column in ("mcd_mean_agreement", "T", "event_f1_ci_low", "adapter_fingerprint"):
        spoil(registry, column, "")
    assert registry_problems(registry) == []


def test_completeness_is_per_detector_and_scope(tmp_path: Path) -> None:
    grid = [setting for setting in paper_grid() if setting.name != "baseline"]
    path = tmp_path / "r.csv"
    write_registry(path, grid, FOUND, adapter="whole")
    write_registry(path, grid[:-2], FOUND, adapter="partial")
    write_registry(path, grid[:1], FOUND, adapter="whole", mode="subset")
    labels = [setting.label for setting in paper_grid()]
    two, many = registry_problems(path, grid=labels)
    assert two == (
        f"{path}: 'partial' lacks 2 of {len(labels)} settings in mode full with 6 subjects: "
        f"{grid[-2].label}, {grid[-1].label}"
    )
    assert f"'whole' lacks {len(grid) - 1} of {len(labels)} settings in mode subset" in many
    assert many.endswith(f" and {len(grid) - 11} more")


def test_what_is_no_registry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.csv").write_text("a,b\n1,2\n")
    assert main(["validate", str(tmp_path / "r.csv")]) == 1
    assert "is not a registry of this version" in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "gone")]) == 1
    assert "gone: no such file or folder" in capsys.readouterr().err
    assert main(["validate", str(tmp_path), "--grid=paper"]) == 2
    assert main(["validate", str(tmp_path / "r.csv"), "--grid=papre"]) == 2


def test_a_sound_corpus_with_progress(tiny_corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(tiny_corpus)]) == 0
    printed = capsys.readouterr()
    summary = f"{tiny_corpus}: 3 subjects, 3 recordings could be read, 0.25 h, 3 seizures, 0 problems"
    assert printed.out.splitlines()[-1] == summary
    assert printed.err.splitlines() == [f"read {done} of 3 recordings" for done in (1, 2, 3)]


def test_every_problem_of_a_corpus_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seizures = {f"sub-{i}": [(10.0, 20.0)] for i in range(4)}
    corpus = make_corpus(tmp_path / "corpus", seizures, duration_s=60)
    events = {path.parts[-4]: path for path in corpus.rglob("*_events.tsv")}
    text = events["sub-0"].read_text()
    events["sub-0"].write_text(text + "50\t-3\tsz\tn/a\tn/a\tn/a\t60\nx\t1\tsz\tn/a\tn/a\tn/a\t60\n")
    next((corpus / "sub-1").rglob("*_eeg.edf")).write_bytes(b"no EDF")
    write_edf(next((corpus / "sub-2").rglob("*_eeg.edf")), np.zeros((2, 256 * 60)), labels=("EMG1", "EMG2"))
    assert main(["validate", str(corpus)]) == 1
    printed = capsys.readouterr().out
    problems = [line for line in printed.splitlines()[:-1] if not line.startswith("note: ")]
    assert len(problems) == 4
    assert [name in line for name, line in zip(("sub-0", "sub-0", "sub-1", "sub-2"), problems, strict=True)] == [
        True
    ] * 4
    assert printed.splitlines()[-1].endswith("1 recordings could be read, 0.02 h, 1 seizures, 4 problems")


def test_a_corpus_with_a_wrong_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = make_corpus(tmp_path / "corpus", {"sub-0": [], "sub-1": []}, duration_s=10)
    next((corpus / "sub-0").rglob("*_events.tsv")).unlink()
    shutil.rmtree(corpus / "sub-1" / "ses-01")
    assert main(["validate", str(corpus)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"{corpus}: sub-0/ses-01/eeg")
    assert lines[1].startswith(f"{corpus}: sub-1: no *_eeg file")


def test_a_corpus_without_seizures_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = make_corpus(tmp_path / "corpus", {"sub-0": []}, duration_s=10)
    assert main(["validate", str(corpus)]) == 0
    assert f"note: {corpus}: no recording has a seizure" in capsys.readouterr().out
