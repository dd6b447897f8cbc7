"""Nodes and edges of several files put together.

A node is shown by its name, else by its id; nodes that share a name are told apart by their ids. Node ids are shared
by all files that are read together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.kg.readers.property_rows import DOCUMENT_TYPES, TEXTS, PropertyRows
from retrieval.kg.snapshot.relation_names import TYPE
from retrieval.kg.table import ROW

#: Rows of a table in which somebody may ask for the next one.
_LISTED = range(2, 1001)


@dataclass(frozen=True)
class PropertyFacts:
    """Property rows of all files by label. ``fact_attributes`` counts facts from 0.

    ``fact_origins`` and ``attribute_origins`` say where facts and attributes of nodes come from, see
    :data:`~retrieval.kg.table.ORIGIN`. ``names`` are (label, language, name, rank). ``documents`` are nodes that are
    documents: (label, title, text).
    """

    facts: list[tuple[str, str, str]]
    nodes: list[tuple[str, str, None]]
    node_attributes: list[tuple[str, str, str]]
    fact_attributes: list[tuple[int, str, str]]
    documents: list[tuple[str, str, str]]
    problems: int
    fact_origins: np.ndarray
    attribute_origins: np.ndarray
    names: list[tuple[str, str, str, int]]


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
        fact_origins.append(_find_lines(source, [rows.edges[i][3] for i in positions]))
        attribute_origins.append(_find_lines(source, rows.attribute_lines))
        fact_attributes.extend((positions[i], k, v) for i, k, v in rows.edge_attributes if i in positions)
        rows.log.close()
    attributes = [(labels[node], key, value) for rows in files for node, key, value in rows.node_attributes]
    if len(files) == 1:  # several tables are a database, and their rows are in no order
        listed, lines = _list_positions(files[0], labels)
        attributes += listed
        attribute_origins.append(_find_lines(sources.get(files[0].log.file, 0), lines))
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
        [(labels[node], language, name, 0) for rows in files for node, language, name in rows.names],
    )


def _find_lines(source: int, lines: Sequence[int] | np.ndarray) -> np.ndarray:
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
