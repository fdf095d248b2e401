"""`robustseiz submission`, and `validate` of what it writes."""

import json
import sys
from pathlib import Path

import pytest
from registries import write_registry
from submissions import FACTS, MODEL, changed, own, published, write_json, write_predictions
from test_prediction_runs import CONFTEST, make_prediction_corpus, options

from pytest_robustseiz import submission_check
from pytest_robustseiz.cli import main
from pytest_robustseiz.shifts import CAR

TESTS = """
import pytest

@pytest.mark.robustseiz(shifts=["car"])
def test_pooled(robustseiz_experiment):
    assert robustseiz_experiment.result
"""


@pytest.fixture
def facts(tmp_path: Path) -> str:
    path = tmp_path / "facts.toml"
    path.write_text(FACTS)
    return str(path)


def submit(path: Path, facts: str, *more: str) -> int:
    return main(["submission", str(path), "--facts", facts, *more])


def test_from_a_run_to_a_submission_that_is_sound(
    pytester: pytest.Pytester, facts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = make_prediction_corpus(pytester.path / "corpus")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=TESTS)
    run = options(corpus, "--robustseiz-protocol=3", "-p", "no:xdist")
    pytester.runpytest_subprocess(*run).assert_outcomes(passed=2)
    registry, output = pytester.path / "prediction_results.csv", pytester.path / "submission.json"
    capsys.readouterr()
    assert submit(registry, facts, "--partial", "--output", str(output)) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{output}: power, protocol 3 (cross_patient_fixed), 2 patients, 1 setting\nin its ")
    assert main(["validate", str(output)]) == 0
    assert main(["validate", str(registry)]) == 0
    document = json.loads(output.read_text())
    # sub-02: 480 s between, 300 s before and 40 s in seizures; sub-07: 770, 300 and 30. The power tells them apart.
    assert document["n_windows"] == 820 + 1100
    assert document["per_class"]["interictal"] == {"correct": 1250, "total": 1250, "accuracy": 1.0}
    assert document["per_class"]["preictal"] == {"correct": 600, "total": 600, "accuracy": 1.0}
    assert document["per_patient"]["sub-07"]["per_class"]["ictal"]["total"] == 30
    assert document["miss_rate"] == {"missed_events": 0, "total_events": 3, "miss_rate": 0.0}
    # The second seizure of sub-02 comes too soon after the first to have preictal time.
    assert document["transition_detection_rate"] == pytest.approx(2 / 3)
    assert document["lead_time"] == {
        "mean_seconds": 300.0, "median_seconds": 300.0, "min_seconds": 300.0, "max_seconds": 300.0,
        "events_with_lead": 2,
    }  # fmt: skip
    assert document["robustness"]["environment"]["settings"] == 1
    assert document["identity"]["labelling"] == "across recordings"
    assert "Partial: lacks 5 of the 7 test subjects of protocol 3 (cross_patient_fixed): sub-11" in document["notes"]


