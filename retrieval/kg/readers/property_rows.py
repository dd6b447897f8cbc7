"""Nodes and edges of property graphs, as one file gives them. Edges name nodes by id."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.model.naming import find_name_language
from retrieval.kg.snapshot.relation_names import TYPE, format_relation_name
from retrieval.kg.table import ATTRIBUTE_LIMIT, LABEL_LIMIT

if TYPE_CHECKING:
    from retrieval.kg.readers.problems import ProblemLog

#: Properties that name a node, best first (compared in lower case).
NAMES = ("name", "label", "title", "displayname", "display_name", "caption")
#: What an edge is called that says nothing of what it means.
UNNAMED = "connected to"
#: A node of such a type with such a property is a passage too.
DOCUMENT_TYPES = frozenset({"document", "passage", "chunk", "textchunk"})
TEXTS = frozenset({"content", "text"})


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
        names: (id, language, name): what nodes are called in languages.
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
    names: list[tuple[str, str, str]] = field(default_factory=list)

    def add_node(self, key: str, name: str, attributes: Sequence[tuple[str, str]], line: int = 0) -> None:
        """Keep a node of a line; a second row of one id adds its attributes. Those such as ``name_de`` are its names.

        Raises:
            BadRowError: the id is empty, or the id or name is too long.
        """
        _require("id of the node", key)
        _require("name of the node", name or key)
        self.nodes[key] = self.nodes.get(key) or name
        before = len(self.node_attributes)
        for attribute, value in attributes:
            if language := find_key_language(attribute):
                self.names.append((key, language, value))
            elif value != name or attribute.lower() not in NAMES:
                self.node_attributes.append((key, attribute, value))
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
    if is_longer(text, LABEL_LIMIT):
        raise BadRowError(f"the {what} is longer than {LABEL_LIMIT} bytes")
    if "\0" in text:
        raise BadRowError(f"the {what} holds a NUL character")


def extract_attributes(properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Each value as text under its key: lists give a row for each item, null and empty ones none.

    Raises:
        BadRowError: a value is too long.
    """
    for key, value in expand_names(properties).items():
        for text in extract_values(key, value):
            yield key.strip(), text


def extract_values(key: str, value: object) -> list[str]:
    """A value as text: a list gives its items, null and empty ones nothing, and so does what has no key.

    Raises:
        BadRowError: a value is too long.
    """
    if not key.strip():
        return []
    items = value if isinstance(value, list) else (value,)
    texts = [text for item in items if (text := item.strip() if isinstance(item, str) else format_value(item))]
    for text in texts:
        if is_longer(text, ATTRIBUTE_LIMIT):
            raise BadRowError(f"the value of {key} is longer than {ATTRIBUTE_LIMIT} bytes")
        if "\0" in text:
            raise BadRowError(f"the value of {key} holds a NUL character")
    return texts


def is_longer(text: str, limit: int) -> bool:
    """Whether a text takes more bytes than ``limit``; a character takes four at most."""
    return 4 * len(text) > limit and len(text.encode(errors="surrogatepass")) > limit


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
    """The key of the property that names a node, if there is one: without a language, else in English, else in any."""
    by_lower = {key.lower(): key for key in reversed(list(properties))}
    tagged = [(language, key) for key in properties if (language := find_key_language(key))]
    keys = [by_lower[name] for name in NAMES if name in by_lower]
    keys += [key for _, key in sorted(tagged, key=lambda item: not item[0].startswith("en"))]
    return next((key for key in keys if isinstance(properties[key], str) and format_value(properties[key])), None)


@lru_cache(maxsize=4096)
def find_key_language(key: str) -> str | None:
    """The language of the names that a property holds: ``de`` of ``name_de`` and ``name:de``; None of others."""
    words = re.split(r"[\W_]+", format_relation_name(key).casefold().strip())
    return find_name_language(words)


def expand_names(properties: Mapping[str, object]) -> dict[str, object]:
    """Properties with names by language, ``{"name": {"de": "Köln"}}``, as ``{"name de": "Köln"}``."""
    flat: dict[str, object] = {}
    for key, value in properties.items():
        by_key = {f"{key} {tag}": name for tag, name in value.items()} if isinstance(value, dict) else {}
        flat.update(by_key if by_key and all(map(find_key_language, by_key)) else {key: value})
    return flat
