"""What facts are read in: the passage a fact came from, else its own words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from retrieval.linking.stems import compute_word_shares, extract_stems, find_stem_passages, list_forms
from retrieval.linking.text_features import TextEncoder, get_relation_vectors

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.entity_index import EntityIndex
    from retrieval.linking.passage_index import PassageIndex


FACTS_KEPT = 20_000
"""Facts of a graph up to which their vectors are kept: 31 MB of 384 numbers each."""


class Contexts:
    """The passages of one graph as vectors and words, and vectors of its facts; all of it from the graph's index.

    Args:
        snapshot: the whole graph; restricted ones share its passages, entities and relations.
        index: names of the graph with their vectors.
        passages: of the graph, where it has some.
    """

    def __init__(
        self, snapshot: Snapshot, encoder: TextEncoder, index: EntityIndex, passages: PassageIndex | None
    ) -> None:
        self._index = index
        self._whole = snapshot
        self._kept: np.ndarray | None = None
        self._labels = snapshot.labels
        self._names = snapshot.num_entities
        self._passages = passages
        self._dim = encoder.dim
        self._count = 0 if snapshot.passages is None else len(snapshot.passages)
        self._relation_labels = [snapshot.get_relation_label(r) for r in range(snapshot.num_relations)]
        self._relations = get_relation_vectors(snapshot, encoder)[: snapshot.num_relations]

    def compute_cosines(self, vector: np.ndarray) -> np.ndarray:
        """Of a unit vector and each passage, float32 [P]."""
        return np.zeros(0, np.float32) if self._passages is None else self._passages.compute_cosines(vector)

    def get_vectors(self, passages: np.ndarray) -> np.ndarray:
        """Of some passages, float32 [n, d] of unit length."""
        if self._passages is None:
            return np.zeros((len(passages), self._dim), np.float32)
        return self._passages.get_vectors(passages)

    def _find_passages(self, stem: str) -> np.ndarray:
        """The passages that hold a word, whatever its ending, int32."""
        if self._passages is None:
            return np.zeros(0, np.int32)
        return find_stem_passages(self._passages, stem)

    @cached_property
    def _relation_words(self) -> dict[str, list[int]]:
        """The relations whose label holds each word."""
        by_word: dict[str, list[int]] = {}
        for relation, label in enumerate(self._relation_labels):
            for word in extract_stems(label):
                by_word.setdefault(word, []).append(relation)
        return by_word

    @lru_cache(maxsize=256)  # noqa: B019 - one of these lives as long as its graph is open
    def _find_entities(self, stem: str) -> np.ndarray:
        """The entities with a word in their names, whatever its ending, int32."""
        return np.unique(np.concatenate([self._labels.find_entities(form) for form in list_forms(stem)]))

    def compute_fact_words(self, snapshot: Snapshot, facts: np.ndarray, weights: dict[str, float]) -> np.ndarray:
        """Which words each fact's own names hold, by weight: float32 [n, words]."""
        table = np.zeros((len(facts), len(weights)), np.float32)
        heads, tails = snapshot.heads[facts], snapshot.tails[facts]
        relations = snapshot.relations[facts]
        for column, (word, weight) in enumerate(weights.items()):
            names, relation_ids = self._find_entities(word), self._relation_words.get(word, [])
            holds = np.isin(heads, names) | np.isin(tails, names) | np.isin(relations, relation_ids)
            table[holds, column] = weight
        return table

    def compute_word_weights(self, stems: Iterable[str]) -> dict[str, float]:
        """How much each word tells by the passages that hold it; where there are none, entities count."""
        if self._count:
            return compute_word_shares(stems, self._count, self._find_passages)
        return compute_word_shares(stems, self._names, self._find_entities)

    def compute_passage_words(self, weights: dict[str, float]) -> np.ndarray:
        """Which words each passage holds, by weight: float32 [P, words]."""
        table = np.zeros((self._count, len(weights)), np.float32)
        for column, (word, weight) in enumerate(weights.items()):
            table[self._find_passages(word), column] = weight
        return table

    def find_fact_passages(self, snapshot: Snapshot, facts: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """The passage that each fact is read in: of several sources the worthiest; -1 where none is known.

        Args:
            snapshot: the graph that the ids mean.
            facts: int64 [n].
            worth: float [P].
        """
        table = snapshot.passages
        if table is None:
            return np.full(len(facts), -1, np.int64)
        starts, stops = table.fact_offsets[facts], table.fact_offsets[facts + 1]
        passages = np.full(len(facts), -1, np.int64)
        some = stops > starts
        passages[some] = table.fact_passages[starts[some]]
        for i in np.flatnonzero(stops - starts > 1).tolist():
            sources = table.fact_passages[starts[i] : stops[i]]
            passages[i] = sources[int(np.argmax(worth[sources]))]
        return passages

    def get_fact_vectors(self, snapshot: Snapshot, facts: np.ndarray) -> np.ndarray:
        """Facts by the sum of head, relation and tail, float32 [n, d] of unit length (or zero).

        Those of a small graph are kept: every question is compared with all of them.
        """
        if snapshot is not self._whole or snapshot.num_triples > FACTS_KEPT or not self._index.has_vectors:
            return self._compute_fact_vectors(snapshot, facts)
        if self._kept is None:
            self._kept = self._compute_fact_vectors(snapshot, np.arange(snapshot.num_triples))
        taken: np.ndarray = self._kept[facts]
        return taken

    def _compute_fact_vectors(self, snapshot: Snapshot, facts: np.ndarray) -> np.ndarray:
        vectors = self._index.get_vectors(snapshot.heads[facts]) + self._index.get_vectors(snapshot.tails[facts])
        vectors += self._relations[snapshot.relations[facts]]
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: np.ndarray = np.divide(vectors, sizes, out=np.zeros_like(vectors), where=sizes > 0)
        return unit
