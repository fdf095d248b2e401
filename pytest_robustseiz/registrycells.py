"""Whether the cells of a registry hold what their columns are for."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pytest_robustseiz.rowcells import AGREEMENT, CORPUS_COLUMNS, OWN_AGREEMENT

Rule = tuple[str, Callable[[str], bool]]
"""What a cell must be, in words, and the test of it."""

CLOSE = 1e-9
ENDS = ("ci_low", "ci_high")
# Of either task. An empty cell says that a stage was off, or that there is no such figure.
MAY_BE_EMPTY = frozenset(
    {"T", "tau", "attack_outcome_json", "adapter_fingerprint", "training_subjects", "mcd_unavailable"}
    | {*AGREEMENT, *OWN_AGREEMENT, *CORPUS_COLUMNS}
)
TEXT = frozenset(
    {"experiment_name", "category", "shift", "data_dir", "output_dir", "adapter", "adapter_fingerprint"}
    | {"corpus_fingerprint", "scoring_preset", "mcd_unavailable", "package_version", *CORPUS_COLUMNS}
)
SHARES = frozenset(
    {name for name in AGREEMENT if name.endswith("_agreement")}
    | {"tau", "change_share", "mcd_disagreement", "mcd_entropy_bits", "mcd_calibration_error"}
)
WHOLE = frozenset(
    {name for name in OWN_AGREEMENT if name.endswith("_files")}
    | {"mcd_file_count", "subjects", "recordings", "seizures", "seed", "T", "training_subjects"}
)


@dataclass(frozen=True)
class Cells:
    """What the columns of a task's registry hold.

    Attributes
    ----------
    columns : tuple of str
        All, in order.
    may_be_empty, text, whole, shares : frozenset of str
        Which may hold nothing, and which hold text, counts, and numbers from 0 to 1. What is in none of these holds a
        number of at least 0.
    rules : mapping of str to Rule
        Columns with a rule of their own.
    """

    columns: tuple[str, ...]
    may_be_empty: frozenset[str]
    text: frozenset[str]
    whole: frozenset[str]
    shares: frozenset[str]
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def problems(self, cells: Mapping[str, str]) -> Iterator[str]:
        """A line for each cell that is empty or of another kind."""
        for name in self.columns:
            text = cells[name]
            if not text and name not in self.may_be_empty:
                yield f"{name} is empty"
            elif text:
                expected, check = self._rule(name)
                if not check(text):
                    yield f"{name} must be {expected}, got {text!r}"

    def _rule(self, name: str) -> Rule:
        if name in self.rules:
            return self.rules[name]
        if name == "timestamp_utc":
            return "a time such as 2026-01-02T03:04:05Z", _is_time
        if name == "mode":
            return one_of("full", "subset")
        if name.endswith("_json"):
            return "a JSON object", _is_object
        if name in self.text:
            return "text", bool
        if name in self.whole:
            return "a whole number of at least 0", lambda text: text.isascii() and text.isdecimal()
        return number(1.0) if name in self.shares else number(math.inf)


def one_of(*words: str) -> Rule:
    """One of some words."""
    return f"{', '.join(words[:-1])} or {words[-1]}", words.__contains__


def number(most: float) -> Rule:
    """A number from 0 up to a bound, or nan."""
    expected = "a number of at least 0, or nan" if math.isinf(most) else f"a number from 0 to {most:g}, or nan"
    return expected, lambda text: _is_number(text, most=most)


def alike(one: float, other: float) -> bool:
    """Whether two figures are the same, but for rounding; NaN is the same as NaN."""
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)


def _is_time(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return False
    return text.endswith("Z")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except json.JSONDecodeError:
        return False


def _is_number(text: str, *, most: float) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isnan(value) or (0 <= value <= most + CLOSE and math.isfinite(value))
