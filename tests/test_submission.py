"""The check of submissions: what it takes, and what it finds."""

import math
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from submissions import Json, at, changed, leaves, matrix, objects, own, published, without, write_json

from pytest_robustseiz.submission_check import file_problems, schema, submission_problems

OPTIONAL = {("preprocessing",), ("notes",), ("seed",)}
# What does not follow from the file's own counts.
FREE = (
    "benchmark_version", "protocol", "model_", "training_", "hardware", "preprocessing", "notes", "seed", "identity",
    "robustness",
)  # fmt: skip


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())
    for name, part in schema()["$defs"].items():
        assert part.get("additionalProperties") is not None or part.get("type") != "object", name


@pytest.mark.parametrize("document", [published("majority"), published("random"), own()])
def test_sound_files_have_no_problem(document: Json, tmp_path: Path) -> None:
    assert submission_problems(document) == []
    path = write_json(tmp_path / "s.json", document)
    assert file_problems(path) == []
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors begin files
    assert file_problems(path) == []


def test_whole_numbers_may_be_written_with_a_point() -> None:
    document = changed(own(), ["confusion_matrix", "preictal", "pred_preictal"], 100.0)
    assert submission_problems(changed(document, ["lead_time", "events_with_lead"], 2.0)) == []


@pytest.mark.parametrize("document", [published("majority"), published("random"), own()])
def test_every_entry_is_needed(document: Json) -> None:
    paths = [path for path in objects(document) if path not in OPTIONAL and path[-2:-1] != ("per_patient",)]
    assert len(paths) > 40
    for path in paths:
        if path != ("robustness", "noise"):  # a run of the baseline alone has no family
            assert submission_problems(without(document, path)), path


def test_what_is_optional_may_be_missing() -> None:
    document = own()
    for path in [("preprocessing",), ("robustness", "noise")]:
        assert submission_problems(without(document, path)) == []


@pytest.mark.parametrize("document", [published("majority"), published("random"), own()])
def test_every_value_must_be_of_its_kind(document: Json) -> None:
    for path in leaves(document):
        problems = submission_problems(changed(document, path, []))
        assert any(line.startswith(".".join(path)) for line in problems), (path, problems)


@pytest.mark.parametrize("document", [published("majority"), published("random"), own()])
def test_every_figure_that_follows_from_counts_must_follow(document: Json) -> None:
    paths = [path for path in leaves(document) if not path[0].startswith(FREE)]
    assert len(paths) >= 34
    for path in paths:
        wrong = _wrong(at(document, path))
        if path != ("miss_rate", "total_events") or document["miss_rate"]["miss_rate"]:  # 0 of 15 is 0 of 16
            assert submission_problems(changed(document, path, wrong)), (path, wrong)


def _wrong(value: Any) -> object:
    """Another value that the schema takes, near the right one."""
    if value is None or isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return "ictal"
    if isinstance(value, int):
        return value + 1
    return value + 1e-6 if value < 1e-6 else value * (1 - 1e-6)


def test_rounding_is_no_problem() -> None:
    for path in leaves(own()):
        value = at(own(), path)
        if isinstance(value, float) and path[0] != "robustness" and path[-1] != "threshold":
            near = math.nextafter(value, 0.0)
            assert submission_problems(changed(own(), path, near)) == [], path


@pytest.mark.parametrize(
    "path, value, problem",
    [
        (["sensitivity"], 0.5, "sensitivity is 0.5, but the file's own counts give 0.2857142857142857"),
        (["sensitivity"], 1.5, "sensitivity: 1.5 is greater than the maximum of 1"),
        (["n_windows"], -1, "n_windows: -1 is less than the minimum of 0"),
        (["n_windows"], 11400.5, "n_windows: 11400.5 is not of type 'integer'"),
        (["protocol"], "3", "protocol: '3' is not one of ['patient_specific', 'leave_one_patient_out', "),
        (["benchmark_version"], "0.2", "benchmark_version: '0.1' was expected"),
        (["model_name"], "", "model_name: ''"),
        (["model_params"], 1.5, "model_params: 1.5 is not of type 'integer'"),
        (["fpr_per_hour"], 1.5, "fpr_per_hour is 1.5, which is not that of any whole number alarms per hour"),
        (["fpr_per_hour"], 0.0, "0 false alarms cannot come of 600 interictal windows with a warning"),
        (["fpr_per_hour"], 601 / 3, "601 false alarms cannot come of 600 interictal windows with a warning"),
        (["transition_detection_rate"], 0.3, "transition_detection_rate is 0.3, which is not that of any whole number"),
        (["transition_detection_rate"], 0.75, "3 seizures warned of are more than the 2 seizures not missed"),
        (["transition_detection_rate"], 0.25, "2 seizures with a lead time are more than the 1 seizures warned of"),
        (["miss_rate", "missed_events"], 5, "miss_rate.miss_rate is 0.5, but the file's own counts give 1.25"),
        (["miss_rate"], None, "miss_rate: None is not of type 'object'"),
        (["lead_time", "max_seconds"], 301, "lead_time.max_seconds: 301 is greater than the maximum of 300"),
        (["lead_time", "min_seconds"], 160, "lead times must be above 0 and at most 300 s"),
        (["lead_time", "min_seconds"], 0, "lead times must be above 0 and at most 300 s"),
        (["lead_time", "median_seconds"], 140, "lead times of 2 seizures must have their mean and median in"),
        (["lead_time", "events_with_lead"], 0, "lead_time.mean_seconds is 150.0, but the file's own counts give 0.0"),
        (["degenerate", "is_degenerate"], True, "degenerate.is_degenerate is True, but the file's own counts"),
        (["per_patient", "sub-07", "sensitivity"], 0.1, "per_patient.sub-07: sensitivity is 0.1, but"),
        (["per_patient", "sub-07", "n_windows"], "x", "per_patient.sub-07.n_windows: 'x' is not of type 'integer'"),
        (["per_patient"], {}, "per_patient: {}"),
        (["across_patients", "miss_rate", "mean"], 0.5, "across_patients.miss_rate.mean is 0.5, but"),
        (["across_patients", "miss_rate", "hardest"], "sub-02", "across_patients.miss_rate.hardest is sub-02, but"),
        (["robustness", "noise", "miss_rate", "min"], 0.75, "robustness.noise.miss_rate: min is 0.75, above max 0.5"),
        (["robustness", "noise", "miss_rate", "max"], 1.5, "robustness.noise.miss_rate.max: 1.5 is greater than"),
        (["robustness", "noise", "settings"], 1, "robustness.noise.balanced_accuracy: min is 0.4 and max 0.5, of 1"),
        (["robustness", "noise", "settings"], 0, "robustness.noise.settings: 0 is less than the minimum of 1"),
        (["notes"], "Synthetic.", "per_patient lacks 22 of the 24 subjects of protocol 2 (leave_one_patient_out): "),
        (["more"], 1, "the file: Additional properties are not allowed ('more' was unexpected)"),
        (["protocol"], "transition_timing", "across_patients: is not for this protocol"),
        (["protocol"], "patient_specific", "across_patients.sensitivity: 'median' is a required property"),
    ],
)
def test_a_problem_is_a_line(path: list[str], value: object, problem: str) -> None:
    problems = submission_problems(changed(own(), path, value))
    assert any(line.startswith(problem) for line in problems), problems
    assert all(len(line) < 400 and "\n" not in line for line in problems)


