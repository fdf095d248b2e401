"""What the subcommands of `robustseiz` share."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pytest_robustseiz.shifts import Shift

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class CommandError(Exception):
    """A user's mistake, or something that could not be done; shown as one line, without a traceback.

    Parameters
    ----------
    message : str
        What is wrong and how to mend it.
    code : int
        Exit status: 2 for wrong arguments, 1 for anything else.
    """

    def __init__(self, message: str, *, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def add_command(subparsers: Subparsers, name: str, text: str, example: str) -> argparse.ArgumentParser:
    """Add a subcommand whose help ends with an example.

    Parameters
    ----------
    subparsers : argparse action
        Of the main parser.
    name : str
        The subcommand.
    text : str
        What it does: one sentence, then more.
    example : str
        Command lines.
    """
    return subparsers.add_parser(
        name,
        help=text.partition(". ")[0].rstrip("."),
        description=text,
        epilog=f"example:\n{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_grid_option(parser: argparse.ArgumentParser) -> None:
    """Add --grid."""
    parser.add_argument(
        "--grid", metavar="NAME|FILE", default="paper", help="paper, smoke or a TOML file (default: paper)"
    )


def read_grid_option(args: argparse.Namespace) -> "tuple[Shift, ...]":
    """Settings of --grid.

    Raises
    ------
    CommandError
        When there is no such grid, or its file is wrong.
    """
    from pytest_robustseiz.gridfiles import GridError, as_grid

    try:
        return as_grid(args.grid, Path())
    except GridError as error:
        raise CommandError(f"--grid: {error}", code=2) from error
