"""Web pages as blocks: the text that a reader sees, under its headings. Read as a stream, broken markup and all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from retrieval.kg.readers.documents.plain import PART
from retrieval.kg.readers.documents.splitting import TextBlock
from retrieval.kg.readers.documents.tags import Tags

_BLOCK_NAMES = """
address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure
footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody tfoot thead tr
ul"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
#: What a person does not read, or what leads to other pages.
_UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "nav", "select", "textarea", "button"})
#: Elements that are not read, inside each other, beyond which no more are counted.
_UNREAD_DEPTH = 100
_SPACES = re.compile(r"\s+")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


class Page(Tags):
    """Collects blocks as markup is fed.

    Attributes:
        title: of the page, else its first heading.
        url: its canonical address, where it names one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.url = ""
        self._found: list[TextBlock] = []
        self._section: list[tuple[int, str]] = []
        self._text: list[str] = []
        self._size = 0
        self._unread: list[str] = []
        self._in_title = False

    def open_tag(self, tag: str, attributes: dict[str, str]) -> None:
        """A tag opens."""
        if tag == "link" and attributes.get("rel", "").lower() == "canonical":
            self.url = attributes.get("href") or self.url
        elif tag == "title" and not self._unread:
            self._in_title, self._text, self._size = True, [], 0
        elif tag in _UNREAD:
            if len(self._unread) < _UNREAD_DEPTH:
                self._unread.append(tag)
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._flush()
            # An element that is never closed would hide the rest of the page.
            if tag in ("main", "article", "h1"):
                self._unread.clear()
        elif tag == "br":
            self._add("\n")
        elif tag in ("td", "th") and self._text:
            self._add(" | ")

    def close_tag(self, tag: str) -> None:
        """A tag closes."""
        if tag == "title" and self._in_title:
            self.title, self._in_title, self._text = _normalize_spaces("".join(self._text)), False, []
            self._size = 0
        elif tag in self._unread:
            del self._unread[self._unread.index(tag) :]
        elif tag in _HEADINGS and not self._unread:
            self._close_heading(_HEADINGS[tag])
        elif tag in _BLOCKS:
            self._flush()

    def add_text(self, data: str) -> None:
        """Text between tags."""
        if not self._unread:
            self._add(_SPACES.sub(" ", data))

    def take_blocks(self) -> list[TextBlock]:
        """The blocks that were found since the last call."""
        blocks, self._found = self._found, []
        return blocks

    def take_last_blocks(self) -> list[TextBlock]:
        """The last blocks."""
        self.close()
        self._flush()
        return self.take_blocks()

    def _add(self, text: str) -> None:
        if self._unread:
            return
        if self._in_title and self._size > PART:
            return  # a title that never ends
        self._text.append(text)
        self._size += len(text)
        if self._size > PART and not self._in_title:
            self._flush()

    def _close_heading(self, level: int) -> None:
        title = _normalize_spaces("".join(self._text))
        self._text, self._size = [], 0
        if title:
            self.title = self.title or title
            self._section = [(depth, name) for depth, name in self._section if depth < level]
            self._section.append((level, title))

    def _flush(self) -> None:
        if self._in_title:
            return
        text = "\n".join(_normalize_spaces(part) for part in "".join(self._text).split("\n"))
        self._text, self._size = [], 0
        if text.strip():
            self._found.append(TextBlock(text.strip(), tuple(name for _, name in self._section)))


def _normalize_spaces(text: str) -> str:
    return " ".join(text.split())


def read_page_blocks(pieces: Iterable[str], page: Page) -> Iterator[TextBlock]:
    """The blocks of a page; ``page`` knows its title and address once they were read."""
    for piece in pieces:
        page.read_piece(piece)
        yield from page.take_blocks()
    yield from page.take_last_blocks()
