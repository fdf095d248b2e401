"""Rows of a recording: which ones a shift acts on, and how."""

from collections.abc import Iterator, Sequence
from typing import Any

import array_api_compat
import numpy as np
import numpy.typing as npt

from pytest_robustseiz.shifts.base import Array, ShiftError
from pytest_robustseiz.shifts.channels import channels_using

ROWS_AT_ONCE = 4  # transforms of four rows take little more time than of one, and a fifth of a recording's memory


def copied(eeg: Array) -> Array:
    """Return a copy to write to."""
    return array_api_compat.array_namespace(eeg).asarray(eeg, copy=True)


def moved(values: npt.NDArray[Any], like: Array) -> Array:
    """Bring real or complex numbers that numpy computed to the kind, precision and device of another array."""
    xp = array_api_compat.array_namespace(like)
    precision = np.float32 if like.dtype == xp.float32 else np.float64
    dtype = np.result_type(precision, np.complex64) if np.iscomplexobj(values) else precision
    return xp.asarray(values.astype(dtype, copy=False), device=array_api_compat.device(like))


def rows_of(electrodes: Sequence[str], eeg: Array, channels: Sequence[str]) -> list[int]:
    """Rows that depend on any of the electrodes.

    Raises
    ------
    ShiftError
        When there is not one name per row.
    ValueError
        When no channel uses one of the electrodes.
    """
    if len(channels) != eeg.shape[0]:
        raise ShiftError(f"channels: expected {eeg.shape[0]} names, one per row, got {len(channels)}")
    return channels_using(electrodes, channels)


def zeroed(eeg: Array, rows: Sequence[int]) -> Array:
    """Return a copy in which these rows are zero."""
    shifted = copied(eeg)
    for i in rows:
        shifted[i, :] = 0.0
    return shifted


def row_groups(n_rows: int) -> Iterator[slice]:
    """Slices that cover all rows, a few at a time."""
    return (slice(start, min(start + ROWS_AT_ONCE, n_rows)) for start in range(0, n_rows, ROWS_AT_ONCE))
