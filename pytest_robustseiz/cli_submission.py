"""`robustseiz submission`: a SzPredict submission from a registry."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_robustseiz.commandfacts import add_facts_option, facts_of
from pytest_robustseiz.commands import CommandError, Subparsers, add_command

if TYPE_CHECKING:
    from pytest_robustseiz.submission_rows import Chosen


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "submission",
        "Write the SzPredict submission of a predictor, in JSON. The baseline's row gives the benchmark's figures, all "
        "other rows the ranges of the robustness block. What no run can know (parameters, hours of training, hardware, "
        "description) comes from the facts. The file is checked before it is written.",
        "  robustseiz submission prediction_results.csv --facts facts.toml --output submission.json",
    )
    parser.add_argument("registry", metavar="REGISTRY.csv", type=Path, help="registry of the prediction task")
    parser.add_argument("--adapter", metavar="NAME", help="which predictor (default: the only one)")
    parser.add_argument("--protocol", choices=("1", "2", "3", "4"), help="which protocol (default: the only one)")
    parser.add_argument(
        "--scope", metavar="N", type=int, help="which corpus, subjects and seed, by the list that is shown without it"
    )
    parser.add_argument(
        "--partial", action="store_true", help="write it though subjects of the protocol are missing; its notes say so"
    )
    add_facts_option(parser)
    parser.add_argument("--output", metavar="FILE.json", type=Path, help="file to write (default: standard output)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the file.

    Raises
    ------
    CommandError
        When the registry or the facts do not make a submission, or jsonschema is not installed; nothing is written.
    """
    from pytest_robustseiz.submission_check import submission_problems
    from pytest_robustseiz.submission_file import as_text, submission
    from pytest_robustseiz.submission_rows import ChoiceError, SubmissionError, choose, prediction_rows

    try:
        rows = prediction_rows(args.registry)
        chosen = choose(rows, adapter=args.adapter, protocol=args.protocol, scope=args.scope)
    except SubmissionError as error:
        raise CommandError(str(error), code=2 if isinstance(error, ChoiceError) else 1) from error
    _require_whole(chosen, partial=args.partial)
    document = submission(chosen, _described(args))
    try:
        problems = submission_problems(document)
    except ImportError as error:
        raise CommandError(str(error)) from error
    if problems:
        raise CommandError("\n  ".join(["the submission would be wrong, and is not written:", *problems]))
    _write(args.output, as_text(document))
    _say(chosen, args.output)
    return 0


def _require_whole(chosen: "Chosen", *, partial: bool) -> None:
    from pytest_robustseiz.submission_file import lacking_subjects
    from pytest_robustseiz.submission_patients import lacking_text

    names = lacking_subjects(chosen)
    if names and not partial:
        raise CommandError(
            f"{chosen.baseline.path} lacks {lacking_text(chosen.protocol, names)}; run on all of them, or give "
            "--partial, and the notes of the file say so"
        )


def _described(args: argparse.Namespace) -> dict[str, Any]:
    from pytest_robustseiz.cardfacts import FactsError
    from pytest_robustseiz.submission_facts import described

    try:
        return described(facts_of(args))
    except FactsError as error:
        raise CommandError(f"--facts: {error}", code=2) from error


def _write(path: Path | None, text: str) -> None:
    from pytest_robustseiz.store import write_atomically

    if path is None:
        sys.stdout.write(text)
        return
    try:
        write_atomically(path, text)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error


def _say(chosen: "Chosen", output: Path | None) -> None:
    """What was written, and what it lacks; on stderr, since the file may go to standard output."""
    from pytest_robustseiz.submission_file import remarks

    row, protocol = chosen.baseline, chosen.protocol
    said = [
        f"{output or 'standard output'}: {row['adapter']}, protocol {protocol.number} ({protocol.name}), "
        f"{row['subjects']} patients, {len(chosen.settings)} setting{'' if len(chosen.settings) == 1 else 's'}",
        *(f"left out: {line}" for line in chosen.left_out),
        *(f"in its notes: {line}" for line in remarks(chosen)),
    ]
    sys.stderr.write("".join(f"{line}\n" for line in said))
