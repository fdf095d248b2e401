"""The report page of the prediction task: its numbers beside those worked out by hand, and what it says in words."""

import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from pages import Page
from predictions import (
    BASELINE,
    DROPPED,
    GOOD,
    MAJORITY,
    NOISE_0,
    NOISE_5,
    SETTINGS,
    Matrix,
    balanced_accuracy,
    counts,
    experiment,
    facts,
    pooled,
    scored,
    varied,
)

from pytest_robustseiz.cli import main
from pytest_robustseiz.intervals import draw_positions
from pytest_robustseiz.registry import append, as_cells, make_row
from pytest_robustseiz.report import run_report
from pytest_robustseiz.reportchanges import change_of_interest, changed_windows, warnings_of
from pytest_robustseiz.reportdata import Chapter, Entry, Report, Verdict
from pytest_robustseiz.reportfigures import level, retained_headline
from pytest_robustseiz.reportintervals import retained_interval
from pytest_robustseiz.reportpage import render
from pytest_robustseiz.reportworth import at_chance_text, degenerate_text
from pytest_robustseiz.scoring import PredictionCounts, chance_level
from pytest_robustseiz.shifts import Baseline
from pytest_robustseiz.stepsummary import append_summary
from pytest_robustseiz.subjectcounts import SubjectCountsError, predicted_subjects

LABELS = (NOISE_5, NOISE_0, DROPPED)


def report(said: dict[str, Matrix] = GOOD, *, subjects: int = 6, protocol: str = "") -> Report:
    return run_report(
        [scored(said, subjects=subjects, run=facts(protocol=protocol))], verdict=Verdict(1, 0, ()), absent=[],
        corpus=Path("/no/corpus"), registry=Path("r.csv"), facts={}, draw=False,
    )  # fmt: skip


def words(page: Page) -> str:
    return " ".join(page.words)


@pytest.fixture(scope="module")
def whole() -> Report:
    return report()


@pytest.fixture(scope="module")
def page(whole: Report) -> Page:
    return Page(render(whole))


def test_the_page_needs_nothing_else(page: Page) -> None:
    page.check_self_contained()
    assert "Event F1" not in words(page)
    assert "FP/24h" not in words(page)


def test_every_setting_is_there_with_numbers_worked_out_by_hand(page: Page) -> None:
    rows = {row["Setting"]: row for name in ("awgn", "drop_named") for row in page.rows(f"{name}: all settings")}
    assert set(rows) == set(GOOD)
    for label, row in rows.items():
        matrix = pooled(GOOD, label)
        alarms = sum(sum(varied(GOOD[label], i)[0][1:]) // 10 for i in range(6))
        assert row["Balanced accuracy"] == f"{balanced_accuracy(matrix):.3f}"
        assert row["Sensitivity"] == f"{matrix[1:, 1:].sum() / matrix[1:].sum():.3f}"
        assert row["Specificity"] == f"{matrix[0, 0] / matrix[0].sum():.3f}"
        assert row["Preictal accuracy"] == f"{matrix[1, 1] / matrix[1].sum():.3f}"
        assert row["False alarms/h"] == f"{alarms / (matrix[0].sum() / 3600):.2f}"
        assert row["Time in warning"] == f"{matrix[:, 1:].sum() / matrix.sum():.3f}"
    assert rows[DROPPED]["Miss rate"] == "1.000"
    assert rows[DROPPED]["Degenerate"] == "interictal"
    assert rows[DROPPED]["Mean lead time, s"] == "n/a"
    assert rows[BASELINE]["Degenerate"] == "no"
    leads = [2.0 * (80 - 7 * i) for i in range(6)]
    assert rows[BASELINE]["Mean lead time, s"] == f"{statistics.mean(leads):.1f}"
    assert rows[BASELINE]["Median lead time, s"] == f"{statistics.median(leads):.1f}"
    assert rows[BASELINE]["With lead time"] == "6"


def retained_by_hand(subjects: list[int]) -> float:
    values = {label: balanced_accuracy(pooled(GOOD, label, subjects=subjects)) for label in GOOD}
    return ((values[NOISE_5] + values[NOISE_0]) / 2 + values[DROPPED]) / 2 / values[BASELINE]


def test_retained_balanced_accuracy_is_that_of_a_hand_computation_with_its_interval(whole: Report, page: Page) -> None:
    [chapter] = whole.chapters
    expected = retained_by_hand(list(range(6)))
    assert retained_headline(chapter) == pytest.approx(expected)
    draws = [retained_by_hand(drawn.tolist()) for drawn in draw_positions(6, seed=0)]
    interval, reason = retained_interval(chapter)
    assert reason == ""
    assert interval == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))
    text = words(page)
    assert f"{expected:.3f}" in page.words
    low, high = np.quantile(draws, [0.025, 0.975])
    assert f"95 % interval {low:.3f} to {high:.3f}" in text
    at_chance = 1 / 3 / balanced_accuracy(pooled(GOOD, BASELINE))
    assert "with three classes a predictor that does not look at the EEG has 1/3" in text
    assert f"one that is reduced to chance still retains {at_chance:.3f} of this baseline." in text


