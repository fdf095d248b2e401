"""Events in seconds, and the samples that they cover."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Interval: TypeAlias = tuple[float, float]
"""Start and stop of an event, in seconds from the start of the recording."""


def merge_events(events: Iterable[Interval]) -> list[Interval]:
    """Union of events, sorted.

    Events that overlap or touch become one.

    Parameters
    ----------
    events : iterable of (start_s, stop_s)
        In any order, seconds.

    Returns
    -------
    list of (start_s, stop_s)
        Disjoint, not touching, by ascending start.

    Raises
    ------
    ValueError
        When a time is not finite or an event does not stop after its start.
    """
    merged: list[Interval] = []
    for start_s, stop_s in sorted(_checked(event) for event in events):
        if merged and start_s <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop_s))
        else:
            merged.append((start_s, stop_s))
    return merged


def events_to_runs(events: Iterable[Interval], sfreq: float, n_samples: int) -> list[tuple[int, int]]:
    """Samples that events cover.

    The union of the events is clipped to the recording and rounded to the sample grid (Python's `round`, as
    timescoring does it); each event of the union keeps at least one sample.

    Parameters
    ----------
    events : iterable of (start_s, stop_s)
        In any order, seconds; they may overlap.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.

    Returns
    -------
    list of (start, stop)
        Samples, stop exclusive; disjoint, not touching, ascending.

    Raises
    ------
    ValueError
        When an event is malformed (see `merge_events`) or lies wholly outside the recording, which no reading of the
        annotation can make right; when `sfreq` or `n_samples` is not positive.
    """
    require_recording(sfreq, n_samples)
    kept = [_checked(event) for event in events]
    for event in kept:
        _require_inside(event, n_samples / sfreq)
    runs: list[tuple[int, int]] = []
    for start_s, stop_s in merge_events(kept):
        start = min(max(round(start_s * sfreq), 0), n_samples - 1)
        stop = min(max(round(stop_s * sfreq), start + 1), n_samples)
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(runs[-1][1], stop))
        else:
            runs.append((start, stop))
    return runs


def events_to_mask(events: Iterable[Interval], sfreq: float, n_samples: int) -> npt.NDArray[np.bool_]:
    """Mask of the samples that events cover.

    Parameters
    ----------
    events : iterable of (start_s, stop_s)
        In any order, seconds; they may overlap.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.

    Returns
    -------
    ndarray of bool, shape (n_samples,)

    Raises
    ------
    ValueError
        As `events_to_runs`.
    """
    runs = events_to_runs(events, sfreq, n_samples)
    mask = np.zeros(n_samples, dtype=np.bool_)
    for start, stop in runs:
        mask[start:stop] = True
    return mask


def mask_to_events(mask: npt.NDArray[np.bool_], sfreq: float) -> list[Interval]:
    """Events of a mask: its runs of True.

    Equal to `timescoring.annotations.Annotation(mask, sfreq).events`; only the changes are looked at, which takes 3 ms
    for 24 hours at 256 Hz instead of 130 ms.

    Parameters
    ----------
    mask : ndarray of bool, shape (n_samples,)
    sfreq : float
        Samples per second.

    Returns
    -------
    list of (start_s, stop_s)
        Seconds; an event that reaches the last sample stops at `n_samples / sfreq`.

    Raises
    ------
    ValueError
        When `mask` is not a one-dimensional array of bool with at least one sample; when `sfreq` is not positive.
    """
    if mask.ndim != 1 or mask.dtype != np.bool_:
        raise ValueError(f"mask: expected bool of shape (n_samples,), got {mask.dtype} of shape {mask.shape}")
    require_recording(sfreq, len(mask))
    bounds: list[int] = (np.flatnonzero(mask[1:] != mask[:-1]) + 1).tolist()
    if mask[0]:
        bounds.insert(0, 0)
    if mask[-1]:
        bounds.append(len(mask))
    return runs_to_events(list(zip(bounds[::2], bounds[1::2], strict=True)), sfreq)


def runs_to_events(runs: Sequence[tuple[int, int]], sfreq: float) -> list[Interval]:
    """Events in seconds from samples.

    Parameters
    ----------
    runs : sequence of (start, stop)
        Samples, stop exclusive.
    sfreq : float
        Samples per second.

    Returns
    -------
    list of (start_s, stop_s)
        Seconds.
    """
    return [(start / sfreq, stop / sfreq) for start, stop in runs]


def require_recording(sfreq: float, n_samples: int) -> None:
    """Check the rate and the length of a recording.

    Parameters
    ----------
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.

    Raises
    ------
    ValueError
        When one of them is not positive or the rate is not finite.
    """
    if not (math.isfinite(sfreq) and sfreq > 0):
        raise ValueError(f"sfreq: expected a positive number of samples per second, got {sfreq}")
    if n_samples < 1:
        raise ValueError(f"n_samples: expected a recording of at least one sample, got {n_samples}")


def _checked(event: Interval) -> Interval:
    start_s, stop_s = float(event[0]), float(event[1])
    if not (math.isfinite(start_s) and math.isfinite(stop_s)):
        raise ValueError(f"event ({start_s}, {stop_s}): expected finite seconds; drop or repair the event")
    if stop_s <= start_s:
        raise ValueError(
            f"event ({start_s}, {stop_s}): expected (start_s, stop_s) with the stop after the start; "
            "was a duration given as the stop?"
        )
    return start_s, stop_s


def _require_inside(event: Interval, duration_s: float) -> None:
    if event[1] <= 0 or event[0] >= duration_s:
        raise ValueError(
            f"event {event}: lies wholly outside the recording of {duration_s} s; "
            "are the times in seconds from its start, and is it the right recording?"
        )
