"""Yes-or-no questions that the graph cannot decide: a missing fact does not make the answer no."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra.operations import And, Entities, Exists, Filter, Holds, KeyOf, Program, Walk, walk
from retrieval.programs.grammar.constituents import list_conditions
from retrieval.results import NoAnswer, NoAnswerReason

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor

_HINT = "That a fact is missing does not make it false. Ask what the graph says of the things that you named."


def explain_unknown(executor: Executor, program: Program) -> NoAnswer | None:
    """Why a "no" is not justified: facts that would decide it are missing; None if the graph can decide."""
    lacking = next(_iter_lacking(executor, program), None)
    if lacking is None or executor.run(program) is not False:
        return None
    nodes, relation = lacking
    snapshot = executor.snapshot
    names = " and ".join(snapshot.get_entity_label(node) for node in nodes[:3])
    label = snapshot.get_relation_label(relation % snapshot.num_relations)
    return NoAnswer(NoAnswerReason.NOT_IN_GRAPH, f"Unknown: the graph has no “{label}” for {names}.", _HINT)


def _iter_lacking(executor: Executor, program: Program) -> Iterator[tuple[list[int], int]]:
    """Nodes that have no fact of the relation that the question is about, and that relation."""
    match program:
        case Holds():
            for part in (program.left, program.right):
                if isinstance(part, KeyOf) and math.isnan(executor.compute_number(part)):
                    yield executor.compute_nodes(part.source).tolist(), part.key.path[-1]
        case Exists(Filter(source, key)) if not key.counted:
            nodes = executor.compute_nodes(source)
            if _is_about_names(source) and not len(executor.compute_keys(nodes, key).owners):
                yield nodes.tolist(), key.path[-1]
        case Exists(And() as both):
            operands = list_conditions(both)
            for operand in operands:
                if isinstance(operand, Walk) and not len(executor.compute_nodes(operand)):
                    yield from _find_failed_step(
                        executor, operand, [other for other in operands if other is not operand]
                    )


def _find_failed_step(executor: Executor, program: Walk, others: list[Program]) -> Iterator[tuple[list[int], int]]:
    """Where a chain from a named entity ends early, unless the other entities have another value of the relation.

    Numbers and dates do not count as entities here: that other rows have the value 1 decides nothing.
    """
    steps: list[Walk] = []
    source: Program = program
    while isinstance(source, Walk):
        steps.append(source)
        source = source.source
    if not isinstance(source, Entities):
        return
    failed = next(step for step in reversed(steps) if not len(executor.compute_nodes(step)))
    count = executor.snapshot.num_relations
    back = (failed.relation + count) % (2 * count)
    things = [nodes[executor.columns.kinds[nodes] == 0] for nodes in map(executor.compute_nodes, others)]
    if failed is program and any(len(executor.walk(nodes, back)) for nodes in things):
        return
    nodes: np.ndarray = executor.compute_nodes(failed.source)
    yield nodes.tolist(), failed.relation


def _is_about_names(program: Program) -> bool:
    return all(isinstance(part, Entities | Walk) for part in walk(program))
