"""How deep and how wide XML and JSON may be, counted while they are read: their parsers would not end, or fill memory.

Data that people write is a dozen levels deep. What is deeper than ``DEPTH`` is refused before its parser gets it.
"""

from __future__ import annotations

import re
from typing import IO, Any, Protocol
from xml.parsers import expat

import numpy as np

from retrieval.errors import SourceError

#: Levels of elements, objects and lists inside each other.
DEPTH = 100
#: Attributes of one element, names of namespaces among them.
ATTRIBUTES = 1000
#: The longest text that an entity may stand for: namespaces are abbreviated by entities, and are short.
ENTITY_LIMIT = 1000
_ESCAPES = re.compile(rb"\\.", re.DOTALL)
_STRINGS = re.compile(rb'"[^"]*+"')
_NOT_MARKS = bytes(set(range(256)) - set(b'[]{}"\\'))
_OPENED, _CLOSED = b"[{", b"]}"


class Readable(Protocol):
    """What a parser reads from."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


class CheckedXml:
    """The bytes of an XML file, up to where it breaks.

    Args:
        file: the bytes, in UTF-8.
        name: what the owner of the file calls it.

    Raises:
        SourceError: while reading: it is too deep or too wide, or declares entities that grow or are read from
            elsewhere; those that abbreviate namespaces may stay.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name = file, name
        self._depth, self._given, self._broken = 0, 0, False
        self._parser = expat.ParserCreate(encoding="utf-8")
        self._parser.EntityDeclHandler = self._check_entity
        self._parser.StartElementHandler = self._open_element
        self._parser.EndElementHandler = self._close_element

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes; none behind the first mistake, which is left to be found."""
        if self._broken:
            return b""
        piece = self._file.read(size)
        try:
            self._parser.Parse(piece, not piece)
        except expat.ExpatError:
            self._broken = True
            piece = piece[: max(self._parser.ErrorByteIndex + 1 - self._given, 0)]
        self._given += len(piece)
        return piece

    def _open_element(self, _tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEPTH:
            raise SourceError(
                f"{self._name} has elements more than {DEPTH} deep inside each other.",
                hint="Write nodes beside each other, and name them where they are used.",
            )
        if len(attributes) > ATTRIBUTES:
            raise SourceError(
                f"{self._name} has an element of more than {ATTRIBUTES:,} attributes.",
                hint="Write them as elements of their own.",
            )

    def _close_element(self, _tag: str) -> None:
        self._depth -= 1

    def _check_entity(self, name: str, _parameter: bool, value: str | None, *_place: Any) -> None:
        if value is None or "&" in value or "%" in value or len(value) > ENTITY_LIMIT:
            raise SourceError(
                f"{self._name} declares the entity {name!r}, which grows or is kept elsewhere; that is not read.",
                hint="Write it without such entities.",
            )


class CheckedJson:
    """The bytes of a JSON file.

    Raises:
        SourceError: while reading: it is nested more than ``DEPTH`` deep.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name = file, name
        self._levels = Levels()

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        piece = self._file.read(size)
        self._levels.add(piece)
        if self._levels.deepest > DEPTH:
            raise make_depth_error(self._name)
        return piece


def make_depth_error(name: str) -> SourceError:
    """What is said of a file of JSON that is too deep."""
    return SourceError(
        f"{name} is JSON that is nested more than {DEPTH} deep.",
        hint="Write objects beside each other, one a line, and name them where they are used.",
    )


class Levels:
    """Counts how deep JSON is nested, as its bytes come.

    Attributes:
        deepest: so far.
    """

    def __init__(self) -> None:
        self.deepest = 0
        self._depth = 0
        self._rest = b""
        self._inside = False

    def add(self, piece: bytes) -> None:
        """Count on."""
        text = _ESCAPES.sub(b"", self._rest + piece)
        self._rest = b"\\" if text.endswith(b"\\") else b""
        marks = text.translate(None, _NOT_MARKS)
        if self._inside:
            marks = b'"' + marks
        marks = _STRINGS.sub(b"", marks)
        outside, quote, _ = marks.partition(b'"')
        self._inside = bool(quote)
        # Most pieces go down and up a few times: only one that might be too deep is counted mark by mark.
        opened = sum(outside.count(mark) for mark in _OPENED)
        closed = sum(outside.count(mark) for mark in _CLOSED)
        if self._depth + opened > DEPTH:
            steps = np.isin(np.frombuffer(outside, np.uint8), list(_OPENED)) * 2 - 1
            self.deepest = max(self.deepest, self._depth + int(steps.cumsum().max()))
        else:
            self.deepest = max(self.deepest, self._depth + opened)
        self._depth += opened - closed


def is_deep(text: bytes) -> bool:
    """Whether a JSON text is nested more than ``DEPTH`` deep."""
    if text.count(b"[") + text.count(b"{") <= DEPTH:
        return False
    levels = Levels()
    levels.add(text)
    return levels.deepest > DEPTH
