"""The retriever of a graph that has no checkpoint: relation paths that the words of the question speak for.

Relation paths of up to three steps are ranked by weights that come with Clew (:mod:`.path_reader`), learned on other
graphs. Nothing is trained on the graph itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self

import numpy as np

from retrieval import effort
from retrieval.config import InferenceOptions, UntrainedOptions
from retrieval.errors import check
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.relation_names import KIND_LABEL, TYPE
from retrieval.language.amounts import ValueKind
from retrieval.language.question import Question
from retrieval.lexicon.nouns import to_singular
from retrieval.linking.features import make_relation_vectors
from retrieval.linking.text_features import TextEncoder
from retrieval.methods import registry
from retrieval.methods.common.ranking import RankingRetriever, should_decompose
from retrieval.methods.zero_shot.candidates import find_candidates, has_simple_walks
from retrieval.methods.zero_shot.features import (
    Comparer,
    QuestionFeatures,
    compute_features,
    encode_questions,
)
from retrieval.methods.zero_shot.model import PathScorer
from retrieval.methods.zero_shot.splitting import encode_texts, split_question
from retrieval.methods.zero_shot.wordings import Wordings
from retrieval.pretrained import LACKING, PATHS
from retrieval.programs.grounding.schema import Schema
from retrieval.types import RelationPath

#: Relation paths ranked per topic.
_KEPT = 32
#: Topics that a question is seen from together.
_TOGETHER = 8
LEAST_SUPPORT, LEAST_WITH_MEDIATORS = 0.4, 0.03
"""Below the first nothing of the graph is what was asked; below the second where it has nodes without a name: so many
relations are told apart so badly there that much of what would be refused has an answer."""
#: Less probable ones are not ranked.
_LEAST = 1e-5
FURTHER = 1.5
"""Where nodes have no names, each further step makes a relation path less likely by so much, in logarithms: there
people ask for one fact or record far more often than the questions that weights were fitted on do."""
ODDS_WITH_MEDIATORS = (0.466, 0.309)
"""What the log-odds of relation paths say of answers where nodes have no names: there sure ones are less sure, and
several relations lead to the same. A logistic fitted on half of WebQSP's questions."""
_DATED = 0.1
"""Where relation paths to dates are at least so likely, "when" asks for one of them."""
ANOTHER_SORT = 2.0
"""A relation path that leads to people, places or times, where "who", "where" or "when" asks for another of them, is
less likely by so much, in logarithms."""


