"""Onset timing: how early or late a seizure was noticed."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pytest_robustseiz.scoring.events import Interval
from pytest_robustseiz.scoring.library import EVENT_HZ, score_events
from pytest_robustseiz.scoring.presets import SZCORE, Preset


def onset_delays(
    reference: Iterable[Interval],
    hypothesis: Iterable[Interval],
    *,
    sfreq: float,
    n_samples: int,
    preset: Preset = SZCORE,
) -> tuple[int, ...]:
    """Delay of each detected reference event.

    Parameters
    ----------
    reference, hypothesis : iterable of (start_s, stop_s)
        Seconds, in any order; they may overlap, and are clipped to the recording and rounded to its samples.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.
    preset : Preset
        Its merging and tolerance apply; its splitting does not, since a piece of a long seizure has no onset.

    Returns
    -------
    tuple of int
        One delay in samples for each reference event that was detected, in the events' order: the onset of the
        earliest hypothesis event that overlaps its tolerance window, minus the reference onset. Negative when the
        hypothesis leads.

    Raises
    ------
    ValueError
        As `event_counts`.

    Notes
    -----
    Reference and hypothesis events are both merged first, so the onset of a hypothesis event may lie far before the
    window that it reaches into; onsets keep the signal's rate. The window runs from the onset less the start tolerance
    (inclusive) to the end plus the end tolerance (exclusive). Whether events overlap is decided as timescoring 0.0.7
    does it, on both rounded to 10 Hz, so without splitting there are as many delays as event-level true positives.
    With splitting one detected seizure has one delay but may have several true positives.
    """
    unsplit = replace(preset, split_s=None)
    score = score_events(reference, hypothesis, sfreq=sfreq, n_samples=n_samples, preset=unsplit)
    found = [event for event in score.hyp.events if _at_event_rate(event[1]) > _at_event_rate(event[0])]
    stops = np.array([_at_event_rate(stop_s) for _, stop_s in found], dtype=np.int64)
    delays: list[int] = []
    for start_s, stop_s in score.ref.events:
        opens = _at_event_rate(start_s - preset.tolerance_start_s)
        closes = _at_event_rate(stop_s + preset.tolerance_end_s)
        earliest = int(np.searchsorted(stops, opens, side="right"))
        if earliest < len(found) and max(opens, _at_event_rate(found[earliest][0])) < closes:
            delays.append(round((found[earliest][0] - start_s) * sfreq))
    return tuple(delays)


@dataclass(frozen=True, kw_only=True)
class OnsetSummary:
    """Lead and Lag of detected seizures, in samples; NaN where there are none.

    Parameters
    ----------
    lead_mean, lead_median, lead_p90, lead_min, lead_max : float
        Over the detections before the reference onset, as positive numbers.
    lag_mean, lag_median, lag_p90, lag_min, lag_max : float
        Over the detections after the reference onset.
    ontime_count : int
        Detections at the reference onset.
    tp_count : int
        Detected reference events in all.
    """

    lead_mean: float
    lead_median: float
    lead_p90: float
    lead_min: float
    lead_max: float
    lag_mean: float
    lag_median: float
    lag_p90: float
    lag_min: float
    lag_max: float
    ontime_count: int
    tp_count: int


def summarise_onsets(delays: Iterable[int]) -> OnsetSummary:
    """Summarise delays.

    Parameters
    ----------
    delays : iterable of int
        Samples, negative when the hypothesis leads; of any number of recordings at one rate.

    Returns
    -------
    OnsetSummary
        In samples. The 90th percentile interpolates linearly between the two nearest delays.
    """
    values = list(delays)
    lead = _statistics([-delay for delay in values if delay < 0])
    lag = _statistics([delay for delay in values if delay > 0])
    return OnsetSummary(
        **{f"lead_{name}": value for name, value in lead.items()},
        **{f"lag_{name}": value for name, value in lag.items()},
        ontime_count=values.count(0),
        tp_count=len(values),
    )


def _at_event_rate(time_s: float) -> int:
    return round(time_s * EVENT_HZ)


def _statistics(values: list[int]) -> dict[str, float]:
    if not values:
        return dict.fromkeys(("mean", "median", "p90", "min", "max"), math.nan)
    return {
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "p90": float(np.percentile(values, 90)),
        "min": float(min(values)),
        "max": float(max(values)),
    }
