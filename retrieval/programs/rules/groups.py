"""Groups: a number of each of some things, and rankings by such a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

import numpy as np

from retrieval.kg.snapshot.arrays import common
from retrieval.programs.algebra import EVERY, Count, Fold, Folding, Having, Key, Program, Top, Walk
from retrieval.programs.anchors.anchor import Features
from retrieval.programs.parts import Made, Part, rule
from retrieval.programs.rules.base import Rules

#: Sets of each of which a number may be asked for.
_GROUPS = frozenset({"kind", "ends", "starts", "hub", "walk", "domain", None})


class GroupRules(Rules):
    """See the module."""

    @rule("BF")
    def _ranked_by_number(self, most: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The top 5 suppliers by number of products", "the top 5 customers by total freight"."""
        rank, through = most.extra
        if not forward or through is not None:
            return
        for key, features in self._keys_of(most, number):
            program = Top(most.expression, key, rank.largest, rank.rank, rank.count)
            yield "S", program, "top", (*features, ("top.number", 1.0), (f"top.number.{gap}", 1.0))

    @rule("ES")
    def _each(self, cue: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        guessed = any(name in ("k.similar", "k.any", "s.similar") for name, _ in of.features)
        if forward and of.extra in _GROUPS and not guessed and len(self.nodes(of.expression)) > 1:
            yield "e", of.expression, of.extra, (("each", 1.0), (f"each.{of.extra}", 1.0))

    @rule("eF")
    def _number_of_each(self, each: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The number of orders of each customer", "average salary by department": each with its own."""
        del gap
        order = "eF" if forward else "Fe"
        for key, features in self._keys_of(each, number):
            program = Top(self._met(each, key), key, True, 1, EVERY)
            yield "F", program, None, (*features, ("each.number", 1.0), (f"each.{order}", 1.0))

    @rule("eQ")
    def _anything_of_each(self, each: Part, cue: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "How many devices per room", where nothing is called a device: how many things have each room."""
        del cue, forward, gap
        having = each.expression
        if each.extra == "ends" and isinstance(having, Having):
            program = Top(having, Key((having.relation,), counted=True), True, 1, EVERY)
            yield "F", program, None, (("each.number", 1.0), ("each.set", 1.0))

    @rule("eR")
    def _sum_of_each(self, each: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Fees by place", "minutes per topic": what the column comes to for each."""
        del gap
        relation = relating.extra.relation
        if forward or relation not in self.schema.measures.numbers_by_id or relating.extra.quality < 1.0:
            return
        total = Fold(Folding.SUM, Having(relation), Key((relation,)))
        number = Part("F", relating.first, relating.last, total, None, 0.0, ())
        for key, features in self._keys_of(each, number):
            yield "F", Top(self._met(each, key), key, True, 1, EVERY), None, (*features, ("each.set", 1.0))

    @rule("eS")
    def _set_of_each(self, each: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Orders per customer": how many of them each has."""
        if forward or gap != "none" or of.extra not in _GROUPS:
            return
        number = Part("F", of.first, of.last, Count(of.expression), None, 0.0, ())
        for key, features in self._keys_of(each, number):
            yield "F", Top(self._met(each, key), key, True, 1, EVERY), None, (*features, ("each.set", 1.0))

    @rule("eS")
    def _top_of_each(self, each: Part, ranked: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The dearest product of each category": the places are those among the products of one category."""
        del forward
        top = ranked.expression
        if not isinstance(top, Top) or top.count == EVERY or top.per is not None:
            return
        ways: list[tuple[tuple[int, ...], float]] = [
            ((r,), share) for r, share in self.bridges(top.source, each.expression)
        ]
        for path, share in ways or self.far_bridges(top.source, each.expression):
            features = self.bridge_features(path[-1], share, "each", ranked, each)
            yield (
                "S",
                replace(top, per=path),
                "top",
                (
                    *features,
                    ("bridge.two", float(len(path) > 1)),
                    ("top.each", 1.0),
                    (f"top.each.{gap}", 1.0),
                    ("top.each.share", self._grouped(top.source, path)),
                ),
            )

    def _grouped(self, source: Program, path: tuple[int, ...]) -> float:
        """The share of a set that is in any group."""
        nodes = self.nodes(source)
        return len(np.unique(self.executor.pairs(nodes, path)[0])) / max(1, len(nodes))

    def _met(self, each: Part, key: Key) -> Program:
        """All of a kind, or of what a relation leads to those that are met: the countries that customers are in."""
        if each.extra != "ends" or not key.counted or key.among is None:
            return each.expression
        return reduce(Walk, (self.schema.inverse(r) for r in reversed(key.path)), key.among)

    def _keys_of(self, owners: Part, number: Part) -> Iterator[tuple[Key, Features]]:
        """The number of each owner that a number of all is: how many it is joined to, the sum of its values.

        A key has no room for a condition on what is summed up, so that sums of some of it are no numbers of each.
        """
        program = number.expression
        if isinstance(program, Count):
            for back, features in self._ways(owners, number, program.source):
                yield Key(back, counted=True, among=program.source), features
        elif isinstance(program, Fold) and program.key.among is None:
            if len(common(self.nodes(owners.expression), self.nodes(program.source))):
                if self._takes_all(owners.expression, program) and not self._single(program):
                    yield replace(program.key, folding=program.how), (("each.own", 1.0),)
                return
            for back, features in self._ways(owners, number, program.source):
                if back[-1] == self.schema.inverse(program.key.path[0]):
                    continue  # values are no groups of themselves
                if self._takes_all(reduce(Walk, back, owners.expression), program):
                    key = replace(program.key, path=(*back, *program.key.path), folding=program.how)
                    yield key, features

    def _ways(
        self, owners: Part, number: Part, source: Program
    ) -> Iterator[tuple[tuple[int, ...], Features]]:
        """Paths from owners to what a number is of, with what speaks for each."""
        ways: list[tuple[tuple[int, ...], float]] = [
            ((r,), share) for r, share in self.bridges(source, owners.expression)
        ]
        for path, share in ways or self.far_bridges(source, owners.expression):
            features = self.bridge_features(path[-1], share, "each", number, owners)
            back = tuple(self.schema.inverse(r) for r in reversed(path))
            yield back, (*features, ("bridge.two", float(len(path) > 1)))

    def _single(self, fold: Fold) -> bool:
        """Whether an average is of the one value that each has."""
        owners = self.executor.columns.column(fold.key.path[0]).owners
        return (
            fold.how is Folding.AVERAGE and len(fold.key.path) == 1 and len(np.unique(owners)) == len(owners)
        )

    def _takes_all(self, owned: Program, fold: Fold) -> bool:
        """Whether a sum or average is of all that owners have and that has a value."""
        valued = common(self.nodes(owned), self.executor.columns.sources(fold.key.path[0]))
        return len(common(valued, self.nodes(fold.source))) == len(valued)
