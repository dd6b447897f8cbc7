"""The answers of a program that gives the rows of a table, and these rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.programs.algebra.rows import Rows
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.rendering.program_wording import ProgramDescriber
from retrieval.programs.rendering.sentences.answer_tables import ROWS, build_answer_table
from retrieval.programs.rendering.table_formatting import format_cell
from retrieval.results import Answer, AnswerTable
from retrieval.types import EvidenceChain

if TYPE_CHECKING:
    from retrieval.programs.understanding import Understanding


def build_row_answers(
    understanding: Understanding, rows: Rows, chains: tuple[EvidenceChain, ...], *, guess: bool
) -> tuple[Answer, ...]:
    """What the first rows of a table are of, each once: nodes, or parts of dates by their names."""
    executor, table = understanding.executor, understanding.best.program
    assert isinstance(table, Table)
    by_node = list_chains_by_node(chains)
    verified = all(hop.verified for chain in chains for hop in chain.hops)
    answers: dict[tuple[str, int], Answer] = {}
    for row, node in enumerate(rows.list_row_nodes()[:ROWS].tolist()):
        label = format_cell(executor.columns, table, rows, row, 0)
        answers.setdefault(
            (label, node),
            Answer(
                label,
                round(understanding.confidence, 4),
                executor.snapshot.get_node(node) if node >= 0 else None,
                tuple(by_node.get(node, range(len(chains)) if node < 0 else ())),
                verified,
                guess=guess,
            ),
        )
    return tuple(answers.values())


def build_program_table(understanding: Understanding) -> AnswerTable | None:
    """The rows that a program gives as an answer shows them; None of other programs."""
    program, result = understanding.best.program, understanding.best.result
    if not isinstance(program, Table) or not isinstance(result, Rows) or not len(result):
        return None
    return build_answer_table(make_describer(understanding), program, result)


def list_chains_by_node(chains: tuple[EvidenceChain, ...]) -> dict[int, list[int]]:
    """By node the numbers of the chains that begin or end at it."""
    by_node: dict[int, list[int]] = {}
    for number, chain in enumerate(chains):
        for node in (chain.source, *(chain.levels[-1] if chain.levels else ())):
            by_node.setdefault(node.id, []).append(number)
    return by_node


def make_describer(understanding: Understanding) -> ProgramDescriber:
    """What writes parts of a program in words."""
    schema = understanding.schema
    return ProgramDescriber(understanding.executor, schema.type_relation, schema.nouns)
