"""`robustseiz grid`: the settings of a grid as a table."""

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_robustseiz.commands import Subparsers, add_command, add_grid_option, read_grid_option

if TYPE_CHECKING:
    from pytest_robustseiz.shifts import Shift

COLUMNS: tuple[str, ...] = ("setting", "shift", "family", "parameters", "models")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "grid",
        "Print the settings of a grid. The first column is the test id, which -k selects; "
        "thresholds write a setting as awgn[snr_db=0].",
        "  robustseiz grid\n  robustseiz grid --grid my_grid.toml --format markdown > GRID.md",
    )
    add_grid_option(parser)
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="how to print it (default: text)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    sys.stdout.write(FORMATS[args.format](read_grid_option(args)))
    return 0


def as_text(grid: "Sequence[Shift]") -> str:
    """Settings under a line for each shift."""
    blocks = []
    for shift, rows in groupby(table(grid), key=lambda row: f"{row['shift']} ({row['family']}): {row['models']}"):
        settings = [(row["setting"], row["parameters"]) for row in rows]
        width = max(len(label) for label, _ in settings)
        lines = [f"  {label:{width}}  {parameters}".rstrip() for label, parameters in settings]
        blocks.append("\n".join([shift, *lines]) + "\n")
    return "\n".join(blocks)


def as_markdown(grid: "Sequence[Shift]") -> str:
    """A table of Markdown."""
    lines = [" | ".join(COLUMNS), " | ".join("---" for _ in COLUMNS)]
    lines += [" | ".join(row[name].replace("|", r"\|") for name in COLUMNS) for row in table(grid)]
    return "".join(f"| {line} |\n" for line in lines)


def as_csv(grid: "Sequence[Shift]") -> str:
    """Comma-separated values."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table(grid))
    return text.getvalue()


FORMATS = {"text": as_text, "markdown": as_markdown, "csv": as_csv}


def table(grid: "Sequence[Shift]") -> list[dict[str, str]]:
    """One row for each setting, by the names of `COLUMNS`."""
    from pytest_robustseiz.shifttexts import given_params, models

    return [
        {
            "setting": setting.label,
            "shift": setting.name,
            "family": setting.family,
            "parameters": given_params(setting),
            "models": models(type(setting)),
        }
        for setting in grid
    ]
