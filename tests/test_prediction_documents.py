"""Model card, checklist and comparison of predictors: figures worked out by hand, and refusals."""

import csv
import io
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from predictions import (
    BASELINE,
    DROPPED,
    GOOD,
    MAJORITY,
    NOISE_0,
    NOISE_5,
    Matrix,
    balanced_accuracy,
    counts,
    facts,
    pooled,
    scored,
    varied,
)
from registries import write_registry
from test_cli_compare import SETTINGS as DETECTION_SETTINGS
from test_cli_compare import STRONG

from pytest_robustseiz.card import model_card
from pytest_robustseiz.checklist import checklist
from pytest_robustseiz.cli import main
from pytest_robustseiz.documents import Block
from pytest_robustseiz.intervals import count_table, draw_positions
from pytest_robustseiz.registry import append
from pytest_robustseiz.registryfile import read_registry
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.scoring import chance_level
from pytest_robustseiz.subjectcounts import subject_table

WEAK: dict[str, Matrix] = {
    BASELINE: ((700, 200, 100), (20, 70, 10), (2, 8, 10)),
    NOISE_5: ((600, 300, 100), (40, 50, 10), (6, 8, 6)),
    NOISE_0: ((400, 300, 300), (40, 30, 30), (8, 6, 6)),
    DROPPED: ((600, 300, 100), (40, 50, 10), (6, 8, 6)),
}


def chapter(said: Mapping[str, Matrix] = GOOD, **more: str) -> Chapter:
    baseline, *others = [Entry(row) for _, row in scored(said, run=facts(**more))]
    return Chapter(baseline, tuple(others))


def block(blocks: Sequence[Block], title: str) -> dict[str | None, dict[str, str | None]]:
    [found] = [block for block in blocks if block.title.startswith(title)]
    return {row[0]: dict(zip(found.heads[1:], row[1:], strict=True)) for row in found.rows}


def told(blocks: Sequence[Block], title: str) -> dict[str | None, str | None]:
    return {name: cells["Value"] for name, cells in block(blocks, title).items()}


def shown(value: float) -> str:
    return f"{value:.4g}"


def test_the_baseline_is_given_for_each_corpus_and_from_summed_counts() -> None:
    chapters = [chapter(GOOD, data_dir="/a/one"), chapter(WEAK, data_dir="/a/two")]
    rows = block(model_card(chapters, {}), "Baseline")
    one, two = (pooled(said, BASELINE) for said in (GOOD, WEAK))
    assert rows["one"]["Balanced accuracy"] == shown(balanced_accuracy(one))
    assert rows["two"]["Balanced accuracy"] == shown(balanced_accuracy(two))
    both, row = one + two, rows["pooled"]
    alarms = sum(counts(varied(said[BASELINE], i)).alarms for said in (GOOD, WEAK) for i in range(6))
    leads = [2.0 * varied(said[BASELINE], i)[1][1] for said in (GOOD, WEAK) for i in range(6)]
    assert row["Balanced accuracy"] == shown(balanced_accuracy(both))
    assert row["Sensitivity"] == shown(both[1:, 1:].sum() / both[1:].sum())
    assert row["Specificity"] == shown(both[0, 0] / both[0].sum())
    assert row["False alarms/h"] == shown(alarms / both[0].sum() * 3600)
    assert row["Mean lead time, s"] == shown(statistics.mean(leads))
    assert row["Time in warning"] == shown(both[:, 1:].sum() / both.sum())
    assert (row["Miss rate"], row["Transition detection rate"], row["Degenerate"]) == ("0", "1", "no")


def test_the_card_of_one_corpus_agrees_with_its_row() -> None:
    one = chapter(WEAK)
    assert one.baseline is not None
    row = block(model_card([one], {}), "Baseline")["synthetic"]
    for head, column in {
        "F1 macro": "f1_macro",
        "False alarms/h": "fpr_per_h",
        "Miss rate": "miss_rate",
        "Transition detection rate": "transition_detection_rate",
        "Mean lead time, s": "lead_time_mean_s",
        "Time in warning": "time_in_warning",
    }.items():
        assert row[head] == shown(one.baseline.value(column))


def test_results_are_the_mean_of_minima_and_the_mean_of_maxima() -> None:
    rows = block(model_card([chapter()], {}), "Results on")
    values = [balanced_accuracy(pooled(GOOD, label)) for label in (NOISE_5, NOISE_0)]
    assert rows["Balanced accuracy"]["noise, mean of minima"] == shown(min(values))
    assert rows["Balanced accuracy"]["noise, mean of maxima"] == shown(max(values))
    assert rows["Miss rate"]["environment, mean of maxima"] == "1"
    assert rows["Mean lead time, s"]["environment, mean of minima"] == "n/a"
    assert not any("F1" in str(name) or "Lag" in str(name) for name in rows)


