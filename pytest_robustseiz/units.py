"""Physical units of EEG channels."""

_MICROVOLTS = {"uv": 1.0, "\N{GREEK SMALL LETTER MU}v": 1.0, "mv": 1e3, "v": 1e6}


def microvolts_per_unit(unit: bytes) -> float:
    """Factor from a channel's unit to microvolts.

    Parameters
    ----------
    unit : bytes
        The unit as the file has it: uV (with u, or the micro sign in Latin-1 or UTF-8), mV or V, in any case.

    Returns
    -------
    float
        1, 1000 or 1000000.

    Raises
    ------
    ValueError
        For anything else; the message shows the bytes.
    """
    stripped = unit.strip(b" \0")
    factor = _MICROVOLTS.get(decode_unit(stripped).casefold())  # folds the micro sign to the Greek letter
    if factor is None:
        raise ValueError(f"unit {stripped!r} is none of uV, mV, V; correct the unit in the file")
    return factor


def decode_unit(unit: bytes) -> str:
    """Text of a unit in UTF-8, or else Latin-1."""
    try:
        return unit.decode("utf-8")
    except UnicodeDecodeError:
        return unit.decode("latin-1")
