"""INSES: explore the graph triple by triple, with similarity jumps, and answer from what was selected."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from retrieval.answering.conclusions import ask_reasoner, build_unlinked_conclusion
from retrieval.answering.decomposition_steps import stream_decomposition
from retrieval.answering.pipeline import Answerer, Linking, PipelineRun
from retrieval.errors import ConfigError, LLMError
from retrieval.events import (
    AgentStep,
    ChainsBuilt,
    Event,
    PassagesRetrieved,
    QuestionLinked,
    SimilarityExpanded,
)
from retrieval.evidence.chains import count_facts
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.linking import indexing
from retrieval.llm.prompts import describe_prompts
from retrieval.methods import registry
from retrieval.methods.inses.base import Navigator, Stand
from retrieval.methods.inses.contexts import Contexts
from retrieval.methods.inses.encoder_navigator import EncoderNavigator
from retrieval.methods.inses.expansion import Expansion
from retrieval.methods.inses.llm_navigator import LLMNavigator
from retrieval.methods.inses.search import SearchSelection, SearchStep, search
from retrieval.methods.inses.spec import SPEC, InsesOptions
from retrieval.reasoning import span_reader
from retrieval.reasoning.base import Evidence, Reasoner
from retrieval.reasoning.decomposition import Decomposer
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.gather import GatherSettings, collect_evidence
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.reading import Further, PassageReader, make_weigher, read_passages
from retrieval.reasoning.retrieved import Retrieved, prepare_evidence
from retrieval.reasoning.triples import TriplesReasoner
from retrieval.types import FoundPath, LinkedEntity, RelationPath, RetrievedPassage

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.labels import MatchSource
    from retrieval.linking.entity_index import EntityIndex
    from retrieval.linking.passage_index import PassageIndex

TRIPLES = ("auto", "triples", "shuffled-triples")
"""What a language model reads as single triples with their texts (INSES, Table 6)."""

PASSAGES_SHOWN = 20
PASSAGES_READ = 5
TEMPERATURE = 0.04
"""Scores of relation paths become probabilities by a softmax of this temperature, as zero-shot paths' do."""

_LinkedBy = Literal["exact", "alias", "fuzzy", "vector"]
_LINKED_BY: Mapping[MatchSource, _LinkedBy] = {
    "exact": "exact",
    "alias": "alias",
    "vector": "vector",
}
"""How a found name counts as a link; part of a name is a fuzzy one."""


@dataclass(frozen=True, slots=True)
class InsesSettings:
    """Settings beyond those of asking.

    Attributes:
        paths: relation paths that become evidence.
        nearest: entities that a search begins at when the question names none.
    """

    paths: int = 16
    nearest: int = 5
    gather: GatherSettings = field(default_factory=GatherSettings)