def test_the_card_says_what_the_scores_are_worth() -> None:
    worth = told(model_card([chapter(protocol="3")], {}), "What the scores on synthetic")
    chance = chance_level(counts(varied(GOOD[BASELINE], i)) for i in range(6))
    assert worth["Degenerate"] == "The baseline is not degenerate."
    assert worth["Balanced accuracy and chance"] == (
        "Balanced accuracy of the baseline is above chance with its whole 95 % interval."
    )
    assert f"would reach {chance.expected:.1f} on average" in str(worth["Warnings and chance"])
    assert worth["Degenerate settings"] == f"Degenerate under 1 of 3 settings: {DROPPED} (100.0 % interictal)."
    few = Entry(scored(subjects=4)[0][1])
    point = told(model_card([Chapter(few, ())], {}), "What the scores on synthetic")
    assert str(point["Balanced accuracy and chance"]).endswith("there are too few subjects for an interval.")
    nothing = told(model_card([chapter(MAJORITY)], {}), "What the scores on synthetic")
    assert str(nothing["Degenerate"]).startswith("The baseline is degenerate: 100.0 % of its predictions")
    assert "there is nothing to retain" in str(nothing["Balanced accuracy and chance"])
    alone = Chapter(None, chapter().entries)
    assert told(model_card([alone], {}), "What the scores on synthetic")["Baseline"] is None


def test_the_card_gives_figures_over_subjects_as_a_protocol_asks() -> None:
    blocks = model_card([chapter(protocol="2")], {})
    [found] = [one for one in blocks if one.title == "Over the subjects of synthetic"]
    assert "as protocol 2 reports it" in found.text
    own = [balanced_accuracy(np.array(varied(GOOD[BASELINE], i))) for i in range(6)]
    assert found.rows[0][:4] == (
        "Balanced accuracy", shown(statistics.mean(own)), shown(statistics.pstdev(own)), shown(statistics.median(own)),
    )  # fmt: skip


def test_the_card_names_protocol_and_labels() -> None:
    blocks = model_card([chapter(protocol="2")], {"model": {"postprocessing": "argmax"}})
    evaluation = told(blocks, "Evaluation on")
    assert evaluation["Protocol"] == "2 (leave_one_patient_out): a model was trained for each subject"
    assert evaluation["Windows labelled"] == "across recordings"
    assert str(evaluation["Stages"]).startswith("accuracy of windows, alarms and seizures")
    assert told(blocks, "Model")["From probabilities to classes"] == "argmax"


@pytest.mark.parametrize(
    "protocol, disjoint",
    [
        ("1", "no, by protocol 1: of each subject the earlier recordings train and the later ones test"),
        ("2", "yes, by protocol 2: the model for each subject was trained on the recordings of others only"),
        ("3", None),
        ("", None),
    ],
)
def test_the_checklist_knows_what_the_protocol_says(protocol: str, disjoint: str | None) -> None:
    blocks = checklist(chapter(protocol=protocol), {}, registry="r.csv")
    assert told(blocks, "Data")["Subjects disjoint from those of training"] == disjoint
    scoring = told(blocks, "Scoring")
    assert str(scoring["Protocol"]).startswith(protocol or "no protocol")
    assert scoring["Windows labelled"] == "across recordings"
    assert "Version of timescoring" not in scoring
    timing = told(blocks, "Timing")
    assert timing["Lead times reported"] == "yes"
    assert "at most 300 s" in str(timing["Lead time"])


def test_the_checklist_says_when_no_seizure_has_a_lead_time() -> None:
    timing = told(checklist(chapter(MAJORITY), {}, registry="r.csv"), "Timing")
    assert timing["Lead times reported"] == "no seizure has one"


def test_the_commands_write_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for protocol in ("3", ""):
        append(tmp_path / "r.csv", [row for _, row in scored(run=facts(protocol=protocol))])
    assert main(["card", str(tmp_path / "r.csv")]) == 0
    printed = capsys.readouterr()
    assert "| Protocol | no protocol: all subjects were tested with the model that was given |" in printed.out
    assert "left out: 4 rows of 2026-01-02T03:04:05Z, full, seed 7, szpredict-0.1, protocol 3: not the" in printed.err
    assert main(["checklist", str(tmp_path / "r.csv")]) == 0
    assert "| Lead times reported | yes |" in capsys.readouterr().out


@pytest.fixture
def registries(tmp_path: Path) -> tuple[str, str]:
    append(tmp_path / "good.csv", [row for _, row in scored(GOOD, adapter="good")])
    append(tmp_path / "weak.csv", [row for _, row in scored(WEAK, adapter="weak")])
    return str(tmp_path / "weak.csv"), str(tmp_path / "good.csv")


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[dict[str, str]], str]:
    assert main(["compare", *arguments, "--format=csv"]) == 0
    printed = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(printed.out))), printed.err


def retained(said: Mapping[str, Matrix], subjects: Sequence[int] = range(6)) -> float:
    values = {label: balanced_accuracy(pooled(said, label, subjects=subjects)) for label in said}
    return ((values[NOISE_5] + values[NOISE_0]) / 2 + values[DROPPED]) / 2 / values[BASELINE]


