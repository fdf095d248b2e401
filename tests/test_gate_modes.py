"""Gates by point and by interval."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registries import experiment
from scipy import stats
from tiny import CONFTEST, make_corpus

from pytest_robustseiz.chance import JudgedDrop, holm, judge_together
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.handles import RobustnessError, RobustnessExperiment
from pytest_robustseiz.intervals import loss_interval
from pytest_robustseiz.messages import PooledLimit
from pytest_robustseiz.options import Gate
from pytest_robustseiz.paired import counts_by_subject
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.shifts import CAR, Baseline


def pooled(now: list[Counts], before: list[Counts], gate: Gate, **limits: float) -> RobustnessExperiment:
    return RobustnessExperiment(experiment(CAR(), now), experiment(Baseline(), before), limits, gate=gate)


def message(judged: RobustnessExperiment) -> str:
    with pytest.raises(RobustnessError, match=r"^car on \d+ subjects:\n") as caught:
        judged.check()
    return str(caught.value)


# Four seizures in three recordings, of which one is lost: F1 falls from 1 to 6/7.
ONE_LOST = ([Counts(2, 0, 2, 3600.0), Counts(1, 0, 1, 3600.0), Counts(0, 0, 1, 3600.0)],
            [Counts(2, 0, 2, 3600.0), Counts(1, 0, 1, 3600.0), Counts(1, 0, 1, 3600.0)])  # fmt: skip


def test_one_lost_seizure_of_four_has_drop_limit_counts_and_why_there_is_no_interval() -> None:
    start = (
        "car on 3 subjects:\n  event F1 dropped by 0.143: baseline 1.000, now 0.857, limit max_f1_drop=0.1 "
        "(3 of 4 reference events found, 0 false positives in 3.00 h); no interval over subjects can be given: "
        "3 of 3 subjects have reference events, at least 5 are needed"
    )
    assert message(pooled(*ONE_LOST, "point", max_f1_drop=0.10)) == start
    # What cannot be judged by interval is judged by point, and says so.
    assert message(pooled(*ONE_LOST, "interval", max_f1_drop=0.10)) == start + ", so judged by point"


@pytest.mark.parametrize("gate", ["point", "interval"])
def test_equality_passes(gate: Gate) -> None:
    pooled(*ONE_LOST, gate, max_f1_drop=1 - 6 / 7).check()
    pooled(*ONE_LOST, gate, max_sensitivity_drop=0.25).check()


# One seizure of one subject of eight is lost: the drop of sensitivity is 1/8 and its interval starts at 0.
SMALL = ([Counts(1, 0, 1, 3600.0)] * 7 + [Counts(0, 0, 1, 3600.0)], [Counts(1, 0, 1, 3600.0)] * 8)
# Every subject loses half.
LARGE = ([Counts(5, 0, 10, 3600.0)] * 8, [Counts(10, 0, 10, 3600.0)] * 8)


def test_by_interval_only_a_drop_that_is_certain_fails() -> None:
    line = message(pooled(*SMALL, "point", max_sensitivity_drop=0.1))
    assert "dropped by 0.125" in line
    assert line.endswith("; 95% interval of the change by paired bootstrap over subjects 0.000 to 0.375")
    pooled(*SMALL, "interval", max_sensitivity_drop=0.1).check()
    line = message(pooled(*LARGE, "interval", max_sensitivity_drop=0.1))
    assert line.endswith("paired bootstrap over subjects 0.500 to 0.500")
    pooled(*LARGE, "interval", max_sensitivity_drop=0.5).check()


def test_a_rise_of_false_positives_is_judged_the_same_way() -> None:
    quiet = [Counts(1, 0, 1, 86400.0)] * 8
    one_noisy = [*quiet[:7], Counts(1, 16, 1, 86400.0)]
    all_noisy = [Counts(1, 2, 1, 86400.0)] * 8
    assert "rose by 2.000" in message(pooled(one_noisy, quiet, "point", max_fp_per_24h_increase=1))
    pooled(one_noisy, quiet, "interval", max_fp_per_24h_increase=1).check()
    line = message(pooled(all_noisy, quiet, "interval", max_fp_per_24h_increase=1))
    assert line.endswith("over subjects 2.000 to 2.000")


def test_limits_that_compare_with_no_baseline_are_judged_by_point() -> None:
    for limits in ({"min_f1": 0.99}, {"min_sensitivity": 0.9}, {"max_fp_per_24h": 0.5}):
        now = [Counts(0, 1, 1, 3600.0), *SMALL[0][1:]]
        assert "interval" not in message(pooled(now, SMALL[1], "interval", **limits))


def test_a_figure_that_is_gone_fails_by_interval_too() -> None:
    silent = [Counts(0, 0, 1, 3600.0)] * 8
    line = message(pooled(silent, SMALL[1], "interval", max_precision_drop=0.9))
    assert line.endswith("0 of 8 subjects have detections, at least 5 are needed, so judged by point")


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=5, max_size=9), st.floats(0, 1))
@settings(max_examples=25, deadline=None)
def test_what_fails_by_interval_fails_by_point_and_lies_beyond(found: list[tuple[int, int]], limit: float) -> None:
    now, before = ([Counts(pair[side], 1, 4, 3600.0) for pair in found] for side in (0, 1))
    failed: dict[Gate, bool] = {}
    gates: tuple[Gate, ...] = ("point", "interval")
    for gate in gates:
        try:
            pooled(now, before, gate, max_f1_drop=limit).check()
            failed[gate] = False
        except RobustnessError:
            failed[gate] = True
    counts, reference = (counts_by_subject(experiment(CAR(), one)) for one in (now, before))
    drop = loss_interval(counts, reference, "f1")
    assert failed["point"] == (drop.value > limit + 1e-9)
    assert failed["interval"] == (failed["point"] and drop.low > limit + 1e-9)


POOLED = """
import pytest

