"""The regression gate: against stored rows, and in a run."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tiny import CONFTEST

from pytest_robustseiz.change import InputChange
from pytest_robustseiz.registry import COLUMNS, RegistryError, RunFacts, append, as_cells, make_row
from pytest_robustseiz.registryfile import read_registry
from pytest_robustseiz.regression import DIRECTIONS, Comparison, compare, load_comparison, parse_limits
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.tasks import DETECTION

NO_LOSS = {"event_f1": 0.0}


def make(
    tp: int = 8, fp: int = 0, *, reference: int = 10, label: str = "awgn-snr_db_0", adapter: str = "a",
    corpus: str = "c", day: int = 1, seed: int = 0, mode: str = "full",
) -> dict[str, object]:  # fmt: skip
    setting = SettingInfo(label, label.partition("-")[0], "noise", "{}")
    counts = Counts(tp, fp, reference, 86400.0)
    one = RecordingResult(
        folder="sub-01/eeg", stem="sub-01", content="c0ffee", duration_s=86400.0, start=None, seizures=reference,
        sample=counts, event=counts, change=InputChange(0.0, 1.0, 0, 1), figures={}, notes=(),
    )  # fmt: skip
    return make_row(
        ExperimentResult(setting, (CaseResult("sub-01", setting, (one,)),)),
        adapter=adapter,
        fingerprint="f",
        corpus=corpus,
        facts=RunFacts(datetime(2026, 1, day, tzinfo=UTC), "/data", "/out", mode, seed),
    )


def stored(folder: Path, *rows: dict[str, object], **limits: float) -> Comparison:
    path = folder / "main.csv"
    append(path, rows)
    return load_comparison(path, limits or NO_LOSS, anyway=False)


def test_a_loss_beyond_the_limit_is_one_line(tmp_path: Path) -> None:
    # F1 falls from 16/18 to 14/17, false positives rise from 0 to 3 per day.
    comparison = stored(tmp_path, make(8, 0), event_f1=0.02, event_fp_per_day=2.0)
    outcome = compare(comparison, [as_cells(make(7, 3))])
    assert outcome.failed
    assert outcome.lines == [
        f"regression gate: 1 of 1 rows compared with {tmp_path / 'main.csv'} (event_f1:0.02, event_fp_per_day:2)",
        "  awgn-snr_db_0 of a: event_f1 stored 0.889, now 0.700, worse by 0.189, limit 0.02",
        "  awgn-snr_db_0 of a: event_fp_per_day stored 0.000, now 3.000, worse by 3.000, limit 2",
    ]


@pytest.mark.parametrize(
    "metric, limit, before, now, failed",
    [
        ("event_fp_per_day", 2.0, (8, 1), (8, 3), False),  # equality passes
        ("event_fp_per_day", 1.9, (8, 1), (8, 3), True),
        ("event_fp_per_day", 0.0, (8, 3), (8, 1), False),  # a gain
        ("event_sensitivity", 0.1, (8, 0), (7, 0), False),  # 0.8 - 0.7 is more than 0.1 in binary
        ("event_sensitivity", 0.09, (8, 0), (7, 0), True),
        ("event_sensitivity", 0.0, (7, 0), (8, 0), False),
        ("event_precision", 1.0, (8, 0), (0, 0), True),  # not a number any more
        ("event_precision", 0.0, (0, 0), (8, 0), False),
        ("event_precision", 0.0, (0, 0), (0, 0), False),
    ],
)
def test_limits(
    tmp_path: Path, metric: str, limit: float, before: tuple[int, int], now: tuple[int, int], failed: bool
) -> None:
    append(tmp_path / "main.csv", [make(*before)])
    comparison = load_comparison(tmp_path / "main.csv", {metric: limit}, anyway=False)
    assert compare(comparison, [as_cells(make(*now))]).failed is failed


def test_the_latest_stored_row_counts_whatever_its_place(tmp_path: Path) -> None:
    comparison = stored(tmp_path, make(8, day=3), make(10, day=2))
    assert not compare(comparison, [as_cells(make(8))]).failed


@pytest.mark.parametrize(
    "other, what",
    [
        ({"adapter": "b"}, "adapter stored 'b', now 'a'"),
        ({"corpus": "d"}, "corpus_fingerprint stored 'd', now 'c'"),
        ({"seed": 3}, "seed stored '3', now '0'"),
        ({"mode": "subset"}, "mode stored 'subset', now 'full'"),
        ({"seed": 3, "mode": "subset"}, "mode stored 'subset', now 'full'; seed stored '3', now '0'"),
    ],
)
def test_what_differs_is_named_and_refused_unless_told(tmp_path: Path, other: dict[str, str], what: str) -> None:
    comparison = stored(tmp_path, make(8, **other))  # type: ignore[arg-type]
    outcome = compare(comparison, [as_cells(make(8))])
    assert outcome.failed
    assert outcome.lines[1].startswith(f"  REFUSED: awgn-snr_db_0: {what}; compare with a run of the same detector")
    assert outcome.lines[2:] == ["  nothing was compared, so the gate fails"]
    told = Comparison(comparison.path, comparison.rows, comparison.limits, anyway=True)
    assert not compare(told, [as_cells(make(8))]).failed
    assert compare(told, [as_cells(make(8))]).lines[1] == f"  compared though they differ: awgn-snr_db_0: {what}"
    assert compare(told, [as_cells(make(7))]).failed


def test_a_row_that_fits_wins_over_a_later_one_that_does_not(tmp_path: Path) -> None:
    comparison = stored(tmp_path, make(8, day=1), make(2, day=2, mode="subset"), make(1, day=3, adapter="b"))
    assert compare(comparison, [as_cells(make(7))]).failed


def test_settings_that_are_not_stored_are_named(tmp_path: Path) -> None:
    comparison = stored(tmp_path, make(8))
    rows = [as_cells(make(8)), as_cells(make(1, label="car")), as_cells(make(1, label="mains"))]
    outcome = compare(comparison, rows)
    assert not outcome.failed
    assert outcome.lines[1:] == ["  not in main.csv, so not compared: car, mains"]
    assert compare(comparison, rows[1:]).failed  # a gate that compares nothing is no gate
    assert compare(comparison, []).failed


def test_every_figure_that_has_a_direction_is_a_column() -> None:
    assert set(DETECTION.less_is_worse | DETECTION.more_is_worse) <= set(COLUMNS)
    assert DIRECTIONS["event_f1"] == DIRECTIONS["subject_mean_event_sensitivity"] == -1
    assert DIRECTIONS["lag_mean_steps"] == DIRECTIONS["sample_fp_per_day"] == 1


def test_limits_are_read() -> None:
    assert parse_limits("event_f1:0.02, event_fp_per_day:2") == {"event_f1": 0.02, "event_fp_per_day": 2.0}


@pytest.mark.parametrize(
    "text, message",
    [
        ("f1:0.02", "unknown metric 'f1'; write METRIC:LIMIT,... with sample_sensitivity, "),
        ("lead_mean_steps:3", "unknown metric 'lead_mean_steps'"),
        ("event_f1", "the limit of event_f1 must be a finite number of at least 0, got ''"),
        ("event_f1:-1", "the limit of event_f1 must be .* got '-1'"),
        ("event_f1:nan", "the limit of event_f1 must be .* got 'nan'"),
        ("event_f1:1,event_f1:2", "event_f1 is given twice"),
        ("", "unknown metric ''"),
    ],
)
def test_wrong_limits(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_limits(text)


@pytest.mark.parametrize(
    "text, message",
    [
        ("a,b\n1,2\n", "main.csv is not a registry: it has no column timestamp_utc, experiment_name, adapter"),
        ("", "is not a registry"),
        (",".join(COLUMNS) + "\n", "holds no row"),
        (",".join(COLUMNS) + "\n1,2\n", rf"line 2: expected {len(COLUMNS)} cells, got 2"),
        (",".join(COLUMNS) + "\n" + ",".join(["x"] * len(COLUMNS)) + "\n", "event_f1 must be a number, got 'x'"),
    ],
)
def test_a_file_that_is_no_registry(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "main.csv"
    path.write_text(text)
    with pytest.raises(RegistryError, match=message):
        load_comparison(path, NO_LOSS, anyway=False)


def test_what_is_not_text_is_no_registry(tmp_path: Path) -> None:
    (tmp_path / "main.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RegistryError, match="not UTF-8 text"):
        read_registry(tmp_path / "main.csv", COLUMNS)


POOLED = """
import pytest

