"""What a report shows, wherever it comes from: a run that has just ended, or a registry."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_robustseiz.subjectcounts import SubjectScore

BASELINE = "baseline"
SFREQ = 256.0


@dataclass(frozen=True)
class Entry:
    """One experiment.

    Attributes
    ----------
    row : mapping of str to object
        The registry row by column; cells may be numbers, or text as a file has them.
    subjects : mapping of str to Counts or PredictedSubject
        What was counted, by subject; empty where it is not known.
    delays : tuple of int, optional
        Onset delays in samples; None where they are not known, and for predictions.
    """

    row: Mapping[str, object]
    subjects: Mapping[str, SubjectScore] = field(default_factory=dict)
    delays: tuple[int, ...] | None = None

    @property
    def label(self) -> str:
        """Id of the setting."""
        return self.text("experiment_name")

    @property
    def shift(self) -> str:
        """Name of the shift."""
        return self.text("shift")

    @property
    def family(self) -> str:
        """Family of the shift."""
        return self.text("category")

    @property
    def params(self) -> dict[str, Any]:
        """Parameters by name."""
        params: dict[str, Any] = json.loads(self.text("params_json") or "{}")
        return params

    def text(self, column: str) -> str:
        """A cell as text; empty where there is none."""
        value = self.row.get(column)
        return "" if value is None else str(value)

    def value(self, column: str) -> float:
        """A cell as a number; NaN where there is none."""
        if column == "event_accuracy":  # tp / (tp + fp + fn), which a registry has as counts
            return self._accuracy()
        text = self.text(column)
        return float(text) if text else math.nan

    def _accuracy(self) -> float:
        found, false, reference = (self.value(f"event_{name}") for name in ("tp", "fp", "reference"))
        return found / (false + reference) if false + reference else math.nan


@dataclass(frozen=True)
class Failure:
    """A check that failed.

    Attributes
    ----------
    test : str
        Node id.
    message : str
        What it said.
    """

    test: str
    message: str


@dataclass(frozen=True)
class Verdict:
    """What the robustness tests of a run came to.

    Attributes
    ----------
    passed, skipped : int
        Number of tests.
    failures : tuple of Failure
        Tests that failed, could not run or took their worker with them.
    """

    passed: int
    skipped: int
    failures: tuple[Failure, ...]

    @property
    def sentence(self) -> str:
        """In words."""
        failed = len(self.failures)
        ran = failed + self.passed
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        if not ran:
            return f"NO CHECK RAN{skipped}"
        head = f"FAILED: {failed} of {ran} checks failed" if failed else f"PASSED: all {ran} checks passed"
        return f"{head}{skipped}"


@dataclass(frozen=True)
class Chapter:
    """One detector on one corpus.

    Attributes
    ----------
    baseline : Entry or None
        The unperturbed input.
    entries : tuple of Entry
        The settings in the order of the grid, without the baseline.
    absent : tuple of str
        What was not done, and why, one sentence each.
    notes : tuple of str
        What else a reader should know.
    pictures : tuple of str
        EEG of the worst cases, as HTML.
    environment : mapping of str to str
        Versions and machine of the run, where they are known.
    """

    baseline: Entry | None
    entries: tuple[Entry, ...]
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Entry, ...]:
        """The baseline, where there is one, and the settings."""
        return self.entries if self.baseline is None else (self.baseline, *self.entries)

    @property
    def first(self) -> Entry:
        """Any entry: what all of them share can be read from it."""
        return self.all[0]

    def by_shift(self) -> dict[str, list[Entry]]:
        """The settings by shift, in order of severity."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.shift, []).append(entry)
        return found

    @property
    def has_agreement(self) -> bool:
        """Whether the agreement stage ran."""
        return any(not math.isnan(entry.value("mcd_mean_agreement")) for entry in self.all)


@dataclass(frozen=True)
class Report:
    """All of it.

    Attributes
    ----------
    source : str
        Where it comes from, in words.
    verdict : Verdict or None
        None where no test ran, as in a report from a registry.
    chapters : tuple of Chapter
        One for each detector and corpus.
    absent : tuple of str
        What was not done, for detectors of which nothing is known.
    registry : str
        Path of the registry.
    facts : mapping of str to mapping of str to object
        What the author says of the detector; see `pytest_robustseiz.cardfacts`.
    """

    source: str
    verdict: Verdict | None
    chapters: tuple[Chapter, ...]
    absent: tuple[str, ...] = ()
    registry: str = ""
    facts: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
