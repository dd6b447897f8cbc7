"""Conditions that an "and both" or "but not" repeats: each is said of what is asked for, not of what it names.

"Airlines with flights from both Oslo and Bergen" have flights from the one and flights from the other; no flight leaves
both. "But not from Bergen" likewise leaves out airlines, not flights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import And, Entities, Except, Or, Program, Top, Walk, walk

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor


def convert_either_to_both(program: Program, executor: Executor) -> Program | None:
    """A set of what either of two leads to, as what both lead to; None where nothing is, or nothing is either."""
    for within, either in _iter_nested(program, Or):
        left, right = either.left, either.right
        if not _is_alike(left, right):
            continue
        for outer in within:
            first, second = (_replace_part(outer, either, side) for side in (left, right))
            if len(find_common(executor.compute_nodes(first), executor.compute_nodes(second))):
                return _replace_part(program, outer, And(first, second))
    return None


def move_exception(program: Program, executor: Executor) -> Program | None:
    """An exception that leaves out nothing where it stands, as one of the first set further out that it takes from."""
    for within, excepted in _iter_nested(program, Except):
        stands, source, without = excepted, excepted.source, excepted.without
        enclosing = within[0] if within else None
        if isinstance(enclosing, And):  # those of one name, but not of another
            remaining = enclosing.right if enclosing.left == excepted else enclosing.left
            stands, source, without = enclosing, And(source, remaining), And(source, without)
            is_parallel = _is_alike(remaining, excepted.without)
        else:
            is_parallel = _is_alike(source, without)
        if not is_parallel or len(find_common(executor.compute_nodes(source), executor.compute_nodes(without))):
            continue
        for outer in within[int(stands is enclosing) :]:
            first, second = (_replace_part(outer, stands, side) for side in (source, without))
            if len(find_common(executor.compute_nodes(first), executor.compute_nodes(second))):
                return _replace_part(program, outer, Except(first, second))
    return None


def rank_alternatives(program: Program) -> Program:
    """Compare two alternatives with each other where each was a condition on the top of all: "which year had more
    births, 1979 or 1990" is not about the year with the most births.
    """
    for _, either in _iter_nested(program, Or):
        for top in walk(either.left):
            if isinstance(top, Top) and top in walk(either.right):
                first, second = (_replace_part(side, top, top.source) for side in (either.left, either.right))
                return _replace_part(program, either, replace(top, source=Or(first, second)))
    return program


def _iter_nested(program: Program, sort: type[Any]) -> Iterator[tuple[list[Program], Any]]:
    """Parts of a sort, each with the sets that it is in, innermost first."""
    stack: list[tuple[Program, list[Program]]] = [(program, [])]
    while stack:
        current, within = stack.pop()
        if isinstance(current, sort):
            yield within[::-1], current
        for field in fields(current):  # type: ignore[arg-type]
            value = getattr(current, field.name)
            if isinstance(value, Program) and isinstance(current, Walk | And | Or | Except):
                stack.append((value, [*within, current]))


def _replace_part(program: Program, old: Program, new: Program) -> Program:
    """A program with one part put in the place of another."""
    if program == old:
        return new
    changed = {
        field.name: _replace_part(value, old, new)
        for field in fields(program)  # type: ignore[arg-type]
        if isinstance(value := getattr(program, field.name), Program)
    }
    return replace(program, **changed) if changed else program  # type: ignore[type-var]


def _is_alike(left: Program, right: Program) -> bool:
    """Whether two sets are said in the same way: each a name, or each what a relation leads to from one."""
    if isinstance(left, Entities) and isinstance(right, Entities):
        return True
    if isinstance(left, Walk) and isinstance(right, Walk):
        return left.relation == right.relation and _is_alike(left.source, right.source)
    if isinstance(left, And) and isinstance(right, And):
        return _is_alike(left.left, right.left) and _is_alike(left.right, right.right)
    return False
