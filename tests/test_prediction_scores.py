"""Scores of the prediction task: published values, scikit-learn, tables made by hand, a slow count of every window."""

import dataclasses
import json
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, recall_score

from pytest_robustseiz.scoring import (
    CLASSES,
    PREDICTION_METRICS,
    PREDICTION_ZERO,
    Interval,
    PatientSummary,
    PredictionCounts,
    Stretch,
    SubjectLabels,
    patient_summaries,
    patient_summary,
    prediction_counts,
    prediction_metrics,
    prediction_scores,
    subject_labels,
)

Classes = npt.NDArray[np.int64]
# Published with SzPredict 0.1: 10,000 windows, of which 839 preictal and 335 ictal.
MAJORITY = ((8826, 0, 0), (839, 0, 0), (335, 0, 0))
RANDOM = ((3012, 2928, 2886), (290, 275, 274), (97, 130, 108))
CELLS = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10_000))
MATRICES = st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=3, max_size=3)


def same(found: float, expected: float) -> bool:
    return (math.isnan(found) and math.isnan(expected)) or math.isclose(found, expected, rel_tol=1e-13, abs_tol=1e-15)


def test_published_scores_of_the_majority() -> None:
    scores = prediction_scores(MAJORITY)
    assert scores.n_windows == 10_000
    assert (scores.sensitivity, scores.specificity) == (0.0, 1.0)
    assert (scores.false_negative_rate, scores.false_positive_rate) == (1.0, 0.0)
    assert scores.f1_macro == pytest.approx(0.3125464782747264, rel=1e-15)
    assert scores.balanced_accuracy == 1 / 3
    assert (scores.degenerate, scores.degenerate_class, scores.largest_share) == (True, "interictal", 1.0)
    assert [(one.correct, one.total) for one in scores.per_class] == [(8826, 8826), (0, 839), (0, 335)]


def test_published_scores_of_the_random_predictor() -> None:
    scores = prediction_scores(RANDOM)
    assert scores.sensitivity == pytest.approx(0.6703577512776832, rel=1e-15)
    assert scores.seizure_discrimination == scores.sensitivity
    assert scores.specificity == pytest.approx(0.34126444595513256, rel=1e-15)
    assert scores.false_negative_rate == pytest.approx(0.32964224872231684, rel=1e-15)
    assert scores.false_positive_rate == pytest.approx(0.6587355540448674, rel=1e-15)
    assert scores.f1_macro == pytest.approx(0.22818067794020738, rel=1e-15)
    assert scores.f1_macro_as_submitted == scores.f1_macro
    assert scores.balanced_accuracy == pytest.approx(0.33047455393162833, rel=1e-15)
    assert scores.preictal_accuracy == pytest.approx(0.32777115613825986, rel=1e-15)
    assert scores.ictal_accuracy == pytest.approx(0.32238805970149254, rel=1e-15)
    assert (scores.degenerate, scores.degenerate_class) == (False, None)


