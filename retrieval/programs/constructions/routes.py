"""Measures of routes between two named places: how far it is from Oslo to Bergen, how long a trip takes.

A route is a row with both ends: an edge with measures, or a flight in a table. The question may name its ends, or
attributes of them, such as the cities of airports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.values import parse
from retrieval.language.adjectives import POSITIVES, Adjective
from retrieval.lexicon import get_table
from retrieval.programs.algebra.operations import And, Or, Program, Walk
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.differences import find_named_things
from retrieval.programs.constructions.value_differences import CALCULATED
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.similarity import ANY_DATE

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.anchors.similarity import Adjectives
    from retrieval.programs.grounding.schema import Schema

_DIRECTIONS = get_table("direction_words")
#: Named places, arcs of a place that are read at most, and letters of an abbreviated label at least: dist, dur.
_ENDS, _LOOKED_AT, _SHORT = 2, 20_000, 3
#: Words before the ends of a route.
_BEFORE = frozenset({"and", "between", "from", "to"})
#: The dimension of what adjectives ask for.
_DIMENSIONS = {"far": "length", "long": "duration"}


class Routes:
    """Composes programs for questions about routes between two named places.

    Args:
        adjectives: what they compare.
    """

    def __init__(self, schema: Schema, executor: Executor, adjectives: Adjectives) -> None:
        self.schema = schema
        self.executor = executor
        self.adjectives = adjectives

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question = composed.question
        ends = _find_ends(question, composed.anchors, self.schema)
        if ends is None:
            return
        start, target, is_directed = ends
        rows = self._find_rows(start.program, target.program)
        back = self._find_rows(target.program, start.program)
        read = {n for end in (start, target) for n in range(end.first, end.last)}
        rest = [n for n in range(len(question.words)) if n not in read]
        program: Program | None
        if question.kind == "yes/no":
            program = rows if is_directed or rows is None or back is None else Or(rows, back)
        else:
            route = next((side for side in (rows, back) if side is not None and self._has_any(side)), None)
            measure = None if route is None else self._find_measure(composed, route, rest)
            program = None if route is None or measure is None else Walk(route, measure)
        if program is not None:
            parts = [Part("S", 0, 1, end.program, end.extra, 0.0, end.features, (), (end.first, end.last))
                     for end in (start, target)]  # fmt: skip
            cues = [Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1)) for n in rest]
            yield Part("S", 0, 1, program, "walk", 0.0, CALCULATED, (*parts, *cues))

    @cached_property
    def directions(self) -> dict[str, list[int]]:
        """Relations that lead from routes to their beginnings and ends."""
        first_words = [(info.id, info.label.casefold().split()[:1]) for info in self.schema.relations]
        return {route: [relation for relation, first in first_words if {*first} & {*words}]
                for route, words in _DIRECTIONS.items()}  # fmt: skip

    def _has_any(self, program: Program) -> bool:
        return len(self.executor.compute_nodes(program)) > 0

    def _find_rows(self, start: Program | None, target: Program | None) -> Program | None:
        """The routes from one place to another; an empty set if both have routes but none joins them."""
        empty: Program | None = None
        for begins, finishes in product(self._list_rows(start, "from"), self._list_rows(target, "to")):
            rows = And(begins, finishes)
            if self._has_any(rows):
                return rows
            empty = empty or rows
        return empty

    def _list_rows(self, place: Program | None, direction: str) -> Iterator[Program]:
        """The routes that begin or end at a place, or at things that have it as an attribute."""
        if place is None:
            return
        _, arcs, _, _ = find_arcs(self.schema.snapshot, self.executor.compute_nodes(place))
        owning = np.unique(arcs[arcs >= self.schema.snapshot.num_relations]).tolist() if len(arcs) <= _LOOKED_AT else []
        for sources in ([place], [Walk(place, relation) for relation in owning]):
            rows = {
                route: [Walk(source, self.schema.get_inverse(relation)) for source in sources for relation in relations]
                for route, relations in self.directions.items()
            }
            if any(map(self._has_any, chain(*rows.values()))):
                yield from rows[direction]
                return

    def _find_measure(self, composed: ComposedQuestion, rows: Program, rest: Sequence[int]) -> int | None:
        """The numeric relation of the routes that a question asks for: by its unit, its words, what the adjective
        compares, or an abbreviated label.
        """
        _, arcs, _, _ = find_arcs(self.schema.snapshot, self.executor.compute_nodes(rows))
        columns, words = self.schema.columns, [composed.question.words[n].text for n in rest]
        valued = [relation for relation in np.unique(arcs).tolist()
                  if relation < self.schema.snapshot.num_relations and columns.get_value_type(relation)]  # fmt: skip
        adjective = next((word for before, word in pairwise(words) if before == "how" and word in POSITIVES), "")
        matches = [anchor.extra.relation for anchor in sorted(composed.anchors, key=lambda anchor: -anchor.strength)
                 if anchor.category == "R" and {*range(anchor.first, anchor.last)} <= {*rest}]  # fmt: skip
        compared = POSITIVES[adjective] if adjective else Adjective()
        nouns = [*words, *(noun for noun, _ in compared.nouns)]
        candidates = [
            *(r for r in valued if adjective and self._get_dimension(r) == _DIMENSIONS.get(adjective)),
            *matches,
            *(relation for relation, _, quality in self.adjectives.find_relations(compared) if quality > ANY_DATE),
            *(r for r in valued if any(self._is_short_for(r, noun) for noun in nouns)),
        ]
        return next((relation for relation in candidates if relation in valued), None)

    def _get_dimension(self, relation: int) -> str:
        unit, kind = self.schema.columns.parse_named_unit(relation), self.schema.columns.get_value_type(relation)
        heading = parse(f"1 {self.schema.relations[relation].label}")  # a column that is called by its unit: km
        return next((value.dimension for value in (unit, kind, heading) if value and value.dimension), "")

    def _is_short_for(self, relation: int, noun: str) -> bool:
        label = self.schema.relations[relation].label.casefold()
        return len(label) >= _SHORT and noun.startswith(label)


def _find_ends(
    question: QuestionWords, anchors: Sequence[Anchor], schema: Schema
) -> tuple[Anchor, Anchor, bool] | None:
    """Where a route begins and ends, and whether the direction matters: it does "from" A "to" B, not "between" them."""
    words = [word.text for word in question.words]
    things = sorted((anchor for anchor, _ in find_named_things(anchors, schema)), key=lambda anchor: anchor.first)
    if len(things) > _ENDS:
        things = [
            thing for thing in things if words[thing.first - 1 : thing.first] and words[thing.first - 1] in _BEFORE
        ]
    before = [words[thing.first - 1] if thing.first else "" for thing in things]
    if len(things) != _ENDS or not {"from", "between"} & {*before}:
        return None
    start, target = things if before[0] in ("from", "between") else reversed(things)
    return start, target, "from" in before
