"""From what a chart composed to what is asked for: the ships instead of their captains, the products of rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import all_arcs
from retrieval.kg.snapshot.arrays import among, common
from retrieval.kg.values import parse
from retrieval.programs import lifting
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import (
    And,
    Comparison,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Folding,
    Having,
    Key,
    Or,
    Program,
    Top,
    ValueKind,
    Walk,
    walk,
)
from retrieval.programs.anchors.anchor import Relating
from retrieval.programs.doing import Doing
from retrieval.programs.execution import Executor
from retrieval.programs.lexicon import FOLDINGS, STOP
from retrieval.programs.pairs import Pairs, repeats_a_name, two_named
from retrieval.programs.parts import Part, conditions, leaves_of, unskipped
from retrieval.programs.words import Question, stems_of

if TYPE_CHECKING:
    from retrieval.programs.anchors.similarity import Similarity
    from retrieval.programs.listing import Listing
    from retrieval.programs.schema import Schema

#: Things whose people are looked for, and ways to them.
_MOST_OWNED, _OWNERS = 10_000, 2
#: Words of a question that asks whose something is.
_WHOSE = 4
#: Words that say that each of two conditions holds of what is asked for; "and" alone may also mean either.
#: What questions of yes or no begin with that do not ask what something is.
_DOING = frozenset({"did", "do", "does", "had", "has", "have"})
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


class Finishing:
    """Finishes the parts of one question after another.

    Args:
        schema: of the graph.
        executor: runs programs.
        listing: knows the order of a table's rows.
        similarity: of words and names.

    Attributes:
        lifts: programs made since :meth:`begin` whose conditions were said of something else.
        anded: of these, those that no more than an "and" asks for.
        of_rows: programs of what rows are of.
        sums: programs of what several things have together.
        beyond: programs of what the question's noun says, one step from what was read.
        sorts: programs of the kinds of what was read.
        done: programs of who did what a verb says that no relation does.
    """

    def __init__(self, schema: Schema, executor: Executor, listing: Listing, similarity: Similarity) -> None:
        self.schema = schema
        self.executor = executor
        self._listing = listing
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

    def begin(self, wanted: np.ndarray | None = None) -> None:
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

    def part_of(self, program: Program, part: Part) -> Part:
        """The part that a program was finished from, with the word that only finishing has read."""
        source = program.source if isinstance(program, Exists) else program
        leaf = self._leaves.get(source)
        return part if leaf is None else replace(part, features=(), parts=(part, leaf), anchored=None)

    def of(self, question: Question, asked: str, part: Part, several: Collection[Program]) -> list[Program]:
        """The programs that a composed part may come to.

        Args:
            question: in words.
            asked: the sort of answer that is asked for.
            part: covers the question.
            several: sets that words are known to stand for.
        """
        if part.program is None or (asked == "how many" and part.program in several):
            return []
        if self._leaves_out_kinds(part.program):
            return []  # everything, in other words
        if asked != "yes/no" and part.program not in several:
            both = self._pairs.people_of_both(question, part.program) if asked == "who" else []
            if both or repeats_a_name(part.program):
                self.done.update(both)
                return both or self._pairs.held_by_either(part.program)
        if asked == "yes/no" and part.category == "S":
            named = two_named(part.program)
            if named is not None:
                return [Exists(own) for own in self._said_true(question, part, self._pairs.joined(*named))]
            if self._is_of_its_kind(question, part) or self._is_of_no_kind(part.program):
                return []
            if isinstance(part.program, Or) and all(
                isinstance(own, Or | Entities) for own in walk(part.program)
            ):
                return []  # that either is there is no question
            return [Exists(self._true(part.program)), part.program]
        if part.category == "S":
            other = _others(question, part.program)
            found = [part.program] if other is None else [other, part.program]
            found = [self._another(question, own) for own in found]
            found += [
                own for program in found for own in (*self._named(program), *self._lifted(question, program))
            ]
            found = self._owners(question, part.program) or [
                *found, *self._folded(question, part.program), *self._summed(question, part.program),
            ]  # fmt: skip
            people: list[Program] = []
            if asked == "who" and (
                not _names_a_relation(part)
                or self._are_rows(part.program)
                or self._did(part.program)
                or self._ranks_things(part.program)
            ):
                people = self._people_of(part.program)
                for own, leaf in self._doing.of(question, part):
                    self.done.add(own)
                    self._leaves[own] = leaf
                    people = [*people, *([] if own in people else [own])]
            elif asked in ("which", "what is", "what are") and self._are_rows(part.program):
                people = self._things_of(question, part.program)
            self.of_rows.update(people if self._are_rows(part.program) else ())
            never = self._never(question, part.program)
            self.done.update(never)
            people = [*people, *never]
            beyond = [own for own in self._beyond(part.program) if own not in {*found, *people}]
            self.beyond.update(beyond)
            sorts = self._sorts_of(question, part.program)
            self.sorts.update(sorts)
            return [*found, *people, *beyond, *sorts]
        if part.category == "F" and isinstance(part.program, Count):
            rows = self._rows_with(part.program.source)
            if rows is not None:
                return [Count(rows)]
            counts = [Count(own) for own in self._lifted(question, part.program.source)]
            self.lifts.update(counts)
            return [part.program, *counts]
        if part.category == "F" and question.words[0].text != "how":
            return [_which(question, part.program)]
        return [part.program] if part.category == "F" else []

    def _beyond(self, program: Program) -> list[Program]:
        """What is of the sort that was asked for, one step from what is not: the sites of samples, of "which sites"."""
        wanted, nodes = self._wanted, self.executor.nodes(program)
        if wanted is None or not 0 < len(nodes) <= _MOST_OWNED or among(nodes, wanted).any():
            return []
        if self.schema.columns.kinds[nodes].any():
            return []
        starts, relations, ends, _ = all_arcs(self.schema.snapshot, nodes)
        inside = among(ends, wanted)
        ways = list[tuple[float, int]]()
        for relation in np.unique(relations[inside]).tolist():
            own = relations == relation
            held = len(np.unique(starts[own & inside])) / len(nodes)
            if inside[own].all() and held >= _MOSTLY:
                ways.append((-held, relation))
        return [Walk(program, relation) for _, relation in sorted(ways)[:_OWNERS]]

    def _leaves_out_kinds(self, program: Program) -> bool:
        """Whether kinds are left out of things of a kind, or all that have one: that says nothing of any."""
        without = program.without if isinstance(program, Except) else None
        return (
            isinstance(without, Having)
            and without.relation % self.schema.snapshot.num_relations == self.schema.type_relation
        )

    def _never(self, question: Question, program: Program) -> list[Program]:
        """Those of a kind that stand in no row: "which driver was never sent out", where rows are all that is done."""
        typed, said = self.schema.type_relation, [word.text for word in question.words]
        kind = (
            isinstance(program, Walk) and typed is not None and program.relation == self.schema.inverse(typed)
        )
        if "never" not in said or not kind or vocabulary.asked(question) not in ("which", "list"):
            return []
        nodes, rows, found = self.executor.nodes(program), self.schema.surrogates[0], list[Program]()
        for info in self.schema.relations:
            sources, targets = self.schema.columns.sources(info.id), self.schema.columns.targets(info.id)
            if len(sources) and bool(rows[sources].all()) and bool(among(targets, nodes).all()):
                found.append(Except(program, Having(self.schema.inverse(info.id))))
        return found if len(found) == 1 and len(self.executor.nodes(found[0])) else []

    def _sorts_of(self, question: Question, program: Program) -> list[Program]:
        """The narrower kinds of what "what sort of hive is H07" is about: without the kind that was named."""
        typed, match = self.schema.type_relation, _SORT_OF.fullmatch(vocabulary.folded(question)[0])
        if typed is None or match is None or vocabulary.stem(match["noun"]) in self.schema.by_stem:
            return []
        said = {word.stem for word in question.words}
        kinds = [
            kind
            for kind in self.schema.kinds
            if set(stems_of(self.schema.snapshot.entity_label(kind))) <= said
        ]
        named = [own for own in walk(program) if isinstance(own, Entities) and len(own.ids) == 1]
        of = next(
            (own for own in named if any(own.ids[0] in self.schema.members(kind) for kind in kinds)), program
        )
        if not among(self.executor.nodes(of), self.schema.columns.sources(typed)).any():
            return []
        narrower = Except(Walk(of, typed), Entities(tuple(sorted(kinds)))) if kinds else Walk(of, typed)
        return [narrower] if len(self.executor.nodes(narrower)) else []

    def _rows_with(self, program: Program) -> Program | None:
        """The rows of a table in which something named stands: how often it is listed."""
        if self.schema.listing is None or not isinstance(program, Entities):
            return None
        nodes, rows = self.executor.nodes(program), self.schema.columns.sources(self.schema.listing)
        column = self._listing.column_of(nodes, rows)
        if column is None or among(nodes, rows).any():
            return None
        return Walk(program, self.schema.inverse(column))

    def _folded(self, question: Question, program: Program) -> list[Program]:
        """The "average rating" of several shows, each of which has one: their average."""
        if not isinstance(program, Walk) or program.relation >= self.schema.snapshot.num_relations:
            return []
        first = self.schema.relations[program.relation].label.casefold().partition(" ")[0]
        how = FOLDINGS.get(first)
        kind = self.schema.columns.value_type(program.relation)
        said = any(word.text == first for word in question.words)
        if how is None or not said or kind is None or kind.kind is not ValueKind.NUMBER:
            return []
        several = len(self.executor.nodes(program.source)) > 1
        found: list[Program] = [Fold(how, program.source, Key((program.relation,)))] if several else []
        self.lifts.update(found)
        return found

    def _summed(self, question: Question, program: Program) -> list[Program]:
        """What several things have "together", "in all" or "added up", "tonnes of grit": the sum of their numbers."""
        if not isinstance(program, Walk) or program.relation >= self.schema.snapshot.num_relations:
            return []
        kind = self.schema.columns.value_type(program.relation)
        if kind is None or kind.kind is not ValueKind.NUMBER or kind.year:
            return []
        if _TOGETHER.search(vocabulary.folded(question)[0]) is None and not _asks_in_units(question):
            return []
        several = len(self.executor.nodes(program.source)) > 1
        found: list[Program] = (
            [Fold(Folding.SUM, program.source, Key((program.relation,)))] if several else []
        )
        self.sums.update(found)
        return found

    def _owners(self, question: Question, program: Program) -> list[Program]:
        """What "whose captain is older than 50" asks for: the ships, not the captains."""
        if len(question.words) < _WHOSE or question.words[0].text != "whose":
            return []
        named = self.schema.by_stem.get(question.words[1].stem, ())
        back = [Walk(program, self.schema.inverse(relation)) for relation in named]
        if isinstance(program, Walk) and any(own.relation == program.relation for own in back):
            return []  # whose it is was said already
        if isinstance(program, Walk) and program.relation in named:  # not whose theirs is
            return [Walk(program.source, self.schema.inverse(program.relation))]
        if not named:  # whose shows they are says who made them, before who stars in them
            people, count = self._people_of(program), self.schema.snapshot.num_relations
            made: list[Program] = [
                own for own in people
                if isinstance(own, Walk) and self.schema.relations[own.relation % count].form == "by"
            ]  # fmt: skip
            return made or people
        return [own for own in back if len(self.executor.nodes(own))]

    def _lifted(self, question: Question, program: Program) -> list[Program]:
        """Conditions said of what is asked for instead of what they name: from both, but not from."""
        said = {word.text for word in question.words}
        without = lifting.but_not(program, self.executor)
        each = lifting.both(program, self.executor) if said & _OF_EACH else None
        found = [own for own in (without, each) if own is not None]
        if each is not None and not said & (_OF_EACH - {"and"}):
            self.anded.add(each)  # "in goalie and mid positions" may mean either
        self.lifts.update(found)
        return found

    def _is_of_its_kind(self, question: Question, part: Part) -> bool:
        """Whether all that is read is that something named is of a kind, and more was said of it: "is lamb 12 sold"."""
        program = part.program
        if not isinstance(program, And) or not any(
            isinstance(own, Entities) for own in (program.left, program.right)
        ):
            return False
        other = program.left if isinstance(program.right, Entities) else program.right
        if isinstance(other, Walk):
            if other.relation != self.schema.inverse(self.schema.type_relation or 0):
                return False
        elif not isinstance(other, Having):
            return False
        if question.words[0].text in _DOING and isinstance(other, Walk):
            return True  # "has Pearl had any repairs"
        read = {n for own in leaves_of(part) for n in range(*(own.anchored or (0, 0)))}
        return any(n not in read and word.text not in STOP for n, word in enumerate(question.words))

    def _is_of_no_kind(self, program: Program) -> bool:
        """Whether something named would have to be of a kind that it is not of, and more: a lesson that is Ben."""
        every = conditions(program)
        named = [own for own in every if isinstance(own, Entities) and len(own.ids) == 1]
        if self.schema.type_relation is None or len(every) <= _PAIR or not named:
            return False
        back = self.schema.inverse(self.schema.type_relation)
        kinds = [own for own in every if isinstance(own, Walk) and own.relation == back]
        return any(not among(self.executor.nodes(own), self.executor.nodes(kind)).all()
                   for own in named for kind in kinds)  # fmt: skip

    def _said_true(self, question: Question, part: Part, joined: list[Program]) -> list[Program]:
        """What joins two things, where a word says more of that: of "has Tess sent it" the ascents that were sent."""
        read = {n for own in leaves_of(part) for n in range(*(own.anchored or (0, 0)))}
        said = [(n, word) for n, word in enumerate(question.words) if n not in read]
        found = list[Program]()
        for own in joined:
            told, nodes = own, self.executor.nodes(own)
            for relation, true in self.schema.truths.items():
                at = next((n for n, word in said if word.stem in self.schema.relations[relation].stems), None)
                if (
                    at is not None
                    and len(nodes)
                    and among(nodes, self.schema.columns.sources(relation)).all()
                ):
                    told = And(told, Walk(Entities((true,)), self.schema.inverse(relation)))
                    leaf = unskipped(at, "R", Relating(relation, 1.0), (("r", 1.0), ("r.recall", 1.0)))
                    self._leaves[told] = leaf
            found.append(told)
        return found

    def _true(self, program: Program) -> Program:
        """What a yes or no leads to is to be yes, a number no nought: "are dogs allowed", "has Ivy paid"."""
        true = self.schema.truths.get(program.relation) if isinstance(program, Walk) else None
        if true is not None or not isinstance(program, Walk):
            return program if true is None else And(program, Entities((true,)))
        kind = self.schema.columns.value_type(program.relation)
        if kind is None or kind.kind is not ValueKind.NUMBER or kind.year:
            return program
        key = Key((program.relation,))
        values = self.executor.keyed(self.executor.nodes(program.source), key).values
        return (
            Filter(program.source, key, Comparison.NOT_EQUAL, Constant(0.0))
            if (values == 0).any()
            else program
        )

    def _people_of(self, program: Program) -> list[Program]:
        """Whom all of some things have: the customers of orders, of "who ordered bread"; who holds a title."""
        nodes = self.executor.nodes(program)
        if len(nodes) > _MOST_OWNED:
            return []
        ways: list[Program] = [Walk(program, relation) for relation in self.schema.people_of(nodes)]
        if not ways and isinstance(program, Entities):
            held: list[Program] = [Walk(program, relation) for relation in self.schema.holding(nodes)]
            ways = [person for own in held for person in self._people_of(own) or [own]]
        return ways[:_OWNERS]

    def _are_rows(self, program: Program) -> bool:
        nodes = self.executor.nodes(program)
        return bool(len(nodes)) and bool(self.schema.surrogates[0][nodes].all())

    def _ranks_things(self, program: Program) -> bool:
        """Whether the first of some things is told, and nobody: "who lives in the flat with the most bedrooms"."""
        return isinstance(program, Top) and not self.schema.somebody[self.executor.nodes(program)].any()

    def _did(self, program: Program) -> bool:
        """Whether a condition on a value is all that is said of what is no person: "who arrived in September"."""
        nodes = self.executor.nodes(program)
        return isinstance(program, Filter) and not self.schema.somebody[nodes].any()

    def _things_of(self, question: Question, program: Program) -> list[Program]:
        """What rows are of, where they were not asked for themselves: what Tom bought are products, not orders."""
        nodes, said = self.executor.nodes(program), {word.stem for word in question.words}
        kinds = [kind for kind in self.schema.kinds if len(common(self.schema.members(kind), nodes))]
        names = {stems_of(self.schema.snapshot.entity_label(kind)) for kind in kinds}
        alike = [r for r in self.schema.held_by(nodes) if r in self._called(names)]
        if alike:  # parts that were fitted are called by what was fitted
            return [Walk(program, r) for r in alike]
        called = any(said & set(own) for own in names)
        called = called or (self._wanted is not None and bool(among(nodes, self._wanted).all()))
        if called and not vocabulary.asks_what_did(question):
            return []
        walked = program.relation if isinstance(program, Walk) else None
        things = [
            r for r in self.schema.held_by(nodes)
            if r < self.schema.snapshot.num_relations and r != self.schema.type_relation
            and walked != self.schema.inverse(r) and self.schema.relations[r].leaves < _MOSTLY
        ]  # fmt: skip
        ways: list[Program] = [Walk(program, r) for r in things]
        return [own for own in ways if not self.schema.somebody[self.executor.nodes(own)].any()][:_OWNERS]

    def _called(self, names: Collection[tuple[str, ...]]) -> set[int]:
        """Relations that are called as kinds are, by their stems."""
        return {
            info.id for info in self.schema.relations
            if tuple(info.stems) in names and self.schema.columns.value_type(info.id) is None
        }  # fmt: skip

    def _another(self, question: Question, program: Program) -> Program:
        """Of two that have the same, the one that is not named: "which lake is in the same county as Loch Awe"."""
        texts = [word.text for word in question.words]
        if "same" not in texts or not _asks_for_one(question):
            return program
        nodes = self.executor.nodes(program)
        named = {node for part in walk(program) if isinstance(part, Entities) for node in part.ids}
        same = sorted(named & set(nodes.tolist())) if len(nodes) == _PAIR else []
        return Except(program, Entities(tuple(same))) if len(same) == 1 else program

    def _named(self, program: Program) -> list[Program]:
        """What the rows of a table are rows of, where they have no names of their own: the person, of "player 7"."""
        mask, naming = self.schema.surrogates
        nodes = self.executor.nodes(program)
        if not naming or not len(nodes) or not mask[nodes].all():
            return []
        return [
            Walk(program, r)
            for r in sorted(set(naming.values()))
            if np.isin(nodes, self.schema.columns.sources(r)).all()
        ]


def _asks_in_units(question: Question) -> bool:
    """Whether a question begins with a unit of what it asks for: "tonnes of grit", "hours of work"."""
    texts = [word.text for word in question.words]
    first = texts[1:] if texts[:1] == ["the"] else texts
    value = parse(f"1 {first[0]}") if len(first) > 1 and first[1] == "of" else None
    return value is not None and bool(value.dimension)


def _which(question: Question, program: Program) -> Program:
    """Of two that are named, "which keeps longer, A or B", the one; not how long that is."""
    extreme = isinstance(program, Fold) and program.how in (Folding.LEAST, Folding.MOST)
    if not extreme or not any(word.text == "or" for word in question.words):
        return program
    assert isinstance(program, Fold)
    named = program.source
    if isinstance(named, Or) and isinstance(named.left, Entities) and isinstance(named.right, Entities):
        return Top(named, program.key, program.how is Folding.MOST)
    return program


def _names_a_relation(part: Part) -> bool:
    """Whether words were read as a relation: who is asked for is said then."""
    return (part.category == "R" and part.anchored is not None) or any(map(_names_a_relation, part.parts))


def _asks_for_one(question: Question) -> bool:
    """Whether what is asked for is named in the singular: "which lake", "what is the only lake"."""
    wanted = [question.words[n] for n in sorted(vocabulary.targets(question))]
    return bool(wanted) and not any(word.text.endswith("s") and word.stem != word.text for word in wanted)


def _others(question: Question, program: Program) -> Program | None:
    """What "other" asks for: all but what the question names."""
    if not any(word.text in ("other", "else", "another", "others") for word in question.words):
        return None
    named = sorted({node for part in walk(program) if isinstance(part, Entities) for node in part.ids})
    return Except(program, Entities(tuple(named))) if named else None
