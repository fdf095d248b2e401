"""What a worker tells the controller: lines of JSON, since a report carries plain values only."""

import dataclasses
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class CaseDone:
    """A case has a result.

    Attributes
    ----------
    adapter, fingerprint : str
        The detector; the fingerprint is empty where it has none.
    result : str
        A `CaseResult` as JSON.
    """

    adapter: str
    fingerprint: str
    result: str


@dataclass(frozen=True)
class CaseAsked:
    """A test asked for a setting, whatever came of it.

    Attributes
    ----------
    label : str
        Id of the setting.
    subject : str
        Folder name of the subject; empty for the whole scope.
    problem : str
        Why there is no result; empty where there is one.
    adapter, fingerprint : str
        The detector that the problem is of; empty where it is not known, as when the detector could not be built.
    """

    label: str
    subject: str
    problem: str
    adapter: str = ""
    fingerprint: str = ""


@dataclass(frozen=True)
class NotMeaningful:
    """A setting has no meaning for this corpus.

    Attributes
    ----------
    label : str
        Id of the setting.
    reason : str
        In a sentence.
    """

    label: str
    reason: str


@dataclass(frozen=True)
class Remark:
    """Something about a process that the run says once, such as memory that ran out.

    Attributes
    ----------
    text : str
        In a sentence.
    """

    text: str


@dataclass(frozen=True)
class TrainedOn:
    """The author named the subjects of the training, and none is in the scope.

    Attributes
    ----------
    adapter, fingerprint : str
        The detector.
    subjects : str
        Folder names, with a space between two.
    """

    adapter: str
    fingerprint: str
    subjects: str


@dataclass(frozen=True, order=True)
class PooledLimit:
    """A test judged a pooled figure against a limit.

    Attributes
    ----------
    adapter, fingerprint : str
        The detector.
    label : str
        Id of the setting.
    name : str
        Of the limit, such as "max_f1_drop".
    value : float
        The limit.
    """

    adapter: str
    fingerprint: str
    label: str
    name: str
    value: float

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.label} {self.name}={self.value:g}"


Message = CaseDone | CaseAsked | NotMeaningful | Remark | TrainedOn | PooledLimit
_KINDS = {kind.__name__: kind for kind in (CaseDone, CaseAsked, NotMeaningful, Remark, TrainedOn, PooledLimit)}


def to_json(message: Message) -> str:
    """One line."""
    return json.dumps({"kind": type(message).__name__, **dataclasses.asdict(message)})


def from_json(line: str) -> Message:
    """Read back what `to_json` wrote."""
    values = json.loads(line)
    message: Message = _KINDS[values.pop("kind")](**values)
    return message
