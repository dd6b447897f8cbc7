"""The pipeline: a question in, events out, as soon as each is known.

The stream begins with ``run.started`` and ends with exactly one of ``answer.final``, ``run.failed`` and
``run.cancelled``. The same request on the same snapshot, checkpoint and seed gives the same stream but
for its times.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from retrieval.config import TripleOptions
from retrieval.errors import Cancelled, ClewError, LLMError, QuestionError, UnknownEntityError
from retrieval.events import (
    AnswerDelta,
    AnswerFinal,
    ChainsBuilt,
    Event,
    PathRetrieved,
    QuestionLinked,
    RunCancelled,
    RunFailed,
    RunStarted,
    SubgraphExtracted,
)
from retrieval.evidence.chains import distinct_facts
from retrieval.kg import search
from retrieval.reasoning.base import Evidence, Reasoner, Verdict
from retrieval.reasoning.extractive import ExtractiveReasoner, ExtractiveSettings, no_path, not_linked
from retrieval.reasoning.gather import GatherSettings, gather, reorganised
from retrieval.reasoning.llm import NAME as LLM
from retrieval.types import LinkedEntity, Usage

if TYPE_CHECKING:
    from retrieval.kg.restriction import RestrictedSnapshot
    from retrieval.kg.snapshot import Snapshot
    from retrieval.reasoning.text_fit import TextFit
    from retrieval.retrievers.base import Retriever

QUESTION_LIMIT = 1_000
"""Characters of a question."""

DEFAULT_BUDGET = 50
MAX_BUDGET = 500
"""Distinct facts that a run may retrieve."""

NEAR_PHRASES, NEAR_EACH = 2, 3
"""Phrases that were not found for which near entities are offered, and how many for each."""

log = logging.getLogger(__name__)


class Linked(Protocol):
    """What a linker found: topic entities, and phrases that look like names and were not found."""

    @property
    def entities(self) -> tuple[LinkedEntity, ...]:
        """Topic entities in the order of the question."""
        ...

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Phrases that no entity was found for."""
        ...


class Linking(Protocol):
    """What the engine needs of a linker."""

    def link(self, question: str, given: Sequence[int] = ()) -> Linked:
        """Link a question, or take the entities that the caller names."""
        ...


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question.

    Attributes:
        question: 1 to ``QUESTION_LIMIT`` characters.
        given: topic entities chosen by the caller; used instead of what the linker would find.
        budget: most distinct facts retrieved, 1 to ``MAX_BUDGET``.
        seed: of the retriever's sampling.
    """

    question: str
    given: tuple[int, ...] = ()
    budget: int = DEFAULT_BUDGET
    seed: int = 0


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Settings of the engine beyond those of its parts.

    Attributes:
        relation_paths: relation paths asked of the retriever for each topic.
        subgraph_hops: radius of the candidate subgraph that is reported.
        subgraph_triples: facts after which its extent is no longer counted.
    """

    relation_paths: int = 16
    subgraph_hops: int = 2
    subgraph_triples: int = 20_000
    gather: GatherSettings = field(default_factory=GatherSettings)
    extractive: ExtractiveSettings = field(default_factory=ExtractiveSettings)


@dataclass(slots=True)
class _Run:
    """What one run knows so far."""

    request: AskRequest
    cancelled: Callable[[], bool]
    began: float = field(default_factory=time.perf_counter)
    paths: int = 0
    facts: dict[int, float] = field(default_factory=dict)

    def check(self) -> None:
        if self.cancelled():
            raise Cancelled("The run was stopped.")

    def ms(self, since: float | None = None) -> float:
        return round((time.perf_counter() - (self.began if since is None else since)) * 1000, 2)


