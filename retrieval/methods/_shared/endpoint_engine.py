"""Asking a graph that stays in a SPARQL endpoint: link there, pull what is near, and ask an engine about that."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from retrieval.errors import Cancelled, ClewError, MethodError, UnknownEntityError
from retrieval.events import (
    AnswerFinal,
    Event,
    PathRetrieved,
    QuestionLinked,
    QuestionRewritten,
    RunCancelled,
    RunFailed,
    RunStarted,
    SubgraphExtracted,
)
from retrieval.kg.sparql.subgraph_cache import term
from retrieval.limits import DEFAULT_BUDGET, QUESTION_LIMIT
from retrieval.methods import registry
from retrieval.methods._shared.endpoint_programs import EndpointPrograms
from retrieval.methods._shared.engine_spec import LLM, LLM_PROGRAM, EngineSpec
from retrieval.methods._shared.parts import GraphParts, Opening
from retrieval.methods._shared.path_engine import PathEngine, open_engine
from retrieval.methods._shared.reasoners import make_reasoner, require_written
from retrieval.pipeline import DENOTED_TOPICS, AskRequest
from retrieval.programs.remote.conversation import DenotedThere, FollowedThere, TurnThere, follow_there
from retrieval.text.linking import Linked
from retrieval.text.operators import cues
from retrieval.types import (
    Denoted,
    LinkedEntity,
    NoAnswer,
    NoAnswerReason,
    Node,
    Pulled,
    Usage,
)

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.kg.sparql.subgraph_cache import Subgraph
    from retrieval.pipeline import Engine
    from retrieval.programs.remote.reader import RemoteUnderstanding
    from retrieval.text.encoder import Encoder

T = TypeVar("T")
Numbering = Callable[[Sequence[str]], Mapping[str, int]]
"""Gives each term (:func:`retrieval.kg.sparql.subgraph_cache.term`) the number that stands for it in events: the ids of
what is pulled mean nothing outside it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """One question.

    Attributes:
        question: 1 to 1,000 characters.
        given: IRIs of topic entities chosen by the caller; used instead of what the question names.
        budget: most distinct facts retrieved.
        seed: of the retriever's sampling.
        program: by names of the endpoint; run as it is in place of reading the question.
        follows: the question before, which this one may lean on.
        denoted: words of the question that are known to stand for entities.
    """

    question: str
    given: tuple[str, ...] = ()
    budget: int = DEFAULT_BUDGET
    seed: int = 0
    program: dict[str, Any] | None = None
    follows: TurnThere | None = None
    denoted: tuple[DenotedThere, ...] = ()


