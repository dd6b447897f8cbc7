"""What INSES brought, told: its steps, the passages behind the selected facts, and relation paths as evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.answering.run import PipelineRun
from retrieval.events import AgentStep, PassagesRetrieved, SimilarityExpanded
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.methods.inses.encoder_navigator import EncoderNavigator
from retrieval.methods.inses.search import SearchSelection, SearchStep
from retrieval.methods.inses.spec import InsesOptions
from retrieval.reasoning.base import Evidence
from retrieval.reasoning.gather import GatherSettings, collect_evidence
from retrieval.reasoning.retrieved import Retrieved, prepare_evidence
from retrieval.types import FoundPath, LinkedEntity, RelationPath, RetrievedPassage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

TRIPLES = ("auto", "triples", "shuffled-triples")
"""What a language model reads as single triples with their texts (INSES, Table 6)."""
PASSAGES_SHOWN = 20
PASSAGES_READ = 5
TEMPERATURE = 0.04
"""Scores of relation paths become probabilities by a softmax of this temperature, as zero-shot paths' do."""


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


@dataclass(frozen=True, slots=True)
class SelectionEvidence:
    """Turns the facts that a search selected into events and evidence.

    Attributes:
        navigator: reads questions without a language model.
        settings: see :class:`InsesSettings`.
        by_model: a language model answers.
    """

    snapshot: Snapshot
    navigator: EncoderNavigator
    options: InsesOptions
    settings: InsesSettings
    by_model: bool

    def build_step_events(
        self, step: SearchStep, before: int, took_ms: float
    ) -> Iterator[AgentStep | SimilarityExpanded]:
        """A step and its similarity jumps; steps are counted on from the ``before`` that were told of."""
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

    def collect_passages(self, selection: SearchSelection, run: PipelineRun) -> PassagesRetrieved:
        """The passages behind the selected facts, as good as the best of their facts."""
        began, table = time.perf_counter(), self.snapshot.passages
        assert table is not None, "asked only where there are passages"
        scores: dict[int, float] = {}
        counts: dict[int, int] = {}
        worth = self.navigator.read(run.request.question).worth
        for fact, score in selection.facts.items():
            sources = table.get_fact_passages(fact)
            if len(sources):
                best = int(sources[int(np.argmax(worth[sources]))])
                scores[best] = max(score, scores.get(best, 0.0))
                counts[best] = counts.get(best, 0) + 1
        order = sorted(scores, key=lambda p: (-scores[p], p))[:PASSAGES_SHOWN]
        shown = tuple(RetrievedPassage(table.get_passage(p), round(scores[p], 6), counts[p]) for p in order)
        return PassagesRetrieved(shown, "sources of the selected facts", run.measure_ms(began))

    def collect(
        self, run: PipelineRun, entities: Sequence[LinkedEntity], unmatched: tuple[str, ...], selection: SearchSelection
    ) -> Evidence:
        """The ways as relation paths, each from where it begins."""
        paths = self._rank_relation_paths(run.request.question, selection)
        linked_ids = {each.entity.id for each in entities}
        begun = dict.fromkeys(path.topic for path in paths if path.topic not in linked_ids)
        nodes = [self.snapshot.get_node(entity) for entity in begun]
        topics = [each for each in entities if any(path.topic == each.entity.id for path in paths)]
        topics += [LinkedEntity(node, node.label, -1, -1, 0.0, "vector") for node in nodes]
        form, snapshot = self.options.evidence, self.snapshot
        if form != "auto" and not self.by_model and selection.facts:
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
        if form in TRIPLES or not self.by_model:
            return evidence
        ways = [FoundPath(self.snapshot.get_hop(way[0]).source.id, way, score) for way, score in selection.ways.items()]
        brought = Retrieved(ways, best)
        return prepare_evidence(evidence, brought, self.options, form, seed=run.request.seed)

    def _rank_relation_paths(self, question: Question, selection: SearchSelection) -> list[RelationPath]:
        """The best ways by their relations; those that lead back into the question only when nothing else is left."""
        reading = self.navigator.read(question)
        best: dict[tuple[int, tuple[int, ...]], float] = {}
        away: set[tuple[int, tuple[int, ...]]] = set()
        triples, relations = self.snapshot.num_triples, self.snapshot.num_relations
        for way, score in selection.ways.items():
            first = self.snapshot.get_hop(way[0]).source.id
            path = tuple(int(self.snapshot.relations[arc % triples]) + relations * (arc >= triples) for arc in way)
            best[first, path] = max(score, best.get((first, path), 0.0))
            if not self.navigator.is_named(reading, self.snapshot.get_hop(way[-1]).target.id):
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
