"""The report page: its numbers, that nothing is left out, and that it needs nothing else."""

import csv
import math
import re
from pathlib import Path

import pytest
from pages import Page
from reporting import scored
from test_plugin import options
from tiny import CONFTEST

from pytest_robustseiz.cli import main
from pytest_robustseiz.registry import append, as_cells
from pytest_robustseiz.report import entry_of, run_report
from pytest_robustseiz.reportcharts import axis_of
from pytest_robustseiz.reportdata import Chapter, Entry, Failure, Report, Verdict
from pytest_robustseiz.reportfigures import family_range, level, retained_headline, worst_entries, worst_of
from pytest_robustseiz.reportintervals import retained_interval
from pytest_robustseiz.reportpage import render
from pytest_robustseiz.reporttraces import event_of_interest
from pytest_robustseiz.scoring import STRATA, Counts
from pytest_robustseiz.shifts import AWGN, PGD, Baseline, DropNamed, Impulse, Shift

VERDICT = Verdict(5, 2, (Failure("test_a.py::test_it[<x>]", "RobustnessError: event F1 <dropped>"),))
GRID: tuple[Shift, ...] = (Baseline(), AWGN(snr_db=5), AWGN(snr_db=0), DropNamed(electrodes=("O1",)))
CHECK = """
import pytest
from pytest_robustseiz.shifts import AWGN, DropNamed

@pytest.mark.robustseiz(grid=[AWGN(snr_db=20), AWGN(snr_db=-10), DropNamed(electrodes=("Fp1",))], max_f1_drop=0.1)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()

def test_other():
    pass
"""


def report(*, subjects: int = 7, verdict: Verdict | None = VERDICT, two: bool = False, small: bool = False) -> Report:
    detectors = [scored(GRID if small else None, subjects=subjects)]
    if two:
        detectors.append(scored(GRID, adapter="other"))
    return run_report(
        detectors, verdict=verdict or VERDICT, absent=["incomplete: mains"], corpus=Path("/no/corpus"),
        registry=Path("r.csv"), facts={"contact": {"name": "A & B"}},
    )  # fmt: skip


def entry(shift: str, f1: float, **cells: object) -> Entry:
    row = {"experiment_name": f"{shift}-{f1}", "shift": shift, "category": "noise", "params_json": "{}", "event_f1": f1}
    return Entry(row | cells)


@pytest.fixture(scope="module")
def whole() -> Report:
    return report()


@pytest.fixture(scope="module")
def page(whole: Report) -> Page:
    return Page(render(whole))


def test_the_page_needs_nothing_else(page: Page, whole: Report) -> None:
    page.check_self_contained()
    text = render(whole)
    assert not re.search(r"https?:|url\(|@import|src=", text)


def test_every_setting_is_there_with_the_numbers_of_its_row(page: Page, whole: Report) -> None:
    [chapter] = whole.chapters
    assert len(chapter.entries) == 115
    seen = set()
    for shift, entries in chapter.by_shift().items():
        rows = {row["Setting"]: row for row in page.rows(f"{shift}: all settings")}
        for one in (chapter.baseline, *entries):
            assert one is not None
            row = rows[one.label]
            seen.add(one.label)
            assert row["Event F1"] == f"{one.value('event_f1'):.3f}"
            assert row["FP/24h"] == f"{one.value('event_fp_per_day'):.1f}"
            assert row["Mean Lag, s"] == f"{one.value('lag_mean_steps') / 256:.1f}"
            assert row["Detected"] == one.text("onset_tp_count")
    assert len(seen) == 116
    parameters = {row["Setting"]: row["Parameters"] for row in page.rows("Parameters of every setting")}
    assert parameters["awgn-snr_db_20"] == "snr_db=20.0"
    assert parameters["baseline"] == "none"


def test_curves_say_every_value_on_hover_and_in_words(page: Page, whole: Report) -> None:
    for one in whole.chapters[0].entries:
        assert sum(tip.startswith(f"{one.label}: ") for tip in page.tips) == 4  # three curves and the delays
    assert "awgn: Event F1 by snr_db" in page.drawings


