"""Relation paths of a question, ranked: the retriever's word, the zero-shot retriever's, and how well they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval import thresholds
from retrieval.methods.common.blending import merge_rankings
from retrieval.methods.zero_shot.self_trained import merge_paths
from retrieval.reasoning.text_fit import TextFit

if TYPE_CHECKING:
    from retrieval.answering.run import PipelineRun
    from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
    from retrieval.retriever import Retriever
    from retrieval.types import RelationPath


@dataclass(frozen=True, slots=True)
class PathRanking:
    """Ranks relation paths by a retriever and its second opinions.

    Attributes:
        text_fit: second opinion on a trained retriever's relation paths; without it the retriever's word
            stands, and nothing is said not to be in the graph.
        by_words: the zero-shot retriever, which ranks beside the trained one, and has more of a say where that doubts
            all that it ranks, or cannot.
        share: of the trained retriever's ranking (``blending.select_share``); None: it ranks alone.
        can_doubt: the trained retriever saw what it should doubt.
    """

    retriever: Retriever
    limit: int
    text_fit: TextFit | None = None
    by_words: Callable[[], ZeroShotRetriever] | None = None
    share: float | None = None
    can_doubt: bool = True

    def rank(self, run: PipelineRun, topics: list[int], mentions: list[str]) -> tuple[list[RelationPath], float]:
        """Relation paths of all topics, and how well the best one fits the question."""
        with run.watch.measure_body():
            paths = self.retriever.rank_relation_paths(
                run.request.question, topics, limit=self.limit, mentions=mentions, cancelled=run.cancelled
            )
        if self.by_words is not None and self.share is not None and self.share < 1:
            paths = merge_rankings(self._rank_by_words(run, topics, mentions), paths, self.share)
        coverage = 1.0
        if self.text_fit is not None and paths:
            paths, fits = self.text_fit.score_paths(run.request.question, paths, topics, mentions)
            coverage = max(fits.values())
        verdicts = [_find_best_path(paths, topic).doubted for topic in {path.topic for path in paths}]
        if verdicts and not self.can_doubt and self.by_words is not None:
            return self._merge_second_opinion(run, topics, mentions, paths)[0], coverage
        if None not in verdicts and verdicts:
            unasked = all(verdicts) and (self.text_fit is None or coverage < thresholds.WORDS_FIT)
            coverage = 0.0 if unasked else 1.0
            if unasked and self.by_words is not None:
                return self._merge_second_opinion(run, topics, mentions, paths)
        return paths, coverage

    def _rank_by_words(self, run: PipelineRun, topics: list[int], mentions: list[str]) -> list[RelationPath]:
        assert self.by_words is not None, "who asks for it has it"
        with run.watch.measure_body():
            return self.by_words().rank_relation_paths(
                run.request.question, topics, limit=self.limit, mentions=mentions,
                cancelled=run.cancelled,
            )  # fmt: skip

    def _merge_second_opinion(
        self, run: PipelineRun, topics: list[int], mentions: list[str], learned: list[RelationPath]
    ) -> tuple[list[RelationPath], float]:
        """What the words of the question say too, where it is worded as no training question was."""
        word_paths = self._rank_by_words(run, topics, mentions)
        known = {path.topic for path in word_paths}
        best = [_find_best_path(word_paths, topic) for topic in known]
        if all(path.doubted or path.score < thresholds.SECOND_OPINION for path in best):
            return learned, 0.0
        sides = ([[path for path in some if path.topic == topic] for some in (word_paths, learned)] for topic in topics)
        return [path for mine, theirs in sides for path in merge_paths(mine, theirs)], 1.0


def _find_best_path(paths: Sequence[RelationPath], topic: int) -> RelationPath:
    return max((path for path in paths if path.topic == topic), key=lambda path: path.score)
