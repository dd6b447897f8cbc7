"""Answering through relation paths: link, extract a subgraph, retrieve paths, build chains, reason."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np

from retrieval.config import InferenceOptions
from retrieval.errors import LLMError
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    Event,
    QuestionLinked,
    SubgraphExtracted,
)
from retrieval.evidence.chains import distinct_facts
from retrieval.kg import search
from retrieval.methods import registry
from retrieval.methods._shared.engine_settings import EngineSettings
from retrieval.methods._shared.opening import FOREIGN, is_self_taught, open_retriever
from retrieval.methods._shared.path_or_program import (
    LIKELY_READ,
    SURE,
    SURELY_READ,
    Either,
    ceiling,
    comes_back,
    doubts,
    genitives,
    lacks,
)
from retrieval.methods._shared.path_reader.idioms import asks_gender
from retrieval.methods._shared.program_answers import named_entities
from retrieval.methods._shared.program_engine import (
    OPERATOR_TRUST,
    ProgramEngine,
    is_unexplained,
    programs_of,
    unwritten,
    warned,
    whole,
)
from retrieval.methods._shared.ranking import RankingRetriever
from retrieval.methods._shared.reasoning import nothing_linked, reason
from retrieval.methods._shared.retrieved import Reading
from retrieval.methods._shared.zero_shot import ZeroShotRetriever
from retrieval.pipeline import AskRequest, Engine, Linked, Linking, PipelineRun
from retrieval.reasoning.base import Conclusion, Reasoner
from retrieval.reasoning.extractive import ExtractiveReasoner, no_path
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.text_fit import TextFit
from retrieval.reasoning.understanding import understood
from retrieval.reasoning.writing import WritingReasoner
from retrieval.text.operators import cues

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot
    from retrieval.methods._shared.parts import Opening
    from retrieval.programs.reader import Understanding
    from retrieval.retriever import Retriever
    from retrieval.types import RelationPath

WORDS_AGREE = 0.6
"""Relation paths that their retriever doubts still answer where they fit the question's words so well. Of questions
held out of the demo's training it refuses 2 in 100 with an answer, none of them answered rightly, instead of 3 with
one right in three; without it 73 in 100 of the unanswerable ones are told, with it 65."""
NEAR_PHRASES, NEAR_EACH = 2, 3
"""Phrases that were not found for which near entities are offered, and how many for each."""


class PathEngine(Engine):
    """One graph, retriever, linker and reasoner.

    Args:
        snapshot: the graph.
        retriever: a trained or the zero-shot retriever for that graph.
        linker: finds topic entities.
        reasoner: extractive or language model.
        encoder: name of the text encoder, for the record.
        text_fit: second opinion on a trained retriever's relation paths; without it the retriever's word
            stands, and nothing is said not to be in the graph.
        programs: answers what needs an operator; without it such questions are not understood.
        self_taught: the retriever knows relation paths from questions that Clew wrote: programs read all else, and
            a relation path where they are surer.
        settings: see :class:`EngineSettings`.
    """

    settings: EngineSettings

    def __init__(
        self,
        snapshot: Snapshot,
        retriever: Retriever,
        linker: Linking,
        reasoner: Reasoner,
        *,
        encoder: str = "",
        text_fit: TextFit | None = None,
        programs: ProgramEngine | None = None,
        self_taught: bool = False,
        settings: EngineSettings | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.retriever = retriever
        self.linker = linker
        self.reasoner = reasoner
        self.encoder = encoder
        self.text_fit = text_fit
        self.programs = programs
        self._self_taught = self_taught
        self.settings = settings or EngineSettings()
        self._fallback = ExtractiveReasoner(self.settings.extractive)

    def restricted_to(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Engine.restricted_to`."""
        other = copy(self)
        other.snapshot, other.retriever = snapshot, self.retriever.restricted_to(snapshot)
        other.programs = None  # its values and kinds are those of the whole graph
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
        """See :meth:`Engine.read_ahead`: what the retriever's encoder says of questions whose topics are given."""
        if not isinstance(self.retriever, RankingRetriever):
            return
        asked = []
        for request in requests:
            linked = self.linker.link(request.question, request.given) if request.given else None
            if linked is not None:
                topics, mentions = self._named(linked)
                asked.append((request.question, topics, mentions))
        self.retriever.read_ahead(asked)

    def without_model(self) -> Self:
        """See :meth:`Engine.without_model`."""
        other = super().without_model()
        other.reasoner = self._fallback
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Engine.answer`."""
        run.check()
        if run.request.program is not None:
            yield from whole(self.programs).edited(run, run.request.program, self._said_of_checkpoint())
        elif isinstance(self.reasoner, WritingReasoner) and self.programs is not None:
            yield from self._written(run, self.reasoner, self.programs)
        else:
            yield from self._read(run)

    def _written(
        self, run: PipelineRun, reasoner: WritingReasoner, programs: ProgramEngine
    ) -> Iterator[Event]:
        """By the program that a language model writes; as without one where it writes none."""
        began = time.perf_counter()
        linked = run.link(self.linker, self.snapshot)
        try:
            found, usage = programs.written(run, linked, reasoner.model)
        except LLMError as error:
            for event in self._read(run):
                yield warned(event, unwritten(error)) if isinstance(event, AnswerFinal) else event
            return
        yield QuestionLinked(
            linked.entities or named_entities(found, run.request.question), (), run.ms(began)
        )
        yield from programs.answer(run, found, self._said_of_checkpoint(), usage)

    def _read(self, run: PipelineRun) -> Iterator[Event]:
        began = time.perf_counter()
        linked = run.link(self.linker, self.snapshot)
        # A language model that reasons reads the question itself.
        programs = None if self.reasoner.name == LLM else self.programs
        both = programs is not None and self._weighs(programs)
        found: Understanding | None = None
        likely: Understanding | None = None
        if programs is not None and (both or self._is_read(run, linked, programs)):
            read = programs.read(run)
            likely = read if both else None
            found = programs.trusted(run, linked, read)
            if found is not None and not self._may_be_path(run, linked, found):
                named = named_entities(found, run.request.question)
                yield QuestionLinked(linked.entities if run.request.given else named, (), run.ms(began))
                yield from programs.answer(run, found, self._said_of_checkpoint())
                return
        yield QuestionLinked(linked.entities, linked.unmatched, run.ms(began))
        run.check()
        if not linked.entities:
            near = _near(self.snapshot, linked.unmatched)
            yield run.final(nothing_linked(run, self.reasoner, self.snapshot, linked.unmatched, near))
            return
        yield self._subgraph(run, linked)
        topics, mentioned = self._named(linked)
        if not topics:
            yield run.final(Conclusion(no_answer=no_path(linked.entities)))
            return
        reading = Reading(run, self.retriever, self.reasoner, self.snapshot)
        yield from reading.retrieve(topics, mentioned)
        began = time.perf_counter()
        paths, coverage = self._relation_paths(run, topics, mentioned)
        evidence = reading.evidence(linked, paths, settings=self.settings.gather, coverage=coverage)
        evidence = replace(evidence, odds=_odds(self.retriever))
        if programs is not None:
            verdict = understood(evidence, self._fallback.decide(evidence))
            if likely is not None:
                found = self._preferred(run, programs, likely, verdict, paths)
            else:
                found = self._instead(run, programs, linked, found, verdict)
            if found is not None:
                said = (*self._said_of_checkpoint(), *doubts(found, verdict))
                yield from programs.answer(run, found, said)
                return
        if likely is not None and max((path.score for path in paths), default=0.0) < SURELY_READ:
            most = 1.0 if run.request.given else ceiling(likely)
            known = evidence.coverage if not lacks(likely, paths) else 0.0
            evidence = replace(evidence, ceiling=most, coverage=known)
        yield ChainsBuilt(evidence.chains, run.paths, distinct_facts(evidence.chains), run.ms(began))
        yield from reason(run, self.reasoner, self._fallback, evidence, warnings=self._said_of_checkpoint())

    def _named(self, linked: Linked) -> tuple[list[int], list[str]]:
        """The topics that have a fact, and how the question calls each."""
        topics = [t for t in _topics(linked) if self.snapshot.degree(t) > 0]
        mentions = {entity.entity.id: entity.mention for entity in reversed(linked.entities)}
        return topics, [mentions[topic] for topic in topics]

    def _may_be_path(self, run: PipelineRun, linked: Linked, found: Understanding) -> bool:
        """Whether a relation path from the topics may say what a program does: nothing else is named, or counted."""
        untrained = isinstance(self.retriever, ZeroShotRetriever)
        if untrained and linked.entities and asks_gender(run.request.question):
            return True
        by_path = self._self_taught or (untrained and not run.request.names_several)
        of_path = found.is_path or (untrained and not cues(run.request.question))
        weighed = self._weighs(whole(self.programs))  # and so is what paths leave out
        named = not linked.entities or (not weighed and found.names_besides(_topics(linked)))
        either = (
            len(_topics(linked)) > 1 and " or " in run.request.question.casefold()
        )  # paths take what both lead to
        return by_path and of_path and not named and not either

    def _weighs(self, programs: ProgramEngine) -> bool:
        """Whether programs and relation paths are both read, and weighed."""
        return isinstance(self.retriever, ZeroShotRetriever) and programs.reads_paths

    def _is_read(self, run: PipelineRun, linked: Linked, programs: ProgramEngine) -> bool:
        """Whether programs are read before relation paths."""
        untrained = isinstance(self.retriever, ZeroShotRetriever)
        alone = not linked.entities or run.request.names_several
        return (alone or programs.learned or untrained or self._self_taught) and not self._surely(run, linked)

    def _preferred(
        self,
        run: PipelineRun,
        programs: ProgramEngine,
        read: Understanding,
        verdict: Conclusion,
        paths: Sequence[RelationPath],
    ) -> Understanding | None:
        """The program, where it answers rather than untrained relation paths."""
        question, result = run.request.question, read.best.result
        if not programs.names_given(run, read):
            return None
        if is_unexplained(verdict):
            return read if read.confidence >= OPERATOR_TRUST else None
        nodes = frozenset(result.tolist()) if isinstance(result, np.ndarray) else None
        given = [answer.entity.id for answer in verdict.answers if answer.entity is not None]
        unfit = self._of_another_sort(run, verdict) or programs.fits_better(question, read, given)
        more = genitives(question, read.named)
        best = max(paths, key=lambda path: path.score).relations if paths else ()
        if read.confidence >= LIKELY_READ and read.walked == best[:-1]:
            unfit |= comes_back(question, best, self.snapshot.num_relations)
        either = Either(read, verdict, paths, nodes, unfit, asks_gender(question), more)
        return either.program

    def _instead(
        self,
        run: PipelineRun,
        programs: ProgramEngine,
        linked: Linked,
        found: Understanding | None,
        verdict: Conclusion,
    ) -> Understanding | None:
        """The program that answers instead of a retriever's relation paths, as far as that is sure of them."""
        untrained = isinstance(self.retriever, ZeroShotRetriever)
        if found is None and is_unexplained(verdict):
            return programs.understood(run, linked)
        if found is None and untrained and verdict.no_answer is not None:
            late = programs.understood(run, linked)  # it may read a word that a sure path lacks
            return late if late is not None and late.confidence >= SURE else None
        if found is None and untrained and self._of_another_sort(run, verdict):
            return programs.doubtful(run)
        by_path = found is not None and bool(verdict.answers) and verdict.answers[0].score >= found.confidence
        return None if by_path else found

    def _surely(self, run: PipelineRun, linked: Linked) -> bool:
        """Whether an untrained planner is so sure of a relation path that reading programs would change nothing."""
        topics = [t for t in _topics(linked) if self.snapshot.degree(t) > 0]
        if not isinstance(self.retriever, ZeroShotRetriever) or len(topics) != 1 or run.request.names_several:
            return False  # what two things have in common, or differ by, is more than a path from each
        if cues(run.request.question):
            return False
        mentions = {entity.entity.id: entity.mention for entity in reversed(linked.entities)}
        if whole(self.programs).names_more(run.request.question, list(mentions.values())):
            return False
        with run.watch.running():
            found = self.retriever.relation_paths(
                run.request.question, topics, limit=1, mentions=[mentions[t] for t in topics],
                cancelled=run.cancelled,
            )  # fmt: skip
        sure = len(found) == len(topics) and all(p.score >= SURE for p in found)
        if any(comes_back(run.request.question, p.relations, self.snapshot.num_relations) for p in found):
            return False  # a program that reads every word may say to stop before
        ends = [p.relations[-1] for p in found]
        return sure and not whole(self.programs).of_another_sort(run.request.question, ends=ends)

    def _of_another_sort(self, run: PipelineRun, verdict: Conclusion) -> bool:
        given = [answer.entity.id for answer in verdict.answers if answer.entity is not None]
        return whole(self.programs).of_another_sort(run.request.question, nodes=given)

    def _said_of_checkpoint(self) -> tuple[str, ...]:
        stands_in = isinstance(self.retriever, ZeroShotRetriever) and self.retriever.checkpoint is not None
        return (FOREIGN,) if stands_in else ()

    def _subgraph(self, run: PipelineRun, linked: Linked) -> SubgraphExtracted:
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

    def _relation_paths(
        self, run: PipelineRun, topics: list[int], mentions: list[str]
    ) -> tuple[list[RelationPath], float]:
        """Relation paths of all topics, and how well the best one fits the question."""
        with run.watch.running():
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
        verdicts = [_best(found, topic).doubted for topic in {path.topic for path in found}]
        if None not in verdicts and verdicts:
            unasked = all(verdicts) and (self.text_fit is None or coverage < WORDS_AGREE)
            coverage = 0.0 if unasked else 1.0
        return found, coverage


def _odds(retriever: Retriever) -> tuple[float, float]:
    return retriever.odds if isinstance(retriever, ZeroShotRetriever) else (1.0, 0.0)


def _topics(linked: Linked) -> list[int]:
    return list(dict.fromkeys(entity.entity.id for entity in linked.entities))


def _best(paths: Sequence[RelationPath], topic: int) -> RelationPath:
    return max((path for path in paths if path.topic == topic), key=lambda path: path.score)


def _near(snapshot: Snapshot, phrases: Sequence[str]) -> tuple[str, ...]:
    """Labels spelt like the phrases that were not found, for "did you mean"."""
    found: dict[str, None] = {}
    for phrase in phrases[:NEAR_PHRASES]:
        matches = snapshot.labels.search(phrase, NEAR_EACH)
        found.update((match.node.label, None) for match in matches)
    return tuple(found)


def open_engine(opening: Opening) -> PathEngine:
    """The engine of a trained method, or of the zero-shot retriever that stands in for it.

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
    # The zero-shot retriever is the text encoder's opinion already, and a planner has read the relations' texts with
    # more of their names: on WebQSP the second opinion took 7 points of Macro-F1 away from it.
    alone = isinstance(retriever, ZeroShotRetriever) or not registry.method(spec.method).second_opinion
    return PathEngine(
        parts.snapshot,
        retriever,
        parts.linker,
        opening.reasoner,
        encoder=parts.encoder.name,
        text_fit=None if alone else TextFit(parts.snapshot, parts.encoder),
        programs=programs_of(opening, None if isinstance(retriever, ZeroShotRetriever) else spec.checkpoint),
        self_taught=spec.checkpoint is not None and is_self_taught(spec.checkpoint),
        settings=opening.settings,
    )
