"""Subjects of the training are never evaluated."""

import csv
import importlib.util
from pathlib import Path

import pytest
from tiny import CONFTEST

from pytest_robustseiz.training import (
    TrainingError,
    check_training_subjects,
    read_training_subjects,
    require_disjoint,
    training_line,
)

ALL_FIXTURES = """
import pytest

@pytest.mark.robustseiz(shifts=["awgn"])
def test_case(robustseiz_case):
    pass

@pytest.mark.robustseiz(shifts=["awgn"])
def test_experiment(robustseiz_experiment):
    pass

@pytest.mark.robustseiz(shifts=["awgn"])
def test_curve(robustseiz_curve):
    pass

@pytest.mark.robustseiz(shifts=["awgn"])
def test_profile(robustseiz_profile):
    pass
"""
N_ALL = 3 * 7 + 7 + 1 + 1
TRAINED = """

@pytest.fixture(scope="session")
def robustseiz_training_subjects():
    return {names}
"""
LOGGING = CONFTEST.replace("PowerDetector()", "PowerDetector(print_to='calls.log')")
WAYS = [[], ["-p", "no:xdist"], *([["-n2"]] if importlib.util.find_spec("xdist") else [])]


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", *more]


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "experiments_results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


# Files


@pytest.mark.parametrize(
    "text",
    [
        "sub-01\n02\n",
        "\n  sub-02  # seen in fold 1\n# a comment\n01\n01\n",
        "\ufeffsub-01\r\nsub-02\r\n",
        "participant_id\nsub-01\nsub-02\n",
        "age\tparticipant_id\tsplit\n4\tsub-01\ttrain\n\n# left out\nn/a\tsub-02\t\n",
    ],
)
def test_a_list_or_a_table_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "training.txt"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_training_subjects(path) == ("sub-01", "sub-02")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"sub-01 sub-02\nsub-03\nsub-04,sub-05\n", r"training\.txt:1: 'sub-01 sub-02'\n.*training\.txt:3: 'sub-04,su"),
        (b"# nobody\n\n", r"training\.txt: holds no name; list one subject per line"),
        (b"participant_id\tage\n", r"training\.txt: holds no name"),
        (b"", r"training\.txt: holds no name"),
        (b"name\tage\nsub-01\t3\n", r"without the column participant_id; it has \['name', 'age'\]"),
        (b"age\tparticipant_id\n3\n4\tsub-02\n", r"training\.txt:2: ''"),
        (b"\xff\xfe", r"training\.txt: not UTF-8 text"),
    ],
)
def test_a_file_that_is_neither_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "training.txt").write_bytes(content)
    with pytest.raises(TrainingError, match=message):
        read_training_subjects(tmp_path / "training.txt")


@pytest.mark.parametrize("value", [["sub-02", "01"], ("01", "02", "02"), {"sub-01": 0, "02": 1}.keys(), {"01", "02"}])
def test_any_collection_of_names_will_do(value: object) -> None:
    assert check_training_subjects(value) == ("sub-01", "sub-02")


@pytest.mark.parametrize(
    "value, message",
    [
        ("sub-01", "expected a list of names such as .*, got 'sub-01'"),
        (iter(["sub-01"]), "got <list_iterator"),
        ({"sub-01": 1}, "got {'sub-01': 1}"),
        (None, "got None"),
        (["sub-01", 2, ""], "got 2, '' in it"),
        (["sub-01 sub-02"], "got 'sub-01 sub-02' in it"),
    ],
)
def test_anything_else_is_an_error(value: object, message: str) -> None:
    with pytest.raises(TrainingError, match=f"fixture robustseiz_training_subjects: .*{message}"):
        check_training_subjects(value)


def test_an_overlap_names_subjects_source_and_remedy() -> None:
    names = [f"sub-{i:02d}" for i in range(30)]
    require_disjoint(names, ["sub-30"], source="s")
    with pytest.raises(TrainingError, match=r"^s: 1 of 30 training subjects would be evaluated: sub-07; .*evaluate a "):
        require_disjoint(names, ["sub-07", "sub-30"], source="s")
    with pytest.raises(TrainingError, match=r"^s: 30 of 30 .*: sub-00, .*, sub-19 and 10 more; "):
        require_disjoint(names, names, source="s")


def test_the_line_of_the_summary_guards_against_typing_errors() -> None:
    scope, corpus = ["sub-01", "sub-chb02"], ["sub-01", "sub-chb02", "sub-03", "sub-04"]
    elsewhere = training_line(["sub-03", "sub-90"], scope, corpus)
    assert elsewhere == "training subjects: 2 given, none in the scope, 1 of them in this corpus"
    unknown = training_line(["sub-90"], scope, corpus)
    assert unknown.endswith("none in the scope, and none in this corpus: check how they are spelt")
    for nearly, like in {
        "sub-1": "sub-01",
        "sub-001": "sub-01",
        "sub-CHB2": "sub-chb02",
        "sub-chb-02": "sub-chb02",
    }.items():
        line = training_line([nearly, "sub-03"], scope, corpus)
        assert line.endswith(f"; spelt nearly as one in the scope: {nearly} (like {like})")
    for different in ("sub-10", "sub-11", "sub-2"):
        assert "nearly" not in training_line([different], scope, corpus)
    assert "nearly" not in training_line(["sub-101"], ["sub-11"], ["sub-11"])


