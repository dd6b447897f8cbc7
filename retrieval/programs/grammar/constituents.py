"""Parts of a question and what becomes of two of them.

Categories: ``S`` a set; ``R`` a relation; ``N`` a quantity; ``T`` a comparison with its value, its relation still
missing; ``P`` a count compared, what is counted known, of what not; ``U`` a ranking, ``B`` one by the number of a
set, ``D`` one by a sum or average; ``C`` a comparison that lacks its value, ``K`` one that has its relation; ``Q``
count, ``A`` fold, ``X`` not, ``Y`` what is left out, ``M`` same, ``V`` same by a relation, ``O`` a place, ``L`` a
difference, ``E`` each and ``e`` a set each of which is meant, ``H`` relatives, ``I`` or, ``J`` a set, ``Z`` a value
and ``W`` values after it; ``G`` a text looked for; ``F`` a finished number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from retrieval.language.amounts import Folding
from retrieval.language.words import Quantity
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Entities,
    Filter,
    Having,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.grounding.anchors.anchor import Comparing, Features

Made = tuple[str, Program | None, Any, Features]
"""A part that two make: category, program, extra and the features of making it."""
AnyRule = TypeVar("AnyRule", bound=Callable[..., Iterator[Made]])


@dataclass(slots=True)
class Part:
    """Words [first, last) of the chart, composed.

    Attributes:
        category, program, extra: see the module.
        score: of all its features.
        features: of this composition alone; ``parts`` have the others.
        anchored: of a single anchor, its words [first, last) of the question.
    """

    category: str
    first: int
    last: int
    program: Program | None
    extra: Any
    score: float
    features: Features
    parts: tuple[Part, ...] = ()
    anchored: tuple[int, int] | None = None

    @property
    def expression(self) -> Program:
        """The program of a part that has one: a set or a number."""
        if self.program is None:
            raise TypeError(f"a part of category {self.category} has no program")
        return self.program

    def collect_features(self) -> dict[str, float]:
        """The features of the whole derivation, summed."""
        total: dict[str, float] = {}
        stack = [self]
        while stack:
            part = stack.pop()
            for name, value in part.features:
                total[name] = total.get(name, 0.0) + value
            stack.extend(part.parts)
        return total


@dataclass(frozen=True, slots=True)
class Valued:
    """A comparison with its value.

    Attributes:
        comparing: the operator or adjective.
        value: a constant, a number, or a set of one node whose own key is meant.
        upper: the other end of a range, and whether it belongs to it.
        exact: nothing compares: "in 2004", "4 cylinders".
    """

    comparing: Comparing
    value: Program
    upper: Constant | None = None
    upper_included: bool = True
    exact: bool = False
    folding: Folding | None = None


def restore_skipped_word(word: int, category: str, extra: Any, features: Features) -> Part:
    """A word that was left out while composing, as the part that it turned out to be."""
    return Part(category, word, word + 1, None, extra, 0.0, (*features, ("skip", -1.0)), (), (word, word + 1))


def list_conditions(program: Program) -> list[Program]:
    """All that a program asks to hold at once."""
    if isinstance(program, And):
        return [*list_conditions(program.left), *list_conditions(program.right)]
    return [program]


def is_plain(program: Program) -> bool:
    """Whether a set may be all of something: of a kind, or that have a relation."""
    return isinstance(program, Having) or (isinstance(program, Walk) and isinstance(program.source, Entities))


def build_conjunction(left: Program, right: Program) -> Program:
    """What is in both; what filters or ranks all that have a value filters or ranks the other side instead."""
    for program, source in ((left, right), (right, left)):
        placed = _replace_source(program, source)
        if placed is not None:
            return placed
    return And(left, right)


def can_replace_source(program: Program) -> bool:
    """Whether a conjunction puts the other set in the place of all that a filter or ranking is of."""
    if isinstance(program, Filter | Top | TextFilter):
        return isinstance(program.source, Having) or can_replace_source(program.source)
    return isinstance(program, Or) and can_replace_source(program.left) and can_replace_source(program.right)


def _replace_source(program: Program, source: Program) -> Program | None:
    """``program`` with ``source`` in place of all that have a value, where it is a filter or ranking of those."""
    if isinstance(program, Filter | Top | TextFilter):
        if isinstance(program.source, Having):
            return replace(program, source=source)
        inner = _replace_source(program.source, source)
        return None if inner is None else replace(program, source=inner)
    if isinstance(program, Or):
        left, right = _replace_source(program.left, source), _replace_source(program.right, source)
        return Or(left, right) if left is not None and right is not None else None
    return None


def iter_leaves(part: Part) -> Iterator[Part]:
    """The parts that words were read as."""
    if part.anchored and not part.parts:
        yield part
    for inner in part.parts:
        yield from iter_leaves(inner)


def has_sum_word(part: Part) -> bool:
    """Whether a number comes from a word that sums by itself: "spent", of an amount."""
    return any(name == "sum.word" for name, _ in part.features) or any(map(has_sum_word, part.parts))


def make_comparison(part: Part) -> Valued:
    """A quantity as a comparison: one that nothing compares is meant exactly."""
    if isinstance(part.extra, Valued):
        return part.extra
    quantity: Quantity = part.extra
    compared = quantity.upper is not None or quantity.comparison is not None
    return make_valued(Comparing(quantity.comparison), quantity, exact=not compared)


def make_valued(comparing: Comparing, quantity: Quantity, *, exact: bool = False) -> Valued:
    """A comparison with the amount, or range of amounts, of a quantity."""
    upper = Constant.from_amount(quantity.upper) if quantity.upper else None
    return Valued(comparing, Constant.from_amount(quantity.amount), upper, quantity.upper_included, exact=exact)


def mark_rule(*pairs: str) -> Callable[[AnyRule], AnyRule]:
    """Marks a method that composes parts of two categories, whichever stands first."""

    def mark(method: AnyRule) -> AnyRule:
        method.pairs = pairs  # type: ignore[attr-defined]
        return method

    return mark
