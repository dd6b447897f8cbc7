"""Graph-S3: an agent that explores the graph step by step, and can be paused, taken back and corrected."""

from __future__ import annotations

import time
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from retrieval.answering.agent_search import AgentSearch
from retrieval.answering.conclusions import ask_reasoner, build_unlinked_conclusion
from retrieval.answering.pipeline import Answerer
from retrieval.answering.programs import ProgramAnswerer, make_program_answerer, require_programs
from retrieval.answering.run import Linked, LinkedTopics, Linking, PipelineRun, Steering
from retrieval.answering.settings import AnsweringSettings
from retrieval.errors import ConfigError
from retrieval.events import ChainsBuilt, Event, PathRetrieved, QuestionLinked, RunPaused
from retrieval.evidence.chains import count_facts
from retrieval.kg import search
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.llm.prompts import describe_prompts
from retrieval.methods import registry
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.deciders import Deciders
from retrieval.methods.graph_s3.agent.environment import AgentLimits
from retrieval.methods.graph_s3.retriever import open_policy
from retrieval.methods.graph_s3.side_branches import build_focus, list_walks
from retrieval.methods.graph_s3.spec import SPEC, GraphS3Options
from retrieval.methods.retriever_loading import FOREIGN, is_foreign
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.reasoning.base import Conclusion, Evidence, Reasoner
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.gather import collect_evidence
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.no_answers import explain_no_path
from retrieval.reasoning.retrieved import Form, Retrieved, prepare_evidence
from retrieval.reasoning.text_fit import TextFit
from retrieval.reasoning.understanding import is_unexplained, verify_verdict
from retrieval.types import RelationPath

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.kg.snapshot import Snapshot

_LEAST = 1e-3
"""A search that was less probable than this answers as if it were this probable."""