# Runs


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_an_overlap_of_the_fixture_fails_every_test_before_any_case(
    pytester: pytest.Pytester, tiny_corpus: Path, way: list[str]
) -> None:
    pytester.makeconftest(LOGGING + TRAINED.format(names=["02", "sub-90"]))
    pytester.makepyfile(test_a=ALL_FIXTURES, test_plain="def test_it():\n    pass\n")
    result = pytester.runpytest_subprocess(*way, *options(tiny_corpus))
    result.assert_outcomes(errors=N_ALL, passed=1)
    message = "fixture robustseiz_training_subjects: 1 of 2 training subjects would be evaluated: sub-02; "
    result.stdout.fnmatch_lines([f"{message}*", "*= robustseiz =*", f"{message}*"])
    processes = 2 if way == ["-n2"] else 1
    assert sum(line.startswith(message) for line in result.outlines) == processes + 1  # once more in the summary
    others = sum(
        line == "not run, see the first error: fixture robustseiz_training_subjects" for line in result.outlines
    )
    assert others == N_ALL - processes
    assert not (pytester.path / "calls.log").exists()
    assert not (pytester.path / "experiments_results.csv").exists()


def test_an_overlap_of_the_file_is_a_usage_error(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(LOGGING)
    pytester.makepyfile(test_a=ALL_FIXTURES)
    (pytester.path / "training.txt").write_text("sub-03\nsub-01\n04\n")
    result = pytester.runpytest(*options(tiny_corpus, "--robustseiz-training-subjects=training.txt"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = "*--robustseiz-training-subjects: 2 of 3 training subjects would be evaluated: sub-01, sub-03; *"
    result.stderr.fnmatch_lines([message])
    subset = ["--robustseiz-mode=subset", "--robustseiz-subjects=1", f"--robustseiz-data={tiny_corpus}"]
    (pytester.path / "training.txt").write_text("sub-03\nsub-02\n")
    result = pytester.runpytest(*subset, "--robustseiz-training-subjects=training.txt", "-k", "baseline")
    assert result.ret == pytest.ExitCode.OK  # the subset holds neither


@pytest.mark.parametrize("how", ["ini", "environment"])
def test_the_file_is_found_by_ini_key_and_environment(
    pytester: pytest.Pytester, tiny_corpus: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    (pytester.path / "training.txt").write_text("sub-03\n")
    if how == "ini":
        pytester.makeini("[pytest]\nrobustseiz_training_subjects = training.txt\n")
    else:
        monkeypatch.setenv("ROBUSTSEIZ_TRAINING_SUBJECTS", "training.txt")
    result = pytester.runpytest(*options(tiny_corpus))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*would be evaluated: sub-03; *"])


def test_a_missing_file_is_a_usage_error(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    result = pytester.runpytest(*options(tiny_corpus, "--robustseiz-training-subjects=gone.txt"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--robustseiz-training-subjects: *gone.txt: No such file or directory*"])


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_subjects_that_are_not_evaluated_are_counted_in_summary_and_row(
    pytester: pytest.Pytester, tiny_corpus: Path, way: list[str]
) -> None:
    pytester.makeconftest(CONFTEST + TRAINED.format(names={"90", "91"}))
    pytester.makepyfile(test_a=ALL_FIXTURES)
    (pytester.path / "training.txt").write_text("sub-91\nsub-3\n")
    result = pytester.runpytest_subprocess(
        *way, *options(tiny_corpus, "--robustseiz-training-subjects=training.txt"), "-k", "experiment and awgn-snr_db_0"
    )
    result.assert_outcomes(passed=1)
    line = "training subjects: 3 given, none in the scope, and none in this corpus: check how they are spelt; *"
    result.stdout.fnmatch_lines([line + "sub-3 (like sub-03)"])
    assert sum(one.startswith("training subjects:") for one in result.outlines) == 1
    assert {row["training_subjects"] for row in rows(pytester.path)} == {"3"}


def test_each_detector_has_its_own_training(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    """The overlap of one does not stop the other."""
    pytester.makeconftest(
        CONFTEST.replace(
            "    return PowerDetector()",
            "    detector = PowerDetector()\n    detector.name = request.param\n    return detector",
        )
        .replace('@pytest.fixture(scope="session")', '@pytest.fixture(scope="session", params=["a", "b"])')
        .replace("def robustseiz_adapter(", "def robustseiz_adapter(request")
        + """

@pytest.fixture(scope="session")
def robustseiz_training_subjects(robustseiz_adapter):
    return {"a": ["77", "78"], "b": ["sub-01"]}[robustseiz_adapter.name]
"""
    )
    pytester.makepyfile(test_a=ALL_FIXTURES)
    result = pytester.runpytest(*options(tiny_corpus), "-k", "case and baseline")
    result.assert_outcomes(passed=3, errors=3)


def test_without_a_mode_nothing_is_asked(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST + TRAINED.format(names=["02"]))
    pytester.makepyfile(test_a=ALL_FIXTURES)
    pytester.runpytest().assert_outcomes(skipped=4)
