"""Judging scores against limits."""

import pytest

from pytest_robustseiz.gates import judge
from pytest_robustseiz.results import Scores
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.tasks import LIMITS, TASKS


def scores(tp: int, fp: int, reference: int, *, hours: float = 24.0, delays: tuple[int, ...] = ()) -> Scores:
    return Scores(event=Counts(tp, fp, reference, hours * 3600), delays=delays, seizures=reference)


def failures(now: Scores, baseline: Scores, **limits: float) -> tuple[str, ...]:
    return judge(now, baseline, limits, sfreq=256, pooled=True).failures


def test_every_limit_judges_a_figure_that_there_is() -> None:
    columns = {rule.column for rule in TASKS["detection"].rules.values()} - {"lag_s"}
    assert columns <= set(Scores().metrics())
    assert set(TASKS["detection"].rules) < set(LIMITS)


def test_one_lost_seizure_of_four() -> None:
    # F1 falls from 2*4/(2*4) = 1 to 2*3/(2*3 + 0 + 1) = 0.857.
    [line] = failures(scores(3, 0, 4), scores(4, 0, 4), max_f1_drop=0.10)
    assert line == (
        "event F1 dropped by 0.143: baseline 1.000, now 0.857, limit max_f1_drop=0.1 "
        "(3 of 4 reference events found, 0 false positives in 24.00 h)"
    )


@pytest.mark.parametrize(
    "limit, passes, fails",
    [
        # sensitivity 0.8 against 0.7: the drop is 0.10000000000000009 in binary
        ("max_sensitivity_drop", (0.1, scores(7, 0, 10), scores(8, 0, 10)), (0.09, scores(7, 0, 10), scores(8, 0, 10))),
        ("max_precision_drop", (0.5, scores(2, 2, 4), scores(4, 0, 4)), (0.49, scores(2, 2, 4), scores(4, 0, 4))),
        ("max_f1_drop", (0.0, scores(4, 0, 4), scores(4, 0, 4)), (0.0, scores(3, 0, 4), scores(4, 0, 4))),
        ("max_fp_per_24h", (3, scores(1, 3, 1), scores(1, 0, 1)), (2.9, scores(1, 3, 1), scores(1, 0, 1))),
        ("max_fp_per_24h_increase", (2, scores(1, 3, 1), scores(1, 1, 1)), (1.9, scores(1, 3, 1), scores(1, 1, 1))),
        ("min_f1", (1, scores(4, 0, 4), scores(4, 0, 4)), (0.99, scores(3, 0, 4), scores(4, 0, 4))),
        ("min_sensitivity", (0.75, scores(3, 0, 4), scores(4, 0, 4)), (0.76, scores(3, 0, 4), scores(4, 0, 4))),
        ("max_lag_s", (2, scores(2, 0, 2, delays=(256, 768)), scores(2, 0, 2)),
         (1.9, scores(2, 0, 2, delays=(256, 768)), scores(2, 0, 2))),
    ],
)  # fmt: skip
def test_equality_passes_and_more_fails(
    limit: str, passes: tuple[float, Scores, Scores], fails: tuple[float, Scores, Scores]
) -> None:
    assert failures(passes[1], passes[2], **{limit: passes[0]}) == ()
    assert len(failures(fails[1], fails[2], **{limit: fails[0]})) == 1


def test_a_gain_is_not_a_drop() -> None:
    assert failures(scores(4, 0, 4), scores(3, 0, 4), max_f1_drop=0.0, max_sensitivity_drop=0.0) == ()


@pytest.mark.parametrize("limit", ["max_precision_drop", "min_f1", "max_f1_drop", "max_lag_s"])
def test_what_is_not_a_number_fails(limit: str) -> None:
    # Nothing found and nothing said: precision and Lag are not defined, and F1 of an empty scope neither.
    silent = scores(0, 0, 0) if limit in ("min_f1", "max_f1_drop") else scores(0, 0, 4)
    [line] = failures(silent, silent, **{limit: 0.5})
    assert "n/a" in line


def test_early_detections_keep_a_limit_on_lag() -> None:
    assert failures(scores(2, 0, 2, delays=(-100, 0)), scores(2, 0, 2), max_lag_s=0) == ()


def test_a_subject_without_seizures_is_judged_by_false_positives_only() -> None:
    verdict = judge(
        scores(0, 2, 0), scores(0, 0, 0), {"max_f1_drop": 0.1, "max_fp_per_24h": 1}, sfreq=256, pooled=False
    )
    assert verdict.judged == ("max_fp_per_24h",)
    assert verdict.without_meaning == ("max_f1_drop",)
    assert len(verdict.failures) == 1


def test_a_whole_scope_without_seizures_fails() -> None:
    assert len(failures(scores(0, 0, 0), scores(0, 0, 0), max_f1_drop=0.1, min_sensitivity=0.0)) == 2
