"""GraphML as networkx, Gephi, yEd, igraph and Neo4j write it, read as a stream; nothing else is ever opened.

A node is shown by its property ``name`` (or ``label``, ``title``), else by its id; an edge is called by its property or
attribute ``label``, ``relation`` or ``type``, and by ``edge`` where it has none. ``labels`` of a node are its types.
Graphs inside nodes are read as part of the one graph.
"""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from retrieval.errors import SourceError
from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.nesting import DEPTH
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import RELATIONS
from retrieval.kg.readers.property_rows import (
    TYPE,
    UNNAMED,
    BadRowError,
    PropertyRows,
    attribute_rows,
    name_among,
)
from retrieval.kg.readers.sources import Source
from retrieval.kg.table import ATTRIBUTE_LIMIT

_PIECE = 1 << 18


def read_graphml(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one GraphML file. Where its XML breaks, what came before goes in and a problem says so.

    Raises:
        SourceError: it declares a document type, which could hold entities that grow.
    """
    reader = _Reader(file.source, log)
    with file.source.open() as opened:
        try:
            while piece := opened.read(_PIECE):
                reader.parser.Parse(piece, False)
            reader.parser.Parse(b"", True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            log.add(error.lineno, f"broken XML ({reason}); nothing after it was read")
    return FactFile(log.file, None, log.count, properties=reader.rows)


class _Reader:
    """Nodes and edges as their elements end."""

    def __init__(self, source: Source, log: ProblemLog) -> None:
        self._source, self._log = source, log
        self.rows = PropertyRows(log)
        self.parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        # Elements that are open; of nodes and edges: their attributes and what their data say.
        self._open: list[tuple[str, dict[str, str], dict[str, str], int]] = []
        self._depth = 0
        self._key: str | None = None
        self._held: list[str] = []
        self._size = 0

    def _refuse(self, *_: Any) -> None:
        raise SourceError(
            f"{self._source.name} declares a document type (<!DOCTYPE), which is not read.",
            hint="Remove the declaration; GraphML needs none.",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rsplit(" ", 1)[-1]
        self._depth += 1
        if self._depth > DEPTH:
            raise SourceError(
                f"{self._source.name} has elements more than {DEPTH} deep.",
                hint="That is no GraphML; write it again.",
            )
        if name == "key":
            self._keys[attributes.get("id", "")] = attributes.get("attr.name") or attributes.get("id", "")
        elif name in ("node", "edge"):
            self._open.append((name, attributes, {}, self.parser.CurrentLineNumber))
        elif name == "hyperedge":
            self._log.add(self.parser.CurrentLineNumber, "edges of more than two ends are not read")
        elif name == "data":
            self._key = attributes.get("key", "")
            self._held, self._size = [], 0

    def _text(self, text: str) -> None:
        if self._key is not None and self._size <= ATTRIBUTE_LIMIT:
            self._held.append(text)
            self._size += len(text)

    def _end(self, tag: str) -> None:
        name = tag.rsplit(" ", 1)[-1]
        self._depth -= 1
        if name == "data":
            if self._open and self._key is not None and (text := "".join(self._held).strip()):
                self._open[-1][2].setdefault(self._keys.get(self._key, self._key), text)
            self._key = None
        elif name in ("node", "edge") and self._open:
            kind, attributes, data, line = self._open.pop()
            try:
                (self._node if kind == "node" else self._edge)(attributes, data, line)
            except BadRowError as error:
                shown = " ".join(f"{key}={value}" for key, value in attributes.items())
                self._log.add(line, str(error), shown, error.kind)

    def _node(self, attributes: dict[str, str], data: dict[str, str], _: int) -> None:
        key = attributes.get("id", "")
        values: dict[str, object] = dict(data)
        types = values.pop("labels", None) or attributes.get("labels")
        if types is not None:
            values.setdefault(TYPE, [one for one in str(types).split(":") if one])
        label = name_among(values)
        name = data[label] if label else ""
        if name:
            self.rows.named = False
        self.rows.add_node(key, name, list(attribute_rows(values)))

    def _edge(self, attributes: dict[str, str], data: dict[str, str], line: int) -> None:
        values: dict[str, object] = dict(data)
        by_lower = {key.lower(): key for key in values}
        key = next((by_lower[word] for word in RELATIONS if word in by_lower), None)
        relation = str(values.pop(key)) if key else attributes.get("label") or UNNAMED
        ends = attributes.get("source", ""), attributes.get("target", "")
        self.rows.add_edge(ends, relation, line, list(attribute_rows(values)))
