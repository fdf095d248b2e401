"""The summary in Markdown."""

from pathlib import Path

import pytest
from reporting import scored
from test_plugin import options
from tiny import CONFTEST

from pytest_robustseiz.report import run_report
from pytest_robustseiz.reportdata import Failure, Verdict
from pytest_robustseiz.stepsummary import append_summary

CHECK = """
import pytest
from pytest_robustseiz.shifts import AWGN

@pytest.mark.robustseiz(grid=[AWGN(snr_db=-10)], max_f1_drop=0.1)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""


def test_it_is_appended_with_baseline_and_the_five_worst(tmp_path: Path) -> None:
    report = run_report(
        [scored()], verdict=Verdict(3, 0, (Failure("t[a|b]", "lost\nmuch"),)), absent=["not applicable: car"],
        corpus=tmp_path, registry=tmp_path / "r.csv", facts={}, draw=False,
    )  # fmt: skip
    path = tmp_path / "new" / "summary.md"
    for _ in range(2):
        append_summary(path, report)
    text = path.read_text()
    assert text.count("## Robustness: FAILED: 1 of 4 checks failed") == 2
    table = [line for line in text.splitlines() if line.startswith("| ")][: 2 + 6]
    worst = sorted(one.value("event_f1") for one in report.chapters[0].entries)[:5]
    assert [line.split(" | ")[1] for line in table[2:]] == ["1.000", *(f"{f1:.3f}" for f1 in worst)]
    assert "- t[a\\|b]: lost much" in text
    assert "- not applicable: car" in text


@pytest.mark.parametrize("by_option", [True, False])
def test_a_run_appends_it(
    pytester: pytest.Pytester, tiny_corpus: Path, monkeypatch: pytest.MonkeyPatch, by_option: bool
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CHECK)
    path = pytester.path / "summary.md"
    path.write_text("before\n")
    if not by_option:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    given = [f"--robustseiz-summary={path}"] if by_option else []
    pytester.runpytest(*options(tiny_corpus, *given)).assert_outcomes(passed=1, failed=1)
    text = path.read_text()
    assert text.startswith("before\n## Robustness: FAILED: 1 of 2 checks failed")
    assert "| awgn-snr_db_-10 | 0." in text


def test_a_summary_that_cannot_be_written_fails_the_run(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=CHECK)
    pytester.path.joinpath("file").write_text("")
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, "--robustseiz-summary=file/summary.md"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["NOT WRITTEN: summary *summary.md: *"])
