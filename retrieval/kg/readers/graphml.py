"""GraphML as networkx, Gephi, yEd, igraph and Neo4j write it, read as a stream; nothing else is ever opened.

A node is shown by its property ``name`` (or ``label``, ``title``), else by what yEd writes on it, else by its id; an
edge is called by its property or attribute ``label``, ``relation`` or ``type``, by what yEd writes beside it where
most edges have such a word, and by ``connected to`` where it has none. ``labels`` of a node are its types. Graphs
inside nodes are read as part of the one graph.
"""

from __future__ import annotations

from collections.abc import Sequence
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
#: What yEd writes on nodes and beside edges, what it is kept as, and the share of edges that it calls where it does.
_LABELS = ("NodeLabel", "EdgeLabel")
_WRITTEN, _MOST = "label", 0.8


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
    reader.finish()
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
        #: Keys of what yEd draws, and whether a label is open in it; its edges are called when all are known.
        self._drawn: set[str] = set()
        self._in_label = False
        self._edges: list[tuple[dict[str, str], dict[str, str], int]] = []
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
            if "yfiles.type" in attributes:
                self._drawn.add(attributes.get("id", ""))
        elif name in _LABELS and self._key in self._drawn:
            self._in_label = not self._held  # the first label is what it is called
        elif name in ("node", "edge"):
            self._open.append((name, attributes, {}, self.parser.CurrentLineNumber))
        elif name == "hyperedge":
            self._log.add(self.parser.CurrentLineNumber, "edges of more than two ends are not read")
        elif name == "data":
            self._key = attributes.get("key", "")
            self._held, self._size = [], 0

    def _text(self, text: str) -> None:
        if self._key in self._drawn and not self._in_label:
            return
        if self._key is not None and self._size <= ATTRIBUTE_LIMIT:
            self._held.append(text)
            self._size += len(text)

    def _end(self, tag: str) -> None:
        name = tag.rsplit(" ", 1)[-1]
        self._depth -= 1
        if name == "data":
            if self._open and self._key is not None and (text := "".join(self._held).strip()):
                drawn = self._key in self._drawn
                key = _WRITTEN if drawn else self._keys.get(self._key, self._key)
                self._open[-1][2].setdefault(key, " ".join(text.split()) if drawn else text)
            self._key = None
        elif name in _LABELS:
            self._in_label = False
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
        if self._drawn:
            self._edges.append((attributes, data, line))
        else:
            self._add_edge(attributes, data, line, RELATIONS)

    def finish(self) -> None:
        """Add the edges of yEd: what is written beside most of them is what they are called, else said of them.

        So it is where most are marked by digits, as cables (Cat6), roads (A4) and flights are.
        """
        written = [data[_WRITTEN] for _, data, _ in self._edges if _WRITTEN in data]
        marked = sum(any(c.isdigit() for c in text) for text in written)
        called = len(written) >= _MOST * len(self._edges) and 2 * marked <= len(written)
        words = [word for word in RELATIONS if word != _WRITTEN or called]
        for attributes, data, line in self._edges:
            try:
                self._add_edge(attributes, data, line, words)
            except BadRowError as error:
                self._log.add(line, str(error), "", error.kind)

    def _add_edge(
        self, attributes: dict[str, str], data: dict[str, str], line: int, words: Sequence[str]
    ) -> None:
        values: dict[str, object] = dict(data)
        by_lower = {key.lower(): key for key in values}
        key = next((by_lower[word] for word in words if word in by_lower), None)
        relation = str(values.pop(key)) if key else attributes.get("label") or UNNAMED
        ends = attributes.get("source", ""), attributes.get("target", "")
        self.rows.add_edge(ends, relation, line, list(attribute_rows(values)))
