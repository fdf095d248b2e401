"""What a case and an experiment came to: plain counts and delays, so that pooling is a sum."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_robustseiz.change import NO_CHANGE, InputChange
from pytest_robustseiz.scoring import ZERO, Counts, OnsetSummary, summarise_onsets


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

    @classmethod
    def pool(cls, recordings: Iterable[RecordingResult]) -> "Scores":
        """Sum over recordings."""
        sample, event, change, seizures = ZERO, ZERO, NO_CHANGE, 0
        delays: list[int] = []
        for recording in recordings:
            sample, event, change = sample + recording.sample, event + recording.event, change + recording.change
            delays.extend(recording.delays)
            seizures += recording.seizures
        return cls(sample, event, tuple(delays), change, seizures)

    @cached_property
    def onsets(self) -> OnsetSummary:
        """Lead and Lag."""
        return summarise_onsets(self.delays)

    def metrics(self) -> dict[str, float]:
        """All figures by the names of the registry's columns; NaN where one is not defined."""
        figures: dict[str, float] = {}
        for level, counts in (("sample", self.sample), ("event", self.event)):
            figures |= {f"{level}_{name}": value for name, value in counts_metrics(counts).items()}
        return figures | self._timing()

    def _timing(self) -> dict[str, float]:
        onsets = self.onsets
        timing: dict[str, float] = {}
        for side in ("lead", "lag"):
            for statistic in ("mean", "median", "p90", "min", "max"):
                timing[f"{side}_{statistic}_steps"] = getattr(onsets, f"{side}_{statistic}")
        return timing | {"ontime_count": onsets.ontime_count, "onset_tp_count": onsets.tp_count}


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
    return RecordingResult(
        **{
            **values,
            "sample": Counts(**values["sample"]),
            "event": Counts(**values["event"]),
            "change": InputChange(**values["change"]),
            "delays": tuple(values["delays"]),
            "hypothesis": tuple((start, stop) for start, stop in values["hypothesis"]),
            "notes": tuple(values["notes"]),
        }
    )
