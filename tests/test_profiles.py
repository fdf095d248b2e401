"""Profiles as text."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from predictions import BASELINE, GOOD, NOISE_0, NOISE_5, balanced_accuracy, pooled, scored

from pytest_robustseiz.curves import RobustnessCurve
from pytest_robustseiz.profiles import TOLERANCES, RobustnessProfile, differences, from_text, to_text
from pytest_robustseiz.tasks import PREDICTION

tables = st.dictionaries(
    st.from_regex(r"[A-Za-z0-9_.-]{1,20}", fullmatch=True),
    st.dictionaries(st.sampled_from(sorted(TOLERANCES)), st.floats(0, 1e6) | st.just(math.nan), min_size=1),
    min_size=1,
)


@given(tables)
def test_text_reads_back_as_an_equal_table(table: dict[str, dict[str, float]]) -> None:
    again = from_text(to_text(table))
    assert list(again) == list(table)
    assert differences(table, again) == []


def test_text_is_plain_toml() -> None:
    text = to_text({"awgn-snr_db_0": {"event_f1": 0.1 + 0.2, "lag_mean_steps": math.nan, "ontime_count": 3.0}})
    assert text == (
        '"awgn-snr_db_0".event_f1 = 0.3\n"awgn-snr_db_0".lag_mean_steps = "n/a"\n"awgn-snr_db_0".ontime_count = 3\n'
    )
    assert tomllib.loads(text)["awgn-snr_db_0"]["event_f1"] == 0.3


def test_changed_cells_are_shown_as_old_and_new() -> None:
    old = {"a": {"event_f1": 0.8, "event_fp_per_day": 1.0}, "b": {"event_f1": 0.5}, "c": {"event_f1": math.nan}}
    new = {"a": {"event_f1": 0.64, "event_fp_per_day": 1.0005}, "d": {"event_f1": 0.5}, "c": {"event_f1": 0.1}}
    assert differences(old, new) == ["b: gone", "d: new", "a event_f1: 0.8 -> 0.64", "c event_f1: n/a -> 0.1"]


@pytest.mark.parametrize("metric", TOLERANCES)
def test_each_tolerance_is_the_one_stated(metric: str) -> None:
    tolerance, old = TOLERANCES[metric], 0.5
    assert differences({"a": {metric: old}}, {"a": {metric: old + tolerance * 0.99}}) == []
    assert len(differences({"a": {metric: old}}, {"a": {metric: old + tolerance * 1.1 + 1e-5}})) == 1


def test_a_metric_that_is_new_is_a_difference() -> None:
    assert differences({"a": {}}, {"a": {"event_f1": 1.0}}) == ["a event_f1: absent -> 1"]
    assert differences({"a": {"event_f1": 1.0}}, {"a": {}}) == ["a event_f1: 1 -> absent"]


@pytest.mark.parametrize("text", ["a = 1\n", "[a]\nb = [1]\n"])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a robustness profile"):
        from_text(text)


def test_a_profile_of_predictions_has_the_columns_of_its_task() -> None:
    baseline, *others = [one for one, _ in scored()]
    profile = RobustnessProfile(baseline, {"awgn": RobustnessCurve("awgn", others[:2], baseline)})
    table = profile.table()
    assert list(table) == [BASELINE, NOISE_5, NOISE_0]
    assert all(list(cells) == list(PREDICTION.tolerances) for cells in table.values())
    expected = {label: balanced_accuracy(pooled(GOOD, label)) for label in table}
    assert {label: cells["balanced_accuracy"] for label, cells in table.items()} == pytest.approx(expected)
    assert differences(from_text(repr(profile)), table) == []
    changed = {**table, NOISE_0: {**table[NOISE_0], "miss_rate": 0.5, "balanced_accuracy": expected[NOISE_0] + 5e-4}}
    assert differences(table, changed) == [f"{NOISE_0} miss_rate: 0 -> 0.5"]
