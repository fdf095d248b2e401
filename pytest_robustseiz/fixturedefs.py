"""The one place where a private part of pytest is used: which fixtures of a name a test sees."""

from collections.abc import Sequence
from typing import Any

import pytest


def definitions_of(name: str, node: pytest.Item) -> "Sequence[pytest.FixtureDef[Any]]":
    """Definitions of a fixture that a test sees, by pytest's own rules of overriding; the last one counts.

    Parameters
    ----------
    name : str
        Of the fixture.
    node : pytest.Item
        The test.
    """
    # Pytest has no public way to a fixture before a test runs. This method has had this form since 8.1.
    return node.session._fixturemanager.getfixturedefs(name, node) or ()
