"""`robustseiz validate`: what is wrong with a registry or a corpus."""

import argparse
import sys
from pathlib import Path

from pytest_robustseiz.commands import CommandError, Subparsers, add_command, read_grid_option


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "validate",
        "Check a registry or a corpus. Prints a line for each problem and exits with 1 when there is one. Of a "
        "registry: columns, types, ranges, figures against counts. Of a BIDS-EEG corpus: every recording is read as a "
        "run would.",
        "  robustseiz validate experiments_results.csv --grid paper\n  robustseiz validate data/chbmit-bids",
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="a registry (file) or a corpus (folder)")
    parser.add_argument("--grid", metavar="NAME|FILE", help="also name the settings of this grid that a registry lacks")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the problems.

    Raises
    ------
    CommandError
        When there is no such path, or a grid is given for a corpus.
    """
    if not args.path.exists():
        raise CommandError(f"{args.path}: no such file or folder")
    if args.path.is_dir():
        if args.grid:
            raise CommandError("--grid: is for registries, and this is a folder", code=2)
        return _validate_corpus(args.path)
    return _validate_registry(args)


def _validate_registry(args: argparse.Namespace) -> int:
    from pytest_robustseiz.registrycheck import registry_problems

    grid = [setting.label for setting in read_grid_option(args)] if args.grid else []
    problems = registry_problems(args.path, grid=grid)
    return _report(problems, f"{args.path}: registry, {_number(problems)}")


def _validate_corpus(root: Path) -> int:
    from pytest_robustseiz.corpuscheck import check_corpus

    check = check_corpus(root, _say_progress)
    sys.stdout.write("".join(f"note: {note}\n" for note in check.notes))
    return _report(
        check.problems,
        f"{root}: {check.subjects} subjects, {check.recordings} recordings could be read, {check.hours:.2f} h, "
        f"{check.seizures} seizures, {_number(check.problems)}",
    )


def _report(problems: list[str], summary: str) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in [*problems, summary]))
    return 1 if problems else 0


def _number(problems: list[str]) -> str:
    return f"{len(problems)} problem{'' if len(problems) == 1 else 's'}"


def _say_progress(done: int, of: int) -> None:
    """A line on stderr at each tenth, so that a log stays short."""
    if done == of or done * 10 // of > (done - 1) * 10 // of:
        sys.stderr.write(f"read {done} of {of} recordings\n")
        sys.stderr.flush()
