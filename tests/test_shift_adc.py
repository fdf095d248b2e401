"""The quantiser has the levels of a two's-complement converter."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shift_table import SFREQ, Floats, generator, real_eeg

from pytest_robustseiz.shifts import ADC


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bits", [2, 3, 5, 8, 12])
def test_levels_and_error(bits: int, dtype: type[np.floating[Any]]) -> None:
    top = 100.0
    eeg: Floats = generator().uniform(-130, 130, (2, 200_000)).astype(dtype)
    shifted = ADC(bits=bits, full_scale_uv=top).apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    step = 2 * top / 2**bits
    levels = np.unique(shifted)
    assert levels == pytest.approx(-top + step * np.arange(2**bits), abs=1e-4)
    inside = (eeg >= -top - step / 2) & (eeg <= top - step / 2)
    assert np.abs(shifted - eeg)[inside].max() <= step / 2 * (1 + 1e-5)
    assert (shifted[eeg > top - step / 2] == levels[-1]).all()
    assert (shifted[eeg < -top] == levels[0]).all()


def test_clipped_samples_are_counted() -> None:
    eeg = np.array([[-101.0, -100.0, -99.0, 0.0, 99.0, 100.0, 101.0]])
    setting = ADC(bits=10, full_scale_uv=100.0)
    figures = setting.measure(eeg, setting.apply(eeg, SFREQ, generator(), channels=("Cz",)), SFREQ)
    assert figures["clipped_samples"] == 3  # -101, 101, and 100, which is half a step above the highest level
    assert figures["step_uv"] == pytest.approx(200 / 1024)
    assert figures["effective_bits"] == pytest.approx(10)


@pytest.mark.parametrize("bits", [5, 12])
def test_range_is_the_peak_of_the_recording(shared_data: Path, bits: int) -> None:
    eeg = real_eeg(shared_data)
    step = np.abs(eeg).max() / 2 ** (bits - 1)
    shifted = ADC(bits=bits).apply(eeg, SFREQ, generator())
    assert np.unique(shifted).size <= 2**bits
    assert shifted / step == pytest.approx(np.round(eeg / step).clip(None, 2 ** (bits - 1) - 1), abs=1e-3)
    change = (shifted - eeg).std()
    assert change == pytest.approx(step / np.sqrt(12), rel=0.05)  # uniform error: Widrow and Kollar, chapter 5
    assert ADC(bits=bits).measure(eeg, shifted, SFREQ)["effective_bits"] < bits


def test_zero_stays_zero_and_the_negative_peak_counts() -> None:
    eeg = np.array([[0.0, -80.0, 40.0, 39.0], [0.0, 0.0, 0.0, 0.0]])
    shifted = ADC(bits=3).apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    assert np.array_equal(shifted, [[0, -80, 40, 40], [0, 0, 0, 0]])


def test_more_bits_than_needed_change_nothing_to_speak_of() -> None:
    eeg = generator().normal(0, 30, (2, 1000))
    shifted = ADC(bits=24, full_scale_uv=1000.0).apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    assert shifted == pytest.approx(eeg, abs=1e-4)


@settings(deadline=None)
@given(bits=st.integers(2, 16), top=st.floats(0.1, 1e6), seed=st.integers(0, 1000))
def test_quantising_twice_is_quantising_once(bits: int, top: float, seed: int) -> None:
    eeg = generator(seed).normal(0, 30, (1, 100))
    setting = ADC(bits=bits, full_scale_uv=top)
    once = setting.apply(eeg, SFREQ, generator(), channels=("Cz",))
    assert np.array_equal(setting.apply(once, SFREQ, generator(), channels=("Cz",)), once)
