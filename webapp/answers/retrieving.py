"""Retrieval without an answer: runs that end with their evidence, which is read from their logs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    PassagesRetrieved,
    PathRetrieved,
    QuestionLinked,
    RunCancelled,
    RunFailed,
    RunStarted,
    from_payload,
)
from retrieval.types import Hop, LinkedEntity, Node, RelationStep, RetrievedPassage
from webapp.answers import following, services
from webapp.answers.models import Run
from webapp.api.errors import AnswerTimeoutError

QUESTIONS_MAX = 20
WAIT_MAX_S = 300.0


@dataclass(frozen=True, slots=True)
class RetrievedPath:
    """A path as walked from a topic entity; ``score`` is the method's, higher is better."""

    score: float
    hops: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class RetrievedTriple:
    """A fact of the paths or of the evidence, with the score of the best of them that holds it."""

    head: Node
    relation: RelationStep
    tail: Node
    score: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was retrieved for one question, each list best first.

    Attributes:
        snapshot: hash of the version that was read.
        checkpoint: fingerprint of what ranked, null where nothing was trained.
        entities: what the question was linked to.
        problem: why nothing was retrieved, or not all of it; empty where all went well.
    """

    question: str
    method: str
    snapshot: str
    checkpoint: str | None
    entities: tuple[LinkedEntity, ...] = ()
    paths: tuple[RetrievedPath, ...] = ()
    triples: tuple[RetrievedTriple, ...] = ()
    passages: tuple[RetrievedPassage, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Retrievals:
    """What was retrieved for several questions, in their order."""

    results: tuple[Retrieval, ...]


async def wait_for_retrievals(runs: Sequence[Run], wait_s: float) -> Retrievals:
    """Return what runs retrieved once all have ended.

    Raises:
        AnswerTimeoutError: they have not ended in time.
    """
    try:
        async with asyncio.timeout(wait_s):
            return Retrievals(tuple([await _wait_for_retrieval(run) for run in runs]))
    except TimeoutError:
        raise AnswerTimeoutError(
            f"The retrieval did not end within {wait_s:g} s.", hint="Ask fewer questions at a time, or wait longer."
        ) from None


async def _wait_for_retrieval(run: Run) -> Retrieval:
    async with aclosing(following.follow_run(run.pk)) as events:  # type: ignore[type-var]
        return build_retrieval(run, [event async for event in events])


def build_retrieval(run: Run, events: Iterable[dict[str, Any]]) -> Retrieval:
    """What a run retrieved, by its events in wire form."""
    result = Retrieval(run.question, run.method, run.snapshot_hash, None)
    triples: dict[tuple[int, str, int], RetrievedTriple] = {}
    paths: list[RetrievedPath] = []
    for event in map(from_payload, events):
        match event:
            case RunStarted():
                result = replace(result, checkpoint=event.checkpoint)
            case QuestionLinked(entities):
                result = replace(result, entities=entities)
            case PathRetrieved(_, hops, score):
                paths.append(RetrievedPath(score, hops))
                _add_triples(triples, hops, score)
            case PassagesRetrieved(passages):
                result = replace(result, passages=passages)
            case ChainsBuilt(chains):
                for chain in chains:
                    _add_triples(triples, chain.hops, chain.score)
            case AnswerFinal(no_answer=reason) if reason is not None and not triples and not result.passages:
                result = replace(result, problem=f"{reason.message} {reason.hint}".strip())
            case RunFailed() | RunCancelled():
                result = replace(result, problem=event.message)
    paths.sort(key=lambda path: -path.score)
    ranked = sorted(triples.values(), key=lambda triple: -triple.score)
    return replace(result, paths=tuple(paths), triples=tuple(ranked))


def _add_triples(triples: dict[tuple[int, str, int], RetrievedTriple], hops: Iterable[Hop], score: float) -> None:
    for hop in hops:
        head, tail = (hop.target, hop.source) if hop.step.inverse else (hop.source, hop.target)
        key = head.id, hop.step.name, tail.id
        if key not in triples or triples[key].score < score:
            triples[key] = RetrievedTriple(head, replace(hop.step, inverse=False), tail, score)


def delete_runs(runs: Sequence[Run]) -> None:
    """Delete runs that were read, or that nobody will read; those that go on are stopped."""
    for run in Run.objects.filter(pk__in=[run.pk for run in runs]):
        services.delete_run(run=run)
