"""What the robustness tests came to, from the reports that reach the controller."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_robustseiz.reportdata import Verdict

# Says of a report that its test asked for a result; it travels from worker to controller.
ATTRIBUTE = "robustseiz_test"
FIXTURES = frozenset({"robustseiz_case", "robustseiz_experiment", "robustseiz_curve", "robustseiz_profile"})
PHASES = ("setup", "call", "teardown")


def mark(item: pytest.Item, report: pytest.TestReport) -> None:
    """Mark the reports of robustness tests."""
    if FIXTURES & set(getattr(item, "fixturenames", ())):
        setattr(report, ATTRIBUTE, True)


@dataclass(eq=False)  # pytest puts plugins into sets
class Outcomes:
    """Outcomes so far; registered as a plugin of its own, in the controller only.

    Attributes
    ----------
    found : dict of str to (str, str)
        Node id to outcome ("passed", "failed", "skipped") and message.
    """

    found: dict[str, tuple[str, str]] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take an outcome; a failure of any phase is one of the test."""
        # The test of a crashed worker is reported by xdist itself, in a phase that pytest does not have.
        lost = report.failed and report.when not in PHASES
        if not (lost or getattr(report, ATTRIBUTE, False)):
            return
        if report.when == "setup":  # also of a test that is run again
            self.found[report.nodeid] = ("passed", "")
        if report.failed:
            self.found[report.nodeid] = ("failed", _message(report))
        elif report.skipped:
            self.found[report.nodeid] = ("skipped", "")

    def verdict(self) -> "Verdict":
        """All of them."""
        from pytest_robustseiz.reportdata import Failure, Verdict

        outcomes = [outcome for outcome, _ in self.found.values()]
        failures = [Failure(test, text) for test, (outcome, text) in sorted(self.found.items()) if outcome == "failed"]
        return Verdict(outcomes.count("passed"), outcomes.count("skipped"), tuple(failures))


def _message(report: pytest.TestReport) -> str:
    """What the test raised, without the traceback and the exception's module."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return re.sub(r"^(?:\w+\.)+(?=\w+: )", "", str(crash.message if crash is not None else report.longrepr))