class AgentAnswerer(Answerer):
    """One graph, its deciders, linker and reasoner.

    Args:
        deciders: who explores.
        checkpoint: fingerprint of the small policy's.
        encoder: name of the text encoder, for the record.
        text_fit: says whether the relations that were chosen are what the question asks for; without it nothing is
            said not to be in the graph.
        programs: the last step of what needs an operator; without it such questions are not understood.
        options: see :class:`GraphS3Options`.
        settings: see :class:`AnsweringSettings`.
        warnings: what every run should say.
    """

    settings: AnsweringSettings

    def __init__(
        self,
        snapshot: Snapshot,
        deciders: Deciders,
        linker: Linking,
        reasoner: Reasoner,
        *,
        checkpoint: str | None = None,
        encoder: str = "",
        text_fit: TextFit | None = None,
        programs: ProgramAnswerer | None = None,
        options: GraphS3Options | None = None,
        settings: AnsweringSettings | None = None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.snapshot = snapshot
        self.text_fit = text_fit
        self.deciders = deciders
        self.linker = linker
        self.reasoner = reasoner
        self.encoder = encoder
        self._checkpoint, self._warnings = checkpoint, warnings
        self._options = options or GraphS3Options()
        self.programs = programs
        self.settings = settings or AnsweringSettings()
        self._gathering = replace(self.settings.gather, joins=self._options.joins)

    @property
    def method(self) -> str:
        """Always ``graph-s3``."""
        return SPEC.name

    @property
    def checkpoint(self) -> str | None:
        """The small policy's, where it was trained."""
        return self._checkpoint

    @property
    def options(self) -> GraphS3Options:
        """See :class:`GraphS3Options`."""
        return self._options

    @property
    def prompts(self) -> dict[str, str]:
        """Those of the policy and of the reasoner."""
        return describe_prompts(*self.deciders.prompts) | self.reasoner.prompts

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Answerer.apply_restriction`."""
        other = copy(self)
        other.snapshot, other.deciders = snapshot, self.deciders.apply_restriction(snapshot)
        other.programs = None  # its values and kinds are those of the whole graph
        return other

    def copy_without_model(self) -> Self:
        """See :meth:`Answerer.copy_without_model`."""
        other = super().copy_without_model()
        other.deciders = self.deciders.copy_without_model()
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Answerer.answer`. Ends with ``run.paused`` where a person is to decide."""
        run.check()
        if run.request.program is not None:
            yield from require_programs(self.programs).run_program(run, run.request.program, self._warnings)
            return
        began = time.perf_counter()
        steering = run.request.steering or Steering()
        known = LinkedTopics(steering.linked, ()) if steering.linked else None
        linked: Linked = known or run.link(self.linker, self.snapshot)
        if not steering.begun:
            yield QuestionLinked(linked.entities, linked.unmatched, run.measure_ms(began))
        mentions = {each.entity.id: each.mention for each in reversed(linked.entities)}
        topics = list(dict.fromkeys(each.entity.id for each in linked.entities))
        topics = [topic for topic in topics if self.snapshot.get_degree(topic)]
        programs, by_model = self.programs, self.reasoner.name == LLM
        alone, steered = not topics or run.request.names_several, steering.actions or steering.pause_after
        if programs is not None and (alone or (by_model and not steered)):
            program = programs.find_program(run, linked) if alone else programs.find_sure_program(run)
            if program is not None:
                yield from programs.answer(run, program, self._warnings)
                return
        if not topics:
            yield run.build_final(
                Conclusion(no_answer=explain_no_path(linked.entities))
                if linked.entities
                else build_unlinked_conclusion(run, self.reasoner, self.snapshot, linked.unmatched)
            )
            return
        if not self._options.interactive:
            yield from self._read_all_facts(run, linked, topics, [mentions[topic] for topic in topics])
            return
        world = self.deciders.world
        with run.watch.measure_body():
            state = world.make_initial_state(run.request.question, topics, [mentions[topic] for topic in topics])
            session = AgentSearch(self.deciders, state, self.deciders.get_policy(state))
        for event in run.watch.measure_items(session.run_steps(run, steering)):
            yield event
            if isinstance(event, RunPaused):
                return
        began = time.perf_counter()
        evidence = self._collect_evidence(run, linked, session)
        extractive = ExtractiveReasoner(self.settings.extractive)
        warnings = (*self._warnings, *session.warnings)

        def answer_without_model() -> Iterator[Event]:
            """Answer by a program what the explored facts do not answer, else by these."""
            verdict = verify_verdict(evidence, extractive.draw_conclusion(evidence))
            program = programs.find_program(run, linked) if programs and is_unexplained(verdict) else None
            if programs is not None and program is not None:
                yield from programs.answer(run, program, warnings)
                return
            yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
            yield from ask_reasoner(run, extractive, extractive, evidence, spent=spent, warnings=warnings)

        spent = session.usage.add(session.policy.usage)
        if not by_model:
            yield from answer_without_model()
            return
        yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
        yield from ask_reasoner(
            run, self.reasoner, extractive, evidence, spent=spent, warnings=warnings, without_model=answer_without_model
        )

    def _read_all_facts(
        self, run: PipelineRun, linked: Linked, topics: list[int], mentions: list[str]
    ) -> Iterator[Event]:
        """Read all facts near the topics, without a choice; the extractive reasoner by the words of relations."""
        options, question = self._options, run.request.question
        with run.watch.measure_body():
            near = search.collect_k_hop(self.snapshot, topics, options.hops, max_triples=options.facts_read)
        run.facts.update(dict.fromkeys(near.facts.tolist(), 1.0))
        for fact in near.facts.tolist():
            run.paths += 1
            yield PathRetrieved(run.paths, (self.snapshot.get_hop(fact),), 1.0, run.measure_ms())
        began, graph = time.perf_counter(), RestrictedSnapshot(self.snapshot, near.facts)
        with run.watch.measure_body():
            likely = self.deciders.zero_shot.apply_restriction(graph).rank_relation_paths(
                question, topics, mentions=mentions, cancelled=run.cancelled
            )
        evidence = collect_evidence(
            graph, question, linked.entities, linked.unmatched, likely, settings=self._gathering,
            simple=self.deciders.world.frontiers.simple, cancelled=run.cancelled,
        )  # fmt: skip
        if self.reasoner.name == LLM:
            form: Form = "triples" if options.evidence == "auto" else options.evidence
            evidence = replace(evidence, snapshot=self.snapshot)
            evidence = prepare_evidence(evidence, Retrieved([], run.facts), options, form, seed=run.request.seed)
        yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
        fallback = ExtractiveReasoner(self.settings.extractive)
        yield from ask_reasoner(run, self.reasoner, fallback, evidence, warnings=self._warnings)

    def _collect_evidence(self, run: PipelineRun, linked: Linked, session: AgentSearch) -> Evidence:
        """What the last choice of each topic leads to, by the facts that were kept."""
        run.paths = len(session.state.find_leaves())
        run.facts.update(dict.fromkeys(session.state.focus.tolist(), 1.0))
        score = min(1.0, max(session.probability, _LEAST))
        focus = build_focus(self.snapshot, session.state, [each.entity.id for each in linked.entities])
        paths = [RelationPath(leaf.topic, leaf.path, score) for leaf in focus.leaves]
        coverage = 1.0
        if self.text_fit is not None and paths and not session.corrected:
            state = session.state
            _, fits = self.text_fit.score_paths(state.question, paths, state.topics, state.mentions)
            coverage = max(fits.values())
        form, by_model = self._options.evidence, self.reasoner.name == LLM
        raw = form != "auto" and not focus.conditioned
        graph = RestrictedSnapshot(self.snapshot, session.state.focus) if raw else focus.graph
        evidence = collect_evidence(
            graph, run.request.question, linked.entities, linked.unmatched, paths,
            simple=self.deciders.world.frontiers.simple, settings=self._gathering, cancelled=run.cancelled,
            coverage=coverage,
        )  # fmt: skip
        if not by_model or evidence.compared is not None:
            return evidence
        brought = Retrieved(list_walks(self.snapshot, session.state, score), run.facts)
        # The whole focus graph is read (eq. 3), not only where it leads.
        full_evidence = replace(evidence, snapshot=self.snapshot)
        read: Form = "chains" if form == "auto" else form
        return prepare_evidence(full_evidence, brought, self._options, read, seed=run.request.seed)


def open_answerer(opening: Opening) -> AgentAnswerer:
    """The answerer of ``graph-s3``.

    Without a checkpoint, or with one that is foreign to the graph, relations are compared with the question by text.

    Raises:
        CheckpointError: the checkpoint cannot be used.
        ConfigError: a setting is wrong, or a language model is to decide and none is configured.
    """
    spec, parts = opening.spec, opening.parts
    options = registry.parse_options(SPEC.name, dict(spec.options))
    assert isinstance(options, GraphS3Options)
    small, fingerprint, simple, foreign = None, None, True, False
    if spec.checkpoint is not None:
        read = open_checkpoint(spec.checkpoint, method=SPEC.name, encoder=parts.encoder.name)
        fingerprint = read.manifest.fingerprint
        foreign = not spec.asks_foreign and is_foreign(spec.checkpoint, parts.snapshot)
        if not foreign:
            small = open_policy(read, parts.snapshot, parts.encoder, width=options.beam)
            simple = read.manifest.simple
    by_model = opening.reasoner.name == LLM
    asks = options.policy == "llm" or (options.policy == "auto" and small is None and by_model)
    if asks and opening.llm is None:
        raise ConfigError(
            "A language model is to explore the graph, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or the policy to small.",
        )
    page = min(options.page, serialise.FACTS[0]) if asks or (small and small.prompts) else options.page
    deciders = Deciders(
        parts.snapshot,
        small,
        ZeroShotRetriever(parts.snapshot, parts.encoder, SPEC.name),
        opening.llm if asks else None,
        simple=simple,
        limits=AgentLimits(steps=options.steps, page=page),
    )
    return AgentAnswerer(
        parts.snapshot,
        deciders,
        parts.linker,
        opening.reasoner,
        checkpoint=fingerprint,
        encoder=parts.encoder.name,
        text_fit=TextFit(parts.snapshot, parts.encoder) if small is not None and options.text_fit else None,
        programs=make_program_answerer(opening, None),
        options=options,
        settings=opening.settings,
        warnings=(FOREIGN,) if foreign else (),
    )
