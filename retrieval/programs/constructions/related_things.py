"""From a set to what has it or belongs to it: owners, people, what a table's rows are of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.language import words as vocabulary
from retrieval.language.amounts import Comparison, ValueKind
from retrieval.language.english import STOP
from retrieval.language.words import QuestionWords, get_label_stems
from retrieval.lexicon import get_pairs
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    And,
    Entities,
    Except,
    Filter,
    Having,
    KeyOf,
    Or,
    Program,
    Top,
    Walk,
    walk,
)
from retrieval.programs.constructions.answer_types import has_singular_target
from retrieval.programs.grounding.relation_types import SOMEBODY
from retrieval.programs.grounding.row_names import find_requested_columns

if TYPE_CHECKING:
    from retrieval.programs.constructions.row_order import RowOrder
    from retrieval.programs.grounding.schema import Schema

#: Things whose people are looked for, and ways to them.
_MOST_OWNED, _OWNERS = 10_000, 2
#: A column of people is not asked for where it holds fewer distinct people than this share of another.
_FEW_PEOPLE = 0.5
#: Words of a question that asks whose something is.
_WHOSE = 4
#: What asks for the kind of something.
_SORT_OF = re.compile(
    r"(?:what|which|whats) (?:sort|kind|type|breed|class|variety|style|category|species) of (?P<noun>\w+) .+"
)
#: Stems of nouns that ask for the number of observations, not of things observed: "how many months".
_TIMES = frozenset(map(vocabulary.get_stem, ("time", *get_pairs("periodical_adjectives"))))
#: From this share of a relation's ends on nothing leads on from them.
_MOSTLY = 0.5


class RelatedThings:
    """Finds what is asked for one step from what was read.

    Args:
        row_order: knows the order of a table's rows.
    """

    def __init__(self, schema: Schema, executor: Executor, row_order: RowOrder) -> None:
        self.schema = schema
        self.executor = executor
        self._row_order = row_order
        self.wanted: np.ndarray | None = None

    def expand_to_wanted(self, program: Program) -> list[Program]:
        """What is of the sort that was asked for, one step from what is not: the sites of samples, of "which sites"."""
        wanted, nodes = self.wanted, self.executor.compute_nodes(program)
        if wanted is None or not 0 < len(nodes) <= _MOST_OWNED or is_among(nodes, wanted).any():
            return []
        if self.schema.columns.are_values(nodes):
            return []
        starts, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
        inside = is_among(ends, wanted)
        ways = list[tuple[float, int]]()
        for relation in np.unique(relations[inside]).tolist():
            mask = relations == relation
            held = len(np.unique(starts[mask & inside])) / len(nodes)
            if inside[mask].all() and held >= _MOSTLY:
                ways.append((-held, relation))
        return [Walk(program, relation) for _, relation in sorted(ways)[:_OWNERS]]

    def find_next(self, question: QuestionWords, program: Program) -> Program:
        """Of all that came after or before something the next, where one is asked for: "who was king after Ann"."""
        if not isinstance(program, Filter) or not isinstance(program.value, KeyOf) or not self._needs_one(question):
            return program
        kind = self.schema.columns.get_key_type(program.key)
        later = {Comparison.MORE: False, Comparison.LESS: True}.get(program.comparison)
        if later is None or kind is None or not (kind.year or kind.kind is ValueKind.DATE):
            return program
        return Top(program, program.key, largest=later)

    def _needs_one(self, question: QuestionWords) -> bool:
        """Whether one thing is asked for that comes before or after another: "which king", "who was king"."""
        texts = [word.text for word in question.words]
        if not {"after", "before"} & set(texts[1:]):
            return False
        if texts[0] != "who":
            return has_singular_target(question)
        roles = [word for word in question.words[2:] if word.text not in STOP][:1]
        singular = texts[1:2] in (["is"], ["was"], ["became"]) and not any(word.text.endswith("s") for word in roles)
        return singular and any(word.stem in self.schema.kind_stems for word in roles)

    def find_absent_members(self, question: QuestionWords, program: Program) -> list[Program]:
        """Those of a kind that stand in no row: "which driver was never sent out", where rows are all that is done."""
        typed, texts = self.schema.type_relation, [word.text for word in question.words]
        kind = isinstance(program, Walk) and typed is not None and program.relation == self.schema.get_inverse(typed)
        if "never" not in texts or not kind or question.kind not in ("which", "list"):
            return []
        nodes, rows, programs = (self.executor.compute_nodes(program), self.schema.surrogates[0], list[Program]())
        for info in self.schema.relations:
            sources, targets = (self.schema.columns.list_sources(info.id), self.schema.columns.list_targets(info.id))
            if len(sources) and bool(rows[sources].all()) and bool(is_among(targets, nodes).all()):
                programs.append(Except(program, Having(self.schema.get_inverse(info.id))))
        return programs if len(programs) == 1 and len(self.executor.compute_nodes(programs[0])) else []

    def find_narrower_kinds(self, question: QuestionWords, program: Program) -> list[Program]:
        """The narrower kinds of what "what sort of hive is H07" is about: without the kind that was named."""
        typed, match = self.schema.type_relation, _SORT_OF.fullmatch(vocabulary.join_words(question)[0])
        if typed is None or match is None or vocabulary.get_stem(match["noun"]) in self.schema.by_stem:
            return []
        question_stems = {word.stem for word in question.words}
        kinds = [
            kind
            for kind in self.schema.kinds
            if set(get_label_stems(self.schema.snapshot.get_entity_label(kind))) <= question_stems
        ]
        entities = [entity for entity in walk(program) if isinstance(entity, Entities) and len(entity.ids) == 1]
        source = next(
            (entity for entity in entities if any(entity.ids[0] in self.schema.list_members(kind) for kind in kinds)),
            program,
        )
        if not is_among(self.executor.compute_nodes(source), self.schema.columns.list_sources(typed)).any():
            return []
        narrower = Except(Walk(source, typed), Entities(tuple(sorted(kinds)))) if kinds else Walk(source, typed)
        return [narrower] if len(self.executor.compute_nodes(narrower)) else []

    def find_rows(self, program: Program) -> Program | None:
        """The rows of a table in which something named stands: how often it is listed."""
        if self.schema.listing is None or not isinstance(program, Entities):
            return None
        nodes, rows = (self.executor.compute_nodes(program), self.schema.columns.list_sources(self.schema.listing))
        column = self._row_order.find_column(nodes, rows)
        if column is None or is_among(nodes, rows).any():
            return None
        return Walk(program, self.schema.get_inverse(column))

    def find_owners(self, question: QuestionWords, program: Program) -> list[Program]:
        """What "whose captain is older than 50" asks for: the ships, not the captains."""
        if len(question.words) < _WHOSE or question.words[0].text != "whose":
            return []
        relations = self.schema.by_stem.get(question.words[1].stem, ())
        back = [Walk(program, self.schema.get_inverse(relation)) for relation in relations]
        if isinstance(program, Walk) and any(owner.relation == program.relation for owner in back):
            return []  # whose it is was said already
        if isinstance(program, Walk) and program.relation in relations:  # not whose theirs is
            return [Walk(program.source, self.schema.get_inverse(program.relation))]
        if not relations:  # whose shows they are says who made them, before who stars in them
            people, count = self.find_people(program), self.schema.snapshot.num_relations
            made: list[Program] = [
                person for person in people
                if isinstance(person, Walk) and self.schema.relations[person.relation % count].form == "by"
            ]  # fmt: skip
            return made or people
        return [owner for owner in back if len(self.executor.compute_nodes(owner))]

    def find_people(self, program: Program) -> list[Program]:
        """The people that all of some things refer to: the customers of orders, for "who ordered bread"; who holds a
        title. Left out are people by whom the things were selected, and columns with far fewer distinct people than
        another: a few sellers beside many customers.
        """
        nodes = self.executor.compute_nodes(program)
        if len(nodes) > _MOST_OWNED:
            return []
        relations = set(self.schema.find_people_relations(nodes)) - set(self._list_selecting_relations(program))
        people = {r: len(self.schema.columns.list_sources(self.schema.get_inverse(r))) for r in sorted(relations)}
        least = _FEW_PEOPLE * max(people.values(), default=0)
        ways: list[Program] = [Walk(program, relation) for relation, count in people.items() if count >= least]
        if not ways and isinstance(program, Entities):
            held: list[Program] = [Walk(program, relation) for relation in self.schema.find_owner_relations(nodes)]
            ways = [person for holder in held for person in self.find_people(holder) or [holder]]
        return ways[:_OWNERS]

    def _list_selecting_relations(self, program: Program) -> Iterator[int]:
        """The relations through which things were selected by a named entity."""
        if isinstance(program, And):
            yield from self._list_selecting_relations(program.left)
            yield from self._list_selecting_relations(program.right)
        elif isinstance(program, Filter | Top):
            yield from self._list_selecting_relations(program.source)
        elif isinstance(program, Walk) and isinstance(program.source, Entities):
            yield self.schema.get_inverse(program.relation)

    def is_row_set(self, program: Program) -> bool:
        """Whether a set is of rows without names of their own."""
        nodes = self.executor.compute_nodes(program)
        return bool(len(nodes)) and bool(self.schema.surrogates[0][nodes].all())

    def is_thing_ranking(self, program: Program) -> bool:
        """Whether the first of some things is told, and nobody: "who lives in the flat with the most bedrooms"."""
        return isinstance(program, Top) and not self.schema.somebody[self.executor.compute_nodes(program)].any()

    def is_value_condition(self, program: Program) -> bool:
        """Whether a condition on a value is all that is said of what is no person: "who arrived in September"."""
        nodes = self.executor.compute_nodes(program)
        return isinstance(program, Filter) and not self.schema.somebody[nodes].any()

    def find_row_things(
        self, question: QuestionWords, program: Program, *, value_target: bool = False
    ) -> list[Program]:
        """What rows are about, where the rows themselves were not asked for: what Tom bought are products, not orders.
        With ``value_target`` (see :func:`is_value_target`) it may be people.
        """
        nodes, question_stems = self.executor.compute_nodes(program), {word.stem for word in question.words}
        kinds = [kind for kind in self.schema.kinds if len(find_common(self.schema.list_members(kind), nodes))]
        names = {get_label_stems(self.schema.snapshot.get_entity_label(kind)) for kind in kinds}
        alike = [r for r in self.schema.find_shared_relations(nodes) if r in self._find_kind_relations(names)]
        if alike:  # parts that were fitted are called by what was fitted
            return [Walk(program, r) for r in alike]
        called = any(question_stems & set(name) for name in names)
        called = called or (self.wanted is not None and bool(is_among(nodes, self.wanted).all()))
        if called and not value_target and not vocabulary.is_object_question(question):
            return []
        walked = program.relation if isinstance(program, Walk) else None
        things = [
            r for r in self.schema.find_shared_relations(nodes)
            if r < self.schema.snapshot.num_relations and r != self.schema.type_relation
            and walked != self.schema.get_inverse(r) and self.schema.relations[r].leaves < _MOSTLY
        ]  # fmt: skip
        ways: list[Program] = [Walk(program, r) for r in things]
        ways = [way for way in ways if not self.schema.somebody[self.executor.compute_nodes(way)].any()][:_OWNERS]
        return ways or (self.find_people(program) if value_target else [])

    def _find_kind_relations(self, names: Collection[tuple[str, ...]]) -> set[int]:
        """Relations that are called as kinds are, by their stems."""
        return {
            info.id for info in self.schema.relations
            if tuple(info.stems) in names and self.schema.columns.get_value_type(info.id) is None
        }  # fmt: skip

    def resolve_surrogates(self, program: Program) -> list[Program]:
        """What the rows of a table are rows of, where they have no names of their own: the person, of "player 7"."""
        mask, naming = self.schema.surrogates
        nodes = self.executor.compute_nodes(program)
        if not naming or not len(nodes) or not mask[nodes].all():
            return []
        return [
            Walk(program, r)
            for r in sorted(set(naming.values()))
            if np.isin(nodes, self.schema.columns.list_sources(r)).all()
        ]

    def find_observed(self, question: QuestionWords, program: Program) -> Program | None:
        """The things that unnamed rows observe, such as stocks, or their days if the question asks for days."""
        nodes = self.executor.compute_nodes(program)
        days = {self.schema.periods.get((word.stem,)) for word in question.words} - {None}
        panels = {r: self.schema.list_members(kind) for kind, r in self.schema.observed.items()}
        rows = panels | {r: self.schema.columns.list_sources(r) for r in days if r is not None}
        fitting = [r for r, members in rows.items() if is_among(nodes, members).all()] if len(nodes) else []
        return Walk(program, fitting[-1]) if fitting else None

    def find_counted_things(self, question: QuestionWords, program: Program) -> Program | None:
        """The observed things, or people, to count instead of unnamed rows; None for one thing, and where times or
        months are counted.
        """
        stems = {question.words[n].stem for n in vocabulary.find_target_words(question)}
        things = self.find_observed(question, program)
        if things is None and stems & SOMEBODY and self.is_row_set(program):
            things = next(iter(self.find_people(program)), None)
        several = things is not None and len(self.executor.compute_nodes(things)) > 1
        return things if several and not stems & _TIMES else None

    def find_requested_values(self, question: QuestionWords, program: Program) -> list[Program]:
        """The values that a question asks for where a program gives unnamed rows or their numbers: the year, for
        "which year saw the most births", "were there more births in 1970 or 1980" and "when were births lowest".
        """
        if question.kind == "when" and self._is_amount(program):
            program = program.source
        columns = find_requested_columns(self.schema, question, self.executor.compute_nodes(program))
        alone = not columns and not vocabulary.find_target_words(question)
        if alone and isinstance(program, Top) and self.is_row_set(program):
            columns = _find_compared_columns(program.source)
        return [Walk(program, column) for column in columns]

    def _is_amount(self, program: Program) -> TypeGuard[Walk]:
        """Whether a program gives numbers, and no years, of rows without names."""
        kind = self.schema.columns.get_value_type(program.relation) if isinstance(program, Walk) else None
        number = kind is not None and kind.kind is ValueKind.NUMBER and not kind.year
        return number and isinstance(program, Walk) and self.is_row_set(program.source)


def _find_compared_columns(program: Program) -> list[int]:
    """The column that both of two alternatives are a condition on: the year, of "in 1970 or 1980"."""
    sides = (program.left, program.right) if isinstance(program, Or) else ()
    keys = {side.key if isinstance(side, Filter) else None for side in sides}
    return [key.path[0] for key in keys if len(keys) == 1 and key is not None and len(key.path) == 1]
