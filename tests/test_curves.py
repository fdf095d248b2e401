"""Curves over a shift's grid, on numbers worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from predictions import Matrix, counts
from predictions import experiment as prediction

from pytest_robustseiz.change import NO_CHANGE
from pytest_robustseiz.curves import MetricCurve, RobustnessCurve
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.shifts import AWGN, Baseline

LABELS = ("a", "b", "c")


def curve(baseline: float, *values: float, metric: str = "event_f1") -> MetricCurve:
    return MetricCurve(metric, tuple("abcdefgh"[: len(values)]), values, baseline)


def test_a_falling_curve() -> None:
    falling = curve(0.9, 0.8, 0.4, 0.5)
    assert falling.losses() == pytest.approx((0.1, 0.5, 0.4))
    assert falling.max_drop() == pytest.approx(0.5)
    assert falling.max_step() == pytest.approx(0.4)  # from 0.8 to 0.4
    assert falling.area() == pytest.approx((0.85 + 0.6 + 0.45) / 3)
    assert falling.first_beyond(0.2) == "b"
    assert falling.first_beyond(0.6) is None


def test_the_first_step_is_from_the_baseline() -> None:
    assert curve(1.0, 0.3, 0.3).max_step() == pytest.approx(0.7)


@pytest.mark.parametrize(
    "metric", ["event_fp_per_day", "lag_mean_steps", "fpr_per_h", "miss_rate", "time_in_warning", "degenerate"]
)
def test_of_some_metrics_more_is_worse(metric: str) -> None:
    rising = curve(10.0, 12.0, 30.0, metric=metric)
    assert rising.max_drop() == 20.0
    assert rising.max_step() == 18.0


@pytest.mark.parametrize("metric", ["balanced_accuracy", "transition_detection_rate", "lead_time_mean_s"])
def test_of_other_metrics_less_is_worse(metric: str) -> None:
    assert curve(10.0, 12.0, 4.0, metric=metric).max_drop() == 6.0


def test_a_gain_is_a_negative_loss() -> None:
    assert curve(0.5, 0.6).max_drop() == pytest.approx(-0.1)


def test_what_is_not_a_number_is_never_below_a_limit() -> None:
    broken = curve(0.9, 0.8, math.nan)
    assert not broken.max_drop() < 1
    assert not broken.max_step() < 1
    assert math.isnan(broken.area())
    assert broken.first_beyond(0.5) == "b"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1))
def test_area_is_that_of_numpy(values: list[float], baseline: float) -> None:
    expected = np.trapezoid([baseline, *values]) / len(values)
    assert curve(baseline, *values).area() == pytest.approx(expected)


def experiment(label: str, tp: int) -> ExperimentResult:
    setting = SettingInfo(label, "awgn", "noise", "{}")
    recording = RecordingResult(
        folder="sub-01/eeg", stem="sub-01", content="", duration_s=3600.0, start=None, seizures=4,
        event=Counts(tp, 0, 4, 3600.0), change=NO_CHANGE, figures={}, notes=(),
    )  # fmt: skip
    return ExperimentResult(setting, (CaseResult("sub-01", setting, (recording,)),))


def test_a_curve_is_read_by_metric() -> None:
    shifts = RobustnessCurve("awgn", [experiment("one", 3), experiment("two", 1)], experiment("baseline", 4))
    assert shifts["event_sensitivity"] == MetricCurve("event_sensitivity", ("one", "two"), (0.75, 0.25), 1.0)
    with pytest.raises(KeyError, match="no metric 'f1'; there are sample_sensitivity, "):
        shifts["f1"]


def predicted(label: str, confusion: Matrix) -> ExperimentResult:
    return prediction(AWGN(snr_db=0) if label else Baseline(), {"sub-01": counts(confusion)})


def test_a_curve_of_predictions_is_read_by_metric() -> None:
    baseline, now = ((90, 10, 0), (2, 8, 0), (0, 0, 10)), ((100, 0, 0), (10, 0, 0), (10, 0, 0))
    shifts = RobustnessCurve("awgn", [predicted("awgn", now)], predicted("", baseline))
    assert shifts["balanced_accuracy"].baseline == pytest.approx((0.9 + 0.8 + 1) / 3)
    assert shifts["balanced_accuracy"].max_drop() == pytest.approx((0.9 + 0.8 + 1) / 3 - 1 / 3)
    assert shifts["miss_rate"].max_step() == 1.0
    assert shifts["fpr_per_h"].max_drop() == pytest.approx(-36.0)  # one alarm in 100 s, then none
    assert math.isnan(shifts["lead_time_mean_s"].max_drop())
    with pytest.raises(KeyError, match="no metric 'event_f1'; there are sensitivity, specificity, balanced_accuracy"):
        shifts["event_f1"]
