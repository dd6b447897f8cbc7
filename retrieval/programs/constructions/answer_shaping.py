"""From what a chart composed to what is asked for: the ships instead of their captains, the products of rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.kg.values import parse
from retrieval.language import words as vocabulary
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.language.comparisons import FOLDINGS
from retrieval.language.english import STOP
from retrieval.language.words import QuestionWords, get_label_stems
from retrieval.lexicon import get_words
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
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
from retrieval.programs.constructions.connections import Pairs, find_named_pair, has_bare_name
from retrieval.programs.constructions.implied_verbs import Doing
from retrieval.programs.grammar.constituents import Part, iter_leaves, list_conditions, restore_skipped_word
from retrieval.programs.grounding.anchors.anchor import Relating

if TYPE_CHECKING:
    from retrieval.programs.constructions.row_order import RowOrder
    from retrieval.programs.grounding.anchors.similarity import Similarity
    from retrieval.programs.grounding.schema import Schema

#: Things whose people are looked for, and ways to them.
_MOST_OWNED, _OWNERS = 10_000, 2
#: Words of a question that asks whose something is.
_WHOSE = 4
#: Words that say that each of two conditions holds of what is asked for; "and" alone may also mean either.
#: What questions of yes or no begin with that do not ask what something is.
_DOING = get_words("do_forms") | get_words("have_forms")
#: What asks for the kind of something.
_SORT_OF = re.compile(
    r"(?:what|which|whats) (?:sort|kind|type|breed|class|variety|style|category|species) of (?P<noun>\w+) .+"
)
_OF_EACH = frozenset({"and", "both", "common", "share", "shared"})
#: From this share of a relation's ends on nothing leads on from them.
_MOSTLY = 0.5
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
        schema: of the graph.
        executor: runs programs.
        row_order: knows the order of a table's rows.
        similarity: of words and names.

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
        self._row_order = row_order
        self._pairs = Pairs(schema, executor)
        self._doing = Doing(schema, executor, similarity)
        self.done: set[Program] = set()
        self._leaves: dict[Program, Part] = {}
        self.lifts: set[Program] = set()
        self.anded: set[Program] = set()
        self.of_rows: set[Program] = set()
        self.sums: set[Program] = set()
        self.beyond: set[Program] = set()
        self.sorts: set[Program] = set()
        self._wanted: np.ndarray | None = None

    def start_question(self, wanted: np.ndarray | None = None) -> None:
        """Forget what was made for another question; ``wanted`` are nodes of the sort that this one asks for."""
        self._wanted = wanted
        self.beyond.clear()
        self.sorts.clear()
        self.done.clear()
        self._leaves.clear()
        self.lifts.clear()
        self.anded.clear()
        self.of_rows.clear()
        self.sums.clear()

    def get_source_part(self, program: Program, part: Part) -> Part:
        """The part that a program was finished from, with the word that only finishing has read."""
        source = program.source if isinstance(program, Exists) else program
        leaf = self._leaves.get(source)
        return part if leaf is None else replace(part, features=(), parts=(part, leaf), anchored=None)

    def build_programs(
        self, question: QuestionWords, question_kind: str, part: Part, several: Collection[Program]
    ) -> list[Program]:
        """The programs that a composed part may come to.

        Args:
            question: in words.
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
                    for joined in self._add_truth_conditions(question, part, self._pairs.join_entities(*named_pair))
                ]
            if self._is_of_its_kind(question, part) or self._is_of_no_kind(part.program):
                return []
            if isinstance(part.program, Or) and all(isinstance(inner, Or | Entities) for inner in walk(part.program)):
                return []  # that either is there is no question
            return [Exists(self._require_truth(part.program)), part.program]
        if part.category == "S":
            other = _build_complement(question, part.program)
            programs = [part.program] if other is None else [other, part.program]
            programs = [self._remove_named(question, program) for program in programs]
            programs += [
                variant
                for program in programs
                for variant in (*self._resolve_surrogates(program), *self._move_conditions(question, program))
            ]
            programs = self._find_owners(question, part.program) or [
                *programs, *self._build_folds(question, part.program), *self._build_sums(question, part.program),
            ]  # fmt: skip
            people: list[Program] = []
            if question_kind == "who" and (
                not _has_relation_part(part)
                or self._is_row_set(part.program)
                or self._is_value_condition(part.program)
                or self._is_thing_ranking(part.program)
            ):
                people = self._find_people(part.program)
                for doer, leaf in self._doing.find_doers(question, part):
                    self.done.add(doer)
                    self._leaves[doer] = leaf
                    people = [*people, *([] if doer in people else [doer])]
            elif question_kind in ("which", "what is", "what are") and self._is_row_set(part.program):
                people = self._find_row_things(question, part.program)
            self.of_rows.update(people if self._is_row_set(part.program) else ())
            never = self._find_absent_members(question, part.program)
            self.done.update(never)
            people = [*people, *never]
            beyond = [
                candidate for candidate in self._expand_to_wanted(part.program) if candidate not in {*programs, *people}
            ]
            self.beyond.update(beyond)
            sorts = self._find_narrower_kinds(question, part.program)
            self.sorts.update(sorts)
            return [*programs, *people, *beyond, *sorts]
        if part.category == "F" and isinstance(part.program, Count):
            rows = self._find_rows(part.program.source)
            if rows is not None:
                return [Count(rows)]
            counts = [Count(lifted) for lifted in self._move_conditions(question, part.program.source)]
            self.lifts.update(counts)
            return [part.program, *counts]
        if part.category == "F" and question.words[0].text != "how":
            return [_convert_to_choice(question, part.program)]
        return [part.program] if part.category == "F" else []

    def _expand_to_wanted(self, program: Program) -> list[Program]:
        """What is of the sort that was asked for, one step from what is not: the sites of samples, of "which sites"."""
        wanted, nodes = self._wanted, self.executor.compute_nodes(program)
        if wanted is None or not 0 < len(nodes) <= _MOST_OWNED or is_among(nodes, wanted).any():
            return []
        if self.schema.columns.kinds[nodes].any():
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

    def _has_excluded_kinds(self, program: Program) -> bool:
        """Whether kinds are left out of things of a kind, or all that have one: that says nothing of any."""
        without = program.without if isinstance(program, Except) else None
        return (
            isinstance(without, Having)
            and without.relation % self.schema.snapshot.num_relations == self.schema.type_relation
        )

    def _find_absent_members(self, question: QuestionWords, program: Program) -> list[Program]:
        """Those of a kind that stand in no row: "which driver was never sent out", where rows are all that is done."""
        typed, texts = self.schema.type_relation, [word.text for word in question.words]
        kind = isinstance(program, Walk) and typed is not None and program.relation == self.schema.get_inverse(typed)
        if "never" not in texts or not kind or question.kind not in ("which", "list"):
            return []
        nodes, rows, programs = (
            self.executor.compute_nodes(program),
            self.schema.surrogates[0],
            list[Program](),
        )
        for info in self.schema.relations:
            sources, targets = (
                self.schema.columns.list_sources(info.id),
                self.schema.columns.list_targets(info.id),
            )
            if len(sources) and bool(rows[sources].all()) and bool(is_among(targets, nodes).all()):
                programs.append(Except(program, Having(self.schema.get_inverse(info.id))))
        return programs if len(programs) == 1 and len(self.executor.compute_nodes(programs[0])) else []

    def _find_narrower_kinds(self, question: QuestionWords, program: Program) -> list[Program]:
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

    def _find_rows(self, program: Program) -> Program | None:
        """The rows of a table in which something named stands: how often it is listed."""
        if self.schema.listing is None or not isinstance(program, Entities):
            return None
        nodes, rows = (
            self.executor.compute_nodes(program),
            self.schema.columns.list_sources(self.schema.listing),
        )
        column = self._row_order.find_column(nodes, rows)
        if column is None or is_among(nodes, rows).any():
            return None
        return Walk(program, self.schema.get_inverse(column))

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

    def _find_owners(self, question: QuestionWords, program: Program) -> list[Program]:
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
            people, count = self._find_people(program), self.schema.snapshot.num_relations
            made: list[Program] = [
                person for person in people
                if isinstance(person, Walk) and self.schema.relations[person.relation % count].form == "by"
            ]  # fmt: skip
            return made or people
        return [owner for owner in back if len(self.executor.compute_nodes(owner))]

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

    def _is_of_its_kind(self, question: QuestionWords, part: Part) -> bool:
        """Whether all that is read is that something named is of a kind, and more was said of it: "is lamb 12 sold"."""
        program = part.program
        if not isinstance(program, And) or not any(
            isinstance(side, Entities) for side in (program.left, program.right)
        ):
            return False
        other = program.left if isinstance(program.right, Entities) else program.right
        if isinstance(other, Walk):
            if other.relation != self.schema.get_inverse(self.schema.type_relation or 0):
                return False
        elif not isinstance(other, Having):
            return False
        if question.words[0].text in _DOING and isinstance(other, Walk):
            return True  # "has Pearl had any repairs"
        read = {n for leaf in iter_leaves(part) for n in range(*(leaf.anchored or (0, 0)))}
        return any(n not in read and word.text not in STOP for n, word in enumerate(question.words))

    def _is_of_no_kind(self, program: Program) -> bool:
        """Whether something named would have to be of a kind that it is not of, and more: a lesson that is Ben."""
        every = list_conditions(program)
        entities = [condition for condition in every if isinstance(condition, Entities) and len(condition.ids) == 1]
        if self.schema.type_relation is None or len(every) <= _PAIR or not entities:
            return False
        back = self.schema.get_inverse(self.schema.type_relation)
        kinds = [condition for condition in every if isinstance(condition, Walk) and condition.relation == back]
        return any(not is_among(self.executor.compute_nodes(entity), self.executor.compute_nodes(kind)).all()
                   for entity in entities for kind in kinds)  # fmt: skip

    def _add_truth_conditions(self, question: QuestionWords, part: Part, joined: list[Program]) -> list[Program]:
        """What joins two things, where a word says more of that: of "has Tess sent it" the ascents that were sent."""
        read = {n for read_part in iter_leaves(part) for n in range(*(read_part.anchored or (0, 0)))}
        unread = [(n, word) for n, word in enumerate(question.words) if n not in read]
        programs = list[Program]()
        for program in joined:
            refined, nodes = program, self.executor.compute_nodes(program)
            for relation, true in self.schema.truths.items():
                position = next((n for n, word in unread if word.stem in self.schema.relations[relation].stems), None)
                if (
                    position is not None
                    and len(nodes)
                    and is_among(nodes, self.schema.columns.list_sources(relation)).all()
                ):
                    refined = And(refined, Walk(Entities((true,)), self.schema.get_inverse(relation)))
                    leaf = restore_skipped_word(position, "R", Relating(relation, 1.0), (("r", 1.0), ("r.recall", 1.0)))
                    self._leaves[refined] = leaf
            programs.append(refined)
        return programs

    def _require_truth(self, program: Program) -> Program:
        """What a yes or no leads to is to be yes, a number no nought: "are dogs allowed", "has Ivy paid"."""
        true = self.schema.truths.get(program.relation) if isinstance(program, Walk) else None
        if true is not None or not isinstance(program, Walk):
            return program if true is None else And(program, Entities((true,)))
        kind = self.schema.columns.get_value_type(program.relation)
        if kind is None or kind.kind is not ValueKind.NUMBER or kind.year:
            return program
        key = Key((program.relation,))
        values = self.executor.compute_keys(self.executor.compute_nodes(program.source), key).values
        return Filter(program.source, key, Comparison.NOT_EQUAL, Constant(0.0)) if (values == 0).any() else program

    def _find_people(self, program: Program) -> list[Program]:
        """Whom all of some things have: the customers of orders, of "who ordered bread"; who holds a title."""
        nodes = self.executor.compute_nodes(program)
        if len(nodes) > _MOST_OWNED:
            return []
        ways: list[Program] = [Walk(program, relation) for relation in self.schema.find_people_relations(nodes)]
        if not ways and isinstance(program, Entities):
            held: list[Program] = [Walk(program, relation) for relation in self.schema.find_owner_relations(nodes)]
            ways = [person for holder in held for person in self._find_people(holder) or [holder]]
        return ways[:_OWNERS]

    def _is_row_set(self, program: Program) -> bool:
        nodes = self.executor.compute_nodes(program)
        return bool(len(nodes)) and bool(self.schema.surrogates[0][nodes].all())

    def _is_thing_ranking(self, program: Program) -> bool:
        """Whether the first of some things is told, and nobody: "who lives in the flat with the most bedrooms"."""
        return isinstance(program, Top) and not self.schema.somebody[self.executor.compute_nodes(program)].any()

    def _is_value_condition(self, program: Program) -> bool:
        """Whether a condition on a value is all that is said of what is no person: "who arrived in September"."""
        nodes = self.executor.compute_nodes(program)
        return isinstance(program, Filter) and not self.schema.somebody[nodes].any()

    def _find_row_things(self, question: QuestionWords, program: Program) -> list[Program]:
        """What rows are of, where they were not asked for themselves: what Tom bought are products, not orders."""
        nodes, question_stems = self.executor.compute_nodes(program), {word.stem for word in question.words}
        kinds = [kind for kind in self.schema.kinds if len(find_common(self.schema.list_members(kind), nodes))]
        names = {get_label_stems(self.schema.snapshot.get_entity_label(kind)) for kind in kinds}
        alike = [r for r in self.schema.find_shared_relations(nodes) if r in self._find_kind_relations(names)]
        if alike:  # parts that were fitted are called by what was fitted
            return [Walk(program, r) for r in alike]
        called = any(question_stems & set(name) for name in names)
        called = called or (self._wanted is not None and bool(is_among(nodes, self._wanted).all()))
        if called and not vocabulary.is_object_question(question):
            return []
        walked = program.relation if isinstance(program, Walk) else None
        things = [
            r for r in self.schema.find_shared_relations(nodes)
            if r < self.schema.snapshot.num_relations and r != self.schema.type_relation
            and walked != self.schema.get_inverse(r) and self.schema.relations[r].leaves < _MOSTLY
        ]  # fmt: skip
        ways: list[Program] = [Walk(program, r) for r in things]
        return [way for way in ways if not self.schema.somebody[self.executor.compute_nodes(way)].any()][:_OWNERS]

    def _find_kind_relations(self, names: Collection[tuple[str, ...]]) -> set[int]:
        """Relations that are called as kinds are, by their stems."""
        return {
            info.id for info in self.schema.relations
            if tuple(info.stems) in names and self.schema.columns.get_value_type(info.id) is None
        }  # fmt: skip

    def _remove_named(self, question: QuestionWords, program: Program) -> Program:
        """Of two that have the same, the one that is not named: "which lake is in the same county as Loch Awe"."""
        texts = [word.text for word in question.words]
        if "same" not in texts or not _needs_single_answer(question):
            return program
        nodes = self.executor.compute_nodes(program)
        named_nodes = {node for part in walk(program) if isinstance(part, Entities) for node in part.ids}
        same = sorted(named_nodes & set(nodes.tolist())) if len(nodes) == _PAIR else []
        return Except(program, Entities(tuple(same))) if len(same) == 1 else program

    def _resolve_surrogates(self, program: Program) -> list[Program]:
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


def _needs_single_answer(question: QuestionWords) -> bool:
    """Whether what is asked for is named in the singular: "which lake", "what is the only lake"."""
    wanted = [question.words[n] for n in sorted(vocabulary.find_target_words(question))]
    return bool(wanted) and not any(word.text.endswith("s") and word.stem != word.text for word in wanted)


def _build_complement(question: QuestionWords, program: Program) -> Program | None:
    """What "other" asks for: all but what the question names."""
    if not any(word.text in ("other", "else", "another", "others") for word in question.words):
        return None
    named_nodes = sorted({node for part in walk(program) if isinstance(part, Entities) for node in part.ids})
    return Except(program, Entities(tuple(named_nodes))) if named_nodes else None
