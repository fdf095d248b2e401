"""Attacks and agreement in whole runs: rows, files, findings, options."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import CONFTEST

import pytest_robustseiz.adapters.torch_adapter  # noqa: F401 - a process cannot import torch again, as inner runs would

# Synthetic: the power at Fp1 through a network whose weight can be dropped. Noise has 0.16 and seizures 4.6.
TORCH_DETECTOR = """
import pytest
import torch
from torch import nn
from pytest_robustseiz.adapters import Eventizer
from pytest_robustseiz.adapters.torch_adapter import TorchAdapter

class Power(nn.Module):
    def __init__(self, dropout=0.3):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, windows):
        return 4 * (self.dropout(windows[:, 0].square().mean(dim=-1)) - 1)

class TorchPower(TorchAdapter):
    name = "torch power"
    window_s = 5.0
    step_s = 5.0
    eventizer = Eventizer(threshold=0.5, min_duration_s=0.0)

    def preprocess(self, eeg, sfreq, channels):
        with open("calls.log", "a") as log:
            log.write("called\\n")
        return self.windows(eeg, sfreq).map(lambda windows: windows / 50)

@pytest.fixture(scope="session")
def robustseiz_adapter():
    return TorchPower(Power())
"""
GRID = """
import pytest
from pytest_robustseiz.shifts import *

GRID = [
    FGSM(epsilon=1.0, mode="increase"), PGD(epsilon=0.1, mode="flip"), PGDMicrovolts(epsilon_uv=20.0, mode="decrease"),
    RandomSign(epsilon=0.1), AWGN(snr_db=5.0),
]
"""
POOLED = (
    GRID
    + """
@pytest.mark.robustseiz(grid=GRID, max_fp_per_24h=1e9)
def test_pooled(robustseiz_experiment):
    robustseiz_experiment.check()
