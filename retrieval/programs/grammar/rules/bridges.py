"""Relations that join two sets when no word names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.english import NUMBERING
from retrieval.lexicon import get_table
from retrieval.programs.algebra.operations import Program, Walk
from retrieval.programs.grounding.relation_types import LOCATING

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grammar.constituents import Part
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.grounding.anchors.finder import Anchors
    from retrieval.programs.grounding.schema import Schema

_WAYS = get_table("direction_words")
"""Prepositions, and the first words of relations that lead to what stands behind them."""
#: Sets larger than this are not searched for the relations that leave them.
_BRIDGED = 3_000
#: Relations that may join two parts with none between them.
_BRIDGES = 5
#: Steps from one node to things of a kind, and ways that are tried.
_DISTANT, _MOST_DISTANT = 3, 60


class BridgeFinder:
    """Finds the relations that lead from one set into another, for one question.

    Args:
        anchors: knows what adjectives compare.
        relation_similarity: of the whole question with each relation, float32 [R]; empty without a text encoder.
        answer_sort: the sort of answer that is asked for.
        words: of the question, in order.
    """

    def __init__(
        self,
        schema: Schema,
        executor: Executor,
        anchors: Anchors,
        relation_similarity: np.ndarray,
        *,
        answer_sort: str = "list",
        words: Sequence[str] = (),
    ) -> None:
        self.schema = schema
        self.executor = executor
        self.anchors = anchors
        self.similar = relation_similarity
        self.asked = answer_sort
        self.words, self.said = words, frozenset(words)
        self._arcs: dict[Program, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self._far: dict[tuple[Program, Program], list[tuple[tuple[int, ...], float]]] = {}
        self._bridged: dict[tuple[Program, Program], list[tuple[int, float]]] = {}
        self._numbered: dict[Program, bool] = {}

    def get_similarity(self, relation: int) -> float:
        """The cosine of the question and a relation's name."""
        return float(self.similar[relation]) if len(self.similar) else 0.0

    def compute_nodes(self, program: Program) -> np.ndarray:
        """What a set denotes, int64 ascending."""
        return self.executor.compute_nodes(program)

    def find_bridges(self, source: Program | None, target: Program | None) -> list[tuple[int, float]]:
        """Directed relations that lead from a set into another, with the share of arcs that do, most first."""
        if source is None or target is None:
            return []
        if (source, target) not in self._bridged:
            self._bridged[source, target] = self._compute_bridges(source, target)
        return self._bridged[source, target]

    def _compute_bridges(self, source: Program, target: Program) -> list[tuple[int, float]]:
        ends_of = self.compute_nodes(target)
        size = len(self.compute_nodes(source))
        if not size or not len(ends_of):
            return []
        if size > _BRIDGED and len(ends_of) < size:
            return [(self.schema.get_inverse(r), share) for r, share in self._compute_bridges(target, source)]
        relations, ends, every = self._get_leaving_arcs(source)
        hits = np.bincount(relations[self.executor.test_membership(ends, ends_of)], minlength=len(every))
        if not NUMBERING & self.said:
            hits[self.schema.measures.numbering] = 0
        if self.schema.listing is not None:
            hits[[self.schema.listing, self.schema.get_inverse(self.schema.listing)]] = 0
        hits[self._list_number_relations(source, target, hits)] = 0
        joining = np.flatnonzero(hits)
        if not len(joining):
            return []
        shares = hits[joining] / every[joining]
        order = np.lexsort((joining, -shares * np.log1p(hits[joining])))
        return [(int(joining[i]), float(shares[i])) for i in order[:_BRIDGES]]

    def _list_number_relations(self, source: Program, target: Program, hits: np.ndarray) -> list[int]:
        """Directed relations to or from numbers that are the names of rows: 17 miles, and visit 17.

        Numbers that were reached from something lead nowhere either: things with an equal number are not related.
        """
        total = self.schema.snapshot.num_relations
        measured = isinstance(source, Walk) and source.relation in self.schema.numbers
        to_rows = [r for r in self.schema.numbers if hits[r]]
        from_rows = [r + total for r in self.schema.numbers if hits[r + total]]
        return [
            *(to_rows if to_rows and self._has_facts(target) else ()),
            *(from_rows if from_rows and (measured or self._has_facts(source)) else ()),
        ]

    def _has_facts(self, program: Program) -> bool:
        """Whether a set holds anything that something is said of."""
        nodes, offsets = self.compute_nodes(program), self.schema.snapshot.out_offsets
        return bool((offsets[nodes + 1] > offsets[nodes]).any())

    def _get_leaving_arcs(self, source: Program) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arcs that leave a set: directed relations and ends, and how many there are of each relation."""
        if source not in self._arcs:
            nodes = self.compute_nodes(source)
            nodes = nodes[:: max(1, len(nodes) // _BRIDGED)]
            _, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
            every = np.bincount(relations, minlength=2 * self.schema.snapshot.num_relations)
            self._arcs[source] = relations, ends, every
        return self._arcs[source]

    def find_far_bridges(self, source: Program | None, target: Program | None) -> list[tuple[tuple[int, ...], float]]:
        """Paths of two relations from a set into another, best first."""
        if source is None or target is None or not len(self.compute_nodes(source)):
            return []
        if (source, target) not in self._far:
            self._far[source, target] = self._compute_far_bridges(source, target)
        return self._far[source, target]

    def _compute_far_bridges(self, source: Program, target: Program) -> list[tuple[tuple[int, ...], float]]:
        every = self._get_leaving_arcs(source)[2]
        paths: list[tuple[tuple[int, ...], float]] = []
        onward = [r for r in np.argsort(-every, kind="stable").tolist() if every[r] and not self._has_values(r)]
        onward.sort(key=self._is_terminal)
        for first in onward[:_BRIDGES]:
            middle = Walk(source, first)
            if len(self.compute_nodes(middle)) <= _BRIDGED:
                paths += [
                    ((first, second), share)
                    for second, share in self.find_bridges(middle, target)[:2]
                    if second != self.schema.get_inverse(first)
                ]
        return sorted(paths, key=lambda item: -item[1])[:3]

    def _has_values(self, directed: int) -> bool:
        """Whether a directed relation leads to numbers and dates: from most columns of a table nothing leads on."""
        return self.schema.columns.get_value_type(directed) is not None

    def _is_terminal(self, directed: int) -> bool:
        """Whether nothing is said of what a directed relation leads to."""
        inverse, forward = divmod(directed, self.schema.snapshot.num_relations)
        return not inverse and self.schema.relations[forward].leaves == 1

    def find_distant_bridges(self, source: Program, kind: Program) -> list[tuple[tuple[int, ...], float]]:
        """Paths of three relations from one node to things of a kind, each of which has one of each on the way.

        "Wines from Spain" are made by a winery, which is in a region, which lies there. Ways by places come first.
        """
        schema = self.schema
        ways: list[tuple[tuple[int, ...], Program]] = [((), kind)]
        for _ in range(_DISTANT):
            onward: list[tuple[tuple[int, ...], Program]] = []
            for path, reached in ways:
                nodes = self.compute_nodes(reached)
                onward += [
                    ((*path, relation), Walk(reached, relation))
                    for relation in schema.single
                    if len(find_common(nodes, self.executor.columns.list_sources(relation)))
                ]
            ways = onward[:_MOST_DISTANT]
        wanted = self.compute_nodes(source)
        met = [path for path, reached in ways if len(find_common(self.compute_nodes(reached), wanted))]
        places = [sum(bool(set(schema.relations[r].stems) & LOCATING) for r in path) / _DISTANT for path in met]
        paths = [
            (tuple(schema.get_inverse(relation) for relation in reversed(path)), share)
            for path, share in zip(met, places, strict=True)
        ]
        return sorted(paths, key=lambda item: -item[1])[:2]

    def compute_bridge_features(self, relation: int, share: float, how: str, source: Part, target: Part) -> Features:
        """What speaks for a relation that no word names; ``how`` tells the occasion."""
        forward = relation % self.schema.snapshot.num_relations
        return (
            ("bridge", 1.0), (f"bridge.{how}", 1.0), ("bridge.share", share),
            ("bridge.similar", self.get_similarity(forward)),
            ("bridge.inverse", float(relation != forward)), (f"bridge.{_get_sort(target)}.{_get_sort(source)}", 1.0),
            ("bridge.type", float(forward == self.schema.type_relation)),
            ("bridge.said", float(self._is_said(forward, source))),
            (f"lex:bridge>{self.schema.relations[forward].label}", 1.0),
        )  # fmt: skip

    def _is_said(self, relation: int, source: Part) -> bool:
        """Whether the preposition before a name says a relation: "to Lisbon" the destination."""
        start = source.anchored[0] if source.anchored else 0
        before = [word for word in self.words[max(0, start - 2) : start] if word != "the"]
        label = self.schema.relations[relation].label.casefold().split()
        return bool(before) and bool(label) and label[0] in _WAYS.get(before[-1], ())


def _get_sort(part: Part) -> str:
    """What sort of part one is, in the name of a feature: numbers that are compared are not told apart."""
    return str(part.extra) if part.extra is None or isinstance(part.extra, str) else part.category
