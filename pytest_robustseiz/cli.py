"""The command `robustseiz`: one module for each subcommand, with `add_parser(subparsers)` and `run(args)`."""

import argparse
import os
import sys
from collections.abc import Sequence

from pytest_robustseiz import (
    __version__,
    cli_card,
    cli_checklist,
    cli_compare,
    cli_convert,
    cli_gallery,
    cli_grid,
    cli_merge,
    cli_report,
    cli_submission,
    cli_validate,
)
from pytest_robustseiz.commands import CommandError

# These import what is heavy when they run.
SUBCOMMANDS = (
    cli_convert, cli_grid, cli_gallery, cli_report, cli_card, cli_checklist, cli_compare, cli_merge,
    cli_submission, cli_validate,
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.

    Returns
    -------
    int
        0 when all went well, 1 when something could not be done, 2 for wrong arguments.
    """
    args = make_parser().parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except CommandError as error:
        sys.stderr.write(f"robustseiz {args.command}: error: {error}\n")
        return error.code
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left must not fail at exit
        return 1
    return code


def make_parser() -> argparse.ArgumentParser:
    """Parser with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="robustseiz", description="Tools beside the pytest plugin pytest-robustseiz.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"pytest-robustseiz {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in SUBCOMMANDS:
        module.add_parser(subparsers)
    return parser
