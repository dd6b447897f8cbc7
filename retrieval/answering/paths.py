"""Answering through relation paths: link, extract a subgraph, retrieve paths, build chains, reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from retrieval.answering.answer_cache import Retelling
from retrieval.answering.conclusions import answer_again, ask_reasoner, build_unlinked_conclusion
from retrieval.answering.decision import (
    ByDescription,
    ByPaths,
    ByProgram,
    Decision,
    DecisionProcedure,
    LikeliestOutcome,
    Precedence,
    RetrievedPaths,
    list_topics,
)
from retrieval.answering.path_ranking import PathRanking
from retrieval.answering.pipeline import Answerer
from retrieval.answering.program_answers import list_named_entities
from retrieval.answering.programs import (
    ProgramAnswerer,
    add_warning,
    explain_unwritten,
    make_program_answerer,
    require_programs,
)
from retrieval.answering.retrieval_stream import EvidenceReader
from retrieval.answering.run import AskRequest, Linked, LinkedTopics, Linking, PipelineRun
from retrieval.answering.settings import AnsweringSettings
from retrieval.config import DoubtingOptions, InferenceOptions, TrainedOptions
from retrieval.errors import LLMError
from retrieval.events import AnswerFinal, ChainsBuilt, Event, QuestionLinked, SubgraphExtracted
from retrieval.evidence.chains import count_facts
from retrieval.kg import search
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.retriever_loading import FOREIGN, open_retriever
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.methods.zero_shot.self_trained import SelfTaughtRetriever
from retrieval.reasoning.base import Conclusion, Evidence, Reasoner
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.no_answers import explain_no_path
from retrieval.reasoning.text_fit import TextFit
from retrieval.reasoning.writing import WritingReasoner
from retrieval.training.manifest import read_manifest
from retrieval.types import LinkedEntity

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot
    from retrieval.programs.understanding import Understanding
    from retrieval.retriever import Retriever
    from retrieval.types import RelationPath


class PathAnswerer(Answerer):
    """One graph, retriever, linker and reasoner.

    Args:
        encoder: name of the text encoder, for the record.
        text_fit, by_words, share, can_doubt: see :class:`.path_ranking.PathRanking`.
        programs: answers what needs an operator; without it such questions are not understood.
        retelling: what other answerers that answer alike have answered; without it each computes.
        settings: see :class:`AnsweringSettings`.
    """

    settings: AnsweringSettings

    def __init__(
        self,
        snapshot: Snapshot,
        retriever: Retriever,
        linker: Linking,
        reasoner: Reasoner,
        *,
        encoder: str = "",
        text_fit: TextFit | None = None,
        by_words: Callable[[], ZeroShotRetriever] | None = None,
        share: float | None = None,
        can_doubt: bool = True,
        programs: ProgramAnswerer | None = None,
        retelling: Retelling | None = None,
        settings: AnsweringSettings | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.retriever = retriever
        self.linker = linker
        self.reasoner = reasoner
        self.encoder = encoder
        self.text_fit = text_fit
        self._by_words = by_words
        self._share = share
        self._can_doubt = can_doubt
        self.programs = programs
        self._untaught = isinstance(retriever, ZeroShotRetriever | SelfTaughtRetriever)
        self._retelling = retelling
        self.settings = settings or AnsweringSettings()
        self._fallback = ExtractiveReasoner(self.settings.extractive)

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Answerer.apply_restriction`."""
        other = copy(self)
        other.snapshot, other.retriever = snapshot, self.retriever.apply_restriction(snapshot)
        other.programs = None  # its values and kinds are those of the whole graph
        other._retelling = other._by_words = None
        return other

    @property
    def method(self) -> str:
        """The retriever's."""
        return self.retriever.method

    @property
    def checkpoint(self) -> str | None:
        """The retriever's."""
        return self.retriever.checkpoint

    @property
    def options(self) -> InferenceOptions:
        """The retriever's."""
        return self.retriever.options

    def read_ahead(self, requests: Sequence[AskRequest]) -> None:
        """See :meth:`Answerer.read_ahead`: what the retriever's encoder says of questions whose topics are given."""
        if not isinstance(self.retriever, RankingRetriever):
            return
        questions = []
        for request in requests:
            linked = self.linker.link(request.question, request.given) if request.given else None
            if linked is not None:
                topics, mentions = self._find_live_topics(linked)
                questions.append((request.question, topics, mentions))
        self.retriever.read_ahead(questions)

    def copy_without_model(self) -> Self:
        """See :meth:`Answerer.copy_without_model`."""
        other = super().copy_without_model()
        other.reasoner = self._fallback
        return other

    def copy_for_retrieval(self) -> Self:
        """See :meth:`Answerer.copy_for_retrieval`: without programs, paths are retrieved for every question."""
        other = super().copy_for_retrieval()
        other.programs = other._retelling = None
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Answerer.answer`."""
        run.check()
        if run.request.program is not None:
            yield from require_programs(self.programs).run_program(
                run, run.request.program, self._list_checkpoint_warnings()
            )
        elif isinstance(self.reasoner, WritingReasoner) and self.programs is not None:
            yield from self._answer_by_written_program(run, self.reasoner, self.programs)
        elif self._retelling is None or run.is_timed or type(self.reasoner) is not ExtractiveReasoner:
            yield from self._read(run)
        else:
            key = (run.request, self.retriever.options, self.retriever.checkpoint)
            yield from self._retelling.stream_events(key, run, lambda: self._read(run))

    def _answer_by_written_program(
        self, run: PipelineRun, reasoner: WritingReasoner, programs: ProgramAnswerer
    ) -> Iterator[Event]:
        """By the program that a language model writes; as without one where it writes none."""
        began = time.perf_counter()
        linked = run.link(self.linker, self.snapshot)
        try:
            understanding, usage = programs.write_program(run, linked, reasoner.model)
        except LLMError as error:
            for event in self._read(run):
                yield (add_warning(event, explain_unwritten(error)) if isinstance(event, AnswerFinal) else event)
            return
        yield QuestionLinked(
            linked.entities or list_named_entities(understanding, run.request.question), (), run.measure_ms(began)
        )
        yield from programs.answer(run, understanding, self._list_checkpoint_warnings(), usage)

    def _read(self, run: PipelineRun) -> Iterator[Event]:
        began = time.perf_counter()
        linked = run.link(self.linker, self.snapshot)
        programs = self.programs
        if programs is not None and self.reasoner.name == LLM:
            understanding = programs.find_sure_program(run)
            if understanding is not None:
                yield self._build_linked_event(run, linked, understanding, began)
                yield from programs.answer(run, understanding, self._list_checkpoint_warnings())
                return
            if linked.entities:
                programs = None  # the language model reads the rest itself
        described = None if programs is None else programs.find_described(run, linked)
        if described is not None and not linked.entities:
            linked = LinkedTopics((described,), ())
        procedure = None if programs is None else self._make_procedure(run, linked, described, programs)
        decision: Decision | None = None if procedure is None else procedure.decide_before_retrieval()
        reasoned_since = began
        if isinstance(decision, ByProgram):
            yield self._build_linked_event(run, linked, decision.understanding, began)
        else:
            retrieved = yield from self._retrieve_evidence(run, linked, began)
            if retrieved is None:
                return
            reasoned_since = retrieved.began
            decision = (
                self._read_evidence(run, retrieved)
                if procedure is None
                else procedure.decide_after_retrieval(retrieved)
            )
        warnings = self._list_checkpoint_warnings()
        match decision:
            case ByProgram():
                assert programs is not None, "they decided"
                yield from programs.answer(run, decision.understanding, (*warnings, *decision.warnings))
            case ByDescription():
                assert programs is not None, "they decided"
                yield from programs.describe(run, decision.entity, warnings)
            case ByPaths():
                yield from self._stream_reasoning(
                    run, decision.evidence, reasoned_since, (*warnings, *decision.warnings)
                )

    def _make_procedure(
        self, run: PipelineRun, linked: Linked, described: LinkedEntity | None, programs: ProgramAnswerer
    ) -> DecisionProcedure:
        if self._untaught and programs.reads_paths:
            if isinstance(self.retriever, ZeroShotRetriever) and linked.entities:
                self.retriever.encode_ahead(run.request.question, *self._find_live_topics(linked))
            return LikeliestOutcome(run, linked, described, programs, self._fallback)
        return Precedence(
            run, linked, described, programs, self._fallback, self.retriever, self.snapshot, self._untaught
        )

    def _read_evidence(self, run: PipelineRun, retrieved: RetrievedPaths) -> ByPaths:
        """What a language model reads, with the numbers that programs compute."""
        if self.programs is None:
            return ByPaths(retrieved.evidence)
        return ByPaths(replace(retrieved.evidence, computed=self.programs.compute_numbers(run)))

    def _build_linked_event(
        self, run: PipelineRun, linked: Linked, understanding: Understanding, began: float
    ) -> QuestionLinked:
        entities = list_named_entities(understanding, run.request.question)
        return QuestionLinked(linked.entities if run.request.given else entities, (), run.measure_ms(began))

    def _retrieve_evidence(
        self, run: PipelineRun, linked: Linked, began: float
    ) -> Generator[Event, None, RetrievedPaths | None]:
        """Stream what the retriever brings; None where the run ended without anything to read."""
        unmatched = tuple(dict.fromkeys((*linked.unmatched, *(name.text for name in run.missing))))
        yield QuestionLinked(linked.entities, unmatched, run.measure_ms(began))
        run.check()
        if not linked.entities:
            yield run.build_final(build_unlinked_conclusion(run, self.reasoner, self.snapshot, unmatched))
            return None
        yield self._build_subgraph_event(run, linked)
        topics, mentioned = self._find_live_topics(linked)
        if not topics:
            yield run.build_final(Conclusion(no_answer=explain_no_path(linked.entities)))
            return None
        reading = EvidenceReader(run, self.retriever, self.reasoner, self.snapshot)
        yield from reading.retrieve(topics, mentioned)
        began = time.perf_counter()
        paths, coverage = self._make_ranking().rank(run, topics, mentioned)

        def collect_evidence(some: Sequence[RelationPath]) -> Evidence:
            evidence = reading.build_evidence(linked, some, settings=self.settings.gather, coverage=coverage)
            return replace(evidence, odds=_get_odds(self.retriever))

        return RetrievedPaths(paths, collect_evidence(paths), collect_evidence, began)

    def _stream_reasoning(
        self, run: PipelineRun, evidence: Evidence, began: float, warnings: tuple[str, ...]
    ) -> Iterator[Event]:
        yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
        yield from ask_reasoner(
            run, self.reasoner, self._fallback, evidence,
            warnings=warnings, without_model=lambda: answer_again(self.copy_without_model(), run),
        )  # fmt: skip

    def _make_ranking(self) -> PathRanking:
        return PathRanking(
            self.retriever, self.settings.relation_paths, self.text_fit, self._by_words, self._share, self._can_doubt
        )

    def _find_live_topics(self, linked: Linked) -> tuple[list[int], list[str]]:
        """The topics that have a fact, and how the question calls each."""
        topics = [t for t in list_topics(linked) if self.snapshot.get_degree(t) > 0]
        mentions = {entity.entity.id: entity.mention for entity in reversed(linked.entities)}
        return topics, [mentions[topic] for topic in topics]

    def _list_checkpoint_warnings(self) -> tuple[str, ...]:
        stands_in = isinstance(self.retriever, ZeroShotRetriever) and self.retriever.checkpoint is not None
        return (FOREIGN,) if stands_in else ()

    def _build_subgraph_event(self, run: PipelineRun, linked: Linked) -> SubgraphExtracted:
        began = time.perf_counter()
        hops, limit = self.settings.subgraph_hops, self.settings.subgraph_triples
        topics = list_topics(linked)
        subgraph = search.collect_k_hop(self.snapshot, topics, hops, max_triples=limit)
        return SubgraphExtracted(
            topics=tuple(self.snapshot.get_node(topic) for topic in topics),
            entities=len(subgraph.entities),
            triples=len(subgraph.facts),
            max_hops=hops,
            strategy="k-hop, cut at its budget" if subgraph.truncated else "k-hop",
            took_ms=run.measure_ms(began),
        )


def _get_odds(retriever: Retriever) -> tuple[float, float]:
    return retriever.odds if isinstance(retriever, ZeroShotRetriever | SelfTaughtRetriever) else (1.0, 0.0)


def open_answerer(opening: Opening) -> PathAnswerer:
    """The answerer of a trained method, or of the zero-shot retriever that stands in for it.

    Raises:
        CheckpointError, MethodError, ConfigError: the retriever cannot be opened.
    """
    spec, parts = opening.spec, opening.parts
    retriever = open_retriever(
        spec.method,
        spec.checkpoint,
        parts.snapshot,
        parts.encoder,
        cache=spec.cache_dir,
        options=dict(spec.options),
        asks_foreign=spec.asks_foreign,
        untrained=lambda: parts.untrained,
    )
    options = retriever.options
    untaught = isinstance(retriever, ZeroShotRetriever | SelfTaughtRetriever)
    # The zero-shot retriever is the text encoder's opinion already.
    alone = untaught or (isinstance(options, TrainedOptions) and not options.text_fit)
    worded = isinstance(options, DoubtingOptions) and options.by_words and spec.checkpoint is not None
    return PathAnswerer(
        parts.snapshot,
        retriever,
        parts.linker,
        opening.reasoner,
        encoder=parts.encoder.name,
        text_fit=None if alone else TextFit(parts.snapshot, parts.encoder),
        by_words=(lambda: parts.untrained) if worded else None,
        share=read_manifest(spec.checkpoint).share if worded and spec.checkpoint else None,
        can_doubt=not isinstance(retriever, RankingRetriever) or retriever.learned_support is not None,
        programs=make_program_answerer(opening, None if untaught else spec.checkpoint),
        retelling=parts.retelling if isinstance(retriever, ZeroShotRetriever) else None,
        settings=opening.settings,
    )
