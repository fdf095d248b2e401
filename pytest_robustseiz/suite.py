"""The shipped suite: run it with `pytest --pyargs pytest_robustseiz.suite`, no test of one's own written.

Limits come from `[tool.robustseiz.thresholds]` of the pyproject.toml in the folder where pytest runs. Settings without
a limit are computed and written to the registry, and judged by nothing.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_robustseiz.handles import RobustnessCase, RobustnessExperiment


def test_each_subject(robustseiz_case: "RobustnessCase", record_property: Callable[[str, object], None]) -> None:
    """Every setting runs on every subject; an error of the detector is an error here. Figures go to JUnit reports."""
    for metric in ("event_sensitivity", "event_precision", "event_f1", "event_fp_per_day"):
        record_property(metric, robustseiz_case[metric])


def test_pooled(robustseiz_experiment: "RobustnessExperiment") -> None:
    """Scores pooled over the scope keep their limits."""
    if not robustseiz_experiment.limits:
        pytest.skip(f"no limit for {robustseiz_experiment.setting.label} in [tool.robustseiz.thresholds]")
    robustseiz_experiment.check()
