"""Fixtures of the plugin."""

from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.marker import read_marker
from pytest_robustseiz.state import get_state

if TYPE_CHECKING:
    from pytest_robustseiz.adapters import Adapter
    from pytest_robustseiz.curves import RobustnessCurve
    from pytest_robustseiz.handles import Judged, RobustnessCase, RobustnessExperiment
    from pytest_robustseiz.profiles import RobustnessProfile


@pytest.fixture(scope="session")
def robustseiz_device(request: pytest.FixtureRequest) -> str:
    """Device that this worker's detector belongs on, such as "cpu" or "cuda:1"."""
    return get_state(request.config).device()


@pytest.fixture(scope="session")
def robustseiz_adapter(request: pytest.FixtureRequest) -> "Adapter":
    """The detector under test. Define a fixture of this name that returns an adapter, or use --robustseiz-adapter."""
    return get_state(request.config).named_adapter()


@pytest.fixture
def robustseiz_case(request: pytest.FixtureRequest, robustseiz_adapter: "Adapter") -> "RobustnessCase":
    """One setting on one subject: scores, baseline, and check(). Parametrizes the test over shift x grid x subject."""
    subject, setting = request.param
    case = get_state(request.config).case(subject.name, setting, robustseiz_adapter, _marked(request))
    _note_figures(request, case)
    return case


@pytest.fixture
def robustseiz_experiment(request: pytest.FixtureRequest, robustseiz_adapter: "Adapter") -> "RobustnessExperiment":
    """One setting over the whole scope: pooled scores, baseline, and check(). Parametrizes over shift x grid point."""
    experiment = get_state(request.config).experiment(request.param, robustseiz_adapter, _marked(request))
    _note_figures(request, experiment)
    return experiment


@pytest.fixture
def robustseiz_curve(request: pytest.FixtureRequest, robustseiz_adapter: "Adapter") -> "RobustnessCurve":
    """One shift over its whole grid, pooled over the scope. Parametrizes the test over shifts."""
    return get_state(request.config).curve(request.param, robustseiz_adapter)


@pytest.fixture
def robustseiz_profile(request: pytest.FixtureRequest, robustseiz_adapter: "Adapter") -> "RobustnessProfile":
    """Every shift of the test's grid over the whole scope, to compare with a snapshot."""
    return get_state(request.config).profile(request.node, robustseiz_adapter)


def _marked(request: pytest.FixtureRequest) -> dict[str, float]:
    """Limits of the test's marker."""
    return dict(read_marker(request.node.get_closest_marker("robustseiz"), request.node.nodeid).limits)


def _note_figures(request: pytest.FixtureRequest, judged: "Judged") -> None:
    """Put the main figures where JUnit and other reports find them."""
    for metric in ("event_sensitivity", "event_precision", "event_f1", "event_fp_per_day"):
        request.node.user_properties.append((metric, judged[metric]))
