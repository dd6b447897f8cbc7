"""The tags and texts of a web page, in one pass: whatever the markup, no character is looked at over and over.

As the HTML standard has it, what is opened and never closed (a tag, a comment) hides what follows up to the next sign
of its end, and is never read again as something else; that is what makes the pass linear.
"""

from __future__ import annotations

import re
from html import unescape

#: The longest tag whose attributes are read; a longer one, such as a picture inside the page, is passed over.
TAG_LIMIT = 256 * 1024
#: Elements whose content is no markup.
_RAW = frozenset({"script", "style", "textarea", "iframe", "noembed", "noframes", "xmp"})
_NAME = re.compile(r"[A-Za-z][^\s/>]*+")
_ATTRIBUTE = re.compile(r"[\s/]*+(=?[^\s/>=]*+)(?:\s*+(=)\s*+)?")
_BARE = re.compile(r"[^\s>]*+")
#: A number that stands for no character and is too long to be one.
_LONG_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")
#: The longest beginning of a character's name that may go on in the next piece.
_REFERENCE = 40


class Tags:
    """Calls :meth:`open_tag`, :meth:`close_tag` and :meth:`add_text` as a page is fed in pieces."""

    def __init__(self) -> None:
        self._rest = ""
        self._until = ""
        self._raw = ""

    def open_tag(self, tag: str, attributes: dict[str, str]) -> None:
        """A tag opens; names are in small letters."""

    def close_tag(self, tag: str) -> None:
        """A tag closes."""

    def add_text(self, data: str) -> None:
        """Text, which may come in parts."""

    def read_piece(self, piece: str) -> None:
        """Read on."""
        self._read(self._rest + piece, last=False)

    def close(self) -> None:
        """Nothing comes any more; a tag that is not closed is none."""
        self._read(self._rest, last=True)
        self._rest = ""

    def _read(self, page: str, *, last: bool) -> None:
        position: int | None = 0
        while position is not None and position < len(page):
            self._rest = ""
            if self._until:
                position = self._skip(page, position)
            elif self._raw:
                position = self._read_raw_text(page, position, last=last)
            elif page[position] == "<":
                position = self._read_construct(page, position, last=last)
            else:
                position = self._read_plain_text(page, position, last=last)

    def _skip(self, page: str, position: int) -> int | None:
        """Pass over what hides the text; None where it goes on beyond what is there."""
        end = page.find(self._until, position)
        if end < 0:
            self._rest = page[max(position, len(page) - len(self._until) + 1) :]
            return None
        end += len(self._until)
        self._until = ""
        return end

    def _read_raw_text(self, page: str, position: int, *, last: bool) -> int | None:
        name = self._raw
        match = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(page, position)
        end = match.start() if match else len(page) if last else max(position, len(page) - len(name) - 3)
        if end > position:
            self.add_text(page[position:end])
        if match:
            self._raw = ""
            return end
        self._rest = page[end:]
        return None

    def _read_plain_text(self, page: str, position: int, *, last: bool) -> int | None:
        end = page.find("<", position)
        if end < 0:
            end = len(page)
            mark = page.rfind("&", max(position, end - _REFERENCE))
            if not last and mark >= 0 and ";" not in page[mark:]:
                end = mark
        if end > position:
            self.add_text(unescape(_LONG_NUMBER.sub("\ufffd", page[position:end])))
        if end < len(page) and page[end] != "<":
            self._rest = page[end:]
            return None
        return end

    def _read_construct(self, page: str, position: int, *, last: bool) -> int | None:
        """What begins with ``<`` at this place."""
        if len(page) - position < 4 and not last:
            self._rest = page[position:]
            return None
        if page.startswith("<!--", position):
            if page.startswith((">", "->"), position + 4):
                return page.index(">", position) + 1
            self._until = "-->"
            return position + 4
        begins = page[position + 1 : position + 2]
        if begins and begins in "!?":
            self._until = ">"
            return position + 2
        closing = begins == "/"
        name = _NAME.match(page, position + 1 + closing)
        if name is not None:
            return self._read_tag(page, position, name, closing=closing, last=last)
        if closing:
            self._until = ">"
            return position + 2
        self.add_text("<")
        return position + 1

    def _read_tag(self, page: str, position: int, name: re.Match[str], *, closing: bool, last: bool) -> int | None:
        attributes: dict[str, str] = {}
        end = _read_attributes(page, name.end(), position + TAG_LIMIT, attributes)
        if end < 0:
            if not last and len(page) - position <= TAG_LIMIT:
                self._rest = page[position:]
                return None
            self._until = ">"
            return name.end()
        tag = name[0].lower()
        if closing:
            self.close_tag(tag)
            return end
        self.open_tag(tag, attributes)
        if page[end - 2] == "/":
            self.close_tag(tag)
        elif tag in _RAW:
            self._raw = tag
        return end


def _read_attributes(page: str, position: int, limit: int, attributes: dict[str, str]) -> int:
    """Where the tag ends, behind its ``>``; -1 where it does not end within what is there, or before ``limit``."""
    limit = min(limit, len(page))
    while position < limit:
        match = _ATTRIBUTE.match(page, position)
        position = match.end() if match else limit
        if position >= limit or match is None:
            return -1
        value = ""
        if match[2]:
            quote = page[position]
            if quote in "\"'":
                end = page.find(quote, position + 1, limit)
                if end < 0:
                    return -1
                value, position = page[position + 1 : end], end + 1
            else:
                bare = _BARE.match(page, position)
                value, position = (bare[0], bare.end()) if bare else ("", position)
        if match[1]:
            attributes.setdefault(match[1].lower(), unescape(_LONG_NUMBER.sub("\ufffd", value)))
        if page.startswith(">", position) and position < limit:
            return position + 1
    return -1