"""
)
LABELS = [
    "baseline", "fgsm-epsilon_1-mode_increase", "pgd-epsilon_0.1-mode_flip", "pgd_uv-epsilon_uv_20-mode_decrease",
    "random_sign-epsilon_0.1", "awgn-snr_db_5",
]  # fmt: skip


def options(corpus: Path, *more: str, mode: str = "subset") -> list[str]:
    return [f"--robustseiz-mode={mode}", f"--robustseiz-data={corpus}", *more]


def rows(folder: Path, name: str = "experiments_results.csv") -> dict[str, dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return {row["experiment_name"]: row for row in csv.DictReader(file)}


def outcome(row: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row["attack_outcome_json"])
    return found


def test_rows_say_what_each_attack_achieved(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR)
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest(*options(tiny_corpus))
    result.assert_outcomes(passed=6)
    found = rows(pytester.path)
    assert set(found) == set(LABELS)
    assert found["baseline"]["attack_outcome_json"] == found["awgn-snr_db_5"]["attack_outcome_json"] == ""
    increase = outcome(found["fgsm-epsilon_1-mode_increase"])
    assert increase["verdict"] == "achieved"
    assert increase["mean_probability_after"] > 0.9 > 0.3 > increase["mean_probability_before"]
    assert (increase["improved_share"], increase["without_gradient_share"]) == (1.0, 0.0)
    assert increase["largest_change"] == pytest.approx(1.0, abs=1e-5)
    assert "snr_db" not in increase  # a normalisation of the author's own: its scale is not known
    assert float(found["fgsm-epsilon_1-mode_increase"]["sample_sensitivity"]) == 1.0
    assert float(found["fgsm-epsilon_1-mode_increase"]["sample_precision"]) < 0.2
    assert float(found["fgsm-epsilon_1-mode_increase"]["change_rms_uv"]) == 0.0  # the recording is as it was
    decrease = outcome(found["pgd_uv-epsilon_uv_20-mode_decrease"])
    assert decrease["mean_probability_after"] < decrease["mean_probability_before"]
    assert decrease["largest_change"] == pytest.approx(20.0, abs=1e-3)
    changed = float(found["pgd_uv-epsilon_uv_20-mode_decrease"]["change_rms_uv"])
    assert changed == pytest.approx(decrease["change_rms_uv"], rel=1e-4)
    assert 0 < changed < 20  # only Fp1 of 19 channels has a gradient
    assert outcome(found["random_sign-epsilon_0.1"])["verdict"] == "control"
    result.stdout.fnmatch_lines(["strongest attack: fgsm-epsilon_1-mode_increase: mean probability 0.* to 0.9*"])
    result.stdout.no_fnmatch_line("*changed nothing in the input*")
    result.stdout.no_fnmatch_line("*FAILED ATTACK*")
    text = (pytester.path / "Results/adversarial/fgsm-epsilon_1-mode_increase/results.txt").read_text()
    assert "What the attack achieved\n  verdict: achieved\n" in text


def test_agreement_of_a_run(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR)
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest(*options(tiny_corpus, "--robustseiz-mcd-passes=20", "--robustseiz-mcd-threshold=0.4"))
    found = rows(pytester.path)["baseline"]
    assert (found["T"], found["tau"], found["mcd_unavailable"]) == ("20", "0.4", "")
    assert 0.5 < float(found["mcd_seizure_agreement"]) < 0.9  # three of ten weights are dropped
    assert float(found["mcd_background_agreement"]) == 0.0
    assert (found["mcd_file_count"], found["mcd_seizure_files"], found["mcd_fp_files"]) == ("3", "2", "0")
    assert found["mcd_fp_agreement"] == "nan"
    assert 0 < float(found["mcd_entropy_bits"]) < 1
    assert 0 < float(found["mcd_calibration_error"]) < 0.2
    result.stdout.fnmatch_lines(["agreement of baseline (T=20, tau=0.4): mean phi 0.*, in seizures 0.*"])
    folder = pytester.path / "Results/baseline/baseline/sub-02/ses-01/eeg"
    table, arrays = sorted(folder.iterdir())[::-1]
    assert table.name.replace("_events.tsv", "_agreement.npz") == arrays.name
    with np.load(arrays, allow_pickle=False) as file:
        phi = file["phi"]
        assert (int(file["passes"]), float(file["tau"])) == (20, 0.4)
    assert phi.dtype == np.float32
    assert phi.shape == (300 * 256,)
    seizure = np.zeros(300 * 256, dtype=bool)
    seizure[20 * 256 : 50 * 256] = seizure[200 * 256 : 230 * 256] = True
    assert phi[seizure].mean() > 0.5
    assert not phi[~seizure].any()


def test_rows_are_the_same_with_workers_and_when_found_in_the_store(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    pytester.makeconftest(TORCH_DETECTOR)
    pytester.makepyfile(test_a=POOLED)
    found = {}
    for way, arguments in (("plain", ["-p", "no:xdist"]), ("workers", ["-n2"])):
        more = [f"--robustseiz-store=store-{way}", f"--robustseiz-registry={way}.csv", *arguments]
        pytester.runpytest_subprocess(*options(tiny_corpus, *more)).assert_outcomes(passed=6)
        found[way] = {label: row | {"timestamp_utc": ""} for label, row in rows(pytester.path, f"{way}.csv").items()}
    assert found["plain"] == found["workers"]
    calls = (pytester.path / "calls.log").read_text()
    again = options(tiny_corpus, "--robustseiz-store=store-plain", "--robustseiz-registry=again.csv")
    pytester.runpytest_subprocess(*again).assert_outcomes(passed=6)
    assert (pytester.path / "calls.log").read_text() == calls
    assert {label: row | {"timestamp_utc": ""} for label, row in rows(pytester.path, "again.csv").items()} == found[
        "plain"
    ]


def test_a_detector_without_gradients_leaves_the_family_out_with_the_reason(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_all(robustseiz_experiment):\n    pass\n")
    result = pytester.runpytest("-rs", *options(tiny_corpus, "--robustseiz-shifts=adversarial,awgn"))
    result.assert_outcomes(passed=7, skipped=36)
    result.stdout.fnmatch_lines(
        [
            "agreement not available: power has nothing random",
            "not applicable: 36 settings of fgsm, pgd: power gives no gradients: attacks need a detector with *",
        ]
    )
    assert str(result.stdout).count("agreement not available") == 1
    assert set(rows(pytester.path)) == {"baseline", *(f"awgn-snr_db_{snr}" for snr in (0, 2, 5, 20, 50, 100))}
    assert rows(pytester.path)["baseline"]["mcd_unavailable"] == "power has nothing random"
    assert rows(pytester.path)["baseline"]["T"] == ""


def test_attacks_that_no_gradient_helps_are_errors_that_name_the_recording(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    pytester.makeconftest(TORCH_DETECTOR.replace("        return 4 * (", "        return 4.0 * torch.round("))
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest("-k", "fgsm or random_sign", *options(tiny_corpus))
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*DetectorError: torch power failed on sub-01_ses-01_task-szMonitoring_run-00 under fgsm-epsilon_1-mode_"
            "increase: AttackError: no gradient reaches any of the 60 windows, so the attack did nothing;*",
            "incomplete, so without a row:",
        ]
    )
    assert set(rows(pytester.path)) == {"baseline", "random_sign-epsilon_0.1"}


# Highest at zero: a step of 1 from values of 0.1 overshoots to 0.9 on the other side.
OVERSHOOTING = TORCH_DETECTOR.replace("windows / 50", "windows / 500").replace(
    "4 * (self.dropout(windows[:, 0].square().mean(dim=-1)) - 1)", "-50 * windows[:, 0].square().mean(dim=-1)"
)


def test_an_attack_that_gets_the_contrary_is_a_finding_and_fails_its_check(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    pytester.makeconftest(OVERSHOOTING)
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest("-k", "fgsm", *options(tiny_corpus))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*the attack got the contrary of what it is for, so its scores say nothing about robustness: mean "
            "probability 0.* before and 0.0000 after, objective better in 0 and worse in 180 of 180 windows*",
            "FAILED ATTACK fgsm-epsilon_1-mode_increase: the attack got the contrary of what it is for*",
        ]
    )
    assert outcome(rows(pytester.path)["fgsm-epsilon_1-mode_increase"])["verdict"] == "contrary"


def test_windows_without_a_gradient_are_named(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR.replace("dim=-1)) - 1)", "dim=-1)) * (windows[:, 0, 0] > 0) - 1)"))
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest("-k", "pgd-", *options(tiny_corpus))
    result.stdout.fnmatch_lines(["attack pgd-epsilon_0.1-mode_flip: ?? of 180 windows had no gradient, 0 one *"])


def test_full_mode_has_no_agreement_unless_asked_for(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR)
    pytester.makepyfile(test_a=POOLED)
    path = "Results/baseline/baseline/sub-01/ses-01/eeg/sub-01_ses-01_task-szMonitoring_run-00_agreement.npz"
    for arguments, expected in (
        (["--robustseiz-mcd=on"], "5"), ([], ""), (["--robustseiz-mcd=on", "--robustseiz-mcd-passes=7"], "7"),
        (["--robustseiz-mcd=off"], ""),
    ):  # fmt: skip
        more = [*arguments, "--robustseiz-registry=r.csv"]
        pytester.runpytest("-k", "baseline", *options(tiny_corpus, *more, mode="full")).assert_outcomes(passed=1)
        row = rows(pytester.path, "r.csv")["baseline"]
        assert row["T"] == expected
        assert (row["mcd_mean_agreement"] != "") is (row["mcd_disagreement"] != "") is bool(expected)
        assert row["tau"] == ("0.8" if expected else "")
        assert (pytester.path / path).exists() is bool(expected)
        (pytester.path / "r.csv").unlink()


def test_agreement_that_was_asked_for_by_name_must_be_possible(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR.replace("TorchPower(Power())", "TorchPower(Power(dropout=0.0))"))
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["agreement not available: torch power has no dropout that acts*"])
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, "--robustseiz-mcd=on"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*AgreementError: --robustseiz-mcd=on: torch power has no dropout that acts*(torch power, sub-01*"]
    )


def test_a_detector_that_is_random_in_evaluation_is_an_error(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(
        TORCH_DETECTOR.replace("self.dropout(windows[", "nn.functional.dropout(windows[").replace(
            "dim=-1)) - 1)", "dim=-1), 0.3) - 1)"
        )
    )
    pytester.makepyfile(test_a=POOLED)
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*DetectorError: *DetectorOutputError: torch power is random in evaluation mode*"])


def test_an_adapter_of_ones_own_may_have_agreement(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    answer = "return np.full(eeg.shape[1], 0.4, dtype=np.float32)"
    pytester.makeconftest(CONFTEST.replace('raise AgreementUnavailable("power has nothing random")', answer))
    pytester.makepyfile(test_a=POOLED)
    pytester.runpytest("-k", "baseline", *options(tiny_corpus)).assert_outcomes(passed=1)
    row = rows(pytester.path)["baseline"]
    assert float(row["mcd_mean_agreement"]) == pytest.approx(0.4)
    assert float(row["mcd_disagreement"]) == pytest.approx(0.8)
    assert row["mcd_entropy_bits"] == row["mcd_calibration_error"] == "nan"
    pytester.makeconftest(CONFTEST.replace('raise AgreementUnavailable("power has nothing random")', "return 0.4"))
    result = pytester.runpytest("-k", "baseline", "--robustseiz-store=other", *options(tiny_corpus))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*DetectorError: power failed on sub-01*: ValueError: phi: expected 76800 floating-*"])


@pytest.mark.parametrize(
    "argument, message",
    [
        ("--robustseiz-mcd=maybe", "*--robustseiz-mcd: expected 'auto', 'on' or 'off', got 'maybe'*"),
        ("--robustseiz-mcd-passes=0", "*--robustseiz-mcd-passes: expected a whole number of at least 1, got '0'*"),
        ("--robustseiz-mcd-passes=1001", "*--robustseiz-mcd-passes: expected at most 1000, got 1001*"),
        ("--robustseiz-mcd-threshold=1.5", "*--robustseiz-mcd-threshold: expected a probability from 0 to 1, got*"),
        ("--robustseiz-mcd-threshold=high", "*expected a probability from 0 to 1, got 'high'*"),
    ],
)
def test_mistakes_are_usage_errors(pytester: pytest.Pytester, tiny_corpus: Path, argument: str, message: str) -> None:
    result = pytester.runpytest(*options(tiny_corpus, argument))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_options_come_from_ini_keys_too(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR)
    pytester.makepyfile(test_a=POOLED)
    pytester.makeini("[pytest]\nrobustseiz_mcd = on\nrobustseiz_mcd_passes = 3\nrobustseiz_mcd_threshold = 0.25\n")
    pytester.runpytest("-k", "baseline", *options(tiny_corpus, mode="full")).assert_outcomes(passed=1)
    assert (rows(pytester.path)["baseline"]["T"], rows(pytester.path)["baseline"]["tau"]) == ("3", "0.25")


def test_limits_on_agreement(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(TORCH_DETECTOR)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.robustseiz(shifts=["awgn"], max_phi_background=0.0, max_disagreement=1.0)
        def test_passes(robustseiz_case):
            robustseiz_case.check()

        @pytest.mark.robustseiz(shifts=["awgn"], max_disagreement=1e-6)
        def test_fails(robustseiz_experiment):
            robustseiz_experiment.check()
        """
    )
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus))
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*disagreement of the stochastic passes is 0.* (baseline 0.*), limit max_disagreement=1e-06 "
            "(mean over 3 recordings)*"
        ]
    )
    result = pytester.runpytest("-k", "baseline", *options(tiny_corpus, mode="full"))
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        ["*mean phi outside seizures is n/a (baseline n/a), limit max_phi_background=0 (the agreement stage did*"]
    )


def test_memory_that_ran_out_and_thresholds_that_were_met_are_said_at_the_end(
    pytester: pytest.Pytester, tiny_corpus: Path
) -> None:
    detector = TORCH_DETECTOR.replace(
        "        return 4 * (self",
        "        if len(windows) > 20:\n            raise torch.OutOfMemoryError('synthetic')\n"
        "        return windows.sum(dim=(1, 2)) * 0 if self.at_threshold else 4 * (self",
    ).replace("        super().__init__()\n", "        super().__init__()\n        self.at_threshold = False\n")
    pytester.makeconftest(detector)
    pytester.makepyfile(test_a=POOLED)
    arguments = ["-k", "baseline", *options(tiny_corpus, "--robustseiz-mcd=off")]
    result = pytester.runpytest(*arguments)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["torch power: out of memory with 64 windows at once; went on with 16"])
    pytester.makeconftest(detector.replace("at_threshold = False", "at_threshold = True"))
    result = pytester.runpytest(*arguments)
    result.stdout.fnmatch_lines(["230400 probabilities lie within 1e-6 of the detector's threshold, in sub-01*"])
