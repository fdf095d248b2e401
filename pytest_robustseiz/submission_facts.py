"""What the author says of a model, for its submission: section [submission] of the facts."""

import math
from collections.abc import Mapping
from typing import Any

from pytest_robustseiz.cardfacts import FACTS, TABLE, Facts, FactsError, fact

SECTION = "submission"
REQUIRED = ("model_description", "model_params", "training_time_hours", "hardware")
UNKNOWN = "unknown"
# Facts of the model card that stand for those of the submission where the section has none.
_OF_THE_CARD = {
    "model_description": "description",
    "preprocessing": "preprocessing",
    "post_processing": "postprocessing",
}


def described(facts: Facts) -> dict[str, Any]:
    """Fields of a submission that only the author knows.

    Parameters
    ----------
    facts : mapping of str to mapping
        As `pytest_robustseiz.cardfacts.read_facts` gives them.

    Returns
    -------
    dict of str to object
        By field, in the order of the specification; without optional ones that were not given.

    Raises
    ------
    FactsError
        Naming all fields that are missing and where to give them, and all that are of the wrong kind.
    """
    given = _given(facts)
    missing = [name for name in REQUIRED if name not in given]
    problems = [problem for name, value in given.items() for problem in _problems(name, value)]
    if missing:
        problems.append(_missing_text(missing))
    if problems:
        raise FactsError("\n".join(problems))
    return {name: _value(name, given[name]) for name in FACTS[SECTION] if name in given}


def _given(facts: Facts) -> Mapping[str, object]:
    own = {name: value for name, value in facts.get(SECTION, {}).items() if value != ""}
    borrowed = {name: fact(facts, "model", of) for name, of in _OF_THE_CARD.items()}
    return {name: value for name, value in borrowed.items() if value is not None} | own


def _missing_text(missing: list[str]) -> str:
    lines = [f"  {name}: {FACTS[SECTION][name][0].lower()}{FACTS[SECTION][name][1:]}" for name in missing]
    return "\n".join(
        [
            f"no {', '.join(missing)}; give them in section [{SECTION}] of a file for --facts, or in "
            f"[{TABLE}.{SECTION}] of ./pyproject.toml (description in [model] stands for model_description; "
            f'training_time_hours may be "{UNKNOWN}"):',
            *lines,
        ]
    )


def _problems(name: str, value: object) -> list[str]:
    expected, is_right = {
        "model_params": ("a whole number of at least 0, such as 28_000_000", _is_whole(value)),
        "training_time_hours": (f'a number of hours of at least 0, or "{UNKNOWN}"', _is_hours(value)),
    }.get(name, ("text", isinstance(value, str) and bool(value.strip())))
    return [] if is_right else [f"{SECTION}.{name}: expected {expected}, got {value!r}"]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_hours(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value == UNKNOWN
    return value >= 0 and math.isfinite(value)


def _value(name: str, value: object) -> object:
    return None if name == "training_time_hours" and value == UNKNOWN else value
