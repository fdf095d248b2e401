"""Parameters of a shift: one type each, and messages that name the field."""

import functools
import math
from collections.abc import Callable
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def checked(owner: type, field: str, value: Any) -> Any:
    """Return the value as the field's type, so that 20, 20.0 and numpy's 20.0 are one setting.

    Parameters
    ----------
    owner : type
        Dataclass that declares the field as bool, int, float, str, a `Literal`, a tuple of any number of one of these,
        or one of these or None.
    field : str
        Name of the field.
    value : object
        What the author wrote; lists pass for tuples, since JSON and TOML have no tuples.

    Raises
    ------
    ValueError
        When the value is of another type, or is not finite.
    """
    return _converted(_hints(owner)[field], field, value)


def require(ok: bool, field: str, rule: str, value: Any) -> None:  # noqa: FBT001
    """Raise ValueError that names the field, the rule and the value, unless ok."""
    if not ok:
        raise ValueError(f"{field}: expected {rule}, got {value!r}")


@functools.cache
def _hints(owner: type) -> dict[str, Any]:
    return get_type_hints(owner)


def _converted(hint: Any, field: str, value: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return _one_of(get_args(hint), field, value)
    if get_origin(hint) is tuple:
        require(isinstance(value, (tuple, list)), field, "a tuple", value)
        return tuple(_converted(get_args(hint)[0], field, item) for item in value)
    if get_origin(hint) is Literal:
        require(value in get_args(hint), field, f"one of {', '.join(map(repr, get_args(hint)))}", value)
        return value
    convert = _CONVERTERS.get(hint)
    return value if convert is None else convert(field, value)


def _one_of(hints: tuple[Any, ...], field: str, value: Any) -> Any:
    """Return the value as it is where it is None or a word that may be, else as the one other type."""
    words = tuple(word for hint in hints if get_origin(hint) is Literal for word in get_args(hint))
    if (value is None and NoneType in hints) or (isinstance(value, str) and value in words):
        return value
    (other,) = (hint for hint in hints if hint is not NoneType and get_origin(hint) is not Literal)
    return _converted(other, field, value)


def _number(field: str, value: Any) -> float:
    ok = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    require(ok, field, "a finite number", value)
    return float(value)


def _whole(field: str, value: Any) -> int:
    require(not isinstance(value, bool) and isinstance(value, Integral), field, "a whole number", value)
    return int(value)


def _flag(field: str, value: Any) -> bool:
    require(isinstance(value, bool), field, "true or false", value)
    return bool(value)


def _text(field: str, value: Any) -> str:
    require(isinstance(value, str), field, "text", value)
    return str(value)


_CONVERTERS: dict[Any, Callable[[str, Any], Any]] = {float: _number, int: _whole, bool: _flag, str: _text}
