"""Asking a graph that stays in a SPARQL endpoint: link there, pull what is near, and ask an answerer about that."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from retrieval.answering.endpoint_events import apply_time_shift, collect_node_ids, replace_node_ids
from retrieval.answering.endpoint_programs import EndpointPrograms
from retrieval.answering.endpoint_request import EndpointRequest, FixedLinker, make_linked_entity
from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import PathAnswerer, open_answerer
from retrieval.answering.reasoners import make_reasoner, require_written
from retrieval.answering.run import DENOTED_TOPICS, AskRequest
from retrieval.answering.spec import LLM, LLM_PROGRAM, AnswererSpec
from retrieval.answering.wordings import rename_snapshot
from retrieval.errors import Cancelled, ClewError, MethodError, UnknownEntityError
from retrieval.events import (
    AnswerFinal,
    Event,
    QuestionLinked,
    QuestionRewritten,
    RunCancelled,
    RunFailed,
    RunStarted,
    SubgraphExtracted,
)
from retrieval.kg.snapshot.vocabulary import Vocabulary
from retrieval.kg.sparql.subgraph_cache import get_term
from retrieval.language.question import Question
from retrieval.limits import QUESTION_LIMIT
from retrieval.linking.linker import LinkingResult
from retrieval.methods import registry
from retrieval.programs.remote.conversation import FollowedThere, resolve_remote_follow_up
from retrieval.results import NoAnswer, NoAnswerReason
from retrieval.types import Denoted, LinkedEntity, Node, Pulled, Usage

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.kg.sparql.subgraph_cache import Subgraph
    from retrieval.linking.encoder import Encoder
    from retrieval.programs.remote.asking import RemoteUnderstanding

T = TypeVar("T")
Numbering = Callable[[Sequence[str]], Mapping[str, int]]
"""Gives each term (:func:`retrieval.kg.sparql.subgraph_cache.get_term`) the number that stands for it in events: the
ids of what is pulled mean nothing outside it."""

log = logging.getLogger(__name__)
_NO_WORDS = Vocabulary()


@dataclass(frozen=True, slots=True)
class EndpointAnswerer:
    """One endpoint, opened, and how it is asked.

    Attributes:
        method: one that can be asked of endpoints (``MethodSpec.on_endpoints``).
        numbers: see :data:`Numbering`.
        reasoner: ``extractive`` or ``llm``.
        llm: the language model, when one is configured.
        checkpoint: a trained retriever; None for the zero-shot one.
        options: settings of the retriever, as those of an :class:`AnswererSpec`.
        vocabulary: what people say of the graph's relations and kinds.
    """

    remote: SparqlGraph
    method: str
    encoder: Encoder
    numbers: Numbering
    reasoner: str = "extractive"
    llm: LLMSettings | None = None
    checkpoint: Path | None = None
    options: tuple[tuple[str, str | int | float | bool], ...] = ()
    vocabulary: Vocabulary = _NO_WORDS

    def run(self, request: EndpointRequest, *, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
        """Answer one question. Nothing is raised: an error is ``run.failed``.

        Yields:
            The events of an answerer, with the numbers of entities that ``numbers`` gives.
        """
        began = time.perf_counter()
        try:
            yield self._build_start_event(request)
            yield from self._answer(request, cancelled, began)
        except Cancelled:
            yield RunCancelled("Stopped while the endpoint was asked.", 0)
        except ClewError as error:
            yield RunFailed(error.code, error.message, error.hint)
        except Exception:
            log.exception("A run broke on %s", self.remote.endpoint)
            yield RunFailed(
                "internal", "Something inside Clew broke.", "The log of the worker has the details; please report it."
            )

    def _build_start_event(self, request: EndpointRequest) -> RunStarted:
        require_on_endpoint(self.method)
        require_written(AnswererSpec(Path(), method=self.method, reasoner=self.reasoner))
        reasoner = make_reasoner(self.reasoner, self.llm)
        return RunStarted(
            question=request.question.text,
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

    def _answer(self, request: EndpointRequest, cancelled: Callable[[], bool], began: float) -> Iterator[Event]:
        questions = [request.question, *([request.follows.question] if request.follows else [])]
        self.remote.rename = partial(rename_snapshot, questions, self.vocabulary)
        programs = EndpointPrograms(self.remote, self.encoder, cancelled)
        if request.program is not None:
            yield from self._answer_by_program(programs, request, programs.run_program(request.program), began)
            return
        if request.follows is not None:
            since = time.perf_counter()
            followed = resolve_remote_follow_up(
                self.remote, self.encoder.encode, request.question, request.follows, cancelled
            )
            if followed is not None:
                question = followed.question.keep_part(followed.question.text[:QUESTION_LIMIT])
                request = replace(request, question=question, denoted=followed.denoted)
                yield self._build_rewrite_event(followed, since)
        linked = self._link(request)
        topics = list(
            dict.fromkeys([*(iri for denotation in request.denoted for iri in denotation.iris), *linked.values()])
        )
        understanding = self._find_program(programs, request, topics)
        if understanding is not None:
            yield from self._answer_by_program(programs, request, understanding, began)
            return
        yield from self._answer_by_paths(request, linked, cancelled, began, programs.warnings)

    def _find_program(
        self, programs: EndpointPrograms, request: EndpointRequest, topics: Sequence[str]
    ) -> RemoteUnderstanding | None:
        """The program of a question, written or read, where there is one."""
        if self.reasoner == LLM_PROGRAM and self.llm is not None:
            understanding = programs.write_program(request.question, topics, self.llm)
            if understanding is not None:
                return understanding
        if not self._should_read_programs(request.question):
            return None
        return programs.read(request.question, topics, topics_given=bool(request.given), denoted=request.denoted)

    def _build_rewrite_event(self, followed: FollowedThere, since: float) -> QuestionRewritten:
        numbers = self.numbers(["<" + iri for denotation in followed.denoted for iri in denotation.iris])
        denoted = tuple(
            Denoted(denotation.start, denotation.end, tuple(sorted(numbers["<" + iri] for iri in denotation.iris)))
            for denotation in followed.denoted
        )
        return QuestionRewritten(followed.question.text[:QUESTION_LIMIT], followed.shown, denoted, _measure_ms(since))

    def _should_read_programs(self, question: Question) -> bool:
        """Whether the question is read as a program: a trained retriever answers what relation paths can."""
        if self.reasoner == LLM or not registry.get_method(self.method).runs_programs:
            return False
        return self.checkpoint is None or bool(question.cues)

    def _answer_by_program(
        self, programs: EndpointPrograms, request: EndpointRequest, understanding: RemoteUnderstanding, began: float
    ) -> Iterator[Event]:
        local_request = AskRequest(request.question, (), request.budget, request.seed)
        for event in programs.answer(local_request, understanding, began):
            yield self._replace_entity_ids(understanding.executor.snapshot, event)

    def _answer_by_paths(
        self,
        request: EndpointRequest,
        iris: Mapping[str, str],
        cancelled: Callable[[], bool],
        began: float,
        warnings: tuple[str, ...],
    ) -> Iterator[Event]:
        topics = list(dict.fromkeys(iris.values()))
        labels = self.remote.get_names(topics)
        numbers = self.numbers(["<" + iri for iri in topics])
        linked = tuple(
            make_linked_entity(
                request, words, Node(numbers["<" + iri], labels.get(iri, iri)), picked=bool(request.given)
            )
            for words, iri in iris.items()
        )
        yield QuestionLinked(linked, (), _measure_ms(began))
        if not topics:
            yield AnswerFinal((), _NOT_LINKED, "", warnings, Usage(), _measure_ms(began))
            return
        since = time.perf_counter()
        try:
            pulled = self.remote.fetch_subgraph(topics)
        except UnknownEntityError as error:
            unknown = NoAnswer(NoAnswerReason.NO_PATH, error.message, error.hint)
            yield AnswerFinal((), unknown, "", warnings, Usage(), _measure_ms(began))
            return
        graph = pulled.snapshot
        ids = {graph.get_entity_iri(topic): topic for topic in pulled.topics}
        yield self._replace_entity_ids(graph, self._build_subgraph_event(pulled, since))
        local = tuple(
            replace(entity, entity=graph.get_node(ids[iri]))
            for entity, iri in zip(linked, iris.values(), strict=True)
            if iri in ids
        )
        local_request = AskRequest(request.question, tuple(ids.values()), request.budget, request.seed)
        shift = _measure_ms(began)
        for event in self._open_answerer(graph, local).run(local_request, cancelled=cancelled):
            if not isinstance(event, (RunStarted, QuestionLinked, SubgraphExtracted)):
                yield self._replace_entity_ids(graph, apply_time_shift(event, shift, warnings))

    def _link(self, request: EndpointRequest) -> dict[str, str]:
        """Topic entities by the words that name them, in their order, or by their IRIs where the caller gave them."""
        if request.given:
            return {iri: iri for iri in request.given}
        question = request.question
        known: dict[str, str] = {}
        for denotation in request.denoted:
            if len(denotation.iris) == 1:
                known[question.text[denotation.start : denotation.end]] = denotation.iris[0]
            else:  # paths begin at some of many, programs compute with all
                known.update((iri, iri) for iri in denotation.iris[:DENOTED_TOPICS])
        matches = {
            words: iri
            for words, iri in self.remote.link(question.text).items()
            if not any(denotation.start <= question.text.find(words) < denotation.end for denotation in request.denoted)
        }
        return known | {words: matches[words] for words in sorted(matches, key=question.text.find)}

    def _build_subgraph_event(self, subgraph: Subgraph, since: float) -> SubgraphExtracted:
        graph = subgraph.snapshot
        return SubgraphExtracted(
            topics=tuple(graph.get_node(topic) for topic in subgraph.topics),
            entities=graph.num_entities,
            triples=graph.num_triples,
            max_hops=self.remote.options.hops,
            strategy="pulled from the endpoint" + (", cut at its limits" if subgraph.truncated else ""),
            took_ms=_measure_ms(since),
            pulled=Pulled(subgraph.at, graph.hash, subgraph.queries, subgraph.truncated),
        )

    def _open_answerer(self, graph: Snapshot, linked: tuple[LinkedEntity, ...]) -> Answerer:
        spec = AnswererSpec(graph.path, self.checkpoint, self.method, reasoner=self.reasoner, options=self.options)
        parts = GraphParts(graph, self.encoder)
        answerer: PathAnswerer = open_answerer(Opening(spec, parts, make_reasoner(self.reasoner, self.llm), self.llm))
        answerer.linker = FixedLinker(LinkingResult(linked, ()))
        answerer.programs = None  # those of the endpoint were tried
        return answerer

    def _replace_entity_ids(self, graph: Snapshot, event: T) -> T:
        """The event with every entity under the number that stands for it everywhere."""
        seen: set[int] = set()
        collect_node_ids(event, seen)
        terms = {entity: get_term(graph, entity) for entity in sorted(seen)}
        numbers = self.numbers(list(dict.fromkeys(terms.values())))
        renumbered: T = replace_node_ids(event, {entity: numbers[known] for entity, known in terms.items()})
        return renumbered


def require_on_endpoint(method: str) -> None:
    """Refuse a method that an endpoint cannot serve.

    Raises:
        MethodError: it is one; says what can.
    """
    if not registry.get_method(method).on_endpoints:
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


def _measure_ms(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 2)
