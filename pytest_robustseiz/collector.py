"""Gathers what the tests came to, from the reports that reach the controller."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.messages import (
    CaseAsked,
    CaseDone,
    Message,
    NotMeaningful,
    PooledLimit,
    Remark,
    TrainedOn,
    from_json,
)

if TYPE_CHECKING:
    from pytest_robustseiz.results import CaseResult, ExperimentResult

# Where a report carries its messages: an attribute of ours travels with it from worker to controller.
ATTRIBUTE = "robustseiz_messages"


@dataclass(frozen=True, order=True)
class Detector:
    """A detector as rows name it."""

    name: str
    fingerprint: str


NOBODY = Detector("", "")


@dataclass(eq=False)  # pytest puts plugins into sets
class Collector:
    """What arrived so far; registered as a plugin of its own, in the controller only.

    Attributes
    ----------
    results : dict
        Detector to label to subject to result.
    asked : dict of str to None
        Labels in the order in which tests asked for them.
    problems : dict of (str, str, Detector) to str
        Label, subject and detector to why there is no result. An empty subject means the whole scope, and `NOBODY` any
        detector.
    not_applicable : dict of str to str
        Label to reason.
    lost : list of str
        Node ids of tests that took their worker with them.
    remarks : dict of str to None
        What detectors noted about a process, once each.
    limits : set of PooledLimit
        What tests judged pooled figures against.
    training : dict of Detector to set of str
        Subjects of the training, where the author named any.
    """

    results: "dict[Detector, dict[str, dict[str, CaseResult]]]" = field(default_factory=dict)
    asked: dict[str, None] = field(default_factory=dict)
    problems: dict[tuple[str, str, Detector], str] = field(default_factory=dict)
    not_applicable: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    remarks: dict[str, None] = field(default_factory=dict)
    limits: set[PooledLimit] = field(default_factory=set)
    training: dict[Detector, set[str]] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the messages of a report."""
        for line in getattr(report, ATTRIBUTE, ()):
            self._take(from_json(line))
        # A crashed worker's test is reported by xdist itself, with a phase that pytest does not have.
        if report.failed and report.when not in ("setup", "call", "teardown"):
            self.lost.append(report.nodeid)

    def _take(self, message: Message) -> None:
        if isinstance(message, Remark):
            self.remarks.setdefault(message.text)
        elif isinstance(message, NotMeaningful):
            self.not_applicable[message.label] = message.reason
        elif isinstance(message, PooledLimit):
            self.limits.add(message)
        elif isinstance(message, TrainedOn):
            own = self.training.setdefault(Detector(message.adapter, message.fingerprint), set())
            own.update(message.subjects.split())
        elif isinstance(message, CaseAsked):
            self.asked.setdefault(message.label)
            if message.problem:
                culprit = Detector(message.adapter, message.fingerprint)
                self.problems[message.label, message.subject, culprit] = message.problem
        else:
            self._keep(message)

    def _keep(self, message: CaseDone) -> None:
        from pytest_robustseiz.results import CaseResult

        result = CaseResult.from_json(message.result)
        detector = Detector(message.adapter, message.fingerprint)
        by_label = self.results.setdefault(detector, {})
        known = by_label.setdefault(result.setting.label, {}).setdefault(result.subject, result)
        if known != result:
            self.problems[result.setting.label, result.subject, detector] = (
                f"two different results of {detector.name}: give detectors different names, and seed what is random"
            )

    def experiments(self, subjects: Sequence[str]) -> "list[tuple[Detector, ExperimentResult]]":
        """Experiments that are complete over the scope and have no problem, in an order that no scheduling changes."""
        from pytest_robustseiz.results import ExperimentResult

        complete = []
        for detector in sorted(self.results):
            by_label = self.results[detector]
            for label in in_grid_order(by_label):
                if not self._reasons(label, detector) and set(subjects) <= set(by_label[label]):
                    cases = tuple(by_label[label][name] for name in subjects)
                    complete.append((detector, ExperimentResult(cases[0].setting, cases)))
        return complete

    def incomplete(self, subjects: Sequence[str]) -> list[str]:
        """One line per experiment that a test asked for and that makes no row, with the reason."""
        labels = [*self.asked, *(label for found in self.results.values() for label in found)]
        lines = []
        for label in in_grid_order(labels):
            if label in self.not_applicable:
                continue
            for detector in sorted(self.results) or [Detector("the detector", "")]:
                found = self.results.get(detector, {}).get(label, {})
                missing = [name for name in subjects if name not in found]
                reasons = self._reasons(label, detector)
                if missing or reasons:
                    lines.append(f"{label} of {detector.name}: {_why(missing, len(subjects), reasons)}")
        return lines

    def _reasons(self, label: str, detector: Detector) -> list[str]:
        """Problems of a detector under a setting, each once; all of them where no detector has any result."""
        own = (detector, NOBODY) if self.results else {culprit for _, _, culprit in self.problems}
        found = (text for (asked, _, culprit), text in self.problems.items() if asked == label and culprit in own)
        return list(dict.fromkeys(found))


def _why(missing: Sequence[str], scope: int, reasons: Sequence[str]) -> str:
    count = f"{len(missing)} of {scope} subjects have no result ({_shortened(missing)})" if missing else ""
    return "; ".join(part for part in [count, *reasons] if part)


def in_grid_order(labels: Iterable[str]) -> list[str]:
    """Labels without repeats: those of the default grid in its order, then the others by name, numbers by size."""
    from pytest_robustseiz.shifts import paper_grid

    rank = {setting.label: number for number, setting in enumerate(paper_grid())}
    return sorted(set(labels), key=lambda label: (rank.get(label, len(rank)), _by_size(label)))


def _by_size(label: str) -> list[tuple[str, float]]:
    """Words and numbers of a label by turns: -10 comes before -5, and 5 before 10."""
    parts = re.split(r"(?<=_)(-?\d+(?:\.\d+)?)", label)
    return [(word, float(number or 0)) for word, number in zip_longest(parts[::2], parts[1::2], fillvalue="")]


def _shortened(names: Sequence[str], *, most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def describe_problem(error: BaseException) -> str:
    """First line of an exception, with its type."""
    lines: Iterable[str] = str(error).splitlines()
    return f"{type(error).__name__}: {next(iter(lines), '')}"
