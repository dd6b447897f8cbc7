"""Nodes and edges of property graphs, as one file gives them, and how several files are put together.

Edges name nodes by id. A node is shown by its name, else by its id; nodes that share a name are told apart by
their ids. Node ids are shared by all files that are read together.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.relation_names import TYPE
from retrieval.kg.table import ATTRIBUTE_LIMIT, LABEL_LIMIT, ROW

if TYPE_CHECKING:
    from retrieval.kg.readers.problems import ProblemLog

#: Properties that name a node, best first (compared in lower case).
NAMES = ("name", "label", "title", "displayname", "display_name", "caption")
#: What an edge is called that says nothing of what it means.
UNNAMED = "connected to"
#: A node of such a type with such a property is a passage too.
DOCUMENT_TYPES = frozenset({"document", "passage", "chunk", "textchunk"})
TEXTS = frozenset({"content", "text"})
#: Rows of a table in which somebody may ask for the next one.
_LISTED = range(2, 1001)


class BadRowError(Exception):
    """Why a row cannot be used; ``kind`` is one of ``PROBLEM_KINDS``."""

    def __init__(self, message: str, kind: str = "row") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass
class PropertyRows:
    """What one file says of nodes and edges.

    Attributes:
        log: takes edges whose ends no row describes.
        nodes: name by id; empty where the node has none.
        node_attributes: (id, key, value).
        row_lines, row_sizes: the lines that say something of nodes, 0 where that is unknown, and how many of
            ``node_attributes`` each gives.
        edges: (id of the source, relation, id of the target, line).
        edge_attributes: (position in ``edges``, key, value).
        relations: rows that only name a relation.
        named: whether ids are names that a person reads, so that an edge may name a node of no row.
        listed: ids in the order of a table's rows.
        values: positions in ``edges`` of those whose target is a value and no node.
    """

    log: ProblemLog
    nodes: dict[str, str] = field(default_factory=dict)
    node_attributes: list[tuple[str, str, str]] = field(default_factory=list)
    row_lines: array[int] = field(default_factory=lambda: array("I"))
    row_sizes: array[int] = field(default_factory=lambda: array("I"))
    edges: list[tuple[str, str, str, int]] = field(default_factory=list)
    edge_attributes: list[tuple[int, str, str]] = field(default_factory=list)
    relations: int = 0
    named: bool = True
    listed: list[str] = field(default_factory=list)
    values: set[int] = field(default_factory=set)

    def add_node(self, key: str, name: str, attributes: Sequence[tuple[str, str]], line: int = 0) -> None:
        """Keep a node of a line; a second row of one id adds its attributes.

        Raises:
            BadRowError: the id is empty, or the id or name is too long.
        """
        _require("id of the node", key)
        _require("name of the node", name or key)
        self.nodes[key] = self.nodes.get(key) or name
        before = len(self.node_attributes)
        self.node_attributes.extend(
            (key, *pair) for pair in attributes if pair[1] != name or pair[0].lower() not in NAMES
        )
        self.row_lines.append(line)
        self.row_sizes.append(len(self.node_attributes) - before)

    def add_edge(
        self,
        ends: tuple[str, str],
        relation: str,
        line: int,
        attributes: Sequence[tuple[str, str]],
        *,
        directed: bool = True,
    ) -> None:
        """Keep an edge; one without direction that says nothing of what it means leads both ways.

        Raises:
            BadRowError: an end or the relation is empty or too long.
        """
        for what, text in zip(("source", "target", "relation"), (*ends, relation), strict=True):
            _require(what, text)
        both = not directed and relation == UNNAMED and ends[0] != ends[1]
        for source, target in (ends, ends[::-1])[: 1 + both]:
            self.edge_attributes.extend((len(self.edges), *pair) for pair in attributes)
            self.edges.append((source, relation, target, line))

    def add_value(self, fact: tuple[str, str, str], line: int, attributes: Sequence[tuple[str, str]]) -> None:
        """Keep a value of a node as a fact that something is said of: when it held.

        Raises:
            BadRowError: a part of the fact is empty or too long.
        """
        key, relation, value = fact
        self.add_edge((key, value), relation, line, attributes)
        self.values.add(len(self.edges) - 1)

    @property
    def attribute_lines(self) -> np.ndarray:
        """Where each of ``node_attributes`` stands, int64."""
        return np.repeat(np.array(self.row_lines, np.int64), np.array(self.row_sizes, np.int64))

    @property
    def rows(self) -> int:
        """How many good rows there are."""
        return len(self.nodes) + len(self.edges) + self.relations


def _require(what: str, text: str) -> None:
    if not text:
        raise BadRowError(f"the {what} is empty", "blank")
    if len(text.encode(errors="surrogatepass")) > LABEL_LIMIT:
        raise BadRowError(f"the {what} is longer than {LABEL_LIMIT} bytes")
    if "\0" in text:
        raise BadRowError(f"the {what} holds a NUL character")


def extract_attributes(properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Each value as text under its key: lists give a row for each item, null and empty ones none.

    Raises:
        BadRowError: a value is too long.
    """
    for key, value in properties.items():
        for item in value if isinstance(value, list) else [value]:
            text = format_value(item)
            if not text or not key.strip():
                continue
            if len(text.encode(errors="surrogatepass")) > ATTRIBUTE_LIMIT:
                raise BadRowError(f"the value of {key} is longer than {ATTRIBUTE_LIMIT} bytes")
            if "\0" in text:
                raise BadRowError(f"the value of {key} holds a NUL character")
            yield key.strip(), text


