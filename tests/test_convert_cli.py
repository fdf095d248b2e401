"""`robustseiz convert`: arguments, dry run, choice of subjects, descriptions of the corpus, the report."""

import json
import shutil
from importlib import metadata
from pathlib import Path

import pytest
from convert_trees import CHB, SIENA, chb_entry, convert, recordings, report, seizeit_list, write_edf, write_text

from pytest_robustseiz import __version__, convert_epilepsy2bids
from pytest_robustseiz.cli import main
from pytest_robustseiz.corpuscheck import check_corpus
from pytest_robustseiz.corpusfacts import read_corpus_facts


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Three cases of CHB-MIT with one file each."""
    root = tmp_path / "chbmit" / "1.0.0"
    for case in ("chb01", "chb03", "chb21"):
        write_edf(root / case / f"{case}_01.edf", CHB)
        write_text(root / case / f"{case}-summary.txt", *chb_entry(f"{case}_01.edf"))
    return root


def refused(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    """What the command says when it refuses its arguments."""
    assert main(["convert", *arguments]) == code
    return capsys.readouterr().err.removeprefix("robustseiz convert: error: ").strip()


def test_a_dry_run_writes_nothing(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "bids"
    (source / "chb01" / "notes.edf").write_bytes(b"")
    assert convert("chbmit", source, target, "--dry-run", "--subjects", "chb01,sub-03") == 1
    assert capsys.readouterr().out.splitlines() == [
        "CHB-MIT, version 1.0.0",
        "to be written: chb01/chb01_01.edf -> sub-01/ses-01/eeg/sub-01_ses-01_task-szMonitoring_run-01_eeg.edf",
        "to be written: chb03/chb03_01.edf -> sub-03/ses-01/eeg/sub-03_ses-01_task-szMonitoring_run-01_eeg.edf",
        "error: chb01/notes.edf: not named like a recording of this corpus; "
        "name it chb01/chb01_03.edf beside chb01/chb01-summary.txt",
        "left out: 1 file of other subjects: subject not asked for (leave --subjects out)",
        "2 recordings of 2 subjects; nothing was written",
    ]
    assert not target.exists()


def test_recordings_that_a_list_names_and_nobody_has_are_said(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = source / "chb01" / "chb01-summary.txt"
    write_text(summary, *chb_entry("chb01_01.edf"), *chb_entry("chb01_02.edf", (10, 20)))
    assert convert("chbmit", source, tmp_path / "bids", "--dry-run") == 0
    lacking = "left out: chb01/chb01_02.edf: chb01-summary.txt names it, with 1 seizure, and it is not there"
    assert f"{lacking} (copy it from the source)" in capsys.readouterr().out


def test_no_edf_file_is_opened_before_it_is_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "source"
    for case in (f"chb{number:02d}" for number in range(1, 21)):
        write_text(root / case / f"{case}-summary.txt")
        for number in range(50):
            (root / case / f"{case}_{number:02d}.edf").touch()  # a header cannot be read from these
    assert convert("chbmit", root, tmp_path / "bids", "--dry-run") == 0
    assert capsys.readouterr().out.endswith("1000 recordings of 20 subjects; nothing was written\n")


def test_a_dry_run_says_what_is_done(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "bids"
    assert convert("chbmit", source, target, "--subjects", "chb03") == 0
    capsys.readouterr()
    assert convert("chbmit", source, target, "--dry-run") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[1:-1]] == ["to be written", "done before", "to be written"]


@pytest.mark.parametrize("subjects, stems", [("chb03", {"sub-03"}), ("chb21, chb03", {"sub-01", "sub-03"})])
def test_subjects(source: Path, tmp_path: Path, subjects: str, stems: set[str]) -> None:
    target = tmp_path / "bids"
    assert convert("chbmit", source, target, "--subjects", subjects) == 0
    assert {stem[:6] for stem in recordings(target)} == stems
    assert {path.name for path in target.glob("sub-*")} == stems


def test_arguments_that_do_not_fit(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = (str(source), str(tmp_path / "bids"))
    assert refused(capsys, 1, "chbmit", "nowhere", place[1]) == "nowhere: no such folder"
    assert refused(capsys, 2, "chbmit", *place, "--workers", "0") == "--workers: expected 1 or more, got 0"
    assert (
        refused(capsys, 2, "chbmit", *place, "--split", "eval") == "--split: is for tusz only; leave it out for chbmit"
    )
    assert refused(capsys, 2, "tusz", *place, "--annotations", "a2").startswith("--annotations: is for seizeit1 only")
    for length in ("0", "nan", "inf"):
        said = refused(capsys, 2, "seizeit1", *place, "--assume-length", length)
        assert said == f"--assume-length: expected more than 0 s, got {length}"
    said = refused(capsys, 1, "chbmit", *place, "--subjects", "chb04,chb01")
    assert said == "--subjects: no recording of chb04; there are chb01, chb03, chb21"
    said = refused(capsys, 1, "siena", *place)
    assert (
        said
        == f"{source}: no recording of Siena; looked for PN00/PN00-1.edf beside PN00/Seizures-list-PN00.txt below it"
    )
    with pytest.raises(SystemExit, match="2"):
        main(["convert", "bonn", *place])


def test_tusz_without_the_split_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "edf/train/aaaaaaac/s001_2002/02_tcp_le/aaaaaaac_s001_t000.edf"
    (tmp_path / "v2.0.3" / name).parent.mkdir(parents=True)
    (tmp_path / "v2.0.3" / name).touch()
    said = refused(capsys, 1, "tusz", str(tmp_path / "v2.0.3"), str(tmp_path / "bids"))
    assert said == "no recording of split eval; there are splits train"


@pytest.mark.parametrize("target", ["bids", ".", ".."])
def test_folders_in_each_other(source: Path, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(source.rglob("*"))
    said = refused(capsys, 1, "chbmit", str(source), str(source / target))
    assert "are in each other; choose a target outside of the corpus" in said
    assert sorted(source.rglob("*")) == before


def test_a_target_with_something_else_in_it(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "bids"
    (target / "sub-01").mkdir(parents=True)
    assert "has recordings but no dataset_description.json" in refused(capsys, 1, "chbmit", str(source), str(target))
    (target / "sub-01").rmdir()
    assert convert("chbmit", source, target) == 0
    capsys.readouterr()
    said = refused(capsys, 1, "chbmit", str(source), str(target), "--source-version", "2.0")
    assert said == f"{target} holds CHB-MIT 1.0.0, not CHB-MIT 2.0; choose another folder"
    (target / "dataset_description.json").write_text("[]", encoding="utf-8")
    assert "expected a JSON object" in refused(capsys, 1, "chbmit", str(source), str(target))


def test_descriptions(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "bids"
    assert convert("chbmit", source, target) == 0
    description = json.loads((target / "dataset_description.json").read_text(encoding="utf-8"))
    assert (description["Name"], description["DatasetVersion"]) == ("CHB-MIT", "1.0.0")
    assert description["SourceDatasets"] == [{"Version": "1.0.0", "DOI": "doi:10.13026/C2K01R"}]
    made_by = {one["Name"]: one["Version"] for one in description["GeneratedBy"]}
    assert made_by == {"pytest-robustseiz": __version__, "epilepsy2bids": metadata.version("epilepsy2bids")}
    assert "License" in description
    assert read_corpus_facts(target, ["sub-01"]).version == "1.0.0"
    sidecar = json.loads(next(target.rglob("*_eeg.json")).read_text(encoding="utf-8"))
    assert sidecar["SamplingFrequency"] == 256
    assert sidecar["EEGChannelCount"] == 18
    assert sidecar["RobustseizConversion"]["Made"]["File"].startswith("chb")
    assert (target / "README").read_text(encoding="utf-8").startswith("CHB-MIT 1.0.0, converted")
    assert {path.name for path in target.glob("*")} >= {"events.json", "participants.json", "participants.tsv"}
    check = check_corpus(target, lambda done, of: None)
    assert (check.problems, check.recordings, check.subjects) == ([], 3, 2)


@pytest.mark.parametrize(
    "folder, version",
    [("siena-scalp-eeg-database-1.0.0", "1.0.0"), ("v2.0.3/edf", "2.0.3"), ("tusz_v2.0.6", "2.0.6"), ("siena", "")],
)
def test_the_version_comes_from_the_folder(tmp_path: Path, folder: str, version: str) -> None:
    root = tmp_path / folder
    write_edf(root / "PN00" / "PN00-1.edf", SIENA, start="01.01.1600.00.00")
    lines = ["Seizure n 1", "File name: PN00-1.edf", "Registration start time: 00.00.00"]
    write_text(root / "PN00" / "Seizures-list-PN00.txt", *lines, "Start time: 00.00.01", "End time: 00.00.03")
    assert convert("siena", root, tmp_path / "bids") == 0
    assert read_corpus_facts(tmp_path / "bids", []).version == version
    assert convert("siena", root, tmp_path / "other", "--source-version", "9") == 0
    assert read_corpus_facts(tmp_path / "other", []).version == "9"


def test_the_version_comes_from_the_readme_of_tusz(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "tusz"
    name = root / "edf" / "eval" / "aaaaaaaq" / "s007_2014" / "01_tcp_ar" / "aaaaaaaq_s007_t000.edf"
    write_text(name.with_suffix(".csv_bi"))
    name.touch()
    write_text(
        root / "AAREADME.txt", "File: AAREADME.txt", "Database: TUSZ", "Version: 2.0.3", "---", "v2.0.2: removed"
    )
    for folder in (root, root / "edf"):
        assert convert("tusz", folder, tmp_path / "bids", "--dry-run") == 0
        assert capsys.readouterr().out.startswith("TUSZ, version 2.0.3, split eval\n")


def test_progress_is_a_line_for_each_recording(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert("chbmit", source, tmp_path / "bids") == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("; ")[0] for line in lines] == [
        "[1/3] chb01/chb01_01.edf: 0.00 h, 0 seizures",
        "[2/3] chb03/chb03_01.edf: 0.00 h, 0 seizures",
        "[3/3] chb21/chb21_01.edf: 0.00 h, 0 seizures",
    ]


def test_the_report_is_printed_and_kept(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "bids"
    shutil.rmtree(source / "chb03")
    (source / "chb21" / "chb21-summary.txt").unlink()
    assert convert("chbmit", source, target) == 1
    text = (target / "conversion_report.txt").read_text(encoding="utf-8")
    assert capsys.readouterr().out == text
    assert "not converted: 1 error\n  error: chb21/chb21_01.edf: its annotations chb21/chb21-summary.txt are" in text
    assert "    fix: copy them from the source" in text
    row = report(target)["chb01/chb01_01.edf"]
    assert row["target"] == "sub-01/ses-01/eeg/sub-01_ses-01_task-szMonitoring_run-01"
    assert (row["seizures"], row["missing"], row["reason"]) == ("0", "", "")


def test_nothing_can_be_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "source"
    write_edf(root / "P_ID64" / "P_ID64_r1.edf", ["ECG"])
    assert refused(capsys, 1, "seizeit1", str(root), str(tmp_path / "bids")).startswith("no recording can be converted")
    write_text(root / "P_ID64" / "P_ID64_r1_a1.tsv", *seizeit_list("P_ID64", "r1"))
    assert convert("seizeit1", root, tmp_path / "bids") == 1
    assert "nothing was converted" in capsys.readouterr().out


def test_without_epilepsy2bids(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(convert_epilepsy2bids, "PACKAGE", "no-such-package")
    said = refused(capsys, 1, "chbmit", str(source), str(tmp_path / "bids"))
    assert said == "conversion needs epilepsy2bids: pip install 'pytest-robustseiz[convert]'"
    assert not (tmp_path / "bids").exists()