def test_the_heat_map_holds_the_worst_values(page: Page, whole: Report) -> None:
    rows = {row["Shift"]: row for row in page.rows("Worst value over")}
    for shift, entries in whole.chapters[0].by_shift().items():
        assert rows[shift]["Event F1"] == f"{min(one.value('event_f1') for one in entries):.3f}"
        assert rows[shift]["Event FP/24h"] == f"{max(one.value('event_fp_per_day') for one in entries):.1f}"


def test_subjects_are_all_there_and_the_worst_is_named(page: Page, whole: Report) -> None:
    rows = {row["Subject"]: row for row in page.rows("Subjects over all")}
    assert list(rows) == [f"sub-{number:02d}" for number in range(7)]
    assert rows["sub-03"]["Mean event F1"] == "n/a"  # no seizures
    means = {name: float(row["Mean event F1"]) for name, row in rows.items() if row["Mean event F1"] != "n/a"}
    worst = min(means, key=means.__getitem__)
    assert any(words.startswith(f"Worst subject: {worst}, ") for words in page.words)
    matrix = {row["Setting"]: row for row in page.rows("Event F1 by setting")}
    assert len(matrix) == 116
    for one in whole.chapters[0].entries:
        counts = one.subjects["sub-01"]
        assert isinstance(counts, Counts)
        assert matrix[one.label]["sub-01"] == f"{counts.f1:.2f}"


def test_the_verdict_failures_and_what_was_not_done_are_said(page: Page) -> None:
    assert "FAILED: 1 of 6 checks failed, 2 skipped" in page.words
    assert "RobustnessError: event F1 <dropped>" in page.words
    assert "incomplete: mains" in page.words
    assert any("could not be drawn" in words and "/no/corpus" in words for words in page.words)


@pytest.mark.parametrize(
    "verdict, words",
    [
        (Verdict(3, 0, ()), "PASSED: all 3 checks passed"),
        (Verdict(0, 2, ()), "NO CHECK RAN, 2 skipped"),
        (Verdict(0, 0, VERDICT.failures), "FAILED: 1 of 1 checks failed"),
    ],
)
def test_verdicts(verdict: Verdict, words: str) -> None:
    assert words in Page(render(report(verdict=verdict, small=True))).words


def test_two_detectors_share_a_page_without_sharing_ids() -> None:
    page = Page(render(report(two=True, small=True)))
    page.check_self_contained()
    assert {"d1-awgn-snr_db_5", "d2-awgn-snr_db_5"} <= set(page.ids)


def test_a_page_for_a_large_corpus_stays_small() -> None:
    assert len(render(report(subjects=43)).encode()) < 5_000_000


def test_a_run_without_a_complete_experiment_says_so() -> None:
    empty = run_report([], verdict=VERDICT, absent=["incomplete"], corpus=Path(), registry=Path("r"), facts={})
    words = Page(render(empty)).words
    assert "No experiment is complete, so there are no scores to show." in words
    assert "incomplete" in words


def test_retained_f1_is_a_mean_over_shifts_of_means_over_settings() -> None:
    settings = (entry("a", 0.8), entry("a", 0.4), entry("b", 0.2))
    assert retained_headline(Chapter(entry("baseline", 0.8), settings)) == pytest.approx(((1.0 + 0.5) / 2 + 0.25) / 2)
    for chapter in (Chapter(None, settings), Chapter(entry("baseline", 0.0), settings), Chapter(settings[0], ())):
        assert math.isnan(retained_headline(chapter))


def test_the_interval_of_retained_f1_holds_it_and_needs_subjects_with_seizures() -> None:
    [chapter] = report(small=True, subjects=12).chapters
    interval, reason = retained_interval(chapter)
    assert interval is not None
    assert reason == ""
    assert interval[0] < retained_headline(chapter) < interval[1]
    [few] = report(small=True, subjects=5).chapters
    assert retained_interval(few) == (None, "no interval: 4 subjects have seizures, at least 5 are needed")
    unknown = Chapter(entry("baseline", 0.8), (entry("a", 0.4),))
    assert retained_interval(unknown) == (None, "no interval: the counts of single subjects are not known")


def test_an_interval_of_equal_subjects_has_no_width() -> None:
    experiments = scored(GRID, subjects=1)
    alike = [Entry(row, {f"s{i}": one.scores.event for i in range(6)}) for one, row in experiments]
    chapter = Chapter(alike[0], tuple(alike[1:]))
    interval, _ = retained_interval(chapter)
    assert interval == pytest.approx((retained_headline(chapter),) * 2)


