"""Resampling, the common average and the measured spread, each against a closed form."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_robustseiz.resampling import resample
from pytest_robustseiz.rows import subtract_average
from pytest_robustseiz.spread import measure_spread


@settings(deadline=None)
@given(
    st.sampled_from([Fraction(100), Fraction(250), Fraction(512), Fraction(25000000, 100008), Fraction(999, 4)]),
    st.integers(1, 3000),
)
def test_constant_stays_constant_up_to_the_edges(sfreq: Fraction, n: int) -> None:
    n_out = round(n / sfreq * 256)
    out = resample(np.full(n, 100, dtype=np.float32), sfreq, 256, n_out)
    assert out.shape == (n_out,)
    np.testing.assert_allclose(out, 100, rtol=0.01)


@pytest.mark.parametrize("freq_hz, gain", [(10, 1), (100, 1), (115, 1), (150, 0), (200, 0), (250, 0)])
def test_below_nyquist_passes_and_above_is_gone(freq_hz: float, gain: float) -> None:
    tone = np.sin(2 * np.pi * freq_hz * np.arange(512 * 20) / 512).astype(np.float32)
    out = resample(tone, Fraction(512), 256, 256 * 20)
    wanted = gain * np.sin(2 * np.pi * freq_hz * np.arange(256 * 20) / 256)
    np.testing.assert_allclose(out[512:-512], wanted[512:-512], atol=1e-4)


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.sets(st.integers(0, 18), min_size=1).map(sorted), st.sampled_from([1, 65536, 65537])
)
def test_average_is_idempotent_and_leaves_other_rows_alone(seed: int, live: list[int], n: int) -> None:
    eeg = np.random.default_rng(seed).normal(0, 50, (19, n)).astype(np.float32)
    before = eeg.copy()
    rms = subtract_average(eeg, live)
    others = [i for i in range(19) if i not in live]
    average = before[live].astype(np.float64).mean(axis=0)
    assert rms == pytest.approx(np.sqrt(np.mean(average**2)), rel=1e-3)
    np.testing.assert_allclose(eeg[live], before[live] - average, atol=1e-3)
    np.testing.assert_array_equal(eeg[others], before[others])
    once = eeg.copy()
    assert subtract_average(eeg, live) < 1e-4
    np.testing.assert_allclose(eeg, once, atol=1e-3)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 100, 65536, 65537, 200000]), st.floats(-1e4, 1e4))
def test_spread_in_blocks_is_that_of_the_whole(seed: int, n: int, offset: float) -> None:
    samples = np.random.default_rng(seed).normal(offset, 30, n).astype(np.float32)
    spread = measure_spread(samples)
    assert (spread.low_uv, spread.high_uv) == (samples.min(), samples.max())
    assert spread.sd_uv == pytest.approx(samples.astype(np.float64).std(), rel=1e-2, abs=1e-2)


def test_spread_of_a_drift_over_many_blocks() -> None:
    ramp = np.linspace(0, 1000, 300_000, dtype=np.float32)
    assert measure_spread(ramp).sd_uv == pytest.approx(1000 / np.sqrt(12), rel=1e-4)


def test_first_sample_that_is_not_finite_is_named() -> None:
    samples = np.ones(100, dtype=np.float32)
    samples[[70, 90]] = np.inf, np.nan
    with pytest.raises(ValueError, match="sample 70 is inf; EEG must be finite"):
        measure_spread(samples)
