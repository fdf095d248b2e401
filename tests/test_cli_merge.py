"""`robustseiz merge`."""

import csv
from pathlib import Path

import pandas as pd
import pytest
from registries import write_registry

from pytest_robustseiz.cli import main
from pytest_robustseiz.registry import COLUMNS, check_registry
from pytest_robustseiz.shifts import CAR

FOUND = {"baseline": [9, 8, 9], "car": [5, 5, 5]}


def write(path: Path, **how: object) -> str:
    write_registry(path, (CAR(),), FOUND, **how)  # type: ignore[arg-type]
    return str(path)


def test_rows_are_joined_in_order_of_time_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    late = write(tmp_path / "late.csv", day=2, adapter='a "quoted",\nname')
    early = write(tmp_path / "early.csv", day=1)
    out = tmp_path / "new" / "all.csv"
    assert main(["merge", str(out), late, early]) == 0
    assert capsys.readouterr().out == f"{out}: 4 rows of 2 registries\n"
    check_registry(out)

    def rows(path: str | Path) -> list[dict[str, str]]:
        with Path(path).open(newline="") as file:
            return list(csv.DictReader(file))

    assert rows(out) == rows(early) + rows(late)
    assert list(pd.read_csv(out).columns) == list(COLUMNS)


def test_the_same_experiment_of_two_detectors_scopes_or_times_is_no_duplicate(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "a.csv"),
        write(tmp_path / "b.csv", adapter="b"),
        write(tmp_path / "c.csv", mode="subset"),
        write(tmp_path / "d.csv", corpus="d"),
        write(tmp_path / "e.csv", day=5),
    ]
    assert main(["merge", str(tmp_path / "out.csv"), *paths]) == 0
    assert len(pd.read_csv(tmp_path / "out.csv")) == 10


def test_duplicates_are_refused_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = write(tmp_path / "one.csv"), write(tmp_path / "other.csv")
    out = tmp_path / "out.csv"
    assert main(["merge", str(out), one, other]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "robustseiz merge: error: rows occur twice; remove one of each:",
        f"  baseline of 'a' at 2026-01-01T00:00:00Z: {one} line 2 and {other} line 2",
        f"  car of 'a' at 2026-01-01T00:00:00Z: {one} line 3 and {other} line 3",
    ]
    assert not out.exists()


def test_long_lists_of_duplicates_are_shortened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.csv"
    for day in range(1, 8):
        write(path, day=day)
    assert main(["merge", str(tmp_path / "out.csv"), str(path), str(path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "  and 4 more"


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = write(tmp_path / "one.csv"), write(tmp_path / "other.csv", day=2)
    before = Path(one).read_bytes()
    assert main(["merge", one, other]) == 1
    assert "one.csv exists; remove it or name another file" in capsys.readouterr().err
    assert Path(one).read_bytes() == before


def test_only_registries_of_this_version_are_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    (tmp_path / "y.csv").write_text(",".join(COLUMNS) + "\n")
    (tmp_path / "z").write_text("")
    out = str(tmp_path / "out.csv")
    assert main(["merge", out, str(tmp_path / "x.csv")]) == 1
    assert main(["merge", out, str(tmp_path / "y.csv")]) == 1
    assert main(["merge", out, str(tmp_path / "gone.csv")]) == 1
    assert main(["merge", str(tmp_path / "z" / "out.csv"), write(tmp_path / "one.csv")]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert "is not a registry of this version" in errors[0]
    assert "y.csv holds no row" in errors[1]
    assert "gone.csv: No such file" in errors[2]
    assert "out.csv: " in errors[3]
    assert not Path(out).exists()