@pytest.mark.robustseiz(shifts=["drop_named"], max_sensitivity_drop=0.1)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
# Hears nothing in one of the recordings once any electrode is silent.
LOSES_ONE = """def detect(self, eeg, sfreq, channels):
        if (eeg == 0).all(axis=1).any() and abs(float(eeg[0, 100]) - ({sample})) < 1e-3:
            return np.zeros(eeg.shape[1], dtype=bool)"""


def test_the_option_chooses(pytester: pytest.Pytester, tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", {f"sub-{i}": [(20.0, 40.0)] for i in range(6)}, duration_s=60)
    sample = float(read_recording(discover(corpus)[0].recordings[0]).eeg[0, 100])
    detect = LOSES_ONE.format(sample=sample)
    pytester.makeconftest(CONFTEST.replace("def detect(self, eeg, sfreq, channels):", detect))
    pytester.makepyfile(test_b=POOLED)
    options = ["--robustseiz-mode=full", f"--robustseiz-data={corpus}"]
    by_point = pytester.runpytest(*options)
    by_point.assert_outcomes(passed=1, failed=2)
    by_point.stdout.fnmatch_lines(["*event sensitivity dropped by 0.167*paired bootstrap over subjects 0.000 to 0.*"])
    pytester.runpytest(*options, "--robustseiz-gate=interval").assert_outcomes(passed=3)
    by_holm = pytester.runpytest(*options, "--robustseiz-gate=holm")
    by_holm.assert_outcomes(passed=3)
    assert by_holm.ret == pytest.ExitCode.OK
    by_holm.stdout.fnmatch_lines(
        [
            "multiple comparisons: 2 of 2 drops are above their limit; about 0.* would be by chance*",
            "  after Holm's correction 0 of them are",
        ]
    )
    pytester.makeini("[pytest]\nrobustseiz_gate = interval\n")
    pytester.runpytest(*options).assert_outcomes(passed=3)
    wrong = pytester.runpytest(*options, "--robustseiz-gate=maybe")
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    wrong.stderr.fnmatch_lines(["*--robustseiz-gate: expected 'point', 'interval' or 'holm', got 'maybe'*"])


@pytest.mark.parametrize("way", [[], ["-n2"]])
def test_by_holm_what_stands_fails_the_run(pytester: pytest.Pytester, tmp_path: Path, way: list[str]) -> None:
    corpus = make_corpus(tmp_path / "corpus", {f"sub-{i}": [(20.0, 40.0)] for i in range(6)}, duration_s=60)
    deaf = "def detect(self, eeg, sfreq, channels):\n        eeg = eeg * (not (eeg == 0).all(axis=1).any())"
    pytester.makeconftest(CONFTEST.replace("def detect(self, eeg, sfreq, channels):", deaf))
    pytester.makepyfile(test_b=POOLED)
    result = pytester.runpytest_subprocess(
        *way, "--robustseiz-mode=full", f"--robustseiz-data={corpus}", "--robustseiz-gate=holm"
    )
    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "multiple comparisons: 2 of 2 drops are above their limit; about 0.0 would be by chance*",
            "  after Holm's correction 2 of them are: drop_named-electrodes_O1_O2 max_sensitivity_drop=0.1 (1.000), "
            "drop_named-electrodes_T7_T8 max_sensitivity_drop=0.1 (1.000)",
        ]
    )


def limit(value: float, *, label: str = "car", name: str = "max_sensitivity_drop") -> PooledLimit:
    return PooledLimit("a", "f", label, name, value)


def drops(*p_values: float) -> list[JudgedDrop]:
    return [JudgedDrop(limit(0.0, label=f"s{i}"), 1.0, 0.0, p) for i, p in enumerate(p_values)]


