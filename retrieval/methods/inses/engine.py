"""INSES: explore the graph triple by triple, with similarity jumps, and answer from what was selected."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from retrieval.errors import ConfigError, LLMError
from retrieval.events import (
    AgentStep,
    ChainsBuilt,
    Event,
    PassagesRetrieved,
    QuestionLinked,
    SimilarityExpanded,
)
from retrieval.evidence.chains import distinct_facts
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.llm.prompts import shown
from retrieval.methods import registry
from retrieval.methods._shared.asked_steps import asked_steps
from retrieval.methods._shared.reasoning import nothing_linked, reason
from retrieval.methods.inses.base import Navigator, Stand
from retrieval.methods.inses.contexts import Contexts
from retrieval.methods.inses.encoder_navigator import EncoderNavigator
from retrieval.methods.inses.expansion import Expansion
from retrieval.methods.inses.llm_navigator import LLMNavigator
from retrieval.methods.inses.search import Found, Step, search
from retrieval.methods.inses.spec import SPEC, InsesOptions
from retrieval.pipeline import Engine, Linking, PipelineRun
from retrieval.reasoning import span_reader
from retrieval.reasoning.base import Evidence, Reasoner
from retrieval.reasoning.decomposition import Decomposer
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.gather import GatherSettings, gather
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.reading import Further, PassageReader, read_passages, weigher
from retrieval.reasoning.retrieved import Retrieved, for_model
from retrieval.reasoning.triples import TriplesReasoner
from retrieval.text import indexing
from retrieval.types import FoundPath, LinkedEntity, RelationPath, RetrievedPassage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.labels import MatchSource
    from retrieval.methods._shared.parts import Opening
    from retrieval.text.entity_index import EntityIndex
    from retrieval.text.passage_index import PassageIndex

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


class InsesEngine(Engine):
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
        return shown(*self.navigator.prompts) | self.reasoner.prompts

    def restricted_to(self, snapshot: RestrictedSnapshot) -> Self:
        """See :meth:`Engine.restricted_to`."""
        other = copy(self)
        other.snapshot, other.fallback = snapshot, self.fallback.restricted_to(snapshot)
        other.navigator = (
            other.fallback if self.navigator is self.fallback else self.navigator.restricted_to(snapshot)
        )
        return other

    def without_model(self) -> Self:
        """See :meth:`Engine.without_model`."""
        other = super().without_model()
        other.navigator = self.fallback
        return other

    def answer(self, run: PipelineRun) -> Iterator[Event]:
        """See :meth:`Engine.answer`."""
        run.check()
        began = time.perf_counter()
        found, warnings = Found(), list[str]()
        linked = run.link(self.linker, self.snapshot)
        entities = self._mentioned(run, linked.entities, found, warnings)
        yield QuestionLinked(entities, linked.unmatched, run.ms(began))
        starts = self._starts(run, entities, self.navigator)
        readable = self.snapshot.has_names or self.snapshot.passages is not None
        if not starts or not (entities or readable):  # nothing is named, and nothing near that says anything
            yield run.final(nothing_linked(run, self.reasoner, self.snapshot, linked.unmatched))
            return
        asked = yield from asked_steps(run, self.snapshot, self._decomposer())
        yield from self._explore(run, entities, starts, found, warnings, before=asked.count)
        run.facts.update(found.facts)
        fallback = ExtractiveReasoner()
        if self.passages is not None:
            shown = self._passages(found, run)
            fallback = self._reader(run.request.question, found, shown, asked.further)
            with_steps = asked.passages(shown.passages, PASSAGES_SHOWN)
            strategy = f"{shown.strategy}, and in steps" if asked.ways else shown.strategy
            yield replace(shown, passages=with_steps, strategy=strategy)
        began = time.perf_counter()
        evidence = self._evidence(run, entities, linked.unmatched, found)
        yield ChainsBuilt(evidence.chains, run.paths, distinct_facts(evidence.chains), run.ms(began))
        reasoner = fallback if isinstance(self.reasoner, ExtractiveReasoner) else self.reasoner
        yield from reason(run, reasoner, fallback, evidence, spent=found.usage, warnings=tuple(warnings))

    def _mentioned(
        self, run: PipelineRun, linked: Sequence[LinkedEntity], found: Found, warnings: list[str]
    ) -> tuple[LinkedEntity, ...]:
        """The linked entities, and those nearest to what the navigator reads out of the question (eq. 1)."""
        entities = {each.entity.id: each for each in linked}
        if run.request.given:
            return tuple(entities.values())
        try:
            mentions, usage = self.navigator.mentions(run.request.question, cancelled=run.cancelled)
        except LLMError as error:
            warnings.append(_stood_in(error))
            return tuple(entities.values())
        found.usage = found.usage.plus(usage)
        for mention in mentions:
            for match in self.index.search(mention, 1):
                source: _LinkedBy = _LINKED_BY.get(match.source, "fuzzy")
                made = LinkedEntity(match.node, mention, -1, -1, match.score, source)
                entities.setdefault(match.entity, made)
        return tuple(entities.values())

    def _starts(
        self, run: PipelineRun, entities: Sequence[LinkedEntity], navigator: Navigator
    ) -> list[Stand]:
        """V_init: what is mentioned; for the encoder also what the passages nearest to the question speak of."""
        question = run.request.question
        starts = {each.entity.id: Stand(each.entity.id, 1.0) for each in entities}
        with run.watch.running():
            if not run.request.given and (navigator is self.fallback or not starts):
                for stand in self.fallback.starts(question):
                    starts[stand.entity] = stand  # a mentioned one too: then it may go on from what was read
            if not starts:
                near = self.index.nearest(self.fallback.read(question).vector, self.settings.nearest)
                starts = {match.entity: Stand(match.entity, match.score) for match in near}
        return [stand for stand in starts.values() if self.snapshot.degree(stand.entity)]

    def _explore(
        self,
        run: PipelineRun,
        entities: Sequence[LinkedEntity],
        starts: Sequence[Stand],
        found: Found,
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
                self.snapshot, run.request.question, starts, navigator, found,
                expansion=self._expansion(),
                iterations=self.options.iterations, budget=run.request.budget, fill=self.options.fill,
                cancelled=run.cancelled,
            )  # fmt: skip
            began = time.perf_counter()
            try:
                for step in run.watch.each(steps):
                    yield from self._shown(step, before, run.ms(began))
                    run.check()
                    began = time.perf_counter()
                return
            except LLMError as error:
                warnings.append(_stood_in(error))
                navigator, found.facts, found.ways = self.fallback, {}, {}
                starts = self._starts(run, entities, navigator)

    def _expansion(self) -> Expansion | None:
        options = self.options
        return Expansion(self.index, options.threshold, options.stands) if options.similarity else None

    def _shown(self, step: Step, before: int, took_ms: float) -> Iterator[AgentStep | SimilarityExpanded]:
        view, decision = step.view, step.decision
        arcs = [int(view.arcs[pick.position]) for pick in decision.picks]
        hops = tuple(self.snapshot.hop(arc) for arc in arcs)
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
            current=tuple(self.snapshot.node(stand.entity) for stand in view.stands),
            dropped=tuple(self.snapshot.hop(int(view.arcs[i])) for i in decision.dropped),
            sufficient=decision.sufficient,
        )
        for jump in step.jumps:
            source, target = self.snapshot.node(jump.source), self.snapshot.node(jump.target)
            yield SimilarityExpanded(source, target, round(jump.score, 6), before + view.step)

    def _passages(self, found: Found, run: PipelineRun) -> PassagesRetrieved:
        """The passages behind the selected facts, as good as the best of their facts."""
        began, table = time.perf_counter(), self.snapshot.passages
        assert table is not None, "asked only where there are passages"
        scores: dict[int, float] = {}
        counts: dict[int, int] = {}
        worth = self.fallback.read(run.request.question).worth
        for fact, score in found.facts.items():
            sources = table.of_fact(fact)
            if len(sources):
                best = int(sources[int(np.argmax(worth[sources]))])
                scores[best] = max(score, scores.get(best, 0.0))
                counts[best] = counts.get(best, 0) + 1
        order = sorted(scores, key=lambda p: (-scores[p], p))[:PASSAGES_SHOWN]
        shown = tuple(RetrievedPassage(table.passage(p), round(scores[p], 6), counts[p]) for p in order)
        return PassagesRetrieved(shown, "sources of the selected facts", run.ms(began))

    def _decomposer(self) -> Decomposer | None:
        """What takes questions apart where passages answer without a language model; None where nothing does."""
        wanted = self.options.decompose and self.options.reader == "trained"
        if self.passages is None or not wanted or not isinstance(self.reasoner, ExtractiveReasoner):
            return None
        reader = span_reader.of(self.passages.encoder)
        return Decomposer(self.passages, reader) if reader is not None else None

    def _reader(
        self, question: str, found: Found, shown: PassagesRetrieved, further: Further | None
    ) -> ExtractiveReasoner:
        """Answers from the best of the passages behind the selected facts, without a language model."""
        assert self.passages is not None, "asked only where there are passages"
        ends = frozenset(self.snapshot.hop(way[-1]).target.label for way in found.ways)
        read = read_passages(self.passages, question, shown.passages[:PASSAGES_READ])
        trained = self.options.reader == "trained"
        reader = span_reader.of(self.passages.encoder) if trained else None
        return PassageReader(read, weigher(self.passages), ends, reader=reader, further=further)

    def _evidence(
        self, run: PipelineRun, entities: Sequence[LinkedEntity], unmatched: tuple[str, ...], found: Found
    ) -> Evidence:
        """The ways as relation paths, each from where it begins."""
        paths = self._relation_paths(run.request.question, found)
        named = {each.entity.id for each in entities}
        begun = dict.fromkeys(path.topic for path in paths if path.topic not in named)
        nodes = [self.snapshot.node(entity) for entity in begun]
        topics = [each for each in entities if any(path.topic == each.entity.id for path in paths)]
        topics += [LinkedEntity(node, node.label, -1, -1, 0.0, "vector") for node in nodes]
        form, snapshot = self.options.evidence, self.snapshot
        if form != "auto" and self.reasoner.name != LLM and found.facts:
            snapshot = RestrictedSnapshot(snapshot, np.array(sorted(found.facts), np.int64))
        evidence = gather(
            snapshot, run.request.question, topics or list(entities), unmatched, paths,
            simple=True, settings=replace(self.settings.gather, joins=self.options.joins), cancelled=run.cancelled,
        )  # fmt: skip
        best = {fact: found.facts[fact] for fact in sorted(found.facts, key=lambda f: (-found.facts[f], f))}
        order = list(best)
        if form == "shuffled-triples":
            np.random.default_rng(run.request.seed).shuffle(order)
        evidence = replace(evidence, facts=tuple(order), characters=self.options.characters_read or None)
        if form in TRIPLES or self.reasoner.name != LLM:
            return evidence
        ways = [
            FoundPath(self.snapshot.hop(way[0]).source.id, way, score) for way, score in found.ways.items()
        ]
        brought = Retrieved(ways, best)
        return for_model(evidence, brought, self.options, form, seed=run.request.seed)

    def _relation_paths(self, question: str, found: Found) -> list[RelationPath]:
        """The best ways by their relations; those that lead back into the question only when nothing else is left."""
        reading = self.fallback.read(question)
        best: dict[tuple[int, tuple[int, ...]], float] = {}
        away: set[tuple[int, tuple[int, ...]]] = set()
        triples, relations = self.snapshot.num_triples, self.snapshot.num_relations
        for way, score in found.ways.items():
            first = self.snapshot.hop(way[0]).source.id
            path = tuple(
                int(self.snapshot.relations[arc % triples]) + relations * (arc >= triples) for arc in way
            )
            best[first, path] = max(score, best.get((first, path), 0.0))
            if not self.fallback.named(reading, self.snapshot.hop(way[-1]).target.id):
                away.add((first, path))
        new = {key: score for key, score in best.items() if key in away} or best
        ranked = sorted(new.items(), key=lambda item: (-item[1], item[0]))[: self.settings.paths]
        if not ranked:
            return []
        shares = np.exp((np.array([score for _, score in ranked]) - ranked[0][1]) / TEMPERATURE)
        shares /= shares.sum()
        return [
            RelationPath(topic, path, float(share))
            for ((topic, path), _), share in zip(ranked, shares, strict=True)
        ]


def _stood_in(error: LLMError) -> str:
    return f"{error.message} {error.hint} The text encoder chose the triples instead.".replace("  ", " ")


def open_engine(opening: Opening) -> InsesEngine:
    """The engine of ``inses``.

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
    return InsesEngine(
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
