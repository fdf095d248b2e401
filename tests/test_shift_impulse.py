"""Impulses hit their share of the samples, at their height."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from shift_table import SFREQ, generator, real_eeg

from pytest_robustseiz.shifts import PAPER, Impulse

GRID = [setting for setting in PAPER["impulse"] if isinstance(setting, Impulse)]


@pytest.mark.parametrize("setting", GRID, ids=[s.label for s in GRID])
def test_share_height_and_sign_on_real_eeg(shared_data: Path, setting: Impulse) -> None:
    eeg = real_eeg(shared_data).astype(np.float64)
    shifted = setting.apply(eeg, SFREQ, generator())
    spikes = (shifted - eeg) / eeg.std(axis=1, keepdims=True)
    hit = np.abs(spikes) > 1e-6
    low, high = stats.binom.interval(0.999, eeg.size, setting.share)
    assert low <= hit.sum() <= high
    assert np.abs(spikes[hit]) == pytest.approx(np.full(hit.sum(), setting.height_ratio), rel=1e-6)
    low, high = stats.binom.interval(0.999, int(hit.sum()), 0.5)
    assert low <= (spikes > 1e-6).sum() <= high
    assert setting.measure(eeg, shifted, SFREQ)["hit_share"] == pytest.approx(hit.mean())


def test_places_are_even_and_independent_between_channels() -> None:
    eeg = generator().normal(0, 30, (2, 200_000))
    hit = Impulse(share=0.02, height_ratio=4.0).apply(eeg, SFREQ, generator(), channels=("C3", "C4")) != eeg
    assert stats.kstest(np.flatnonzero(hit[0]) / 200_000, "uniform").pvalue > 0.01
    low, high = stats.binom.interval(0.999, 200_000, 0.02**2)
    assert low <= (hit[0] & hit[1]).sum() <= high


def test_number_of_hits_varies_as_a_binomial() -> None:
    eeg = generator().normal(0, 30, (2000, 500))
    names = [f"E{i}" for i in range(2000)]
    counts = (Impulse(share=0.02, height_ratio=4.0).apply(eeg, SFREQ, generator(), channels=names) != eeg).sum(axis=1)
    assert counts.mean() == pytest.approx(10, rel=0.03)
    assert counts.var() == pytest.approx(500 * 0.02 * 0.98, rel=0.15)


def test_every_sample() -> None:
    eeg = generator().normal(0, 30, (1, 1000))
    spikes = Impulse(share=1.0, height_ratio=2.0).apply(eeg, SFREQ, generator(), channels=("Cz",)) - eeg
    assert np.abs(spikes) == pytest.approx(np.full((1, 1000), 2 * eeg.std()))