def test_few_subjects_have_no_interval() -> None:
    [chapter] = report(subjects=4).chapters
    interval, reason = retained_interval(chapter)
    assert interval is None
    assert reason.startswith("no interval: 4 of 4 subjects have ")
    assert reason.endswith(", at least 5 are needed")


def test_the_heat_map_holds_the_worst_values_and_counts_what_is_degenerate(page: Page) -> None:
    rows = {row["Shift"]: row for row in page.rows("Worst value over")}
    worst = min(balanced_accuracy(pooled(GOOD, label)) for label in (NOISE_5, NOISE_0))
    assert rows["awgn"]["Balanced accuracy"] == f"{worst:.3f}"
    assert rows["drop_named"]["Miss rate"] == "1.000"
    assert rows["awgn"]["Degenerate"] == "0 of 2"
    assert rows["drop_named"]["Degenerate"] == "1 of 1"


def test_the_worst_settings_come_first(page: Page) -> None:
    shown = [row["Setting"] for row in page.rows("The worst settings by balanced accuracy")]
    assert shown == sorted(LABELS, key=lambda label: balanced_accuracy(pooled(GOOD, label)))


def test_settings_that_are_degenerate_and_chance_are_said_in_words(page: Page) -> None:
    text = words(page)
    assert f"Degenerate under 1 of 3 settings: {DROPPED} (100.0 % interictal)." in text
    chance = chance_level(counts(varied(GOOD[BASELINE], i)) for i in range(6))
    assert "the baseline warned of 6 of the 6 seizures with preictal time before their onset" in text
    assert f"would reach {chance.expected:.1f} on average (p = {chance.p_value:.3g})" in text
    assert "The baseline is degenerate" not in text
    assert "No protocol: all subjects were tested with the model that was given." in text
    assert "Windows were labelled across recordings." in text


def test_lead_times_are_drawn_and_told(page: Page) -> None:
    assert "awgn: lead times by setting; the numbers are in the table" in page.drawings
    leads = [2.0 * (80 - 7 * i) for i in range(6)]
    told = f"baseline: 6 of 6 seizures have a lead time: mean {statistics.mean(leads):.1f} s, median "
    assert any(tip.startswith(told) for tip in page.tips)
    assert f"{DROPPED}: 0 of 6 seizures have a lead time" in page.tips
    assert not any("Lead and Lag" in drawing for drawing in page.drawings)


def test_curves_show_chance_and_every_value(page: Page, whole: Report) -> None:
    assert "awgn: Balanced accuracy by snr_db" in page.drawings
    assert page.tips.count("chance 1/3") == 2  # of balanced accuracy alone, for each shift
    for one in whole.chapters[0].entries:
        assert sum(tip.startswith(f"{one.label}: ") for tip in page.tips) == 4  # three curves and the lead times


def test_subjects_have_their_own_balanced_accuracy(page: Page) -> None:
    lines = {row["Subject"]: row for row in page.rows("Subjects over all")}
    matrix = {row["Setting"]: row for row in page.rows("Balanced accuracy by setting and subject")}
    for i in range(6):
        own = {label: balanced_accuracy(np.array(varied(GOOD[label], i))) for label in GOOD}
        row = lines[f"sub-{i:02d}"]
        assert (row["Seizures"], row["Hours"]) == ("1", f"{1120 / 3600:.2f}")
        assert row["Baseline balanced accuracy"] == f"{own[BASELINE]:.3f}"
        assert row["Mean balanced accuracy"] == f"{statistics.mean(own[label] for label in LABELS):.3f}"
        assert row["Lowest balanced accuracy"] == f"{min(own[label] for label in LABELS):.3f}"
        assert matrix[NOISE_5][f"sub-{i:02d}"] == f"{own[NOISE_5]:.2f}"


