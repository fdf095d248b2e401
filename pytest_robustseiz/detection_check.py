"""What is wrong with a row of the detection task's registry."""

from collections.abc import Iterator

from pytest_robustseiz import registrycells
from pytest_robustseiz.registry import COLUMNS
from pytest_robustseiz.registrycells import ENDS, Cells, alike
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.scoring.accuracy import ratio

_LEVELS = ("sample", "event")
_RATIOS = ("sensitivity", "precision", "f1")

CELLS = Cells(
    columns=COLUMNS,
    may_be_empty=registrycells.MAY_BE_EMPTY | {name for name in COLUMNS if name.endswith(ENDS)},
    text=registrycells.TEXT | {"timescoring_version"},
    whole=registrycells.WHOLE
    | {f"{level}_{name}" for level in _LEVELS for name in ("tp", "fp", "reference")}
    | {"ontime_count", "onset_tp_count"},
    shares=registrycells.SHARES
    | {name for name in COLUMNS if name.removesuffix("_ci_low").removesuffix("_ci_high").endswith(_RATIOS)},
)


def contradictions(row: StoredRow) -> Iterator[str]:
    """Figures that do not follow from the row's own counts."""
    for level in _LEVELS:
        tp, fp, reference = (row.number(f"{level}_{name}") for name in ("tp", "fp", "reference"))
        if tp > reference:
            yield f"{level}_tp is {tp:g}, more than the {reference:g} of {level}_reference"
            continue
        expected = {
            "sensitivity": ratio(tp, reference),
            "precision": ratio(tp, tp + fp),
            "f1": ratio(2 * tp, tp + fp + reference),
            "fp_per_day": ratio(fp, row.number("hours") / 24),
        }
        for name, value in expected.items():
            stored = row.number(f"{level}_{name}")
            if not alike(stored, value):
                yield f"{level}_{name} is {stored:g}, but the row's counts give {value:g}"
