"""How well relation paths fit the question's words, as a second opinion beside a trained retriever.

A retriever's probabilities compare the paths that a topic has; they cannot say that the right one is missing,
and a retriever that saw few questions overlooks what the words plainly say. The text encoder knows neither the
graph nor the training, and so errs elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.question import Question
from retrieval.linking.questions import replace_topic_names
from retrieval.linking.text_features import TextEncoder, get_relation_vectors

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.types import RelationPath


@dataclass(frozen=True, slots=True)
class FitWeights:
    """A logistic model of "this path is what was asked", fitted on the demo graph's train and dev questions.

    Attributes:
        likeness: of the cosine between question and path.
        missing: of how much better the best relation of the graph fits than any of the path's.
        share: of the path's share of the probability.
        bias: constant.
    """

    likeness: float = 7.8
    missing: float = -7.1
    share: float = 3.2
    bias: float = -3.7


class TextFit:
    """Compares questions with relation paths by the text encoder. Threads may share it.

    The text of a path is the mean of its relations' vectors, so a question costs one encoder call and that
    one is the retriever's own, cached.

    Args:
        prior: how much a cosine counts beside a log-probability when paths are ranked again. 2 changes
            nothing for a well-trained checkpoint and helps one that has seen few questions.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        *,
        prior: float = 2.0,
        weights: FitWeights | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._encoder = encoder
        self._prior = prior
        self._weights = weights or FitWeights()
        self._vectors = get_relation_vectors(snapshot, encoder)  # [2 R, d]

    def score_paths(
        self, question: Question, paths: Sequence[RelationPath], topics: Sequence[int], mentions: Sequence[str]
    ) -> tuple[list[RelationPath], dict[int, float]]:
        """Relation paths ranked by probability and words together, and how well each topic's best one fits.

        Args:
            topics: entity ids.
            mentions: the text each topic was linked from; its label where that is empty.

        Returns:
            Paths whose scores are p * exp(prior * cosine), scaled so that each topic keeps its sum; and for
            each topic with paths the probability, in [0, 1], that its best path is what was asked.
        """
        label = self._snapshot.get_entity_label
        names = [mention or label(topic) for topic, mention in zip(topics, mentions, strict=True)]
        texts = [replace_topic_names(question.text, i, names) for i in range(len(topics))]
        ranked: list[RelationPath] = []
        fits: dict[int, float] = {}
        for topic, vector in zip(topics, self._encoder.encode(texts), strict=True):
            mine = [path for path in paths if path.topic == topic]
            if not mine:
                continue
            likeness = np.array([self._compute_cosine(path, vector) for path in mine])
            scores = np.array([path.score for path in mine])
            weighted = scores * np.exp(self._prior * (likeness - likeness.max()))
            weighted *= scores.sum() / weighted.sum()
            best = int(np.argmax(weighted))
            share = float(weighted[best] / weighted.sum())
            fits[topic] = self._fit(mine[best], vector, float(likeness[best]), share)
            ranked += [replace(path, score=float(s)) for path, s in zip(mine, weighted, strict=True)]
        return ranked, fits

    def _compute_cosine(self, path: RelationPath, question: np.ndarray) -> float:
        total = self._vectors[list(path.relations)].sum(axis=0)
        size = float(np.linalg.norm(total))
        return float(total @ question) / size if size else 0.0

    def _fit(self, path: RelationPath, question: np.ndarray, likeness: float, share: float) -> float:
        relations = self._snapshot.num_relations
        cosines = self._vectors @ question
        # Whichever way it is walked, a relation is about the same thing.
        either = np.maximum(cosines[:relations], cosines[relations:])
        missing = float(either.max() - max(either[r % relations] for r in path.relations))
        w = self._weights
        return 1 / (1 + math.exp(-(w.likeness * likeness + w.missing * missing + w.share * share + w.bias)))