@pytest.mark.parametrize("protocol, asked", [("1", ", as protocol 1 reports it"), ("3", ""), ("", "")])
def test_figures_over_subjects_are_those_of_a_hand_computation(protocol: str, asked: str) -> None:
    page = Page(render(report(protocol=protocol)))
    own = {f"sub-{i:02d}": balanced_accuracy(np.array(varied(GOOD[BASELINE], i))) for i in range(6)}
    [row, *_] = page.rows(f"Baseline over subjects, each of whom counts the same{asked};")
    assert row == {
        "Figure": "Balanced accuracy",
        "Mean": f"{statistics.mean(own.values()):.3f}",
        "Standard deviation": f"{statistics.pstdev(own.values()):.3f}",
        "Median": f"{statistics.median(own.values()):.3f}",
        "Hardest": min(own, key=own.__getitem__),
        "Easiest": max(own, key=own.__getitem__),
    }


@pytest.mark.parametrize(
    "protocol, text",
    [
        ("1", "Protocol 1 (patient_specific): a model was trained for each subject."),
        ("4", "Protocol 4 (transition_timing): the fixed test split, with the model given."),
    ],
)
def test_the_protocol_is_named_at_the_top(protocol: str, text: str) -> None:
    page = Page(render(report(protocol=protocol)))
    assert text in words(page)
    assert f"good on synthetic (prediction, protocol {protocol}, full)" in page.words
    shared = {row["Field"]: row["Value"] for row in page.rows("What all experiments share")}
    assert (shared["protocol"], shared["labelling"]) == (protocol, "across recordings")
    assert "timescoring_version" not in shared


def test_the_majority_is_called_degenerate_and_retains_nothing(tmp_path: Path) -> None:
    found = report(MAJORITY)
    page = Page(render(found))
    text = words(page)
    told = (
        "The baseline is degenerate: 100.0 % of its predictions are interictal (95 % or more of one class). It says "
        "one thing, whatever the EEG; specificity 1.000 and sensitivity 0.000 are those of a constant, with 6 of 6 "
        "seizures missed."
    )
    assert told in text
    assert "Balanced accuracy of the baseline, 0.333, is not above chance (1/3): there is nothing to retain." in text
    assert "It is not given, since this baseline has no more than that." in text
    assert math.isnan(retained_headline(found.chapters[0]))
    assert retained_interval(found.chapters[0]) == (None, "there is nothing to retain")
    warned = [given for tag, given in page.tags if tag == "p" and given.get("class") == "warns"]
    assert len(warned) == 3
    append_summary(tmp_path / "s.md", found)
    summary = (tmp_path / "s.md").read_text()
    assert f"**{told}**" in summary
    assert "retained balanced accuracy n/a" in summary


def baseline(matrix: Matrix, *, subjects: int = 6, alike: bool = True) -> Entry:
    own = {f"sub-{i:02d}": counts(matrix if alike else varied(matrix, i)) for i in range(subjects)}
    one = experiment(Baseline(), own)
    return Entry(make_row(one, adapter="a", fingerprint="f", corpus="c", facts=facts()))


def test_a_good_predictor_of_a_long_record_is_degenerate_by_the_letter_only() -> None:
    entry = baseline(((9700, 100, 0), (20, 80, 0), (0, 0, 20)))
    expected = (9700 / 9800 + 80 / 100 + 1) / 3
    assert degenerate_text(entry) == (
        "The baseline is degenerate: 98.0 % of its predictions are interictal (95 % or more of one class). So are "
        "98.8 % of the windows, and a perfect predictor would be degenerate too; go by balanced accuracy, "
        f"{expected:.3f} where chance is 1/3."
    )
    chapter = Chapter(entry, (entry,))
    assert retained_headline(chapter) == 1.0