class ZeroShotRetriever(RankingRetriever):
    """Ranks relation paths by what their relations are called.

    Args:
        method: the method that it stands in for.
        checkpoint: fingerprint of the one that it stands in for, where there is one that says nothing of this graph.
        weights: file of the weights that rank.
        doubts: file of the weights that say whether any relation path is what was asked.

    Attributes:
        odds: see ``reasoning.base.Evidence``.
    """

    trained = False

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        method: str = registry.DEFAULT,
        *,
        checkpoint: str | None = None,
        weights: Path = PATHS,
        doubts: Path = LACKING,
    ) -> None:
        super().__init__(
            snapshot, encoder, method=method, checkpoint=checkpoint, simple=has_simple_walks(snapshot),
            least_support=LEAST_WITH_MEDIATORS if (mediators := _has_mediators(snapshot)) else LEAST_SUPPORT,
        )  # fmt: skip
        self._further = FURTHER if mediators else 0.0
        self.odds = ODDS_WITH_MEDIATORS if mediators else (1.0, 0.0)
        self.options = UntrainedOptions()
        self.max_hops = 3
        self._whole = snapshot
        self._vectors = make_relation_vectors(snapshot, encoder)
        self._scorer, self._doubter = _load_scorer(weights), _load_scorer(doubts)

    def copy_for_method(self, method: str, checkpoint: str | None = None) -> ZeroShotRetriever:
        """The same for another method. Each question is ranked once for all of them, since none ranks otherwise."""
        other = copy(self)
        other.method, other.checkpoint = method, checkpoint
        return other

    def apply_options(self, options: InferenceOptions) -> Self:
        """See ``base.Retriever``; what is ranked is shared where the options do not change it."""
        other = copy(self) if should_decompose(options) == should_decompose(self.options) else self._copy()
        other.options = options
        return other

    @cached_property
    def _schema(self) -> Schema:
        return Schema(self._whole)

    @cached_property
    def _is_told_from_types(self) -> bool:
        """Whether the word "type" names a property in this graph, and not the relation that gives kinds."""
        relation = self._whole.kind_relation
        return relation is not None and self._whole.get_relation_label(relation) == KIND_LABEL

    @cached_property
    def _wordings(self) -> Wordings:
        return Wordings.from_schema(self._schema, self.encoder)

    @cached_property
    def _numbers(self) -> np.ndarray:
        """Which relations lead to numbers, or to yes and no; bool [relations]."""
        turned = [*self._schema.numbers, *self._schema.truths]
        return np.isin(np.arange(self._whole.num_relations), turned)

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``."""
        ranked: list[list[RelationPath]] = []
        for start in range(0, len(topics), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            for topic, question in zip(topics[part], encode_questions(texts[part], self.encoder), strict=True):
                check(cancelled)
                if ranked and effort.is_spent():
                    return [*ranked, *([] for _ in topics[len(ranked) :])]
                ranked.append(self._from_topic(topic, question))
        return ranked

    def encode_ahead(self, question: Question, topics: Sequence[int], mentions: Sequence[str]) -> None:
        """Encode at once what a question that is read and ranked afterwards needs; the encoder keeps it."""
        _, seen = self._list_live_topics(question, topics, mentions)
        encode_texts(self.encoder, [question.text, *(part for text in seen for part in split_question(text).encoded)])

    def _from_topic(self, topic: int, question: QuestionFeatures) -> list[RelationPath]:
        comparer = Comparer(question, self._wordings)
        some = find_candidates(
            self.snapshot, topic, comparer.compute_explanations, self.max_hops,
            simple=self.simple, returning=not question.shares,
            numbers=None if question.shares else self._numbers,
        )  # fmt: skip
        if not some:
            return []
        known = compute_features(question, comparer, some, self._vectors, self._whole.num_relations)
        likely, _ = self._scorer.compute_probabilities(*known)
        likely = _apply_step_prior(likely, [len(candidate.relations) for candidate in some], self._further)
        apart = [question.needs_other_sorts(comparer.get_sorts(candidate.relations[-1])) for candidate in some]
        if question.words[0] == "when":
            dated = np.array([self._has_time_values(candidate.relations[-1]) for candidate in some])
            if likely[dated].sum() >= _DATED:
                apart = (apart | ~dated).tolist()
        if self._is_told_from_types and TYPE in map(to_singular, question.words):
            kind = self._whole.kind_relation
            apart = [other or candidate.relations[-1] == kind for other, candidate in zip(apart, some, strict=True)]
        likely = _apply_sort_prior(likely, apart)
        _, none = self._doubter.compute_probabilities(*known)
        best = sorted(zip(some, likely.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0].relations))
        return [
            RelationPath(topic, candidate.relations, score, support=1 - none, returns=candidate.returns)
            for candidate, score in best[:_KEPT]
            if score >= _LEAST
        ]

    def _has_time_values(self, relation: int) -> bool:
        kind = self._schema.columns.get_value_type(relation)
        return kind is not None and (kind.year or kind.kind in (ValueKind.DATE, ValueKind.TIME))


def _has_mediators(snapshot: Snapshot) -> bool:
    return bool((np.asarray(snapshot.kinds) == KINDS.index("cvt")).any())


def _apply_step_prior(likely: np.ndarray, steps: Sequence[int], further: float) -> np.ndarray:
    """Probabilities of relation paths [c] with a prior of each further step; their sum stays."""
    weighed = likely * np.exp(-further * (np.array(steps) - 1))
    nearer: np.ndarray = weighed * (likely.sum() / max(float(weighed.sum()), 1e-12))
    return nearer


def _apply_sort_prior(likely: np.ndarray, apart: Sequence[bool]) -> np.ndarray:
    """Probabilities of relation paths [c], less where they lead to another sort of thing; their sum stays."""
    weighed = likely * np.exp(-ANOTHER_SORT * np.array(apart))
    fitting: np.ndarray = weighed * (likely.sum() / max(float(weighed.sum()), 1e-12))
    return fitting


@lru_cache(maxsize=4)
def _load_scorer(weights: Path) -> PathScorer:
    return PathScorer.load(weights)
