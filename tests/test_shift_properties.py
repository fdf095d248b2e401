"""Properties of the shifts on any content."""

import json
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from shift_table import ANY_SHAPE, SFREQ, Floats, adds_by_rms, generator

from pytest_robustseiz.shifts import (
    ELECTRODES,
    Shift,
)

RELATIVE = tuple(s for s in ANY_SHAPE if adds_by_rms(s))


def content(dtype: type[np.floating[Any]]) -> st.SearchStrategy[Floats]:
    """Any finite content, repeated values and offsets of millivolts included."""
    width: Any = 32 if dtype is np.float32 else 64
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=40).map(lambda s: (s[0] // 2, s[1]))
    values = st.floats(-1e6, 1e6, width=width, allow_subnormal=False)
    return hnp.arrays(dtype, shapes, elements=values)


any_content = st.one_of(content(np.float32), content(np.float64))


@settings(deadline=None, max_examples=300)
@given(setting=st.sampled_from(ANY_SHAPE), eeg=any_content, seed=st.integers(0, 2**32))
def test_property_contract(setting: Shift, eeg: Floats, seed: int) -> None:
    eeg.flags.writeable = False
    channels = ELECTRODES * 2
    shifted = setting.apply(eeg, SFREQ, generator(seed), channels=channels[: eeg.shape[0]])
    assert shifted.shape == eeg.shape
    assert shifted.dtype == eeg.dtype
    assert np.isfinite(shifted).all()
    json.dumps(setting.measure(eeg, shifted, SFREQ), allow_nan=False)


@settings(deadline=None, max_examples=200)
@given(
    setting=st.sampled_from(RELATIVE),
    level=st.floats(-1e6, 1e6, width=32),
    n_samples=st.integers(2, 300),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_property_flat_channels_get_no_relative_noise(
    setting: Shift, level: float, n_samples: int, dtype: type[np.floating[Any]]
) -> None:
    eeg = generator().normal(0, 30, (3, n_samples)).astype(dtype)
    eeg[1] = level
    shifted = setting.apply(eeg, SFREQ, generator(), channels=("Fz", "Cz", "Pz"))
    if setting.name == "notch":  # which filters too, so that rounding remains
        assert np.allclose(shifted[1], eeg[1], rtol=1e-5)
    else:
        assert np.array_equal(shifted[1], eeg[1])


@settings(deadline=None, max_examples=100)
@given(setting=st.sampled_from(RELATIVE), offset=st.sampled_from([-5000.0, 200.0, 5000.0]), seed=st.integers(0, 99))
def test_property_offsets_do_not_change_what_is_added(setting: Shift, offset: float, seed: int) -> None:
    eeg = generator(seed).normal(0, 30, (2, 500))
    kwargs: dict[str, Any] = {"sfreq": SFREQ, "channels": ("Fz", "Cz")}
    plain = setting.apply(eeg, rng=generator(seed), **kwargs)
    moved = setting.apply(eeg + offset, rng=generator(seed), **kwargs)
    assert np.allclose(moved - offset, plain, atol=1e-6)
