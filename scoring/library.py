"""The one place that calls the library timescoring."""

import math
from collections.abc import Iterable

import numpy as np
from timescoring.annotations import Annotation
from timescoring.scoring import EventScoring, SampleScoring

from pytest_robustseiz.scoring.events import Interval, events_to_runs, runs_to_events
from pytest_robustseiz.scoring.presets import Preset

EVENT_HZ = 10
"""Rate to which timescoring 0.0.7 rounds events before it scores them."""


def score_samples(
    reference: Iterable[Interval], hypothesis: Iterable[Interval], *, sfreq: float, n_samples: int
) -> SampleScoring:
    """Sample scoring at the signal's rate.

    Parameters
    ----------
    reference, hypothesis : iterable of (start_s, stop_s)
        Seconds, in any order; they may overlap.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.

    Returns
    -------
    timescoring.scoring.SampleScoring

    Raises
    ------
    ValueError
        As `events_to_runs`.
    """
    return SampleScoring(
        _annotation("reference", reference, sfreq, n_samples),
        _annotation("hypothesis", hypothesis, sfreq, n_samples),
        fs=sfreq,  # pyright: ignore[reportArgumentType]  # it says int and takes any rate
    )


def score_events(
    reference: Iterable[Interval], hypothesis: Iterable[Interval], *, sfreq: float, n_samples: int, preset: Preset
) -> EventScoring:
    """Event scoring by a preset.

    Parameters
    ----------
    reference, hypothesis : iterable of (start_s, stop_s)
        Seconds, in any order; they may overlap.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.
    preset : Preset
        The rules.

    Returns
    -------
    timescoring.scoring.EventScoring
        Its `ref.events` and `hyp.events` are the events after merging and splitting.

    Raises
    ------
    ValueError
        As `events_to_runs`, and when the recording is too short to have a sample at 10 Hz.
    """
    ref = _annotation("reference", reference, sfreq, n_samples)
    hyp = _annotation("hypothesis", hypothesis, sfreq, n_samples)
    if round(n_samples / sfreq * EVENT_HZ) == 0:
        raise ValueError(
            f"n_samples: {n_samples} at {sfreq} Hz are too short for event scoring, which rounds to {EVENT_HZ} Hz"
        )
    parameters = EventScoring.Parameters(
        toleranceStart=preset.tolerance_start_s,
        toleranceEnd=preset.tolerance_end_s,
        maxEventDuration=math.inf if preset.split_s is None else preset.split_s,
        minDurationBetweenEvents=preset.merge_s,
    )
    # A window that rounds to nothing at the very end of a recording is divided 0 by 0, which counts as no overlap.
    with np.errstate(invalid="ignore"):
        return EventScoring(ref, hyp, parameters)


def _annotation(name: str, events: Iterable[Interval], sfreq: float, n_samples: int) -> Annotation:
    try:
        runs = events_to_runs(events, sfreq, n_samples)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    spans = runs_to_events(runs, sfreq)
    return Annotation(spans, sfreq, n_samples)  # pyright: ignore[reportArgumentType]  # as above
