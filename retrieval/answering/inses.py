"""INSES: explore the graph triple by triple, with similarity jumps, and answer from what was selected."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Self

from retrieval.answering.conclusions import ask_reasoner, build_unlinked_conclusion
from retrieval.answering.decomposition_steps import stream_decomposition
from retrieval.answering.inses_evidence import PASSAGES_READ, PASSAGES_SHOWN, TRIPLES, InsesSettings, SelectionEvidence
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import Linking, PipelineRun
from retrieval.errors import ConfigError, LLMError
from retrieval.events import AgentStep, ChainsBuilt, Event, PassagesRetrieved, QuestionLinked, SimilarityExpanded
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
from retrieval.methods.inses.search import SearchSelection, search
from retrieval.methods.inses.spec import SPEC, InsesOptions
from retrieval.reasoning import span_reader
from retrieval.reasoning.base import Reasoner
from retrieval.reasoning.decomposition import Decomposer
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.reading import Further, PassageReader, make_weigher, read_passages
from retrieval.reasoning.triples import TriplesReasoner
from retrieval.types import LinkedEntity

if TYPE_CHECKING:
    from retrieval.answering.parts import Opening
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.labels import MatchSource
    from retrieval.linking.entity_index import EntityIndex
    from retrieval.linking.passage_index import PassageIndex


_LinkedBy = Literal["exact", "alias", "fuzzy", "vector"]
_LINKED_BY: Mapping[MatchSource, _LinkedBy] = {"exact": "exact", "alias": "alias", "vector": "vector"}
"""How a found name counts as a link; part of a name is a fuzzy one."""


class InsesAnswerer(Answerer):
    """One graph, navigator, linker and reasoner.

    Args:
        navigator: selects triples; ``fallback`` where it is a language model that fails.
        fallback: the navigator that needs none.
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
            shown = self._make_evidence().collect_passages(selection, run)
            fallback = self._make_reader(run.request.question, selection, shown, steps.further)
            with_steps = steps.merge_passages(shown.passages, PASSAGES_SHOWN)
            strategy = f"{shown.strategy}, and in steps" if steps.ways else shown.strategy
            yield replace(shown, passages=with_steps, strategy=strategy)
        began = time.perf_counter()
        evidence = self._make_evidence().collect(run, entities, linked.unmatched, selection)
        yield ChainsBuilt(evidence.chains, run.paths, count_facts(evidence.chains), run.measure_ms(began))
        reasoner = fallback if isinstance(self.reasoner, ExtractiveReasoner) else self.reasoner
        yield from ask_reasoner(run, reasoner, fallback, evidence, spent=selection.usage, warnings=tuple(warnings))

    def _make_evidence(self) -> SelectionEvidence:
        by_model = self.reasoner.name == LLM
        return SelectionEvidence(self.snapshot, self.fallback, self.options, self.settings, by_model)

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

    def _link_mentions(
        self, run: PipelineRun, linked: Sequence[LinkedEntity], selection: SearchSelection, warnings: list[str]
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
                    yield from self._make_evidence().build_step_events(step, before, run.measure_ms(began))
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
