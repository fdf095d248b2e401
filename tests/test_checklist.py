"""The reproducibility checklist."""

from pathlib import Path

import pytest
from reporting import scored

from pytest_robustseiz.cardfacts import FACTS
from pytest_robustseiz.checklist import checklist
from pytest_robustseiz.cli import main
from pytest_robustseiz.registry import append
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.shifts import AWGN, Baseline

GRID = (Baseline(), AWGN(snr_db=0))


def items(chapter: Chapter, facts: dict[str, dict[str, object]] | None = None) -> dict[str, dict[str, str | None]]:
    blocks = checklist(chapter, facts or {}, registry="r.csv")
    return {block.title: {str(row[0]): row[1] for row in block.rows} for block in blocks}


def chapter(**cells: object) -> Chapter:
    rows = [row for _, row in scored(GRID)]
    return Chapter(Entry(rows[0]), (Entry(dict(rows[1]) | cells),), environment={"Python": "3.11.9"})


def test_the_run_fills_in_what_it_knows_and_the_rest_is_missing() -> None:
    found = items(chapter())
    assert list(found) == ["Model", "Data", "Shifts", "Scoring", "Timing", "Agreement", "Environment", "Registry"]
    assert found["Model"]["Identity"] == 'a "detector" <1>'
    assert found["Model"]["Fingerprint of code and weights"] == "f" * 64
    assert found["Shifts"]["Seed"] == "7"
    assert found["Scoring"]["Same scope for the baseline and every setting"] == "yes"
    assert found["Environment"]["Python"] == "3.11.9"
    assert found["Registry"]["Rows of this detector and corpus"] == "2"
    for section, title in [("Model", "Preprocessing"), ("Data", "Split"), ("Environment", "Hardware")]:
        assert found[section][title] is None


def test_another_scope_of_a_setting_is_seen() -> None:
    assert items(chapter(subjects=3))["Scoring"]["Same scope for the baseline and every setting"] == "no"


def test_agreement_gives_its_parameters_or_the_reason() -> None:
    assert items(chapter())["Agreement"] == {"Agreement stage": "did not run: it was off"}
    ran = items(chapter(mcd_mean_agreement=0.1, T=5, tau=0.8))["Agreement"]
    assert (ran["Stochastic passes T"], ran["Threshold tau"]) == ("5", "0.8")
    assert ran["Strata"] == "mean, seizure, background, fp, fn"


def test_facts_of_the_author_leave_nothing_missing() -> None:
    facts: dict[str, dict[str, object]] = {
        section: {name: f"{section} {name}" for name in names} for section, names in FACTS.items()
    }
    values = [value for section in items(chapter(), facts).values() for value in section.values()]
    assert None not in values
    assert "environment image" in values


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    append(tmp_path / "r.csv", [row for _, row in scored(GRID)])
    assert main(["checklist", str(tmp_path / "r.csv")]) == 0
    out = capsys.readouterr().out
    assert "# Reproducibility checklist" in out
    assert "| Split | **missing** |" in out
    assert main(["checklist", str(tmp_path / "r.csv"), "--out", str(tmp_path)]) == 1
    assert "Is a directory" in capsys.readouterr().err