@dataclass(frozen=True, slots=True)
class EndpointAsking:
    """One endpoint, opened, and how it is asked.

    Attributes:
        remote: the endpoint.
        method: one that can be asked of endpoints (``MethodSpec.on_endpoints``).
        encoder: the text encoder.
        numbers: see :data:`Numbering`.
        reasoner: ``extractive`` or ``llm``.
        llm: the language model, when one is configured.
        checkpoint: a trained retriever; None for the zero-shot one.
        options: settings of the retriever, as those of an :class:`EngineSpec`.
    """

    remote: SparqlGraph
    method: str
    encoder: Encoder
    numbers: Numbering
    reasoner: str = "extractive"
    llm: LLMSettings | None = None
    checkpoint: Path | None = None
    options: tuple[tuple[str, str | int | float | bool], ...] = ()

    def run(
        self, request: EndpointRequest, *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[Event]:
        """Answer one question. Nothing is raised: an error is ``run.failed``.

        Yields:
            The events of an engine, with the numbers of entities that ``numbers`` gives.
        """
        began = time.perf_counter()
        try:
            yield self._started(request)
            yield from self._answer(request, cancelled, began)
        except Cancelled:
            yield RunCancelled("Stopped while the endpoint was asked.", 0)
        except ClewError as error:
            yield RunFailed(error.code, error.message, error.hint)
        except Exception:
            log.exception("A run broke on %s", self.remote.endpoint)
            yield RunFailed(
                "internal",
                "Something inside Clew broke.",
                "The log of the worker has the details; please report it.",
            )

    def _started(self, request: EndpointRequest) -> RunStarted:
        require_on_endpoint(self.method)
        require_written(EngineSpec(Path(), method=self.method, reasoner=self.reasoner))
        reasoner = make_reasoner(self.reasoner, self.llm)
        return RunStarted(
            question=request.question,
            method=str(self.method),
            reasoner=reasoner.name,
            snapshot="",
            checkpoint=None,
            encoder=self.encoder.name,
            budget=request.budget,
            seed=request.seed,
            llm=reasoner.llm,
            prompts=reasoner.prompts,
            endpoint=self.remote.endpoint,
        )

    def _answer(
        self, request: EndpointRequest, cancelled: Callable[[], bool], began: float
    ) -> Iterator[Event]:
        programs = EndpointPrograms(self.remote, self.encoder, cancelled)
        if request.program is not None:
            yield from self._by_program(programs, request, programs.edited(request.program), began)
            return
        if request.follows is not None:
            since = time.perf_counter()
            followed = follow_there(
                self.remote, self.encoder.encode, request.question, request.follows, cancelled
            )
            if followed is not None:
                request = replace(
                    request, question=followed.question[:QUESTION_LIMIT], denoted=followed.denoted
                )
                yield self._rewritten(followed, since)
        named = self._link(request)
        topics = list(dict.fromkeys([*(iri for own in request.denoted for iri in own.iris), *named.values()]))
        found = self._program(programs, request, topics)
        if found is not None:
            yield from self._by_program(programs, request, found, began)
            return
        yield from self._by_paths(request, named, cancelled, began, programs.warnings)

    def _program(
        self, programs: EndpointPrograms, request: EndpointRequest, topics: Sequence[str]
    ) -> RemoteUnderstanding | None:
        """The program of a question, written or read, where there is one."""
        if self.reasoner == LLM_PROGRAM and self.llm is not None:
            found = programs.written(request.question, topics, self.llm)
            if found is not None:
                return found
        if not self._reads_programs(request.question):
            return None
        return programs.read(request.question, topics, given=bool(request.given), denoted=request.denoted)

    def _rewritten(self, followed: FollowedThere, since: float) -> QuestionRewritten:
        numbers = self.numbers(["<" + iri for own in followed.denoted for iri in own.iris])
        denoted = tuple(
            Denoted(own.start, own.end, tuple(sorted(numbers["<" + iri] for iri in own.iris)))
            for own in followed.denoted
        )
        return QuestionRewritten(followed.question[:QUESTION_LIMIT], followed.shown, denoted, _ms(since))

    def _reads_programs(self, question: str) -> bool:
        """Whether the question is read as a program: a trained retriever answers what relation paths can."""
        if self.reasoner == LLM or not registry.method(self.method).runs_programs:
            return False
        return self.checkpoint is None or bool(cues(question))

    def _by_program(
        self,
        programs: EndpointPrograms,
        request: EndpointRequest,
        found: RemoteUnderstanding,
        began: float,
    ) -> Iterator[Event]:
        asked = AskRequest(request.question, (), request.budget, request.seed)
        for event in programs.answer(asked, found, began):
            yield self._renumbered(found.executor.snapshot, event)

    def _by_paths(
        self,
        request: EndpointRequest,
        named: Mapping[str, str],
        cancelled: Callable[[], bool],
        began: float,
        warnings: tuple[str, ...],
    ) -> Iterator[Event]:
        topics = list(dict.fromkeys(named.values()))
        labels = self.remote.names(topics)
        numbers = self.numbers(["<" + iri for iri in topics])
        linked = tuple(
            _linked(request, words, Node(numbers["<" + iri], labels.get(iri, iri)), given=bool(request.given))
            for words, iri in named.items()
        )
        yield QuestionLinked(linked, (), _ms(began))
        if not topics:
            yield AnswerFinal((), _NOT_LINKED, "", warnings, Usage(), _ms(began))
            return
        since = time.perf_counter()
        try:
            pulled = self.remote.subgraph(topics)
        except UnknownEntityError as error:
            unknown = NoAnswer(NoAnswerReason.NO_PATH, error.message, error.hint)
            yield AnswerFinal((), unknown, "", warnings, Usage(), _ms(began))
            return
        graph = pulled.snapshot
        ids = {graph.entity_iri(topic): topic for topic in pulled.topics}
        yield self._renumbered(graph, self._pulled(pulled, since))
        local = tuple(
            replace(one, entity=graph.node(ids[iri]))
            for one, iri in zip(linked, named.values(), strict=True)
            if iri in ids
        )
        asked = AskRequest(request.question, tuple(ids.values()), request.budget, request.seed)
        shift = _ms(began)
        for event in self._engine(graph, local).run(asked, cancelled=cancelled):
            if not isinstance(event, (RunStarted, QuestionLinked, SubgraphExtracted)):
                yield self._renumbered(graph, _later(event, shift, warnings))

    def _link(self, request: EndpointRequest) -> dict[str, str]:
        """Topic entities by the words that name them, in their order, or by their IRIs where the caller gave them."""
        if request.given:
            return {iri: iri for iri in request.given}
        question = request.question
        known: dict[str, str] = {}
        for own in request.denoted:
            if len(own.iris) == 1:
                known[question[own.start : own.end]] = own.iris[0]
            else:  # paths begin at some of many, programs compute with all
                known.update((iri, iri) for iri in own.iris[:DENOTED_TOPICS])
        found = {
            words: iri
            for words, iri in self.remote.link(question).items()
            if not any(own.start <= question.find(words) < own.end for own in request.denoted)
        }
        return known | {words: found[words] for words in sorted(found, key=question.find)}

    def _pulled(self, found: Subgraph, since: float) -> SubgraphExtracted:
        graph = found.snapshot
        return SubgraphExtracted(
            topics=tuple(graph.node(topic) for topic in found.topics),
            entities=graph.num_entities,
            triples=graph.num_triples,
            max_hops=self.remote.options.hops,
            strategy="pulled from the endpoint" + (", cut at its limits" if found.truncated else ""),
            took_ms=_ms(since),
            pulled=Pulled(found.at, graph.hash, found.queries, found.truncated),
        )

    def _engine(self, graph: Snapshot, linked: tuple[LinkedEntity, ...]) -> Engine:
        spec = EngineSpec(
            graph.path, self.checkpoint, self.method, reasoner=self.reasoner, options=self.options
        )
        parts = GraphParts(graph, self.encoder)
        engine: PathEngine = open_engine(
            Opening(spec, parts, make_reasoner(self.reasoner, self.llm), self.llm)
        )
        engine.linker = _Known(Linked(linked, ()))
        engine.programs = None  # those of the endpoint were tried
        return engine

    def _renumbered(self, graph: Snapshot, event: T) -> T:
        """The event with every entity under the number that stands for it everywhere."""
        seen: set[int] = set()
        _collect(event, seen)
        terms = {entity: term(graph, entity) for entity in sorted(seen)}
        numbers = self.numbers(list(dict.fromkeys(terms.values())))
        renumbered: T = _replaced(event, {entity: numbers[known] for entity, known in terms.items()})
        return renumbered


def require_on_endpoint(method: str) -> None:
    """Refuse a method that an endpoint cannot serve.

    Raises:
        MethodError: it is one; says what can.
    """
    if not registry.method(method).on_endpoints:
        able = (name for name, spec in registry.METHODS.items() if spec.on_endpoints)
        raise MethodError(
            f"{method} cannot be asked of a graph in an endpoint.",
            hint=f"Ask {', '.join(sorted(able))}, or import the graph.",
        )


_NOT_LINKED = NoAnswer(
    NoAnswerReason.ENTITY_NOT_LINKED,
    "The question names no entity that the endpoint has, and no program reads it.",
    "Names are looked up there as they are spelt. Check the spelling and the languages, or choose an entity by hand.",
)


class _Known:
    """A linker of a question that is linked already."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked

    def link(self, question: str, given: Sequence[int] = ()) -> Linked:
        """What is known."""
        del question, given
        return self._linked


def _linked(request: EndpointRequest, words: str, node: Node, *, given: bool) -> LinkedEntity:
    if given:
        return LinkedEntity(node, node.label, -1, -1, 1.0, "given")
    start = request.question.find(words)
    return LinkedEntity(node, words, start, start + len(words) if start >= 0 else -1, 1.0, "exact")


def _collect(value: Any, nodes: set[int]) -> None:
    if isinstance(value, Node):
        nodes.add(value.id)
    elif isinstance(value, tuple):
        for item in value:
            _collect(item, nodes)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            _collect(getattr(value, each.name), nodes)


def _replaced(value: Any, numbers: Mapping[int, int]) -> Any:
    if isinstance(value, Node):
        return replace(value, id=numbers[value.id])
    if isinstance(value, tuple):
        return tuple(_replaced(item, numbers) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{each.name: _replaced(getattr(value, each.name), numbers) for each in fields(value)}
        )
    return value


def _later(event: Event, shift: float, warnings: tuple[str, ...]) -> Event:
    """The event with its times counted from the run's beginning, and the end with what there is to know of it."""
    if isinstance(event, PathRetrieved):
        return replace(event, at_ms=round(event.at_ms + shift, 2))
    if isinstance(event, AnswerFinal):
        said = (*warnings, *event.warnings)
        return replace(event, took_ms=round(event.took_ms + shift, 2), warnings=said)
    return event


def _ms(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 2)
