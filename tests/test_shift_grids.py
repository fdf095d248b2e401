"""The default grid is the paper's, in order of severity."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shift_table import SFREQ, generator, real_eeg

from pytest_robustseiz.shifts import PAPER, Baseline, Drift, Notch, Shift, paper_grid, smoke_grid

COUNTS = {
    "car": 1, "resample": 4, "drop_named": 2, "drop_random": 4, "adc": 3, "bandpass": 4, "impedance": 15, "drift": 16,
    "awgn": 6, "mains": 4, "impulse": 10, "notch": 10, "fgsm": 18, "pgd": 18,
}  # fmt: skip
ALL: dict[str, set[Any]] = {
    "resample": {(50.0,), (100.0,), (200.0,), (230.0,)},
    "drop_named": {(("O1", "O2"),), (("T7", "T8"),)},
    "drop_random": {(1,), (2,), (4,), (8,)},
    "adc": {(5, None), (10, 100.0), (12, None)},
    "bandpass": {(0.5, 40.0), (1.0, 40.0), (1.0, 30.0), (0.5, 25.0)},
    "impedance": {
        (low, high, *level)
        for low, high in ((0.0, 1.0), (0.05, 0.5), (0.1, 1.0))
        for level in ((25.0, None), (50.0, None), (100.0, None), (200.0, None), (None, 0.25))
    },
    "awgn": {(0.0,), (2.0,), (5.0,), (20.0,), (50.0,), (100.0,)},
    "mains": {(60.0, 0.1), (60.0, 0.5), (60.0, 0.8), (60.0, 1.0)},
    **{
        name: {(e, m) for e in (0.01, 0.05, 0.1, 0.5, 0.8, 1.0) for m in ("increase", "decrease", "flip")}
        for name in ("fgsm", "pgd")
    },
    "impulse": {(share, height) for share in (0.0005, 0.001, 0.005, 0.008, 0.01) for height in (2.0, 4.0)},
}
DRIFT = {  # mode, frequency, band, ratio, microvolts, channels, intermittent
    ("piecewise", None, (0.05, 0.5), 0.10, None, None, False),
    ("random_walk", None, (0.05, 0.5), 0.10, None, None, False),
    ("random_walk", None, (0.05, 0.5), 0.10, None, None, True),
    ("random_walk", None, (0.05, 0.5), 0.10, None, 1, False),
    ("random_walk", None, (0.0, 1.0), 0.10, None, None, False),
    ("random_walk", None, (0.1, 1.0), 0.10, None, None, False),
    ("sin", 0.2, (None, None), 0.03, None, None, False),
    ("sin", 0.2, (None, None), None, 50.0, None, False),
    ("sin_band", None, (0.0, 1.0), 0.10, None, None, False),
    ("sin_band", None, (0.0, 1.0), None, 50.0, None, False),
    ("sin_band", None, (0.0, 1.0), None, 50.0, 2, False),
    ("sin_band", None, (0.05, 0.5), 0.10, None, None, False),
    ("sin_band", None, (0.05, 0.5), None, 50.0, None, False),
    ("sin_band", None, (0.1, 1.0), 0.10, None, None, False),
    ("sin_band", None, (0.1, 1.0), None, 100.0, None, True),
    ("sin_band", None, (0.1, 1.0), None, 50.0, None, False),
}
NOTCH = {  # notches, quality, line, its ratio
    ((), 30.0, None, None),
    ((50.0,), 30.0, None, None),
    ((60.0,), 30.0, None, None),
    ((50.0, 100.0), 30.0, None, None),
    ((60.0, 120.0), 30.0, None, None),
    ((60.0,), 30.0, 50.0, 0.10),
    ((60.0, 120.0), 30.0, 50.0, 0.05),
    ((50.0,), 30.0, 60.0, 0.03),
    ((50.0,), 30.0, 60.0, 0.10),
    ((50.0, 100.0), 30.0, 60.0, 0.05),
}


def test_number_of_settings() -> None:
    assert {name: len(settings) for name, settings in PAPER.items()} == COUNTS
    assert sum(COUNTS.values()) == 79 + 36
    grid = paper_grid()
    assert len(set(grid)) == len(grid) == 116
    assert grid[0] == Baseline()
    assert [setting.name for setting in grid[1:]] == [name for name, count in COUNTS.items() for _ in range(count)]


@pytest.mark.parametrize("name", ALL)
def test_parameters(name: str) -> None:
    found = [tuple(setting.params().values()) for setting in PAPER[name]]
    width = len(next(iter(ALL[name])))
    assert {values[:width] for values in found} == ALL[name]
    assert len({values[width:] for values in found}) == 1  # the others have their defaults


def test_drift_settings() -> None:
    found = set()
    for s in PAPER["drift"]:
        assert isinstance(s, Drift)
        band = (s.low_hz, s.high_hz)
        found.add((s.mode, s.freq_hz, band, s.amplitude_ratio, s.amplitude_uv, s.n_channels, s.burst_s is not None))
    assert found == DRIFT


def test_notch_settings() -> None:
    assert {tuple(setting.params().values()) for setting in PAPER["notch"] if isinstance(setting, Notch)} == NOTCH


def test_families() -> None:
    families: dict[str, str] = dict.fromkeys(("awgn", "mains", "impulse", "notch"), "noise")
    families |= dict.fromkeys(("fgsm", "pgd"), "adversarial")
    for name, settings in PAPER.items():
        assert {setting.family for setting in settings} == {families.get(name, "environment")}


def change_rms(setting: Shift, eeg: Any) -> float:
    change = setting.apply(eeg, SFREQ, generator()).astype(np.float64) - eeg
    return float(np.sqrt(np.mean(change**2)))


@pytest.mark.parametrize("name", ["resample", "adc", "impedance", "drift", "awgn", "mains", "impulse"])
def test_change_grows_along_the_curve(shared_data: Path, name: str) -> None:
    eeg = real_eeg(shared_data)
    changes = [change_rms(setting, eeg) for setting in PAPER[name]]
    for weaker, stronger in itertools.pairwise(changes):
        assert stronger > 0.85 * weaker  # settings of one level in different bands differ by chance


def test_smoke_grid() -> None:
    baseline, *shifts = smoke_grid()
    assert len(shifts) < 16
    assert baseline == Baseline()
    assert [setting.name for setting in shifts] == list(PAPER)
    assert set(shifts) <= set(paper_grid())
