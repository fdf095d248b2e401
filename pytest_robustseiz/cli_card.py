"""`robustseiz card`: a model card from a registry."""

import argparse

from pytest_robustseiz.commandfacts import add_document_options, chapters_for, facts_of, write_document
from pytest_robustseiz.commands import Subparsers, add_command


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "card",
        "Write the model card of a detector, in Markdown. What neither the registry nor the author says is marked "
        "missing.",
        "  robustseiz card experiments_results.csv --facts facts.toml --out MODEL_CARD.md",
    )
    add_document_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the card."""
    from pytest_robustseiz.card import model_card
    from pytest_robustseiz.documents import to_markdown

    chapters = chapters_for(args)
    title = f"Model card: {chapters[0].first.text('adapter')}"
    write_document(args, to_markdown(title, model_card(chapters, facts_of(args))))
    return 0
