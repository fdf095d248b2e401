"""Tables of a page: accessible, sortable where scripts run, and readable where they do not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from pytest_robustseiz.figuretexts import number


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    html : str
        What is shown.
    sort : str
        What it is sorted by, where that is not what is shown.
    style : str
        Classes.
    title : str
        Shown on hover.
    """

    html: str
    sort: str = ""
    style: str = ""
    title: str = ""


def words(text: str, *, style: str = "") -> Cell:
    """A cell with text."""
    return Cell(escape(text), style=style)


def figure(value: float, *, digits: int = 3, style: str = "") -> Cell:
    """A cell with a number; "n/a" where it is not defined."""
    return Cell(number(value, digits), style=f"{style} n".strip())


def link(label: str, target: str) -> Cell:
    """A cell that leads to another place of the page."""
    return Cell(f'<a href="#{escape(target)}">{escape(label)}</a>')


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, sortable: bool = True, style: str = ""
) -> str:
    """A table whose first column names its rows.

    Parameters
    ----------
    caption : str
        What it shows.
    heads : sequence of str
        Column heads.
    rows : iterable of sequence of Cell
        As many cells as heads.
    sortable : bool
        Whether a script may add buttons that sort it.
    style : str
        Class of the table.
    """
    classes = " ".join(part for part in ("sortable" if sortable else "", style) if part)
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "\n".join(_row(row) for row in rows)
    content = (
        f"<table{f' class={classes!r}' if classes else ''}><caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    )
    return scrolling(content, caption)


def scrolling(content: str, label: str) -> str:
    """Something wide, which can be moved sideways on a narrow screen, by keyboard too."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">{content}</div>'


def _row(cells: Sequence[Cell]) -> str:
    head = f'<th scope="row"{_attributes(cells[0])}>{cells[0].html}</th>'
    return f"<tr>{head}{''.join(f'<td{_attributes(cell)}>{cell.html}</td>' for cell in cells[1:])}</tr>"


def _attributes(cell: Cell) -> str:
    given = {"class": cell.style, "data-v": cell.sort, "title": cell.title}
    return "".join(f' {name}="{escape(value)}"' for name, value in given.items() if value)


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of plain text; nothing where there is none."""
    return f"<p{f' class={style!r}' if style else ''}>{escape(text)}</p>" if text else ""


def bullets(items: Iterable[str]) -> str:
    """A list of plain text."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"
