"""Questions of yes or no: which sets ask for a truth, and the yes or number that they must lead to."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import is_among
from retrieval.language.amounts import Comparison, ValueKind
from retrieval.language.english import DO, STOP
from retrieval.language.words import QuestionWords
from retrieval.lexicon import get_words
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Count,
    Entities,
    Except,
    Filter,
    Having,
    Holds,
    Key,
    Program,
    Walk,
)
from retrieval.programs.grammar.constituents import Part, iter_leaves, list_conditions, restore_skipped_word
from retrieval.programs.grounding.anchors.anchor import Relating

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

#: What questions of yes or no begin with that do not ask what something is.
_DOING = DO | get_words("have_forms")
#: What asks about each of what stands behind it.
_ALL = get_words("universal_words")
#: What is named and one more.
_PAIR = 2


class TruthConditions:
    """Tells what may be asked with yes or no, and adds the truths that words say.

    Attributes:
        read_words: by program, the part for the word that only adding its truth has read.
    """

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor
        self.read_words: dict[Program, Part] = {}

    def is_of_its_kind(self, question: QuestionWords, part: Part) -> bool:
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

    def is_of_no_kind(self, program: Program) -> bool:
        """Whether something named would have to be of a kind that it is not of, and more: a lesson that is Ben."""
        every = list_conditions(program)
        entities = [condition for condition in every if isinstance(condition, Entities) and len(condition.ids) == 1]
        if self.schema.type_relation is None or len(every) <= _PAIR or not entities:
            return False
        back = self.schema.get_inverse(self.schema.type_relation)
        kinds = [condition for condition in every if isinstance(condition, Walk) and condition.relation == back]
        return any(not is_among(self.executor.compute_nodes(entity), self.executor.compute_nodes(kind)).all()
                   for entity in entities for kind in kinds)  # fmt: skip

    def add_truth_conditions(self, question: QuestionWords, part: Part, joined: list[Program]) -> list[Program]:
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
                    self.read_words[refined] = leaf
            programs.append(refined)
        return programs

    def require_truth(self, program: Program) -> Program:
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

    def find_exceptions(self, part: Part, required: Program) -> list[Program]:
        """Of "are all lamps in the kitchen LED" that none of them is left out; nothing where they are not told apart.

        Args:
            part: covers the question.
            required: what is left of what is asked about, or what all of that leads to.
        """
        leaves = [leaf for leaf in iter_leaves(part) if leaf.category in "SR" and (leaf.anchored or (0,))[0] > 1]
        if not leaves or part.collect_features().get("and.empty"):
            return []
        first = min(leaves, key=lambda leaf: leaf.anchored or (0, 0))
        while len(part.parts) == 1:
            part = part.parts[0]
        subjects = [
            side.program for side in part.parts
            if side.category == "S" and first in (inside := list(iter_leaves(side)))
            and sum(leaf not in inside and leaf.category == "S" for leaf in leaves) < _PAIR
        ]  # fmt: skip
        if len(leaves) <= _PAIR:
            inverse = first.extra.relation if first.category == "R" else None
            subjects.append(first.program if inverse is None else Having(self.schema.get_inverse(inverse)))
        meant = [required]
        if isinstance(required, Walk):  # "have a supplier": those that do
            meant.insert(0, And(required.source, Having(required.relation)))
        for subject, kept in product(subjects, meant):
            if subject is None or subject == kept or not len(every := self.executor.compute_nodes(subject)):
                continue
            if is_among(self.executor.compute_nodes(kept), every).all():
                return [Holds(Count(Except(subject, kept)), Comparison.EQUAL, Constant(0.0, text="0"))]
        return []


def is_universal(question: QuestionWords) -> bool:
    """Whether a question of yes or no asks about all of something: "are all lamps LED", "has every room a desk"."""
    return len(question.words) > 1 and question.words[1].text in _ALL
