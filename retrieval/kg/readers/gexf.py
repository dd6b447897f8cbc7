"""GEXF as Gephi, networkx and igraph write it, read as a stream; of dynamic graphs with the times of values and edges.

A node is shown by its label, else by its id; an edge is called by its label, by a value ``label``, ``relation`` or
``type``, else ``connected to``. When an edge was, and when a value held, are attributes ``start`` and
``end`` of a
fact: a value that has times is a fact, others are attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_layout import RELATIONS
from retrieval.kg.readers.property_rows import UNNAMED, BadRowError, extract_attributes
from retrieval.kg.readers.sources import Source
from retrieval.kg.readers.xml_graph import XmlGraph

#: When something begins and ends; those of ``open`` intervals leave the moment itself out.
_START, _END = ("start", "startopen", "timestamp"), ("end", "endopen", "timestamp")
#: How a node is drawn, which says nothing of it.
_DRAWN = frozenset({"color", "position", "size", "shape", "thickness"})


@dataclass(slots=True)
class _Element:
    """A node or an edge: its attributes, values of one time and of several, and when it was."""

    name: str
    attributes: dict[str, str]
    line: int
    values: dict[str, object] = field(default_factory=dict)
    timed: list[tuple[str, str, dict[str, object]]] = field(default_factory=list)
    spells: list[dict[str, object]] = field(default_factory=list)


def read_gexf(file: InputFile, log: ProblemLog) -> FactFile:
    """Read one GEXF file, see :meth:`~retrieval.kg.readers.xml_graph.XmlGraph.read`."""
    rows = _Gexf(file.source, log).read()
    return FactFile(log.file, None, log.count, properties=rows)


class _Gexf(XmlGraph):
    def __init__(self, source: Source, log: ProblemLog) -> None:
        super().__init__(source, log)
        #: By class and id: what an attribute is called; its default.
        self._titles: dict[tuple[str, str], str] = {}
        self._defaults: dict[tuple[str, str], str] = {}
        self._direction = "directed"
        self._class, self._attribute = "", ("", "")
        self._text: list[str] | None = None
        self._open: list[_Element] = []

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        """See :class:`XmlGraph`."""
        if name == "graph":
            self._direction = attributes.get("defaultedgetype", "directed")
        elif name == "attributes":
            self._class = attributes.get("class", "node")
        elif name == "attribute":
            self._attribute = (self._class, attributes.get("id", ""))
            self._titles[self._attribute] = attributes.get("title") or attributes.get("id", "")
        elif name == "default":
            self._text = []
        elif name in ("node", "edge"):
            self._open.append(_Element(name, attributes, self.line))
            if times := _extract_times(attributes):
                self._open[-1].spells.append(times)
        elif name == "spell" and self._open:
            self._open[-1].spells.append(_extract_times(attributes))
        elif name == "parent" and self._open and "for" in attributes:
            self._open[-1].values["parent"] = attributes["for"]
        elif name == "attvalue" and self._open:
            self._take_value(self._open[-1], attributes)

    def add_text(self, text: str) -> None:
        """See :class:`XmlGraph`."""
        if self._text is not None:
            self._text.append(text)

    def close_element(self, name: str) -> None:
        """See :class:`XmlGraph`."""
        if name == "default" and self._text is not None:
            if text := "".join(self._text).strip():
                self._defaults[self._attribute] = text
            self._text = None
        elif name in ("node", "edge") and self._open:
            element = self._open.pop()
            try:
                self._add(element)
            except BadRowError as error:
                shown = " ".join(f"{key}={value}" for key, value in element.attributes.items())
                self.log.add(element.line, str(error), shown, error.kind)

    def _take_value(self, element: _Element, attributes: Mapping[str, str]) -> None:
        value = attributes.get("value", "").strip()
        key = attributes.get("for", attributes.get("id", ""))
        title = self._titles.get((element.name, key), key)
        if not value:
            return
        if times := _extract_times(attributes):
            element.timed.append((title, value, times))
        else:
            element.values.setdefault(title, value)

    def _add(self, element: _Element) -> None:
        for (where, key), value in self._defaults.items():
            title = self._titles[where, key]
            if where == element.name and not any(title == timed for timed, _, _ in element.timed):
                element.values.setdefault(title, value)
        if element.name == "node":
            self._add_node(element)
        else:
            self._add_edge(element)

    def _add_node(self, element: _Element) -> None:
        key, name = element.attributes.get("id", ""), element.attributes.get("label", "").strip()
        if name:
            self.rows.named = False
        values = {**element.values, **(element.spells[0] if len(element.spells) == 1 else {})}
        if "pid" in element.attributes:
            values.setdefault("parent", element.attributes["pid"])
        self.rows.add_node(key, name, list(extract_attributes(values)), element.line)
        for title, value, times in element.timed:
            self.rows.add_value((key, title, value), element.line, list(extract_attributes(times)))

    def _add_edge(self, element: _Element) -> None:
        values = element.values
        by_lower = {key.lower(): key for key in values}
        key = next((by_lower[word] for word in RELATIONS if word in by_lower), None)
        attributes = element.attributes
        relation = attributes.get("label", "").strip() or (str(values.pop(key)) if key else "")
        relation = relation or attributes.get("kind", "").strip() or UNNAMED
        ends = attributes.get("source", ""), attributes.get("target", "")
        if "weight" in attributes:
            values.setdefault("weight", attributes["weight"])
        edge_attributes = [*extract_attributes(values)]
        edge_attributes += [row for spell in element.spells for row in extract_attributes(spell)]
        edge_attributes += [
            row for title, value, times in element.timed for row in _make_timed_rows(title, value, times)
        ]
        directed = attributes.get("type", self._direction) == "directed"
        self.rows.add_edge(ends, relation, element.line, edge_attributes, directed=directed)


def _make_timed_rows(title: str, value: str, times: dict[str, object]) -> list[tuple[str, str]]:
    """A value that an edge had for a time, and when that was."""
    return [
        *extract_attributes({title: value}),
        *extract_attributes({f"{title} {key}": when for key, when in times.items()}),
    ]


def _extract_times(attributes: Mapping[str, str]) -> dict[str, object]:
    """When something was, as attributes of a fact."""
    times: dict[str, object] = {}
    for called, keys in (("start", _START), ("end", _END)):
        when = next((attributes[key] for key in keys if attributes.get(key, "").strip()), None)
        if when is not None and when.strip("-").lower() not in ("infinity", "inf"):
            times[called] = when
    return times
