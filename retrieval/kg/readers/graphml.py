"""GraphML as networkx, Gephi, yEd, igraph and Neo4j write it, read as a stream; nothing else is ever opened.

A node is shown by its property ``name`` (or ``label``, ``title``), else by what yEd writes on it, else by its id; an
edge is called by its property or attribute ``label``, ``relation`` or ``type``, by what yEd writes beside it where
most edges have such a word, and by ``connected to`` where it has none. ``labels`` of a node are its types. What a key
has as its default holds of each node or edge that does not say otherwise. Graphs inside nodes are read as part of the
one graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import RELATIONS
from retrieval.kg.readers.property_rows import (
    NAMES,
    UNNAMED,
    BadRowError,
    extract_attributes,
    extract_node_attributes,
    find_name_key,
)
from retrieval.kg.readers.sources import Source
from retrieval.kg.readers.xml_graph import XmlGraph
from retrieval.kg.table import ATTRIBUTE_LIMIT

#: What yEd writes on nodes and beside edges, what it is kept as, and the share of edges that it calls where it does.
_LABELS = ("NodeLabel", "EdgeLabel")
_WRITTEN, _MOST = "label", 0.8
#: Keys that have one value; of others, a node or edge may have several.
_SINGLE = frozenset({*NAMES, "labels"})
_Data = dict[str, Any]


def read_graphml(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one GraphML file, see :meth:`~retrieval.kg.readers.xml_graph.XmlGraph.read`."""
    rows = _GraphMl(file.source, log).read()
    return FactFile(log.file, None, log.count, properties=rows)


class _GraphMl(XmlGraph):
    def __init__(self, source: Source, log: ProblemLog) -> None:
        super().__init__(source, log)
        #: By id of a key, what it is called; by kind of element and id, its default.
        self._keys: dict[str, str] = {}
        self._defaults: dict[tuple[str, str], str] = {}
        self._declared: tuple[str, str] | None = None
        self._directed = True
        #: Keys of what yEd draws, and whether a label is open in it; its edges are called when all are known.
        self._drawn: set[str] = set()
        self._in_label = False
        self._edges: list[tuple[dict[str, str], _Data, int]] = []
        # Elements that are open; of nodes and edges: their attributes and what their data say.
        self._open: list[tuple[str, dict[str, str], _Data, int]] = []
        self._key: str | None = None
        self._held: list[str] = []
        self._size = 0

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        """See :class:`XmlGraph`."""
        if name == "key":
            self._keys[attributes.get("id", "")] = attributes.get("attr.name") or attributes.get("id", "")
            self._declared = (attributes.get("for", "all"), attributes.get("id", ""))
            if "yfiles.type" in attributes:
                self._drawn.add(attributes.get("id", ""))
        elif name in _LABELS and self._key in self._drawn:
            self._in_label = not self._held  # the first label is what it is called
        elif name == "graph":
            self._directed = attributes.get("edgedefault", "directed") != "undirected"
        elif name in ("node", "edge"):
            self._open.append((name, attributes, {}, self.line))
        elif name == "hyperedge":
            self.log.add(self.line, "edges of more than two ends are not read")
        elif name == "data":
            self._start_value(attributes.get("key", ""))
        elif name == "default" and self._declared is not None:
            self._start_value(self._declared[1])

    def _start_value(self, key: str) -> None:
        self._key, self._held, self._size = key, [], 0

    def add_text(self, text: str) -> None:
        """See :class:`XmlGraph`."""
        if self._key in self._drawn and not self._in_label:
            return
        if self._key is not None and self._size <= ATTRIBUTE_LIMIT:
            self._held.append(text)
            self._size += len(text)

    def close_element(self, name: str) -> None:
        """See :class:`XmlGraph`."""
        if name in ("data", "default"):
            if self._key is not None and (text := "".join(self._held).strip()):
                self._take_value(name, self._key, text)
            self._key = None
        elif name == "key":
            self._declared = None
        elif name in _LABELS:
            self._in_label = False
        elif name in ("node", "edge") and self._open:
            kind, attributes, data, line = self._open.pop()
            for (where, key), text in self._defaults.items():
                if where in (kind, "all"):
                    data.setdefault(self._keys[key], text)
            try:
                (self._add_node if kind == "node" else self._handle_edge)(attributes, data, line)
            except BadRowError as error:
                shown = " ".join(f"{key}={value}" for key, value in attributes.items())
                self.log.add(line, str(error), shown, error.kind)

    def _take_value(self, element: str, key: str, text: str) -> None:
        drawn = key in self._drawn
        if element == "default":
            if self._declared is not None and not drawn:
                self._defaults[self._declared] = text
        elif self._open:
            data = self._open[-1][2]
            if drawn:
                data.setdefault(_WRITTEN, " ".join(text.split()))
            else:
                _add_value(data, self._keys.get(key, key), text)

    def _add_node(self, attributes: dict[str, str], data: _Data, line: int) -> None:
        key = attributes.get("id", "")
        values: dict[str, object] = dict(data)
        types = values.pop("labels", None) or attributes.get("labels")
        kinds = [kind for kind in str(types or "").split(":") if kind]
        label = find_name_key(values)
        name = data[label] if label else ""
        if name:
            self.rows.named = False
        self.rows.add_node(key, name, extract_node_attributes(kinds, values), line)

    def _handle_edge(self, attributes: dict[str, str], data: _Data, line: int) -> None:
        if self._drawn:
            self._edges.append((attributes, data, line))
        else:
            self._add_edge(attributes, data, line, RELATIONS)

    def add_remaining(self) -> None:
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
                self.log.add(line, str(error), "", error.kind)

    def _add_edge(self, attributes: dict[str, str], data: _Data, line: int, words: Sequence[str]) -> None:
        values: dict[str, object] = dict(data)
        by_lower = {key.lower(): key for key in values}
        key = next((by_lower[word] for word in words if word in by_lower), None)
        called = values.pop(key) if key else attributes.get("label") or UNNAMED
        relation = str(called[0] if isinstance(called, list) else called)
        ends = attributes.get("source", ""), attributes.get("target", "")
        directed = attributes.get("directed", str(self._directed)).lower() != "false"
        self.rows.add_edge(ends, relation, line, list(extract_attributes(values)), directed=directed)


def _add_value(data: _Data, key: str, text: str) -> None:
    """Keep a value of a node or edge, beside those that its key has."""
    if key not in data:
        data[key] = text
    elif key.lower() not in _SINGLE:
        data[key] = [*(data[key] if isinstance(data[key], list) else [data[key]]), text]
