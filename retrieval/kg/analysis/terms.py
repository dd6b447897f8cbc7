"""The terms of a graph that people describe: its relations and kinds, each with its count and a few examples."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from retrieval.kg.analysis.schema import find_types
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.cache import load_or_compute_json

#: Raised when what is computed changes, so that what an older version kept is computed again.
_VERSION = 1
#: Relations and kinds that are listed, most frequent first, and examples of each.
TERMS, EXAMPLES = 2_000, 3


@dataclass(frozen=True, slots=True)
class GraphTerm:
    """A relation or a kind.

    Attributes:
        name: of a relation as the graph spells it; of a kind its label.
        label: as people read it.
        count: facts of a relation, members of a kind.
        examples: (head, tail) of a relation, (member,) of a kind.
    """

    name: str
    label: str
    count: int
    examples: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class GraphTerms:
    """Relations and kinds, most frequent first."""

    relations: tuple[GraphTerm, ...]
    kinds: tuple[GraphTerm, ...]


def list_terms(snapshot: Snapshot) -> GraphTerms:
    """The terms of a snapshot: kept from before, or computed and kept."""
    kept = load_or_compute_json(
        snapshot.path,
        "terms",
        f"{_VERSION} {snapshot.hash}",
        lambda: asdict(GraphTerms(_list_relations(snapshot), _list_kinds(snapshot))),
    )
    return GraphTerms(
        *(
            tuple(GraphTerm(**{**row, "examples": tuple(map(tuple, row["examples"]))}) for row in kept[key])
            for key in ("relations", "kinds")
        )
    )


def _list_relations(snapshot: Snapshot) -> tuple[GraphTerm, ...]:
    label = snapshot.get_entity_label
    return tuple(
        GraphTerm(
            snapshot.get_relation_name(relation),
            snapshot.get_relation_label(relation),
            count,
            tuple((label(int(snapshot.heads[fact])), label(int(snapshot.tails[fact]))) for fact in facts),
        )
        for relation, count, facts in _sample_groups(snapshot.relations, snapshot.num_relations)
    )


def _list_kinds(snapshot: Snapshot) -> tuple[GraphTerm, ...]:
    types, labels = find_types(snapshot)
    return tuple(
        GraphTerm(labels[kind], labels[kind], count, tuple((snapshot.get_entity_label(node),) for node in members))
        for kind, count, members in _sample_groups(types, len(labels))
    )


def _sample_groups(codes: np.ndarray, size: int) -> list[tuple[int, int, list[int]]]:
    """Each code from 0 on with its count and the positions of a few of its members, most frequent first."""
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(size + 1))
    counts = np.diff(bounds)
    return [
        (
            code,
            int(counts[code]),
            np.unique(order[np.linspace(bounds[code], bounds[code + 1] - 1, EXAMPLES, dtype=np.int64)]).tolist(),
        )
        for code in np.argsort(-counts, kind="stable")[:TERMS].tolist()
        if counts[code]
    ]
