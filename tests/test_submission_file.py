"""Submissions from registries: which rows, which figures, and what the author says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, recall_score
from submissions import (
    BOTH,
    CLASSES,
    FACTS,
    FIRST,
    MODEL,
    SECOND,
    SETTINGS,
    SUBJECTS,
    Matrix,
    at,
    leaves,
    own,
    predicted,
    write_predictions,
)  # fmt: skip

from pytest_robustseiz.cardfacts import FactsError, read_facts
from pytest_robustseiz.shifts import AWGN, CAR, Baseline, paper_grid
from pytest_robustseiz.submission_check import submission_problems
from pytest_robustseiz.submission_facts import described
from pytest_robustseiz.submission_file import as_text, robustness, submission
from pytest_robustseiz.submission_rows import ChoiceError, Chosen, SubmissionError, choose, prediction_rows

# As the specification lists them, then what is added.
IN_ORDER = [
    "benchmark_version", "protocol", "model_name", "model_description", "model_params", "training_time_hours",
    "hardware", "preprocessing", "notes", "n_windows", "per_class", "confusion_matrix", "seizure_discrimination",
    "sensitivity", "specificity", "false_negative_rate", "false_positive_rate", "f1_macro", "balanced_accuracy",
    "degenerate", "clinical_utility", "miss_rate", "lead_time", "per_patient",
    "fpr_per_hour", "transition_detection_rate", "across_patients", "robustness", "identity",
]  # fmt: skip
AWGN_0, AWGN_10 = AWGN(snr_db=0).label, AWGN(snr_db=10).label


def chosen(path: Path, **how: Any) -> Chosen:
    return choose(prediction_rows(path), **{"adapter": None, "protocol": None, "scope": None} | how)


def expanded(rows: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted class of each window."""
    cells = [(true, said) for true in range(3) for said in range(3) for _ in range(rows[true][said])]
    true, said = np.array(cells).T
    return true, said