def extract_node_attributes(kinds: Sequence[str], properties: Mapping[str, object]) -> list[tuple[str, str]]:
    """The kinds of a node and its properties as attributes; beside kinds, a property called type says something else.

    Raises:
        BadRowError: a value is too long.
    """
    repeated = {kind.casefold() for kind in kinds}
    return [
        *extract_attributes({TYPE: [*kinds]}),
        *(
            (name_type_property(kinds[0]) if kinds and key.lower() == TYPE else key, value)
            for key, value in extract_attributes(properties)
            if key.lower() != TYPE or value.casefold() not in repeated
        ),
    ]


def name_type_property(kind: str) -> str:
    """The key of a property called type that things of a kind have."""
    return f"{kind.lower()} {TYPE}"


def format_value(value: object) -> str:
    """A JSON value as a person reads it; empty for null."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, ensure_ascii=False)


def find_name_key(properties: Mapping[str, object]) -> str | None:
    """The key of the property that names a node, if there is one."""
    by_lower = {key.lower(): key for key in reversed(list(properties))}
    keys = (by_lower[name] for name in NAMES if name in by_lower)
    return next((key for key in keys if isinstance(properties[key], str) and format_value(properties[key])), None)


@dataclass(frozen=True)
class PropertyFacts:
    """Property rows of all files by label. ``fact_attributes`` counts facts from 0.

    ``fact_origins`` and ``attribute_origins`` say where facts and attributes of nodes come from, see
    :data:`~retrieval.kg.table.ORIGIN`. ``documents`` are nodes that are documents: (label, title, text).
    """

    facts: list[tuple[str, str, str]]
    nodes: list[tuple[str, str, None]]
    node_attributes: list[tuple[str, str, str]]
    fact_attributes: list[tuple[int, str, str]]
    documents: list[tuple[str, str, str]]
    problems: int
    fact_origins: np.ndarray
    attribute_origins: np.ndarray


def resolve(files: Sequence[PropertyRows], numbers: Mapping[str, str], sources: Mapping[str, int]) -> PropertyFacts:
    """Name the nodes of all files together; an edge to a node that no row describes is a problem of its file.

    Args:
        files: nodes and edges of each.
        numbers: nodes by other ids that edges may have for them.
        sources: the origin of each file by its name, to which lines are added.
    """
    names: dict[str, str] = {}
    for rows in files:
        for key, name in rows.nodes.items():
            names[key] = names.get(key) or name
    labels = _assign_labels(names)
    facts: list[tuple[str, str, str]] = []
    fact_attributes: list[tuple[int, str, str]] = []
    attribute_origins, fact_origins = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    before = sum(rows.log.count for rows in files)
    known = {number: labels[node] for number, node in numbers.items() if number not in labels} | labels
    for rows in files:
        source = sources.get(rows.log.file, 0)
        positions = _add_edges(rows, known, facts)
        fact_origins.append(_locate_lines(source, [rows.edges[i][3] for i in positions]))
        attribute_origins.append(_locate_lines(source, rows.attribute_lines))
        fact_attributes.extend((positions[i], k, v) for i, k, v in rows.edge_attributes if i in positions)
        rows.log.close()
    attributes = [(labels[node], key, value) for rows in files for node, key, value in rows.node_attributes]
    if len(files) == 1:  # several tables are a database, and their rows are in no order
        listed, lines = _list_positions(files[0], labels)
        attributes += listed
        attribute_origins.append(_locate_lines(sources.get(files[0].log.file, 0), lines))
    attributes, documents, kept = _split_documents(attributes)
    origins = np.concatenate(attribute_origins)
    return PropertyFacts(
        facts,
        [(label, "entity", None) for label in labels.values()],
        attributes,
        fact_attributes,
        documents,
        sum(rows.log.count for rows in files) - before,
        np.concatenate(fact_origins),
        origins if kept is None else origins[kept],
    )


def _locate_lines(source: int, lines: Sequence[int] | np.ndarray) -> np.ndarray:
    """The origins of lines of a file, int64; none where the file has no number."""
    return np.array(lines, np.int64) + source if source else np.zeros(len(lines), np.int64)


def _list_positions(rows: PropertyRows, labels: Mapping[str, str]) -> tuple[list[tuple[str, str, str]], list[int]]:
    """Where the things of a table stand that is short enough to be read through, and in which lines that is."""
    places = {key: position for position, key in reversed(list(enumerate(rows.listed, 1)))}
    if len(rows.listed) not in _LISTED:
        return [], []
    lines: dict[str, int] = {}
    for (node, _, _), line in zip(rows.node_attributes, rows.attribute_lines.tolist(), strict=True):
        lines.setdefault(node, line)
    keys = list(dict.fromkeys(rows.listed))
    return [(labels[key], ROW, str(places[key])) for key in keys], [lines.get(key, 0) for key in keys]


def _split_documents(
    attributes: list[tuple[str, str, str]],
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]], list[int] | None]:
    """The attributes without the texts of documents, the documents: (label, title, text), and the positions of the
    attributes that are left; None where all are.
    """
    typed = {label for label, key, value in attributes if key == TYPE and value.lower() in DOCUMENT_TYPES}
    if not typed:
        return attributes, [], None
    texts: dict[str, str] = {}
    titles: dict[str, str] = {}
    rest, kept = [], []
    for position, (label, key, value) in enumerate(attributes):
        if label in typed and key in TEXTS and label not in texts:
            texts[label] = value
        else:
            rest.append((label, key, value))
            kept.append(position)
            if key == "title":
                titles.setdefault(label, value)
    return rest, [(label, titles.get(label, label), text) for label, text in texts.items()], kept


def _add_edges(rows: PropertyRows, labels: Mapping[str, str], facts: list[tuple[str, str, str]]) -> dict[int, int]:
    """Append the edges of a file as facts; returns the fact of each edge that could be used."""
    if rows.edges and not rows.named and not labels:
        rows.log.add(0, "nodes are named by id and no file describes them, so ids are shown; add the file of nodes")
    strict = bool(labels) and not rows.named
    numbers: dict[int, int] = {}
    for i, (source, relation, target, line) in enumerate(rows.edges):
        nodes = (source,) if i in rows.values else (source, target)
        missing = next((end for end in nodes if end not in labels), None) if strict else None
        if missing is not None:
            rows.log.add(line, f"no row describes the node {missing}", f"{source} {relation} {target}")
            continue
        numbers[i] = len(facts)
        tail = target if i in rows.values else labels.get(target, target)
        facts.append((labels.get(source, source), relation, tail))
    return numbers


def _assign_labels(names: Mapping[str, str]) -> dict[str, str]:
    """One label for each id, no two alike."""
    shown = {key: name or key for key, name in names.items()}
    shared = Counter(shown.values())
    labels = {key: f"{label} ({key})" if shared[label] > 1 and label != key else label for key, label in shown.items()}
    counts = Counter(labels.values())
    return {key: f"{label} [{key}]" if counts[label] > 1 else label for key, label in labels.items()}
