"""`robustseiz compare`: detectors side by side, from their registries."""

import argparse
import csv
import io
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_robustseiz.commands import CommandError, Subparsers, add_command
from pytest_robustseiz.figuretexts import number

if TYPE_CHECKING:
    from pytest_robustseiz.leaderboard import Leaderboard, Standing
    from pytest_robustseiz.reportview import View


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "compare",
        "Rank detectors by what they retain of their event F1. Retained F1 is the mean over shifts of the mean over "
        "settings of F1 / baseline F1; intervals need the score files that the runs left in their output folders. "
        "Predictors are ranked by balanced accuracy in the same way, and need no files. All registries must be of one "
        "task.",
        "  robustseiz compare main.csv branch.csv\n"
        "  robustseiz compare eegwavenet.csv transformer.csv --format markdown > LEADERBOARD.md",
    )
    parser.add_argument("registries", metavar="REGISTRY.csv", type=Path, nargs="+", help="registries of the detectors")
    parser.add_argument("--format", choices=("text", "markdown", "csv"), default="text", help="default: text")
    parser.add_argument(
        "--anyway",
        action="store_true",
        help="compare over other corpora or scopes, and over the settings that all have where they differ",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table.

    Raises
    ------
    CommandError
        When a file is not a registry, or the detectors cannot be compared.
    """
    from pytest_robustseiz.leaderboard import rank_detectors
    from pytest_robustseiz.leaderboardrows import LeaderboardError, differences, read_detectors
    from pytest_robustseiz.registry import RegistryError

    try:
        detectors = read_detectors(args.registries)
        view = detectors[0].view
        unlike = differences(detectors)
        if unlike and not args.anyway:
            raise CommandError("not alike: " + "; ".join(unlike) + "; run them alike, or give --anyway")
        board = rank_detectors(detectors)
    except (LeaderboardError, RegistryError) as error:
        raise CommandError(str(error)) from error
    notes = [*board.notes, *(f"not alike: {line}" for line in unlike)]
    if args.format == "csv":  # the notes would be no rows
        sys.stdout.write(as_csv(board, view))
        sys.stderr.write("".join(f"{line}\n" for line in notes))
    else:
        table = as_table(board, view, markdown=args.format == "markdown")
        sys.stdout.write("\n".join([table, *(f"- {note}" for note in notes)]) + "\n")
    return 0


def as_csv(board: "Leaderboard", view: "View") -> str:
    """Plain numbers; empty where there is none."""
    text = io.StringIO()
    rows = [_cells(standing, view) for standing in board.standings]
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _cells(standing: "Standing", view: "View") -> dict[str, str]:
    board = view.board
    figures = {
        "rank": standing.rank,
        "rank_low": standing.rank_low,
        "rank_high": standing.rank_high,
        board.retained: standing.retained,
        f"{board.retained}_low": standing.low,
        f"{board.retained}_high": standing.high,
        **{name: standing.baseline[column] for column, (name, _) in board.baseline.items()},
        **{f"{board.retained}_{family}": value for family, value in standing.families.items()},
    }
    numbers = {name: "" if math.isnan(value) else f"{value:.10g}" for name, value in figures.items()}
    return {"detector": standing.detector, **numbers}


def as_table(board: "Leaderboard", view: "View", *, markdown: bool) -> str:
    """A table for people: two or three decimals, intervals in brackets."""
    families, baseline = list(board.standings[0].families), view.board.baseline
    heads = [column.title for _, column in baseline.values()]
    lines = [["rank", view.noun.lower(), f"retained {view.short}", *heads, *families]]
    for one in board.standings:
        rank = "n/a" if math.isnan(one.rank) else f"{one.rank:.0f}"
        between = "" if math.isnan(one.rank_low) else f" ({one.rank_low:.0f} to {one.rank_high:.0f})"
        ends = "" if math.isnan(one.low) else f" ({one.low:.3f} to {one.high:.3f})"
        figures = [number(one.baseline[name], digits=column.digits) for name, (_, column) in baseline.items()]
        figures += [number(one.families[family]) for family in families]
        name = " ".join(one.detector.split())  # one line, whatever the name holds
        lines.append([rank + between, name, number(one.retained) + ends, *figures])
    if markdown:
        lines = [[cell.replace("|", r"\|") for cell in line] for line in lines]
        lines.insert(1, ["---"] * len(lines[0]))
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    shown = ("  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in shown)
