"""A session of pytest-xdist: what its controller and its workers share, and no other session."""

import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

KEY = "robustseiz_session"


class WorkerSession:
    """One process of a session.

    The id of a run that pytest-xdist knows can be set from outside, and then be that of an earlier session.

    Parameters
    ----------
    config : pytest.Config
        Of the process.

    Attributes
    ----------
    worker : str or None
        Name of this worker, such as "gw3"; None in the controller, and where there is one process.
    """

    def __init__(self, config: pytest.Config) -> None:
        given: dict[str, Any] = getattr(config, "workerinput", {})
        self.worker: str | None = given.get("workerid")
        self._name: str = given.get(KEY) or uuid4().hex

    def tell(self, node: Any) -> None:
        """Tell a worker, before it starts, which session it is of; `node` is how pytest-xdist sees it."""
        node.workerinput[KEY] = self._name

    def folder(self, store: Path) -> Path | None:
        """Where workers tell each other what they trained; None where there is one process."""
        return self._folder(store) if self.worker else None

    def clear(self, store: Path) -> None:
        """Remove that folder; for the controller, at the end."""
        shutil.rmtree(self._folder(store), ignore_errors=True)

    def _folder(self, store: Path) -> Path:
        return store / "trained" / self._name
