"""White noise has the power that its signal-to-noise ratio says."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import signal, stats
from shift_table import SFREQ, generator, real_eeg

from pytest_robustseiz.shifts import AWGN


def test_noise_follows_the_power_of_each_channel_without_its_offset() -> None:
    eeg = generator(1).normal(0, 30, (3, 60 * 256)).astype(np.float32)
    eeg[1] = 17.0
    eeg[2] += 200.0
    noise = AWGN(snr_db=10.0).apply(eeg, SFREQ, generator(2), channels=("C3", "Cz", "C4")) - eeg
    assert not noise[1].any()
    for live in (0, 2):
        assert noise[live].std() == pytest.approx(30 / 10**0.5, rel=0.01)  # 9.49 uV
        assert 10 * np.log10(eeg[live].var() / noise[live].var()) == pytest.approx(10, abs=0.01)


@pytest.mark.parametrize("snr_db", [-10.0, 0.0, 2.0, 5.0, 20.0, 50.0, 100.0])
def test_measured_snr_on_real_eeg(shared_data: Path, snr_db: float) -> None:
    eeg = real_eeg(shared_data)
    shifted = AWGN(snr_db=snr_db).apply(eeg, SFREQ, generator())
    noise = shifted.astype(np.float64) - eeg
    ratios = 10 * np.log10(eeg.astype(np.float64).var(axis=1) / noise.var(axis=1))
    assert ratios == pytest.approx(np.full(19, snr_db), abs=0.1)
    assert AWGN(snr_db=snr_db).measure(eeg, shifted, SFREQ)["measured_snr_db"] == pytest.approx(snr_db, abs=0.1)


def test_noise_is_white_gaussian_and_independent_between_channels() -> None:
    eeg = generator(1).normal(0, 30, (3, 2**16))
    noise = AWGN(snr_db=0.0).apply(eeg, SFREQ, generator(5), channels=("C3", "Cz", "C4")) - eeg
    assert stats.kstest(noise[0] / noise[0].std(), "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(np.concatenate([noise, eeg])) - np.eye(6)).max() < 0.02
    _, spectrum = signal.welch(noise[0], SFREQ, nperseg=256)
    assert spectrum[1:-1] == pytest.approx(np.full(127, spectrum[1:-1].mean()), rel=0.25)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("offset_uv", [0.0, 5_000.0, -200_000.0])
def test_large_offsets_in_single_precision(library: str, offset_uv: float) -> None:
    eeg = (generator(1).normal(0, 30, (1, 2**20)) + offset_uv).astype(np.float32)
    given_eeg = torch.from_numpy(eeg.copy()) if library == "torch" else eeg
    shifted = AWGN(snr_db=10.0).apply(given_eeg, SFREQ, generator(2), channels=("Cz",))
    noise = np.asarray(shifted).astype(np.float64) - eeg
    assert 10 * np.log10(eeg.astype(np.float64).var() / noise.var()) == pytest.approx(10, abs=0.01)


def test_an_outlier_at_the_first_sample_does_not_spoil_the_power() -> None:
    eeg = generator(1).normal(0, 30, (1, 2**20)).astype(np.float32)
    eeg[0, 0] = 100_000.0
    noise = AWGN(snr_db=10.0).apply(eeg, SFREQ, generator(2), channels=("Cz",)).astype(np.float64) - eeg
    assert noise.var() == pytest.approx(eeg.astype(np.float64).var() / 10, rel=1e-3)
