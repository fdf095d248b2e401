"""The model that each subject is tested with, and who it is."""

from dataclasses import dataclass

from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.visit import Model


@dataclass(frozen=True)
class Identity:
    """A model as results know it.

    Attributes
    ----------
    name, fingerprint : str
        The fingerprint is empty where the model has none.
    key : str
        What stands for the model in the key of a case.
    """

    name: str
    fingerprint: str
    key: str


class GivenModel:
    """The author's adapter, which serves all subjects.

    Parameters
    ----------
    adapter : Adapter or PredictionAdapter
        The author's.
    number : int
        Tells adapters without a fingerprint apart within a process.

    Attributes
    ----------
    shared : Identity
        Who it is, for all subjects.
    """

    def __init__(self, adapter: Model, number: int) -> None:
        self._adapter = adapter
        fingerprint = adapter.fingerprint() or ""
        key = fingerprint or f"{adapter.name}, object {number} of this process"
        self.shared = Identity(adapter.name, fingerprint, f"{adapter.name} {key}")

    def identity(self, subject: str) -> Identity:
        """Who it is; the same for all subjects."""
        return self.shared

    def model(self, subject: str) -> Model:
        """The adapter."""
        return self._adapter

    def group(self, subject: str) -> Identity:
        """Under which name results of all subjects stand together."""
        return self.shared

    def known(self) -> Identity:
        """The same."""
        return self.shared

    def context(self, subject: str) -> tuple[RecordingFiles, ...]:
        """None: all recordings of a subject are tested."""
        return ()
