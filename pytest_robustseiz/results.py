"""What a case and an experiment came to: plain counts and delays, so that pooling is a sum."""

import dataclasses
import functools
import json
import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_robustseiz.adapters import AttackOutcome
from pytest_robustseiz.change import NO_CHANGE, InputChange
from pytest_robustseiz.recordingresult import RecordingResult
from pytest_robustseiz.scoring import (
    STRATA,
    ZERO,
    AgreementSummary,
    Counts,
    OnsetSummary,
    PredictionCounts,
    prediction_metrics,
    summarise_agreement,
    summarise_onsets,
)
from pytest_robustseiz.tasks import DETECTION, PREDICTION, Task

__all__ = ["CaseResult", "ExperimentResult", "RecordingResult", "Scores", "SettingInfo", "counts_metrics"]


@dataclass(frozen=True)
class SettingInfo:
    """A setting as results name it.

    Attributes
    ----------
    label, shift, family : str
        Id, name of the shift and its family.
    params_json : str
        Parameters as sorted JSON.
    """

    label: str
    shift: str
    family: str
    params_json: str

    @property
    def params(self) -> dict[str, Any]:
        """Parameters by name."""
        params: dict[str, Any] = json.loads(self.params_json)
        return params


@dataclass(frozen=True)
class Scores:
    """Counts and delays of any set of recordings, and the figures that follow from them.

    Attributes
    ----------
    sample, event, delays
        Detection: see `RecordingResult`.
    change, outcome
        Sums over the recordings.
    seizures : int
        Number of reference seizures.
    duration_s : float
        Length of the recordings in seconds.
    agreement : AgreementSummary, optional
        Mean over the recordings.
    prediction : PredictionCounts, optional
        Prediction: sum over the subjects.
    """

    sample: Counts = ZERO
    event: Counts = ZERO
    delays: tuple[int, ...] = ()
    change: InputChange = NO_CHANGE
    seizures: int = 0
    outcome: AttackOutcome | None = None
    agreement: AgreementSummary | None = None
    duration_s: float = 0.0
    prediction: PredictionCounts | None = None

    @classmethod
    def pool(
        cls, recordings: Iterable[RecordingResult], predictions: Iterable[PredictionCounts | None] = ()
    ) -> "Scores":
        """Sum over recordings, and over the predictions of subjects; agreement is the mean over recordings."""
        found = list(recordings)
        outcomes = [recording.outcome for recording in found if recording.outcome is not None]
        rates = [recording.agreement.rates for recording in found if recording.agreement is not None]
        predicted = [counts for counts in predictions if counts is not None]
        return cls(
            sum((recording.sample for recording in found), ZERO),
            sum((recording.event for recording in found), ZERO),
            tuple(delay for recording in found for delay in recording.delays),
            sum((recording.change for recording in found), NO_CHANGE),
            sum(recording.seizures for recording in found),
            functools.reduce(operator.add, outcomes) if outcomes else None,
            summarise_agreement(rates) if rates else None,
            math.fsum(recording.duration_s for recording in found),
            functools.reduce(operator.add, predicted) if predicted else None,
        )

    @property
    def task(self) -> Task:
        """The task that was scored."""
        return DETECTION if self.prediction is None else PREDICTION

    @cached_property
    def onsets(self) -> OnsetSummary:
        """Lead and Lag."""
        return summarise_onsets(self.delays)

    def metrics(self) -> dict[str, float]:
        """All figures by the names of the registry's columns; NaN where one is not defined."""
        if self.prediction is not None:
            return _prediction_figures(self.prediction) | self._agreement()
        figures: dict[str, float] = {}
        for level, counts in (("sample", self.sample), ("event", self.event)):
            figures |= {f"{level}_{name}": value for name, value in counts_metrics(counts).items()}
        return figures | self._timing() | self._agreement()

    def _timing(self) -> dict[str, float]:
        onsets = self.onsets
        timing: dict[str, float] = {}
        for side in ("lead", "lag"):
            for statistic in ("mean", "median", "p90", "min", "max"):
                timing[f"{side}_{statistic}_steps"] = getattr(onsets, f"{side}_{statistic}")
        return timing | {"ontime_count": onsets.ontime_count, "onset_tp_count": onsets.tp_count}

    def _agreement(self) -> dict[str, float]:
        summary = self.agreement if self.agreement is not None else summarise_agreement([])
        figures: dict[str, float] = {f"mcd_{name}_agreement": getattr(summary, name) for name in STRATA}
        figures |= {f"mcd_{name}_files": summary.contributing[name] for name in STRATA[1:]}
        return figures | {
            "mcd_file_count": summary.files,
            "mcd_disagreement": summary.disagreement,
            "mcd_entropy_bits": summary.entropy_bits,
            "mcd_calibration_error": summary.calibration_error,
        }


def counts_metrics(counts: Counts) -> dict[str, float]:
    """The four figures of one level."""
    return {
        "sensitivity": counts.sensitivity,
        "precision": counts.precision,
        "f1": counts.f1,
        "fp_per_day": counts.fp_per_day,
    }


def _prediction_figures(counts: PredictionCounts) -> dict[str, float]:
    return prediction_metrics(counts) | {
        "lead_time_count": counts.lead_time.seizures,
        "degenerate": float(counts.scores.degenerate),
    }


@dataclass(frozen=True)
class CaseResult:
    """One setting on one subject.

    Attributes
    ----------
    subject : str
        Folder name.
    setting : SettingInfo
        The setting.
    recordings : tuple of RecordingResult
        In the corpus's order.
    prediction : PredictionCounts, optional
        Prediction: over all recordings, since a seizure's warning may come in the recording before it.
    labelling : str
        Prediction: how windows were labelled, across recordings or in each alone, and why.
    model : str
        Fingerprint of the model that the run trained for this subject; empty where one model serves all.
    """

    subject: str
    setting: SettingInfo
    recordings: tuple[RecordingResult, ...]
    prediction: PredictionCounts | None = None
    labelling: str = ""
    model: str = ""

    @cached_property
    def scores(self) -> Scores:
        """Pooled over the subject's recordings."""
        return Scores.pool(self.recordings, [self.prediction])

    def to_json(self) -> str:
        """As one line of JSON."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "CaseResult":
        """Read back what `to_json` wrote.

        Raises
        ------
        ValueError, KeyError, TypeError
            When the text is something else.
        """
        values = json.loads(text)
        recordings = tuple(RecordingResult.from_values(value) for value in values["recordings"])
        counts = values["prediction"]
        prediction = None if counts is None else PredictionCounts.from_values(counts)
        return cls(
            values["subject"],
            SettingInfo(**values["setting"]),
            recordings,
            prediction,
            values["labelling"],
            values["model"],
        )


@dataclass(frozen=True)
class ExperimentResult:
    """One setting over the whole scope."""

    setting: SettingInfo
    cases: tuple[CaseResult, ...]

    @cached_property
    def scores(self) -> Scores:
        """Pooled over all recordings of all subjects."""
        recordings = (recording for case in self.cases for recording in case.recordings)
        return Scores.pool(recordings, [case.prediction for case in self.cases])

    def figures(self) -> dict[str, float]:
        """The shift's own figures, mean over the recordings that have them."""
        values: dict[str, list[float]] = {}
        for case in self.cases:
            for recording in case.recordings:
                for name, value in recording.figures.items():
                    values.setdefault(name, []).append(value)
        return {name: math.fsum(found) / len(found) for name, found in sorted(values.items())}
