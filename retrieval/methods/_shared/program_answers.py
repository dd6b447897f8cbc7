"""The answers of a program, with the facts that prove them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from retrieval.events import ProgramExecuted
from retrieval.evidence.chains import build_chain, fact_key
from retrieval.evidence.reach import Reach
from retrieval.kg.snapshot.arrays import common
from retrieval.programs.algebra import (
    Entities,
    Filter,
    Fold,
    Having,
    Key,
    KeyOf,
    Program,
    Top,
    Walk,
    walk,
)  # fmt: skip
from retrieval.programs.execution import Executor
from retrieval.programs.rendering.cypher import cypher
from retrieval.programs.rendering.formatting import formatted, formatted_value, type_of
from retrieval.programs.rendering.names import named
from retrieval.programs.rendering.sparql import sparql
from retrieval.programs.rendering.steps import ranked_values, sentence, steps
from retrieval.types import (
    Answer,
    Beside,
    EvidenceChain,
    LinkedEntity,
    NoAnswer,
    NoAnswerReason,
    ProgramReading,
    ProgramStep,
    RankedValue,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retrieval.programs.reader import Understanding

#: Evidence chains shown of a program, and nodes whose values are shown of one operation.
_CHAINS, _VALUED = 24, 8
_RANKED = 50
#: Answers listed.
ANSWERS = 1_000


def chains_of(executor: Executor, program: Program, score: float) -> tuple[EvidenceChain, ...]:
    """The walks of a program from named entities, and the values that its filters and rankings read."""
    result = executor.run(program)
    final = result if isinstance(result, np.ndarray) else np.zeros(0, np.int64)
    found: dict[tuple[int, tuple[int, ...]], EvidenceChain | None] = {}
    for topics, path, targets in _walked(executor, program, final):
        for topic in topics:
            if (topic, path) not in found and len(found) < _CHAINS:
                found[topic, path] = _chain(executor, topic, path, targets, score)
    chains = [chain for chain in found.values() if chain is not None]
    facts = [frozenset(map(fact_key, chain.hops)) for chain in chains]
    # A fact that is walked both ways is one chain.
    return tuple(chain for i, chain in enumerate(chains) if facts[i] not in facts[:i])


def _walked(
    executor: Executor, program: Program, final: np.ndarray
) -> Iterator[tuple[Sequence[int], tuple[int, ...], np.ndarray | None]]:
    """Nodes that a program walks from, along which path, and where of that it arrives."""
    inside: set[int] = set()
    for node in walk(program):
        if isinstance(node, Walk) and id(node) not in inside:
            path, bottom = [node.relation], node.source
            inside.add(id(node))
            while isinstance(bottom, Walk):
                inside.add(id(bottom))
                path.append(bottom.relation)
                bottom = bottom.source
            reached = executor.nodes(node)
            shown = common(reached, final)
            topics = bottom.ids if isinstance(bottom, Entities) else _first(executor.nodes(bottom), final)
            yield topics[:_VALUED], tuple(reversed(path)), shown if len(shown) else reached
        for owners, way in _read(executor, node, final):
            yield owners, way, None


def _read(executor: Executor, node: Program, final: np.ndarray) -> list[tuple[list[int], tuple[int, ...]]]:
    """Nodes whose values an operation read, those of the result first, and along which path."""
    if isinstance(node, Having):
        return [(common(executor.nodes(node), final)[:_VALUED].tolist(), (node.relation,))]
    if not isinstance(node, Filter | Top | Fold | KeyOf):
        return []
    key: Key = node.key
    outer = executor.run(node)
    kept = outer if isinstance(outer, np.ndarray) else executor.nodes(node.source)
    read = _first(kept, final)
    per = getattr(node, "per", None)
    beside = key.times or key.less
    ways = [
        key.path,
        *([] if beside is None else [(*key.path[:-1], *beside)]),
        *([] if per is None else [per]),
    ]
    return [(read, way) for way in ways]


def _first(nodes: np.ndarray, final: np.ndarray) -> list[int]:
    shared = common(nodes, final)
    chosen: list[int] = (shared if len(shared) else nodes)[:_VALUED].tolist()
    return chosen


def _chain(
    executor: Executor, topic: int, path: tuple[int, ...], targets: np.ndarray | None, score: float
) -> EvidenceChain | None:
    """What a path from a node leads to, of the targets only; None where it leads to none of them."""
    levels, here = [], np.array([topic], np.int64)
    for relation in path:
        here = executor.walk(here, relation)
        levels.append(here)
    if targets is not None:
        levels[-1] = common(levels[-1], targets)
    if not len(levels[-1]):
        return None
    return build_chain(executor.snapshot, Reach(topic, path, score, tuple(levels), simple=False))


def answers_of(
    understanding: Understanding, label: str | None, chains: tuple[EvidenceChain, ...], trusted: float
) -> tuple[Answer, ...]:
    """The answers: nodes of a set, or one number or truth as ``label`` says it.

    Args:
        understanding: the program, its result and confidence.
        label: of a number or truth.
        chains: evidence of the program.
        trusted: answers of a lower confidence are guesses.
    """
    result, score = understanding.best.result, round(understanding.confidence, 4)
    guess = score < trusted
    verified = all(hop.verified for chain in chains for hop in chain.hops)
    if not isinstance(result, np.ndarray):
        if label is None or (isinstance(result, float) and math.isnan(result)):
            return ()
        every = tuple(range(len(chains)))
        return (Answer(label, score, chains=every, verified=verified, guess=guess),)
    snapshot = understanding.executor.snapshot
    by_node: dict[int, list[int]] = {}
    for number, chain in enumerate(chains):
        for node in (chain.source, *(chain.levels[-1] if chain.levels else ())):
            by_node.setdefault(node.id, []).append(number)
    nodes = _in_order(understanding.executor, understanding.best.program, result)
    nodes = [node for node in nodes if snapshot.kind(node) != "cvt"][:ANSWERS]
    beside = _beside(understanding, nodes)
    return tuple(
        Answer(
            snapshot.entity_label(node),
            score,
            snapshot.node(node),
            tuple(by_node.get(node, ())),
            verified,
            guess=guess,
            beside=beside[node],
        )
        for node in nodes
    )


def _beside(understanding: Understanding, nodes: list[int]) -> dict[int, tuple[Beside, ...]]:
    """By answer what was asked for beside it; of a relation that an answer lacks nothing."""
    executor, found = understanding.executor, dict[int, list[Beside]]((node, []) for node in nodes)
    snapshot = executor.snapshot
    for relation in understanding.beside:
        values = dict[int, list[str]]()
        for owner, end in zip(*executor.pairs(np.array(sorted(nodes), np.int64), (relation,)), strict=True):
            values.setdefault(int(owner), []).append(snapshot.entity_label(int(end)))
        for node, labels in values.items():
            said = ", ".join(sorted(labels)[:_VALUED]) + (", …" if len(labels) > _VALUED else "")
            found[node].append(Beside(snapshot.relation_label(relation), said))
    return {node: tuple(own) for node, own in found.items()}


def _in_order(executor: Executor, program: Program, result: np.ndarray) -> list[int]:
    """The answers: of a ranking the first first, else as they are numbered."""
    if not isinstance(program, Top) or (program.count == 1 and program.per is None):
        return list(map(int, result))
    keyed = executor.ranking(program)
    best = keyed.values if program.largest else -keyed.values
    places = dict(zip(keyed.owners[np.lexsort((keyed.owners, -best))].tolist(), itertools.count()))
    return sorted(map(int, result), key=lambda node: places.get(node, len(places)))


def named_entities(found: Understanding, question: str) -> tuple[LinkedEntity, ...]:
    """The entities that a program names, as linked; words that stand for several are no names."""
    node = found.executor.snapshot.node
    sure = round(found.confidence, 4)
    spans = Counter((start, end) for _, start, end in found.named)
    return tuple(
        LinkedEntity(node(entity), question[start:end], start, end, sure, "exact")
        for entity, start, end in {named[0]: named for named in reversed(found.named)}.values()
        if spans[start, end] == 1
    )[::-1]


def executed(found: Understanding, took_ms: Callable[[], float]) -> ProgramExecuted:
    """The event that tells a program: its steps, other readings, and the same in other languages."""
    executor, program = found.executor, found.best.program
    snapshot, kind, nouns = executor.snapshot, found.schema.type_relation, found.schema.nouns

    def reading(of: Program, score: float) -> ProgramReading:
        return ProgramReading(sentence(executor, kind, of, nouns), named(snapshot, of), round(score, 4))

    told = tuple(
        ProgramStep(s.text, s.result, s.count, s.value, tuple(snapshot.node(n) for n in s.nodes), s.path)
        for s in steps(executor, kind, program, nouns)
    )
    others = tuple(reading(other.program, other.probability) for other in found.others)
    return ProgramExecuted(
        reading(program, found.confidence), told, others, _ranked(executor, program),
        sparql(snapshot, program, executor.columns, found.vocabulary),
        "" if found.vocabulary else cypher(snapshot, program, executor.columns), took_ms(), found.by,
    )  # fmt: skip


def _ranked(executor: Executor, program: Program) -> tuple[RankedValue, ...]:
    top = next((node for node in walk(program) if isinstance(node, Top)), None)
    if top is None:
        return ()
    answers = set(executor.nodes(top).tolist())
    kind = None if top.key.counted else type_of(executor.columns, KeyOf(top.source, top.key))
    return tuple(
        RankedValue(
            executor.snapshot.node(node),
            formatted_value(kind, value),
            node in answers,
            _group(executor, top, node),
        )
        for node, value in ranked_values(executor, top)[:_RANKED]
    )


def _group(executor: Executor, top: Top, node: int) -> str:
    """What a node has its place among, where each of several has places of its own."""
    groups = executor.pairs(np.array([node], np.int64), top.per)[1] if top.per is not None else ()
    return ", ".join(executor.snapshot.entity_label(int(group)) for group in groups)


def formatted_result(understanding: Understanding) -> str | None:
    """A number or truth as people read it; None where the result is a set, or a number of nothing."""
    result, program = understanding.best.result, understanding.best.program
    if isinstance(result, bool):
        return "yes" if result else "no"
    if isinstance(result, np.ndarray) or math.isnan(result):
        return None
    return formatted(understanding.executor.columns, program, result)


def nothing_fits() -> NoAnswer:
    """The no-answer of a program that kept nothing."""
    return NoAnswer(
        NoAnswerReason.NO_PATH,
        "Nothing in the graph fits all that was asked.",
        "Look at the steps: drop the one that keeps nothing, or change it.",
    )
