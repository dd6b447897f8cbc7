"""What readers of graphs in XML share: a stream of elements that is refused where it could not be read to its end."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from retrieval.errors import SourceError
from retrieval.kg.readers.nesting import DEPTH
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_rows import PropertyRows
from retrieval.kg.readers.sources import Source

_PIECE = 1 << 18


class XmlGraph:
    """Nodes and edges as their elements end; subclasses take ``open_element``, ``add_text`` and ``close_element``.

    Args:
        log: takes what cannot be used.
    """

    def __init__(self, source: Source, log: ProblemLog) -> None:
        self.rows = PropertyRows(log)
        self.log = log
        self._source = source
        self._depth = 0
        # The source is UTF-8 whatever its declaration says.
        self.parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._raise_document_type
        self.parser.StartElementHandler = self._open_element
        self.parser.EndElementHandler = self._close_element
        self.parser.CharacterDataHandler = self.add_text

    def read(self) -> PropertyRows:
        """Read all of it. Where the XML breaks, what came before goes in and a problem says so.

        Raises:
            SourceError: it declares a document type, which could hold entities that grow, or nests too deep.
        """
        with self._source.open() as opened:
            try:
                while piece := opened.read(_PIECE):
                    self.parser.Parse(piece, False)
                self.parser.Parse(b"", True)
            except expat.ExpatError as error:
                reason = expat.ErrorString(error.code)
                self.log.add(error.lineno, f"broken XML ({reason}); nothing after it was read")
        self.add_remaining()
        return self.rows

    @property
    def line(self) -> int:
        """The line that is read."""
        return self.parser.CurrentLineNumber

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element, without its namespace."""
        raise NotImplementedError

    def add_text(self, text: str) -> None:
        """Take a piece of text."""
        raise NotImplementedError

    def close_element(self, name: str) -> None:
        """Take the end of an element."""
        raise NotImplementedError

    def add_remaining(self) -> None:
        """Add what only the whole file tells."""

    def _raise_document_type(self, *_: Any) -> None:
        raise SourceError(
            f"{self._source.name} declares a document type (<!DOCTYPE), which is not read.",
            hint="Remove the declaration; graphs in XML need none.",
        )

    def _open_element(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEPTH:
            raise SourceError(
                f"{self._source.name} has elements more than {DEPTH} deep.",
                hint="This is not a valid graph file; export it again.",
            )
        self.open_element(tag.rsplit(" ", 1)[-1], attributes)

    def _close_element(self, tag: str) -> None:
        self._depth -= 1
        self.close_element(tag.rsplit(" ", 1)[-1])