def test_the_file_goes_to_standard_output_and_the_rest_does_not(
    tmp_path: Path, facts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_predictions(tmp_path / "r.csv")
    write_predictions(path, mode="subset")
    assert submit(path, facts, "--partial") == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["notes"].startswith("Synthetic.\nPartial: ")
    assert {name: document[name] for name in MODEL} == MODEL
    lines = said.err.splitlines()
    assert lines[0] == "standard output: power, protocol 2 (leave_one_patient_out), 2 patients, 3 settings"
    assert lines[1] == "left out: 4 rows in subset mode"
    assert [line.partition(": ")[0] for line in lines[2:]] == ["in its notes", "in its notes"]


def test_facts_come_from_the_project_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_predictions(tmp_path / "r.csv")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(FACTS.replace("[", "[tool.robustseiz.card."))
    assert main(["submission", str(path), "--partial"]) == 0
    assert json.loads(capsys.readouterr().out)["hardware"] == "1 CPU"
    (tmp_path / "pyproject.toml").unlink()
    assert main(["submission", str(path), "--partial"]) == 2
    assert "--facts: no model_description, model_params, training_time_hours, hardware;" in capsys.readouterr().err


def test_the_facts_of_a_card_serve_too(tmp_path: Path, facts: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_predictions(tmp_path / "r.csv")
    assert main(["card", str(path), "--facts", facts]) == 0
    assert "| Description | Power at O2 against a threshold |" in capsys.readouterr().out


def test_missing_subjects_need_a_word(tmp_path: Path, facts: str, capsys: pytest.CaptureFixture[str]) -> None:
    path, output = write_predictions(tmp_path / "r.csv", protocol="4"), tmp_path / "s.json"
    assert submit(path, facts, "--output", str(output)) == 1
    assert capsys.readouterr().err == (
        f"robustseiz submission: error: {path} lacks 5 of the 7 test subjects of protocol 4 (transition_timing): "
        "sub-11, sub-17, sub-19, sub-22, sub-23; run on all of them, or give --partial, and the notes of the file say "
        "so\n"
    )
    assert not output.exists()


def test_what_is_no_registry_of_predictions(tmp_path: Path, facts: str, capsys: pytest.CaptureFixture[str]) -> None:
    detection = tmp_path / "d.csv"
    write_registry(detection, (CAR(),), {"baseline": [9], "car": [5]})
    (tmp_path / "old.csv").write_text("balanced_accuracy\n0.5\n")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe")
    for name in ("d.csv", "gone.csv", "old.csv", "binary.csv"):
        assert submit(tmp_path / name, facts) == 1
    wrong, gone, old, binary = capsys.readouterr().err.splitlines()
    assert wrong.endswith(
        "d.csv is no registry of the prediction task, and submissions are of predictors; name one that a run with "
        "--robustseiz-task=prediction wrote"
    )
    assert gone.endswith("gone.csv: No such file or directory")
    assert "old.csv is not a registry of this version for the prediction task" in old
    assert "binary.csv: not UTF-8 text" in binary


def test_a_choice_is_a_matter_of_arguments(tmp_path: Path, facts: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_predictions(tmp_path / "r.csv")
    write_predictions(path, adapter="cnn", protocol="3")
    write_predictions(path, adapter="cnn", protocol="3", corpus="other")
    assert submit(path, facts) == 2
    assert "choose by --adapter from power, cnn" in capsys.readouterr().err
    assert submit(path, facts, "--adapter=cnn") == 2
    assert "choose one by --scope:\n  1: 2 subjects" in capsys.readouterr().err
    assert submit(path, facts, "--adapter=cnn", "--scope=2", "--protocol=3", "--partial") == 0
    assert json.loads(capsys.readouterr().out)["identity"]["corpus_fingerprint"] == "other"


def test_nothing_wrong_is_written(
    tmp_path: Path, facts: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = write_predictions(tmp_path / "r.csv"), tmp_path / "s.json"
    monkeypatch.setattr(submission_check, "submission_problems", lambda document: ["sensitivity is 2"])
    assert submit(path, facts, "--partial", "--output", str(output)) == 1
    assert "the submission would be wrong, and is not written:\n  sensitivity is 2\n" in capsys.readouterr().err
    assert not output.exists()


def test_a_file_that_cannot_be_written(tmp_path: Path, facts: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_predictions(tmp_path / "r.csv")
    assert submit(path, facts, "--partial", "--output", str(tmp_path)) == 1
    assert f"{tmp_path}: Is a directory" in capsys.readouterr().err


def test_without_jsonschema_both_commands_name_the_extra(
    tmp_path: Path, facts: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert submit(write_predictions(tmp_path / "r.csv"), facts, "--partial") == 1
    assert main(["validate", str(write_json(tmp_path / "s.json", own()))]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    for line in said.err.splitlines():
        assert line.endswith("submissions are checked with jsonschema: pip install 'pytest-robustseiz[submission]'")


def test_validate_says_what_is_wrong_with_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound = write_json(tmp_path / "sound.JSON", published("random"))
    assert main(["validate", str(sound)]) == 0
    assert capsys.readouterr().out == f"{sound}: submission, 0 problems\n"
    wrong = write_json(tmp_path / "wrong.json", changed(published("random"), ["specificity"], 0.5))
    assert main(["validate", str(wrong)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{wrong}: specificity is 0.5, but the file's own counts give 0.34126444595513256",
        f"{wrong}: submission, 1 problem",
    ]
    assert main(["validate", str(sound), "--grid=paper"]) == 2
    assert "--grid: is for registries, and this is a submission" in capsys.readouterr().err
