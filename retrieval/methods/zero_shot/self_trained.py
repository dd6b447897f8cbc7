"""The retriever of a graph that taught itself: what its words say, and what a planner learned of written questions.

A planner that learned nothing but questions which Clew wrote follows longer relation paths than the zero-shot retriever
finds, and is sure of itself where people ask in words that nobody wrote. So both rank relation paths, and the planner's
word counts as much as the other leaves open; whether any is what was asked, the zero-shot retriever says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Self

from retrieval.config import UntrainedOptions
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.types import RelationPath


class SelfTaughtRetriever(RankingRetriever):
    """Ranks relation paths by two retrievers.

    Args:
        taught: of the checkpoint that the graph taught itself.

    Attributes:
        odds: see ``reasoning.base.Evidence``.
    """

    trained = False

    def __init__(self, untrained: ZeroShotRetriever, taught: RankingRetriever) -> None:
        super().__init__(
            untrained.snapshot, untrained.encoder, method=taught.method, checkpoint=taught.checkpoint,
            simple=untrained.simple, least_support=untrained.least_support,
        )  # fmt: skip
        self.untrained, self.taught = untrained, taught
        self.odds = untrained.odds
        self.options = UntrainedOptions()
        self.max_hops = max(untrained.max_hops, taught.max_hops)

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``."""
        other = super().apply_restriction(snapshot)
        other.untrained = self.untrained.apply_restriction(snapshot)
        other.taught = self.taught.apply_restriction(snapshot)
        return other

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``."""
        both = (retriever.rank(topics, texts, cancelled) for retriever in (self.untrained, self.taught))
        return [merge_paths(by_words, learned) for by_words, learned in zip(*both, strict=True)]


def merge_paths(by_words: Sequence[RelationPath], learned: Iterable[RelationPath]) -> list[RelationPath]:
    """Relation paths of one topic with the probabilities of both, most probable first."""
    sure, support = (by_words[0].score, by_words[0].support) if by_words else (0.0, 0.0)
    merged = {path.relations: replace(path, score=sure * path.score) for path in by_words}
    for path in learned:
        known = merged.get(path.relations) or replace(path, score=0.0, support=support)
        merged[path.relations] = replace(known, score=known.score + (1 - sure) * path.score)
    return sorted(merged.values(), key=lambda path: (-path.score, path.relations))