def test_worst_settings_come_first_and_undefined_ones_are_left_out() -> None:
    settings = (entry("a", 0.8), entry("a", 0.1), entry("b", math.nan), entry("b", 0.3))
    found = worst_entries(Chapter(entry("baseline", 0.8), settings), most=2)
    assert [one.value("event_f1") for one in found] == [0.1, 0.3]
    assert worst_of("event_f1", [settings[2]]) is None


@pytest.mark.parametrize(
    "metric, reference, value, expected",
    [
        ("event_f1", 0.5, 0.5, 0),
        ("event_f1", 0.5, 0.9, 0),
        ("event_f1", 0.5, 0.46, 1),
        ("event_f1", 0.5, 0.40, 2),
        ("event_f1", 0.5, 0.30, 3),
        ("event_f1", 0.5, 0.10, 4),
        ("event_fp_per_day", 0.0, 0.3, 3),  # beside one per day
        ("event_fp_per_day", 10.0, 5.0, 0),
        ("event_f1", 0.5, math.nan, -1),
    ],
)
def test_shades(metric: str, reference: float, value: float, expected: int) -> None:
    assert level(metric, reference, value) == expected


def test_axes_follow_the_parameters() -> None:
    def entries(*grid: Shift) -> list[Entry]:
        return [entry_of(*one) for one in scored(grid, subjects=1)]

    line = axis_of(entries(AWGN(snr_db=20), AWGN(snr_db=0)))
    assert (line.ticks, line.title, line.joined) == (("20", "0"), "snr_db", True)
    modes = axis_of(entries(*(PGD(epsilon=size, mode=mode) for size in (0.1, 1.0) for mode in ("increase", "flip"))))
    assert modes.series == {"increase": (0, 2), "flip": (1, 3)}
    assert modes.ticks == ("0.1", "1")
    words = axis_of(entries(DropNamed(electrodes=("O1", "O2")), DropNamed(electrodes=("T7",))))
    assert (words.ticks, words.joined) == (("O1+O2", "T7"), False)
    both = axis_of(entries(Impulse(share=0.1, height_ratio=2), Impulse(share=0.2, height_ratio=4)))
    assert (both.ticks, both.joined) == (("1", "2"), False)


def test_the_event_that_is_drawn_shows_what_went_wrong() -> None:
    seizures = [(100.0, 120.0), (500.0, 520.0)]
    missed = event_of_interest(seizures, [(105.0, 120.0), (505.0, 520.0)], [(105.0, 120.0)])
    assert missed == ((500.0, 520.0), "a seizure at 500 s that was found before the shift and is missed after it")
    # 70 s after its end: outside of the 60 s that scoring tolerates
    late = event_of_interest(seizures[:1], [(105.0, 120.0)], [(185.0, 199.0)])
    assert late[0] == (100.0, 120.0)
    tolerated = event_of_interest(seizures[:1], [(105.0, 120.0)], [(105.0, 110.0), (175.0, 199.0)])
    assert tolerated == ((175.0, 199.0), "a false alarm at 175 s that was not raised before the shift")
    assert event_of_interest([], [], [])[1] == "the event at 0 s"


def test_agreement_is_shown_by_stratum_where_the_stage_ran() -> None:
    rows = [dict(row) | {f"mcd_{name}_agreement": 0.25 for name in STRATA} for _, row in scored(GRID)]
    chapter = Chapter(Entry(rows[0]), tuple(Entry(row) for row in rows[1:]))
    page = Page(render(Report("synthetic", None, (chapter,))))
    assert "awgn: mean phi by stratum and snr_db" in page.drawings
    assert {row["phi seizure"] for row in page.rows("awgn: all settings")} == {"0.2500"}
    assert page.rows("Worst value over")[0]["Mean phi"] == "0.250"
    without = Page(render(report(small=True)))
    assert "No agreement stage: it was off." in without.words
    assert not any("phi" in drawing for drawing in without.drawings)


