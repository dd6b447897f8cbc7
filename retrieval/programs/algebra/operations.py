"""The typed algebra: what a question may ask to be computed over a graph. Standard library only.

A program is a tree of the dataclasses below. Most denote a *set* of nodes (entities and values alike); ``Count``,
``Fold`` and ``Arithmetic`` a *number*; ``Exists`` and ``Holds`` a *truth*; ``Table`` (:mod:`.table_operations`) *rows*.
Relations are directed ids of one snapshot: ``r`` forward, ``R + r`` inverse. KoPL (Cao et al. 2022) and lambda DCS
(Liang 2013) are the models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any
from weakref import WeakValueDictionary

from retrieval.language.amounts import Amount, Comparison, Folding, TextMatch, ValueKind


class Operation(StrEnum):
    """What two numbers come to."""

    DIFFERENCE = "difference"
    DAYS = "days"
    SUM = "sum"
    PRODUCT = "product"
    RATIO = "ratio"
    SHARE = "share"


_KNOWN: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()
"""Programs that live, by content."""


class _Interned(type):
    """Of equal programs there is one object: a chart compares them very often."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == len(cls.__match_args__):  # type: ignore[attr-defined]
            known = _KNOWN.get((cls, *args))
            if known is not None:
                return known
        made = super().__call__(*args, **kwargs)
        return _KNOWN.setdefault((cls, *made.get_field_values()), made)


class Program(metaclass=_Interned):
    """A node of a program. Programs of equal content are the same object, so that comparing and hashing are fast."""

    def get_field_values(self) -> tuple[object, ...]:
        """The values of its fields, in order."""
        fields_of: tuple[str, ...] = self.__match_args__  # type: ignore[attr-defined]
        return tuple(self.__dict__[name] for name in fields_of)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.get_field_values()


@dataclass(frozen=True, eq=False)
class Entities(Program):
    """These nodes, ids ascending."""

    ids: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Having(Program):
    """All nodes from which a directed relation leads on."""

    relation: int


@dataclass(frozen=True, eq=False)
class Walk(Program):
    """What a directed relation leads to from any of ``source``."""

    source: Program
    relation: int


@dataclass(frozen=True, eq=False)
class And(Program):
    """What is in both."""

    left: Program
    right: Program


@dataclass(frozen=True, eq=False)
class Or(Program):
    """What is in either."""

    left: Program
    right: Program


@dataclass(frozen=True, eq=False)
class Except(Program):
    """What is in ``source`` and not in ``without``."""

    source: Program
    without: Program


@dataclass(frozen=True, slots=True)
class Key:
    """A number for each node: a value that a relation path leads to, or how many nodes it leads to.

    Attributes:
        path: directed relations, at least one.
        counted: the number of distinct nodes at the end of the path instead of its value.
        among: of counted ones, only those; else only values of these, where the last relation of ``path`` begins: of
            regions' profits in 2021, the orders of 2021. None for all.
        folding: of several values of one node; None takes the one that is asked for.
        times: a path of values from where the last relation of ``path`` begins, which multiply it: price and quantity.
        less: such a path of values that are taken from it: the end of something and its beginning.
    """

    path: tuple[int, ...]
    counted: bool = False
    among: Program | None = None
    folding: Folding | None = None
    times: tuple[int, ...] | None = None
    less: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Constant(Program):
    """An amount that a program computes or compares with; the attributes are those of :class:`Amount`."""

    value: float
    kind: ValueKind = ValueKind.NUMBER
    dimension: str = ""
    text: str = ""
    factor: float = 1.0

    @classmethod
    def from_amount(cls, amount: Amount) -> Constant:
        """The constant that stands for an amount of the question."""
        return cls(amount.value, amount.kind, amount.dimension, amount.text, amount.factor)


@dataclass(frozen=True, eq=False)
class Filter(Program):
    """Those of ``source`` whose key compares with ``value``, a constant, number or single node's own key."""

    source: Program
    key: Key
    comparison: Comparison
    value: Program


@dataclass(frozen=True, eq=False)
class TextFilter(Program):
    """Those of ``source`` for which a relation (None: the name) leads to a text that matches."""

    source: Program
    relation: int | None
    match: TextMatch
    text: str


EVERY = 1_000_000
"""The ``count`` of a ranking that leaves out nothing: each thing with its key, "the orders of each customer"."""


@dataclass(frozen=True, eq=False)
class Top(Program):
    """Those of ``source`` whose key is largest or smallest.

    ``rank`` is the place, from 1; ``count`` so many places from there, ``EVERY`` for all. All that
    share a place are taken. With ``per``, a path of directed relations, places are those among all of
    ``source`` that it leads to the same from: the dearest product of each category.
    """

    source: Program
    key: Key
    largest: bool
    rank: int = 1
    count: int = 1
    per: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class KeyOf(Program):
    """The key of the single node of ``source``, a number."""

    source: Program
    key: Key


@dataclass(frozen=True, eq=False)
class Count(Program):
    """How many nodes ``source`` has."""

    source: Program


@dataclass(frozen=True, eq=False)
class Fold(Program):
    """The sum, average, least or most of the keys of all nodes of ``source`` that have one."""

    how: Folding
    source: Program
    key: Key


@dataclass(frozen=True, eq=False)
class Arithmetic(Program):
    """What two numbers come to: without sign how far they are apart, as dates in days; a share is told in percent."""

    operation: Operation
    left: Program
    right: Program


@dataclass(frozen=True, eq=False)
class Exists(Program):
    """Whether ``source`` has any node."""

    source: Program


@dataclass(frozen=True, eq=False)
class Holds(Program):
    """Whether one number compares with another."""

    left: Program
    comparison: Comparison
    right: Program


def iter_children(program: Any) -> Iterator[Program]:
    """The programs that a program, or a part such as a key, is made of, those of its keys and columns included."""
    for field in fields(program):
        value = getattr(program, field.name)
        for item in value if isinstance(value, tuple) and value and is_dataclass(value[0]) else (value,):
            if isinstance(item, Program):
                yield item
            elif is_dataclass(item):
                yield from iter_children(item)


def walk(program: Program) -> Iterator[Program]:
    """The program and all below it, outermost first."""
    yield program
    for child in iter_children(program):
        yield from walk(child)
