"""What a shift did to the input, from the case to the registry and the end of the run."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from tiny import CONFTEST

from pytest_robustseiz.corpus import discover
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.shifts import ELECTRODES

TESTS = """
import json
import pytest
from pytest_robustseiz.shifts import ADC, AWGN, DropNamed, Impedance, Impulse, Mains, Notch

GRID = [
    AWGN(snr_db=5.0),
    DropNamed(electrodes=("O1", "O2")),
    Impedance(low_hz=0.1, high_hz=1.0, rms_uv=50.0),
    Impulse(share=0.01, height_ratio=4.0),
    Mains(freq_hz=50.0, amplitude_ratio=0.5),
    ADC(bits=8, full_scale_uv=50.0),
    Notch(freqs_hz=()),
]

@pytest.mark.robustseiz(grid=GRID)
def test_case(robustseiz_case):
    change, [recording] = robustseiz_case.scores.change, robustseiz_case.result.recordings
    figures = [change.rms_uv, change.relative, change.share_changed, recording.figures]
    with open("cases.jsonl", "a") as file:
        file.write(json.dumps([robustseiz_case.setting.label, robustseiz_case.subject, *figures]) + "\\n")
"""
LABELS = {
    "awgn": "awgn-snr_db_5",
    "drop": "drop_named-electrodes_O1_O2",
    "impedance": "impedance-low_hz_0.1-high_hz_1-rms_uv_50",
    "impulse": "impulse-share_0.01-height_ratio_4",
    "mains": "mains-freq_hz_50-amplitude_ratio_0.5",
    "adc": "adc-bits_8-full_scale_uv_50",
    "off": "notch-freqs_hz_none",
}


class Run:
    """What one run left: rows by label, cases by label and subject, and its output."""

    def __init__(self, folder: Path, output: str) -> None:
        with (folder / "experiments_results.csv").open(newline="") as file:
            self.rows = {row["experiment_name"]: row for row in csv.DictReader(file)}
        lines = (folder / "cases.jsonl").read_text().splitlines()
        self.cases = {(label, subject): figures for label, subject, *figures in map(json.loads, lines)}
        self.output = output

    def columns(self, key: str) -> tuple[float, float, float]:
        row = self.rows[LABELS[key]]
        return float(row["change_rms_uv"]), float(row["change_relative"]), float(row["change_share"])

    def figures(self, key: str) -> dict[str, float]:
        figures: dict[str, float] = json.loads(self.rows[LABELS[key]]["shift_figures_json"])
        return figures


@pytest.fixture
def run(pytester: pytest.Pytester, tiny_corpus: Path) -> Run:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}")
    result.assert_outcomes(passed=3 * 8)
    return Run(pytester.path, result.stdout.str())


@pytest.fixture(scope="module")
def recordings(tiny_corpus: Path) -> list[np.ndarray]:
    """The synthetic recordings in double precision, as the detector gets them."""
    files = [recording for subject in discover(tiny_corpus) for recording in subject.recordings]
    return [read_recording(file).eeg.astype(np.float64) for file in files]


def test_realised_effect_reaches_case_registry_and_summary(run: Run, recordings: list[np.ndarray]) -> None:
    powers = [eeg.var(axis=1) for eeg in recordings]  # of equal length, so that means pool them
    total = float(np.mean(powers))
    dropped = [ELECTRODES.index(name) for name in ("O1", "O2")]

    rms_uv, relative, share = run.columns("awgn")
    assert relative == pytest.approx(10 ** (-5 / 20), rel=1e-3)
    assert rms_uv == pytest.approx(math.sqrt(total) * 10 ** (-5 / 20), rel=1e-3)
    assert share == pytest.approx(1.0, abs=1e-3)
    assert run.figures("awgn")["measured_snr_db"] == pytest.approx(5.0, abs=0.1)

    rms_uv, relative, share = run.columns("drop")
    energy = np.mean([(eeg[dropped] ** 2).sum() / eeg.size for eeg in recordings])
    assert rms_uv == pytest.approx(math.sqrt(energy), rel=1e-5)
    assert relative == pytest.approx(math.sqrt(energy / total), rel=1e-5)
    assert share == pytest.approx(2 / 19, rel=1e-3)
    assert run.figures("drop") == {"dropped_channels": 2.0}

    assert run.columns("impedance")[0] == pytest.approx(50.0, rel=0.01)
    assert run.figures("impedance")["noise_rms_uv"] == pytest.approx(50.0, rel=0.01)
    assert run.figures("impedance")["in_band_share"] > 0.99

    n_values = sum(eeg.size for eeg in recordings)
    assert run.columns("impulse")[2] == pytest.approx(0.01, abs=4 * math.sqrt(0.01 * 0.99 / n_values))
    assert run.figures("impulse")["hit_share"] == pytest.approx(run.columns("impulse")[2], rel=1e-6)

    assert run.columns("mains")[1] == pytest.approx(0.5 / math.sqrt(2), rel=1e-3)
    assert run.figures("mains")["line_amplitude_ratio"] == pytest.approx(0.5, rel=0.01)

    assert run.figures("adc")["step_uv"] == 100 / 2**8
    clipped = [np.sum((eeg > 50 - 0.5 * 100 / 256) | (eeg < -50 - 0.5 * 100 / 256)) for eeg in recordings]
    assert run.figures("adc")["clipped_samples"] == pytest.approx(np.mean(clipped))

    assert run.columns("off") == (0.0, 0.0, 0.0)
    assert "changed nothing in the input: notch-freqs_hz_none\n" in run.output


def test_cases_pool_to_the_rows(run: Run) -> None:
    for key in LABELS:
        cases = [run.cases[LABELS[key], subject] for subject in ("sub-01", "sub-02", "sub-03")]
        rms_uv, _, share = run.columns(key)
        assert rms_uv == pytest.approx(math.sqrt(np.mean([case[0] ** 2 for case in cases])))
        assert share == pytest.approx(np.mean([case[2] for case in cases]))
        for name, value in run.figures(key).items():
            assert value == pytest.approx(np.mean([case[3][name] for case in cases]))


def test_the_baseline_changed_nothing(run: Run) -> None:
    row = run.rows["baseline"]
    columns = ("change_rms_uv", "change_relative", "change_share")
    assert [float(row[name]) for name in columns] == [0.0, 0.0, 0.0]
    assert json.loads(row["shift_figures_json"]) == {}


def test_a_drop_is_shown_beside_the_change_that_caused_it(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        """
        import pytest
        from pytest_robustseiz.shifts import DropNamed

        @pytest.mark.robustseiz(grid=[DropNamed(electrodes=("Fp1",))])
        def test_blind(robustseiz_experiment):
            pass
        """
    )
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}")
    line = "* uV RMS, *% of the signal, 5.26% of samples, dropped channels 1"
    result.stdout.fnmatch_lines(["*drop_named-electrodes_Fp1: -1.000 to event F1 0.000*"])
    result.stdout.fnmatch_lines([f"    input changed by {line}", f"  drop_named: {line}"])
