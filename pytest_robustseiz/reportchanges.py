"""Where two answers of a predictor about one recording differ."""

from itertools import groupby

from pytest_robustseiz.scoring import CLASSES, WINDOW_S, Interval


def warnings_of(predicted: str) -> list[Interval]:
    """Stretches with a warning, (start_s, stop_s).

    Parameters
    ----------
    predicted : str
        The class of each window, a digit each.
    """
    warned = _runs(["warning" if digit > "0" else "" for digit in predicted])
    return [(start, stop) for start, stop, said in warned if said]


def changed_windows(before: str, after: str) -> int:
    """Number of windows with another class."""
    return sum(one != other for one, other in zip(before, after, strict=True))


def change_of_interest(before: str, after: str) -> tuple[Interval, str]:
    """The longest stretch over which one class became another, and a sentence about it.

    Parameters
    ----------
    before, after : str
        The class of each window, a digit each; they differ somewhere.
    """
    pairs = [one + other if one != other else "" for one, other in zip(before, after, strict=True)]
    start, stop, pair = max((run for run in _runs(pairs) if run[2]), key=lambda run: run[1] - run[0])
    one, other = (CLASSES[int(digit)] for digit in pair)
    sentence = f"from {start:.0f} s on, for {stop - start:.0f} s, {one} before the shift and {other} after it"
    return (start, stop), sentence


def _runs(values: list[str]) -> list[tuple[float, float, str]]:
    """Maximal runs of equal values: start and stop in seconds, and the value."""
    runs, place = [], 0
    for value, members in groupby(values):
        length = len(list(members))
        runs.append((place * WINDOW_S, (place + length) * WINDOW_S, value))
        place += length
    return runs