class Engine:
    """One graph, retriever, linker and reasoner, ready to be asked. Threads may share it.

    Args:
        snapshot: the graph.
        retriever: a trained or the zero-shot retriever for that graph.
        linker: finds topic entities.
        reasoner: extractive or language model.
        encoder: name of the text encoder, for the record.
        text_fit: second opinion on a trained retriever's relation paths; without it the retriever's word
            stands, and nothing is said not to be in the graph.
        settings: see :class:`EngineSettings`.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        retriever: Retriever,
        linker: Linking,
        reasoner: Reasoner,
        *,
        encoder: str = "",
        text_fit: TextFit | None = None,
        settings: EngineSettings | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.retriever = retriever
        self.linker = linker
        self.reasoner = reasoner
        self.encoder = encoder
        self.text_fit = text_fit
        self.settings = settings or EngineSettings()
        self._fallback = ExtractiveReasoner(self.settings.extractive)

    def on(self, snapshot: RestrictedSnapshot) -> Engine:
        """The same engine on some facts of its graph. Entities are still linked among those of the whole graph."""
        other = copy(self)
        other.snapshot, other.retriever = snapshot, self.retriever.on(snapshot)
        return other

    def run(self, request: AskRequest, *, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
        """Answer one question.

        Args:
            request: the question and its limits.
            cancelled: asked between pieces of work; True ends the run with ``run.cancelled``.

        Yields:
            Events in the order of :mod:`retrieval.events`. Nothing is raised: an error is ``run.failed``.
        """
        run = _Run(request, cancelled)
        yield self._started(request)
        try:
            _validate(request, self.snapshot)
            yield from self._answer(run)
        except Cancelled:
            yield RunCancelled("Stopped. What was found until then is kept.", run.paths)
        except ClewError as error:
            yield RunFailed(error.code, error.message, error.hint)
        except Exception:
            log.exception("A run broke on %s", self.snapshot.path)
            yield RunFailed(
                "internal",
                "Something inside Clew broke.",
                "The log of the worker has the details; please report it.",
            )

    def _started(self, request: AskRequest) -> RunStarted:
        return RunStarted(
            question=request.question[:QUESTION_LIMIT],
            method=str(self.retriever.method),
            reasoner=self.reasoner.name,
            snapshot=self.snapshot.hash,
            checkpoint=self.retriever.checkpoint,
            encoder=self.encoder,
            budget=request.budget,
            seed=request.seed,
        )

    def _answer(self, run: _Run) -> Iterator[Event]:
        run.check()
        began = time.perf_counter()
        linked = self.linker.link(run.request.question, run.request.given)
        yield QuestionLinked(linked.entities, linked.unmatched, run.ms(began))
        run.check()
        if not linked.entities:
            near = _near(self.snapshot, linked.unmatched)
            yield _final(run, Verdict(no_answer=not_linked(linked.unmatched, near)))
            return
        yield self._subgraph(run, linked)
        topics = [t for t in _topics(linked) if self.snapshot.degree(t) > 0]
        if not topics:
            yield _final(run, Verdict(no_answer=no_path(linked.entities)))
            return
        mentions = {entity.entity.id: entity.mention for entity in reversed(linked.entities)}
        named = [mentions[topic] for topic in topics]
        yield from self._paths(run, topics, named)
        began = time.perf_counter()
        evidence = self._evidence(run, linked, topics, named)
        yield ChainsBuilt(evidence.chains, run.paths, distinct_facts(evidence.chains), run.ms(began))
        yield from self._reason(run, evidence)

    def _subgraph(self, run: _Run, linked: Linked) -> SubgraphExtracted:
        began = time.perf_counter()
        hops, limit = self.settings.subgraph_hops, self.settings.subgraph_triples
        topics = _topics(linked)
        found = search.k_hop(self.snapshot, topics, hops, max_triples=limit)
        return SubgraphExtracted(
            topics=tuple(self.snapshot.node(topic) for topic in topics),
            entities=len(found.entities),
            triples=len(found.facts),
            max_hops=hops,
            strategy="k-hop, cut at its budget" if found.truncated else "k-hop",
            took_ms=run.ms(began),
        )

    def _paths(self, run: _Run, topics: list[int], mentions: list[str]) -> Iterator[PathRetrieved]:
        request = run.request
        triples = self.snapshot.num_triples
        for path in self.retriever.retrieve(
            request.question,
            topics,
            budget=request.budget,
            seed=request.seed,
            mentions=mentions,
            cancelled=run.cancelled,
        ):
            run.check()
            run.paths += 1
            for arc in path.arcs:
                run.facts.setdefault(arc % triples, path.score)
            hops = tuple(self.snapshot.hop(arc) for arc in path.arcs)
            yield PathRetrieved(run.paths, hops, round(path.score, 6), run.ms())
        run.check()

    def _evidence(self, run: _Run, linked: Linked, topics: list[int], mentions: list[str]) -> Evidence:
        found = self.retriever.relation_paths(
            run.request.question,
            topics,
            limit=self.settings.relation_paths,
            mentions=mentions,
            cancelled=run.cancelled,
        )
        coverage = 1.0
        if self.text_fit is not None and found:
            found, fits = self.text_fit.rescore(run.request.question, found, topics, mentions)
            coverage = max(fits.values())
        evidence = gather(
            self.snapshot,
            run.request.question,
            linked.entities,
            linked.unmatched,
            found,
            simple=self.retriever.simple,
            settings=self.settings.gather,
            cancelled=run.cancelled,
            coverage=coverage,
        )
        options = self.retriever.options
        if isinstance(options, TripleOptions) and self.reasoner.name == LLM:
            length, settings = options.chain_length or None, self.settings.gather
            return reorganised(evidence, run.facts, max_length=length, settings=settings)
        return evidence

    def _reason(self, run: _Run, evidence: Evidence) -> Iterator[Event]:
        """Ask the reasoner; when its language model fails, the extractive answer stands in and says so."""
        run.check()
        verdict: Verdict | None = None
        try:
            for item in self._ask(run, evidence):
                if isinstance(item, Verdict):
                    verdict = item
                else:
                    run.check()
                    yield item
        except LLMError as error:
            verdict = self._fallback.decide(evidence)
            note = f"{error.message} {error.hint}".strip()
            warning = f"{note} These answers were extracted from the graph without it."
            verdict = replace(verdict, warnings=(warning, *verdict.warnings))
        if verdict is None:
            raise RuntimeError(f"reasoner {self.reasoner.name} gave no verdict")
        yield _final(run, verdict)

    def _ask(self, run: _Run, evidence: Evidence) -> Iterator[AnswerDelta | Verdict]:
        """Ask the reasoner when there is evidence; without any, the typed no-answer is known already."""
        if not evidence.chains:
            return iter((self._fallback.decide(evidence),))
        return self.reasoner.answer(evidence, cancelled=run.cancelled)


def _final(run: _Run, verdict: Verdict) -> AnswerFinal:
    usage: Usage = replace(verdict.usage, triples=len(run.facts))
    return AnswerFinal(verdict.answers, verdict.no_answer, verdict.text, verdict.warnings, usage, run.ms())


def _topics(linked: Linked) -> list[int]:
    return list(dict.fromkeys(entity.entity.id for entity in linked.entities))


def _near(snapshot: Snapshot, phrases: Sequence[str]) -> tuple[str, ...]:
    """Labels spelt like the phrases that were not found, for "did you mean"."""
    found: dict[str, None] = {}
    for phrase in phrases[:NEAR_PHRASES]:
        matches = snapshot.labels.search(phrase, NEAR_EACH)
        found.update((match.node.label, None) for match in matches)
    return tuple(found)


def _validate(request: AskRequest, snapshot: Snapshot) -> None:
    if not request.question.strip():
        raise QuestionError("The question is empty.", hint="Type a question.")
    if len(request.question) > QUESTION_LIMIT:
        raise QuestionError(
            f"The question has {len(request.question):,} characters; {QUESTION_LIMIT:,} are allowed.",
            hint="Ask a shorter question.",
        )
    if not 1 <= request.budget <= MAX_BUDGET:
        raise QuestionError(f"The budget is {request.budget}.", hint=f"Give 1 to {MAX_BUDGET}.")
    for entity in request.given:
        if not 0 <= entity < snapshot.num_entities:
            raise UnknownEntityError(
                f"The graph has no entity {entity}.", hint="Choose an entity from the search box."
            )
