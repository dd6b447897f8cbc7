"""From what a chart composed to what is asked for: the ships instead of their captains, the products of rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.values import parse
from retrieval.language import words as vocabulary
from retrieval.language.amounts import Folding, ValueKind
from retrieval.language.comparisons import FOLDINGS
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    Count,
    Entities,
    Except,
    Exists,
    Fold,
    Having,
    Key,
    Or,
    Program,
    Top,
    Walk,
    walk,
)
from retrieval.programs.constructions import conjunctions
from retrieval.programs.constructions.answer_types import has_singular_target, is_value_target
from retrieval.programs.constructions.connections import Pairs, find_named_pair, has_bare_name
from retrieval.programs.constructions.implied_verbs import Doing, is_doer_named
from retrieval.programs.constructions.related_things import RelatedThings
from retrieval.programs.constructions.truth_conditions import TruthConditions, is_universal
from retrieval.programs.grammar.constituents import Part

if TYPE_CHECKING:
    from retrieval.programs.constructions.row_order import RowOrder
    from retrieval.programs.grounding.anchors.similarity import Similarity
    from retrieval.programs.grounding.schema import Schema

#: Words that say that each of two conditions holds of what is asked for; "and" alone may also mean either.
_OF_EACH = frozenset({"and", "both", "common", "share", "shared"})
#: What is named and one more.
_PAIR = 2
#: What says that numbers are added up.
_TOGETHER = re.compile(
    r"\b(?:together|altogether|combined|in (?:all|total)|all in all|overall|total"
    r"|(?:add(?:s|ed|ing)?|sum(?:s|med)?) up)\b"
)


class AnswerShaper:
    """Finishes the parts of one question after another.

    Args:
        row_order: knows the order of a table's rows.

    Attributes:
        lifts: programs made since :meth:`start_question` whose conditions were said of something else.
        anded: of these, those that no more than an "and" asks for.
        of_rows: programs of what rows are of.
        sums: programs of what several things have together.
        beyond: programs of what the question's noun says, one step from what was read.
        sorts: programs of the kinds of what was read.
        done: programs of who did what a verb says that no relation does.
    """

    def __init__(self, schema: Schema, executor: Executor, row_order: RowOrder, similarity: Similarity) -> None:
        self.schema = schema
        self.executor = executor
        self._related = RelatedThings(schema, executor, row_order)
        self._truths = TruthConditions(schema, executor)
        self._pairs = Pairs(schema, executor)
        self._doing = Doing(schema, executor, similarity)
        self.done: set[Program] = set()
        self.lifts: set[Program] = set()
        self.anded: set[Program] = set()
        self.of_rows: set[Program] = set()
        self.sums: set[Program] = set()
        self.beyond: set[Program] = set()
        self.sorts: set[Program] = set()

    def start_question(self, wanted: np.ndarray | None = None) -> None:
        """Forget what was made for another question; ``wanted`` are nodes of the sort that this one asks for."""
        self._related.wanted = wanted
        self._truths.read_words.clear()
        self.beyond.clear()
        self.sorts.clear()
        self.done.clear()
        self.lifts.clear()
        self.anded.clear()
        self.of_rows.clear()
        self.sums.clear()

    def get_source_part(self, program: Program, part: Part) -> Part:
        """The part that a program was finished from, with the word that only finishing has read."""
        source = program.source if isinstance(program, Exists) else program
        leaf = self._truths.read_words.get(source)
        return part if leaf is None else replace(part, features=(), parts=(part, leaf), anchored=None)

    def build_programs(
        self, question: QuestionWords, question_kind: str, part: Part, several: Collection[Program]
    ) -> list[Program]:
        """The programs that a composed part may come to.

        Args:
            question_kind: the sort of answer that is asked for.
            part: covers the question.
            several: sets that words are known to stand for.
        """
        if part.program is None or (question_kind == "how many" and part.program in several):
            return []
        if self._has_excluded_kinds(part.program):
            return []  # everything, in other words
        if question_kind != "yes/no" and part.program not in several:
            both = self._pairs.find_people_of_both(question, part.program) if question_kind == "who" else []
            if both or has_bare_name(part.program):
                self.done.update(both)
                return both or self._pairs.find_holders_of_either(part.program)
        if question_kind == "yes/no" and part.category == "S":
            named_pair = find_named_pair(part.program)
            if named_pair is not None:
                return [
                    Exists(joined)
                    for joined in self._truths.add_truth_conditions(
                        question, part, self._pairs.join_entities(*named_pair)
                    )
                ]
            if self._truths.is_of_its_kind(question, part) or self._truths.is_of_no_kind(part.program):
                return []
            if isinstance(part.program, Or) and all(isinstance(inner, Or | Entities) for inner in walk(part.program)):
                return []  # that either is there is no question
            required = self._truths.require_truth(part.program)
            if is_universal(question):
                return self._truths.find_exceptions(part, required)
            return [Exists(required), part.program]
        if part.category == "S":
            return self._build_sets(question, question_kind, part, part.program)
        if part.category == "F" and isinstance(part.program, Count):
            rows = self._related.find_rows(part.program.source)
            if rows is not None:
                return [Count(rows)]
            things = self._related.find_counted_things(question, part.program.source)
            if things is not None:
                return [Count(things)]
            counts = [Count(lifted) for lifted in self._move_conditions(question, part.program.source)]
            self.lifts.update(counts)
            return [part.program, *counts]
        if part.category == "F" and question.words[0].text != "how":
            return [_convert_to_choice(question, part.program)]
        return [part.program] if part.category == "F" else []

    def _build_sets(self, question: QuestionWords, question_kind: str, part: Part, source: Program) -> list[Program]:
        """The sets that the set of a composed part may come to."""
        source = conjunctions.rank_alternatives(source)
        other = _build_complement(question, source)
        programs = [source] if other is None else [other, source]
        programs = [self._remove_named(question, self._related.find_next(question, program)) for program in programs]
        columns = {program: self._related.find_requested_values(question, program) for program in programs}
        programs = [
            variant
            for program in programs
            for variant in columns[program] or [self._related.find_observed(question, program) or program]
        ]
        self.of_rows.update(*columns.values())
        programs += [
            variant
            for program in programs
            for variant in (*self._related.resolve_surrogates(program), *self._move_conditions(question, program))
        ]
        programs = self._related.find_owners(question, source) or [
            *programs, *self._build_folds(question, source), *self._build_sums(question, source),
        ]  # fmt: skip
        people: list[Program] = []
        if (
            question_kind == "who"
            and not is_doer_named(question, part, self.schema)
            and (
                not _has_relation_part(part)
                or self._related.is_row_set(source)
                or self._related.is_value_condition(source)
                or self._related.is_thing_ranking(source)
            )
        ):
            people = self._related.find_people(source)
            for doer, leaf in self._doing.find_doers(question, part):
                self.done.add(doer)
                self._truths.read_words[doer] = leaf
                people = [*people, *([] if doer in people else [doer])]
        elif question_kind in ("which", "what is", "what are", "where") and self._related.is_row_set(source):
            value_target = is_value_target(question, part)
            people = self._related.find_row_things(question, source, value_target=value_target)
            programs = [] if people and value_target else programs
        self.of_rows.update(people if self._related.is_row_set(source) else ())
        never = self._related.find_absent_members(question, source)
        self.done.update(never)
        people = [*people, *never]
        beyond = [
            candidate for candidate in self._related.expand_to_wanted(source) if candidate not in {*programs, *people}
        ]
        self.beyond.update(beyond)
        sorts = self._related.find_narrower_kinds(question, source)
        self.sorts.update(sorts)
        return [*programs, *people, *beyond, *sorts]

    def _has_excluded_kinds(self, program: Program) -> bool:
        """Whether kinds are left out of things of a kind, or all that have one: that says nothing of any."""
        without = program.without if isinstance(program, Except) else None
        return (
            isinstance(without, Having)
            and without.relation % self.schema.snapshot.num_relations == self.schema.type_relation
        )

    def _build_folds(self, question: QuestionWords, program: Program) -> list[Program]:
        """The "average rating" of several shows, each of which has one: their average."""
        if not isinstance(program, Walk) or program.relation >= self.schema.snapshot.num_relations:
            return []
        first = self.schema.relations[program.relation].label.casefold().partition(" ")[0]
        how = FOLDINGS.get(first)
        kind = self.schema.columns.get_value_type(program.relation)
        is_mentioned = any(word.text == first for word in question.words)
        if how is None or not is_mentioned or kind is None or kind.kind is not ValueKind.NUMBER:
            return []
        several = len(self.executor.compute_nodes(program.source)) > 1
        folds: list[Program] = [Fold(how, program.source, Key((program.relation,)))] if several else []
        self.lifts.update(folds)
        return folds

    def _build_sums(self, question: QuestionWords, program: Program) -> list[Program]:
        """What several things have "together", "in all" or "added up", "tonnes of grit": the sum of their numbers."""
        if not isinstance(program, Walk) or program.relation >= self.schema.snapshot.num_relations:
            return []
        kind = self.schema.columns.get_value_type(program.relation)
        if kind is None or kind.kind is not ValueKind.NUMBER or kind.year:
            return []
        if _TOGETHER.search(vocabulary.join_words(question)[0]) is None and not _has_leading_unit(question):
            return []
        several = len(self.executor.compute_nodes(program.source)) > 1
        sums: list[Program] = [Fold(Folding.SUM, program.source, Key((program.relation,)))] if several else []
        self.sums.update(sums)
        return sums

    def _move_conditions(self, question: QuestionWords, program: Program) -> list[Program]:
        """Conditions said of what is asked for instead of what they name: from both, but not from."""
        texts = {word.text for word in question.words}
        without = conjunctions.move_exception(program, self.executor)
        each = conjunctions.convert_either_to_both(program, self.executor) if texts & _OF_EACH else None
        programs = [candidate for candidate in (without, each) if candidate is not None]
        if each is not None and not texts & (_OF_EACH - {"and"}):
            self.anded.add(each)  # "in goalie and mid positions" may mean either
        self.lifts.update(programs)
        return programs

    def _remove_named(self, question: QuestionWords, program: Program) -> Program:
        """Of two that have the same, the one that is not named: "which lake is in the same county as Loch Awe"."""
        texts = [word.text for word in question.words]
        if "same" not in texts or not has_singular_target(question):
            return program
        nodes = self.executor.compute_nodes(program)
        named_nodes = {node for part in walk(program) if isinstance(part, Entities) for node in part.ids}
        same = sorted(named_nodes & set(nodes.tolist())) if len(nodes) == _PAIR else []
        return Except(program, Entities(tuple(same))) if len(same) == 1 else program


def _has_leading_unit(question: QuestionWords) -> bool:
    """Whether a question begins with a unit of what it asks for: "tonnes of grit", "hours of work"."""
    texts = [word.text for word in question.words]
    first = texts[1:] if texts[:1] == ["the"] else texts
    value = parse(f"1 {first[0]}") if len(first) > 1 and first[1] == "of" else None
    return value is not None and bool(value.dimension)


def _convert_to_choice(question: QuestionWords, program: Program) -> Program:
    """Of two that are named, "which keeps longer, A or B", the one; not how long that is."""
    extreme = isinstance(program, Fold) and program.how in (Folding.LEAST, Folding.MOST)
    if not extreme or not any(word.text == "or" for word in question.words):
        return program
    assert isinstance(program, Fold)
    source = program.source
    if isinstance(source, Or) and isinstance(source.left, Entities) and isinstance(source.right, Entities):
        return Top(source, program.key, program.how is Folding.MOST)
    return program


def _has_relation_part(part: Part) -> bool:
    """Whether words were read as a relation: who is asked for is said then."""
    return (part.category == "R" and part.anchored is not None) or any(map(_has_relation_part, part.parts))


def _build_complement(question: QuestionWords, program: Program) -> Program | None:
    """What "other" asks for: all but what the question names."""
    if not any(word.text in ("other", "else", "another", "others") for word in question.words):
        return None
    named_nodes = sorted({node for part in walk(program) if isinstance(part, Entities) for node in part.ids})
    return Except(program, Entities(tuple(named_nodes))) if named_nodes else None