def test_predictors_are_ranked_by_balanced_accuracy(
    registries: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    rows, notes = table(capsys, *registries)
    by_name = {row["detector"]: row for row in rows}
    best = max(("good", "weak"), key=lambda name: retained({"good": GOOD, "weak": WEAK}[name]))
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert rows[0]["detector"] == best
    for name, said in (("good", GOOD), ("weak", WEAK)):
        row = by_name[name]
        drawn = [retained(said, draw.tolist()) for draw in draw_positions(6, seed=0)]
        assert float(row["retained_balanced_accuracy"]) == pytest.approx(retained(said))
        ends = [float(row[f"retained_balanced_accuracy_{end}"]) for end in ("low", "high")]
        assert ends == pytest.approx(np.quantile(drawn, [0.025, 0.975]).tolist())
        ratio = balanced_accuracy(pooled(said, DROPPED)) / balanced_accuracy(pooled(said, BASELINE))
        assert float(row["retained_balanced_accuracy_environment"]) == pytest.approx(ratio)
        assert float(row["baseline_balanced_accuracy"]) == pytest.approx(balanced_accuracy(pooled(said, BASELINE)))
        assert float(row["baseline_miss_rate"]) == 0.0
    assert "intervals: 95 %, paired bootstrap over subjects, 2000 draws" in notes


def test_text_and_markdown_name_the_figures(registries: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *registries, "--format=markdown"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "| rank | predictor | retained balanced accuracy | baseline balanced accuracy | false alarms/h | miss rate "
        "| noise | environment |"
    )


def test_the_majority_has_no_rank_and_takes_no_interval_from_others(
    tmp_path: Path, registries: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    append(tmp_path / "majority.csv", [row for _, row in scored(MAJORITY, adapter="majority")])
    rows, notes = table(capsys, str(tmp_path / "majority.csv"), *registries)
    assert rows[-1]["detector"] == "majority"
    assert (rows[-1]["rank"], rows[-1]["retained_balanced_accuracy"]) == ("", "")
    assert [row["rank"] for row in rows[:2]] == ["1", "2"]
    assert all(row["retained_balanced_accuracy_low"] for row in rows[:2])
    assert "majority: The baseline is degenerate: 100.0 % of its predictions are interictal" in notes
    assert "majority: Balanced accuracy of the baseline, 0.333, is not above chance (1/3)" in notes
    rows, notes = table(capsys, str(tmp_path / "majority.csv"))
    assert "no interval can be given: there is nothing to retain" in notes


def test_counts_of_subjects_come_from_the_row_in_the_order_of_the_bootstrap(tmp_path: Path) -> None:
    append(tmp_path / "r.csv", [row for _, row in scored(WEAK)])
    own = {f"sub-{i:02d}": counts(varied(WEAK[BASELINE], i)) for i in range(6)}
    baseline = read_registry(tmp_path / "r.csv", ())[0]
    found = subject_table(baseline)
    assert list(found) == list(own)
    assert np.array_equal(np.array(list(found.values())).T, count_table(own))


def test_few_subjects_have_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    append(tmp_path / "r.csv", [row for _, row in scored(subjects=4)])
    rows, notes = table(capsys, str(tmp_path / "r.csv"))
    assert rows[0]["retained_balanced_accuracy_low"] == ""
    assert "no interval can be given: 4 of 4 subjects have " in notes


def test_a_row_whose_subjects_cannot_be_read_has_no_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    append(tmp_path / "r.csv", [dict(row) | {"per_subject_json": "{}"} for _, row in scored()])
    _, notes = table(capsys, str(tmp_path / "r.csv"))
    assert f"{tmp_path / 'r.csv'}, line 2: per_subject_json holds 0 windows, n_windows says 6720" in notes


def test_other_labels_and_protocols_are_not_compared_unless_told(
    tmp_path: Path, registries: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    alone = [row for _, row in scored(adapter="alone", labelling="per recording: no starts", run=facts(protocol="3"))]
    append(tmp_path / "alone.csv", alone)
    assert main(["compare", registries[1], str(tmp_path / "alone.csv")]) == 1
    error = capsys.readouterr().err
    assert "labelling of good is 'across recordings', of alone 'per recording: no starts'" in error
    assert "scoring_preset of good is 'szpredict-0.1', of alone 'szpredict-0.1, protocol 3'" in error
    assert main(["compare", registries[1], str(tmp_path / "alone.csv"), "--anyway"]) == 0


@pytest.mark.parametrize("more", [[], ["--anyway"]])
def test_a_detector_and_a_predictor_are_never_compared(
    tmp_path: Path, registries: tuple[str, str], capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    detection = tmp_path / "detection.csv"
    write_registry(detection, DETECTION_SETTINGS, STRONG)
    assert main(["compare", str(detection), registries[0], *more]) == 1
    assert capsys.readouterr().err == (
        f"robustseiz compare: error: {detection} is of the detection task; {registries[0]} is of the prediction task: "
        "the tasks share no figure, so compare registries of one task\n"
    )
