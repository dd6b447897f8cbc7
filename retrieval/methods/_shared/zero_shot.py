"""The retriever of a graph that has no checkpoint: relation paths that sound like the question.

Relation paths of one or two hops from the topics are scored by the cosine of the question's and the path's
texts. No training, no state; on a question set of WebQSP's kind it answers about half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retrieval.config import EvidenceOptions
from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.methods import registry
from retrieval.methods._shared.arc_groups import arcs_at, groups, spread
from retrieval.methods._shared.ranking import RankingRetriever
from retrieval.text.features import TextEncoder, relation_vectors
from retrieval.text.relation_index import relation_texts
from retrieval.types import RelationPath

#: One-hop relations that are walked on: the best by their own cosine.
_BEAM = 12
#: Two-hop relation paths whose joint text is encoded: one small batch.
_PAIRS = 40
#: Entities of a relation path whose relations are looked at for the second hop.
_ENTITIES = 16
#: Relation paths ranked per topic.
_KEPT = 32
#: A second hop must say clearly more than the first to be worth it.
_HOP_COST = 0.03
#: Cosines become probabilities by a softmax of this temperature.
_TEMPERATURE = 0.04


class ZeroShotRetriever(RankingRetriever):
    """Ranks relation paths by text similarity alone.

    Args:
        snapshot: the graph.
        encoder: the frozen text encoder.
        method: the method that it stands in for.
        checkpoint: fingerprint of the one that it stands in for, where there is one that says nothing of this graph.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        method: str = registry.DEFAULT,
        *,
        checkpoint: str | None = None,
    ) -> None:
        super().__init__(snapshot, encoder, method=method, checkpoint=checkpoint, simple=True)
        self.options = EvidenceOptions()
        self.max_hops = 2
        self._texts = relation_texts(snapshot)
        self._vectors = relation_vectors(snapshot, encoder)

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[RelationPath]:
        """See ``RankingRetriever``."""
        found: list[RelationPath] = []
        for topic, question in zip(topics, self.encoder.encode(list(texts)), strict=True):
            check(cancelled)
            found += self._from_topic(topic, question)
        return found

    def _from_topic(self, topic: int, question: np.ndarray) -> list[RelationPath]:
        single = self._vectors @ question
        paths: dict[tuple[int, ...], float] = {}
        starts = self._relations_of(np.array([topic]))
        for relation in starts:
            paths[(relation,)] = float(single[relation])
        pairs: list[tuple[int, int]] = []
        for relation in sorted(starts, key=lambda r: (-single[r], r))[:_BEAM]:
            pairs += [
                (relation, second) for second in self._relations_of(self._reached(topic, relation), topic)
            ]
        # The sum of both cosines is a cheap guess at the cosine of the joint text.
        pairs = sorted(pairs, key=lambda pair: (-single[pair[0]] - single[pair[1]], pair))[:_PAIRS]
        if pairs:
            vectors = self.encoder.encode([f"{self._texts[a]}, {self._texts[b]}" for a, b in pairs])
            for pair, cosine in zip(pairs, vectors @ question, strict=True):
                paths[pair] = float(cosine) - _HOP_COST
        best = sorted(paths.items(), key=lambda item: (-item[1], len(item[0]), item[0]))[:_KEPT]
        scores = np.exp((np.array([score for _, score in best]) - best[0][1]) / _TEMPERATURE)
        scores /= scores.sum()
        return [RelationPath(topic, path, float(s)) for (path, _), s in zip(best, scores, strict=True)]

    def _reached(self, topic: int, relation: int) -> np.ndarray:
        _, relations, starts, sizes = groups(self.snapshot, np.array([topic]))
        mine = relations == relation
        group, positions, _ = spread(starts[mine], sizes[mine], _ENTITIES)
        _, targets = arcs_at(self.snapshot, positions, relations[mine][group])
        return np.unique(targets)

    def _relations_of(self, entities: np.ndarray, avoid: int | None = None) -> list[int]:
        """Directed relations that lead on from the entities, and not only back to ``avoid``."""
        _, relations, starts, sizes = groups(self.snapshot, entities)
        if avoid is not None:
            _, targets = arcs_at(self.snapshot, starts, relations)
            relations = relations[(sizes > 1) | (targets != avoid)]
        distinct: list[int] = np.unique(relations).tolist()
        return distinct
