"""What is retained of a headline under shifts: one number for a whole grid, and its draws over subjects."""

from collections.abc import Sequence

import numpy as np

from pytest_robustseiz.intervals import Figure, Floats, draw_positions, figure_of_sums


def retained(values: Floats, baseline: Floats, shifts: Sequence[str]) -> Floats:
    """Mean over shifts of the mean over settings of value / baseline: a long grid weighs no more than a short one.

    Parameters
    ----------
    values : ndarray of float64, shape (n_settings, ...)
        Event F1, or balanced accuracy.
    baseline : ndarray of float64, shape (...)
        The same of the unperturbed input.
    shifts : sequence of str
        Shift of each setting.

    Returns
    -------
    ndarray of float64, shape (...)
        NaN where a figure is, or where the baseline is 0.
    """
    ratios = np.divide(values, baseline, out=np.full(np.shape(values), np.nan), where=baseline > 0)
    own = [[i for i, other in enumerate(shifts) if other == shift] for shift in dict.fromkeys(shifts)]
    mean: Floats = np.mean([ratios[positions].mean(axis=0) for positions in own], axis=0)
    return mean


def retained_draws(tables: Floats, shifts: Sequence[str], figure: Figure, *, seed: int) -> Floats:
    """The number in each draw of subjects, shape (n_draws,); equal seeds and numbers of subjects give equal draws.

    Parameters
    ----------
    tables : ndarray of float64, shape (1 + n_settings, n_counts, n_subjects)
        Counts of the subjects as `pytest_robustseiz.intervals.count_table` has them, the baseline's first.
    shifts : sequence of str
        Shift of each setting.
    figure : str
        The headline, as `pytest_robustseiz.intervals.figure_interval` calls it.
    seed : int
        Of the draws.
    """
    n_subjects = tables.shape[-1]
    positions = draw_positions(n_subjects, seed=seed)
    # How often each subject is in each draw: (n_subjects, n_draws)
    times = np.stack([np.bincount(drawn, minlength=n_subjects) for drawn in positions], 1)
    values = figure_of_sums(np.moveaxis(tables @ times, 1, 0), figure)
    return retained(values[1:], values[0], shifts)
