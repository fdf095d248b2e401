"""Curves, profiles and their snapshots in a run."""

from pathlib import Path

import pytest
from tiny import CONFTEST

WIDE = """
import pytest
from pytest_robustseiz.snapshots import RobustnessSnapshotExtension

@pytest.mark.robustseiz(shifts=["awgn", "drop_named"])
def test_no_cliff(robustseiz_curve):
    assert robustseiz_curve["event_f1"].max_step() < 0.2
    assert [one.setting.shift for one in robustseiz_curve.experiments] == [robustseiz_curve.shift] * len(
        robustseiz_curve.experiments
    )

@pytest.mark.robustseiz(shifts=["awgn"])
def test_profile(robustseiz_profile, snapshot):
    assert robustseiz_profile == snapshot(extension_class=RobustnessSnapshotExtension)
"""
LOGGING = CONFTEST.replace("PowerDetector()", "PowerDetector(print_to='calls.log')")


def options(corpus: Path, *more: str) -> list[str]:
    return ["--robustseiz-mode=full", f"--robustseiz-data={corpus}", *more]


@pytest.mark.parametrize("way", [["-n0"], ["-n2"]])
def test_wider_levels_work_alone_and_compute_each_case_once(
    pytester: pytest.Pytester, tiny_corpus: Path, way: list[str]
) -> None:
    pytester.makeconftest(LOGGING)
    pytester.makepyfile(test_wide=WIDE)
    result = pytester.runpytest_subprocess(*way, "--snapshot-update", *options(tiny_corpus))
    result.assert_outcomes(passed=3)
    assert len((pytester.path / "calls.log").read_text().splitlines()) == 3 * 9
    result.stdout.fnmatch_lines(["registry: *experiments_results.csv (+9 rows)"])
    snapshot = pytester.path / "__snapshots__/test_wide/test_profile.robustseiz.toml"
    assert snapshot.read_text().startswith('"baseline".sample_sensitivity = 1\n')
    pytester.runpytest_subprocess(*way, *options(tiny_corpus)).assert_outcomes(passed=3)


def test_a_changed_profile_shows_old_and_new(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_wide=WIDE)
    arguments = ["-k", "profile", *options(tiny_corpus)]
    pytester.runpytest_subprocess("--snapshot-update", *arguments).assert_outcomes(passed=1)
    snapshot = pytester.path / "__snapshots__/test_wide/test_profile.robustseiz.toml"
    text = snapshot.read_text()
    # Within the tolerance of sample scores nothing is said; beyond that of event scores each cell is.
    snapshot.write_text(text.replace('"baseline".sample_f1 = 1\n', '"baseline".sample_f1 = 0.9995\n'))
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=1)
    changed = text.replace('"baseline".event_f1 = 1\n', '"baseline".event_f1 = 0.9\n')
    snapshot.write_text(changed.replace("awgn-snr_db_5", "awgn-snr_db_6"))
    result = pytester.runpytest_subprocess("-vv", *arguments)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*- "baseline".event_f1 = 0.9', '*+ "baseline".event_f1 = 1'])
    # With use_extension, syrupy lets the extension say what differs.
    pytester.makepyfile(test_wide=WIDE.replace("snapshot(extension_class=", "snapshot.use_extension("))
    result = pytester.runpytest_subprocess("-vv", *arguments)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*awgn-snr_db_6: gone", "*awgn-snr_db_5: new", "*baseline event_f1: 0.9 -> 1"])


def test_many_snapshots_with_workers_and_a_selection(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        """
        import pytest
        from pytest_robustseiz.snapshots import RobustnessSnapshotExtension

        @pytest.mark.robustseiz(shifts=["awgn", "drop_named"])
        @pytest.mark.parametrize("copy", range(25))
        def test_case_snapshot(robustseiz_experiment, copy, snapshot):
            table = {robustseiz_experiment.setting.label: {"event_f1": robustseiz_experiment["event_f1"]}}
            assert table == snapshot(extension_class=RobustnessSnapshotExtension)
        """
    )
    total = 25 * 9
    result = pytester.runpytest_subprocess("-n4", "--snapshot-update", *options(tiny_corpus))
    result.assert_outcomes(passed=total)
    files = list((pytester.path / "__snapshots__").rglob("*.robustseiz.toml"))
    assert len(files) == total
    result = pytester.runpytest_subprocess("-k", "awgn", *options(tiny_corpus))
    result.assert_outcomes(passed=25 * 6, deselected=25 * 3)
    assert "unused" not in result.stdout.str()
    result = pytester.runpytest_subprocess("-k", "awgn", "--snapshot-update", *options(tiny_corpus))
    assert len(list((pytester.path / "__snapshots__").rglob("*.robustseiz.toml"))) == total


def test_a_profile_without_a_mode_is_skipped(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import pytest\n\n@pytest.fixture\ndef robustseiz_adapter():\n    return None\n")
    pytester.makepyfile(test_wide=WIDE)
    pytester.runpytest("-rs").assert_outcomes(skipped=2)
