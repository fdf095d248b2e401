"""What a prediction is worth: accuracy, onset timing, agreement and pooling.

Events are (start_s, stop_s) in seconds from the start of a recording. Nothing here reads files or knows of pytest.
"""

from pytest_robustseiz.scoring.accuracy import ZERO, Counts, event_counts, sample_counts
from pytest_robustseiz.scoring.agreement import (
    STRATA,
    AgreementRates,
    AgreementSummary,
    rate_agreement,
    summarise_agreement,
)
from pytest_robustseiz.scoring.events import (
    Interval,
    events_to_mask,
    events_to_runs,
    mask_to_events,
    merge_events,
    runs_to_events,
)
from pytest_robustseiz.scoring.onset import OnsetSummary, onset_delays, summarise_onsets
from pytest_robustseiz.scoring.pooling import METRICS, SubjectMean, pool, subject_means
from pytest_robustseiz.scoring.presets import OVERLAP, PRESETS, SZCORE, Preset

__all__ = [
    # events and masks
    "Interval",
    "merge_events",
    "mask_to_events",
    "events_to_mask",
    "events_to_runs",
    "runs_to_events",
    # accuracy
    "Counts",
    "ZERO",
    "sample_counts",
    "event_counts",
    "Preset",
    "SZCORE",
    "OVERLAP",
    "PRESETS",
    # onset timing
    "onset_delays",
    "OnsetSummary",
    "summarise_onsets",
    # agreement of stochastic passes
    "STRATA",
    "AgreementRates",
    "rate_agreement",
    "AgreementSummary",
    "summarise_agreement",
    # over subjects
    "METRICS",
    "pool",
    "SubjectMean",
    "subject_means",
]
