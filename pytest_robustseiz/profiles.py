"""Everything a run found out about one detector, and its text form for snapshots."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_robustseiz.curves import RobustnessCurve
from pytest_robustseiz.results import ExperimentResult, Scores
from pytest_robustseiz.tasks import DETECTION, PREDICTION

TOLERANCES: dict[str, float] = {**DETECTION.tolerances, **PREDICTION.tolerances}
Table = dict[str, dict[str, float]]


class RobustnessProfile:
    """All experiments of a detector over one scope.

    Attributes
    ----------
    baseline : ExperimentResult
        The unperturbed input.
    curves : dict of str to RobustnessCurve
        By name of the shift.
    """

    def __init__(self, baseline: ExperimentResult, curves: Mapping[str, RobustnessCurve]) -> None:
        self.baseline = baseline
        self.curves = dict(curves)

    def __getitem__(self, shift: str) -> RobustnessCurve:
        """One shift's curve."""
        return self.curves[shift]

    def table(self) -> Table:
        """Metrics by setting, the baseline first, each shift in order of severity; NaN where one is not defined."""
        experiments = [self.baseline, *(one for curve in self.curves.values() for one in curve.experiments)]
        return {experiment.setting.label: _chosen(experiment.scores) for experiment in experiments}

    def __repr__(self) -> str:
        """As a table, for assertion messages."""
        return to_text(self.table())


def to_text(table: Table) -> str:
    """Write a table as TOML: a line per cell, plain numbers, "n/a" for what is not defined.

    Each line names its setting, so that any tool's diff shows which cell changed.
    """
    sections = [
        "\n".join(f'"{label}".{name} = {_number(value)}' for name, value in metrics.items())
        for label, metrics in table.items()
    ]
    return "\n\n".join(sections) + "\n"


def from_text(text: str) -> Table:
    """Read back what `to_text` wrote.

    Raises
    ------
    ValueError
        When the text is not such a table.
    """
    document: dict[str, Any] = tomllib.loads(text)
    try:
        return {
            label: {name: math.nan if value == "n/a" else float(value) for name, value in metrics.items()}
            for label, metrics in document.items()
        }
    except (AttributeError, TypeError) as error:
        raise ValueError(f"not a robustness profile: {error}") from error


def differences(old: Table, new: Table) -> list[str]:
    """One line per cell that changed by more than its tolerance, per setting or metric that came or went.

    Parameters
    ----------
    old, new : dict of str to dict of str to float
        Metrics by setting.
    """
    lines = [f"{label}: gone" for label in old if label not in new]
    lines += [f"{label}: new" for label in new if label not in old]
    for label in new:
        if label in old:
            lines += _changed_cells(label, old[label], new[label])
    return lines


def _changed_cells(label: str, old: Mapping[str, float], new: Mapping[str, float]) -> Sequence[str]:
    names = [*new, *(name for name in old if name not in new)]
    return [
        f"{label} {name}: {_shown(old.get(name))} -> {_shown(new.get(name))}"
        for name in names
        if not _alike(old.get(name), new.get(name), TOLERANCES.get(name, 0.0))
    ]


def _alike(old: float | None, new: float | None, tolerance: float) -> bool:
    if old is None or new is None:
        return False
    if math.isnan(old) or math.isnan(new):
        return math.isnan(old) and math.isnan(new)
    # Eight digits are stored, so the last of them may be rounding.
    return abs(old - new) <= tolerance + 1e-7 * max(abs(old), abs(new))


def _chosen(scores: Scores) -> dict[str, float]:
    metrics = scores.metrics()
    return {name: float(metrics[name]) for name in scores.task.tolerances}


def _number(value: float) -> str:
    return '"n/a"' if math.isnan(value) else f"{value:.8g}"


def _shown(value: float | None) -> str:
    return "absent" if value is None else _number(value).strip('"')
