"""How far two values of one thing are apart: its beginning and end, its price and what was paid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.language.amounts import Folding, ValueKind
from retrieval.language.english import STOP
from retrieval.language.words import QuestionWords, get_label_stems, join_words
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Fold,
    Key,
    KeyOf,
    Operation,
    Program,
    Walk,
)
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.differences import find_named_things
from retrieval.programs.constructions.value_requests import (
    DISTANCE_WORD,
    SURELY_MEANT,
    EndValue,
    parse_value_request,
    score_word,
)
from retrieval.programs.grammar.constituents import Part, iter_leaves
from retrieval.programs.grounding.computed import get_boundary_stems

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Anchor, Features
    from retrieval.programs.grounding.schema import Schema

#: Things that are named, readings that are looked at, and pairs of values that are tried.
_NAMED, _LOOKED_AT, _TRIED = 2, 5, 2
#: Pairs that score this much below the best are dropped.
_NEAR = 0.3
#: Nodes beside something whose values are looked at.
_BESIDE = 200
CALCULATED: Features = (
    ("difference", 1.0), ("difference.quality", 1.0), ("difference.asked", 1.0), ("calculated", 1.0),
)  # fmt: skip


class ValueDifferences:
    """Composes differences of two values of what is named."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, text = composed.question, join_words(composed.question)[0]
        request = parse_value_request(text)
        if request is None:
            return
        several = request.owed or request.gained
        holders = self._find_value_holders(
            composed.anchors, composed.parts, several=several, rows=several or request.timed
        )
        for source, paths, parts in holders:
            read = {n for part in parts for n in range(*(part.anchored or (0, 0))) if part.extra == "node"}
            rest = [n for n in range(len(question.words)) if n not in read]
            values = list(self._find_values(question, source, paths, rest))
            pairs = [(request.score_difference(left, right), left, right) for left, right in permutations(values, 2)]
            least = max(SURELY_MEANT, max((pair[0] for pair in pairs), default=0.0) - _NEAR)
            likely_pairs = sorted(
                (pair for pair in pairs if pair[0] >= least), key=lambda pair: (-pair[0], pair[1].path)
            )
            for _, left, right in likely_pairs[:_TRIED]:
                program = self._build_difference(text, source, left, right)
                if program is None or not self.executor.compute_number(program) >= 0.0:
                    continue
                cues = [Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1)) for n in rest]
                yield Part("F", 0, 1, program, None, 0.0, CALCULATED, (*parts, *cues))
            if likely_pairs:
                return

    def _build_difference(self, text: str, source: Program, left: EndValue, right: EndValue) -> Program | None:
        """The difference of two values, in the unit that is asked for."""
        if len(self.executor.compute_nodes(source)) > 1:
            key = Key(left.path, less=right.path)
            return Fold(Folding.SUM, source, key) if left.kind is ValueKind.NUMBER else None
        ends, begins = KeyOf(source, Key(left.path)), KeyOf(source, Key(right.path))
        if left.kind is ValueKind.DATE and not self.executor.compute_number(ends) >= self.executor.compute_number(
            begins
        ):
            return None
        if left.kind is ValueKind.DATE:
            if re.search(r"\b(?:years?|old|age)\b", text):
                return KeyOf(source, self._build_difference_key(left.path, right.path))
            days = Arithmetic(Operation.DAYS, begins, ends)
            return Arithmetic(Operation.RATIO, days, Constant(7.0, text="7 days")) if "weeks" in text else days
        return Arithmetic(Operation.DIFFERENCE, ends, begins)

    def _build_difference_key(self, ends: tuple[int, ...], begins: tuple[int, ...]) -> Key:
        """A value less another of the same thing, whichever of both lies a step away."""
        if len(ends) == len(begins):
            return (
                Key(ends, less=begins[-1:])
                if ends[:-1] == begins[:-1]
                else Key(ends, less=self._build_connecting_path(ends, begins))
            )
        return Key(ends, less=self._build_connecting_path(ends, begins))

    def _build_connecting_path(self, ends: tuple[int, ...], begins: tuple[int, ...]) -> tuple[int, ...]:
        """The path to a value from where the last relation of another begins."""
        return (*(self.schema.get_inverse(relation) for relation in reversed(ends[:-1])), *begins)

    def _find_value_holders(
        self, anchors: Sequence[Anchor], composed: Sequence[Part], *, several: bool, rows: bool
    ) -> Iterator[tuple[Program, list[tuple[int, ...]], tuple[Part, ...]]]:
        """What has the values, with the paths to where they may lie and the parts that say it.

        That is what is named, the row that two names share, or with ``rows`` the one row that the question was
        read as; with ``several`` also the rows of what is named.
        """
        things = find_named_things(anchors, self.schema)
        named_parts = tuple(
            Part("S", 0, 1, anchor.program, anchor.extra, 0.0, anchor.features, (), (anchor.first, anchor.last))
            for anchor, _ in things
        )
        sets = [program for _, program in things]
        if len(sets) == 1:
            yield sets[0], self._list_paths(sets[0]), named_parts
            for relation in self._list_neighbour_relations(sets[0]) if several else ():
                yield Walk(sets[0], relation), [()], named_parts
        elif len(sets) == _NAMED:
            ways = [self._list_neighbour_relations(source) for source in sets]
            for left, right in product(*ways):
                here = self.executor.walk(self.executor.compute_nodes(sets[0]), left)
                both = find_common(here, self.executor.walk(self.executor.compute_nodes(sets[1]), right))
                if len(both) == 1:
                    row = And(Walk(sets[0], left), Walk(sets[1], right))
                    yield row, self._list_paths(row), named_parts
            for source, target, relations in ((sets[0], sets[1], ways[0]), (sets[1], sets[0], ways[1])):
                ends = [self.executor.walk(self.executor.compute_nodes(source), relation) for relation in relations]
                if any(is_among(self.executor.compute_nodes(target), end).all() for end in ends):
                    yield source, self._list_paths(source), named_parts
        for part in composed[:_LOOKED_AT] if rows else ():
            program = part.program
            if isinstance(program, Count):
                program = program.source
            if program is None or isinstance(program, Entities) or part.category not in "SF":
                continue
            nodes = self.executor.run(program)
            if isinstance(nodes, np.ndarray) and len(nodes) == 1 and not self._mark_values(nodes).any():
                yield program, self._list_paths(program), tuple(iter_leaves(part))

    def _list_paths(self, source: Program) -> list[tuple[int, ...]]:
        return [(), *((relation,) for relation in self._list_single_relations(source))]

    def _list_neighbour_relations(self, source: Program) -> list[int]:
        """The directed relations by which what is named has neighbours that are no values and no kinds."""
        _, relations, ends, _ = find_arcs(self.schema.snapshot, self.executor.compute_nodes(source))
        if len(ends) > _BESIDE:
            return []
        distinct = np.unique(relations[~self._mark_values(ends)]).tolist()
        return [
            relation
            for relation in distinct
            if relation % self.schema.snapshot.num_relations != self.schema.type_relation
        ]

    def _mark_values(self, nodes: np.ndarray) -> np.ndarray:
        """Which nodes are values and not things whose names look like some: booking 2024-05, bool [n]."""
        offsets = self.schema.snapshot.out_offsets
        values: np.ndarray = (self.schema.columns.kinds[nodes] > 0) & (offsets[nodes + 1] == offsets[nodes])
        return values

    def _list_single_relations(self, source: Program) -> list[int]:
        """Those of them that lead to one, which is not another of the same sort."""
        nodes, single_relations = self.executor.compute_nodes(source), list[int]()
        _, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
        valued = set(relations[self._mark_values(ends)].tolist())
        for relation in self._list_neighbour_relations(source):
            reached = self.executor.walk(nodes, relation)
            _, leaving, to, _ = find_arcs(self.schema.snapshot, reached)
            if len(reached) == 1 and not valued & set(leaving[self._mark_values(to)].tolist()):
                single_relations.append(relation)
        return single_relations

    def _find_values(
        self, question: QuestionWords, source: Program, paths: Sequence[tuple[int, ...]], rest: Sequence[int]
    ) -> Iterator[EndValue]:
        """The single values that lie at the ends of paths, and one step on."""
        words = {
            n: question.words[n].stem
            for n in rest
            if question.words[n].text not in STOP and not DISTANCE_WORD.fullmatch(question.words[n].text)
        }
        for path in paths:
            nodes = self.executor.compute_nodes(source)
            way: frozenset[str] = frozenset()
            for relation in path:
                nodes = self.executor.walk(nodes, relation)
                way |= frozenset(self.schema.relations[relation % self.schema.snapshot.num_relations].stems)
            if self.schema.type_relation is not None:
                for kind in self.executor.walk(nodes, self.schema.type_relation).tolist():
                    way |= frozenset(get_label_stems(self.schema.snapshot.get_entity_label(kind)))
            _, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
            for relation in np.unique(relations[self._mark_values(ends)]).tolist():
                kind = self.schema.columns.get_value_type(relation)
                if kind is None or np.count_nonzero(relations == relation) != len(nodes):
                    continue
                relation_stems = get_boundary_stems(self.schema.relations[relation])
                stems = relation_stems | way if path else relation_stems
                word_scores = {n: how for n, word in words.items() if (how := score_word(word, stems))}
                yield EndValue((*path, relation), kind.kind, kind.year, kind.dimension, stems, word_scores)
