"""Sets: two of them joined, one reached from the other, or one filtered by texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import And, Entities, Having, Or, Program, TextFilter, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, build_conjunction, is_plain, list_conditions, mark_rule
from retrieval.programs.grammar.rules.alternatives import AlternativeRules
from retrieval.programs.grammar.rules.walks import WalkRules

#: Sets as simple as these may have nothing in common and still be meant together: "is there", "how many".
_PLAIN = frozenset({"node", "walk", "kind", "filter"})
#: Of so many of a set less than one is of a kind that it is not meant to be of.
_STRAY = 10


def _is_unknown(kind: Part, name_part: Part) -> bool:
    """Whether one set is of a noun that the graph has no word for, and the other a name."""
    return name_part.extra == "node" and any(name == "i.unknown" for name, _ in kind.features)


class SetRules(WalkRules, AlternativeRules):
    """Join two sets, and filter one by a text."""

    @mark_rule("SS")
    def _join_sets(self, left: Part, right: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward
        first, second = left.expression, right.expression
        if first == second or (gap == "than" and self.asked == "yes/no"):
            return
        if gap in ("or", "than"):
            yield ("S", self._make_union(first, second) if gap == "or" else Or(first, second), None, ((gap, 1.0),))
        met = build_conjunction(first, second)
        if self.is_keyless(met):
            return
        both_named = left.extra == "node" and right.extra == "node"
        if _is_unknown(left, right) or _is_unknown(right, left):
            pass  # what is named is not what an unknown noun stands for
        elif len(self.compute_nodes(met)):
            ranked = isinstance(met, Top) and len(self.compute_nodes(met.source)) < 2
            yield (
                "S",
                met,
                None,
                (
                    ("and", 1.0),
                    (f"and.{gap}", 1.0),
                    (f"and.{left.extra}.{right.extra}", 1.0),
                    ("top.single", float(ranked)),
                    ("and.stray", float(self._is_stray(left, right) or self._is_stray(right, left))),
                    (
                        "and.half",
                        float(self._has_disjoint_side(first, second) or self._has_disjoint_side(second, first)),
                    ),
                ),
            )
        elif both_named and self.asked == "yes/no" and not self.find_bridges(first, second):
            yield "S", met, None, (("and", 1.0), ("and.empty.named", 1.0))
        elif self._is_none(first, second) or self._is_none(second, first):
            pass  # what is named is in a row, and none itself
        elif (
            self.asked == "yes/no"
            and left.extra == "node"
            and isinstance(second, And)
            and len(self.compute_nodes(second))
        ):
            if self._has_shared_relations(first, second):  # who is named is none of the wagons that somebody sleeps in
                yield "S", met, None, (("and", 1.0), ("and.empty.claim", 1.0))
        elif self._is_joined(left, right):
            pass  # electrical jobs are of ELEC, which is no job
        elif not both_named and left.extra in _PLAIN and right.extra in _PLAIN:
            foreign = self.asked != "yes/no" and self._is_value_mismatch(left, right)
            yield "S", met, None, (("and", 1.0), ("and.empty", 1.0), ("and.foreign", float(foreign)))
        if gap in ("and", "none") and left.extra == right.extra:
            yield "S", Or(first, second), None, (
                ("and.union", 1.0), (f"and.union.{left.extra}", 1.0), (f"and.union.{self.asked}", 1.0),
            )  # fmt: skip
        if both_named and (both := self._find_rows_of_both(first, second)):  # home and away: either way round
            yield "S", reduce(Or, both), "walk", (("and", 1.0), ("and.rows", 1.0))
        yield from self._rank_within(left, right, gap)
        yield from self._join_union_sides(left, right)
        yield from self._join_union_sides(right, left)
        for target, source, name in ((left, right, "right"), (right, left, "left")):
            ways: list[tuple[tuple[int, ...], float]] = [
                ((relation,), share) for relation, share in self.find_bridges(source.expression, target.expression)
            ]
            if not ways and source.extra in _PLAIN and not len(self.compute_nodes(met)) and target.extra != "node":
                ways = self.find_far_bridges(source.expression, target.expression)
                if not ways and source.extra == "node" and target.extra == "kind":
                    ways = self.find_distant_bridges(source.expression, target.expression)
            paired = [path[0] for path, _ in ways if len(path) == 1 and self.schema.find_twin(path[0]) is not None]
            if len(paired) > 1 and source.extra == "node" and self.schema.find_twin(paired[0]) == paired[1]:
                either = Or(Walk(source.expression, paired[0]), Walk(source.expression, paired[1]))
                features = self.compute_bridge_features(paired[0], 1.0, f"{name}.{gap}", source, target)
                yield ("S", build_conjunction(target.expression, either), None, (*features, ("bridge.twins", 1.0)))
            for path, share in ways:
                walked: Program = reduce(Walk, path, source.expression)
                if path[-1] == self.schema.type_relation:
                    walked = self._find_types(reduce(Walk, path[:-1], source.expression))
                features = self.compute_bridge_features(path[-1], share, f"{name}.{gap}", source, target)
                if len(path) > 1:
                    features = (*features, ("bridge.two", 1.0), (f"bridge.two.{source.extra}", 1.0),
                                ("bridge.three", float(len(path) > 2)))  # fmt: skip
                yield "S", build_conjunction(target.expression, walked), None, features

    def _has_shared_relations(self, first: Program, second: Program) -> bool:
        """Whether any relation leaves both of two sets, in the same direction: they may be of one sort."""
        return bool(((self._get_leaving_arcs(first)[2] > 0) & (self._get_leaving_arcs(second)[2] > 0)).any())

    def _find_rows_of_both(self, first: Program, second: Program) -> list[Program]:
        """Rows without names in which both of two named things stand: of "how many tries did Tess need for it"."""
        rows, ways = self.schema.surrogates[0], list[list[Walk]]()
        for name_set in (first, second):
            back = (
                r
                for r in self.schema.find_shared_relations(self.compute_nodes(name_set))
                if r >= self.schema.snapshot.num_relations
            )
            ways.append([walked for r in back if rows[self.compute_nodes(walked := Walk(name_set, r))].all()])
        pairs: list[Program] = [And(*pair) for pair in product(*ways) if pair[0].relation != pair[1].relation]
        met = [pair for pair in pairs if len(self.compute_nodes(pair))]
        if met or self.asked != "yes/no":
            return met
        return [pair for pair in pairs if isinstance(pair, And) and self._is_in_one_row(pair)]

    def _is_in_one_row(self, pair: And) -> bool:
        """Whether rows have both of two columns: "did Ida order a chair" is a no where she ordered others."""
        sources = [
            self.executor.columns.list_sources(self.schema.get_inverse(side.relation))
            for side in (pair.left, pair.right)
            if isinstance(side, Walk)
        ]
        return len(find_common(*sources)) > 0

    def _is_none(self, name_set: Program, program: Program) -> bool:
        """Whether something is named, and any condition of a set is one of rows without names, of which it is none, or
        of something else that is named, and more.
        """
        rows = self.schema.surrogates[0]
        if not isinstance(name_set, Entities) or rows[self.compute_nodes(name_set)].any():
            return False
        every = list_conditions(program)
        others = [condition for condition in every if not isinstance(condition, Entities) and not is_plain(condition)]
        if (
            len(name_set.ids) == 1
            and others
            and any(isinstance(condition, Entities) and condition != name_set for condition in every)
        ):
            return True
        sets = [self.compute_nodes(condition) for condition in every if not self._is_kind(condition)]
        return any(len(nodes) and bool(rows[nodes].all()) for nodes in sets)

    def _is_kind(self, program: Program) -> bool:
        """Whether a set is all of a kind, or all that have something: that may be denied of what is named."""
        typed = self.schema.type_relation
        back = None if typed is None else self.schema.get_inverse(typed)
        return isinstance(program, Having) or (isinstance(program, Walk) and program.relation == back)

    def _is_joined(self, left: Part, right: Part) -> bool:
        """Whether things of a kind have something that is named, where no yes or no is asked of it."""
        if self.asked == "yes/no" or {left.extra, right.extra} != {"node", "kind"}:
            return False
        name_part, kind = (left, right) if left.extra == "node" else (right, left)
        return bool(self.find_bridges(kind.expression, name_part.expression))

    def _is_value_mismatch(self, left: Part, right: Part) -> bool:
        """Whether numbers or dates are to be things: hours and a project."""
        sets = [self.compute_nodes(part.expression) for part in (left, right)]
        if not all(map(len, sets)):
            return False
        valued = [bool(self.executor.columns.kinds[nodes].all()) for nodes in sets]
        return valued[0] != valued[1]

    def _is_stray(self, kind: Part, other: Part) -> bool:
        """Whether hardly any of a set is of a kind: one supplier that is called as a product."""
        every = other.expression.source if isinstance(other.expression, Top) else other.expression
        nodes = self.compute_nodes(every)
        if kind.extra != "kind" or len(nodes) < _STRAY:
            return False
        return len(find_common(nodes, self.compute_nodes(kind.expression))) * _STRAY < len(nodes)

    def _rank_within(self, ranked: Part, within: Part, gap: str) -> Iterator[Made]:
        """ "Which river is the longest in Africa": of those in Africa, not the longest of all if it is there."""
        top = ranked.expression
        placed = gap == "preposition" and within.extra in _PLAIN - {"kind"}
        if ranked.extra != "top" or not isinstance(top, Top) or top.key.among is not None or not placed:
            return
        ways: list[tuple[tuple[int, ...], float]] = [
            ((relation,), share) for relation, share in self.find_bridges(within.expression, top.source)
        ]
        if not ways:
            ways = self.find_far_bridges(within.expression, top.source)
        for path, share in ways:
            walked = reduce(Walk, path, within.expression)
            program = replace(top, source=And(top.source, walked))
            if len(self.compute_nodes(program)):
                features = self.compute_bridge_features(path[-1], share, f"top.{gap}", within, ranked)
                single = float(len(self.compute_nodes(program.source)) < 2)
                yield "S", program, "top", (
                    *features, ("top.within", 1.0), ("top.single", single), ("bridge.two", float(len(path) > 1)),
                )  # fmt: skip

    @mark_rule("GR")
    def _filter_relation_by_text(self, text: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        match, wanted = text.extra
        relation = relating.extra.relation
        program = TextFilter(Having(relation), relation, match, wanted)
        empty = float(not len(self.compute_nodes(program)))
        yield ("S", program, "filter", (("text.relation", 1.0), ("text.order", float(forward)), ("text.empty", empty)))

    @mark_rule("GS")
    def _filter_set_by_text(self, text: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward, gap
        match, wanted = text.extra
        program = TextFilter(of.expression, None, match, wanted)
        if len(self.compute_nodes(program)):
            yield "S", program, "filter", (("text.name", 1.0),)