class InsesAnswerer(Answerer):
    """One graph, navigator, linker and reasoner.

    Args:
        snapshot: the graph.
        navigator: selects triples; ``fallback`` where it is a language model that fails.
        fallback: the navigator that needs none.
        linker: finds the entities that the question names.
        reasoner: extractive or language model.
        index: names of the graph with their vectors.
        passages: of the graph, where it has some.
        encoder: name of the text encoder, for the record.
        options: see :class:`InsesOptions`.
        settings: see :class:`InsesSettings`.
    """

    settings: InsesSettings

    def __init__(
        self,
        snapshot: Snapshot,
        navigator: Navigator,
        fallback: EncoderNavigator,
        linker: Linking,
        reasoner: Reasoner,
        *,
        index: EntityIndex,
        passages: PassageIndex | None = None,
        encoder: str = "",
        options: InsesOptions | None = None,
        settings: InsesSettings | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.navigator = navigator
        self.fallback = fallback
        self.index = index
        self.passages = passages
        self.linker = linker
        self.reasoner = reasoner
        self.encoder = encoder
        self._options = options or InsesOptions()
        self.settings = settings or InsesSettings()

    @property
    def method(self) -> str:
        """Always ``inses``."""
        return SPEC.name

    @property
    def options(self) -> InsesOptions:
        """See :class:`InsesOptions`."""
        return self._options

    @property
    def prompts(self) -> dict[str, str]:
        """Those of the navigator and of the reasoner."""
        return describe_prompts(*self.navigator.prompts) | self.reasoner.prompts

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Answerer.apply_restriction`."""
        other = copy(self)
        other.snapshot, other.fallback = snapshot, self.fallback.apply_restriction(snapshot)
        other.navigator = (
            other.fallback if self.navigator is self.fallback else self.navigator.apply_restriction(snapshot)
        )
        return other

    def copy_without_model(self) -> Self:
        """See :meth:`Answerer.copy_without_model`."""
        other = super().copy_without_model()
        other.navigator = self.fallback
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Answerer.answer`."""
        run.check()
        began = time.perf_counter()
        selection, warnings = SearchSelection(), list[str]()
        linked = run.link(self.linker, self.snapshot)
        entities = self._link_mentions(run, linked.entities, selection, warnings)
        yield QuestionLinked(entities, linked.unmatched, run.measure_ms(began))
        starts = self._find_stands(run, entities, self.navigator)
        readable = self.snapshot.has_names or self.snapshot.passages is not None
        if not starts or not (entities or readable):  # nothing is named, and nothing near that says anything
            yield run.build_final(build_unlinked_conclusion(run, self.reasoner, self.snapshot, linked.unmatched))
            return
        steps = yield from stream_decomposition(run, self.snapshot, self._make_decomposer())
        yield from self._run_search(run, entities, starts, selection, warnings, before=steps.count)
        run.facts.update(selection.facts)
        fallback = ExtractiveReasoner()
        if self.passages is not None:
            shown = self._collect_passages(selection, run)
            fallback = self._make_reader(run.request.question, selection, shown, steps.further)
            with_steps = steps.merge_passages(shown.passages, PASSAGES_SHOWN)
            strategy = f"{shown.strategy}, and in steps" if steps.ways else shown.strategy
            yield replace(shown, passages=with_steps, strategy=strategy)
        began = time.perf_counter()
        evidence = self._collect_evidence(run, entities, linked.unmatched, selection)
        yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
        reasoner = fallback if isinstance(self.reasoner, ExtractiveReasoner) else self.reasoner
        yield from ask_reasoner(run, reasoner, fallback, evidence, spent=selection.usage, warnings=tuple(warnings))

    def _link_mentions(
        self,
        run: PipelineRun,
        linked: Sequence[LinkedEntity],
        selection: SearchSelection,
        warnings: list[str],
    ) -> tuple[LinkedEntity, ...]:
        """The linked entities, and those nearest to what the navigator reads out of the question (eq. 1)."""
        entities = {each.entity.id: each for each in linked}
        if run.request.given:
            return tuple(entities.values())
        try:
            mentions, usage = self.navigator.extract_mentions(run.request.question, cancelled=run.cancelled)
        except LLMError as error:
            warnings.append(_describe_fallback(error))
            return tuple(entities.values())
        selection.usage = selection.usage.add(usage)
        for mention in mentions:
            for match in self.index.search(mention, 1):
                source: _LinkedBy = _LINKED_BY.get(match.source, "fuzzy")
                made = LinkedEntity(match.node, mention, -1, -1, match.score, source)
                entities.setdefault(match.entity, made)
        return tuple(entities.values())

    def _find_stands(self, run: PipelineRun, entities: Sequence[LinkedEntity], navigator: Navigator) -> list[Stand]:
        """V_init: what is mentioned; for the encoder also what the passages nearest to the question speak of."""
        question = run.request.question
        starts = {each.entity.id: Stand(each.entity.id, 1.0) for each in entities}
        with run.watch.measure_body():
            if not run.request.given and (navigator is self.fallback or not starts):
                for stand in self.fallback.find_stands(question):
                    starts[stand.entity] = stand  # a mentioned one too: then it may go on from what was read
            if not starts:
                near = self.index.search_vector(self.fallback.read(question).vector, self.settings.nearest)
                starts = {match.entity: Stand(match.entity, match.score) for match in near}
        return [stand for stand in starts.values() if self.snapshot.get_degree(stand.entity)]

    def _run_search(
        self,
        run: PipelineRun,
        entities: Sequence[LinkedEntity],
        starts: Sequence[Stand],
        selection: SearchSelection,
        warnings: list[str],
        *,
        before: int,
    ) -> Iterator[AgentStep | SimilarityExpanded]:
        """The search; when a language model fails, the navigator that needs none begins anew and says so.

        Its steps are counted on from the ``before`` that were told of.
        """
        navigator = self.navigator
        while True:
            steps = search(
                self.snapshot, run.request.question, starts, navigator, selection,
                expansion=self._make_expansion(),
                iterations=self.options.iterations, budget=run.request.budget, fill=self.options.fill,
                cancelled=run.cancelled,
            )  # fmt: skip
            began = time.perf_counter()
            try:
                for step in run.watch.measure_items(steps):
                    yield from self._emit_step(step, before, run.measure_ms(began))
                    run.check()
                    began = time.perf_counter()
                return
            except LLMError as error:
                warnings.append(_describe_fallback(error))
                navigator, selection.facts, selection.ways = self.fallback, {}, {}
                starts = self._find_stands(run, entities, navigator)

    def _make_expansion(self) -> Expansion | None:
        options = self.options
        return Expansion(self.index, options.threshold, options.stands) if options.similarity else None

    def _emit_step(self, step: SearchStep, before: int, took_ms: float) -> Iterator[AgentStep | SimilarityExpanded]:
        view, decision = step.view, step.decision
        arcs = [int(view.arcs[pick.position]) for pick in decision.picks]
        hops = tuple(self.snapshot.get_hop(arc) for arc in arcs)
        held = set(view.selected) | {arc % self.snapshot.num_triples for arc in arcs}
        yield AgentStep(
            step=before + view.step,
            thought=decision.thought,
            action="stop" if decision.sufficient else "select",
            observation=f"{len(view.arcs):,} facts around {len(view.stands):,} entities",
            hops=hops,
            window=len(view.arcs),
            focus=len(held),
            took_ms=took_ms,
            current=tuple(self.snapshot.get_node(stand.entity) for stand in view.stands),
            dropped=tuple(self.snapshot.get_hop(int(view.arcs[i])) for i in decision.dropped),
            sufficient=decision.sufficient,
        )
        for jump in step.jumps:
            source, target = self.snapshot.get_node(jump.source), self.snapshot.get_node(jump.target)
            yield SimilarityExpanded(source, target, round(jump.score, 6), before + view.step)

    def _collect_passages(self, selection: SearchSelection, run: PipelineRun) -> PassagesRetrieved:
        """The passages behind the selected facts, as good as the best of their facts."""
        began, table = time.perf_counter(), self.snapshot.passages
        assert table is not None, "asked only where there are passages"
        scores: dict[int, float] = {}
        counts: dict[int, int] = {}
        worth = self.fallback.read(run.request.question).worth
        for fact, score in selection.facts.items():
            sources = table.get_fact_passages(fact)
            if len(sources):
                best = int(sources[int(np.argmax(worth[sources]))])
                scores[best] = max(score, scores.get(best, 0.0))
                counts[best] = counts.get(best, 0) + 1
        order = sorted(scores, key=lambda p: (-scores[p], p))[:PASSAGES_SHOWN]
        shown = tuple(RetrievedPassage(table.get_passage(p), round(scores[p], 6), counts[p]) for p in order)
        return PassagesRetrieved(shown, "sources of the selected facts", run.measure_ms(began))

    def _make_decomposer(self) -> Decomposer | None:
        """What takes questions apart where passages answer without a language model; None where nothing does."""
        wanted = self.options.decompose and self.options.reader == "trained"
        if self.passages is None or not wanted or not isinstance(self.reasoner, ExtractiveReasoner):
            return None
        reader = span_reader.get_reader(self.passages.encoder)
        return Decomposer(self.passages, reader) if reader is not None else None

    def _make_reader(
        self, question: Question, selection: SearchSelection, shown: PassagesRetrieved, further: Further | None
    ) -> ExtractiveReasoner:
        """Answers from the best of the passages behind the selected facts, without a language model."""
        assert self.passages is not None, "asked only where there are passages"
        ends = frozenset(self.snapshot.get_hop(way[-1]).target.label for way in selection.ways)
        read = read_passages(self.passages, question, shown.passages[:PASSAGES_READ])
        trained = self.options.reader == "trained"
        reader = span_reader.get_reader(self.passages.encoder) if trained else None
        return PassageReader(read, make_weigher(self.passages), ends, reader=reader, further=further)

    def _collect_evidence(
        self,
        run: PipelineRun,
        entities: Sequence[LinkedEntity],
        unmatched: tuple[str, ...],
        selection: SearchSelection,
    ) -> Evidence:
        """The ways as relation paths, each from where it begins."""
        paths = self._rank_relation_paths(run.request.question, selection)
        linked_ids = {each.entity.id for each in entities}
        begun = dict.fromkeys(path.topic for path in paths if path.topic not in linked_ids)
        nodes = [self.snapshot.get_node(entity) for entity in begun]
        topics = [each for each in entities if any(path.topic == each.entity.id for path in paths)]
        topics += [LinkedEntity(node, node.label, -1, -1, 0.0, "vector") for node in nodes]
        form, snapshot = self.options.evidence, self.snapshot
        if form != "auto" and self.reasoner.name != LLM and selection.facts:
            snapshot = RestrictedSnapshot(snapshot, np.array(sorted(selection.facts), np.int64))
        evidence = collect_evidence(
            snapshot, run.request.question, topics or list(entities), unmatched, paths,
            simple=True, settings=replace(self.settings.gather, joins=self.options.joins), cancelled=run.cancelled,
        )  # fmt: skip
        best = {fact: selection.facts[fact] for fact in sorted(selection.facts, key=lambda f: (-selection.facts[f], f))}
        order = list(best)
        if form == "shuffled-triples":
            np.random.default_rng(run.request.seed).shuffle(order)
        evidence = replace(evidence, facts=tuple(order), characters=self.options.characters_read or None)
        if form in TRIPLES or self.reasoner.name != LLM:
            return evidence
        ways = [FoundPath(self.snapshot.get_hop(way[0]).source.id, way, score) for way, score in selection.ways.items()]
        brought = Retrieved(ways, best)
        return prepare_evidence(evidence, brought, self.options, form, seed=run.request.seed)

    def _rank_relation_paths(self, question: Question, selection: SearchSelection) -> list[RelationPath]:
        """The best ways by their relations; those that lead back into the question only when nothing else is left."""
        reading = self.fallback.read(question)
        best: dict[tuple[int, tuple[int, ...]], float] = {}
        away: set[tuple[int, tuple[int, ...]]] = set()
        triples, relations = self.snapshot.num_triples, self.snapshot.num_relations
        for way, score in selection.ways.items():
            first = self.snapshot.get_hop(way[0]).source.id
            path = tuple(int(self.snapshot.relations[arc % triples]) + relations * (arc >= triples) for arc in way)
            best[first, path] = max(score, best.get((first, path), 0.0))
            if not self.fallback.is_named(reading, self.snapshot.get_hop(way[-1]).target.id):
                away.add((first, path))
        new = {key: score for key, score in best.items() if key in away} or best
        ranked = sorted(new.items(), key=lambda item: (-item[1], item[0]))[: self.settings.paths]
        if not ranked:
            return []
        shares = np.exp((np.array([score for _, score in ranked]) - ranked[0][1]) / TEMPERATURE)
        shares /= shares.sum()
        return [
            RelationPath(topic, path, float(share)) for ((topic, path), _), share in zip(ranked, shares, strict=True)
        ]


def _describe_fallback(error: LLMError) -> str:
    return f"{error.message} {error.hint} The text encoder chose the triples instead.".replace("  ", " ")


def open_answerer(opening: Opening) -> InsesAnswerer:
    """The answerer of ``inses``.

    Raises:
        ConfigError: a setting is wrong, or a language model is asked for and none is configured.
        NotIndexedError: the graph's names or passages are not indexed yet.
    """
    parts = opening.parts
    options = registry.parse_options(SPEC.name, dict(opening.spec.options))
    assert isinstance(options, InsesOptions)
    indexing.require(parts.snapshot, parts.encoder.name)
    passages = parts.passages if parts.snapshot.passages is not None else None
    contexts = Contexts(parts.snapshot, parts.encoder, parts.index, passages)
    fallback = EncoderNavigator(parts.snapshot, parts.encoder, contexts)
    navigator: Navigator = fallback
    if options.navigator == "llm" or (options.navigator == "auto" and opening.reasoner.name == LLM):
        if opening.llm is None:
            raise ConfigError(
                "No language model is configured.",
                hint="Set LLM_BASE_URL and LLM_MODEL, or choose the navigator encoder.",
            )
        navigator = LLMNavigator(parts.snapshot, opening.llm, fallback, options.prefilter)
    reasoner = opening.reasoner
    if reasoner.name == LLM and opening.llm is not None and options.evidence in TRIPLES:
        reasoner = TriplesReasoner(opening.llm)
    return InsesAnswerer(
        parts.snapshot,
        navigator,
        fallback,
        parts.linker,
        reasoner,
        index=parts.index,
        passages=passages,
        encoder=parts.encoder.name,
        options=options,
    )
