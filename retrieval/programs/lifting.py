"""Conditions that an "and both" or "but not" repeats: each is said of what is asked for, not of what it names.

"Airlines with flights from both Oslo and Bergen" have flights from the one and flights from the other; no flight leaves
both. "But not from Bergen" likewise leaves out airlines, not flights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from retrieval.kg.snapshot.arrays import common
from retrieval.programs.algebra import And, Entities, Except, Or, Program, Walk
from retrieval.programs.execution import Executor


def both(program: Program, executor: Executor) -> Program | None:
    """A set of what either of two leads to, as what both lead to; None where nothing is, or nothing is either."""
    for within, either in _inner(program, Or):
        one, other = either.left, either.right
        if not _alike(one, other):
            continue
        for whole in within:
            first, second = (_with(whole, either, own) for own in (one, other))
            if len(common(executor.nodes(first), executor.nodes(second))):
                return _with(program, whole, And(first, second))
    return None


def but_not(program: Program, executor: Executor) -> Program | None:
    """An exception that leaves out nothing where it stands, as one of the first set further out that it takes from."""
    for within, excepted in _inner(program, Except):
        stands, source, without = excepted, excepted.source, excepted.without
        beside = within[0] if within else None
        if isinstance(beside, And):  # those of one name, but not of another
            named = beside.right if beside.left == excepted else beside.left
            stands, source, without = beside, And(source, named), And(source, without)
            told = _alike(named, excepted.without)
        else:
            told = _alike(source, without)
        if not told or len(common(executor.nodes(source), executor.nodes(without))):
            continue
        for whole in within[int(stands is beside) :]:
            first, second = (_with(whole, stands, own) for own in (source, without))
            if len(common(executor.nodes(first), executor.nodes(second))):
                return _with(program, whole, Except(first, second))
    return None


def _inner(program: Program, sort: type[Any]) -> Iterator[tuple[list[Program], Any]]:
    """Parts of a sort, each with the sets that it is in, innermost first."""
    stack: list[tuple[Program, list[Program]]] = [(program, [])]
    while stack:
        own, within = stack.pop()
        if isinstance(own, sort):
            yield within[::-1], own
        for field in fields(own):  # type: ignore[arg-type]
            value = getattr(own, field.name)
            if isinstance(value, Program) and isinstance(own, Walk | And | Or | Except):
                stack.append((value, [*within, own]))


def _with(program: Program, old: Program, new: Program) -> Program:
    """A program with one part put in the place of another."""
    if program == old:
        return new
    changed = {
        field.name: _with(value, old, new)
        for field in fields(program)  # type: ignore[arg-type]
        if isinstance(value := getattr(program, field.name), Program)
    }
    return replace(program, **changed) if changed else program  # type: ignore[type-var]


def _alike(one: Program, other: Program) -> bool:
    """Whether two sets are said in the same way: each a name, or each what a relation leads to from one."""
    if isinstance(one, Entities) and isinstance(other, Entities):
        return True
    if isinstance(one, Walk) and isinstance(other, Walk):
        return one.relation == other.relation and _alike(one.source, other.source)
    if isinstance(one, And) and isinstance(other, And):
        return _alike(one.left, other.left) and _alike(one.right, other.right)
    return False
