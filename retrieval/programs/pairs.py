"""What two named things have to do with each other: what joins them, who stands in both, what has one or the other."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import all_arcs
from retrieval.kg.snapshot.arrays import among, common
from retrieval.programs.algebra import And, Entities, Or, Program, Walk
from retrieval.programs.parts import conditions, is_plain

if TYPE_CHECKING:
    from retrieval.programs.execution import Executor
    from retrieval.programs.schema import Schema
    from retrieval.programs.words import Question

#: Ways that are kept, the first; and things of a pair.
_FEW, _PAIR = 2, 2


class Pairs:
    """Composes programs of two named things.

    Args:
        schema: of the graph.
        executor: runs them.
    """

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def people_of_both(self, question: Question, program: Program) -> list[Program]:
        """Who has to do with both of two named things, of "who was in both": by what each is held by, or themselves."""
        if not any(word.text == "both" for word in question.words):
            return []
        sides = next(
            (
                (own.left, own.right)
                for own in conditions(program)
                if isinstance(own, Or) and isinstance(own.left, Entities) and isinstance(own.right, Entities)
            ),
            None,
        )
        if sides is None:
            return []
        one, other = (self._people_by(side) for side in sides)
        both: list[Program] = [And(person, other[way]) for way, person in one.items() if way in other]
        return [own for own in both if len(self.executor.nodes(own))][:_FEW]

    def held_by_either(self, program: Program) -> list[Program]:
        """What has one or the other of what is named: whoever has "a cat or a parrot"."""
        assert isinstance(program, Or)
        forward, typed = self.schema.snapshot.num_relations, self.schema.type_relation
        ways: list[list[Program]] = []
        for side in (program.left, program.right):
            back = [
                r for r in (self._leaving(self.executor.nodes(side)) if isinstance(side, Entities) else ())
                if r >= forward
            ]  # fmt: skip
            ways.append([Walk(side, r) for r in back] if back else [side])
        found = list[Program]()
        for one, other in product(*ways):
            named = isinstance(program.left, Entities) and isinstance(program.right, Entities)
            same = isinstance(one, Walk) and isinstance(other, Walk) and one.relation == other.relation
            alike = typed is not None and self._leads_to_one_sort(And(one, other))
            if same or (alike and not named):
                found.append(Or(one, other))
        return found[:_FEW]

    def _people_by(self, named: Entities) -> dict[tuple[int, ...], Program]:
        """People whom something named has, or whom what it is held by has, by the relations that lead to them."""
        nodes, forward = self.executor.nodes(named), self.schema.snapshot.num_relations
        found: dict[tuple[int, ...], Program] = {}
        for relation in self.schema.held_by(nodes):
            inside = Walk(named, relation)
            if relation >= forward:
                for person in self.schema.people_of(self.executor.nodes(inside)):
                    found[relation, person] = Walk(inside, person)
        return found | {(person,): Walk(named, person) for person in self.schema.people_of(nodes)}

    def joined(self, one: Entities, other: Entities) -> list[Program]:
        """What joins two named things: one leads to the other, or something has both; else what might have done so."""
        leading, may_lead = list[Program](), list[Program]()
        for own, to in ((one, other), (other, one)):
            nodes, wanted = self.executor.nodes(own), self.executor.nodes(to)
            for relation in self._leaving(nodes):
                walked = And(Walk(own, relation), to)
                if among(wanted, self.executor.walk(nodes, relation)).all():
                    leading.append(walked)
                elif among(wanted, self.schema.columns.targets(relation)).all():
                    may_lead.append(walked)
        forward = self.schema.snapshot.num_relations
        ways = [[r for r in self._leaving(self.executor.nodes(own)) if r >= forward] for own in (one, other)]
        either = [
            And(Walk(one, mine), Walk(other, theirs)) for mine, theirs in product(*ways) if mine != theirs
        ]
        both: list[Program] = [own for own in either if len(self.executor.nodes(own))]
        alike: list[Program] = [own for own in either if self._leads_to_one_sort(own)]
        return (leading or may_lead or both or alike)[:_FEW]

    def _leaving(self, nodes: np.ndarray) -> list[int]:
        """The directed relations that lead on from a node, but those that say its kind."""
        _, relations, _, _ = all_arcs(self.schema.snapshot, nodes)
        typed = self.schema.type_relation
        distinct = np.unique(relations).tolist()
        return [own for own in distinct if typed is None or own % self.schema.snapshot.num_relations != typed]

    def _leads_to_one_sort(self, program: And) -> bool:
        """Whether both sides lead to things of one kind."""
        if self.schema.type_relation is None:
            return False
        kinds = [
            self.executor.walk(self.executor.nodes(own), self.schema.type_relation)
            for own in (program.left, program.right)
        ]
        return bool(len(common(*kinds)))


def repeats_a_name(program: Program) -> bool:
    """Whether a side of an "or" is what was named, which nobody asks for: "everything by Casio or Yamaha"."""
    if not isinstance(program, Or):
        return False
    return any(isinstance(own, Entities) and len(own.ids) == 1 for own in (program.left, program.right))


def two_named(program: Program) -> tuple[Entities, Entities] | None:
    """Two things of which each is named alone, maybe with a kind: nothing is both."""
    if not isinstance(program, And):
        return None
    every = conditions(program)
    named = {own for own in every if isinstance(own, Entities) and len(own.ids) == 1}
    others = [own for own in every if own not in named and not is_plain(own)]
    if len(named) != _PAIR or others:
        return None
    one, other = sorted(named, key=lambda own: own.ids)
    return one, other
