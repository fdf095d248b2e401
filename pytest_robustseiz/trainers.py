"""The author's callables that train, told apart by the fixture that each comes from."""

import hashlib
from dataclasses import dataclass
from typing import Any, cast

import pytest

from pytest_robustseiz.fixturedefs import definitions_of
from pytest_robustseiz.options import Settings
from pytest_robustseiz.protocols import Protocol
from pytest_robustseiz.scope import Scope
from pytest_robustseiz.store import ContentHashes
from pytest_robustseiz.trainedmodels import Train, TrainedModels
from pytest_robustseiz.workersession import WorkerSession

FIXTURE = "robustseiz_train"


@dataclass(frozen=True)
class Origin:
    """Where a callable comes from.

    Attributes
    ----------
    name : str
        The same in every worker: of the fixture, with the parameters that it depends on.
    lasts : bool
        Whether the fixture is one of the session, so that what it gives again is what it gave before.
    """

    name: str
    lasts: bool

    @classmethod
    def of(cls, node: pytest.Item) -> "Origin":
        """Where the callable of a test comes from."""
        own = definitions_of(FIXTURE, node)[-1]
        needed, waiting = set[str](), [FIXTURE]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += [argument for one in definitions_of(name, node) for argument in one.argnames]
        callspec: Any = getattr(node, "callspec", None)
        places = sorted((name, place) for name, place in getattr(callspec, "indices", {}).items() if name in needed)
        return cls(f"{own.baseid}::{own.func.__qualname__}{places}", own.scope == "session")


class Trainers:
    """Trained models of each callable.

    Parameters
    ----------
    settings : Settings
        Of a run by a protocol that trains.
    scope : Scope
        Whose recordings they are trained on and tested with.
    session : WorkerSession
        By which workers tell each other what they trained.
    """

    def __init__(self, settings: Settings, scope: Scope, session: WorkerSession) -> None:
        self._settings = settings
        self._scope = scope
        self._hashes = ContentHashes(settings.store)
        self._shared = session.folder(settings.store)
        self._known: dict[str, tuple[object, TrainedModels]] = {}

    def models(self, train: object, origin: Origin) -> TrainedModels:
        """Models that a callable trains.

        Parameters
        ----------
        train : object
            What the fixture gave.
        origin : Origin
            Where it comes from.

        Raises
        ------
        pytest.UsageError
            When it is not callable, or there is another one for each test.
        """
        protocol = self._settings.protocol
        if protocol is None or not callable(train):
            number = "" if protocol is None else protocol.number
            raise pytest.UsageError(
                f"--robustseiz-protocol={number} trains a model for each subject: define the fixture {FIXTURE}, which "
                "returns a callable that takes a training set and returns a predictor"
            )
        for known, models in self._known.values():
            if known is train:
                return models
        if origin.name in self._known and not origin.lasts:
            raise pytest.UsageError(
                f"fixture {FIXTURE} returned another callable than for an earlier test, so that each test would train "
                'all models again: give it scope="session"'
            )
        if origin.name not in self._known:
            self._known[origin.name] = (train, self._new(cast("Train", train), protocol, origin))
        return self._known[origin.name][1]

    def _new(self, train: Train, protocol: Protocol, origin: Origin) -> TrainedModels:
        name = hashlib.sha256(origin.name.encode()).hexdigest()[:16]
        return TrainedModels(
            train,
            protocol,
            self._scope.corpus,
            self._scope.subjects,
            hashes=self._hashes,
            shared=self._shared / name if self._shared else None,
        )
