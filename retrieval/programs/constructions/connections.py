"""What two named things have to do with each other: what joins them, who stands in both, what has one or the other."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.programs.algebra.operations import And, Entities, Or, Program, Walk
from retrieval.programs.grammar.constituents import is_plain, list_conditions

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.schema import Schema

#: Ways that are kept, the first; and things of a pair.
_FEW, _PAIR = 2, 2


class Pairs:
    """Composes programs of two named things."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def find_people_of_both(self, question: QuestionWords, program: Program) -> list[Program]:
        """Who has to do with both of two named things, of "who was in both": by what each is held by, or themselves."""
        if not any(word.text == "both" for word in question.words):
            return []
        sides = next(
            (
                (condition.left, condition.right)
                for condition in list_conditions(program)
                if isinstance(condition, Or)
                and isinstance(condition.left, Entities)
                and isinstance(condition.right, Entities)
            ),
            None,
        )
        if sides is None:
            return []
        left_people, right_people = (self._find_people(side) for side in sides)
        both: list[Program] = [
            And(person, right_people[way]) for way, person in left_people.items() if way in right_people
        ]
        return [candidate for candidate in both if len(self.executor.compute_nodes(candidate))][:_FEW]

    def find_holders_of_either(self, program: Program) -> list[Program]:
        """What has one or the other of what is named: whoever has "a cat or a parrot"."""
        assert isinstance(program, Or)
        forward, typed = self.schema.snapshot.num_relations, self.schema.type_relation
        ways: list[list[Program]] = []
        for side in (program.left, program.right):
            back = [
                r for r in (self._list_leaving_relations(self.executor.compute_nodes(side)) if isinstance(side,
                Entities) else ())
                if r >= forward
            ]  # fmt: skip
            ways.append([Walk(side, r) for r in back] if back else [side])
        programs = list[Program]()
        for left, right in product(*ways):
            both_named = isinstance(program.left, Entities) and isinstance(program.right, Entities)
            same = isinstance(left, Walk) and isinstance(right, Walk) and left.relation == right.relation
            alike = typed is not None and self._has_common_kind(And(left, right))
            if same or (alike and not both_named):
                programs.append(Or(left, right))
        return programs[:_FEW]

    def _find_people(self, entities: Entities) -> dict[tuple[int, ...], Program]:
        """People whom something named has, or whom what it is held by has, by the relations that lead to them."""
        nodes, forward = self.executor.compute_nodes(entities), self.schema.snapshot.num_relations
        people: dict[tuple[int, ...], Program] = {}
        for relation in self.schema.find_shared_relations(nodes):
            inside = Walk(entities, relation)
            if relation >= forward:
                for person in self.schema.find_people_relations(self.executor.compute_nodes(inside)):
                    people[relation, person] = Walk(inside, person)
        return people | {(person,): Walk(entities, person) for person in self.schema.find_people_relations(nodes)}

    def join_entities(self, left: Entities, right: Entities) -> list[Program]:
        """What joins two named things: one leads to the other, or something has both; else what might have done so."""
        leading, may_lead = list[Program](), list[Program]()
        for source, target in ((left, right), (right, left)):
            nodes, wanted = self.executor.compute_nodes(source), self.executor.compute_nodes(target)
            for relation in self._list_leaving_relations(nodes):
                walked = And(Walk(source, relation), target)
                if is_among(wanted, self.executor.walk(nodes, relation)).all():
                    leading.append(walked)
                elif is_among(wanted, self.schema.columns.list_targets(relation)).all():
                    may_lead.append(walked)
        forward = self.schema.snapshot.num_relations
        ways = [
            [r for r in self._list_leaving_relations(self.executor.compute_nodes(source)) if r >= forward]
            for source in (left, right)
        ]
        either = [And(Walk(left, mine), Walk(right, theirs)) for mine, theirs in product(*ways) if mine != theirs]
        both: list[Program] = [program for program in either if len(self.executor.compute_nodes(program))]
        alike: list[Program] = [program for program in either if self._has_common_kind(program)]
        return (leading or may_lead or both or alike)[:_FEW]

    def _list_leaving_relations(self, nodes: np.ndarray) -> list[int]:
        """The directed relations that lead on from a node, but those that say its kind."""
        _, relations, _, _ = find_arcs(self.schema.snapshot, nodes)
        typed = self.schema.type_relation
        distinct = np.unique(relations).tolist()
        return [
            relation for relation in distinct if typed is None or relation % self.schema.snapshot.num_relations != typed
        ]

    def _has_common_kind(self, program: And) -> bool:
        """Whether both sides lead to things of one kind."""
        if self.schema.type_relation is None:
            return False
        kinds = [
            self.executor.walk(self.executor.compute_nodes(side), self.schema.type_relation)
            for side in (program.left, program.right)
        ]
        return bool(len(find_common(*kinds)))


def has_bare_name(program: Program) -> bool:
    """Whether a side of an "or" is what was named, which nobody asks for: "everything by Casio or Yamaha"."""
    if not isinstance(program, Or):
        return False
    return any(isinstance(side, Entities) and len(side.ids) == 1 for side in (program.left, program.right))


def find_named_pair(program: Program) -> tuple[Entities, Entities] | None:
    """Two things of which each is named alone, maybe with a kind: nothing is both."""
    if not isinstance(program, And):
        return None
    every = list_conditions(program)
    entities = {condition for condition in every if isinstance(condition, Entities) and len(condition.ids) == 1}
    others = [condition for condition in every if condition not in entities and not is_plain(condition)]
    if len(entities) != _PAIR or others:
        return None
    left, right = sorted(entities, key=lambda entity: entity.ids)
    return left, right
