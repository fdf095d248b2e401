"""Figures of a predictor over subjects, each of whom counts the same."""

from collections.abc import Iterator

from pytest_robustseiz.protocols import PROTOCOLS
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.reporttables import figure, table, words

FIGURES = {
    "balanced_accuracy": "Balanced accuracy",
    "fpr_per_h": "False alarms/h",
    "miss_rate": "Miss rate",
}
HEADS = ("Figure", "Mean", "Standard deviation", "Median", "Hardest", "Easiest")


def over_subjects(chapter: Chapter) -> Iterator[str]:
    """The table of the page."""
    if chapter.baseline is None:
        return
    rows = []
    for name, title in FIGURES.items():
        numbers = [figure(chapter.baseline.value(column)) for column in number_columns(name)]
        rows.append([words(title), *numbers, *(words(text) for text in extremes(chapter.baseline, name))])
    yield table(caption(chapter.baseline), HEADS, rows, sortable=False)


def number_columns(name: str) -> tuple[str, ...]:
    """Columns of the mean, the standard deviation and the median of a figure."""
    return tuple(f"subject_{statistic}_{name}" for statistic in ("mean", "std", "median"))


def extremes(baseline: Entry, name: str) -> tuple[str, ...]:
    """The subjects with the worst and the best value of a figure."""
    return tuple(baseline.text(f"subject_{end}_{name}") or "none" for end in ("hardest", "easiest"))


def caption(baseline: Entry) -> str:
    """What the table shows, and whether the protocol asks for it."""
    protocol = PROTOCOLS.get(baseline.text("protocol"))
    asked = f", as protocol {protocol.number} reports it" if protocol is not None and protocol.trains else ""
    return f"Baseline over subjects, each of whom counts the same{asked}; of equals the first by name"