@pytest.mark.parametrize(
    "place, rows", [((), BOTH), (("per_patient", "sub-02"), FIRST), (("per_patient", "sub-07"), SECOND)]
)
def test_figures_are_those_of_scikit_learn(tmp_path: Path, place: tuple[str, ...], rows: Matrix) -> None:
    block = at(submission(chosen(write_predictions(tmp_path / "r.csv")), MODEL), place)
    true, said = expanded(rows)
    recalls = confusion_matrix(true, said, labels=[0, 1, 2], normalize="true").diagonal()
    assert block["n_windows"] == len(true)
    assert [block["per_class"][name]["accuracy"] for name in CLASSES] == pytest.approx(recalls.tolist(), abs=1e-12)
    assert block["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(true, said), abs=1e-12)
    macro = f1_score(true, said, labels=[0, 1, 2], average="macro")
    assert block["f1_macro"] == pytest.approx(macro, abs=1e-12)
    sensitivity, specificity = recall_score(true > 0, said > 0), recall_score(true == 0, said == 0)
    assert block["sensitivity"] == block["seizure_discrimination"] == pytest.approx(sensitivity, abs=1e-12)
    assert block["clinical_utility"]["warn_rate_given_seizure"] == block["sensitivity"]
    assert block["specificity"] == pytest.approx(specificity, abs=1e-12)
    assert block["false_negative_rate"] == pytest.approx(1 - sensitivity, abs=1e-12)
    assert block["clinical_utility"]["false_alarm_rate"] == block["false_positive_rate"]
    assert block["false_positive_rate"] == pytest.approx(1 - specificity, abs=1e-12)


def test_a_registry_gives_the_file_that_was_made_by_hand(tmp_path: Path) -> None:
    noisy = predicted(((1800, 1800, 0), (200, 100, 0), (60, 0, 0)), alarms=60, warned=1, leads=(40.0,))
    path = write_predictions(tmp_path / "r.csv", found={AWGN_0: SUBJECTS | {"sub-02": noisy}})
    document = submission(chosen(path), {**MODEL, "preprocessing": "none"})
    expected = own()
    for name in ("notes", "robustness"):
        expected.pop(name)
    for place in leaves(expected):
        value = at(expected, place)
        assert at(document, place) == (pytest.approx(value, abs=1e-12) if isinstance(value, float) else value), place
    assert list(document) == IN_ORDER
    assert list(document["robustness"]) == ["environment", "noise"]
    assert document["robustness"]["noise"]["fpr_per_hour"] == {
        "min": pytest.approx(5 / 3),
        "max": pytest.approx(60 / 3),
        "worst": AWGN_0,
    }
    assert submission_problems(document) == []
    assert json.loads(as_text(document)) == document


def test_the_other_protocols_have_their_statistics(tmp_path: Path) -> None:
    document = submission(chosen(write_predictions(tmp_path / "1.csv", protocol="1")), MODEL)
    assert document["protocol"] == "patient_specific"
    values = [5 / 9, 1 / 3]
    expected = {"patients": 2, "mean": np.mean(values), "std": np.std(values), "median": np.median(values)}
    assert document["across_patients"]["balanced_accuracy"] == pytest.approx(expected)
    assert submission_problems(document) == []
    for protocol, name in (("3", "cross_patient_fixed"), ("4", "transition_timing")):
        document = submission(chosen(write_predictions(tmp_path / f"{protocol}.csv", protocol=protocol)), MODEL)
        assert document["protocol"] == name
        assert "across_patients" not in document
        assert submission_problems(document) == []


def test_a_figure_that_does_not_apply_is_zero_and_left_out_of_the_mean(tmp_path: Path) -> None:
    healthy = predicted(((3600, 0, 0), (0, 0, 0), (0, 0, 0)), seizures=0)
    found = {"baseline": {**SUBJECTS, "sub-09": healthy}}
    path = write_predictions(tmp_path / "r.csv", found=found, settings=[Baseline()])
    document = submission(chosen(path), MODEL)
    patient = document["per_patient"]["sub-09"]
    assert patient["sensitivity"] == patient["miss_rate"]["miss_rate"] == patient["lead_time"]["mean_seconds"] == 0
    assert patient["f1_macro"] == pytest.approx(1 / 3)  # classes that neither occur nor are predicted count 0
    across = document["across_patients"]
    assert (across["sensitivity"]["patients"], across["specificity"]["patients"]) == (2, 3)
    assert (across["f1_macro"]["patients"], across["lead_time_mean_seconds"]["patients"]) == (2, 1)
    assert across["specificity"]["mean"] == pytest.approx((5 / 6 + 1 + 1) / 3)
    assert document["robustness"] == {}
    assert submission_problems(document) == []


def test_a_corpus_without_seizures_gives_zeros(tmp_path: Path) -> None:
    healthy = predicted(((3599, 1, 0), (0, 0, 0), (0, 0, 0)), seizures=0, alarms=1)
    found = {setting.label: {"sub-02": healthy} for setting in SETTINGS}
    document = submission(chosen(write_predictions(tmp_path / "r.csv", found=found)), MODEL)
    assert document["miss_rate"] == {"missed_events": 0, "total_events": 0, "miss_rate": 0.0}
    assert document["transition_detection_rate"] == 0
    assert document["fpr_per_hour"] == 1
    assert document["across_patients"]["miss_rate"] == {
        "patients": 0, "mean": 0.0, "std": 0.0, "hardest": None, "easiest": None,
    }  # fmt: skip
    assert submission_problems(document) == []


def test_ranges_have_the_worst_setting_whichever_way_is_worse(tmp_path: Path) -> None:
    silent = {"sub-02": predicted(((3600, 0, 0), (300, 0, 0), (60, 0, 0)), missed=1)}
    loud = {
        "sub-02": predicted(((1800, 1800, 0), (0, 300, 0), (0, 0, 60)), alarms=30, warned=1, leads=(300.0,)),
    }
    base = {"sub-02": predicted(((3600, 0, 0), (150, 150, 0), (0, 0, 60)), warned=1, leads=(150.0,))}
    found = {"baseline": base, AWGN_10: silent, AWGN_0: loud, CAR().label: base}
    block = robustness(chosen(write_predictions(tmp_path / "r.csv", found=found)).settings)
    assert block["noise"] == {
        "settings": 2,
        "balanced_accuracy": {"min": pytest.approx(1 / 3), "max": pytest.approx(5 / 6), "worst": AWGN_10},
        "fpr_per_hour": {"min": 0.0, "max": 30.0, "worst": AWGN_0},
        "miss_rate": {"min": 0.0, "max": 1.0, "worst": AWGN_10},
        # A setting under which nothing is predicted has the least lead time, and does not drop out.
        "lead_time_mean_seconds": {"min": 0.0, "max": 300.0, "worst": AWGN_10},
    }
    assert block["environment"]["settings"] == 1
    assert block["environment"]["lead_time_mean_seconds"] == {"min": 150.0, "max": 150.0, "worst": "car"}


def test_of_equal_values_the_first_by_name_is_the_worst(tmp_path: Path) -> None:
    block = robustness(chosen(write_predictions(tmp_path / "r.csv")).settings)
    assert block["noise"]["miss_rate"]["worst"] == min(AWGN_0, AWGN_10)


def test_the_latest_row_of_each_setting_counts(tmp_path: Path) -> None:
    better = predicted(((7200, 0, 0), (299, 1, 0), (40, 0, 0)), warned=1, leads=(9.0,))
    path = write_predictions(tmp_path / "r.csv", found={AWGN_0: SUBJECTS | {"sub-07": better}}, day=3)
    write_predictions(path, day=2)  # an older run that was appended later
    found = chosen(path)
    assert {row["timestamp_utc"][:10] for row in (found.baseline, *found.settings)} == {"2026-01-03"}
    assert [row["experiment_name"] for row in found.settings] == ["car", AWGN_0, AWGN_10]
    write_predictions(path, day=4, settings=[CAR()])
    assert [row["timestamp_utc"][8:10] for row in chosen(path).settings] == ["04", "03", "03"]


def test_the_newest_weights_are_submitted_and_the_rest_is_said(tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "r.csv", fingerprint="new", day=2)
    write_predictions(path, fingerprint="old", day=1)
    write_predictions(path, mode="subset", day=3)
    write_predictions(path, protocol="", day=3)
    found = chosen(path)
    assert found.baseline["adapter_fingerprint"] == "new"
    assert found.left_out == (
        "4 rows in subset mode",
        "4 rows without a protocol",
        "4 rows of another fingerprint or package version than the newest",
    )


def test_the_rows_to_choose_from_are_named(tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "r.csv")
    write_predictions(path, adapter="cnn")
    write_predictions(path, protocol="3")
    write_predictions(path, protocol="3", seed=8)
    with pytest.raises(ChoiceError, match=r"has several predictors: choose by --adapter from power, cnn$"):
        chosen(path)
    with pytest.raises(ChoiceError, match=r"--adapter: no 'cmn' in .*r.csv; there is power, cnn$"):
        chosen(path, adapter="cmn")
    with pytest.raises(ChoiceError, match=r"has several protocols: choose by --protocol from 2, 3$"):
        chosen(path, adapter="power")
    with pytest.raises(ChoiceError, match=r"--protocol: no '1' in .*; there is 2, 3$"):
        chosen(path, adapter="power", protocol="1")
    scopes = (
        r"has 2 scopes; choose one by --scope:\n  1: 2 subjects, 2 recordings of corpus Synthetic "
        r"\(fingerprint c0ffee\), seed 7; 4 rows, the last of 2026-01-01T00:00:00Z\n  2: .*seed 8"
    )
    with pytest.raises(ChoiceError, match=scopes):
        chosen(path, adapter="power", protocol="3")
    with pytest.raises(ChoiceError, match=r"has 2 scopes; --scope: there is no 3:"):
        chosen(path, adapter="power", protocol="3", scope=3)
    assert chosen(path, adapter="power", protocol="3", scope=2).baseline["seed"] == "8"
    assert chosen(path, adapter="cnn").baseline["adapter"] == "cnn"


@pytest.mark.parametrize(
    "how, message",
    [
        ({"mode": "subset"}, "r.csv has only rows of subset mode, which tests some subjects; run with --robust"),
        ({"protocol": ""}, "r.csv has only rows without a protocol, and a submission needs one; run with"),
        ({"settings": SETTINGS[1:]}, "has no row of the baseline of 'power' in this scope; run it"),
    ],
)
def test_what_makes_no_submission(tmp_path: Path, how: dict[str, Any], message: str) -> None:
    path = write_predictions(tmp_path / "r.csv", **how)
    with pytest.raises(SubmissionError, match=message):
        chosen(path)


def test_rows_that_contradict_themselves_are_refused(tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "r.csv")
    text = path.read_text().replace("baseline,baseline,baseline", "baseline,baseline,baselime", 1)
    path.write_text(text.replace(",0.5,", ",0.6,", 1))
    with pytest.raises(SubmissionError, match=r"r.csv has rows that are wrong; repair or remove them.*:\n  line 2: "):
        chosen(path)


def test_the_default_grid_that_was_not_run_is_in_the_notes(tmp_path: Path) -> None:
    grid = paper_grid()
    path = write_predictions(tmp_path / "r.csv", settings=[setting for setting in grid if setting.name != "car"])
    mine, partial, ranges = submission(chosen(path), {**MODEL, "notes": "Mine."})["notes"].split("\n")
    assert mine == "Mine."
    assert partial.startswith("Partial: lacks 22 of the 24 subjects of protocol 2 (leave_one_patient_out): sub-01, ")
    assert ranges == f"Robustness: 1 of the {len(grid)} settings of the default grid were not run or do not apply: car."


def test_only_what_a_protocol_tests_can_be_missing(tmp_path: Path) -> None:
    one = predicted(FIRST, alarms=5, warned=1, leads=(9.0,))
    whole = {f"sub-chb{number:02d}": one for number in (2, 7, 11, 17, 19, 22, 23)}
    path = write_predictions(tmp_path / "r.csv", protocol="4", found={"baseline": whole}, settings=[Baseline()])
    assert "Partial" not in submission(chosen(path), MODEL)["notes"]
    del whole["sub-chb17"]
    write_predictions(path, protocol="4", found={"baseline": whole}, settings=[Baseline()])
    notes = submission(chosen(path, scope=2), MODEL)["notes"]
    assert notes.startswith("Partial: lacks 1 of the 7 test subjects of protocol 4 (transition_timing): sub-17.\n")


def facts(folder: Path, text: str) -> dict[str, dict[str, object]]:
    (folder / "facts.toml").write_text(text)
    return read_facts(folder / "facts.toml")


def test_facts_give_the_fields_of_the_author(tmp_path: Path) -> None:
    assert described(facts(tmp_path, FACTS)) == {**MODEL, "preprocessing": "none", "notes": "Synthetic."}
    own_words = described(facts(tmp_path, FACTS + 'model_description = "Mine"\npost_processing = "median of 5"\n'))
    assert (own_words["model_description"], own_words["post_processing"]) == ("Mine", "median of 5")
    assert list(own_words)[:4] == list(MODEL)
    assert described(facts(tmp_path, FACTS.replace("= 0.5", '= "unknown"')))["training_time_hours"] is None


@pytest.mark.parametrize(
    "text, message",
    [
        ("", r"^no model_description, model_params, training_time_hours, hardware; give them in section \[sub"),
        ("", r"\[tool.robustseiz.card.submission\] of ./pyproject.toml(.|\n)*  model_params: number of parameters"),
        (FACTS.replace("model_params = 1\n", ""), "^no model_params; give"),
        (FACTS.replace("= 1\n", "= 2.5e6\n"), "model_params: expected a whole number of at least 0, .*got 2500000"),
        (FACTS.replace("= 1\n", "= -1\n"), "submission.model_params: expected a whole number"),
        (FACTS.replace("= 1\n", "= true\n"), "submission.model_params: expected a whole number"),
        (FACTS.replace("= 0.5", "= -2"), 'expected a number of hours of at least 0, or "unknown", got -2'),
        (FACTS.replace("= 0.5", "= inf"), "training_time_hours: expected a number of hours"),
        (FACTS.replace("= 0.5", '= "long"'), "training_time_hours: expected a number of hours"),
        (FACTS.replace('"1 CPU"', "1"), "submission.hardware: expected text, got 1"),
        (FACTS.replace('"1 CPU"', '" "'), "submission.hardware: expected text, got ' '"),
        (FACTS.replace('"1 CPU"', '""'), "^no hardware; give"),
        (FACTS + "speed = 1\n", "unknown submission.speed; there are model_description, model_params"),
    ],
)
def test_wrong_facts_are_refused_all_at_once(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FactsError, match=message):
        described(facts(tmp_path, text))
