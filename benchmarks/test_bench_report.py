"""The report of 116 experiments on 43 subjects; the budget is 10 s and 5 MB, without the EEG, which has to be read."""

import sys
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from pytest_robustseiz.report import run_report
from pytest_robustseiz.reportdata import Verdict
from pytest_robustseiz.reportpage import render

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reporting import scored


def test_report_of_a_full_run(benchmark: BenchmarkFixture) -> None:
    experiments = [scored(subjects=43)]

    def make() -> str:
        report = run_report(
            experiments, verdict=Verdict(116, 0, ()), absent=(), corpus=Path(), registry=Path("r.csv"), facts={},
            draw=False,
        )  # fmt: skip
        return render(report)

    page = benchmark(make)
    benchmark.extra_info["megabytes"] = len(page.encode()) / 1e6
    assert len(page.encode()) < 5_000_000
