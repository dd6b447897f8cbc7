"""Alternatives: one set or another, one value or another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import Entities, Or, Program, Walk
from retrieval.programs.grammar.constituents import Made, Part, build_conjunction, make_comparison, mark_rule
from retrieval.programs.grammar.rules.base import Rules


class AlternativeRules(Rules):
    """Join two sets, or two values, by "or"."""

    def _make_union(self, first: Program, second: Program) -> Or:
        """Either of two sets; from what is only named it is walked as from the other: "acts from Whitby or Truro"."""
        for walked, name_set in ((first, second), (second, first)):
            ways, source = list[int](), walked
            start: Program = name_set
            while isinstance(source, Walk):
                ways.append(source.relation)
                source = source.source
            if ways and isinstance(source, Entities) and isinstance(name_set, Entities):
                too = reduce(Walk, reversed(ways), start)
                if len(self.compute_nodes(too)):
                    return Or(walked, too) if walked is first else Or(too, walked)
        return Or(first, second)

    def _has_disjoint_side(self, target: Program, either: Program) -> bool:
        """Whether a side of an "or" has nothing in common with what both sides are to be."""
        sides = (either.left, either.right) if isinstance(either, Or) else ()
        nodes = self.compute_nodes(target)
        return any(not len(find_common(self.compute_nodes(side), nodes)) for side in sides)

    def _join_union_sides(self, kind: Part, other: Part) -> Iterator[Made]:
        """ "Hives in the orchard or that Mairi cares for": of an "or" the side that names something is reached."""
        either = other.expression
        if not isinstance(either, Or) or kind.extra != "kind" or not self._has_disjoint_side(kind.expression, either):
            return
        sides: list[Program] = []
        for side in (either.left, either.right):
            reached = side
            if not len(find_common(self.compute_nodes(side), self.compute_nodes(kind.expression))):
                ways = self.find_bridges(side, kind.expression)[:1]
                if not ways or not isinstance(side, Entities):
                    return
                reached = Walk(side, ways[0][0])
            sides.append(reached)
        yield "S", build_conjunction(kind.expression, Or(*sides)), None, (("and", 1.0), ("or.reached", 1.0))

    @mark_rule("IS")
    def _mark_alternative(self, cue: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward:
            yield "J", other.expression, other.extra, ()

    @mark_rule("JS")
    def _join_alternatives(self, either: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        """``other or either``: what stands before the "or" comes first, so only from the right."""
        del gap
        if forward or either.expression == other.expression:
            return
        yield (
            "S",
            self._make_union(other.expression, either.expression),
            other.extra,
            (("or", 1.0), (f"or.{other.extra}.{either.extra}", 1.0)),
        )

    @mark_rule("IT", "IN")
    def _mark_value_alternative(self, cue: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward:
            yield "Z", None, make_comparison(other), ()

    @mark_rule("ZT", "ZN")
    def _join_value_alternatives(self, either: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        if not forward:
            first, second = make_comparison(other), either.extra
            if second.exact and not first.exact:
                second = replace(second, comparing=first.comparing, exact=False)
            yield "W", None, (first, second), (("or.value", 1.0),)

    @mark_rule("WR")
    def _filter_relation_by_either(self, either: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        made = [list(self.filter_relation(valued, relating.extra.relation, forward, gap)) for valued in either.extra]
        for first in made[0]:
            for second in made[1]:
                if first[1] is not None and second[1] is not None:
                    yield "S", Or(first[1], second[1]), None, (*first[3], ("or.value", 1.0))
