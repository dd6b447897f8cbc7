"""At which step of a program an expected node is left out, and why."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from retrieval.diagnosis.facts import find_targets, get_inverse
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Entities,
    Except,
    Filter,
    Having,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.programs.algebra.execution import Executor

FOLLOWED = 24
"""Nodes that lead on to the expected one which are looked for in what a walk begins at."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """Where a program loses a node.

    Attributes:
        path: names of the fields that lead from the program to the step.
        node: the node that is lost there: the expected one, or one that leads to it.
        cause: ``fact``: a fact is missing; ``value``: it has none of the values that are compared; ``compared``: its
            value does not compare; ``ranked``: others come first; ``left out``: it is among what is taken away;
            ``other``: the set is named, and it is not in it; ``number``: the program gives no set.
        relation: directed, the one that ``fact`` and ``value`` miss, as walked from the step's source.
        sources: of ``fact``: nodes that the relation should lead from.
        place: of ``ranked``: its place, from 1.
    """

    path: Path
    node: int
    cause: Literal["fact", "value", "compared", "ranked", "left out", "other", "number"]
    relation: int | None = None
    sources: tuple[int, ...] = ()
    place: int | None = None


def find_loss(executor: Executor, program: Program, node: int) -> Loss | None:
    """Where a program loses a node; None where it gives it."""
    return _find_loss(executor, program, node, ())


def _find_loss(executor: Executor, program: Program, node: int, path: Path) -> Loss | None:
    result = executor.run(program)
    if not isinstance(result, np.ndarray):
        return _find_number_loss(executor, program, node, path)
    if _has_node(result, node):
        return None
    match program:
        case Entities(ids):
            return Loss(path, node, "other", sources=ids[:FOLLOWED])
        case Having(relation):
            return Loss(path, node, "fact", relation, (node,))
        case Walk(source, relation):
            return _find_walk_loss(executor, program, node, path)
        case And(left, right):
            side_losses = [
                _find_loss(executor, side, node, (*path, name)) for side, name in ((left, "left"), (right, "right"))
            ]
            losses = [loss for loss in side_losses if loss is not None]
            return min(losses, key=lambda loss: (loss.cause == "other", -len(loss.path)))
        case Or(left, right):
            left_loss = _find_loss(executor, left, node, (*path, "left"))
            right_loss = _find_loss(executor, right, node, (*path, "right"))
            return (
                left_loss
                if right_loss is None or (left_loss is not None and left_loss.cause != "other")
                else right_loss
            )
        case Except(source):
            return _find_loss(executor, source, node, (*path, "source")) or Loss(path, node, "left out")
        case Filter(source) | Top(source):
            return _find_loss(executor, source, node, (*path, "source")) or _find_value_loss(
                executor, program, node, path
            )
        case TextFilter(source, relation):
            before = _find_loss(executor, source, node, (*path, "source"))
            if before is not None:
                return before
            here = np.array([node], np.int64)
            has = relation is None or len(executor.compute_pairs(here, (relation,))[0]) > 0
            return Loss(path, node, "compared" if has else "value", relation)
    return Loss(path, node, "other")


def _find_number_loss(executor: Executor, program: Program, node: int, path: Path) -> Loss:
    """A program that gives a number or a truth: where the sets that it is made of lose the node."""
    for field in fields(program):  # type: ignore[arg-type]
        inner = getattr(program, field.name)
        if isinstance(inner, Program) and not isinstance(inner, Constant):
            loss = _find_loss(executor, inner, node, (*path, field.name))
            if loss is not None and loss.cause not in ("number", "other"):
                return loss
    return Loss(path, node, "number")


def _find_walk_loss(executor: Executor, program: Walk, node: int, path: Path) -> Loss:
    """A walk that does not come to a node: what leads to it was lost before, or nothing leads to it."""
    snapshot, sources = executor.snapshot, executor.compute_nodes(program.source)
    here = np.array([node], np.int64)
    leading = find_targets(snapshot, here, get_inverse(snapshot, program.relation))[:FOLLOWED]
    first = tuple(sources[:FOLLOWED].tolist())
    missing = Loss(path, node, "fact", program.relation, first)
    if isinstance(program.source, Entities) or not len(leading):
        return missing if len(sources) or not len(leading) else _find_latest_loss(executor, program, leading, path)
    return _find_latest_loss(executor, program, leading, path)


def _find_latest_loss(executor: Executor, program: Walk, leading: np.ndarray, path: Path) -> Loss:
    """Of what leads to a node the one that is lost latest."""
    losses = [_find_loss(executor, program.source, int(leading_node), (*path, "source")) for leading_node in leading]
    known_losses = [loss for loss in losses if loss is not None]
    return min(known_losses, key=lambda loss: (loss.cause == "other", len(loss.path)))


def _find_value_loss(executor: Executor, program: Filter | Top, node: int, path: Path) -> Loss:
    """A comparison or ranking that a node reached and did not pass."""
    key = program.key
    keyed = executor.compute_keys(
        executor.compute_nodes(program.source), key, largest=getattr(program, "largest", True)
    )
    owns = np.flatnonzero(keyed.owners == node)
    if not len(owns):
        return Loss(path, node, "value", _find_missing_relation(executor, node, key.path))
    if isinstance(program, Filter):
        return Loss(path, node, "compared")
    mine = keyed.values[owns[0]]
    better = keyed.values > mine if program.largest else keyed.values < mine
    return Loss(path, node, "ranked", place=len(np.unique(keyed.values[better])) + 1)


def _find_missing_relation(executor: Executor, node: int, path: tuple[int, ...]) -> int:
    """The relation of a path at which nothing leads on from a node."""
    here = np.array([node], np.int64)
    for relation in path:
        here = executor.walk(here, relation)
        if not len(here):
            return relation
    return path[-1]


def remove_step(program: Program, path: Path) -> Program | None:
    """The program without one step: what the step was made of stands in its place; None where nothing would."""
    if path:
        inner = remove_step(getattr(program, path[0]), path[1:])
        return None if inner is None else _replace_field(program, path[0], inner)
    match program:
        case Filter(source) | TextFilter(source) | Top(source) | Except(source):
            return source
    return None


def remove_side(program: Program, path: Path) -> Program | None:
    """The program without one side of the intersection that ``path`` leads into; None where it leads into none."""
    steps = len(path)
    while steps:
        steps -= 1
        if isinstance(_get_part(program, path[:steps]), And):
            other = "right" if path[steps] == "left" else "left"
            return _replace_at(program, path[:steps], attrgetter(other))
    return None


def _get_part(program: Program, path: Path) -> Program:
    for name in path:
        program = getattr(program, name)
    return program


def _replace_at(program: Program, path: Path, change: Callable[[Program], Program]) -> Program:
    if not path:
        return change(program)
    return _replace_field(program, path[0], _replace_at(getattr(program, path[0]), path[1:], change))


def _replace_field(program: Program, name: str, inner: Program) -> Program:
    changed: Program = replace(cast(Any, program), **{name: inner})
    return changed


def _has_node(nodes: np.ndarray, node: int) -> bool:
    index = int(np.searchsorted(nodes, node))
    return index < len(nodes) and int(nodes[index]) == node
