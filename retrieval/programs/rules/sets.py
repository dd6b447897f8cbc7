"""Sets: joined, walked along relations, one or the other, by their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product

from retrieval.kg.snapshot.arrays import common
from retrieval.programs.algebra import (
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
from retrieval.programs.anchors.anchor import Relating
from retrieval.programs.parts import Made, Part, conditions, conjunction, is_plain, rule, valued_of
from retrieval.programs.rules.base import Rules
from retrieval.programs.sorts import LOCATING

#: Sets as simple as these may have nothing in common and still be meant together: "is there", "how many".
_PLAIN = frozenset({"node", "walk", "kind", "filter"})
#: Of so many of a set less than one is of a kind that it is not meant to be of.
_STRAY = 10
#: What may stand between a verb and what it is said of: "scored the most goals", not "the area of the largest".
_NEXT = frozenset({"none", "have", "do"})

#: Whether what has a relation or what it leads to is asked for.
_OTHER_WAY = {"value": "owner", "owner": "value"}


def _keyed_by(program: Program) -> tuple[int, ...]:
    """The relations of the key that a program ranks, filters or sums up by, or of what it counts in comparing."""
    if isinstance(program, Filter) and program.key.counted:
        return program.key.path
    return program.key.path if isinstance(program, Top | Filter | Fold) and not program.key.counted else ()


def _is_unknown(kind: Part, named: Part) -> bool:
    """Whether one set is of a noun that the graph has no word for, and the other a name."""
    return named.extra == "node" and any(name == "i.unknown" for name, _ in kind.features)


class SetRules(Rules):
    """See the module."""

    @rule("SS")
    def _sets(self, left: Part, right: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward
        one, two = left.expression, right.expression
        if one == two or (gap == "than" and self.asked == "yes/no"):
            return
        if gap in ("or", "than"):
            yield "S", self._either_of(one, two) if gap == "or" else Or(one, two), None, ((gap, 1.0),)
        met = conjunction(one, two)
        if self.keyless(met):
            return
        named = left.extra == "node" and right.extra == "node"
        if _is_unknown(left, right) or _is_unknown(right, left):
            pass  # what is named is not what an unknown noun stands for
        elif len(self.nodes(met)):
            ranked = isinstance(met, Top) and len(self.nodes(met.source)) < 2
            yield (
                "S",
                met,
                None,
                (
                    ("and", 1.0),
                    (f"and.{gap}", 1.0),
                    (f"and.{left.extra}.{right.extra}", 1.0),
                    ("top.single", float(ranked)),
                    ("and.stray", float(self._stray(left, right) or self._stray(right, left))),
                    ("and.half", float(self._adds_nothing(one, two) or self._adds_nothing(two, one))),
                ),
            )
        elif named and self.asked == "yes/no" and not self.bridges(one, two):
            yield "S", met, None, (("and", 1.0), ("and.empty.named", 1.0))
        elif self._is_none(one, two) or self._is_none(two, one):
            pass  # what is named is in a row, and none itself
        elif (
            self.asked == "yes/no" and left.extra == "node" and isinstance(two, And) and len(self.nodes(two))
        ):
            if self._have_alike(one, two):  # who is named is none of the wagons that somebody sleeps in
                yield "S", met, None, (("and", 1.0), ("and.empty.claim", 1.0))
        elif self._joined(left, right):
            pass  # electrical jobs are of ELEC, which is no job
        elif not named and left.extra in _PLAIN and right.extra in _PLAIN:
            foreign = self.asked != "yes/no" and self._foreign(left, right)
            yield "S", met, None, (("and", 1.0), ("and.empty", 1.0), ("and.foreign", float(foreign)))
        if gap in ("and", "none") and left.extra == right.extra:
            yield "S", Or(one, two), None, (
                ("and.union", 1.0), (f"and.union.{left.extra}", 1.0), (f"and.union.{self.asked}", 1.0),
            )  # fmt: skip
        if named and (both := self._rows_of_both(one, two)):  # home and away: either way round
            yield "S", reduce(Or, both), "walk", (("and", 1.0), ("and.rows", 1.0))
        yield from self._ranked_within(left, right, gap)
        yield from self._either_reached(left, right)
        yield from self._either_reached(right, left)
        for target, source, name in ((left, right, "right"), (right, left, "left")):
            ways: list[tuple[tuple[int, ...], float]] = [
                ((relation,), share) for relation, share in self.bridges(source.expression, target.expression)
            ]
            if not ways and source.extra in _PLAIN and not len(self.nodes(met)) and target.extra != "node":
                ways = self.far_bridges(source.expression, target.expression)
                if not ways and source.extra == "node" and target.extra == "kind":
                    ways = self.distant_bridges(source.expression, target.expression)
            paired = [path[0] for path, _ in ways if len(path) == 1 and self.schema.twin(path[0]) is not None]
            if len(paired) > 1 and source.extra == "node" and self.schema.twin(paired[0]) == paired[1]:
                either = Or(Walk(source.expression, paired[0]), Walk(source.expression, paired[1]))
                features = self.bridge_features(paired[0], 1.0, f"{name}.{gap}", source, target)
                yield "S", conjunction(target.expression, either), None, (*features, ("bridge.twins", 1.0))
            for path, share in ways:
                walked: Program = reduce(Walk, path, source.expression)
                if path[-1] == self.schema.type_relation:
                    walked = self._types(reduce(Walk, path[:-1], source.expression))
                features = self.bridge_features(path[-1], share, f"{name}.{gap}", source, target)
                if len(path) > 1:
                    features = (*features, ("bridge.two", 1.0), (f"bridge.two.{source.extra}", 1.0),
                                ("bridge.three", float(len(path) > 2)))  # fmt: skip
                yield "S", conjunction(target.expression, walked), None, features

    def _either_of(self, one: Program, two: Program) -> Or:
        """Either of two sets; from what is only named it is walked as from the other: "acts from Whitby or Truro"."""
        for walked, named in ((one, two), (two, one)):
            ways, source = list[int](), walked
            start: Program = named
            while isinstance(source, Walk):
                ways.append(source.relation)
                source = source.source
            if ways and isinstance(source, Entities) and isinstance(named, Entities):
                too = reduce(Walk, reversed(ways), start)
                if len(self.nodes(too)):
                    return Or(walked, too) if walked is one else Or(too, walked)
        return Or(one, two)

    def _have_alike(self, one: Program, two: Program) -> bool:
        """Whether any relation leaves both of two sets, in the same direction: they may be of one sort."""
        return bool(((self._leaving(one)[2] > 0) & (self._leaving(two)[2] > 0)).any())

    def _rows_of_both(self, one: Program, two: Program) -> list[Program]:
        """Rows without names in which both of two named things stand: of "how many tries did Tess need for it"."""
        rows, ways = self.schema.surrogates[0], list[list[Walk]]()
        for named in (one, two):
            back = (
                r for r in self.schema.held_by(self.nodes(named)) if r >= self.schema.snapshot.num_relations
            )
            ways.append([walked for r in back if rows[self.nodes(walked := Walk(named, r))].all()])
        pairs: list[Program] = [And(*pair) for pair in product(*ways) if pair[0].relation != pair[1].relation]
        met = [pair for pair in pairs if len(self.nodes(pair))]
        if met or self.asked != "yes/no":
            return met
        return [pair for pair in pairs if isinstance(pair, And) and self._in_one_row(pair)]

    def _in_one_row(self, pair: And) -> bool:
        """Whether rows have both of two columns: "did Ida order a chair" is a no where she ordered others."""
        sources = [
            self.executor.columns.sources(self.schema.inverse(own.relation))
            for own in (pair.left, pair.right)
            if isinstance(own, Walk)
        ]
        return len(common(*sources)) > 0

    def _is_none(self, named: Program, program: Program) -> bool:
        """Whether something is named, and any condition of a set is one of rows without names, of which it is none, or
        of something else that is named, and more.
        """
        rows = self.schema.surrogates[0]
        if not isinstance(named, Entities) or rows[self.nodes(named)].any():
            return False
        every = conditions(program)
        others = [own for own in every if not isinstance(own, Entities) and not is_plain(own)]
        if (
            len(named.ids) == 1
            and others
            and any(isinstance(own, Entities) and own != named for own in every)
        ):
            return True
        sets = [self.nodes(own) for own in every if not self._is_kind(own)]
        return any(len(nodes) and bool(rows[nodes].all()) for nodes in sets)

    def _is_kind(self, program: Program) -> bool:
        """Whether a set is all of a kind, or all that have something: that may be denied of what is named."""
        typed = self.schema.type_relation
        back = None if typed is None else self.schema.inverse(typed)
        return isinstance(program, Having) or (isinstance(program, Walk) and program.relation == back)

    def _joined(self, left: Part, right: Part) -> bool:
        """Whether things of a kind have something that is named, where no yes or no is asked of it."""
        if self.asked == "yes/no" or {left.extra, right.extra} != {"node", "kind"}:
            return False
        named, kind = (left, right) if left.extra == "node" else (right, left)
        return bool(self.bridges(kind.expression, named.expression))

    def _adds_nothing(self, one: Program, either: Program) -> bool:
        """Whether a side of an "or" has nothing in common with what both sides are to be."""
        sides = (either.left, either.right) if isinstance(either, Or) else ()
        nodes = self.nodes(one)
        return any(not len(common(self.nodes(side), nodes)) for side in sides)

    def _either_reached(self, kind: Part, other: Part) -> Iterator[Made]:
        """ "Hives in the orchard or that Mairi cares for": of an "or" the side that names something is reached."""
        either = other.expression
        if (
            not isinstance(either, Or)
            or kind.extra != "kind"
            or not self._adds_nothing(kind.expression, either)
        ):
            return
        sides: list[Program] = []
        for side in (either.left, either.right):
            reached = side
            if not len(common(self.nodes(side), self.nodes(kind.expression))):
                ways = self.bridges(side, kind.expression)[:1]
                if not ways or not isinstance(side, Entities):
                    return
                reached = Walk(side, ways[0][0])
            sides.append(reached)
        yield "S", conjunction(kind.expression, Or(*sides)), None, (("and", 1.0), ("or.reached", 1.0))

    def _foreign(self, left: Part, right: Part) -> bool:
        """Whether numbers or dates are to be things: hours and a project."""
        sets = [self.nodes(part.expression) for part in (left, right)]
        if not all(map(len, sets)):
            return False
        valued = [bool(self.executor.columns.kinds[nodes].all()) for nodes in sets]
        return valued[0] != valued[1]

    def _says_which(self, *twins: int) -> bool:
        """Whether the word that tells two relations apart was said."""
        own = (
            self.schema.relations[r % len(self.schema.relations)].label.casefold().split()[0] for r in twins
        )
        return any(word in self.said for word in own)

    def _stray(self, kind: Part, other: Part) -> bool:
        """Whether hardly any of a set is of a kind: one supplier that is called as a product."""
        every = other.expression.source if isinstance(other.expression, Top) else other.expression
        nodes = self.nodes(every)
        if kind.extra != "kind" or len(nodes) < _STRAY:
            return False
        return len(common(nodes, self.nodes(kind.expression))) * _STRAY < len(nodes)

    def _ranked_within(self, ranked: Part, within: Part, gap: str) -> Iterator[Made]:
        """ "Which river is the longest in Africa": of those in Africa, not the longest of all if it is there."""
        top = ranked.expression
        placed = gap == "preposition" and within.extra in _PLAIN - {"kind"}
        if ranked.extra != "top" or not isinstance(top, Top) or top.key.among is not None or not placed:
            return
        ways: list[tuple[tuple[int, ...], float]] = [
            ((relation,), share) for relation, share in self.bridges(within.expression, top.source)
        ]
        if not ways:
            ways = self.far_bridges(within.expression, top.source)
        for path, share in ways:
            walked = reduce(Walk, path, within.expression)
            program = replace(top, source=And(top.source, walked))
            if len(self.nodes(program)):
                features = self.bridge_features(path[-1], share, f"top.{gap}", within, ranked)
                single = float(len(self.nodes(program.source)) < 2)
                yield "S", program, "top", (
                    *features, ("top.within", 1.0), ("top.single", single), ("bridge.two", float(len(path) > 1)),
                )  # fmt: skip

    @rule("RS")
    def _relation_of(self, relating: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        relation: Relating = relating.extra
        order = "RS" if forward else "SR"
        name, form = (
            self.schema.relations[relation.relation].label,
            self.schema.relations[relation.relation].form,
        )
        if gap in _NEXT and relation.relation in _keyed_by(of.expression):
            yield "S", of.expression, of.extra, (("r.again", 1.0), ("r.again.key", 1.0))
        if not forward and self._counts_by(of.expression, relation.relation):
            yield "S", of.expression, of.extra, (("r.again", 1.0), ("r.again.key", 1.0))
        named = float(any(feature == "r.recall" for feature, _ in relating.features))
        if relation.relation in self.schema.namings:
            if of.extra != "node":
                yield "S", of.expression, of.extra, (("r.naming", 1.0),)
            return
        empty = True
        ways = ((relation.relation, "value"), (self.schema.inverse(relation.relation), "owner"))
        both = all(len(self.nodes(Walk(of.expression, directed))) for directed, _ in ways)
        # "Who taught her", and not whom she taught, where people teach people.
        active = form == "verb" and " " not in name and both and of.extra == "node"
        active = active and not relation.doer and self.asked == "who"
        told = order if "by" not in self.said else order[::-1]
        # "The children of James" have him, and whom "is he a child of" he has.
        last = self.words[-1:] == ["of"]
        alike = any(feature == "r.alike" for feature, _ in relating.features)
        of_it = float((gap == "of" or last) and form == "of" and of.extra == "node") * max(named, alike)
        both = both and form == "noun"
        for directed, way in ways:
            program: Program = Walk(of.expression, directed)
            if len(self.nodes(program)):
                empty = False
                if directed == self.schema.type_relation:
                    program = self._types(of.expression)
                back = self.schema.inverse(directed)
                returns = isinstance(of.expression, Walk) and of.expression.relation == back
                features = (
                    (f"walk.{way}.{order}", 1.0), (f"walk.{way}.{order}.{gap}", 1.0), (f"walk.{way}.{of.extra}", 1.0),
                    (f"lex:walk.{way}>{name}", 1.0), ("walk.back", float(returns)),
                    (f"walk.{form}.{way}.{order}", named), (f"walk.{form}.{way}", named),
                    (f"walk.either.{way}", named * float(both and of.extra == "node" and not relation.does)),
                    (f"walk.does.{way}.{order}", float(relation.does)), (f"walk.doer.{way}", float(relation.doer)),
                    (f"walk.active.{way}.{told}", float(active)),
                    (f"walk.of_it.{way if not last else _OTHER_WAY[way]}", of_it),
                )  # fmt: skip
                yield "S", program, "walk", features
                twin = self.schema.twin(directed)
                if twin is not None and of.extra == "node" and not self._says_which(directed, twin):
                    either = Or(program, Walk(of.expression, twin))
                    yield "S", either, "walk", (*features, ("walk.twins", 1.0))
        if empty:
            measured = any(name == "r.adjective" for name, _ in relating.features)
            measured = measured and bool(self.schema.somebody[self.nodes(of.expression)].all())
            for directed, way in ways:
                having = Having(directed)
                reaching = [
                    ((bridge,), share) for bridge, share in self.bridges(of.expression, having)[:2]
                ] or self._by_places(of.expression, directed)
                for path, share in reaching:
                    own = self.bridge_features(path[-1], share, "walk", of, relating)
                    program = Walk(reduce(Walk, path, of.expression), directed)
                    yield "S", program, "walk", (
                        *own, ("walk.two", 1.0), (f"walk.two.{way}.{order}", 1.0), ("bridge.two", float(len(path) > 1)),
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

    def _by_places(self, of: Program, directed: int) -> list[tuple[tuple[int, ...], float]]:
        """Ways over two facts of places to what a relation leaves: who works in Sweden does in a city there."""
        relations = self.schema.relations
        return [
            (path, share) for path, share in self.far_bridges(of, Having(directed))[:2]
            if path[-1] != self.schema.inverse(directed)
            and all(set(relations[r % len(relations)].stems) & LOCATING for r in path)
        ]  # fmt: skip

    def _types(self, of: Program) -> Program:
        """The kinds of some things without what they all are, where they have others: "types of artworks"."""
        relation = self.schema.type_relation
        assert relation is not None
        every, nodes = Walk(of, relation), self.nodes(of)
        common_ones = tuple(
            kind
            for kind in self.nodes(every).tolist()
            if len(common(nodes, self.schema.members(kind))) == len(nodes)
        )
        if not common_ones or len(common_ones) == len(self.nodes(every)):
            return every
        return Except(every, Entities(common_ones))

    def _counts_by(self, program: Program, relation: int) -> bool:
        """Whether a ranking counts along a relation: of the "products they supply" the number is by that already."""
        key = program.key if isinstance(program, Top) else None
        return (
            key is not None
            and key.counted
            and relation in {r % self.schema.snapshot.num_relations for r in key.path}
        )

    @rule("HS")
    def _relatives_of(self, kin: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        program, relatives = of.expression, [of.expression]
        for at, step in enumerate(kin.extra.steps):
            ways: list[Program] = [
                walked for walked in (Walk(program, relation) for relation in step) if len(self.nodes(walked))
            ]
            if not ways:
                return
            program = reduce(Or, ways)
            if kin.extra.others == at - 1:
                program = Except(program, relatives[-2])
            relatives.append(program)
        order = "HS" if forward else "SH"
        yield "S", program, "walk", (("kin.walk", 1.0), (f"kin.{order}", 1.0), (f"kin.{order}.{gap}", 1.0))

    @rule("RF")
    def _relation_of_number(self, relating: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The total number of goals scored": the number is of that relation already."""
        del forward
        if gap in _NEXT and relating.extra.relation in _keyed_by(number.expression):
            yield "F", number.expression, None, (("r.again", 1.0), ("r.again.key", 1.0))

    @rule("RR")
    def _same_relation(self, left: Part, right: Part, forward: bool, gap: str) -> Iterator[Made]:
        """A relation in other words, "the boss he reports to"; "X's boss's boss" walks it once more."""
        del forward
        twice = left.extra.doer != right.extra.doer  # who taught the teacher
        if left.extra.relation == right.extra.relation and gap != "of" and not twice:
            yield "R", None, left.extra, (("r.again", 1.0),)

    @rule("IS")
    def _or(self, cue: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward:
            yield "J", other.expression, other.extra, ()

    @rule("JS")
    def _either(self, either: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        """``other or either``: what stands before the "or" comes first, so only from the right."""
        del gap
        if forward or either.expression == other.expression:
            return
        yield (
            "S",
            self._either_of(other.expression, either.expression),
            other.extra,
            (("or", 1.0), (f"or.{other.extra}.{either.extra}", 1.0)),
        )

    @rule("IT", "IN")
    def _or_value(self, cue: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward:
            yield "Z", None, valued_of(other), ()

    @rule("ZT", "ZN")
    def _either_values(self, either: Part, other: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        if not forward:
            first, second = valued_of(other), either.extra
            if second.exact and not first.exact:
                second = replace(second, comparing=first.comparing, exact=False)
            yield "W", None, (first, second), (("or.value", 1.0),)

    @rule("WR")
    def _either_relation(self, either: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        made = [list(self.compared(valued, relating.extra.relation, forward, gap)) for valued in either.extra]
        for one in made[0]:
            for two in made[1]:
                if one[1] is not None and two[1] is not None:
                    yield "S", Or(one[1], two[1]), None, (*one[3], ("or.value", 1.0))

    @rule("GR")
    def _text_of_relation(self, text: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        match, wanted = text.extra
        relation = relating.extra.relation
        program = TextFilter(Having(relation), relation, match, wanted)
        empty = float(not len(self.nodes(program)))
        yield (
            "S",
            program,
            "filter",
            (("text.relation", 1.0), ("text.order", float(forward)), ("text.empty", empty)),
        )

    @rule("GS")
    def _text_of_set(self, text: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward, gap
        match, wanted = text.extra
        program = TextFilter(of.expression, None, match, wanted)
        if len(self.nodes(program)):
            yield "S", program, "filter", (("text.name", 1.0),)
