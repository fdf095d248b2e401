"""Small documents of headings, sentences and tables, as Markdown and as HTML. What nobody gave is marked as missing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from pytest_robustseiz.reporttables import Cell, paragraph, table

MISSING = "missing"
FIELDS = ("Field", "Value")


@dataclass(frozen=True)
class Block:
    """A section.

    Attributes
    ----------
    title : str
        Its heading.
    heads : tuple of str
        Of its table.
    rows : tuple of tuple of (str or None)
        Cells; None is something that nobody gave.
    text : str
        Sentences above the table.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    text: str = ""


def fields(title: str, values: Iterable[tuple[str, str | None]], *, text: str = "") -> Block:
    """A section of names and values."""
    return Block(title, FIELDS, tuple(values), text)


def to_markdown(title: str, blocks: Sequence[Block]) -> str:
    """The document as GitHub-flavoured Markdown."""
    parts = [f"# {escaped(title)}\n"]
    for block in blocks:
        text = f"{escaped(block.text)}\n\n" if block.text else ""
        parts.append(f"## {escaped(block.title)}\n\n{text}{markdown_table(block.heads, block.rows)}")
    return "\n".join(parts)


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """A table of Markdown."""
    lines = [[escaped(head) for head in heads], ["---"] * len(heads)]
    lines += [[f"**{MISSING}**" if cell is None else escaped(cell) for cell in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    for letter in "\\`*|":
        text = text.replace(letter, f"\\{letter}")
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").split())


def to_html(blocks: Sequence[Block]) -> str:
    """The document as sections of a page, with headings of the fourth level."""
    return "\n".join(f"<h4>{escape(block.title)}</h4>{paragraph(block.text)}{_html_table(block)}" for block in blocks)


def _html_table(block: Block) -> str:
    style = "wide" if block.heads == FIELDS else ""
    rows = [[_cell(cell, style) for cell in row] for row in block.rows]
    return table(block.title, block.heads, rows, sortable=False, style="quiet")


def _cell(text: str | None, style: str) -> Cell:
    return Cell(f'<strong class="missing">{MISSING}</strong>') if text is None else Cell(escape(text), style=style)