@pytest.mark.robustseiz(shifts=["drop_named"])
def test_pooled(robustseiz_experiment):
    pass
"""


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", *more]


@pytest.fixture
def main_run(pytester: pytest.Pytester, tiny_corpus: Path) -> pytest.Pytester:
    """A project whose main branch has left main.csv."""
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_b=POOLED)
    pytester.runpytest(*options(tiny_corpus, "--robustseiz-registry=main.csv")).assert_outcomes(passed=3)
    return pytester


@pytest.mark.parametrize("way", [[], ["-n2"]])
def test_a_run_that_falls_behind_fails_though_its_tests_pass(
    main_run: pytest.Pytester, tiny_corpus: Path, way: list[str]
) -> None:
    gate = ["--robustseiz-compare=main.csv", "--robustseiz-max-regression=event_sensitivity:0.02"]
    same = main_run.runpytest_subprocess(*way, *options(tiny_corpus, *gate))
    assert same.ret == pytest.ExitCode.OK
    same.stdout.fnmatch_lines(["regression gate: 3 of 3 rows compared with *main.csv (event_sensitivity:0.02)"])
    # No seizure of the tiny corpus is as loud as this threshold.
    main_run.makeconftest(CONFTEST.replace("return PowerDetector()", "return PowerDetector(threshold_uv=500.0)"))
    worse = main_run.runpytest_subprocess(*way, *options(tiny_corpus, *gate))
    worse.assert_outcomes(passed=3)
    assert worse.ret == pytest.ExitCode.TESTS_FAILED
    worse.stdout.fnmatch_lines(
        ["*baseline of power: event_sensitivity stored 1.000, now 0.000, worse by 1.000, limit 0.02"]
    )


def test_another_seed_is_refused_unless_told(main_run: pytest.Pytester, tiny_corpus: Path) -> None:
    gate = ["--robustseiz-compare=main.csv", "--robustseiz-max-regression=event_f1:0.02", "--robustseiz-seed=1"]
    result = main_run.runpytest(*options(tiny_corpus, *gate))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*REFUSED: baseline and 2 more: seed stored '0', now '1'; compare with*anyway"])
    told = main_run.runpytest(*options(tiny_corpus, *gate, "--robustseiz-compare-anyway"))
    assert told.ret == pytest.ExitCode.OK


def test_a_run_may_compare_with_the_registry_that_it_appends_to(main_run: pytest.Pytester, tiny_corpus: Path) -> None:
    gate = ["--robustseiz-compare=main.csv", "--robustseiz-max-regression=event_f1:0", "--robustseiz-registry=main.csv"]
    result = main_run.runpytest(*options(tiny_corpus, *gate))
    assert result.ret == pytest.ExitCode.OK
    with (main_run.path / "main.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 6


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--robustseiz-compare=gone.csv"], "*--robustseiz-compare: needs --robustseiz-max-regression*"),
        (
            ["--robustseiz-compare=gone.csv", "--robustseiz-max-regression=event_f1:0"],
            "*--robustseiz-compare: *gone.csv: No such file*",
        ),
        (["--robustseiz-max-regression=event_f1:0"], "*--robustseiz-max-regression: needs --robustseiz-compare=FILE*"),
        (["--robustseiz-compare-anyway"], "*--robustseiz-compare-anyway: needs --robustseiz-compare=FILE*"),
        (
            ["--robustseiz-compare=gone.csv", "--robustseiz-max-regression=f1:0"],
            "*--robustseiz-max-regression: unknown metric 'f1'*",
        ),
    ],
)
def test_mistakes_are_usage_errors_at_the_start(
    pytester: pytest.Pytester, tiny_corpus: Path, arguments: list[str], message: str
) -> None:
    result = pytester.runpytest(*options(tiny_corpus, *arguments))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
