"""What the fixtures give to an author's test."""

from collections.abc import Callable, Mapping

import pytest

from pytest_robustseiz.gates import judge
from pytest_robustseiz.options import Gate
from pytest_robustseiz.paired import Paired
from pytest_robustseiz.results import CaseResult, ExperimentResult, Scores, SettingInfo

SFREQ = 256.0


class RobustnessError(AssertionError):
    """A detector lost more than its limits allow."""


class Judged:
    """Scores under one setting, beside those of the baseline.

    Attributes
    ----------
    setting : SettingInfo
        Label, shift, family and parameters.
    scores, baseline : Scores
        Counts, delays and what follows from them.
    limits : dict of str to float
        What `check` judges.
    """

    pooled = False

    def __init__(
        self, setting: SettingInfo, scores: Scores, baseline: Scores, limits: Mapping[str, float], where: str
    ) -> None:
        self.setting = setting
        self.scores = scores
        self.baseline = baseline
        self.limits = dict(limits)
        self._where = where

    def __getitem__(self, metric: str) -> float:
        """One figure by the name of its registry column, such as "event_f1"."""
        return self.scores.metrics()[metric]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.setting.label} on {self._where}>"

    def check(self) -> None:
        """Judge every limit of the marker and of `[tool.robustseiz.thresholds]`.

        Raises
        ------
        RobustnessError
            With one line per limit that was passed.
        pytest.UsageError
            When there is no limit to judge.
        pytest.skip.Exception
            When no limit has a meaning here: a subject without seizures, say, and limits that need them.
        """
        __tracebackhide__ = True
        if not self.limits:
            raise pytest.UsageError(
                "check() has no limit to judge; give one in the marker, such as "
                "@pytest.mark.robustseiz(max_f1_drop=0.1), or in [tool.robustseiz.thresholds] of pyproject.toml"
            )
        self._announce()
        verdict = judge(self.scores, self.baseline, self.limits, sfreq=SFREQ, pooled=self.pooled, paired=self._paired())
        if verdict.failures:
            lines = "\n".join(f"  {line}" for line in verdict.failures)
            raise RobustnessError(f"{self.setting.label} on {self._where}:\n{lines}")
        if not verdict.judged:
            lacking = " and no ".join(verdict.lacking)
            pytest.skip(f"no {lacking} in {self._where}: {', '.join(verdict.without_meaning)} cannot be judged")

    def _announce(self) -> None:
        """Say that the limits are judged, where more than this test wants to know."""

    def _paired(self) -> Paired | None:
        """Counts by subject, where there are several."""
        return None


class RobustnessCase(Judged):
    """One setting on one subject.

    Attributes
    ----------
    subject : str
        Folder name of the subject.
    result, baseline_result : CaseResult
        Recording by recording.
    """

    def __init__(self, result: CaseResult, baseline: CaseResult, limits: Mapping[str, float]) -> None:
        super().__init__(result.setting, result.scores, baseline.scores, limits, result.subject)
        self.subject = result.subject
        self.result = result
        self.baseline_result = baseline


class RobustnessExperiment(Judged):
    """One setting over all subjects of the run; scores come from summed counts.

    Attributes
    ----------
    result, baseline_result : ExperimentResult
        Subject by subject.
    """

    pooled = True

    def __init__(
        self,
        result: ExperimentResult,
        baseline: ExperimentResult,
        limits: Mapping[str, float],
        *,
        gate: Gate = "point",
        seed: int = 0,
        announce: Callable[[], None] | None = None,
    ) -> None:
        where = f"{len(result.cases)} subject{'s' if len(result.cases) > 1 else ''}"
        super().__init__(result.setting, result.scores, baseline.scores, limits, where)
        self.result = result
        self.baseline_result = baseline
        self._gate: Gate = gate
        self._seed = seed
        self._tell = announce

    def _announce(self) -> None:
        if self._tell is not None:
            self._tell()

    def _paired(self) -> Paired:
        return Paired.of(self.result, self.baseline_result, gate=self._gate, seed=self._seed)
