"""`robustseiz report`: the report page from a registry."""

import argparse
import sys
from pathlib import Path

from pytest_robustseiz.commandfacts import add_facts_option, facts_of
from pytest_robustseiz.commands import CommandError, Subparsers, add_command


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "report",
        "Write the report page of a registry. Scores of a detector's subjects come from the output folders that its "
        "rows name, those of a predictor's from the rows; what is not there is said.",
        "  robustseiz report experiments_results.csv report.html",
    )
    parser.add_argument("registry", metavar="REGISTRY.csv", type=Path, help="registry to read")
    parser.add_argument("out", metavar="OUT.html", type=Path, help="page to write; an existing one is replaced")
    add_facts_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the page.

    Raises
    ------
    CommandError
        When the registry cannot be read, or the page not be written.
    """
    if args.out.suffix.lower() == ".csv":
        raise CommandError(
            f"OUT.html: {args.out} would be replaced by the page; name one registry, then a page such as report.html",
            code=2,
        )
    from pytest_robustseiz.registry import RegistryError
    from pytest_robustseiz.reportpage import render
    from pytest_robustseiz.reportregistry import registry_report

    try:
        report = registry_report(args.registry, facts=facts_of(args))
        args.out.write_text(render(report), encoding="utf-8")
    except RegistryError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{args.out}: {error.strerror or error}") from error
    for chapter in report.chapters:
        first = chapter.first
        sys.stdout.write(
            f"{args.out}: {first.text('adapter')} ({first.text('mode')}), {len(chapter.all)} experiments\n"
        )
        sys.stdout.writelines(f"  {line}\n" for line in chapter.absent)
    return 0
