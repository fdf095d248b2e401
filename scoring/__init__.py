"""What a prediction is worth: accuracy, onset timing, agreement and pooling; labels and scores of the prediction task.

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
from pytest_robustseiz.scoring.prediction import PREDICTION_ZERO, LeadTime, PredictionCounts, prediction_counts
from pytest_robustseiz.scoring.prediction_chance import ChanceLevel, chance_level
from pytest_robustseiz.scoring.prediction_confusion import (
    DEGENERATE_SHARE,
    ClassAccuracy,
    Confusion,
    PredictionScores,
    prediction_scores,
)
from pytest_robustseiz.scoring.prediction_horizon import (
    HorizonSensitivity,
    horizon_chance,
    horizon_sensitivity,
    warning_onsets,
)
from pytest_robustseiz.scoring.prediction_labels import (
    CLASSES,
    EXCLUDED,
    ICTAL,
    INTERICTAL,
    POSTICTAL_S,
    PREICTAL,
    PREICTAL_S,
    SHORT_GAP_S,
    Stretch,
    SubjectLabels,
    WindowLabels,
    subject_labels,
    window_labels,
)
from pytest_robustseiz.scoring.prediction_summary import (
    PREDICTION_METRICS,
    PatientSummary,
    patient_summaries,
    patient_summary,
    prediction_metrics,
)
from pytest_robustseiz.scoring.prediction_time import WINDOW_S
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
    # prediction: labels
    "CLASSES",
    "INTERICTAL",
    "PREICTAL",
    "ICTAL",
    "EXCLUDED",
    "WINDOW_S",
    "PREICTAL_S",
    "POSTICTAL_S",
    "SHORT_GAP_S",
    "WindowLabels",
    "window_labels",
    "Stretch",
    "SubjectLabels",
    "subject_labels",
    # prediction: scores
    "Confusion",
    "ClassAccuracy",
    "PredictionScores",
    "prediction_scores",
    "DEGENERATE_SHARE",
    "LeadTime",
    "PredictionCounts",
    "PREDICTION_ZERO",
    "prediction_counts",
    "PREDICTION_METRICS",
    "prediction_metrics",
    "PatientSummary",
    "patient_summary",
    "patient_summaries",
    # prediction: chance, and horizons outside of the fixed protocol
    "ChanceLevel",
    "chance_level",
    "warning_onsets",
    "HorizonSensitivity",
    "horizon_sensitivity",
    "horizon_chance",
]
