"""Comparison with chance, and sensitivity at a horizon: scipy, enumeration, simulation, tables made by hand."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.scoring import (
    PREDICTION_ZERO,
    HorizonSensitivity,
    Interval,
    PredictionCounts,
    Stretch,
    chance_level,
    horizon_chance,
    horizon_sensitivity,
    prediction_counts,
    subject_labels,
    warning_onsets,
)

HOUR = 3600


def counted(
    *, interictal: int, in_warning: int, alarms: int, warned: int, preictal_windows: tuple[int, ...]
) -> PredictionCounts:
    return PredictionCounts(
        confusion=((interictal - in_warning, in_warning, 0), (0, 0, 0), (0, 0, 0)),
        alarms=alarms,
        spaced_alarms=alarms,
        seizures=len(preictal_windows),
        missed=0,
        warned=warned,
        preictal_windows=preictal_windows,
        lead_times_s=(),
    )


def chance_of(counts: PredictionCounts) -> float:
    """Chance of the first seizure alone."""
    alone = counted(
        interictal=sum(counts.confusion[0]),
        in_warning=counts.confusion[0][1],
        alarms=counts.alarms,
        warned=1,
        preictal_windows=counts.preictal_windows[:1],
    )
    return chance_level([alone]).p_value


@pytest.mark.parametrize("warned", range(8))
def test_seizures_alike_are_a_binomial(warned: int) -> None:
    counts = counted(interictal=86_400, in_warning=600, alarms=40, warned=warned, preictal_windows=(300,) * 7)
    chance, level = chance_of(counts), chance_level([counts])
    assert 0.1 < chance < 0.2
    assert level.p_value == pytest.approx(scipy.stats.binom.sf(warned - 1, 7, chance), rel=1e-12)
    assert level.expected == pytest.approx(7 * chance)
    assert level.expected_share == pytest.approx(chance)
    assert (level.seizures, level.warned) == (7, warned)


def test_seizures_that_differ_are_summed_over_all_outcomes() -> None:
    one = counted(interictal=36_000, in_warning=900, alarms=30, warned=2, preictal_windows=(300, 120, 10))
    other = counted(interictal=7200, in_warning=10, alarms=10, warned=1, preictal_windows=(300, 60))
    alone = [
        chance_of(counted(interictal=36_000, in_warning=900, alarms=30, warned=1, preictal_windows=(n,)))
        for n in (300, 120, 10)
    ] + [
        chance_of(counted(interictal=7200, in_warning=10, alarms=10, warned=1, preictal_windows=(n,)))
        for n in (300, 60)
    ]
    total = 0.0
    for outcome in itertools.product([False, True], repeat=5):
        if sum(outcome) >= 3:
            total += math.prod(p if success else 1 - p for p, success in zip(alone, outcome, strict=True))
    assert chance_level([one, other]).p_value == pytest.approx(total, rel=1e-12)
    assert chance_level([one, other]).expected == pytest.approx(sum(alone))


def test_short_alarms_have_the_classical_chance() -> None:
    per_h = 2.0
    hours = 1000
    short = counted(
        interictal=hours * HOUR,
        in_warning=int(per_h * hours),
        alarms=int(per_h * hours),
        warned=1,
        preictal_windows=(300,),
    )
    assert chance_level([short]).p_value == pytest.approx(1 - math.exp(-per_h * 300 / HOUR), rel=2e-3)


def test_whoever_warns_all_day_is_no_better_than_chance() -> None:
    always = counted(interictal=86_400, in_warning=86_400, alarms=1, warned=5, preictal_windows=(300,) * 5)
    level = chance_level([always])
    assert (level.expected, level.p_value) == (5.0, 1.0)
    half = counted(interictal=86_400, in_warning=43_200, alarms=1, warned=5, preictal_windows=(300,) * 5)
    assert chance_level([half]).p_value == pytest.approx(0.5**5, rel=0.1)


def test_no_false_alarm_in_a_short_record_is_no_proof() -> None:
    quarter = counted(interictal=900, in_warning=0, alarms=0, warned=1, preictal_windows=(300,))
    day = counted(interictal=86_400, in_warning=0, alarms=0, warned=1, preictal_windows=(300,))
    assert chance_level([quarter]).p_value == pytest.approx(1 - (900 / 901) ** 300, rel=1e-9)
    assert chance_level([day]).p_value == pytest.approx(1 - (86_400 / 86_401) ** 300, rel=1e-9)


def test_no_warning_is_what_chance_reaches_at_least() -> None:
    assert chance_level([counted(interictal=900, in_warning=9, alarms=3, warned=0, preictal_windows=(300,) * 3)]) \
        .p_value == pytest.approx(1.0)  # fmt: skip


def test_without_seizures_or_interictal_time_there_is_no_p_value() -> None:
    for subjects in (
        [],
        [PREDICTION_ZERO],
        [counted(interictal=0, in_warning=0, alarms=0, warned=1, preictal_windows=(9,))],
    ):
        assert math.isnan(chance_level(subjects).p_value)
    assert math.isnan(chance_level([]).expected_share)


def test_each_subject_has_its_own_rate() -> None:
    # One raises alarms half of the time and has the seizures, the other has many hours without either.
    busy = counted(interictal=7200, in_warning=3600, alarms=600, warned=6, preictal_windows=(300,) * 6)
    quiet = counted(interictal=360_000, in_warning=0, alarms=0, warned=0, preictal_windows=())
    assert chance_level([busy, quiet]).p_value > 0.99
    assert chance_level([busy + quiet]).p_value < 0.05


def warnings_by_chance(rng: np.random.Generator, n: int, rate: float, length: int) -> npt.NDArray[np.int64]:
    """Warnings of a mean length that start with the same probability after each window without."""
    said, at = np.zeros(n, dtype=np.int64), int(rng.geometric(rate)) - 1
    while at < n:
        stop = at + int(rng.integers(1, 2 * length))
        said[at:stop] = 1
        at = stop + int(rng.geometric(rate))
    return said


def by_chance(rng: np.random.Generator, *, rate: float, length: int) -> PredictionCounts:
    n = 4 * HOUR
    onsets = np.sort(rng.choice(np.arange(400, n - 100), 4, replace=False)).tolist()
    labels = subject_labels([Stretch(None, float(n), tuple((onset, onset + 40.0) for onset in onsets))])
    return prediction_counts(labels, [warnings_by_chance(rng, n, rate, length)])


@pytest.mark.parametrize("rate, length", [(1 / 1800, 1), (1 / 600, 30), (1 / 3600, 900), (1 / 60, 5)])
def test_chance_is_met_by_simulated_predictors(rate: float, length: int) -> None:
    rng = np.random.default_rng(20)
    warned, expected, p_values = 0, 0.0, []
    for _ in range(300):
        counts = by_chance(rng, rate=rate, length=length)
        level = chance_level([counts])
        warned += level.warned
        expected += level.expected
        p_values.append(level.p_value)
    seizures = 300 * 4
    # Four standard deviations of a binomial, and up to a tenth for the alarm that is added.
    spread = 4 * math.sqrt(seizures * 0.25)
    assert warned - spread < expected < 1.1 * warned + spread
    rejected = np.mean(np.array(p_values) <= 0.05)
    assert rejected < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


def test_a_predictor_that_knows_is_told_from_chance() -> None:
    rng = np.random.default_rng(3)
    n, onsets = 12 * HOUR, (5000.0, 12_000.0, 20_000.0, 30_000.0, 40_000.0)
    labels = subject_labels([Stretch(None, float(n), tuple((onset, onset + 40.0) for onset in onsets))])
    said = warnings_by_chance(rng, n, 1 / 3600, 10)
    assert chance_level([prediction_counts(labels, [said])]).p_value > 0.05
    for onset in onsets:
        said[int(onset) - 60 : int(onset)] = 1
    assert chance_level([prediction_counts(labels, [said])]).p_value < 0.001


def horizon(
    alarms: Sequence[float], seizures: Sequence[float], watched: Sequence[Interval] = ((0.0, 10_000.0),)
) -> HorizonSensitivity:
    return horizon_sensitivity(alarms, seizures, sph_s=60.0, sop_s=600.0, watched=watched)


# With an SPH of 60 s and an SOP of 600 s: predicted seizures, correct, late and false alarms.
BY_HAND: dict[str, tuple[list[float], list[float], tuple[int, int, int, int]]] = {
    "nothing": ([], [], (0, 0, 0, 0)),
    "no seizure": ([100.0], [], (0, 0, 0, 1)),
    "no alarm": ([], [1000.0], (0, 0, 0, 0)),
    "in the SOP": ([700.0], [1000.0], (1, 1, 0, 0)),
    "at the end of the SOP": ([340.0], [1000.0], (1, 1, 0, 0)),
    "before it": ([339.999], [1000.0], (0, 0, 0, 1)),
    "just before the SPH": ([939.999], [1000.0], (1, 1, 0, 0)),
    "in the SPH": ([940.0, 999.0, 1000.0], [1000.0], (0, 0, 3, 0)),
    "after the onset": ([1000.001], [1000.0], (0, 0, 0, 1)),
    "several alarms": ([400.0, 500.0, 600.0], [1000.0], (1, 3, 0, 0)),
    "an alarm stands for the first of two seizures": ([700.0], [1000.0, 1100.0], (1, 1, 0, 0)),
    "an alarm between two seizures": ([1010.0], [1000.0, 1100.0], (1, 1, 0, 0)),
    "a seizure in the SPH of an alarm before another": ([980.0], [1000.0, 1100.0], (0, 0, 1, 0)),
    "unsorted": ([5000.0, 700.0], [9000.0, 1000.0], (1, 1, 0, 1)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_alarms_at_a_horizon_by_hand(name: str) -> None:
    alarms, seizures, expected = BY_HAND[name]
    found = horizon(alarms, seizures)
    assert (found.predicted, found.correct_alarms, found.late_alarms, found.false_alarms) == expected
    assert found.seizures == len(seizures)


def test_rates_at_a_horizon_by_hand() -> None:
    found = horizon([700.0, 2000.0, 3000.0], [1000.0, 5000.0])
    assert (found.predictable, found.sensitivity) == (2, 0.5)
    assert found.occurrence_s == (600.0, 600.0)
    assert found.at_risk_s == 10_000 - 2 * 660
    assert found.false_predictions_per_h == pytest.approx(2 * HOUR / 8680)
    twice = horizon([700.0, 2000.0, 3000.0], [1000.0, 5000.0], [(500.0, 10_000.0), (0.0, 600.0)])
    assert twice == found


def test_seizures_that_no_alarm_could_predict_are_left_out() -> None:
    found = horizon([], [50.0, 1000.0, 1030.0, 20_000.0])
    assert (found.seizures, found.predictable) == (4, 1)
    assert horizon([], [200.0]).occurrence_s == (140.0,)
    assert horizon([], [1000.0, 1200.0]).occurrence_s == (600.0, 140.0)
    assert horizon([], [1000.0], [(0.0, 500.0), (900.0, 2000.0)]).occurrence_s == (160.0 + 40.0,)
    nothing = horizon([], [50.0])
    assert math.isnan(nothing.sensitivity)
    assert math.isnan(nothing.chance.p_value)


SECONDS = st.integers(0, 300)


@given(st.sets(SECONDS, max_size=6), st.lists(SECONDS, max_size=8), st.integers(0, 40), st.integers(1, 90))
def test_a_horizon_is_that_of_a_search_through_all_times(
    seizures: set[int], alarms: list[int], sph: int, sop: int
) -> None:
    watched = [(0.0, 100.0), (130.0, 301.0)]
    alarms = [alarm for alarm in alarms if not 100 <= alarm < 130]

    def judge(time: float) -> tuple[str, int]:
        coming = [seizure for seizure in sorted(seizures) if seizure >= time]
        if not coming or coming[0] > time + sph + sop:
            return "false", -1
        return ("late", -1) if coming[0] <= time + sph else ("correct", coming[0])

    found = horizon_sensitivity(alarms, list(seizures), sph_s=sph, sop_s=sop, watched=watched)
    judged = [judge(alarm) for alarm in alarms]
    assert found.correct_alarms == sum(kind == "correct" for kind, _ in judged)
    assert found.late_alarms == sum(kind == "late" for kind, _ in judged)
    assert found.false_alarms == sum(kind == "false" for kind, _ in judged)
    assert found.predicted == len({seizure for kind, seizure in judged if kind == "correct"})
    middles = [judge(second + 0.5) for second in [*range(100), *range(130, 301)]]
    assert found.at_risk_s == sum(kind == "false" for kind, _ in middles)
    lengths = [sum(seizure == one for _, seizure in middles) for one in sorted(seizures)]
    assert list(found.occurrence_s) == [length for length in lengths if length]
    assert found.predicted <= found.predictable


def test_chance_at_a_horizon_is_that_of_poisson_alarms() -> None:
    found = horizon([700.0, 2000.0, 3000.0, 4800.0], [1000.0, 5000.0, 8000.0])
    chance = 1 - math.exp(-(2 + 1) / found.at_risk_s * 600)
    level = found.chance
    assert (level.seizures, level.warned) == (3, 2)
    assert level.expected == pytest.approx(3 * chance)
    assert level.p_value == pytest.approx(scipy.stats.binom.sf(1, 3, chance), rel=1e-12)


def test_random_alarms_at_a_horizon_are_no_better_than_chance() -> None:
    rng = np.random.default_rng(5)
    predicted, expected, p_values = 0, 0.0, []
    for _ in range(400):
        seizures = rng.uniform(0, 20_000, 6)
        alarms = rng.uniform(0, 20_000, rng.poisson(25))
        found = horizon_sensitivity(
            alarms.tolist(), seizures.tolist(), sph_s=100.0, sop_s=500.0, watched=[(0.0, 9000.0), (9000.0, 20_000.0)]
        )
        predicted += found.predicted
        expected += found.chance.expected
        p_values.append(found.chance.p_value)
    assert abs(expected / predicted - 1.03) < 0.1  # 1.03 for the alarm that is added
    assert np.mean(np.array(p_values) <= 0.05) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)


def test_horizons_of_a_subject_add_up_and_subjects_keep_their_rates() -> None:
    one, other = horizon([700.0], [1000.0, 5000.0]), horizon([100.0, 200.0], [9000.0])
    both = one + other
    assert (both.seizures, both.predicted, both.false_alarms) == (3, 1, 2)
    assert (both.correct_alarms, both.late_alarms) == (1, 0)
    assert both.at_risk_s == one.at_risk_s + other.at_risk_s
    assert both.occurrence_s == (600.0,) * 3
    apart = horizon_chance([one, other])
    assert apart.expected == pytest.approx(one.chance.expected + other.chance.expected)
    assert apart.expected != pytest.approx(both.chance.expected, rel=1e-3)
    longer = horizon_sensitivity([], [], sph_s=60.0, sop_s=900.0, watched=[(0.0, 1.0)])
    with pytest.raises(
        ValueError, match=r"sph_s, sop_s: expected the same in both, got \(60\.0, 600\.0\) and \(60\.0, 900"
    ):
        _ = one + longer


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: horizon([], [], watched=[(5.0, 5.0)]), r"watched: expected \(start_s, stop_s\).*got \(5\.0, 5\.0\)"),
        (lambda: horizon([math.nan], []), r"alarm_onsets_s: expected finite seconds, got nan"),
        (lambda: horizon([], [math.inf]), r"seizure_onsets_s: expected finite seconds, got inf"),
        (lambda: horizon([10_000.0], []), r"the alarm at 10000\.0 s lies outside of the watched time"),
        (lambda: horizon_sensitivity([], [], sph_s=-1.0, sop_s=1.0, watched=[]), r"sph_s: .*0 or more, got -1\.0"),
        (lambda: horizon_sensitivity([], [], sph_s=0.0, sop_s=0.0, watched=[]), r"sop_s: .*above 0, got 0\.0"),
    ],
)
def test_impossible_horizons_are_refused(call: Callable[[], HorizonSensitivity], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_onsets_of_warnings() -> None:
    said = np.array([1, 2, 0, 0, 1, 0, 2, 2])
    assert warning_onsets(said) == (0.0, 4.0, 6.0)
    assert warning_onsets(said, start_s=100.1) == (100.1, 104.1, 106.1)
    assert warning_onsets(said, refractory_s=4.0) == (0.0, 4.0)
    assert warning_onsets(said, refractory_s=4.5) == (0.0, 6.0)
    assert warning_onsets(np.zeros(0, dtype=np.int64)) == ()
    with pytest.raises(ValueError, match=r"predicted: expected 0, 1 or 2 .*got 0 to 3"):
        warning_onsets(np.array([0, 3]))
    with pytest.raises(ValueError, match=r"predicted: expected whole numbers of shape \(4,\).*shape \(2, 2\)"):
        warning_onsets(np.zeros((2, 2), dtype=np.int64))