def test_family_range_is_that_of_the_definition() -> None:
    settings = [entry("a", value) for value in (0.20, 0.37, 0.59, 0.81)]
    assert family_range(settings, "event_f1") == (0.20, 0.81)
    settings += [entry("b", 0.4), entry("b", 0.6), entry("c", math.nan)]
    assert family_range(settings, "event_f1") == pytest.approx((0.30, 0.705))


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["one process", "two workers"])
def test_a_run_writes_the_page(pytester: pytest.Pytester, tiny_corpus: Path, workers: list[str]) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CHECK)
    result = pytester.runpytest_subprocess(*workers, *options(tiny_corpus, "--robustseiz-report=out/report.html"))
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["report: *report.html"])
    page = Page((pytester.path / "out" / "report.html").read_text(encoding="utf-8"))
    page.check_self_contained()
    assert "FAILED: 2 of 4 checks failed" in page.words  # without test_other, which is none of ours
    assert any("drop_named-electrodes_Fp1 on 3 subjects" in words for words in page.words)
    assert any("EEG before and after, and events; a seizure at" in drawing for drawing in page.drawings)
    with (pytester.path / "experiments_results.csv").open(newline="") as file:
        rows = {row["experiment_name"]: row for row in csv.DictReader(file)}
    for shift in ("awgn", "drop_named"):
        for row in page.rows(f"{shift}: all settings"):
            assert row["Event F1"] == f"{float(rows[row['Setting']]['event_f1']):.3f}"


def test_collecting_only_leaves_an_earlier_page_alone(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CHECK)
    pytester.path.joinpath("r.html").write_text("earlier")
    pytester.runpytest("--collect-only", *options(tiny_corpus, "--robustseiz-report=r.html"))
    assert pytester.path.joinpath("r.html").read_text() == "earlier"


@pytest.mark.parametrize(
    "project, arguments, message",
    [
        ("", ["--robustseiz-report=."], "*--robustseiz-report: * is a folder; name a file*"),
        ("[tool.robustseiz.card]\nx = 1\n", ["--robustseiz-report=r.html"], "*unknown section ?x?; there are contact*"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_at_once(
    pytester: pytest.Pytester, tiny_corpus: Path, project: str, arguments: list[str], message: str
) -> None:
    pytester.makepyprojecttoml(project)
    pytester.makepyfile(test_a=CHECK)
    result = pytester.runpytest(*options(tiny_corpus, *arguments))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_the_command_shows_what_a_registry_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiments = scored(GRID)
    append(tmp_path / "r.csv", [row for _, row in experiments])
    append(tmp_path / "r.csv", [experiments[1][1]])  # once more
    assert main(["report", str(tmp_path / "r.csv"), str(tmp_path / "r.html")]) == 0
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    page.check_self_contained()
    for experiment, row in experiments[1:]:
        cells = as_cells(row)
        shown = {one["Setting"]: one for one in page.rows(f"{experiment.setting.shift}: all settings")}
        assert shown[experiment.setting.label]["Event F1"] == f"{float(cells['event_f1']):.3f}"
    text, words = capsys.readouterr().out, " ".join(page.words)
    for line in (
        "1 rows are older than another row",
        "113 settings of the default grid have no row",
        "EEG is not drawn",
    ):
        assert line in text
        assert line in words
    assert "Scores of single subjects are not known" in words


def test_the_command_reads_subjects_from_the_output_folders(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CHECK)
    pytester.runpytest(*options(tiny_corpus, "--robustseiz-report=run.html"))
    assert main(["report", "experiments_results.csv", "registry.html"]) == 0
    run, registry = (Page(pytester.path.joinpath(f"{name}.html").read_text("utf-8")) for name in ("run", "registry"))
    for caption in ("Subjects over all", "Event F1 by setting", "awgn: all settings", "Worst value over"):
        assert registry.rows(caption) == run.rows(caption)
    # A later run into the same folder, whose scores are not those of the row.
    results = pytester.path / "Results/noise/awgn-snr_db_-10/results.csv"
    results.write_text(results.read_text().replace("sub-01,all", "sub-09,one"))
    main(["report", "experiments_results.csv", "registry.html"])
    changed = pytester.path.joinpath("registry.html").read_text("utf-8")
    assert "1 settings have no results.csv or onset.csv" in changed


def test_the_command_refuses_what_is_not_a_registry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert main(["report", str(tmp_path / "x.csv"), str(tmp_path / "r.html")]) == 1
    assert "is not a registry: it has no column experiment_name" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "gone.csv"), str(tmp_path / "r.html")]) == 1
    assert "No such file" in capsys.readouterr().err