def test_holm_on_numbers_worked_out_by_hand() -> None:
    # Four p-values against 0.00625, 0.00833, 0.0125, 0.025: the third is too large, so the fourth stands no more.
    assert [drop.p_value for drop in holm(drops(0.02, 0.001, 0.008, 0.013))] == [0.001, 0.008]
    assert holm(drops(0.007, 0.02, 0.02, 0.02)) == []
    assert len(holm(drops(0.02))) == 1
    assert holm([]) == []


def test_expected_false_alarms_and_p_values_are_those_of_the_binomial() -> None:
    # One seizure in each of ten subjects, of which the baseline finds all and the setting seven. The drop of a draw is
    # the number of lost ones among ten draws with p = 0.3, over 10.
    now = experiment(CAR(), [Counts(int(i > 2), 0, 1, 3600.0) for i in range(10)])
    before = experiment(Baseline(), [Counts(1, 0, 1, 3600.0)] * 10)
    experiments = {"car": now, "baseline": before}
    asked = [limit(value) for value in (0.05, 0.15, 0.25)]
    lines = judge_together(experiments, asked, seed=1, gate="interval").lines
    assert lines[0].startswith("multiple comparisons: 3 of 3 drops are above their limit; about ")
    # The drop less the observed 0.3 is above the limit: more than 3.5, 4.5, 5.5 of ten.
    expected = sum(float(stats.binom.sf(lost, 10, 0.3)) for lost in (3, 4, 5))
    [shown] = re.findall(r"about (\d+\.\d) would", lines[0])
    assert float(shown) == pytest.approx(expected, abs=0.06)
    # One-sided p-values: no lost one at all has 0.7**10 = 0.028, above 2.5 % / 3.
    assert lines[1] == "  after Holm's correction 0 of them are"
    alone = judge_together(experiments, [limit(0.05)], seed=1, gate="holm")
    assert math.isclose(float(stats.binom.cdf(0, 10, 0.3)), 0.7**10)
    assert not alone.failed
    eleven = {
        "car": experiment(CAR(), [Counts(int(i > 3), 0, 1, 3600.0) for i in range(11)]),
        "baseline": experiment(Baseline(), [Counts(1, 0, 1, 3600.0)] * 11),
    }
    assert (7 / 11) ** 11 < 0.025
    assert judge_together(eleven, [limit(0.05)], seed=1, gate="holm").failed


def test_a_large_family_can_still_stand() -> None:
    experiments = {f"s{i}": experiment(CAR(), [Counts(5, 0, 10, 3600.0)] * 8) for i in range(300)}
    experiments["baseline"] = experiment(Baseline(), [Counts(10, 0, 10, 3600.0)] * 8)
    asked = [limit(0.1, label=f"s{i}") for i in range(300)]
    assert (
        "after Holm's correction 300 of them are: " in judge_together(experiments, asked, seed=0, gate="holm").lines[1]
    )


def test_without_any_effect_about_as_many_false_alarms_come_as_are_announced() -> None:
    rng = np.random.default_rng(5)
    announced, come = 0.0, 0
    for trial in range(60):
        chance = rng.beta(6, 2, 20)
        found = rng.binomial(5, chance, (2, 20))
        experiments = {
            "car": experiment(CAR(), [Counts(int(tp), 0, 5, 3600.0) for tp in found[0]]),
            "baseline": experiment(Baseline(), [Counts(int(tp), 0, 5, 3600.0) for tp in found[1]]),
        }
        line = judge_together(experiments, [limit(0.05)] * 10, seed=trial, gate="point").lines[0]
        come += int(line.split()[2]) > 0
        [shown] = re.findall(r"about (\d+\.\d) would", line)
        announced += float(shown) / 10
    assert abs(come - announced) < 4 * math.sqrt(60 * 0.25)


def test_what_has_no_interval_or_no_result_is_named() -> None:
    experiments = {"car": experiment(CAR(), ONE_LOST[0]), "baseline": experiment(Baseline(), ONE_LOST[1])}
    asked = [limit(0.1), limit(0.1, label="gone"), limit(0.1, label="baseline"), limit(0.1, name="min_f1")]
    few = (
        "  judged by point, 3 of 3 subjects have reference events, at least 5 are needed: car max_sensitivity_drop=0.1"
    )
    assert judge_together(experiments, asked, seed=0, gate="point").lines == []
    by_interval = judge_together(experiments, asked, seed=0, gate="interval")
    assert by_interval.lines == [few]
    assert not by_interval.failed
    by_holm = judge_together(experiments, asked, seed=0, gate="holm")
    assert by_holm.lines == [few, "  not judged, since its results are incomplete: gone max_sensitivity_drop=0.1"]
    assert by_holm.failed
