"""Sets: joined, walked along relations, one or the other, by their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import (
    And,
    Entities,
    Except,
    Filter,
    Fold,
    Having,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.grammar.constituents import (
    Made,
    Part,
    build_conjunction,
    is_plain,
    list_conditions,
    make_comparison,
    mark_rule,
)
from retrieval.programs.grammar.rules.base import Rules
from retrieval.programs.grounding.anchors.anchor import Relating
from retrieval.programs.grounding.relation_types import LOCATING

#: Sets as simple as these may have nothing in common and still be meant together: "is there", "how many".
_PLAIN = frozenset({"node", "walk", "kind", "filter"})
#: Of so many of a set less than one is of a kind that it is not meant to be of.
_STRAY = 10
#: What may stand between a verb and what it is said of: "scored the most goals", not "the area of the largest".
_NEXT = frozenset({"none", "have", "do"})

#: Whether what has a relation or what it leads to is asked for.
_OTHER_WAY = {"value": "owner", "owner": "value"}


def _get_key_relations(program: Program) -> tuple[int, ...]:
    """The relations of the key that a program ranks, filters or sums up by, or of what it counts in comparing."""
    if isinstance(program, Filter) and program.key.counted:
        return program.key.path
    return program.key.path if isinstance(program, Top | Filter | Fold) and not program.key.counted else ()


def _is_unknown(kind: Part, name_part: Part) -> bool:
    """Whether one set is of a noun that the graph has no word for, and the other a name."""
    return name_part.extra == "node" and any(name == "i.unknown" for name, _ in kind.features)


class SetRules(Rules):
    """See the module."""

    @mark_rule("SS")
    def _join_sets(self, left: Part, right: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward
        first, second = left.expression, right.expression
        if first == second or (gap == "than" and self.asked == "yes/no"):
            return
        if gap in ("or", "than"):
            yield (
                "S",
                self._make_union(first, second) if gap == "or" else Or(first, second),
                None,
                ((gap, 1.0),),
            )
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
                yield (
                    "S",
                    build_conjunction(target.expression, either),
                    None,
                    (*features, ("bridge.twins", 1.0)),
                )
            for path, share in ways:
                walked: Program = reduce(Walk, path, source.expression)
                if path[-1] == self.schema.type_relation:
                    walked = self._find_types(reduce(Walk, path[:-1], source.expression))
                features = self.compute_bridge_features(path[-1], share, f"{name}.{gap}", source, target)
                if len(path) > 1:
                    features = (*features, ("bridge.two", 1.0), (f"bridge.two.{source.extra}", 1.0),
                                ("bridge.three", float(len(path) > 2)))  # fmt: skip
                yield "S", build_conjunction(target.expression, walked), None, features

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

    def _is_value_mismatch(self, left: Part, right: Part) -> bool:
        """Whether numbers or dates are to be things: hours and a project."""
        sets = [self.compute_nodes(part.expression) for part in (left, right)]
        if not all(map(len, sets)):
            return False
        valued = [bool(self.executor.columns.kinds[nodes].all()) for nodes in sets]
        return valued[0] != valued[1]

    def _is_told_apart(self, *twins: int) -> bool:
        """Whether the word that tells two relations apart was said."""
        first_words = (self.schema.relations[r % len(self.schema.relations)].label.casefold().split()[0] for r in twins)
        return any(word in self.said for word in first_words)

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

    @mark_rule("RS")
    def _walk_relation(self, relating: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        relation: Relating = relating.extra
        order = "RS" if forward else "SR"
        name, form = (
            self.schema.relations[relation.relation].label,
            self.schema.relations[relation.relation].form,
        )
        if gap in _NEXT and relation.relation in _get_key_relations(of.expression):
            yield "S", of.expression, of.extra, (("r.again", 1.0), ("r.again.key", 1.0))
        if not forward and self._is_counting_by(of.expression, relation.relation):
            yield "S", of.expression, of.extra, (("r.again", 1.0), ("r.again.key", 1.0))
        naming = float(any(feature == "r.recall" for feature, _ in relating.features))
        if relation.relation in self.schema.namings:
            if of.extra != "node":
                yield "S", of.expression, of.extra, (("r.naming", 1.0),)
            return
        empty = True
        ways = ((relation.relation, "value"), (self.schema.get_inverse(relation.relation), "owner"))
        both = all(len(self.compute_nodes(Walk(of.expression, directed))) for directed, _ in ways)
        # "Who taught her", and not whom she taught, where people teach people.
        active = form == "verb" and " " not in name and both and of.extra == "node"
        active = active and not relation.doer and self.asked == "who"
        asked_order = order if "by" not in self.said else order[::-1]
        # "The children of James" have him, and whom "is he a child of" he has.
        last = self.words[-1:] == ["of"]
        alike = any(feature == "r.alike" for feature, _ in relating.features)
        of_it = float((gap == "of" or last) and form == "of" and of.extra == "node") * max(naming, alike)
        both = both and form == "noun"
        for directed, way in ways:
            program: Program = Walk(of.expression, directed)
            if len(self.compute_nodes(program)):
                empty = False
                if directed == self.schema.type_relation:
                    program = self._find_types(of.expression)
                back = self.schema.get_inverse(directed)
                returns = isinstance(of.expression, Walk) and of.expression.relation == back
                features = (
                    (f"walk.{way}.{order}", 1.0), (f"walk.{way}.{order}.{gap}", 1.0), (f"walk.{way}.{of.extra}", 1.0),
                    (f"lex:walk.{way}>{name}", 1.0), ("walk.back", float(returns)),
                    (f"walk.{form}.{way}.{order}", naming), (f"walk.{form}.{way}", naming),
                    (f"walk.either.{way}", naming * float(both and of.extra == "node" and not relation.does)),
                    (f"walk.does.{way}.{order}", float(relation.does)), (f"walk.doer.{way}", float(relation.doer)),
                    (f"walk.active.{way}.{asked_order}", float(active)),
                    (f"walk.of_it.{way if not last else _OTHER_WAY[way]}", of_it),
                )  # fmt: skip
                yield "S", program, "walk", features
                twin = self.schema.find_twin(directed)
                if twin is not None and of.extra == "node" and not self._is_told_apart(directed, twin):
                    either = Or(program, Walk(of.expression, twin))
                    yield "S", either, "walk", (*features, ("walk.twins", 1.0))
        if empty:
            measured = any(name == "r.adjective" for name, _ in relating.features)
            measured = measured and bool(self.schema.somebody[self.compute_nodes(of.expression)].all())
            for directed, way in ways:
                having = Having(directed)
                reaching = [
                    ((bridge,), share) for bridge, share in self.find_bridges(of.expression, having)[:2]
                ] or self._find_place_paths(of.expression, directed)
                for path, share in reaching:
                    path_features = self.compute_bridge_features(path[-1], share, "walk", of, relating)
                    program = Walk(reduce(Walk, path, of.expression), directed)
                    yield "S", program, "walk", (
                        *path_features, ("walk.two", 1.0), (f"walk.two.{way}.{order}", 1.0), ("bridge.two",
                        float(len(path) > 1)),
                        ("walk.two.measure", float(measured and of.extra == "node")),
                    )  # fmt: skip
            if of.extra != "node":
                return
            yield (
                "S",
                Walk(of.expression, relation.relation),
                "walk",
                (("walk.empty", 1.0), (f"walk.empty.{order}", 1.0)),
            )

    def _find_place_paths(self, of: Program, directed: int) -> list[tuple[tuple[int, ...], float]]:
        """Ways over two facts of places to what a relation leaves: who works in Sweden does in a city there."""
        relations = self.schema.relations
        return [
            (path, share) for path, share in self.find_far_bridges(of, Having(directed))[:2]
            if path[-1] != self.schema.get_inverse(directed)
            and all(set(relations[r % len(relations)].stems) & LOCATING for r in path)
        ]  # fmt: skip

    def _find_types(self, of: Program) -> Program:
        """The kinds of some things without what they all are, where they have others: "types of artworks"."""
        relation = self.schema.type_relation
        assert relation is not None
        every, nodes = Walk(of, relation), self.compute_nodes(of)
        common_ones = tuple(
            kind
            for kind in self.compute_nodes(every).tolist()
            if len(find_common(nodes, self.schema.list_members(kind))) == len(nodes)
        )
        if not common_ones or len(common_ones) == len(self.compute_nodes(every)):
            return every
        return Except(every, Entities(common_ones))

    def _is_counting_by(self, program: Program, relation: int) -> bool:
        """Whether a ranking counts along a relation: of the "products they supply" the number is by that already."""
        key = program.key if isinstance(program, Top) else None
        return (
            key is not None and key.counted and relation in {r % self.schema.snapshot.num_relations for r in key.path}
        )

    @mark_rule("HS")
    def _walk_kin(self, kin: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        program, relatives = of.expression, [of.expression]
        for index, step in enumerate(kin.extra.steps):
            ways: list[Program] = [
                walked for walked in (Walk(program, relation) for relation in step) if len(self.compute_nodes(walked))
            ]
            if not ways:
                return
            program = reduce(Or, ways)
            if kin.extra.others == index - 1:
                program = Except(program, relatives[-2])
            relatives.append(program)
        order = "HS" if forward else "SH"
        yield "S", program, "walk", (("kin.walk", 1.0), (f"kin.{order}", 1.0), (f"kin.{order}.{gap}", 1.0))

    @mark_rule("RF")
    def _skip_repeated_relation(self, relating: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The total number of goals scored": the number is of that relation already."""
        del forward
        if gap in _NEXT and relating.extra.relation in _get_key_relations(number.expression):
            yield "F", number.expression, None, (("r.again", 1.0), ("r.again.key", 1.0))

    @mark_rule("RR")
    def _merge_same_relation(self, left: Part, right: Part, forward: bool, gap: str) -> Iterator[Made]:
        """A relation in other words, "the boss he reports to"; "X's boss's boss" walks it once more."""
        del forward
        twice = left.extra.doer != right.extra.doer  # who taught the teacher
        if left.extra.relation == right.extra.relation and gap != "of" and not twice:
            yield "R", None, left.extra, (("r.again", 1.0),)

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

    @mark_rule("GR")
    def _filter_relation_by_text(self, text: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        match, wanted = text.extra
        relation = relating.extra.relation
        program = TextFilter(Having(relation), relation, match, wanted)
        empty = float(not len(self.compute_nodes(program)))
        yield (
            "S",
            program,
            "filter",
            (("text.relation", 1.0), ("text.order", float(forward)), ("text.empty", empty)),
        )

    @mark_rule("GS")
    def _filter_set_by_text(self, text: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward, gap
        match, wanted = text.extra
        program = TextFilter(of.expression, None, match, wanted)
        if len(self.compute_nodes(program)):
            yield "S", program, "filter", (("text.name", 1.0),)
