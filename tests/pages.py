"""Reads a page of HTML strictly, for tests: every tag closed, and what is in its tables."""

from html.parser import HTMLParser

VOID = {"meta"}


class Page(HTMLParser):
    """What a test asks of a page.

    Attributes
    ----------
    ids, links : list of str
        In order.
    tables : dict of str to list of list of str
        Rows of each table by its caption, the head first; cells are their first line of text.
    drawings : list of str
        Alternative text of each drawing.
    tips : list of str
        What drawings show on hover.
    words : list of str
        All text.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.drawings: list[str] = []
        self.tips: list[str] = []
        self.words: list[str] = []
        self._caption = ""
        self._rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in {"href", "src"} and value]
        if given.get("role") == "img":
            self.drawings.append(given["aria-label"] or "")
        if tag == "table":
            self._rows, self._caption = [], ""
        if tag == "tr":
            self._rows.append([])
        if tag in {"th", "td"}:
            self._rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "table":
            self.tables[self._caption] = self._rows

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if "caption" in self.open:
            self._caption += data
        elif "small" not in self.open and ("td" in self.open or "th" in self.open):
            self._rows[-1][-1] += data
        if self.open[-1:] == ["title"] and "svg" in self.open:
            self.tips.append(data)

    def rows(self, caption: str) -> list[dict[str, str]]:
        """Rows of the table whose caption starts so, by column."""
        [head, *rows] = next(rows for name, rows in self.tables.items() if name.startswith(caption))
        return [dict(zip(head, row, strict=True)) for row in rows]

    def check_self_contained(self) -> None:
        """Fail when the page needs anything else, has a broken link, or something that only eyes can see."""
        assert len(self.ids) == len(set(self.ids))
        assert self.links
        assert all(link.startswith("#") and link[1:] in self.ids for link in self.links)
        assert not {"link", "img", "iframe"} & {tag for tag, _ in self.tags}
        assert all("scope" in given for tag, given in self.tags if tag == "th")
        assert all(given.get("aria-label") for tag, given in self.tags if tag == "svg" and given.get("role"))
