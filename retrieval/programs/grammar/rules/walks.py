"""Walks: what a named relation, or a word of kinship, leads to from a set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import Entities, Except, Filter, Fold, Having, Or, Program, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, mark_rule
from retrieval.programs.grammar.rules.base import Rules
from retrieval.programs.grounding.anchors.anchor import Relating
from retrieval.programs.grounding.relation_types import LOCATING

#: What may stand between a verb and what it is said of: "scored the most goals", not "the area of the largest".
_NEXT = frozenset({"none", "have", "do"})
#: Whether what has a relation or what it leads to is asked for.
_OTHER_WAY = {"value": "owner", "owner": "value"}


class WalkRules(Rules):
    """Walk from a set along the relations that words name."""

    def _is_told_apart(self, *twins: int) -> bool:
        """Whether the word that tells two relations apart was said."""
        first_words = (self.schema.relations[r % len(self.schema.relations)].label.casefold().split()[0] for r in twins)
        return any(word in self.said for word in first_words)

    @mark_rule("RS")
    def _walk_relation(self, relating: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        if forward and gap == "than":  # "more servings than Italy" compares, and asks for no servings of Italy
            return
        relation: Relating = relating.extra
        order = "RS" if forward else "SR"
        name, form = (self.schema.relations[relation.relation].label, self.schema.relations[relation.relation].form)
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


def _get_key_relations(program: Program) -> tuple[int, ...]:
    """The relations of the key that a program ranks, filters or sums up by, or of what it counts in comparing."""
    if isinstance(program, Filter) and program.key.counted:
        return program.key.path
    return program.key.path if isinstance(program, Top | Filter | Fold) and not program.key.counted else ()
