"""`robustseiz validate` and `merge` of registries of the prediction task."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from predictions import experiment
from registries import write_registry
from submissions import SETTINGS, SUBJECTS, write_predictions

from pytest_robustseiz.cli import main
from pytest_robustseiz.registry import PREDICTION_COLUMNS, RunFacts, as_cells, make_row
from pytest_robustseiz.registrycheck import registry_problems, row_problems
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.scoring import Stretch, prediction_counts, subject_labels
from pytest_robustseiz.shifts import CAR, Baseline


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return write_predictions(tmp_path / "r.csv")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def spoil(path: Path, **values: str) -> None:
    """Write other values into the first row."""
    rows = rows_of(path)
    rows[0] |= values
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, PREDICTION_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def spoil_subject(path: Path, name: str, **values: object) -> None:
    """Write other values into what the first row says of a subject; None removes one."""
    subjects: dict[str, dict[str, Any]] = json.loads(rows_of(path)[0]["per_subject_json"])
    subjects[name] = {key: value for key, value in (subjects[name] | values).items() if value != "gone"}
    spoil(path, per_subject_json=json.dumps(subjects))


def test_a_sound_registry(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(registry)]) == 0
    assert capsys.readouterr().out == f"{registry}: registry, 0 problems\n"


@pytest.mark.parametrize(
    "column, value, problem",
    [
        ("timestamp_utc", "yesterday", "timestamp_utc must be a time such as"),
        ("mode", "half", "mode must be full or subset, got 'half'"),
        ("protocol", "5", "protocol must be 1, 2, 3 or 4, got '5'"),
        ("degenerate", "yes", "degenerate must be 0 or 1, got 'yes'"),
        ("degenerate_class", "all", "degenerate_class must be interictal, preictal or ictal, got 'all'"),
        ("labelling", "", "labelling is empty"),
        ("per_subject_json", "[]", "per_subject_json must be a JSON object, got '[]'"),
        ("alarms", "5.0", "alarms must be a whole number of at least 0, got '5.0'"),
        ("true_ictal_pred_ictal", "-1", "true_ictal_pred_ictal must be a whole number of at least 0, got '-1'"),
        ("balanced_accuracy", "1.5", "balanced_accuracy must be a number from 0 to 1, or nan, got '1.5'"),
        ("subject_std_miss_rate", "2", "subject_std_miss_rate must be a number from 0 to 1, or nan, got '2'"),
        ("miss_rate_ci_high", "2", "miss_rate_ci_high must be a number from 0 to 1, or nan, got '2'"),
        ("chance_p_value", "1.1", "chance_p_value must be a number from 0 to 1, or nan, got '1.1'"),
        ("lead_time_max_s", "301", "lead_time_max_s must be a number from 0 to 300, or nan, got '301'"),
        ("fpr_per_h", "-1", "fpr_per_h must be a number of at least 0, or nan, got '-1'"),
        ("subject_mean_fpr_per_h", "inf", "subject_mean_fpr_per_h must be a number of at least 0, or nan, got 'inf'"),
        ("sensitivity", "0.5", "sensitivity is 0.5, but the row's counts give 0.285714"),
        ("f1_macro", "nan", "f1_macro is nan, but the row's counts give 0.4"),
        ("true_ictal_pred_ictal", "31", "n_windows"),
        ("n_windows", "11501", "n_windows is 11501, but the row's counts give 11500"),
        ("interictal_h", "2", "interictal_h is 2, but the row's counts give 3"),
        ("fpr_per_h", "2", "fpr_per_h is 2, but the row's counts give 1.66667"),
        ("miss_rate", "0.25", "miss_rate is 0.25, but the row's counts give 0.5"),
        ("transition_detection_rate", "1", "transition_detection_rate is 1, but the row's counts give 0.5"),
        ("time_in_warning", "1", "time_in_warning is 1, but the row's counts give 0.0695652"),  # 800 of 11,500
        ("degenerate", "1", "degenerate is 1 (no class), but the row's counts give 0 (no class)"),
        ("lead_time_count", "0", "lead_time_mean_s is 150, but the row's counts give nan"),
        ("lead_time_count", "0", "0 seizures with a lead time cannot come of 100 preictal windows predicted so"),
        ("lead_time_mean_s", "250", "lead times must be above 0 and at most 300 s"),
        ("lead_time_median_s", "nan", "lead times must be above 0 and at most 300 s"),
        ("alarms", "0", "0 false alarms cannot come of 600 interictal windows with a warning"),
        ("alarms", "6", "per_subject_json: alarms of the subjects add up to 5, not to 6"),
        ("missed", "5", "5 seizures missed are more than the 4 there are"),
        ("warned", "3", "3 seizures warned of are more than the 2 seizures not missed"),
        ("seizures_with_preictal", "1", "warned is 2, more than the 1 of seizures_with_preictal"),
        ("seizures_with_preictal", "9", "seizures_with_preictal is 9, more than the 4 of seizures_scored"),
        ("chance_warned", "9", "chance_warned is 9, more than the 4 of seizures_with_preictal"),
        ("seizures", "3", "seizures_scored is 4, more than the 3 seizures of the recordings"),
        ("hours", "3", "n_windows is 11500, more than the 10800 seconds of the recordings"),
        ("subjects", "3", "per_subject_json has 2 subjects, but subjects is 3"),
        ("protocol", "1", "scoring_preset is 'szpredict-0.1, protocol 2', but the row's protocol gives 'szpredict"),
        ("subject_mean_miss_rate", "0.5", "subject_mean_miss_rate is 0.5, but per_subject_json gives 0.666667"),
        ("subject_std_miss_rate", "0.5", "subject_std_miss_rate is 0.5, but per_subject_json gives 0.333333"),
        ("subject_hardest_miss_rate", "sub-02", "subject_hardest_miss_rate is sub-02, but per_subject_json gives"),
        ("subject_easiest_miss_rate", "", "subject_easiest_miss_rate is empty, but per_subject_json gives sub-02"),
    ],
)
def test_a_wrong_cell_is_a_line(
    registry: Path, capsys: pytest.CaptureFixture[str], column: str, value: str, problem: str
) -> None:
    spoil(registry, **{column: value})
    assert main(["validate", str(registry)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{registry}, line 2: {problem}") for line in lines), lines
    assert lines[-1] == f"{registry}: registry, {len(lines) - 1} problem{'s' if len(lines) > 2 else ''}"


def test_ends_of_intervals_are_in_order(registry: Path) -> None:
    spoil(registry, fpr_per_h_ci_low="2.5", fpr_per_h_ci_high="1.5")
    assert registry_problems(registry) == [f"{registry}, line 2: fpr_per_h_ci_low is 2.5, above fpr_per_h_ci_high 1.5"]


@pytest.mark.parametrize(
    "values, problem",
    [
        ({"missed": "gone"}, ", sub-02: lacks 'missed'; it is not what a run writes"),
        ({"confusion": [[1, 2], [3, 4]]}, ", sub-02: confusion: expected 3 rows of 3"),
        ({"warned": -1}, ", sub-02: warned must be a whole number of at least 0, got -1"),
        ({"warned": True}, ", sub-02: warned must be a whole number of at least 0, got True"),
        ({"f1_macro": "0.5"}, ", sub-02: f1_macro must be a number or null, got '0.5'"),
        ({"f1_macro": None}, ", sub-02: f1_macro is nan, but the subject's counts give 0.4"),
        ({"miss_rate": 0.5}, ", sub-02: miss_rate is 0.5, but the subject's counts give 0.333333"),
        ({"missed": 0, "miss_rate": 0.0}, ": missed of the subjects add up to 1, not to 2"),
        ({"lead_time_min_s": 90.0}, ", sub-02: lead times of 2 seizures must have their mean and median in the middle"),
        ({"lead_time_min_s": 90.0}, ": the least lead time is 100 s, but those of the subjects give 90 s"),
        ({"lead_time_count": 1}, ": seizures of the subjects with a lead time add up to 1, not to 2"),
    ],
)
def test_what_is_wrong_with_a_subject_is_a_line(registry: Path, values: dict[str, object], problem: str) -> None:
    spoil_subject(registry, "sub-02", **values)
    problems = registry_problems(registry)
    assert any(line.startswith(f"{registry}, line 2: per_subject_json{problem}") for line in problems), problems


def test_a_subject_must_be_an_object(registry: Path) -> None:
    spoil(registry, per_subject_json='{"sub-02": 1}')
    [problem] = registry_problems(registry)
    assert problem.endswith(
        "per_subject_json, sub-02: expected an object with counts and figures, got 1; it is not what a run writes"
    )


def test_what_has_no_value_may_be_empty(registry: Path) -> None:
    spoil(registry, mcd_mean_agreement="", T="", adapter_fingerprint="", fpr_per_h_ci_low="", corpus_name="")
    spoil(registry, protocol="", scoring_preset="szpredict-0.1")
    assert registry_problems(registry) == []


def test_completeness_names_the_protocol(tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "r.csv")
    write_predictions(path, protocol="3", settings=[Baseline()])
    write_predictions(path, protocol="", settings=SETTINGS[:-1])
    labels = [setting.label for setting in SETTINGS]
    assert registry_problems(path, grid=labels) == [
        f"{path}: 'power' lacks 3 of 4 settings in mode full with 2 subjects by protocol 3: {', '.join(labels[1:])}",
        f"{path}: 'power' lacks 1 of 4 settings in mode full with 2 subjects: car",
    ]


def test_a_registry_of_another_version_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("balanced_accuracy,more\n0.5,1\n")
    [problem] = registry_problems(path)
    assert "is not a registry of this version for the prediction task" in problem
    assert "unknown: more" in problem


def test_many_subjects_can_be_read_back(tmp_path: Path) -> None:
    many = {f"sub-{number:03d}": SUBJECTS["sub-02"] for number in range(250)}
    path = write_predictions(tmp_path / "r.csv", found={"baseline": many}, settings=[Baseline()])
    assert len(rows_of_any_length(path)[0]["per_subject_json"]) > csv.field_size_limit()
    assert registry_problems(path) == []


def rows_of_any_length(path: Path) -> list[dict[str, str]]:
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return [{str(name): str(cell) for name, cell in row.items()} for row in table.to_dict("records")]


@st.composite
def subjects(draw: st.DrawFn) -> dict[str, Any]:
    """What a predictor without any sense says of up to three synthetic subjects."""
    found = {}
    for number in range(draw(st.integers(1, 3))):
        known, clock, stretches = draw(st.booleans()), 0.0, []
        for _ in range(draw(st.integers(1, 3))):
            length = draw(st.integers(1, 1500))
            starts = draw(st.lists(st.integers(0, max(length - 1, 0)), max_size=3))
            events = tuple((float(start), min(start + draw(st.floats(0, 90)), float(length))) for start in starts)
            stretches.append(Stretch(start_s=clock if known else None, duration_s=float(length), seizures=events))
            clock += length + draw(st.sampled_from([0.0, 100.0, 5000.0]))
        labels = subject_labels(stretches)
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        noise = draw(st.sampled_from([(1, 0, 0), (0.99, 0.01, 0), (0.3, 0.3, 0.4), (0, 0, 1)]))
        said = [rng.choice(3, size=len(windows.labels), p=noise) for windows in labels.windows]
        found[f"sub-{number:02d}"] = prediction_counts(labels, said)
    return found


@settings(max_examples=60, deadline=None)
@given(subjects())
def test_whatever_a_run_writes_is_sound(found: dict[str, Any]) -> None:
    run = RunFacts(datetime(2026, 1, 1, tzinfo=UTC), "/data", "/out", "full", 0, protocol="2")
    row = make_row(experiment(Baseline(), found), adapter="a", fingerprint="", corpus="c", facts=run)
    stored = StoredRow(Path("r.csv"), 2, as_cells(row))
    assert row_problems(stored) == []


def test_registries_of_predictions_are_joined_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    late = write_predictions(tmp_path / "late.csv", day=2)
    early = write_predictions(tmp_path / "early.csv", protocol="3")
    other = write_predictions(tmp_path / "other.csv", protocol="4")  # of the same second, and no duplicate
    out = tmp_path / "all.csv"
    assert main(["merge", str(out), str(late), str(early), str(other)]) == 0
    assert capsys.readouterr().out == f"{out}: 12 rows of 3 registries\n"
    assert rows_of(out) == rows_of(early) + rows_of(other) + rows_of(late)
    assert registry_problems(out) == []
    assert main(["merge", str(tmp_path / "twice.csv"), str(late), str(out)]) == 1
    assert "rows occur twice; remove one of each" in capsys.readouterr().err


def test_registries_of_two_tasks_are_not_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prediction, detection = write_predictions(tmp_path / "p.csv"), tmp_path / "d.csv"
    write_registry(detection, (CAR(),), {"baseline": [9], "car": [5]})
    out = tmp_path / "out.csv"
    assert main(["merge", str(out), str(prediction), str(detection)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "robustseiz merge: error: registries of two tasks cannot be joined; join those of each:",
        f"  {prediction} is of the prediction task",
        f"  {detection} is of the detection task",
    ]
    assert not out.exists()
