"""Groups: a number of each of some things, and rankings by such a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Folding
from retrieval.programs.algebra.operations import EVERY, Count, Fold, Having, Key, Program, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, mark_rule
from retrieval.programs.grammar.rules.group_rows import GroupRowRules
from retrieval.programs.grounding.anchors.anchor import Features

#: Sets of each of which a number may be asked for.
_GROUPS = frozenset({"kind", "ends", "starts", "hub", "walk", "domain", None})


class GroupRules(GroupRowRules):
    """See the module."""

    @mark_rule("BF")
    def _rank_by_number(self, most: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The top 5 suppliers by number of products", "the top 5 customers by total freight"."""
        rank, through = most.extra
        if not forward or through is not None:
            return
        for key, features in self._build_group_keys(most, number):
            program = Top(most.expression, key, rank.largest, rank.rank, rank.count)
            yield "S", program, "top", (*features, ("top.number", 1.0), (f"top.number.{gap}", 1.0))

    @mark_rule("ES")
    def _make_groups(self, cue: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        guessed = any(name in ("k.similar", "k.any", "s.similar") for name, _ in of.features)
        if forward and of.extra in _GROUPS and not guessed and len(self.compute_nodes(of.expression)) > 1:
            headless = float(("k.head", 0.0) in of.features)  # "per region" is not "per regional manager"
            yield "e", of.expression, of.extra, (("each", 1.0), (f"each.{of.extra}", 1.0), ("each.headless", headless))

    @mark_rule("eF")
    def _compute_group_numbers(self, each: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The number of orders of each customer", "average salary by department": each with its own."""
        del gap
        order = "eF" if forward else "Fe"
        for key, features in self._build_group_keys(each, number):
            program = Top(self._find_groups(each, key), key, True, 1, EVERY)
            yield "F", program, None, (*features, ("each.number", 1.0), (f"each.{order}", 1.0))

    @mark_rule("eQ")
    def _count_per_group(self, each: Part, cue: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "How many devices per room", where nothing is called a device: how many things have each room."""
        del cue, forward, gap
        having = each.expression
        if each.extra == "ends" and isinstance(having, Having):
            program = Top(having, Key((having.relation,), counted=True), True, 1, EVERY)
            yield "F", program, None, (("each.number", 1.0), ("each.set", 1.0))

    @mark_rule("eR")
    def _compute_group_sums(self, each: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Fees by place", "minutes per topic": what the column comes to for each."""
        del gap
        relation = relating.extra.relation
        if forward or relation not in self.schema.measures.numbers_by_id or relating.extra.quality < 1.0:
            return
        total = Fold(Folding.SUM, Having(relation), Key((relation,)))
        number = Part("F", relating.first, relating.last, total, None, 0.0, ())
        for key, features in self._build_group_keys(each, number):
            yield (
                "F",
                Top(self._find_groups(each, key), key, True, 1, EVERY),
                None,
                (*features, ("each.set", 1.0)),
            )

    @mark_rule("eS")
    def _count_group_members(self, each: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Orders per customer": how many of them each has."""
        if forward or gap != "none" or of.extra not in _GROUPS:
            return
        number = Part("F", of.first, of.last, Count(of.expression), None, 0.0, ())
        for key, features in self._build_group_keys(each, number):
            yield (
                "F",
                Top(self._find_groups(each, key), key, True, 1, EVERY),
                None,
                (*features, ("each.set", 1.0)),
            )

    @mark_rule("eS")
    def _rank_within_groups(self, each: Part, ranked: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The dearest product of each category": the places are those among the products of one category."""
        del forward
        top = ranked.expression
        if not isinstance(top, Top) or top.count == EVERY or top.per is not None:
            return
        ways: list[tuple[tuple[int, ...], float]] = [
            ((r,), share) for r, share in self.find_bridges(top.source, each.expression)
        ]
        for path, share in ways or self.find_far_bridges(top.source, each.expression):
            features = self.compute_bridge_features(path[-1], share, "each", ranked, each)
            yield (
                "S",
                replace(top, per=path),
                "top",
                (
                    *features,
                    ("bridge.two", float(len(path) > 1)),
                    ("top.each", 1.0),
                    (f"top.each.{gap}", 1.0),
                    ("top.each.share", self._measure_grouped_share(top.source, path)),
                ),
            )

    def _measure_grouped_share(self, source: Program, path: tuple[int, ...]) -> float:
        """The share of a set that is in any group."""
        nodes = self.compute_nodes(source)
        return len(np.unique(self.executor.compute_pairs(nodes, path)[0])) / max(1, len(nodes))

    def _find_groups(self, each: Part, key: Key) -> Program:
        """All of a kind, or of what a relation leads to those that are met: the countries that customers are in."""
        if each.extra != "ends" or not key.counted or key.among is None:
            return each.expression
        return reduce(Walk, (self.schema.get_inverse(r) for r in reversed(key.path)), key.among)

    def _build_group_keys(self, owners: Part, number: Part) -> Iterator[tuple[Key, Features]]:
        """The number of each owner that a number of all is: how many it is joined to, the sum of its values."""
        program = number.expression
        if isinstance(program, Count):
            for back, features in self._find_group_paths(owners, number, program.source):
                yield Key(back, counted=True, among=program.source), features
        elif isinstance(program, Fold) and program.key.among is None:
            if len(find_common(self.compute_nodes(owners.expression), self.compute_nodes(program.source))):
                if self._is_complete_fold(owners.expression, program) and not self._is_single_valued(program):
                    yield replace(program.key, folding=program.how), (("each.own", 1.0),)
                return
            for back, features in self._find_group_paths(owners, number, program.source):
                if back[-1] == self.schema.get_inverse(program.key.path[0]):
                    continue  # values are no groups of themselves
                if (key := self.build_group_key(program, back, owners.expression)) is not None:
                    yield key, (*features, ("each.some", float(key.among is not None)))

    def _find_group_paths(
        self, owners: Part, number: Part, source: Program
    ) -> Iterator[tuple[tuple[int, ...], Features]]:
        """Paths from owners to what a number is of, with what speaks for each."""
        ways: list[tuple[tuple[int, ...], float]] = [
            ((r,), share) for r, share in self.find_bridges(source, owners.expression)
        ]
        for path, share in ways or self.find_far_bridges(source, owners.expression):
            features = self.compute_bridge_features(path[-1], share, "each", number, owners)
            back = tuple(self.schema.get_inverse(r) for r in reversed(path))
            yield back, (*features, ("bridge.two", float(len(path) > 1)))

    def _is_single_valued(self, fold: Fold) -> bool:
        """Whether an average is of the one value that each has."""
        owners = self.executor.columns.get_column(fold.key.path[0]).owners
        return fold.how is Folding.AVERAGE and len(fold.key.path) == 1 and len(np.unique(owners)) == len(owners)
