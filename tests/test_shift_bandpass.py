"""The band-pass is scipy's Butterworth, run forward and backward."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import signal
from shift_table import SFREQ, Floats, gain_db, generator, real_eeg

from pytest_robustseiz.shifts import Bandpass, ShiftError

GRID = [(0.5, 40.0, 4), (1.0, 40.0, 4), (1.0, 30.0, 4), (0.5, 25.0, 4)]
OTHERS = [(0.1, 70.0, 6), (9.0, 11.0, 3), (0.5, 127.0, 2), (30.0, 31.0, 1), (1.0, 40.0, 10)]


def sections(low_hz: float, high_hz: float, order: int) -> Floats:
    return signal.butter(order, [low_hz, high_hz], "bandpass", fs=SFREQ, output="sos")


def peak_db(shifted: Floats, reference: Floats) -> float:
    """Largest difference, in dB below the RMS of the reference."""
    return float(20 * np.log10(np.abs(shifted - reference).max() / reference.std()))


@pytest.mark.parametrize("low_hz, high_hz, order", GRID + OTHERS)
def test_gain_for_sines(low_hz: float, high_hz: float, order: int) -> None:
    setting = Bandpass(low_hz=low_hz, high_hz=high_hz, order=order)
    for share in (0.1, 0.5, 0.9):
        freq_hz = max(low_hz + share * (high_hz - low_hz), 1.5)
        _, once = signal.freqz_sos(sections(low_hz, high_hz, order), worN=[freq_hz], fs=SFREQ)
        expected = 40 * np.log10(np.abs(once[0]))
        assert gain_db(setting, freq_hz, n_samples=2**16) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("low_hz, high_hz, order", [(1.0, 40.0, 4), (9.0, 11.0, 3), (4.0, 70.0, 6)])
def test_gain_at_the_edges(low_hz: float, high_hz: float, order: int) -> None:
    for edge_hz in (low_hz, high_hz):
        zero_phase = Bandpass(low_hz=low_hz, high_hz=high_hz, order=order)
        assert gain_db(zero_phase, edge_hz) == pytest.approx(-6.02, abs=0.05)
        causal = Bandpass(low_hz=low_hz, high_hz=high_hz, order=order, causal=True)
        assert gain_db(causal, edge_hz) == pytest.approx(-3.01, abs=0.05)


@pytest.mark.parametrize("low_hz, high_hz, order", GRID + OTHERS)
def test_interior_equals_second_order_sections(low_hz: float, high_hz: float, order: int) -> None:
    eeg = generator().normal(0, 30, (3, 2**17)).cumsum(axis=1) * 0.1
    setting = Bandpass(low_hz=low_hz, high_hz=high_hz, order=order)
    shifted = setting.apply(eeg, SFREQ, generator(), channels=("C3", "Cz", "C4"))
    expected = signal.sosfiltfilt(sections(low_hz, high_hz, order), eeg, axis=1)
    away = slice(2**16 - 2**14, 2**16 + 2**14)  # a minute and more from the edges, across the ends of blocks
    assert peak_db(shifted[:, away], expected[:, away]) < -80


@pytest.mark.parametrize("low_hz, high_hz, order", GRID)
def test_real_eeg(shared_data: Path, low_hz: float, high_hz: float, order: int) -> None:
    eeg = real_eeg(shared_data)
    shifted = Bandpass(low_hz=low_hz, high_hz=high_hz, order=order).apply(eeg, SFREQ, generator())
    expected = signal.sosfiltfilt(sections(low_hz, high_hz, order), eeg.astype(np.float64), axis=1, padlen=5120)
    away = slice(5 * 256, 40 * 256)
    assert peak_db(shifted[:, away], expected[:, away]) < -60


def test_causal_filter_is_one_pass() -> None:
    eeg = generator().normal(0, 30, (2, 2**15))
    setting = Bandpass(low_hz=0.5, high_hz=40.0, causal=True)
    shifted = setting.apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    expected = signal.sosfilt(sections(0.5, 40.0, 4), eeg, axis=1)
    assert peak_db(shifted[:, 2**14 :], expected[:, 2**14 :]) < -100
    before = eeg.copy()
    before[:, 20_000:] = 0
    cut = setting.apply(before, SFREQ, generator(), channels=("C3", "C4"))
    assert peak_db(cut[:, 2**14 : 20_000], shifted[:, 2**14 : 20_000]) < -80  # the future does not reach back


def test_low_edge_at_high_order_is_stable_where_a_single_recursion_is_not() -> None:
    eeg = generator().normal(0, 30, (1, 2**15))
    shifted = Bandpass(low_hz=0.1, high_hz=70.0, order=6).apply(eeg, SFREQ, generator(), channels=("Cz",))
    assert 15 < shifted.std() < 30
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        unstable = signal.filtfilt(*signal.butter(6, [0.1, 70.0], "bandpass", fs=SFREQ), eeg, axis=1)
    assert not np.abs(unstable).max() < 1e6


@pytest.mark.parametrize("high_hz, sfreq", [(128.0, 256.0), (130.0, 256.0), (40.0, 80.0)])
def test_edge_at_or_above_nyquist(high_hz: float, sfreq: float) -> None:
    message = (
        rf"^high_hz: {high_hz:g} Hz is not below the Nyquist frequency of {sfreq / 2:g} Hz \(half of {sfreq:g} Hz\)"
    )
    with pytest.raises(ShiftError, match=message):
        Bandpass(low_hz=0.5, high_hz=high_hz).apply(np.zeros((19, 500)), sfreq, generator())


@pytest.mark.parametrize("sfreq", [200.0, 249.98, 512.0])
def test_other_sampling_rates(sfreq: float) -> None:
    eeg = generator().normal(0, 30, (1, 2**15))
    shifted = Bandpass(low_hz=1.0, high_hz=40.0).apply(eeg, sfreq, generator(), channels=("Cz",))
    sos: Any = signal.butter(4, [1.0, 40.0], "bandpass", fs=sfreq, output="sos")
    away = slice(2**14 - 2**12, 2**14 + 2**12)
    assert peak_db(shifted[:, away], signal.sosfiltfilt(sos, eeg, axis=1)[:, away]) < -80


def test_offsets_of_millivolts_are_removed_in_single_precision() -> None:
    eeg = generator().normal(0, 30, (2, 2**14))
    setting = Bandpass(low_hz=0.5, high_hz=40.0)
    single = (eeg + 50_000).astype(np.float32)
    exact = setting.apply(single.astype(np.float64), SFREQ, generator(), channels=("C3", "C4"))
    shifted = setting.apply(single, SFREQ, generator(), channels=("C3", "C4"))
    assert np.abs(shifted - exact).max() < 1e-4


def test_share_of_the_power_that_changed() -> None:
    angle = 2 * np.pi * np.arange(2**15) / SFREQ
    eeg = (np.sin(10 * angle) + np.sin(100 * angle))[None, :]
    setting = Bandpass(low_hz=1.0, high_hz=30.0)
    shifted = setting.apply(eeg, SFREQ, generator(), channels=("Cz",))
    assert setting.measure(eeg, shifted, SFREQ)["changed_power_share"] == pytest.approx(0.5, abs=0.01)
