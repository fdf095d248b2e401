"""`robustseiz checklist`: a reproducibility checklist from a registry."""

import argparse

from pytest_robustseiz.commandfacts import add_document_options, chapters_for, facts_of, write_document
from pytest_robustseiz.commands import Subparsers, add_command


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "checklist",
        "Write the reproducibility checklist of a detector, in Markdown. What neither the registry nor the author "
        "says is marked missing.",
        "  robustseiz checklist experiments_results.csv --facts facts.toml --out CHECKLIST.md",
    )
    add_document_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the checklist, one for each corpus."""
    from pytest_robustseiz.card import corpus_name
    from pytest_robustseiz.checklist import checklist
    from pytest_robustseiz.documents import to_markdown

    facts, parts = facts_of(args), []
    for chapter in chapters_for(args):
        title = f"Reproducibility checklist: {chapter.first.text('adapter')} on {corpus_name(chapter)}"
        parts.append(to_markdown(title, checklist(chapter, facts, registry=str(args.registry))))
    write_document(args, "\n".join(parts))
    return 0
