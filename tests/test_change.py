"""What a shift did to the input."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pytest_robustseiz.change import InputChange, measure_change, signal_energy

recordings = arrays(
    np.float32, st.tuples(st.integers(1, 4), st.integers(2, 50)), elements=st.floats(-500, 500, width=32)
)


def test_a_known_change() -> None:
    eeg = np.array([[1.0, 3.0], [5.0, 5.0]], dtype=np.float32)  # energies 2 and 0 about their means
    shifted = eeg + np.array([[3.0, 0.0], [0.0, 4.0]], dtype=np.float32)
    change = measure_change(eeg, shifted, signal_energy(eeg))
    assert change == InputChange(25.0, 2.0, 2, 4)
    assert change.rms_uv == 2.5
    assert change.relative == pytest.approx(math.sqrt(12.5))
    assert change.share_changed == 0.5


@given(recordings)
def test_energy_is_that_of_numpy(eeg: np.ndarray) -> None:
    exact = float((eeg.astype(np.float64).var(axis=1) * eeg.shape[1]).sum())
    assert signal_energy(eeg) == pytest.approx(exact, rel=1e-4, abs=1e-2)


def test_an_offset_of_millivolts_is_not_energy() -> None:
    rng = np.random.default_rng(0)
    signal = rng.normal(0, 30, (3, 100_000))
    offset = (signal + 5000).astype(np.float32)
    assert signal_energy(offset) == pytest.approx(signal.var(axis=1).sum() * 100_000, rel=1e-4)


@given(recordings, st.integers(0, 49))
def test_pooling_is_the_change_of_the_whole(eeg: np.ndarray, cut: int) -> None:
    shifted = eeg * np.float32(1.5)
    cut = min(cut, eeg.shape[1])
    parts = [measure_change(eeg[:, part], shifted[:, part], 0.0) for part in (slice(cut), slice(cut, None))]
    whole, pooled = measure_change(eeg, shifted, 0.0), parts[0] + parts[1]
    assert (pooled.changed, pooled.values) == (whole.changed, whole.values)
    assert pooled.change_energy == pytest.approx(whole.change_energy, rel=1e-4, abs=1e-6)


def test_nothing_changed_is_zero_and_no_signal_has_no_ratio() -> None:
    flat = np.zeros((2, 10), dtype=np.float32)
    change = measure_change(flat, flat, signal_energy(flat))
    assert (change.rms_uv, change.share_changed) == (0.0, 0.0)
    assert math.isnan(change.relative)


def test_torch_gives_the_same() -> None:
    rng = np.random.default_rng(1)
    eeg = rng.normal(0, 30, (3, 1000)).astype(np.float32)
    shifted = eeg * np.float32(1.1)
    ours = measure_change(torch.from_numpy(eeg), torch.from_numpy(shifted), signal_energy(torch.from_numpy(eeg)))
    assert ours.change_energy == pytest.approx(measure_change(eeg, shifted, 0.0).change_energy, rel=1e-5)
    assert ours.signal_energy == pytest.approx(signal_energy(eeg), rel=1e-5)
