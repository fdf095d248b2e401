"""What a corpus says of itself, and where it is shown."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from registries import write_registry
from reporting import FACTS, scored
from tiny import CONFTEST, make_corpus

from pytest_robustseiz.card import model_card
from pytest_robustseiz.checklist import checklist
from pytest_robustseiz.cli import main
from pytest_robustseiz.corpus import CorpusError
from pytest_robustseiz.corpusfacts import CorpusFacts, read_corpus_facts
from pytest_robustseiz.demo_corpus import CORPUS_VERSION, make_demo_corpus
from pytest_robustseiz.documents import Block
from pytest_robustseiz.registry import COLUMNS, RegistryError, append, check_registry, corpus_cells
from pytest_robustseiz.registrycheck import registry_problems
from pytest_robustseiz.registryfile import read_registry
from pytest_robustseiz.reportdata import Chapter, Entry, Report
from pytest_robustseiz.reportpage import render
from pytest_robustseiz.shifts import AWGN, Baseline

TUSZ = CorpusFacts("BIDS TUH", "2.0.3", "evaluation")
GRID = (Baseline(), AWGN(snr_db=0))


def describe(root: Path, content: object, *participants: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "dataset_description.json").write_text(json.dumps(content), encoding="utf-8")
    if participants:
        (root / "participants.tsv").write_text("\n".join(participants) + "\n", encoding="utf-8")
    return root


# Reading


def test_name_version_and_the_splits_of_the_scope(tmp_path: Path) -> None:
    table = ["participant_id\tage\tsplit", "sub-01\t3\ttrain", "sub-02\t4\tevaluation", "sub-03\t5\tdev"]
    root = describe(tmp_path, {"Name": "BIDS TUH", "DatasetVersion": "2.0.3"}, *table)
    assert read_corpus_facts(root, ["sub-02"]) == TUSZ
    assert read_corpus_facts(root, ["sub-03", "sub-01"]).split == "dev+train"
    assert str(TUSZ) == "BIDS TUH, version 2.0.3, split evaluation"


def test_what_the_corpus_does_not_say_is_empty(tmp_path: Path) -> None:
    assert read_corpus_facts(tmp_path, ["sub-01"]) == CorpusFacts("", "", "")
    root = describe(tmp_path, {"Name": "Siena"}, "participant_id\tage", "sub-01\t3")
    assert read_corpus_facts(root, ["sub-01"]) == CorpusFacts("Siena", "", "")
    assert str(CorpusFacts()) == ""


def test_a_subject_without_split_is_told_beside_those_with_one(tmp_path: Path) -> None:
    root = describe(tmp_path, {}, "participant_id\tsplit", "sub-01\tevaluation", "sub-02\tn/a", "sub-03\t")
    assert read_corpus_facts(root, ["sub-01", "sub-02"]).split == "evaluation+n/a"
    assert read_corpus_facts(root, ["sub-01", "sub-04"]).split == "evaluation+n/a"
    assert read_corpus_facts(root, ["sub-02", "sub-03", "sub-04"]).split == ""


def test_tables_as_spreadsheets_and_other_writers_leave_them(tmp_path: Path) -> None:
    (tmp_path / "participants.tsv").write_bytes(
        b"\xef\xbb\xbfsplit \tparticipant_id\r\n evaluation\tsub-01\r\ndev\t02\r\n"
    )
    (tmp_path / "dataset_description.json").write_bytes(b'\xef\xbb\xbf{"Name": " Siena\\n Scalp  EEG "}')
    facts = read_corpus_facts(tmp_path, ["sub-01", "sub-02"])
    assert (facts.name, facts.split) == ("Siena Scalp EEG", "dev+evaluation")


@pytest.mark.parametrize(
    "file, content, message",
    [
        ("dataset_description.json", b"{", r"dataset_description\.json: cannot be read as JSON .*; correct or remove"),
        ("dataset_description.json", b"\xff", r"dataset_description\.json: cannot be read as JSON"),
        ("dataset_description.json", b"[]", r"dataset_description\.json: expected a JSON object, got list"),
        ("dataset_description.json", b'{"DatasetVersion": 2}', "DatasetVersion must be text, got 2; put it in quot"),
        ("participants.tsv", b"id\tsplit\nsub-01\tdev\n", r"participants\.tsv: has a column split but no participant"),
        ("participants.tsv", b"participant_id\tsplit\n\xff\tdev\n", r"participants\.tsv: cannot be read as a table"),
    ],
)
def test_files_that_are_not_what_they_should_be_are_errors(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    (tmp_path / file).write_bytes(content)
    with pytest.raises(CorpusError, match=message):
        read_corpus_facts(tmp_path, ["sub-01"])
    assert main(["validate", str(make_corpus(tmp_path, {"sub-01": []}, duration_s=10))]) == 1


# In a run


def test_the_row_and_the_header_of_a_run(pytester: pytest.Pytester, tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, {"sub-01": [(20.0, 40.0)], "sub-02": [], "sub-03": []}, duration_s=60)
    describe(corpus, {"Name": "Tiny", "DatasetVersion": "7"}, "participant_id\tsplit", "sub-01\tb", "sub-02\ta")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_it(robustseiz_experiment):\n    pass\n")
    options = ["--robustseiz-mode=subset", "--robustseiz-subjects=2", f"--robustseiz-data={corpus}", "-kbaseline"]
    result = pytester.runpytest(*options)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["robustseiz corpus: Tiny, version 7, split a+b"])
    with (pytester.path / "experiments_results.csv").open(newline="") as file:
        [row] = csv.DictReader(file)
    assert [row[f"corpus_{name}"] for name in ("name", "version", "split")] == ["Tiny", "7", "a+b"]
    assert row["training_subjects"] == ""
    assert registry_problems(pytester.path / "experiments_results.csv") == []


def test_a_broken_description_is_a_usage_error(pytester: pytest.Pytester, tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, {"sub-01": []}, duration_s=10)
    (corpus / "dataset_description.json").write_text("{")
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={corpus}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--robustseiz-data: *dataset_description.json: cannot be read as JSON*"])


def test_the_demo_corpus_says_what_it_is(tmp_path: Path) -> None:
    root = make_demo_corpus(tmp_path / "demo", subjects=[1])
    assert read_corpus_facts(root, ["sub-01"]) == CorpusFacts(
        "Synthetic demo of pytest-robustseiz", CORPUS_VERSION, "evaluation"
    )


# In documents


def entry(**cells: object) -> Entry:
    [(_, row), *_] = scored(GRID)
    return Entry(dict(row) | cells)


def told(blocks: list[Block]) -> dict[str, str | None]:
    return {str(row[0]): row[1] for block in blocks for row in block.rows if len(row) == 2}


CELLS = corpus_cells(replace(FACTS, corpus=TUSZ, training_subjects=579))


def test_card_and_checklist_name_the_corpus_and_the_author_may_say_otherwise() -> None:
    chapter = Chapter(entry(**CELLS), ())
    for blocks in (model_card([chapter], {}), checklist(chapter, {}, registry="r.csv")):
        found = told(blocks)
        assert (found["Corpus"], found["Version of the corpus"], found["Split"]) == (
            "BIDS TUH",
            "2.0.3",
            "evaluation",
        )
    assert [block.title for block in model_card([chapter], {})][2] == "Evaluation on BIDS TUH"
    facts = {"data": {"version": "2.0.4", "split": "test"}}
    found = told(checklist(chapter, facts, registry="r.csv"))
    assert (found["Version of the corpus"], found["Split"]) == ("2.0.4", "test")


def test_the_checklist_says_that_the_run_checked_the_subjects_of_the_training() -> None:
    title = "Subjects disjoint from those of training"
    found = told(checklist(Chapter(entry(**CELLS), ()), {}, registry="r.csv"))
    assert found[title] == "yes: of 579 training subjects that the author named, none is in the scope"
    unknown = Chapter(entry(), ())
    assert told(checklist(unknown, {}, registry="r.csv"))[title] is None
    assert told(checklist(unknown, {"data": {"subject_disjoint": True}}, registry="r.csv"))[title] == "yes"


def test_the_report_shows_it() -> None:
    page = render(Report(source="", verdict=None, chapters=(Chapter(entry(**CELLS), (entry(**CELLS),)),)))
    assert "on BIDS TUH (full)" in page
    for cell in ("2.0.3", "evaluation", "579"):
        assert f">{cell}<" in page


def test_a_registry_without_a_corpus_name_is_shown_by_its_folder() -> None:
    lacking = Entry({name: value for name, value in entry().row.items() if name not in CELLS})
    assert told(model_card([Chapter(lacking, ())], {}))["Corpus"] == "<synthetic>"


def test_the_leaderboard_names_the_corpora(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = [AWGN(snr_db=0)]
    found = {label: [5, 6, 7, 8, 9] for label in ("baseline", grid[0].label)}
    for name in ("a", "b"):
        write_registry(tmp_path / f"{name}.csv", grid, found, adapter=name)
    assert main(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]) == 0
    assert "corpus:" not in capsys.readouterr().out
    rows = [
        row.cells | {key: str(value) for key, value in CELLS.items()}
        for row in read_registry(tmp_path / "a.csv", COLUMNS)
    ]
    append(tmp_path / "c.csv", rows)
    assert main(["compare", str(tmp_path / "b.csv"), str(tmp_path / "c.csv")]) == 0
    assert "- corpus: BIDS TUH, version 2.0.3, split evaluation\n" in capsys.readouterr().out


def test_a_registry_of_before_these_columns_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = [AWGN(snr_db=0)]
    write_registry(tmp_path / "a.csv", grid, {label: [5, 6, 7, 8, 9] for label in ("baseline", grid[0].label)})
    old = pd.read_csv(tmp_path / "a.csv").drop(columns=[*CELLS, "reading_json"]).assign(adapter="old")
    old.to_csv(tmp_path / "old.csv", index=False)
    assert main(["compare", str(tmp_path / "a.csv"), str(tmp_path / "old.csv")]) == 0
    assert main(["card", str(tmp_path / "old.csv")]) == 0
    assert "| Corpus | data |" in capsys.readouterr().out
    with pytest.raises(RegistryError, match="missing columns: corpus_name, corpus_version, corpus_split, training_sub"):
        check_registry(tmp_path / "old.csv")
