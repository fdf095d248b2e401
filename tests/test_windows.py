"""Cutting and stitching."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.adapters import Windows, stitch

sizes = st.tuples(st.integers(1, 300), st.integers(1, 40)).flatmap(
    lambda pair: st.tuples(st.just(pair[0]), st.just(pair[1]), st.integers(1, pair[1]))
)


@given(sizes)
def test_windows_cover_every_sample_and_no_window_is_empty(size: tuple[int, int, int]) -> None:
    n_samples, window, step = size
    eeg = np.arange(1, n_samples + 1, dtype=np.float32)[np.newaxis]
    cut = Windows(eeg, window, step)[:]
    assert cut.shape[1:] == (1, window)
    covered = set(cut.ravel().tolist()) - {0.0}
    assert covered == set(eeg.ravel().tolist())
    assert (cut != 0).any(axis=(1, 2)).all()


@given(sizes)
def test_a_windows_start_is_where_it_should_be(size: tuple[int, int, int]) -> None:
    n_samples, window, step = size
    cut = Windows(np.arange(1, n_samples + 1, dtype=np.float32)[np.newaxis], window, step)[:]
    assert [row[0, 0] for row in cut] == [1 + i * step for i in range(len(cut))]


@given(sizes, st.integers(0, 2**32 - 1))
def test_stitching_is_the_mean_of_all_windows_that_cover_a_sample(size: tuple[int, int, int], seed: int) -> None:
    n_samples, window, step = size
    n_windows = len(Windows(np.zeros((1, n_samples)), window, step))
    probabilities = np.random.default_rng(seed).random((n_windows, window))
    expected = [
        np.mean([probabilities[i, s - i * step] for i in range(n_windows) if i * step <= s < i * step + window])
        for s in range(n_samples)
    ]
    np.testing.assert_allclose(stitch(probabilities, n_samples, window, step), expected, rtol=1e-5)


def test_one_value_per_window_is_spread_over_it() -> None:
    assert stitch(np.array([0.25, 0.75]), 6, 4, 4).tolist() == [0.25] * 4 + [0.75] * 2
    assert stitch(np.array([0.0, 1.0]), 6, 4, 2).tolist() == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]


def test_numpy_and_torch_cut_alike() -> None:
    eeg = np.random.default_rng(0).normal(size=(3, 101)).astype(np.float32)
    ours, theirs = Windows(eeg, 20, 7)[2:9], Windows(torch.from_numpy(eeg), 20, 7)[2:9]
    assert isinstance(theirs, torch.Tensor)
    np.testing.assert_array_equal(ours, theirs.numpy())


def test_a_transform_acts_on_each_batch() -> None:
    windows = Windows(np.ones((1, 10)), 5, 5).map(lambda cut: cut * 2)
    assert windows[1:2].tolist() == [[[2.0] * 5]]


@pytest.mark.parametrize("step", [0, 6, -1])
def test_a_step_that_leaves_gaps_is_an_error(step: int) -> None:
    with pytest.raises(ValueError, match=f"step: expected 1 to the window's 5 samples, got {step}"):
        Windows(np.zeros((1, 10)), 5, step)


def test_windows_are_taken_in_a_row() -> None:
    with pytest.raises(ValueError, match="expected consecutive windows, got a slice with step 2"):
        Windows(np.zeros((1, 10)), 5, 5)[::2]


def test_a_wrong_number_of_answers_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"expected shape \(3,\) or \(3, 4\), got \(2, 4\)"):
        stitch(np.zeros((2, 4)), 12, 4, 4)
