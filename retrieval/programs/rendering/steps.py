"""Programs told in steps of plain English, each with what it kept, and the values that answers were ranked by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from retrieval.programs.algebra.numbers import get_result_nodes
from retrieval.programs.algebra.operations import Program, Top
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.rendering.formatting import format_result
from retrieval.programs.rendering.program_wording import ProgramDescriber, StepLine
from retrieval.programs.rendering.sentences.calculations import infer_unit
from retrieval.programs.rendering.sentences.values import format_in_unit
from retrieval.programs.rendering.set_wording import NO_NOUNS

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor

#: Nodes of a step, and runners-up of a ranking, that are given.
NODES, RUNNERS_UP = 50, 3


@dataclass(frozen=True, slots=True)
class DescribedStep:
    """A step of a program.

    Attributes:
        text: what it does, in English.
        path: names of fields that lead from the program to it.
        count: how many nodes it kept; 0 where it gives no set.
        value: the number formatted, or yes or no; empty where it gives a set.
        nodes: ids of the first of them.
        operation: name of the operation: ``Filter``.
        display: the value as people write it, in the unit of its column.
    """

    text: str
    path: tuple[str, ...]
    result: Literal["set", "number", "truth"]
    count: int
    value: str
    nodes: tuple[int, ...]
    operation: str
    display: str = ""


def describe_steps(
    executor: Executor,
    schema_type_relation: int | None,
    program: Program,
    nouns: Mapping[int, str] = NO_NOUNS,
) -> tuple[DescribedStep, ...]:
    """The steps of a program, innermost first; the last one gives what it denotes.

    Args:
        executor: of the graph; what it computed already is not computed again.
        schema_type_relation: the relation that says what kind a node is, see :mod:`.grounding.schema`.
        nouns: what the nodes are called that a directed relation leads on from.

    Raises:
        ProgramError: it does not fit the graph.
        Cancelled: the executor's ``cancelled`` said so.
    """
    describer = ProgramDescriber(executor, schema_type_relation, nouns)
    return tuple(_make_step(describer, program, line) for line in describer.describe_lines(program, ()))


def describe_program(
    executor: Executor,
    schema_type_relation: int | None,
    program: Program,
    nouns: Mapping[int, str] = NO_NOUNS,
) -> str:
    """A program in one line: ``countries → continent Africa → largest population``.

    Raises:
        ProgramError: see :func:`describe_steps`.
    """
    return " → ".join(
        line.short for line in ProgramDescriber(executor, schema_type_relation, nouns).describe_lines(program, ())
    )


def list_ranked_values(executor: Executor, program: Top) -> list[tuple[int, float]]:
    """What the answers were ranked by: their ids and keys, best first, and so of the next ``RUNNERS_UP`` nodes.

    Raises:
        ProgramError: see :func:`describe_steps`.
    """
    keyed = executor.compute_ranking(program)
    best = keyed.values if program.largest else -keyed.values
    order = np.lexsort((keyed.owners, -best))
    answers = np.isin(keyed.owners[order], executor.compute_nodes(program))
    places = np.flatnonzero(answers)
    if not len(places):
        return []
    kept = order[places[0] : places[-1] + 1 + RUNNERS_UP] if program.per is None else order[places]
    return [(int(keyed.owners[place]), float(keyed.values[place])) for place in kept]


def _make_step(describer: ProgramDescriber, program: Program, line: StepLine) -> DescribedStep:
    here: Any = program
    for name in line.path:
        here = getattr(here, name)
    executor, text, operation = describer.executor, line.text, type(here).__name__
    result = executor.run(here)
    if isinstance(result, Rows):
        nodes = get_result_nodes(result)
        assert nodes is not None
        return DescribedStep(text, line.path, "set", result.total, "", tuple(nodes[:NODES].tolist()), operation)
    if isinstance(result, np.ndarray):
        size = executor.count_nodes(here)
        return DescribedStep(text, line.path, "set", size, "", tuple(result[:NODES].tolist()), operation)
    value = format_result(executor.columns, here, result)
    display = format_in_unit(value, infer_unit(describer, here))
    return DescribedStep(
        text, line.path, "truth" if isinstance(result, bool) else "number", 0, value, (), operation, display
    )
