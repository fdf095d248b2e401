"""The shipped suite: run it with `pytest --pyargs pytest_robustseiz.suite`, no test of one's own written.

Limits come from `[tool.robustseiz.thresholds]` of the pyproject.toml in the folder where pytest runs. Settings without
a limit are computed and written to the registry, and judged by nothing.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_robustseiz.handles import RobustnessCase, RobustnessExperiment


def test_each_subject(robustseiz_case: "RobustnessCase") -> None:
    """Every setting runs on every subject; an error of the detector is an error here."""
    if not robustseiz_case.result.recordings:
        pytest.fail(f"{robustseiz_case.subject} has no recordings")


def test_pooled(robustseiz_experiment: "RobustnessExperiment") -> None:
    """Scores pooled over the scope keep their limits."""
    if not robustseiz_experiment.limits:
        pytest.skip(f"no limit for {robustseiz_experiment.setting.label} in [tool.robustseiz.thresholds]")
    robustseiz_experiment.check()
