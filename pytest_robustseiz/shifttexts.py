"""What a shift is, in words: taken from its docstrings."""

import inspect
import sys

from pytest_robustseiz.shifts import Shift

OURS = "pytest_robustseiz.shifts."


def models(shift: type[Shift]) -> str:
    """What a shift stands for, in one sentence, such as "Hum of the power line.".

    A shift of this package has a module of its own, whose docstring says it; for an author's own shift it is the first
    sentence of the class.

    Parameters
    ----------
    shift : type
        The shift.
    """
    source = sys.modules[shift.__module__] if shift.__module__.startswith(OURS) else shift
    return first_sentence(inspect.getdoc(source) or "")


def first_sentence(text: str) -> str:
    """First sentence of a text, on one line."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")
    return sentence + stop.strip()


def definition(shift: type[Shift]) -> list[str]:
    """What a shift does: the paragraphs of its docstring above the parameters."""
    text = (inspect.getdoc(shift) or "").partition("\nParameters\n")[0]
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]


def parameter_lines(shift: type[Shift]) -> list[str]:
    """The parameters of a shift with their units and ranges, as its docstring has them."""
    text = (inspect.getdoc(shift) or "").partition("\nParameters\n")[2]
    return text.partition("\n\n")[0].splitlines()[1:]


def given_params(setting: Shift) -> str:
    """Parameters of a setting that say something, as `low_hz=0.5, high_hz=40`."""
    return ", ".join(
        f"{name}={_value(value)}"
        for name, value in setting.params().items()
        if value is not None and value is not False
    )


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(map(_value, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
