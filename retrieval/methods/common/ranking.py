"""What the trained and the zero-shot retriever share: rank relation paths once, then walk them."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import Self

import numpy as np

from retrieval.config import DoubtingOptions, InferenceOptions, UntrainedOptions
from retrieval.errors import check
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.limits import DEFAULT_BUDGET
from retrieval.linking.questions import replace_topic_names
from retrieval.linking.text_features import TextEncoder
from retrieval.methods import registry
from retrieval.methods.common.decomposition import PathComposer
from retrieval.methods.common.instances import find_reasoning_paths
from retrieval.types import FoundPath, RelationPath

_KEPT = 64
#: Seconds after which who waits for another's ranking looks whether it is to stop.
_LOOK_S = 0.05
#: Topics whose relation paths are ranked at once when questions are read ahead.
_TOGETHER = 16

_Key = tuple[Question, tuple[int, ...], tuple[str, ...]]
"""A question, its topics and what it calls them."""


class RankingRetriever(ABC):
    """A retriever that ranks relation paths and streams the paths along them.

    The pipeline asks for paths and then for relation paths of the same question: the ranking is kept.
    Threads may share it: what one ranks another waits for.

    Args:
        method: see ``base.Retriever``.
        checkpoint: see ``base.Retriever``.
        simple: see ``base.Retriever``.
        least_support: a relation path supported less is doubted; None where that is not known.
        learned_support: the same as its checkpoint has it from the graph that it was trained on; None where it never
            saw what it should doubt.

    Attributes:
        max_hops: see ``base.Retriever``.
        trained: on questions about this graph.
    """

    max_hops: int = 3
    trained: bool = True
    #: The names of topics are masked before a question is read, as in training.
    mask_names: bool = True

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        *,
        method: str,
        checkpoint: str | None,
        simple: bool,
        least_support: float | None = None,
        learned_support: float | None = None,
    ) -> None:
        self.method = method
        self.checkpoint = checkpoint
        self.simple = simple
        self.least_support = least_support
        self.learned_support = learned_support
        self.snapshot = snapshot
        self.encoder = encoder
        self.options = registry.parse_options(method)
        self.reword: Callable[[str], str] = str
        self._has_mediators = bool((np.asarray(snapshot.kinds) == KINDS.index("cvt")).any())
        self._kept: OrderedDict[_Key, list[RelationPath]] = OrderedDict()
        self._turns: dict[_Key, threading.Lock] = {}
        self._lock = threading.Lock()

    @abstractmethod
    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """Relation paths of each topic, most probable first; no topic's depend on the others.

        Args:
            topics: entities with at least one triple; the same one may come again, with another question.
            texts: the question as seen from each of them.
        """

    def read_ahead(self, questions: Sequence[tuple[Question, Sequence[int], Sequence[str]]]) -> None:
        """Rank the relation paths of questions together that are asked one by one afterwards.

        Args:
            questions: at most 64 of question, topics and mentions, as ``rank_relation_paths`` takes them.
        """
        read = [self._list_live_topics(*question) for question in questions]
        rows = [(topic, text) for live, seen in read for topic, text in zip(live, seen, strict=True)]
        ranked: dict[tuple[int, str], list[RelationPath]] = {}
        # Texts of one length together, so that little is padded; the same question of a topic is ranked once.
        waiting = sorted(set(rows), key=lambda row: (len(row[1]), row))
        for start in range(0, len(waiting), _TOGETHER):
            part = waiting[start : start + _TOGETHER]
            paths = self.rank([topic for topic, _ in part], [text for _, text in part], lambda: False)
            ranked.update(zip(part, paths, strict=True))
        for question, (live, seen) in zip(questions, read, strict=True):
            mine = [ranked[row] for row in zip(live, seen, strict=True)]
            self._keep(_make_key(*question), self._merge_part_paths(_make_key(*question), live, mine, lambda: False))

    def retrieve(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        budget: int = DEFAULT_BUDGET,
        seed: int = 0,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[FoundPath]:
        """See ``base.Retriever``."""
        ranked = self._ranked(question, topics, mentions, cancelled)
        yield from find_reasoning_paths(
            self.snapshot, ranked, simple=self.simple, budget=budget, seed=seed, cancelled=cancelled
        )

    def rank_relation_paths(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        limit: int = 16,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[RelationPath]:
        """See ``base.Retriever``."""
        ranked = self._ranked(question, topics, mentions, cancelled)
        by_topic = groupby(ranked, key=lambda path: path.topic)
        return [path for _, paths in by_topic for path in list(paths)[:limit]]

    def score_triples(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[int, float] | None:
        """See ``base.Retriever``; a triple-level method extends this."""
        del question, topics, mentions, cancelled
        return None

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``. A method that computes something from the graph extends this."""
        other = self._copy()
        other.snapshot = snapshot
        return other

    def apply_options(self, options: InferenceOptions) -> Self:
        """See ``base.Retriever``; ``rank`` and ``retrieve`` read ``self.options``."""
        other = self._copy()
        other.options = options
        return other

    def _copy(self) -> Self:
        other = copy(self)
        other._kept, other._turns, other._lock = OrderedDict(), {}, threading.Lock()
        return other

    def _ranked(
        self,
        question: Question,
        topics: Sequence[int],
        mentions: Sequence[str],
        cancelled: Callable[[], bool],
    ) -> list[RelationPath]:
        key = _make_key(question, topics, mentions)
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        check(cancelled)
        while not turn.acquire(timeout=_LOOK_S):
            check(cancelled)
        try:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            live, texts = self._list_live_topics(question, topics, mentions)
            ranked = self.rank(live, texts, cancelled) if live else []
            return self._keep(key, self._merge_part_paths(key, live, ranked, cancelled))
        finally:
            with self._lock:
                self._turns.pop(key, None)
            turn.release()

    def _keep(self, key: _Key, paths_by_topic: Sequence[Sequence[RelationPath]]) -> list[RelationPath]:
        ranked = [self._mark_doubted(path) for paths in paths_by_topic for path in paths]
        with self._lock:
            self._kept[key] = ranked
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return ranked

    def _mark_doubted(self, path: RelationPath) -> RelationPath:
        if path.support is None or self.least_support is None:
            return path
        return replace(path, doubted=path.support < self.least_support)

    def _is_supported(self, path: RelationPath) -> bool:
        """Whether a trained retriever does not doubt a relation path, on another version of its graph too."""
        if not self.trained or path.support is None or self.learned_support is None:
            return False
        return path.support >= self.learned_support

    def _list_live_topics(
        self, question: Question, topics: Sequence[int], mentions: Sequence[str]
    ) -> tuple[list[int], list[str]]:
        """The topics that have a triple, and the question as seen from each of them."""
        names = self._list_names(topics, mentions)
        live = [i for i, topic in enumerate(topics) if self.snapshot.get_degree(topic)]
        text = self.reword(question.text)
        texts = [replace_topic_names(text, i, names) if self.mask_names else text for i in live]
        return [topics[i] for i in live], texts

    def _list_names(self, topics: Sequence[int], mentions: Sequence[str]) -> list[str]:
        """What the question calls each topic."""
        return [
            mentions[i] if i < len(mentions) and mentions[i] else self.snapshot.get_entity_label(topic)
            for i, topic in enumerate(topics)
        ]

    def _merge_part_paths(
        self,
        key: _Key,
        live: Sequence[int],
        paths_by_topic: list[list[RelationPath]],
        cancelled: Callable[[], bool],
    ) -> list[list[RelationPath]]:
        """Relation paths of each topic that has a triple, with those of the question's parts."""
        question, topics, mentions = key
        if question.asks_for_others:
            paths_by_topic = [[path for path in paths if not path.returns] for paths in paths_by_topic]
        if not should_decompose(self.options):
            return paths_by_topic
        names = dict(zip(topics, self._list_names(topics, mentions), strict=True))
        composer = PathComposer(
            self.snapshot, lambda ends, texts: self.rank(ends, texts, cancelled), self.simple, cancelled,
            always=self._has_mediators,
        )  # fmt: skip
        sure = [bool(topic_paths) and self._is_supported(topic_paths[0]) for topic_paths in paths_by_topic]
        return composer.merge_part_paths(question, live, [names[topic] for topic in live], paths_by_topic, sure)


def should_decompose(options: InferenceOptions) -> bool:
    """Whether a method of these settings asks a question within a question in two steps."""
    return isinstance(options, DoubtingOptions | UntrainedOptions) and options.decompose


def _make_key(question: Question, topics: Sequence[int], mentions: Sequence[str]) -> _Key:
    return question, tuple(topics), tuple(mentions)