def test_a_predictor_that_knows_a_little_and_says_one_thing_is_degenerate() -> None:
    text = degenerate_text(baseline(((98, 2, 0), (9, 1, 0), (0, 0, 0))))
    assert "are interictal" in text
    assert "alone would hide that; go by balanced accuracy, 0.540 where chance is 1/2" in text


def test_a_random_predictor_is_held_against_chance() -> None:
    assert "is not above chance (1/3): there is nothing to retain" in at_chance_text(
        baseline(((3012, 2928, 2886), (290, 275, 274), (97, 130, 108)))
    )
    above = ((400, 300, 300), (30, 40, 30), (6, 6, 8))
    holds = at_chance_text(baseline(above, alike=False))
    assert holds.startswith("The 95 % interval of the baseline's balanced accuracy, 0.")
    assert holds.endswith("holds chance (1/3): what is retained of it may be chance too.")
    assert at_chance_text(baseline(GOOD[BASELINE])) == ""


def test_chance_is_that_of_the_classes_that_occur() -> None:
    said: dict[str, Matrix] = {label: (row[0], row[1], (0, 0, 0)) for label, row in GOOD.items()}
    page = Page(render(report(said)))
    text = words(page)
    assert "has 1/3 (here, where 2 occur, 1/2)" in text
    assert page.tips.count("chance 1/2") == 2
    at_chance = 1 / 2 / balanced_accuracy(pooled(said, BASELINE))
    assert f"still retains {at_chance:.3f} of this baseline" in text


def test_without_preictal_time_there_is_no_comparison_with_chance() -> None:
    nobody = PredictionCounts(
        confusion=((90, 10, 0), (0, 0, 0), (0, 0, 0)), alarms=1, spaced_alarms=1, seizures=0, missed=0, warned=0,
        preictal_windows=(), lead_times_s=(),
    )  # fmt: skip
    one = experiment(Baseline(), {"sub-01": nobody})
    entry = Entry(make_row(one, adapter="a", fingerprint="f", corpus="c", facts=facts()))
    page = Page(render(Report("synthetic", None, (Chapter(entry, ()),))))
    assert "No comparison with chance: no seizure has preictal time" in words(page)


