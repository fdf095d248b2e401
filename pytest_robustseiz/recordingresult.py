"""What a setting came to on one recording."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_robustseiz.adapters import AttackOutcome
from pytest_robustseiz.agreement import AgreementStage
from pytest_robustseiz.change import InputChange
from pytest_robustseiz.scoring import ZERO, Counts


@dataclass(frozen=True, kw_only=True)
class RecordingResult:
    """One setting on one recording; of the parts that belong to the other task the defaults.

    Attributes
    ----------
    folder, stem : str
        Where the recording stands below the corpus, and its name without the ending.
    content : str
        SHA-256 of the recording's files.
    duration_s : float
        Length in seconds.
    start : str or None
        Start of the recording in ISO form.
    seizures : int
        Number of reference seizures.
    change : InputChange
        What the shift did to the input.
    figures : dict of str to float
        The shift's own figures.
    notes : tuple of str
        What reading the recording had to do or noticed.
    sample, event : Counts
        Detection: sample-based and event-based counts.
    delays : tuple of int
        Detection: onset delays of the true positives, in samples.
    hypothesis : tuple of (float, float)
        Detection: detected events in seconds.
    predicted : str
        Prediction: the class of each second, a digit each.
    outcome : AttackOutcome, optional
        What the attack achieved, where the setting is one.
    agreement : AgreementStage, optional
        Of the stochastic passes, where that stage ran.
    no_agreement : str
        Why it did not run though it was asked for.
    near_threshold : int
        Probabilities so close to the model's threshold that rounding may decide them.
    """

    folder: str
    stem: str
    content: str
    duration_s: float
    start: str | None
    seizures: int
    change: InputChange
    figures: dict[str, float]
    notes: tuple[str, ...]
    sample: Counts = ZERO
    event: Counts = ZERO
    delays: tuple[int, ...] = ()
    hypothesis: tuple[tuple[float, float], ...] = ()
    predicted: str = ""
    outcome: AttackOutcome | None = None
    agreement: AgreementStage | None = None
    no_agreement: str = ""
    near_threshold: int = 0

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "RecordingResult":
        """Read back what `dataclasses.asdict` and JSON made of one.

        Raises
        ------
        KeyError, TypeError
            When the values are something else.
        """
        outcome, agreement = values["outcome"], values["agreement"]
        return cls(
            **{
                **values,
                "sample": Counts(**values["sample"]),
                "event": Counts(**values["event"]),
                "change": InputChange(**values["change"]),
                "delays": tuple(values["delays"]),
                "hypothesis": tuple((start, stop) for start, stop in values["hypothesis"]),
                "notes": tuple(values["notes"]),
                "outcome": None if outcome is None else AttackOutcome(**outcome),
                "agreement": None if agreement is None else AgreementStage.from_values(agreement),
            }
        )
