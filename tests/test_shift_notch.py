"""A notch is deep at its frequency and narrow, and leaves a line elsewhere."""

from pathlib import Path

import numpy as np
import pytest
from scipy import signal
from shift_table import SFREQ, amplitude_of, gain_db, generator, real_eeg, tone

from pytest_robustseiz.shifts import PAPER, Notch, ShiftError

GRID = [setting for setting in PAPER["notch"] if isinstance(setting, Notch)]
FILTERS = [setting for setting in GRID if setting.freqs_hz and setting.mains_hz is None]


@pytest.mark.parametrize("setting", FILTERS, ids=[s.label for s in FILTERS])
def test_depth_and_width(setting: Notch) -> None:
    for freq_hz in setting.freqs_hz:
        assert gain_db(setting, freq_hz) < -60
        half = freq_hz / 30 / 2
        sides = [gain_db(setting, freq_hz - half), gain_db(setting, freq_hz + half)]
        assert np.mean(sides) == pytest.approx(-3.0, abs=0.1)  # of both passes together
        for away in (-5.0, 5.0):
            assert -1.0 < gain_db(setting, freq_hz + away) < 0


@pytest.mark.parametrize("freq_hz", [3.0, 50.0, 60.0, 100.0, 120.0])
@pytest.mark.parametrize("quality", [1.0, 5.0, 30.0])
def test_equals_two_passes_of_a_second_order_section(freq_hz: float, quality: float) -> None:
    eeg = generator().normal(0, 30, (2, 2**15))
    shifted = Notch(freqs_hz=(freq_hz,), quality=quality).apply(eeg, SFREQ, generator(), channels=("C3", "C4"))
    # scipy's quality is that of one pass, by the same tangent of half the width.
    width = 2 * np.arctan(np.tan(np.pi * freq_hz / quality / SFREQ) * np.sqrt(np.sqrt(2) - 1)) * SFREQ / (2 * np.pi)
    b, a = signal.iirnotch(freq_hz, freq_hz / width, SFREQ)
    expected = signal.filtfilt(b, a, eeg, axis=1)
    away = slice(2**14 - 2**12, 2**14 + 2**12)
    assert np.abs(shifted[:, away] - expected[:, away]).max() < 1e-5 * eeg.std()


@pytest.mark.parametrize("setting", GRID, ids=[s.label for s in GRID])
def test_lines_on_real_eeg(shared_data: Path, setting: Notch) -> None:
    eeg = real_eeg(shared_data).astype(np.float64)
    rms = eeg.std(axis=1)
    shifted = setting.apply(eeg, SFREQ, generator())
    change = shifted - eeg
    if setting.mains_hz is None or setting.mains_ratio is None:
        assert change.any() == bool(setting.freqs_hz)
    else:
        unfiltered = Notch(freqs_hz=setting.freqs_hz).apply(eeg, SFREQ, generator())
        away = slice(512, -512)  # the notch settles within two seconds of the edges
        line = np.array([amplitude_of(row, setting.mains_hz) for row in (shifted - unfiltered)[:, away]])
        assert line == pytest.approx(setting.mains_ratio * rms, rel=0.01)
    for freq_hz in setting.freqs_hz[:1]:
        figures = setting.measure(eeg, shifted, SFREQ)
        before = np.mean([amplitude_of(row, freq_hz) for row in eeg])
        assert figures["notch_before_uv"] == pytest.approx(before, rel=0.01)
        assert figures["notch_after_uv"] < 0.2 * before


def test_amplitudes_are_those_of_channels_that_have_signal() -> None:
    eeg = np.zeros((19, 2560))
    eeg[2:5], eeg[7] = tone(60.0, 2560, amplitude=30.0), 812.5
    setting = Notch(freqs_hz=(60.0,), mains_hz=50.0, mains_ratio=0.5)
    figures = setting.measure(eeg, setting.apply(eeg, SFREQ, generator()), SFREQ)
    assert figures["notch_before_uv"] == pytest.approx(30, rel=1e-3)
    assert figures["line_after_uv"] == pytest.approx(0.5 * 30 / np.sqrt(2), rel=0.05)


def test_no_figures_without_signal() -> None:
    eeg = np.full((19, 100), 3.0)
    setting = Notch(freqs_hz=(60.0,), mains_hz=50.0, mains_ratio=0.5)
    assert setting.measure(eeg, setting.apply(eeg, SFREQ, generator()), SFREQ) == {}


def test_a_line_at_the_notch_is_removed() -> None:
    eeg = generator().normal(0, 30, (1, 2**14))
    shifted = Notch(freqs_hz=(60.0,), mains_hz=60.0, mains_ratio=1.0).apply(eeg, SFREQ, generator(), channels=("Cz",))
    assert amplitude_of(shifted[0, 1024:-1024], 60.0) < 0.1


@pytest.mark.parametrize("freq_hz", [128.0, 150.0])
def test_notch_at_or_above_nyquist(freq_hz: float) -> None:
    with pytest.raises(ShiftError, match=rf"^freqs_hz: {freq_hz:g} Hz is not below the Nyquist frequency of 128 Hz"):
        Notch(freqs_hz=(50.0, freq_hz)).apply(np.zeros((19, 500)), SFREQ, generator())


def test_line_above_nyquist() -> None:
    with pytest.raises(ShiftError, match=r"^mains_hz: 150 Hz is not below the Nyquist frequency of 128 Hz"):
        Notch(freqs_hz=(50.0,), mains_hz=150.0, mains_ratio=0.1).apply(np.ones((19, 500)), SFREQ, generator())