def test_the_command_shows_the_same_from_the_registry_alone(
    tmp_path: Path, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    append(tmp_path / "r.csv", [row for _, row in scored()])
    assert main(["report", str(tmp_path / "r.csv"), str(tmp_path / "r.html")]) == 0
    shown = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    shown.check_self_contained()
    assert "scores of subjects are not known" not in capsys.readouterr().out
    for caption in (
        "Subjects over all",
        "Balanced accuracy by",
        "awgn: all settings",
        "Worst value over",
        "Baseline over",
    ):
        assert shown.rows(caption) == page.rows(caption)
    assert "95 % interval" in words(shown)


def test_each_protocol_of_a_registry_is_a_chapter(tmp_path: Path) -> None:
    for protocol in ("2", "3"):
        append(tmp_path / "r.csv", [row for _, row in scored(run=facts(protocol=protocol))])
    main(["report", str(tmp_path / "r.csv"), str(tmp_path / "r.html")])
    shown = words(Page((tmp_path / "r.html").read_text(encoding="utf-8")))
    assert shown.index("good on synthetic (prediction, protocol 3, full)") < shown.index("protocol 2, full)")
    assert "older than another row" not in shown


def test_subjects_that_cannot_be_read_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [dict(row) | {"per_subject_json": "{}"} for _, row in scored()]
    append(tmp_path / "r.csv", rows)
    assert main(["report", str(tmp_path / "r.csv"), str(tmp_path / "r.html")]) == 0
    told = "3 settings have a per_subject_json that cannot be read: scores of subjects are not known."
    assert told in capsys.readouterr().out
    shown = words(Page((tmp_path / "r.html").read_text(encoding="utf-8")))
    assert "Scores of single subjects are not known: the row of the baseline has none that can be read." in shown


@pytest.mark.parametrize(
    "cell, message",
    [
        ("[1]", "per_subject_json is not that of a run"),
        ("{", "per_subject_json is not that of a run"),
        ('{"a": {"confusion": 3, "alarms": 0, "seizures": 0, "missed": 0}}', "confusion must be a list, got 3"),
        ('{"a": {"confusion": [[1, 0, 0], [0, 0, 0], [0, 0, 0]], "alarms": 0, "missed": 0}}', "KeyError.*seizures"),
        (
            '{"a": {"confusion": [[1, 0, 0], [0, 0, 0], [0, 0, 0]], "alarms": 0, "seizures": 0, "missed": 0}}',
            "holds 1 windows, n_windows says 5",
        ),
    ],
)
def test_what_is_no_table_of_subjects_is_refused(cell: str, message: str) -> None:
    with pytest.raises(SubjectCountsError, match=message):
        predicted_subjects({"per_subject_json": cell, "n_windows": 5})


def test_the_command_does_not_replace_a_registry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.csv", "b.csv"):
        append(tmp_path / name, [row for _, row in scored()])
    before = (tmp_path / "b.csv").read_text()
    assert main(["report", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]) == 2
    assert "b.csv would be replaced by the page; name one registry, then a page" in capsys.readouterr().err
    assert (tmp_path / "b.csv").read_text() == before


def test_a_registry_without_what_its_task_needs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [as_cells(row) for _, row in scored()]
    names = [name for name in rows[0] if name != "per_subject_json"]
    lines = [",".join(names), *(",".join('""' if "," in row[name] else row[name] for name in names) for row in rows)]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    assert main(["report", str(tmp_path / "r.csv"), str(tmp_path / "r.html")]) == 1
    assert "is not a registry of the prediction task: it has no column per_subject_json" in capsys.readouterr().err


def test_the_summary_has_the_figures_of_the_task(tmp_path: Path) -> None:
    append_summary(tmp_path / "s.md", report(protocol="2"))
    text = (tmp_path / "s.md").read_text()
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    assert table[0] == ["Setting", "Balanced accuracy", "Change", "Sensitivity", "Specificity", "False alarms/h",
                        "Miss rate", "Mean lead time, s"]  # fmt: skip
    values = {label: balanced_accuracy(pooled(GOOD, label)) for label in GOOD}
    assert [row[:3] for row in table[2:]] == [
        [label, f"{values[label]:.3f}", f"{values[label] - values[BASELINE]:.3f}"]
        for label in [BASELINE, *sorted(LABELS, key=values.__getitem__)]
    ]
    assert f"retained balanced accuracy {retained_by_hand(list(range(6))):.3f}" in text
    assert "Protocol 2 (leave_one_patient_out): a model was trained for each subject." in text
    assert f"**Degenerate under 1 of 3 settings: {DROPPED} (100.0 % interictal).**" in text


@pytest.mark.parametrize(
    "metric, reference, value, expected",
    [
        ("balanced_accuracy", 0.8, 0.75, 1),
        ("fpr_per_h", 0.0, 0.02, 2),  # beside one in ten hours
        ("fpr_per_h", 2.0, 1.0, 0),
        ("miss_rate", 0.0, 0.25, 2),  # of all seizures
        ("miss_rate", 0.5, 1.0, 3),
        ("time_in_warning", 0.1, 0.3, 2),  # of all time
        ("lead_time_mean_s", 200.0, 90.0, 4),
        ("lead_time_mean_s", 0.5, 0.0, 3),  # beside one second
    ],
)
def test_shades(metric: str, reference: float, value: float, expected: int) -> None:
    assert level(metric, reference, value) == expected


def test_the_stretch_that_is_drawn_is_the_longest_change() -> None:
    before, after = "0011122200", "0000022211"
    assert changed_windows(before, after) == 5
    assert change_of_interest(before, after) == (
        (2.0, 5.0), "from 2 s on, for 3 s, preictal before the shift and interictal after it",
    )  # fmt: skip
    assert warnings_of(before) == [(2.0, 8.0)]
    assert warnings_of("0") == []


def test_a_chapter_without_a_baseline_says_what_it_can(whole: Report) -> None:
    [chapter] = whole.chapters
    page = Page(render(Report("synthetic", None, (Chapter(None, chapter.entries),))))
    assert f"Degenerate under 1 of 3 settings: {DROPPED}" in words(page)
    assert "Chance level" not in words(page)
    assert len(page.rows("awgn: all settings")) == len(SETTINGS) - 2
