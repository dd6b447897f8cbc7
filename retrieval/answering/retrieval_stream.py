"""Streaming what a retriever brings, and giving the reasoner that to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.answering.run import Linked, PipelineRun
from retrieval.config import EvidenceOptions
from retrieval.events import PathRetrieved
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.methods.triples.settings import TripleOptions
from retrieval.reasoning.base import Evidence, Reasoner
from retrieval.reasoning.gather import GatherSettings, build_evidence, collect_evidence
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.retrieved import Form, Retrieved, collect_reaches, prepare_evidence
from retrieval.types import FoundPath, Hop

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.retriever import Retriever
    from retrieval.types import RelationPath


@dataclass(slots=True)
class EvidenceReader:
    """What one run retrieves, and what its reasoner reads of it."""

    run: PipelineRun
    retriever: Retriever
    reasoner: Reasoner
    snapshot: Snapshot
    found: Retrieved = field(default_factory=Retrieved)
    _hops: dict[int, Hop] = field(default_factory=dict)

    @property
    def form(self) -> Form:
        """What is read; ``auto`` becomes chains where a language model reads what ranks triples."""
        options = self.retriever.options
        form: Form = options.evidence if isinstance(options, EvidenceOptions) else "auto"
        return "chains" if form == "auto" and self._by_model and isinstance(options, TripleOptions) else form

    @property
    def _by_model(self) -> bool:
        return self.reasoner.name == LLM

    def retrieve(self, topics: Sequence[int], mentions: Sequence[str]) -> Iterator[PathRetrieved]:
        """Stream the paths; where triples were ranked and are read, all of them, whatever the budget is.

        Args:
            topics: with facts.
            mentions: aligned with them.

        Raises:
            Cancelled: the run was stopped.
        """
        run, request, facts = self.run, self.run.request, self.snapshot.num_triples
        ranked: dict[int, float] | None = None
        if self.form not in {"auto", "paths"}:
            with run.watch.measure_body():
                ranked = self.retriever.score_triples(
                    request.question, topics, mentions=mentions, cancelled=run.cancelled
                )
        retrieved = self.retriever.retrieve(
            request.question,
            topics,
            budget=max(request.budget, len(ranked or ())),
            seed=request.seed,
            mentions=mentions,
            cancelled=run.cancelled,
        )
        for path in run.watch.measure_items(retrieved):
            yield self._build_path_event(path)
            self.found.paths.append(path)
            for arc in path.arcs:
                run.facts.setdefault(arc % facts, path.score)
        run.check()
        if ranked is not None:
            # Those that no path of the retriever's holds.
            for fact in [fact for fact in ranked if fact not in run.facts]:
                yield self._build_path_event(FoundPath(int(self.snapshot.heads[fact]), (fact,), ranked[fact]))
            run.facts = ranked
        self.found.facts = run.facts

    def _build_path_event(self, path: FoundPath) -> PathRetrieved:
        self.run.check()
        self.run.paths += 1
        for arc in path.arcs:
            if arc not in self._hops:  # the paths of a question share most of theirs
                self._hops[arc] = self.snapshot.get_hop(arc)
        hops = tuple(self._hops[arc] for arc in path.arcs)
        return PathRetrieved(self.run.paths, hops, round(path.score, 6), self.run.measure_ms())

    def build_evidence(
        self, linked: Linked, paths: Sequence[RelationPath], *, settings: GatherSettings, coverage: float
    ) -> Evidence:
        """The evidence in the form that is read.

        A language model reads what was retrieved, written out. The extractive reasoner executes the relation paths
        within the retrieved facts, whose order means nothing to it, or takes the retrieved paths alone.

        Args:
            paths: relation paths with their probabilities.
            coverage: see ``gather``.
        """
        question, simple, options = self.run.request.question, self.retriever.simple, self.retriever.options
        form, graph = self.form, self.snapshot
        settings = replace(settings, joins=not isinstance(options, EvidenceOptions) or options.joins)
        if form != "auto" and not self._by_model:
            facts = np.array(sorted(self.found.facts), np.int64)
            graph, paths = (RestrictedSnapshot(graph, facts), paths) if len(facts) else (graph, ())
            if form == "paths":
                return build_evidence(
                    graph, question, linked.entities, linked.unmatched, collect_reaches(self.snapshot, self.found,
                    paths),
                    simple=simple, settings=settings, coverage=coverage,
                )  # fmt: skip
        evidence = collect_evidence(
            graph, question, linked.entities, linked.unmatched, paths,
            simple=simple, settings=settings, cancelled=self.run.cancelled, coverage=coverage,
        )  # fmt: skip
        if form == "auto" or not self._by_model or not isinstance(options, EvidenceOptions):
            return evidence
        if options.evidence == "auto" and evidence.compared is not None:
            return evidence
        return prepare_evidence(evidence, self.found, options, form, seed=self.run.request.seed)
