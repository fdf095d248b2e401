"""Limits in pyproject.toml and in the marker."""

from pathlib import Path

import pytest

from pytest_robustseiz.limits import ConfiguredLimits, check_limits, matches_setting
from pytest_robustseiz.marker import read_marker
from pytest_robustseiz.results import SettingInfo
from pytest_robustseiz.shifts import AWGN

TABLE = """
[tool.robustseiz.thresholds]
default = { max_f1_drop = 0.1, min_f1 = 0.5 }
noise = { max_f1_drop = 0.2 }
awgn = { max_f1_drop = 0.3, max_lag_s = 10 }
"awgn[snr_db=0]" = { max_f1_drop = 0.4 }
"drop_named[electrodes=O1+O2]" = { min_f1 = 0.25 }
"""


def configured(tmp_path: Path, text: str) -> ConfiguredLimits:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    return ConfiguredLimits(tmp_path)


def test_nearest_key_wins_limit_by_limit(tmp_path: Path) -> None:
    limits = configured(tmp_path, TABLE)
    assert limits.limits_for("car", "environment", {}) == {"max_f1_drop": 0.1, "min_f1": 0.5}
    assert limits.limits_for("mains", "noise", {"frequency_hz": 60.0}) == {"max_f1_drop": 0.2, "min_f1": 0.5}
    assert limits.limits_for("awgn", "noise", {"snr_db": 5.0}) == {"max_f1_drop": 0.3, "min_f1": 0.5, "max_lag_s": 10}
    assert limits.limits_for("awgn", "noise", {"snr_db": 0.0})["max_f1_drop"] == 0.4
    assert limits.limits_for("drop_named", "environment", {"electrodes": ["O1", "O2"]})["min_f1"] == 0.25


def test_a_project_without_table_has_no_limits(tmp_path: Path) -> None:
    assert ConfiguredLimits(tmp_path).limits_for("awgn", "noise", {}) == {}
    assert configured(tmp_path, "[project]\nname = 'x'\n").limits_for("awgn", "noise", {}) == {}


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "[tool.robustseiz.thresholds]\nawgn = { max_f1_dorp = 0.1 }",
            "unknown limit 'max_f1_dorp'; known are max_f1_drop",
        ),
        ("[tool.robustseiz.thresholds]\nawgn = { max_f1_drop = 'x' }", "max_f1_drop must be a finite number"),
        ("[tool.robustseiz.thresholds]\nawgn = { max_f1_drop = true }", "max_f1_drop must be a finite number"),
        ("[tool.robustseiz.thresholds]\nawgn = { max_f1_drop = nan }", "max_f1_drop must be a finite number"),
        ("[tool.robustseiz.thresholds]\nawgn = { max_f1_drop = -0.1 }", "of at least 0, got -0.1"),
        ("[tool.robustseiz.thresholds]\nawgn = 0.1", "expected a table of limits, got 0.1"),
        ("[tool.robustseiz", "pyproject.toml: "),
    ],
)
def test_mistakes_are_usage_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(pytest.UsageError, match=message):
        configured(tmp_path, text)


@pytest.mark.parametrize(
    "key",
    ["nose", "awgn[snr=0]", "awgn[snr_db]", "awng[snr_db=0]", "awgn[snr_db=0"],
)
def test_keys_that_can_match_nothing_are_usage_errors(tmp_path: Path, key: str) -> None:
    limits = configured(tmp_path, f'[tool.robustseiz.thresholds]\n"{key}" = {{ min_f1 = 0.1 }}')
    with pytest.raises(pytest.UsageError, match="matches no family, shift or setting"):
        limits.check_keys([AWGN])


@pytest.mark.parametrize("key", ["default", "baseline", "noise", "awgn", "awgn[snr_db=0]"])
def test_keys_that_name_something_are_accepted(tmp_path: Path, key: str) -> None:
    configured(tmp_path, f'[tool.robustseiz.thresholds]\n"{key}" = {{ min_f1 = 0.1 }}').check_keys([AWGN])


@pytest.mark.parametrize(
    "key, params, expected",
    [
        ("awgn[snr_db=0]", {"snr_db": 0.0}, True),
        ("awgn[snr_db=0.0]", {"snr_db": 0}, True),
        ("awgn[ snr_db = 20 ]", {"snr_db": 20.0}, True),
        ("awgn[snr_db=1]", {"snr_db": 0.0}, False),
        ("awgn[snr_db=zero]", {"snr_db": 0.0}, False),
        ("awgn", {"snr_db": 0.0}, False),
        ("bandpass[low_hz=1]", {"snr_db": 0.0}, False),
    ],
)
def test_setting_keys(key: str, params: dict[str, float], expected: bool) -> None:
    assert matches_setting(key, "awgn", params) is expected


def test_a_key_may_name_some_of_the_parameters() -> None:
    params = {"low_hz": 1.0, "high_hz": 30.0, "order": 4}
    assert matches_setting("bandpass[low_hz=1]", "bandpass", params)
    assert matches_setting("bandpass[low_hz=1,high_hz=30]", "bandpass", params)
    assert not matches_setting("bandpass[low_hz=1,high_hz=40]", "bandpass", params)


def test_marker_is_read() -> None:
    marker = pytest.mark.robustseiz(shifts=["awgn"], max_f1_drop=0.1, min_f1=None).mark
    request = read_marker(marker, "here")
    assert request.shifts == ("awgn",)
    assert request.grid is None  # the fixture, the option or the default decides
    assert request.limits == (("max_f1_drop", 0.1),)


@pytest.mark.parametrize(
    "marker, message",
    [
        (pytest.mark.robustseiz("awgn"), "takes keywords only, got \\('awgn',\\)"),
        (pytest.mark.robustseiz(shifts="awgn"), r"write \['awgn'\]"),
        (pytest.mark.robustseiz(max_f1=0.1), "unknown limit 'max_f1'"),
    ],
)
def test_marker_mistakes_are_usage_errors(marker: pytest.MarkDecorator, message: str) -> None:
    with pytest.raises(pytest.UsageError, match=message):
        read_marker(marker.mark, "here")


def test_keys_of_settings_that_did_not_run_are_named(tmp_path: Path) -> None:
    limits = configured(
        tmp_path,
        "[tool.robustseiz.thresholds]\nnoise = {}\n"
        '"awgn[snr_db=7]" = { min_f1 = 0.1 }\n"awgn[snr_db=0]" = { min_f1 = 0.1 }\n',
    )
    ran = [SettingInfo("awgn-snr_db_0", "awgn", "noise", '{"snr_db": 0.0}')]
    assert limits.unmatched(ran) == ["thresholds that matched no setting of this run: awgn[snr_db=7]"]
    assert configured(tmp_path, "[tool.robustseiz.thresholds]\nnoise = {}").unmatched(ran) == []


def test_zero_is_a_limit() -> None:
    assert check_limits({"max_fp_per_24h": 0}, "here") == {"max_fp_per_24h": 0}
