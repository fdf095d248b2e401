"""Fixtures of the plugin."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.marker import read_marker
from pytest_robustseiz.state import State, get_state

if TYPE_CHECKING:
    from pytest_robustseiz.curves import RobustnessCurve
    from pytest_robustseiz.handles import Judged, RobustnessCase, RobustnessExperiment
    from pytest_robustseiz.profiles import RobustnessProfile
    from pytest_robustseiz.trainedmodels import Train
    from pytest_robustseiz.visit import Model


@pytest.fixture(scope="session")
def robustseiz_device(request: pytest.FixtureRequest) -> str:
    """Device that this worker's detector belongs on, such as "cpu" or "cuda:1"."""
    return get_state(request.config).device()


@pytest.fixture(scope="session")
def robustseiz_adapter(request: pytest.FixtureRequest) -> "Model | None":
    """The model under test. Define a fixture of this name that returns an adapter, or use --robustseiz-adapter."""
    return get_state(request.config).named_adapter()


@pytest.fixture(scope="session")
def robustseiz_train() -> "Train | None":
    """Prediction, protocols 1 and 2: how a model is trained.

    Define a fixture of this name, with the scope "session", that returns a callable: it takes a `TrainingSet` and
    returns a predictor.
    """
    return None


@pytest.fixture(scope="session")
def robustseiz_training_subjects() -> Collection[str]:
    """Subjects that the detector was trained on; none of them may be evaluated.

    Define a fixture of this name that returns their names, or use --robustseiz-training-subjects.
    """
    return ()


@pytest.fixture
def _robustseiz_model(request: pytest.FixtureRequest, robustseiz_adapter: object, robustseiz_train: object) -> object:
    """What is tested: the adapter, or models that the run trains."""
    return get_state(request.config).model(request.node, robustseiz_adapter, robustseiz_train)


@pytest.fixture
def _robustseiz_state(
    request: pytest.FixtureRequest, robustseiz_training_subjects: Collection[str], _robustseiz_model: object
) -> State:
    """State of the run, for a test whose model has not been trained on the scope."""
    state = get_state(request.config)
    state.check_training(robustseiz_training_subjects, _robustseiz_model)
    return state


@pytest.fixture
def robustseiz_case(
    request: pytest.FixtureRequest, _robustseiz_state: State, _robustseiz_model: object
) -> "RobustnessCase":
    """One setting on one subject: scores, baseline, and check(). Parametrizes the test over shift x grid x subject."""
    subject, setting = request.param
    case = _robustseiz_state.case(subject.name, setting, _robustseiz_model, _marked(request))
    _note_figures(request, case)
    return case


@pytest.fixture
def robustseiz_experiment(
    request: pytest.FixtureRequest, _robustseiz_state: State, _robustseiz_model: object
) -> "RobustnessExperiment":
    """One setting over the whole scope: pooled scores, baseline, and check(). Parametrizes over shift x grid point."""
    experiment = _robustseiz_state.experiment(request.param, _robustseiz_model, _marked(request))
    _note_figures(request, experiment)
    return experiment


@pytest.fixture
def robustseiz_curve(
    request: pytest.FixtureRequest, _robustseiz_state: State, _robustseiz_model: object
) -> "RobustnessCurve":
    """One shift over its whole grid, pooled over the scope. Parametrizes the test over shifts."""
    return _robustseiz_state.curve(request.param, _robustseiz_model)


@pytest.fixture
def robustseiz_profile(
    request: pytest.FixtureRequest, _robustseiz_state: State, _robustseiz_model: object
) -> "RobustnessProfile":
    """Every shift of the test's grid over the whole scope, to compare with a snapshot."""
    return _robustseiz_state.profile(request.node, _robustseiz_model)


def _marked(request: pytest.FixtureRequest) -> dict[str, float]:
    """Limits of the test's marker."""
    return dict(read_marker(request.node.get_closest_marker("robustseiz"), request.node.nodeid).limits)


def _note_figures(request: pytest.FixtureRequest, judged: "Judged") -> None:
    """Put the main figures where JUnit and other reports find them."""
    for metric in judged.scores.task.noted:
        request.node.user_properties.append((metric, judged[metric]))
