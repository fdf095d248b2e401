"""`robustseiz validate`: what is wrong with a registry, a submission or a corpus."""

import argparse
import sys
from pathlib import Path

from pytest_robustseiz.commands import CommandError, Subparsers, add_command, read_grid_option


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "validate",
        "Check a registry, a submission or a corpus. Prints a line for each problem and exits with 1 when there is "
        "one. Of a registry of either task: columns, types, ranges, figures against counts. Of a SzPredict submission "
        "(FILE.json): its schema, figures against counts, patients against the whole. Of a BIDS-EEG corpus: every "
        "recording is read as a run would.",
        "  robustseiz validate experiments_results.csv --grid paper\n  robustseiz validate submission.json\n"
        "  robustseiz validate data/chbmit-bids",
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="registry, submission (*.json) or corpus (folder)")
    parser.add_argument("--grid", metavar="NAME|FILE", help="also name the settings of this grid that a registry lacks")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the problems.

    Raises
    ------
    CommandError
        When there is no such path, a grid is given for something that has none, or jsonschema is not installed.
    """
    if not args.path.exists():
        raise CommandError(f"{args.path}: no such file or folder")
    is_submission = args.path.suffix.lower() == ".json"
    if args.grid and (args.path.is_dir() or is_submission):
        what = "folder" if args.path.is_dir() else "submission"
        raise CommandError(f"--grid: is for registries, and this is a {what}", code=2)
    if args.path.is_dir():
        return _validate_corpus(args.path)
    return _validate_submission(args.path) if is_submission else _validate_registry(args)


def _validate_registry(args: argparse.Namespace) -> int:
    from pytest_robustseiz.registrycheck import registry_problems

    grid = [setting.label for setting in read_grid_option(args)] if args.grid else []
    problems = registry_problems(args.path, grid=grid)
    return _report(problems, f"{args.path}: registry, {_number(problems)}")


def _validate_submission(path: Path) -> int:
    from pytest_robustseiz.submission_check import file_problems

    try:
        problems = file_problems(path)
    except ImportError as error:
        raise CommandError(str(error)) from error
    return _report(problems, f"{path}: submission, {_number(problems)}")


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
