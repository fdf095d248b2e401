"""The fixture `robustseiz_grid`: a function of the author's that says which grid tests run."""

import inspect
from typing import Any

import pytest

from pytest_robustseiz.fixturedefs import definitions_of

NAME = "robustseiz_grid"
WHEN = "is called at collection"


def find_grid_fixture(node: pytest.Item) -> "pytest.FixtureDef[Any] | None":
    """The author's definition of `robustseiz_grid` that a test sees, or None.

    Parameters
    ----------
    node : pytest.Item
        The test.
    """
    # A grid decides how many items a test becomes, so it is needed at collection.
    definitions = definitions_of(NAME, node)
    return definitions[-1] if definitions else None


def fixture_value(definition: "pytest.FixtureDef[Any]", where: str) -> object:
    """Call the function of a fixture.

    Parameters
    ----------
    definition : pytest.FixtureDef
        The fixture.
    where : str
        For messages.

    Raises
    ------
    pytest.UsageError
        When it takes arguments, has params, or yields: at collection there is nothing to give or to tear down.
    """
    function = definition.func
    arguments = list(inspect.signature(function).parameters)
    if arguments:
        raise pytest.UsageError(f"{where} {WHEN} and can take no arguments, got {', '.join(arguments)}")
    if definition.params is not None:
        raise pytest.UsageError(f"{where} {WHEN} and can have no params; return one list with all settings")
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise pytest.UsageError(f"{where} {WHEN} and must return the grid, not yield or await it")
    return function()
