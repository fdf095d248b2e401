"""The common average reference is over the electrodes that measure something."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shift_table import SFREQ, Floats, generator, real_eeg

from pytest_robustseiz.shifts import CAR, DropNamed, NotApplicable


def test_mean_over_channels_is_zero_and_differences_are_kept() -> None:
    eeg = generator().normal(0, 30, (19, 500)) + generator(1).normal(0, 50, 500)
    shifted = CAR().apply(eeg, SFREQ, generator())
    assert shifted == pytest.approx(eeg - eeg.mean(axis=0), abs=1e-10)
    figures = CAR().measure(eeg, shifted, SFREQ)
    assert figures == {"averaged_channels": 19, "common_rms_uv": pytest.approx(eeg.mean(axis=0).std())}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_twice_is_once(shared_data: Path, dtype: type[np.floating[Any]]) -> None:
    eeg: Floats = real_eeg(shared_data).astype(dtype)
    eeg += np.sin(np.arange(eeg.shape[1]) / 9).astype(dtype) * 40
    once = CAR().apply(eeg, SFREQ, generator())
    twice = CAR().apply(once, SFREQ, generator())
    assert np.abs(twice - once).max() < 1e-6 * np.abs(eeg).max()


def test_dropped_electrodes_stay_flat_and_do_not_count() -> None:
    eeg = generator().normal(20, 30, (19, 500))
    dropped = DropNamed(electrodes=("O1", "T7")).apply(eeg, SFREQ, generator())
    shifted = CAR().apply(dropped, SFREQ, generator())
    live = [i for i in range(19) if i not in (4, 6)]
    assert not shifted[[4, 6]].any()
    assert shifted[live] == pytest.approx(eeg[live] - eeg[live].mean(axis=0), abs=1e-10)
    assert CAR().measure(dropped, shifted, SFREQ)["averaged_channels"] == 17


def test_a_flat_channel_away_from_zero_is_flat_too() -> None:
    eeg = generator().normal(0, 30, (3, 500)).astype(np.float32)
    eeg[1] = 812.5
    shifted = CAR().apply(eeg, SFREQ, generator(), channels=("C3", "Cz", "C4"))
    assert (shifted[1] == 812.5).all()
    assert shifted[0] == pytest.approx(-shifted[2], abs=1e-4)


def test_a_named_reference_is_no_pair() -> None:
    eeg = generator().normal(0, 30, (2, 500))
    shifted = CAR().apply(eeg, SFREQ, generator(), channels=("C3-Avg", "C4-Avg"))
    assert shifted == pytest.approx(eeg - eeg.mean(axis=0))


def test_nothing_to_average() -> None:
    eeg = np.full((19, 100), 3.0)
    assert np.array_equal(CAR().apply(eeg, SFREQ, generator()), eeg)


def test_one_pair_makes_a_recording_bipolar() -> None:
    with pytest.raises(
        NotApplicable, match=r"^car: the pairs of a bipolar montage have no common reference to average$"
    ):
        CAR().apply(np.zeros((2, 100)), SFREQ, generator(), channels=("Fp1-F3", "Cz"))
