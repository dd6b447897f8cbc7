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
    """Calls :meth:`start`, :meth:`end` and :meth:`text` as a page is fed in pieces."""

    def __init__(self) -> None:
        self._rest = ""
        self._until = ""
        self._raw = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A tag opens; names are in small letters."""

    def end(self, tag: str) -> None:
        """A tag closes."""

    def text(self, data: str) -> None:
        """Text, which may come in parts."""

    def feed(self, piece: str) -> None:
        """Read on."""
        self._read(self._rest + piece, last=False)

    def close(self) -> None:
        """Nothing comes any more; a tag that is not closed is none."""
        self._read(self._rest, last=True)
        self._rest = ""

    def _read(self, page: str, *, last: bool) -> None:
        at: int | None = 0
        while at is not None and at < len(page):
            self._rest = ""
            if self._until:
                at = self._skip(page, at)
            elif self._raw:
                at = self._raw_text(page, at, last=last)
            elif page[at] == "<":
                at = self._construct(page, at, last=last)
            else:
                at = self._plain_text(page, at, last=last)

    def _skip(self, page: str, at: int) -> int | None:
        """Pass over what hides the text; None where it goes on beyond what is there."""
        found = page.find(self._until, at)
        if found < 0:
            self._rest = page[max(at, len(page) - len(self._until) + 1) :]
            return None
        found += len(self._until)
        self._until = ""
        return found

    def _raw_text(self, page: str, at: int, *, last: bool) -> int | None:
        name = self._raw
        found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(page, at)
        end = found.start() if found else len(page) if last else max(at, len(page) - len(name) - 3)
        if end > at:
            self.text(page[at:end])
        if found:
            self._raw = ""
            return end
        self._rest = page[end:]
        return None

    def _plain_text(self, page: str, at: int, *, last: bool) -> int | None:
        end = page.find("<", at)
        if end < 0:
            end = len(page)
            mark = page.rfind("&", max(at, end - _REFERENCE))
            if not last and mark >= 0 and ";" not in page[mark:]:
                end = mark
        if end > at:
            self.text(unescape(_LONG_NUMBER.sub("\ufffd", page[at:end])))
        if end < len(page) and page[end] != "<":
            self._rest = page[end:]
            return None
        return end

    def _construct(self, page: str, at: int, *, last: bool) -> int | None:
        """What begins with ``<`` at this place."""
        if len(page) - at < 4 and not last:
            self._rest = page[at:]
            return None
        if page.startswith("<!--", at):
            if page.startswith((">", "->"), at + 4):
                return page.index(">", at) + 1
            self._until = "-->"
            return at + 4
        begins = page[at + 1 : at + 2]
        if begins and begins in "!?":
            self._until = ">"
            return at + 2
        closing = begins == "/"
        name = _NAME.match(page, at + 1 + closing)
        if name is not None:
            return self._tag(page, at, name, closing=closing, last=last)
        if closing:
            self._until = ">"
            return at + 2
        self.text("<")
        return at + 1

    def _tag(self, page: str, at: int, name: re.Match[str], *, closing: bool, last: bool) -> int | None:
        attributes: dict[str, str] = {}
        end = _read_attributes(page, name.end(), at + TAG_LIMIT, attributes)
        if end < 0:
            if not last and len(page) - at <= TAG_LIMIT:
                self._rest = page[at:]
                return None
            self._until = ">"
            return name.end()
        tag = name[0].lower()
        if closing:
            self.end(tag)
            return end
        self.start(tag, attributes)
        if page[end - 2] == "/":
            self.end(tag)
        elif tag in _RAW:
            self._raw = tag
        return end


def _read_attributes(page: str, at: int, limit: int, found: dict[str, str]) -> int:
    """Where the tag ends, behind its ``>``; -1 where it does not end within what is there, or before ``limit``."""
    limit = min(limit, len(page))
    while at < limit:
        match = _ATTRIBUTE.match(page, at)
        at = match.end() if match else limit
        if at >= limit or match is None:
            return -1
        value = ""
        if match[2]:
            quote = page[at]
            if quote in "\"'":
                end = page.find(quote, at + 1, limit)
                if end < 0:
                    return -1
                value, at = page[at + 1 : end], end + 1
            else:
                bare = _BARE.match(page, at)
                value, at = (bare[0], bare.end()) if bare else ("", at)
        if match[1]:
            found.setdefault(match[1].lower(), unescape(_LONG_NUMBER.sub("\ufffd", value)))
        if page.startswith(">", at) and at < limit:
            return at + 1
    return -1
