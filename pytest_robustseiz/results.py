"""What a case and an experiment came to: plain counts and delays, so that pooling is a sum."""

import dataclasses
import functools
import json
import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_robustseiz.adapters import AttackOutcome
from pytest_robustseiz.agreement import AgreementStage
from pytest_robustseiz.change import NO_CHANGE, InputChange
from pytest_robustseiz.scoring import (
    STRATA,
    ZERO,
    AgreementSummary,
    Counts,
    OnsetSummary,
    summarise_agreement,
    summarise_onsets,
)


@dataclass(frozen=True)
class RecordingResult:
    """One setting on one recording.

    Attributes
    ----------
    folder, stem : str
        Where the recording stands below the corpus, and its name without the ending.
    content : str
        SHA-256 of the recording's files.
    duration_s : float
        Length in seconds.
    start : str or None
        Start of the recording in ISO form.
    seizures : int
        Number of reference seizures.
    sample, event : Counts
        Sample-based and event-based counts.
    delays : tuple of int
        Onset delays of the true positives, in samples.
    hypothesis : tuple of (float, float)
        Detected events in seconds.
    change : InputChange
        What the shift did to the input.
    figures : dict of str to float
        The shift's own figures.
    notes : tuple of str
        What reading the recording had to do or noticed.
    outcome : AttackOutcome, optional
        What the attack achieved, where the setting is one.
    agreement : AgreementStage, optional
        Of the stochastic passes, where that stage ran.
    no_agreement : str
        Why it did not run though it was asked for.
    near_threshold : int
        Probabilities so close to the detector's threshold that rounding may decide them.
    """

    folder: str
    stem: str
    content: str
    duration_s: float
    start: str | None
    seizures: int
    sample: Counts
    event: Counts
    delays: tuple[int, ...]
    hypothesis: tuple[tuple[float, float], ...]
    change: InputChange
    figures: dict[str, float]
    notes: tuple[str, ...]
    outcome: AttackOutcome | None = None
    agreement: AgreementStage | None = None
    no_agreement: str = ""
    near_threshold: int = 0


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
    """Counts and delays of any set of recordings, and the figures that follow from them."""

    sample: Counts = ZERO
    event: Counts = ZERO
    delays: tuple[int, ...] = ()
    change: InputChange = NO_CHANGE
    seizures: int = 0
    outcome: AttackOutcome | None = None
    agreement: AgreementSummary | None = None

    @classmethod
    def pool(cls, recordings: Iterable[RecordingResult]) -> "Scores":
        """Sum over recordings; agreement is the mean over them."""
        found = list(recordings)
        outcomes = [recording.outcome for recording in found if recording.outcome is not None]
        rates = [recording.agreement.rates for recording in found if recording.agreement is not None]
        return cls(
            sum((recording.sample for recording in found), ZERO),
            sum((recording.event for recording in found), ZERO),
            tuple(delay for recording in found for delay in recording.delays),
            sum((recording.change for recording in found), NO_CHANGE),
            sum(recording.seizures for recording in found),
            functools.reduce(operator.add, outcomes) if outcomes else None,
            summarise_agreement(rates) if rates else None,
        )

    @cached_property
    def onsets(self) -> OnsetSummary:
        """Lead and Lag."""
        return summarise_onsets(self.delays)

    def metrics(self) -> dict[str, float]:
        """All figures by the names of the registry's columns; NaN where one is not defined."""
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


@dataclass(frozen=True)
class CaseResult:
    """One setting on one subject."""

    subject: str
    setting: SettingInfo
    recordings: tuple[RecordingResult, ...]

    @cached_property
    def scores(self) -> Scores:
        """Pooled over the subject's recordings."""
        return Scores.pool(self.recordings)

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
        recordings = tuple(_recording_from(value) for value in values["recordings"])
        return cls(values["subject"], SettingInfo(**values["setting"]), recordings)


@dataclass(frozen=True)
class ExperimentResult:
    """One setting over the whole scope."""

    setting: SettingInfo
    cases: tuple[CaseResult, ...]

    @cached_property
    def scores(self) -> Scores:
        """Pooled over all recordings of all subjects."""
        return Scores.pool(recording for case in self.cases for recording in case.recordings)

    def figures(self) -> dict[str, float]:
        """The shift's own figures, mean over the recordings that have them."""
        values: dict[str, list[float]] = {}
        for case in self.cases:
            for recording in case.recordings:
                for name, value in recording.figures.items():
                    values.setdefault(name, []).append(value)
        return {name: math.fsum(found) / len(found) for name, found in sorted(values.items())}


def _recording_from(values: Mapping[str, Any]) -> RecordingResult:
    outcome, agreement = values["outcome"], values["agreement"]
    return RecordingResult(
        **{
            **values,
            "sample": Counts(**values["sample"]),
            "event": Counts(**values["event"]),
            "change": InputChange(**values["change"]),
            "delays": tuple(values["delays"]),
            "hypothesis": tuple((start, stop) for start, stop in values["hypothesis"]),
            "notes": tuple(values["notes"]),
            "outcome": None if outcome is None else AttackOutcome(**outcome),
            "agreement": None if agreement is None else AgreementStage.from_values(agreement),
        }
    )
