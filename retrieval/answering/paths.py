"""Answering through relation paths: link, extract a subgraph, retrieve paths, build chains, reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from retrieval.answering.answer_cache import Retelling
from retrieval.answering.conclusions import answer_again, ask_reasoner, build_unlinked_conclusion
from retrieval.answering.missing_names import find_silent_names
from retrieval.answering.pipeline import AskRequest, Engine, Linked, LinkedTopics, Linking, PipelineRun
from retrieval.answering.program_answers import list_named_entities
from retrieval.answering.programs import (
    CONFIDENT,
    ProgramEngine,
    add_warning,
    explain_unwritten,
    is_unexplained,
    make_program_engine,
    require_programs,
)
from retrieval.answering.retrieval_stream import EvidenceReader
from retrieval.answering.settings import EngineSettings
from retrieval.config import DoubtingOptions, InferenceOptions, TrainedOptions
from retrieval.errors import LLMError
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    Event,
    QuestionLinked,
    SubgraphExtracted,
)
from retrieval.evidence.chains import count_facts
from retrieval.kg import search
from retrieval.language.operators import find_cues
from retrieval.linking.mentions import split_words
from retrieval.methods.common.blending import merge_rankings
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.retriever_loading import FOREIGN, open_retriever
from retrieval.methods.zero_shot.idioms import is_gender_question
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.methods.zero_shot.self_trained import SelfTaughtRetriever, merge_paths
from retrieval.reasoning.base import Conclusion, Evidence, Reasoner
from retrieval.reasoning.extractive import ExtractiveReasoner, explain_no_path
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.text_fit import TextFit
from retrieval.reasoning.understanding import verify_verdict
from retrieval.reasoning.writing import WritingReasoner
from retrieval.training.manifest import read_manifest
from retrieval.types import LinkedEntity, NoAnswerReason

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.evidence.reach import Reach
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot
    from retrieval.programs.reader import Understanding
    from retrieval.retriever import Retriever
    from retrieval.types import RelationPath

SURE, GUESS = 0.95, 0.3
"""How sure a relation path, or a program that was read late, is told apart from nothing; less sure ones are guesses."""
WORDS_AGREE = 0.6
"""Relation paths that their retriever doubts still answer where they fit the question's words so well. Of questions
held out of the demo's training it refuses 2 in 100 with an answer, none of them answered rightly, instead of 3 with
one right in three; without it 73 in 100 of the unanswerable ones are told, with it 65."""
SAID = 0.5
"""How probable a relation path must be to the zero-shot retriever, that it answers where a trained one doubts itself.
Of the demo's 300 test questions 0.927 are right so and 3 refused (0.920 and 5 without it), and of 41 that have no
answer 29 are told (30); of MetaQA's in 564 other wordings 0.745 are right (0.663). Without a limit it is 0.761, but 27
are told."""


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """What a retriever brought: relation paths, the evidence that they make, the same of some, since when."""

    paths: Sequence[RelationPath]
    evidence: Evidence
    gathered: Callable[[Sequence[RelationPath]], Evidence]
    began: float

    def select_evidence(self, reaches: Sequence[Reach]) -> Evidence:
        """The evidence of those relation paths alone."""
        some = {(reach.topic, reach.path) for reach in reaches}
        return self.gathered([path for path in self.paths if (path.topic, path.relations) in some])


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
        by_words: the zero-shot retriever, which ranks beside the trained one, and has more of a say where that doubts
            all that it ranks, or cannot.
        share: of the trained retriever's ranking (``blending.select_share``); None: it ranks alone.
        can_doubt: the trained retriever saw what it should doubt.
        programs: answers what needs an operator; without it such questions are not understood.
        retelling: what other engines that answer alike have answered; without it each computes.
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
        by_words: Callable[[], ZeroShotRetriever] | None = None,
        share: float | None = None,
        can_doubt: bool = True,
        programs: ProgramEngine | None = None,
        retelling: Retelling | None = None,
        settings: EngineSettings | None = None,
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
        self.settings = settings or EngineSettings()
        self._fallback = ExtractiveReasoner(self.settings.extractive)

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Engine.apply_restriction`."""
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
        """See :meth:`Engine.read_ahead`: what the retriever's encoder says of questions whose topics are given."""
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
        """See :meth:`Engine.copy_without_model`."""
        other = super().copy_without_model()
        other.reasoner = self._fallback
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Engine.answer`."""
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
        self, run: PipelineRun, reasoner: WritingReasoner, programs: ProgramEngine
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
            linked.entities or list_named_entities(understanding, run.request.question),
            (),
            run.measure_ms(began),
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
        if programs is not None and self._should_weigh_both(programs):
            yield from self._answer_by_likeliest(run, linked, programs, began, described)
            return
        understanding = None
        if programs is not None and self._is_read(run, linked, programs):
            understanding = programs.find_program(run, linked)
            if understanding is not None and not self._can_be_path(run, linked, understanding):
                yield self._build_linked_event(run, linked, understanding, began)
                yield from programs.answer(run, understanding, self._list_checkpoint_warnings())
                return
        retrieved = yield from self._retrieve_evidence(run, linked, began)
        if retrieved is None:
            return
        evidence = retrieved.evidence
        if programs is not None:
            verdict = verify_verdict(evidence, self._fallback.draw_conclusion(evidence))
            understanding = self._select_replacement_program(run, programs, linked, understanding, verdict)
            if understanding is not None:
                yield from programs.answer(run, understanding, self._list_checkpoint_warnings())
                return
            if described is not None and all(answer.guess for answer in verdict.answers):
                yield from programs.describe(run, described, self._list_checkpoint_warnings())
                return
            run.missing = programs.find_unread_names(run)
        elif self.programs is not None:
            evidence = replace(evidence, computed=self.programs.compute_numbers(run))
        yield from self._stream_reasoning(run, evidence, retrieved.began)

    def _answer_by_likeliest(
        self,
        run: PipelineRun,
        linked: Linked,
        programs: ProgramEngine,
        began: float,
        described: LinkedEntity | None,
    ) -> Iterator[Event]:
        """By what is likeliest of all that programs and relation paths give: nobody trained on this graph."""
        read = programs.read(run)
        run.missing = programs.find_missing(run, read)
        run.silent = find_silent_names(split_words(run.request.question), linked)
        if read is not None and self._is_no_path(run, linked, read):
            chosen = programs.select_outcome(run, read)
            if chosen is not None and (described is None or chosen.sure >= CONFIDENT):
                understanding = chosen.read_as(read)
                yield self._build_linked_event(run, linked, understanding, began)
                yield from programs.answer(run, understanding, self._list_checkpoint_warnings())
                return
        retrieved = yield from self._retrieve_evidence(run, linked, began)
        if retrieved is None:
            return
        evidence = retrieved.evidence
        verdict = verify_verdict(evidence, self._fallback.draw_conclusion(evidence))
        chosen = programs.select_outcome(run, read, retrieved.paths, evidence, verdict)
        run.missing = run.missing if chosen is None else ()
        if described is not None and (chosen is None or chosen.sure < CONFIDENT):
            yield from programs.describe(run, described, self._list_checkpoint_warnings())
        elif chosen is None:
            yield from self._stream_reasoning(run, replace(evidence, coverage=0.0), retrieved.began)
        elif read is not None and chosen.is_program(read):
            understanding = chosen.read_as(read)
            yield from programs.answer(
                run,
                understanding,
                (*self._list_checkpoint_warnings(), *list_doubt_warnings(chosen.sure, verdict)),
            )
        else:
            if not chosen.outcome.by_paths:
                evidence = retrieved.select_evidence(chosen.outcome.reaches)
            evidence = replace(evidence, sure=chosen.sure, coverage=1.0)
            yield from self._stream_reasoning(run, evidence, retrieved.began, list_doubt_warnings(chosen.sure, verdict))

    def _build_linked_event(
        self, run: PipelineRun, linked: Linked, understanding: Understanding, began: float
    ) -> QuestionLinked:
        entities = list_named_entities(understanding, run.request.question)
        return QuestionLinked(linked.entities if run.request.given else entities, (), run.measure_ms(began))

    def _retrieve_evidence(
        self, run: PipelineRun, linked: Linked, began: float
    ) -> Generator[Event, None, _Retrieved | None]:
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
        paths, coverage = self._rank_relation_paths(run, topics, mentioned)

        def collect_evidence(some: Sequence[RelationPath]) -> Evidence:
            evidence = reading.build_evidence(linked, some, settings=self.settings.gather, coverage=coverage)
            return replace(evidence, odds=_get_odds(self.retriever))

        return _Retrieved(paths, collect_evidence(paths), collect_evidence, began)

    def _stream_reasoning(
        self, run: PipelineRun, evidence: Evidence, began: float, extra_warnings: tuple[str, ...] = ()
    ) -> Iterator[Event]:
        yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
        warnings = (*self._list_checkpoint_warnings(), *extra_warnings)
        yield from ask_reasoner(
            run, self.reasoner, self._fallback, evidence,
            warnings=warnings, without_model=lambda: answer_again(self.copy_without_model(), run),
        )  # fmt: skip

    def _find_live_topics(self, linked: Linked) -> tuple[list[int], list[str]]:
        """The topics that have a fact, and how the question calls each."""
        topics = [t for t in _list_topics(linked) if self.snapshot.get_degree(t) > 0]
        mentions = {entity.entity.id: entity.mention for entity in reversed(linked.entities)}
        return topics, [mentions[topic] for topic in topics]

    def _can_be_path(self, run: PipelineRun, linked: Linked, understanding: Understanding) -> bool:
        """Whether a relation path from the topics may say what a program does: nothing else is named, or counted."""
        if self._untaught and linked.entities and is_gender_question(run.request.question):
            return True
        by_path = self._untaught and not run.request.names_several
        of_path = understanding.is_path or (self._untaught and not find_cues(run.request.question))
        names_others = not linked.entities or understanding.has_other_nodes(_list_topics(linked))
        return by_path and of_path and not names_others and not _is_choice(run, linked)

    def _is_no_path(self, run: PipelineRun, linked: Linked, read: Understanding) -> bool:
        """Whether no relation path says what is asked: nothing is named, or something is computed."""
        if not linked.entities or run.request.names_several:
            return True
        if is_gender_question(run.request.question):
            return False
        return (bool(find_cues(run.request.question)) and not read.is_path) or _is_choice(run, linked)

    def _should_weigh_both(self, programs: ProgramEngine) -> bool:
        """Whether programs and relation paths are both read, and weighed."""
        return self._untaught and programs.reads_paths

    def _is_read(self, run: PipelineRun, linked: Linked, programs: ProgramEngine) -> bool:
        """Whether programs are read before relation paths."""
        alone = not linked.entities or run.request.names_several
        return (alone or programs.learned or self._untaught) and not self._is_surely_path(run, linked)

    def _select_replacement_program(
        self,
        run: PipelineRun,
        programs: ProgramEngine,
        linked: Linked,
        understanding: Understanding | None,
        verdict: Conclusion,
    ) -> Understanding | None:
        """The program that answers instead of a retriever's relation paths, as far as that is sure of them."""
        if understanding is None and is_unexplained(verdict):
            return programs.find_program(run, linked)
        if understanding is None and self._untaught and verdict.no_answer is not None:
            late = programs.find_program(run, linked)  # it may read a word that a sure path lacks
            return late if late is not None and late.confidence >= SURE else None
        if understanding is None and self._untaught and self._is_of_another_sort(run, verdict):
            return programs.find_doubtful_program(run)
        by_path = (
            understanding is not None and bool(verdict.answers) and verdict.answers[0].score >= understanding.confidence
        )
        return None if by_path else understanding

    def _is_surely_path(self, run: PipelineRun, linked: Linked) -> bool:
        """Whether an untrained planner is so sure of a relation path that reading programs would change nothing."""
        topics = [t for t in _list_topics(linked) if self.snapshot.get_degree(t) > 0]
        if not self._untaught or len(topics) != 1 or run.request.names_several:
            return False  # what two things have in common, or differ by, is more than a path from each
        if find_cues(run.request.question):
            return False
        mentions = {entity.entity.id: entity.mention for entity in reversed(linked.entities)}
        if require_programs(self.programs).has_more_names(run.request.question, list(mentions.values())):
            return False
        with run.watch.measure_body():
            paths = self.retriever.rank_relation_paths(
                run.request.question, topics, limit=1, mentions=[mentions[t] for t in topics],
                cancelled=run.cancelled,
            )  # fmt: skip
        sure = len(paths) == len(topics) and all(p.score >= SURE for p in paths)
        ends = [p.relations[-1] for p in paths]
        return sure and not require_programs(self.programs).answer_types.is_of_another_type(
            run.request.question, ends=ends
        )

    def _is_of_another_sort(self, run: PipelineRun, verdict: Conclusion) -> bool:
        nodes = [answer.entity.id for answer in verdict.answers if answer.entity is not None]
        return require_programs(self.programs).answer_types.is_of_another_type(run.request.question, nodes=nodes)

    def _list_checkpoint_warnings(self) -> tuple[str, ...]:
        stands_in = isinstance(self.retriever, ZeroShotRetriever) and self.retriever.checkpoint is not None
        return (FOREIGN,) if stands_in else ()

    def _build_subgraph_event(self, run: PipelineRun, linked: Linked) -> SubgraphExtracted:
        began = time.perf_counter()
        hops, limit = self.settings.subgraph_hops, self.settings.subgraph_triples
        topics = _list_topics(linked)
        subgraph = search.collect_k_hop(self.snapshot, topics, hops, max_triples=limit)
        return SubgraphExtracted(
            topics=tuple(self.snapshot.get_node(topic) for topic in topics),
            entities=len(subgraph.entities),
            triples=len(subgraph.facts),
            max_hops=hops,
            strategy="k-hop, cut at its budget" if subgraph.truncated else "k-hop",
            took_ms=run.measure_ms(began),
        )

    def _rank_relation_paths(
        self, run: PipelineRun, topics: list[int], mentions: list[str]
    ) -> tuple[list[RelationPath], float]:
        """Relation paths of all topics, and how well the best one fits the question."""
        with run.watch.measure_body():
            paths = self.retriever.rank_relation_paths(
                run.request.question,
                topics,
                limit=self.settings.relation_paths,
                mentions=mentions,
                cancelled=run.cancelled,
            )
        if self._by_words is not None and self._share is not None and self._share < 1:
            paths = merge_rankings(self._rank_by_words(run, topics, mentions), paths, self._share)
        coverage = 1.0
        if self.text_fit is not None and paths:
            paths, fits = self.text_fit.score_paths(run.request.question, paths, topics, mentions)
            coverage = max(fits.values())
        verdicts = [_find_best_path(paths, topic).doubted for topic in {path.topic for path in paths}]
        if verdicts and not self._can_doubt and self._by_words is not None:
            return self._merge_second_opinion(run, topics, mentions, paths)[0], coverage
        if None not in verdicts and verdicts:
            unasked = all(verdicts) and (self.text_fit is None or coverage < WORDS_AGREE)
            coverage = 0.0 if unasked else 1.0
            if unasked and self._by_words is not None:
                return self._merge_second_opinion(run, topics, mentions, paths)
        return paths, coverage

    def _rank_by_words(self, run: PipelineRun, topics: list[int], mentions: list[str]) -> list[RelationPath]:
        assert self._by_words is not None, "who asks for it has it"
        with run.watch.measure_body():
            return self._by_words().rank_relation_paths(
                run.request.question, topics, limit=self.settings.relation_paths, mentions=mentions,
                cancelled=run.cancelled,
            )  # fmt: skip

    def _merge_second_opinion(
        self,
        run: PipelineRun,
        topics: list[int],
        mentions: list[str],
        learned: list[RelationPath],
    ) -> tuple[list[RelationPath], float]:
        """What the words of the question say too, where it is worded as no training question was."""
        word_paths = self._rank_by_words(run, topics, mentions)
        known = {path.topic for path in word_paths}
        best = [_find_best_path(word_paths, topic) for topic in known]
        if all(path.doubted or path.score < SAID for path in best):
            return learned, 0.0
        sides = ([[path for path in some if path.topic == topic] for some in (word_paths, learned)] for topic in topics)
        return [path for mine, theirs in sides for path in merge_paths(mine, theirs)], 1.0


def list_doubt_warnings(sure: float, verdict: Conclusion) -> tuple[str, ...]:
    """What is said of a guess at what relation paths say that the graph lacks."""
    lacking = verdict.no_answer is not None and verdict.no_answer.reason is NoAnswerReason.NOT_IN_GRAPH
    if verdict.no_answer is None or not lacking or sure >= GUESS:
        return ()
    return (f"{verdict.no_answer.message} This is the closest to it.",)


def _is_choice(run: PipelineRun, linked: Linked) -> bool:
    """Whether either of several topics is meant: relation paths take what all of them lead to."""
    return len(_list_topics(linked)) > 1 and " or " in run.request.question.casefold()


def _get_odds(retriever: Retriever) -> tuple[float, float]:
    return retriever.odds if isinstance(retriever, ZeroShotRetriever | SelfTaughtRetriever) else (1.0, 0.0)


def _list_topics(linked: Linked) -> list[int]:
    return list(dict.fromkeys(entity.entity.id for entity in linked.entities))


def _find_best_path(paths: Sequence[RelationPath], topic: int) -> RelationPath:
    return max((path for path in paths if path.topic == topic), key=lambda path: path.score)


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
    options = retriever.options
    untaught = isinstance(retriever, ZeroShotRetriever | SelfTaughtRetriever)
    # The zero-shot retriever is the text encoder's opinion already.
    alone = untaught or (isinstance(options, TrainedOptions) and not options.text_fit)
    worded = isinstance(options, DoubtingOptions) and options.by_words and spec.checkpoint is not None
    return PathEngine(
        parts.snapshot,
        retriever,
        parts.linker,
        opening.reasoner,
        encoder=parts.encoder.name,
        text_fit=None if alone else TextFit(parts.snapshot, parts.encoder),
        by_words=(lambda: parts.untrained) if worded else None,
        share=read_manifest(spec.checkpoint).share if worded and spec.checkpoint else None,
        can_doubt=not isinstance(retriever, RankingRetriever) or retriever.learned_support is not None,
        programs=make_program_engine(opening, None if untaught else spec.checkpoint),
        retelling=parts.retelling if isinstance(retriever, ZeroShotRetriever) else None,
        settings=opening.settings,
    )
