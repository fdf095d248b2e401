"""Figures as texts, "n/a" where one is not a number."""

import csv
import io
import math
from collections.abc import Mapping, Sequence


def number(value: float, digits: int = 3) -> str:
    """A number with so many digits behind the point."""
    return "n/a" if math.isnan(value) else f"{value:.{digits}f}"


def shown(value: float) -> str:
    """A number with four digits in all, for documents whose figures are of any size."""
    return "n/a" if math.isnan(value) else f"{value:.4g}"


def csv_table(rows: Sequence[Mapping[str, object]], names: Sequence[str] = ()) -> str:
    """Rows as CSV text with a header, one line each.

    Parameters
    ----------
    rows : sequence of mapping
        By column.
    names : sequence of str
        Columns in order, for a table that may have no row; without them those of the first row.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names or list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
