"""The answers of a program, with the facts that prove them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from retrieval.answering.table_answers import build_row_answers, list_chains_by_node, make_describer
from retrieval.events import ProgramExecuted
from retrieval.language.question import Question
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import KeyOf, Program, Top, walk
from retrieval.programs.algebra.rows import Rows
from retrieval.programs.rendering.cypher import write_cypher
from retrieval.programs.rendering.formatting import format_result, format_value, infer_value_type
from retrieval.programs.rendering.names import to_named_json
from retrieval.programs.rendering.readings import iter_other_readings
from retrieval.programs.rendering.sentences.keys import describe_key
from retrieval.programs.rendering.sentences.values import format_in_unit
from retrieval.programs.rendering.sparql import write_sparql
from retrieval.programs.rendering.steps import describe_program, describe_steps, list_ranked_values
from retrieval.programs.understanding import SHOWN
from retrieval.results import (  # fmt: skip
    Answer,
    NoAnswer,
    NoAnswerReason,
    ProgramReading,
    ProgramStep,
    RankedValue,
)
from retrieval.types import EvidenceChain, LinkedEntity

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.programs.understanding import Understanding

_RANKED = 50
#: Answers listed.
ANSWERS = 1_000


def build_answers(
    understanding: Understanding, label: str | None, chains: tuple[EvidenceChain, ...], trusted: float
) -> tuple[Answer, ...]:
    """The answers: nodes of a set, or one number or truth as ``label`` says it.

    Args:
        label: of a number or truth.
        chains: evidence of the program.
        trusted: answers of a lower confidence are guesses.
    """
    result, score = understanding.best.result, round(understanding.confidence, 4)
    guess = score < trusted
    verified = all(hop.verified for chain in chains for hop in chain.hops)
    if isinstance(result, Rows):
        return build_row_answers(understanding, result, chains, guess=guess)
    if not isinstance(result, np.ndarray):
        if label is None or (isinstance(result, float) and math.isnan(result)):
            return ()
        every = tuple(range(len(chains)))
        return (Answer(label, score, chains=every, verified=verified, guess=guess),)
    snapshot = understanding.executor.snapshot
    by_node = list_chains_by_node(chains)
    nodes = _sort_answers(understanding.executor, understanding.best.program, result)
    nodes = [node for node in nodes if snapshot.get_kind(node) != "cvt"][:ANSWERS]
    return tuple(
        Answer(
            snapshot.get_entity_label(node),
            score,
            snapshot.get_node(node),
            tuple(by_node.get(node, ())),
            verified,
            guess=guess,
        )
        for node in nodes
    )


def _sort_answers(executor: Executor, program: Program, result: np.ndarray) -> list[int]:
    """The answers: of a ranking the first first, else as they are numbered."""
    if not isinstance(program, Top) or (program.count == 1 and program.per is None):
        return list(map(int, result))
    keyed = executor.compute_ranking(program)
    best = keyed.values if program.largest else -keyed.values
    places = dict(zip(keyed.owners[np.lexsort((keyed.owners, -best))].tolist(), itertools.count()))
    return sorted(map(int, result), key=lambda node: places.get(node, len(places)))


def list_named_entities(understanding: Understanding, question: Question) -> tuple[LinkedEntity, ...]:
    """The entities that a program names, as linked; words that stand for several are no names."""
    node = understanding.executor.snapshot.get_node
    sure = round(understanding.confidence, 4)
    spans = Counter((start, end) for _, start, end in understanding.named)
    return tuple(
        LinkedEntity(node(entity), question.text[start:end], start, end, sure, "exact")
        for entity, start, end in {mention[0]: mention for mention in reversed(understanding.named)}.values()
        if spans[start, end] == 1
    )[::-1]


def build_program_event(understanding: Understanding, took_ms: Callable[[], float]) -> ProgramExecuted:
    """The event that tells a program: its steps, other readings, and the same in other languages."""
    executor, program = understanding.executor, understanding.best.program
    snapshot, kind, nouns = executor.snapshot, understanding.schema.type_relation, understanding.schema.nouns

    read = ProgramReading(
        describe_program(executor, kind, program, nouns),
        to_named_json(snapshot, program),
        round(understanding.confidence, 4),
    )
    program_steps = tuple(
        ProgramStep(
            s.text, s.result, s.count, s.value, tuple(map(snapshot.get_node, s.nodes)), s.path, s.operation, s.display
        )
        for s in describe_steps(executor, kind, program, nouns)
    )
    possible = [meaning.candidate for meaning in understanding.meanings if not meaning.refused]
    others = tuple(
        ProgramReading(text, to_named_json(snapshot, other.program), round(other.probability, 4))
        for other, text in itertools.islice(
            iter_other_readings(make_describer(understanding), understanding.best, possible or understanding.others),
            SHOWN,
        )
    )
    return ProgramExecuted(
        read, program_steps, others, _list_ranked_values(understanding),
        write_sparql(snapshot, program, executor.columns, understanding.vocabulary),
        "" if understanding.vocabulary else write_cypher(snapshot, program, executor.columns), took_ms(),
        understanding.by,
    )  # fmt: skip


def _list_ranked_values(understanding: Understanding) -> tuple[RankedValue, ...]:
    executor = understanding.executor
    top = next((node for node in walk(understanding.best.program) if isinstance(node, Top)), None)
    if top is None:
        return ()
    answers = set(executor.compute_nodes(top).tolist())
    kind = None if top.key.counted else infer_value_type(executor.columns, KeyOf(top.source, top.key))
    unit = describe_key(make_describer(understanding), top.key).unit
    ranked = [(node, format_value(kind, value)) for node, value in list_ranked_values(executor, top)[:_RANKED]]
    return tuple(
        RankedValue(
            executor.snapshot.get_node(node),
            value,
            node in answers,
            _group(executor, top, node),
            format_in_unit(value, unit),
        )
        for node, value in ranked
    )


def _group(executor: Executor, top: Top, node: int) -> str:
    """What a node has its place among, where each of several has places of its own."""
    groups = executor.compute_pairs(np.array([node], np.int64), top.per)[1] if top.per is not None else ()
    return ", ".join(executor.snapshot.get_entity_label(int(group)) for group in groups)


def format_understood_result(understanding: Understanding) -> str | None:
    """A number or truth as people read it; None where the result is a set, or a number of nothing."""
    result, program = understanding.best.result, understanding.best.program
    if isinstance(result, bool):
        return "yes" if result else "no"
    if isinstance(result, np.ndarray | Rows) or math.isnan(result):
        return None
    return format_result(understanding.executor.columns, program, result)


def make_no_fit_answer() -> NoAnswer:
    """The no-answer of a program that kept nothing."""
    return NoAnswer(
        NoAnswerReason.NO_PATH,
        "Nothing in the graph fits all that was asked.",
        "Look at the steps: drop the one that keeps nothing, or change it.",
    )
