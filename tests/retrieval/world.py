"""A tiny world with known answers, and parts of an engine whose behaviour a test can dictate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.config import InferenceOptions
from retrieval.errors import Cancelled
from retrieval.kg import search
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.types import FoundPath, LinkedEntity, RelationPath

FACTS = [
    ("Switzerland", "borders", "Austria"),
    ("Switzerland", "borders", "France"),
    ("Switzerland", "borders", "Germany"),
    ("Switzerland", "borders", "Italy"),
    ("Switzerland", "official_language", "Romansh"),
    ("Austria", "official_language", "German"),
    ("France", "official_language", "French"),
    ("Germany", "official_language", "German"),
    ("Italy", "official_language", "Italian"),
    ("Austria", "borders", "Italy"),
    ("France", "borders", "Italy"),
    ("Austria", "population", "9,170,000"),
    ("Germany", "population", "83,500,000"),
    ("Jaws", "directed_by", "Spielberg"),
    ("Munich", "directed_by", "Spielberg"),
    ("Lincoln", "directed_by", "Spielberg"),
    ("Jaws", "in_genre", "Horror"),
    ("Munich", "in_genre", "Drama"),
    ("Lincoln", "in_genre", "History"),
]
"""Facts of the tiny world. ``Spielberg`` heads no fact; his films are reached by an inverse step."""


def build(path: Path, facts: Sequence[tuple[str, str, str]] = FACTS) -> Snapshot:
    """The snapshot of the facts."""
    return build_snapshot(TripleTable.from_facts(facts), path)


def ids(graph: Snapshot, *labels: str) -> list[int]:
    """Entity ids of labels, all of which must exist."""
    found = [graph.find_entity(label) for label in labels]
    assert None not in found, labels
    return [i for i in found if i is not None]


def labels(graph: Snapshot, entities: Sequence[int] | np.ndarray) -> list[str]:
    """Labels of entity ids."""
    return [graph.get_entity_label(int(e)) for e in entities]


def path(graph: Snapshot, text: str) -> tuple[int, ...]:
    """Directed relation ids of ``"directed_by -directed_by in_genre"``; ``-`` marks an inverse step."""
    found = []
    for word in text.split():
        relation = graph.find_relation(word.lstrip("-"))
        assert relation is not None, word
        found.append(relation + graph.num_relations * word.startswith("-"))
    return tuple(found)


class ScriptedRetriever:
    """Retrieves by a script: for each topic label, relation paths with probabilities."""

    method = "rel-rag-path"
    checkpoint: str | None = None
    options = InferenceOptions()
    max_hops = 3

    def __init__(
        self,
        graph: Snapshot,
        script: Mapping[str, Sequence[tuple[str, float]]],
        *,
        simple: bool = True,
        before_each: Callable[[], None] = lambda: None,
    ) -> None:
        self.graph = graph
        self.script = script
        self.simple = simple
        self.before_each = before_each
        self.asked: list[Question] = []

    def retrieve(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        budget: int = 100,
        seed: int = 0,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[FoundPath]:
        self.asked.append(question)
        facts: set[int] = set()
        for found in self.rank_relation_paths(question, topics):
            steps = [(r % self.graph.num_relations, r >= self.graph.num_relations) for r in found.relations]
            for arcs in self._walks(found.topic, steps):
                facts.update(arc % self.graph.num_triples for arc in arcs)
                if len(facts) > budget:
                    return
                self.before_each()
                if cancelled():
                    raise Cancelled("Stopped.")
                yield FoundPath(found.topic, arcs, found.score)

    def rank_relation_paths(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        limit: int = 16,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[RelationPath]:
        return [
            RelationPath(topic, path(self.graph, text), score)
            for topic in topics
            for text, score in self.script.get(self.graph.get_entity_label(topic), ())[:limit]
        ]

    def score_triples(self, question: Question, topics: Sequence[int], **more: object) -> dict[int, float] | None:
        return None

    def apply_options(self, options: InferenceOptions) -> ScriptedRetriever:
        return self

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> ScriptedRetriever:
        return ScriptedRetriever(snapshot, self.script, simple=self.simple, before_each=self.before_each)

    def _walks(self, entity: int, steps: Sequence[tuple[int, bool]]) -> Iterator[tuple[int, ...]]:
        if not steps:
            yield ()
            return
        _, targets, arcs = search.walk_relation(self.graph, np.array([entity]), *steps[0])
        for target, arc in zip(targets.tolist(), arcs.tolist(), strict=True):
            for rest in self._walks(target, steps[1:]):
                yield (arc, *rest)


@dataclass(frozen=True)
class Linked:
    """What a linker gives."""

    entities: tuple[LinkedEntity, ...]
    unmatched: tuple[str, ...]
    missing: tuple[()] = ()


class LabelLinker:
    """Links every label of the graph that stands as words in the question, in the order of the question."""

    def __init__(self, graph: Snapshot, unmatched: tuple[str, ...] = ()) -> None:
        self.graph = graph
        self.unmatched = unmatched

    def link(self, question: Question, given: Sequence[int] = ()) -> Linked:
        if given:
            chosen = [LinkedEntity(self.graph.get_node(e), "", -1, -1, 1.0, "given") for e in given]
            return Linked(tuple(chosen), ())
        found = []
        for entity in range(self.graph.num_entities):
            label = self.graph.get_entity_label(entity)
            match = re.search(rf"\b{re.escape(label)}\b", question.text)
            if match:
                node = self.graph.get_node(entity)
                found.append(LinkedEntity(node, label, match.start(), match.end(), 1.0, "exact"))
        return Linked(tuple(sorted(found, key=lambda linked: linked.start)), self.unmatched)
