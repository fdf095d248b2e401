"""`robustseiz compare`: figures worked out by hand, ranks and their intervals, refusals."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from registries import write_registry

from pytest_robustseiz.cli import main
from pytest_robustseiz.intervals import draw_positions
from pytest_robustseiz.leaderboard import rank_detectors
from pytest_robustseiz.leaderboardrows import read_detectors
from pytest_robustseiz.retained import retained
from pytest_robustseiz.scoring import Counts, pool
from pytest_robustseiz.shifts import AWGN, CAR, Shift

SETTINGS: tuple[Shift, ...] = (AWGN(snr_db=10.0), AWGN(snr_db=0.0), CAR())
LABELS = ["baseline", *(setting.label for setting in SETTINGS)]
STRONG = {"baseline": [9, 8, 9, 8, 9, 8], LABELS[1]: [9, 8, 9, 8, 8, 8], LABELS[2]: [8, 7, 8, 7, 8, 7],
          "car": [9, 8, 9, 8, 9, 8]}  # fmt: skip
WEAK = {"baseline": [9, 9, 9, 9, 9, 9], LABELS[1]: [5, 6, 7, 5, 6, 7], LABELS[2]: [2, 3, 4, 2, 3, 4],
        "car": [9, 9, 9, 9, 8, 9]}  # fmt: skip


def f1(found: list[int]) -> float:
    return pool(Counts(tp, i % 2, 10, 1.0) for i, tp in enumerate(found)).f1


def by_hand(found: dict[str, list[int]]) -> float:
    ratios = {label: f1(found[label]) / f1(found["baseline"]) for label in LABELS[1:]}
    return ((ratios[LABELS[1]] + ratios[LABELS[2]]) / 2 + ratios["car"]) / 2


@pytest.fixture
def registries(tmp_path: Path) -> tuple[str, str]:
    write_registry(tmp_path / "strong.csv", SETTINGS, STRONG, adapter="strong")
    write_registry(tmp_path / "weak.csv", SETTINGS, WEAK, adapter="weak | of\ntwo lines")
    return str(tmp_path / "weak.csv"), str(tmp_path / "strong.csv")


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[dict[str, str]], str]:
    assert main(["compare", *arguments, "--format=csv"]) == 0
    printed = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(printed.out))), printed.err


def test_figures_are_those_of_a_hand_computation(
    registries: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (first, second), notes = table(capsys, *registries)
    assert (first["rank"], first["detector"]) == ("1", "strong")
    assert (second["rank"], second["detector"]) == ("2", "weak | of\ntwo lines")
    for row, found in ((first, STRONG), (second, WEAK)):
        assert float(row["retained_f1"]) == pytest.approx(by_hand(found))
        assert float(row["baseline_f1"]) == pytest.approx(f1(found["baseline"]))
        assert float(row["retained_f1_environment"]) == pytest.approx(f1(found["car"]) / f1(found["baseline"]))
        assert float(row["baseline_fp_per_day"]) == 0.5
        assert float(row["retained_f1_low"]) < float(row["retained_f1"]) < float(row["retained_f1_high"])
    # In no draw of these subjects is the weak one better.
    assert [(row["rank_low"], row["rank_high"]) for row in (first, second)] == [("1", "1"), ("2", "2")]
    assert notes == "3 settings of 2 shifts\nintervals: 95 %, paired bootstrap over subjects, 2000 draws\n"


def test_intervals_are_those_of_a_hand_written_bootstrap(registries: tuple[str, str]) -> None:
    board = rank_detectors(read_detectors([Path(path) for path in registries]), seed=3)
    values = []
    for drawn in draw_positions(6, seed=3):
        pooled = {label: pool(Counts(WEAK[label][i], i % 2, 10, 1.0) for i in drawn).f1 for label in LABELS}
        ratio = {label: pooled[label] / pooled["baseline"] for label in LABELS}
        values.append(((ratio[LABELS[1]] + ratio[LABELS[2]]) / 2 + ratio["car"]) / 2)
    assert (board.standings[1].low, board.standings[1].high) == pytest.approx(
        tuple(np.quantile(values, [0.025, 0.975]))
    )


def test_equal_detectors_share_a_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        write_registry(tmp_path / f"{name}.csv", SETTINGS, STRONG, adapter="same")
    write_registry(tmp_path / "c.csv", SETTINGS, WEAK, adapter="other")
    rows, _ = table(capsys, *(str(tmp_path / f"{name}.csv") for name in "cab"))
    assert [row["rank"] for row in rows] == ["1", "1", "3"]
    assert [row["detector"] for row in rows] == [f"same ({tmp_path}/a.csv)", f"same ({tmp_path}/b.csv)", "other"]


def test_text_and_markdown(registries: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *registries]) == 0
    header, strong, weak, *_ = capsys.readouterr().out.splitlines()
    assert header.split("  ")[0] == "rank"
    assert strong.startswith("1 (1 to 1)  strong ")
    assert f"{by_hand(STRONG):.3f} (0." in strong
    assert "weak | of two lines" in weak
    assert main(["compare", *registries, "--format=markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| rank | detector | retained F1 | baseline F1 | FP/24h | noise | environment |"
    assert r"weak \| of two lines" in lines[3]


def test_the_latest_row_of_the_latest_scope_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.csv"
    write_registry(path, SETTINGS, WEAK, day=2)
    write_registry(path, SETTINGS, STRONG, day=3)
    write_registry(path, SETTINGS, WEAK, day=1, mode="subset")
    [row], _ = table(capsys, str(path))
    assert float(row["retained_f1"]) == pytest.approx(by_hand(STRONG))


def test_without_score_files_the_table_says_that_there_is_no_interval(
    registries: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    missing = Path(registries[0]).with_suffix("") / "environment" / "car" / "results.csv"
    text = missing.read_text()
    missing.unlink()
    rows, notes = table(capsys, *registries)
    assert {row[name] for row in rows for name in ("rank_low", "rank_high", "retained_f1_low")} == {""}
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert f"no interval can be given: {missing}: No such file" in notes
    missing.write_text(text.replace(",9,0,10,", ",8,0,10,"))
    _, notes = table(capsys, *registries)
    assert f"{missing} does not add up to event_tp of the row: it is of another run" in notes
    missing.write_text("a,b\n1,2\n")
    _, notes = table(capsys, *registries)
    assert f"{missing} is not a table of scores" in notes


def test_few_subjects_have_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_registry(tmp_path / "r.csv", SETTINGS, {label: found[:4] for label, found in STRONG.items()})
    _, notes = table(capsys, str(tmp_path / "r.csv"))
    assert "no interval can be given: 4 of 4 subjects have reference events, at least 5 are needed" in notes


def test_what_is_not_alike_is_refused_unless_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    write_registry(one, SETTINGS, STRONG, adapter="one")
    write_registry(other, SETTINGS[:2], WEAK, adapter="other", corpus="d", mode="subset")
    assert main(["compare", str(one), str(other)]) == 1
    assert capsys.readouterr().err == (
        "robustseiz compare: error: not alike: mode of one is 'full', of other 'subset'; corpus_fingerprint of one is "
        "'c', of other 'd'; only one of one and other has car; run them alike, or give --anyway\n"
    )
    rows, notes = table(capsys, str(one), str(other), "--anyway")
    assert "2 settings of 1 shifts" in notes
    assert "not alike: mode of one is 'full', of other 'subset'" in notes
    assert float(rows[0]["retained_f1"]) == pytest.approx(
        (f1(STRONG[LABELS[1]]) + f1(STRONG[LABELS[2]])) / 2 / f1(STRONG["baseline"])
    )


def test_detectors_that_share_nothing_cannot_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_registry(tmp_path / "a.csv", SETTINGS[:1], STRONG, adapter="a")
    write_registry(tmp_path / "b.csv", SETTINGS[2:], STRONG, adapter="b")
    write_registry(tmp_path / "c.csv", (), STRONG, adapter="c")
    assert main(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--anyway"]) == 1
    assert "the detectors share no setting" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "c.csv")]) == 1
    assert "c.csv holds nothing but the baseline" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "gone.csv")]) == 1
    assert "gone.csv: No such file" in capsys.readouterr().err


def test_a_baseline_of_zero_has_no_retained_f1() -> None:
    zero, nan = np.array(0.0), np.array(np.nan)
    assert np.isnan(retained(np.array([0.5, 0.5]), zero, ["a", "b"]))
    assert np.isnan(retained(np.array([0.5, 0.5]), nan, ["a", "b"]))
    assert np.isnan(retained(np.array([0.5, np.nan]), np.array(1.0), ["a", "b"]))


def test_a_detector_that_finds_nothing_has_no_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_registry(tmp_path / "a.csv", SETTINGS, {label: [0] * 6 for label in LABELS}, adapter="silent")
    write_registry(tmp_path / "b.csv", SETTINGS, STRONG, adapter="strong")
    rows, notes = table(capsys, str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert [(row["detector"], row["rank"], row["retained_f1"] == "") for row in rows] == [
        ("strong", "1", False),
        ("silent", "", True),
    ]
    assert "retained F1 is not defined in any draw" in notes
    assert main(["compare", str(tmp_path / "a.csv")]) == 0
    assert "n/a " in capsys.readouterr().out