@given(MATRICES)
def test_scores_are_those_of_scikit_learn(rows: list[list[int]]) -> None:
    truth = np.repeat(np.repeat([0, 1, 2], 3), np.ravel(rows))
    predicted = np.repeat(np.tile([0, 1, 2], 3), np.ravel(rows))
    if not len(truth):
        return
    scores = prediction_scores(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are predicted and do not occur
        balanced = float(balanced_accuracy_score(truth, predicted))
    options: dict[str, Any] = {"labels": [0, 1, 2], "average": None, "zero_division": np.nan}
    recall, f1 = (
        np.asarray(recall_score(truth, predicted, **options)),
        np.asarray(f1_score(truth, predicted, **options)),
    )
    options |= {"labels": [False, True]}
    specificity, sensitivity = np.asarray(recall_score(truth > 0, predicted > 0, **options)).tolist()
    options = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
    macro = float(f1_score(truth, predicted, **options))
    assert same(scores.balanced_accuracy, balanced)
    assert all(map(same, [one.accuracy for one in scores.per_class], recall.tolist()))
    assert [one.total for one in scores.per_class] == np.bincount(truth, minlength=3).tolist()
    assert all(map(same, scores.f1_per_class, f1.tolist()))
    assert same(scores.f1_macro_as_submitted, macro)
    assert same(scores.f1_macro, float(np.mean(f1)))
    assert same(scores.specificity, specificity)
    assert same(scores.sensitivity, sensitivity)
    assert same(scores.false_positive_rate, 1 - specificity)
    assert same(scores.false_negative_rate, 1 - sensitivity)
    assert same(scores.largest_share, np.bincount(predicted).max() / len(predicted))


def test_scores_of_nothing_do_not_apply() -> None:
    scores = prediction_scores(((0, 0, 0), (0, 0, 0), (0, 0, 0)))
    figures = (
        scores.sensitivity, scores.specificity, scores.balanced_accuracy, scores.f1_macro, scores.largest_share,
        scores.seizure_discrimination, scores.false_negative_rate, scores.false_positive_rate,
        scores.preictal_accuracy, scores.ictal_accuracy,
    )  # fmt: skip
    assert all(math.isnan(figure) for figure in figures)
    assert (scores.degenerate, scores.degenerate_class, scores.f1_macro_as_submitted) == (False, None, 0.0)


def test_f1_macro_of_a_class_that_is_nowhere_does_not_apply() -> None:
    silent = prediction_scores(((10, 0, 0), (0, 0, 0), (0, 0, 0)))
    assert math.isnan(silent.f1_macro)
    assert silent.f1_macro_as_submitted == 1 / 3
    assert silent.balanced_accuracy == 1.0
    only_predicted = prediction_scores(((8, 1, 1), (0, 0, 0), (0, 0, 0)))
    assert only_predicted.f1_per_class == (16 / 18, 0.0, 0.0)
    assert only_predicted.f1_macro == pytest.approx(16 / 54)


@pytest.mark.parametrize(
    "columns, degenerate",
    [((95, 5, 0), "interictal"), ((9499, 500, 1), None), ((0, 1, 19), "ictal"), ((2, 96, 2), "preictal")],
)
def test_degenerate_from_95_percent(columns: tuple[int, int, int], degenerate: str | None) -> None:
    scores = prediction_scores((columns, (0, 0, 0), (0, 0, 0)))
    assert (scores.degenerate, scores.degenerate_class) == (degenerate is not None, degenerate)


@pytest.mark.parametrize(
    "rows, message",
    [
        (((1, 2), (3, 4)), r"confusion: expected 3 rows of 3"),
        (((1, 2, 3), (1, 2, 3), (1, 2)), r"confusion: expected 3 rows of 3"),
        (((1, 2, 3), (1, -2, 3), (1, 2, 3)), r"confusion: expected whole numbers of windows, 0 or more"),
        (((1, 2, 3), (1, 0.5, 3), (1, 2, 3)), r"confusion: expected whole numbers"),
    ],
)
def test_what_is_no_confusion_matrix_is_refused(rows: Sequence[Sequence[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prediction_scores(rows)


def one(duration_s: float, seizures: Sequence[Interval]) -> SubjectLabels:
    return subject_labels([Stretch(None, duration_s, tuple(seizures))])


def says(n_windows: int, *spans: tuple[int, int, int]) -> Classes:
    """Interictal but for spans of (first window, window after the last, class)."""
    classes = np.zeros(n_windows, dtype=np.int64)
    for first, beyond, label in spans:
        classes[first:beyond] = label
    return classes


# A seizure from 1000 to 1050 s of 2000 s: interictal to 700, preictal to 1000, ictal to 1050, excluded to 1350.
SEIZURE: list[Interval] = [(1000.0, 1050.0)]
# What is said: alarms, missed, warned, lead times.
BY_HAND: dict[str, tuple[list[tuple[int, int, int]], tuple[int, int, int, list[float]]]] = {
    "nothing": ([], (0, 1, 0, [])),
    "one window": ([(10, 11, 1)], (1, 1, 0, [])),
    "classes change within an alarm": ([(10, 20, 1), (20, 30, 2), (30, 31, 1)], (1, 1, 0, [])),
    "two alarms": ([(10, 20, 1), (21, 30, 1)], (2, 1, 0, [])),
    "first and last window": ([(0, 1, 1), (1999, 2000, 2)], (2, 1, 0, [])),
    "within the excluded time": ([(1050, 1350, 1)], (0, 1, 0, [])),
    "over the excluded time and on": ([(1040, 1360, 1)], (1, 0, 0, [])),
    "an alarm that goes over into the preictal time": ([(690, 710, 1)], (1, 0, 1, [300.0])),
    "all the time": ([(0, 2000, 1)], (2, 0, 1, [300.0])),
    "late": ([(999, 1000, 1)], (0, 0, 1, [1.0])),
    "early": ([(700, 701, 1)], (0, 0, 1, [300.0])),
    "too early": ([(699, 700, 1)], (1, 1, 0, [])),
    "ictal before the onset is a warning without a lead time": ([(800, 900, 2)], (0, 0, 1, [])),
    "ictal first, then preictal": ([(800, 900, 2), (900, 950, 1)], (0, 0, 1, [100.0])),
    "only during the seizure": ([(1049, 1050, 1)], (0, 0, 0, [])),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_alarms_misses_and_lead_times_by_hand(name: str) -> None:
    spans, (alarms, missed, warned, leads) = BY_HAND[name]
    counts = prediction_counts(one(2000.0, SEIZURE), [says(2000, *spans)])
    assert (counts.seizures, counts.with_preictal, counts.preictal_windows) == (1, 1, (300,))
    assert (counts.alarms, counts.spaced_alarms) == (alarms, alarms)
    assert (counts.missed, counts.warned) == (missed, warned)
    assert list(counts.lead_times_s) == leads
    assert counts.interictal_s == 1350.0
    assert counts.duration_s == 1700.0
    assert counts.fpr_per_h == pytest.approx(alarms * 3600 / 1350)


def test_a_run_ends_with_its_recording() -> None:
    labels = subject_labels([Stretch(0.0, 100.0, ()), Stretch(100.0, 100.0, ())])
    assert labels.across
    counts = prediction_counts(labels, [says(100, (90, 100, 1)), says(100, (0, 10, 1))])
    assert counts.alarms == 2


def test_a_lead_time_reaches_over_files_and_gaps() -> None:
    labels = subject_labels([Stretch(660.0, 600.0, ((180.25, 200.0),)), Stretch(0.0, 600.0, ())])
    counts = prediction_counts(labels, [says(600, (100, 110, 1)), says(600, (590, 591, 1))])
    assert counts.lead_times_s == (250.25,)
    assert counts.preictal_windows == (180 + 60,)
    assert (counts.missed, counts.warned) == (0, 1)


def test_a_lead_time_is_300_s_at_most() -> None:
    labels = one(2000.0, [(1000.25, 1050.0)])
    assert labels.windows[0].labels[700] == 1
    assert prediction_counts(labels, [says(2000, (700, 701, 1))]).lead_times_s == (300.0,)
    assert prediction_counts(labels, [says(2000, (701, 702, 1))]).lead_times_s == (299.25,)


def test_a_lead_time_is_exact_far_from_zero() -> None:
    start_s = 1_700_000_000.1
    labels = subject_labels([Stretch(start_s, 2000.0, ((1000.3, 1050.0),))])
    assert prediction_counts(labels, [says(2000, (900, 901, 1))]).lead_times_s == (100.3,)


def test_seizures_that_nobody_could_predict_or_detect() -> None:
    at_the_start = prediction_counts(one(400.0, [(0.0, 10.0)]), [says(400)])
    assert (at_the_start.seizures, at_the_start.with_preictal, at_the_start.missed) == (1, 0, 1)
    assert (at_the_start.miss_rate, at_the_start.transition_detection_rate) == (1.0, 0.0)
    without_windows = prediction_counts(one(0.5, [(0.1, 0.4)]), [says(0)])
    assert without_windows.seizures == 0
    assert math.isnan(without_windows.miss_rate)
    in_a_short_gap = prediction_counts(one(1000.0, [(400.0, 410.0), (500.0, 510.0)]), [says(1000, (450, 460, 1))])
    assert (in_a_short_gap.seizures, in_a_short_gap.with_preictal, in_a_short_gap.missed) == (2, 1, 2)


def test_rates_by_hand() -> None:
    seizures = [(1000.0, 1050.0), (4000.0, 4050.0), (7000.0, 7050.0), (10_000.0, 10_050.0)]
    spans = [(900, 930, 1), (4020, 4025, 2), (6990, 6995, 2), (6995, 7000, 1), (2000, 2090, 1), (3000, 3010, 2)]
    counts = prediction_counts(one(10_800.0, seizures), [says(10_800, *spans)])
    assert (counts.miss_rate, counts.transition_detection_rate) == (0.25, 0.5)
    assert counts.lead_times_s == (100.0, 5.0)
    assert dataclasses.astuple(counts.lead_time) == (52.5, 52.5, 5.0, 100.0, 2)
    assert counts.interictal_s == 10_800 - 4 * 650
    assert counts.fpr_per_h == pytest.approx(2 * 3600 / 8200)
    assert counts.warning_s == 30 + 5 + 10 + 100
    assert counts.time_in_warning == 145 / 9600


@pytest.mark.parametrize(
    "refractory_s, kept", [(0.0, 5), (20.0, 5), (20.5, 4), (40.0, 4), (41.0, 3), (101.0, 2), (1000.0, 1)]
)
def test_refractory_time_counts_from_the_last_alarm_that_counted(refractory_s: float, kept: int) -> None:
    # Starts at 0, 20, 60, 100 and 200 s; with 20.5 s: 0, 60, 100, 200; with 41 s: 0, 60, 200.
    spans = [(0, 5, 1), (20, 25, 1), (60, 65, 1), (100, 140, 1), (200, 201, 1)]
    counts = prediction_counts(one(3600.0, []), [says(3600, *spans)], refractory_s=refractory_s)
    assert (counts.alarms, counts.spaced_alarms) == (5, kept)
    assert (counts.fpr_per_h, counts.spaced_fpr_per_h) == (5.0, kept)


def test_refractory_time_runs_on_over_recordings_on_one_time_line_only() -> None:
    predicted = [says(100, (5, 6, 1)), says(100, (90, 91, 1))]
    later_first = [Stretch(130.0, 100.0, ()), Stretch(0.0, 100.0, ())]
    assert prediction_counts(subject_labels(later_first), predicted, refractory_s=45.5).spaced_alarms == 1
    assert prediction_counts(subject_labels(later_first), predicted, refractory_s=45.0).spaced_alarms == 2
    alone = [Stretch(None, 100.0, ()), Stretch(0.0, 100.0, ())]
    assert prediction_counts(subject_labels(alone), predicted, refractory_s=1e6).spaced_alarms == 2


def slow_counts(labels: SubjectLabels, predicted: Sequence[Classes]) -> PredictionCounts:
    """Count window by window, seizure by seizure."""
    confusion = [[0, 0, 0] for _ in range(3)]
    alarms = 0
    windows: dict[int, list[tuple[float, int, int]]] = {}
    for one_recording, start_s, classes in zip(labels.windows, labels.starts_s, predicted, strict=True):
        running = False
        for i, (truth, said) in enumerate(zip(one_recording.labels.tolist(), classes.tolist(), strict=True)):
            alarm = truth == 0 and said != 0
            alarms += alarm and not running
            running = alarm
            if truth != -1:
                confusion[truth][said] += 1
            if truth > 0:
                windows.setdefault(int(one_recording.seizure[i]), []).append((start_s + i, truth, said))
    before = {seizure: [window for window in found if window[1] == 1] for seizure, found in sorted(windows.items())}
    first = {
        seizure: min(time for time, _, said in found if said == 1)
        for seizure, found in before.items()
        if any(said == 1 for _, _, said in found)
    }
    return PredictionCounts(
        confusion=tuple(map(tuple, confusion)),  # type: ignore[arg-type]
        alarms=alarms,
        spaced_alarms=alarms,
        seizures=len(windows),
        missed=sum(all(said == 0 for _, _, said in found) for found in windows.values()),
        warned=sum(any(said != 0 for _, _, said in found) for found in before.values()),
        preictal_windows=tuple(len(found) for found in before.values() if found),
        lead_times_s=tuple(min(labels.seizures[seizure][0] - time, 300.0) for seizure, time in first.items()),
    )


@st.composite
def subjects(draw: st.DrawFn) -> tuple[list[Stretch], list[Classes]]:
    stretches, predicted, start_s = [], [], 0.0
    known = draw(st.booleans())
    for _ in range(draw(st.integers(1, 3))):
        duration_s = draw(st.integers(1, 1500))
        onsets = draw(st.lists(st.integers(0, duration_s - 1), max_size=3))
        seizures = tuple((onset + 0.25, onset + draw(st.sampled_from([0.5, 1.0, 30.75]))) for onset in onsets)
        stretches.append(Stretch(start_s if known else None, float(duration_s), seizures))
        start_s += duration_s + draw(st.sampled_from([0, 5, 700]))
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        often = draw(st.sampled_from([0.0, 0.003, 0.5, 1.0]))
        kept = np.repeat(rng.random(duration_s) < often, draw(st.integers(1, 5)))[:duration_s]
        predicted.append(kept * rng.integers(1, 3, duration_s))
    return stretches, predicted


@given(subjects())
def test_counts_are_those_of_a_slow_count(case: tuple[list[Stretch], list[Classes]]) -> None:
    stretches, predicted = case
    labels = subject_labels(stretches)
    counts = prediction_counts(labels, predicted)
    assert counts == slow_counts(labels, predicted)
    truth = np.concatenate([windows.labels for windows in labels.windows])
    said = np.concatenate(predicted)[truth >= 0]
    matrix = confusion_matrix(truth[truth >= 0], said, labels=[0, 1, 2]) if len(said) else np.zeros((3, 3), int)
    assert counts.confusion == tuple(map(tuple, matrix.tolist()))
    order = np.random.default_rng(0).permutation(len(stretches))
    again = prediction_counts(subject_labels([stretches[i] for i in order]), [predicted[i] for i in order])
    assert again.confusion == counts.confusion
    assert sorted(again.lead_times_s) == sorted(counts.lead_times_s)
    assert (again.alarms, again.missed, again.warned) == (counts.alarms, counts.missed, counts.warned)


def test_counts_of_selected_recordings_are_those_of_a_test_split() -> None:
    labels = subject_labels([Stretch(0.0, 600.0, ()), Stretch(600.0, 600.0, ((180.0, 200.0),))])
    predicted = [says(600, (480, 481, 1)), says(600, (10, 11, 1))]
    assert prediction_counts(labels, predicted).lead_times_s == (300.0,)
    test = prediction_counts(labels.select([1]), predicted[1:])
    assert test.lead_times_s == (170.0,)
    assert test.preictal_windows == (180,)
    train = prediction_counts(labels.select([0]), predicted[:1])
    assert test + train != prediction_counts(labels, predicted)  # the seizure is in both
    assert (test + train).confusion == prediction_counts(labels, predicted).confusion


def test_excluded_windows_count_nowhere() -> None:
    labels = one(2000.0, SEIZURE)
    silent, loud = says(2000), says(2000, (1050, 1350, 2))
    assert prediction_counts(labels, [silent]) == prediction_counts(labels, [loud])


EXAMPLE = PredictionCounts(
    confusion=((100, 2, 1), (5, 6, 7), (8, 9, 10)),
    alarms=2,
    spaced_alarms=1,
    seizures=4,
    missed=1,
    warned=2,
    preictal_windows=(9, 9),
    lead_times_s=(3.5,),
)


def test_counts_add_up() -> None:
    total = EXAMPLE + EXAMPLE
    assert total.confusion == ((200, 4, 2), (10, 12, 14), (16, 18, 20))
    assert (total.alarms, total.spaced_alarms, total.seizures, total.missed, total.warned) == (4, 2, 8, 2, 4)
    assert (total.preictal_windows, total.lead_times_s) == ((9, 9, 9, 9), (3.5, 3.5))
    assert EXAMPLE + PREDICTION_ZERO == EXAMPLE
    assert sum([EXAMPLE, EXAMPLE], PREDICTION_ZERO) == total


def test_counts_survive_json() -> None:
    counts = prediction_counts(one(2000.0, SEIZURE), [says(2000, (690, 910, 1)).astype(np.uint8)])
    text = json.dumps(dataclasses.asdict(counts), allow_nan=False)
    assert PredictionCounts.from_values(json.loads(text)) == counts


def test_figures_of_no_counts_do_not_apply() -> None:
    assert all(math.isnan(value) for value in prediction_metrics(PREDICTION_ZERO).values())
    assert dataclasses.asdict(PREDICTION_ZERO.lead_time)["seizures"] == 0


@pytest.mark.parametrize(
    "change, message",
    [
        ({"alarms": 4}, r"alarms: expected 0 to 3, by the other counts, got 4"),
        ({"spaced_alarms": 3}, r"spaced_alarms: expected 0 to 2"),
        ({"preictal_windows": (9,) * 5}, r"with_preictal: expected 0 to 4"),
        ({"warned": 3}, r"warned: expected 0 to 2"),
        ({"missed": 3}, r"missed: expected 0 to 2"),
        ({"missed": -1}, r"missed: .*got -1"),
        ({"lead_times_s": (1.0, 2.0, 3.0)}, r"number of lead times: expected 0 to 2"),
        ({"confusion": ((1, 2), (3, 4))}, r"confusion: expected 3 rows of 3"),
    ],
)
def test_impossible_counts_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(EXAMPLE, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "predicted, message",
    [
        ([], r"predicted: expected an array for each of 1 recordings, got 0"),
        ([np.zeros(9, int)], r"predicted, recording 1 of 1: expected whole numbers of shape \(10,\).*shape \(9,\)"),
        ([np.zeros(10)], r"predicted, recording 1 of 1: .*got float64"),
        ([np.zeros(10, bool)], r"predicted, recording 1 of 1: .*got bool"),
        ([np.full(10, 3)], r"recording 1 of 1: expected 0, 1 or 2 \(interictal, preictal, ictal\), got 3 to 3"),
        ([np.full(10, -1)], r"recording 1 of 1: expected 0, 1 or 2 .*got -1 to -1"),
    ],
)
def test_what_is_no_class_is_refused(predicted: list[Classes], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prediction_counts(one(10.0, []), predicted)


@pytest.mark.parametrize("refractory_s", [-1.0, math.nan])
def test_an_impossible_refractory_time_is_refused(refractory_s: float) -> None:
    with pytest.raises(ValueError, match=r"refractory_s: expected"):
        prediction_counts(one(10.0, []), [says(10, (1, 2, 1))], refractory_s=refractory_s)


def test_figures_by_name() -> None:
    metrics = prediction_metrics(EXAMPLE)
    assert tuple(metrics) == PREDICTION_METRICS
    for name in ("sensitivity", "specificity", "balanced_accuracy", "f1_macro", "preictal_accuracy", "ictal_accuracy"):
        assert metrics[name] == getattr(prediction_scores(EXAMPLE.confusion), name)
    assert metrics["fpr_per_h"] == pytest.approx(2 * 3600 / 103)
    assert (metrics["miss_rate"], metrics["transition_detection_rate"]) == (0.25, 0.5)
    assert [metrics[f"lead_time_{name}_s"] for name in ("mean", "median", "min", "max")] == [3.5] * 4
    assert metrics["time_in_warning"] == 35 / 148


def test_pooled_figures_are_of_all_windows_together() -> None:
    loud, silent = says(3600, (0, 1800, 1)), says(3600)
    counts = prediction_counts(one(3600.0, []), [loud]) + prediction_counts(one(3600.0, []), [silent])
    assert prediction_metrics(counts)["specificity"] == 0.75
    assert prediction_metrics(counts)["fpr_per_h"] == 0.5


def test_a_figure_over_patients() -> None:
    values = {"sub-03": 0.9, "sub-01": 0.5, "sub-02": math.nan, "sub-04": 0.1}
    better = patient_summary(values)
    assert better == PatientSummary(better.mean, better.std, 0.5, "sub-04", "sub-03", 3)
    assert (better.mean, better.std) == pytest.approx((0.5, np.std([0.9, 0.5, 0.1])))
    worse = patient_summary(values, higher_is_better=False)
    assert (worse.hardest, worse.easiest) == ("sub-03", "sub-04")
    ties = patient_summary({"b": 1.0, "a": 1.0})
    assert (ties.hardest, ties.easiest) == ("a", "a")


def test_a_figure_of_no_patient_does_not_apply() -> None:
    summary = patient_summary({"sub-01": math.nan})
    assert (summary.hardest, summary.easiest, summary.patients) == (None, None, 0)
    assert all(math.isnan(value) for value in (summary.mean, summary.std, summary.median))


def test_patients_count_the_same_whatever_their_hours() -> None:
    loud = prediction_counts(one(3600.0, []), [says(3600, (0, 1, 1), (10, 11, 1))])
    silent = prediction_counts(one(36_000.0, [(10_000.0, 10_100.0)]), [says(36_000)])
    summaries = patient_summaries({"sub-02": loud, "sub-01": silent})
    assert tuple(summaries) == PREDICTION_METRICS
    assert summaries["fpr_per_h"] == PatientSummary(1.0, 1.0, 1.0, "sub-02", "sub-01", 2)
    assert summaries["miss_rate"] == PatientSummary(1.0, 0.0, 1.0, "sub-01", "sub-01", 1)
    assert summaries["specificity"].hardest == "sub-02"
    assert summaries["lead_time_mean_s"].patients == 0


def test_class_names_are_in_the_order_of_the_matrix() -> None:
    assert CLASSES[2] == prediction_scores(((0, 0, 30), (0, 0, 0), (0, 0, 0))).degenerate_class


@pytest.mark.parametrize(
    "confusion, n_classes, true_share",
    [
        (((8826, 0, 0), (839, 0, 0), (335, 0, 0)), 3, 0.8826),  # always interictal
        (((97, 0, 0), (1, 2, 0), (0, 0, 0)), 2, 0.97),  # nearly perfect, in a long recording
        (((5, 5, 0), (0, 10, 0), (0, 0, 0)), 2, math.nan),  # not degenerate
        (((0, 0, 0), (0, 0, 0), (0, 0, 0)), 0, math.nan),
    ],
)
def test_what_a_degenerate_predictor_is_held_against(
    confusion: tuple[tuple[int, int, int], ...], n_classes: int, true_share: float
) -> None:
    scores = prediction_scores(confusion)
    assert scores.n_classes == n_classes
    assert scores.true_share == pytest.approx(true_share, nan_ok=True)