def test_a_line_does_not_hold_the_whole_file() -> None:
    [problem] = submission_problems(changed(own(), ["sensitivity"], own()["per_patient"]))
    assert problem.startswith("sensitivity: {'sub-02': {")
    assert problem.endswith(" is not of type 'number'")
    assert len(problem) < 200


def test_patients_add_up_to_the_whole() -> None:
    first = own()["per_patient"]["sub-02"]
    problems = submission_problems(changed(own(), ["per_patient"], {"sub-02": first, "sub-07": first}))
    assert "per_patient: alarms of the subjects add up to 10, not to 5" in problems
    assert "per_patient: seizures of the subjects with a lead time add up to 4, not to 2" in problems
    matrices = "per_patient: the confusion matrices of the subjects add up to [[6000, "
    assert any(line.startswith(matrices) for line in problems)
    problems = submission_problems(changed(own(), ["per_patient", "sub-02", "lead_time", "min_seconds"], 90.0))
    assert "per_patient: the least lead time is 100 s, but those of the subjects give 90 s" in problems


def test_files_of_others_may_say_less_of_patients() -> None:
    patients = {"chb02": {"sensitivity": 0.5, "specificity": 0.5, "seizure_discrimination": 0.5}}
    assert submission_problems({**published("random"), "per_patient": patients}) == []
    [problem] = submission_problems({**published("random"), "per_patient": {"chb02": {"sensitivity": 2}}})
    assert problem == "per_patient.chb02.sensitivity: 2 is greater than the maximum of 1"


def test_a_matrix_that_lacks_windows_is_found() -> None:
    # So are SzPredict's results/run1_baseline.json: 2,000 interictal windows by class, and 65 in the matrix.
    document = changed(published("majority"), ["confusion_matrix"], matrix(((65, 0, 0), (308, 0, 0), (58, 0, 0))))
    for name, correct, total in (("interictal", 65, 2000), ("preictal", 0, 6570), ("ictal", 0, 1548)):
        accuracy = correct / total
        document["per_class"][name] = {"correct": correct, "total": total, "accuracy": accuracy}
    problems = submission_problems(document)
    assert "per_class.interictal.total is 2000, but the file's own counts give 65" in problems
    assert "per_class.preictal.total is 6570, but the file's own counts give 308" in problems


@pytest.mark.parametrize(
    "text, problem",
    [
        ("{", "not a JSON file: Expecting property name"),
        ('{"sensitivity": NaN}', "not a JSON file: NaN is not a number of JSON; 0/0 is written as 0.0"),
        ('{"a": 1, "a": 2}', "not a JSON file: 'a' stands twice in one object"),
        ("[1]", "the file: [1] is not of type 'object'"),
    ],
)
def test_what_is_no_submission_at_all(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "s.json").write_text(text)
    assert file_problems(tmp_path / "s.json")[0].startswith(f"{tmp_path / 's.json'}: {problem}")


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_bytes(b"\xff\xfe{")
    assert "not a JSON file" in file_problems(tmp_path / "s.json")[0]
    assert file_problems(tmp_path / "gone.json") == [f"{tmp_path / 'gone.json'}: No such file or directory"]


def test_without_jsonschema_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(ImportError, match=r"pip install 'pytest-robustseiz\[submission\]'"):
        submission_problems(own())
