"""Hooks of the plugin; each calls one method of `State`, which imports what a test needs when it needs it."""

from collections.abc import Generator
from typing import Any

import pytest

from pytest_robustseiz.marker import LINE
from pytest_robustseiz.optiontable import add_options
from pytest_robustseiz.state import KEY, State, get_state

pytest_plugins = ("pytest_robustseiz.fixtures",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare options and ini keys."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and resolve the options."""
    config.addinivalue_line("markers", LINE)
    config.stash[KEY] = State(config)
    config.stash[KEY].start()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what the run covers."""
    return get_state(config).header()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give robustness tests their items."""
    get_state(metafunc.config).parametrize(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the report carry what this process has to tell the controller."""
    report = yield
    get_state(item.config).attach(item, call, report)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist which session it is of."""
    get_state(node.config).shared.tell(node)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write outputs and registry, in the controller."""
    get_state(session.config).end(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show what came out."""
    get_state(config).summarise(terminalreporter)
