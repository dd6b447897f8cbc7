"""What relation paths say of an expected answer: which the question asks for, and which lead there."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.answering.paths import PathAnswerer
from retrieval.errors import check
from retrieval.evidence.reach import compute_similarity, walk
from retrieval.kg import search
from retrieval.kg.search.walks import find_arcs
from retrieval.language.question import Question
from retrieval.linking.questions import replace_topic_names
from retrieval.linking.relation_index import list_relation_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.diagnosis.case import Case
    from retrieval.evidence.reach import Reach
    from retrieval.types import RelationPath

RANKED = 64
"""Relation paths of each topic that are asked of the retriever."""
SIBLINGS, RELATIONS, NEAREST = 10, 16, 60
"""Entities like the topic that are asked about too; relations by which they are found; entities looked at for each."""
INTENDED = 12
"""Relation paths that the question may ask for."""
KIN = 0.3
"""How alike two sets of one kind are; an entity that lacks a fact is less like the others."""
_LEADING = 300
"""Relation paths to the expected answer that are looked at."""

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leading:
    """A relation path that leads from a topic to the expected answer.

    Attributes:
        topic: where it begins.
        path: directed relations.
        rank: its place among the topic's relation paths, from 1; None where it is not ranked.
        likeness: cosine of its text and the question.
    """

    topic: int
    path: Path
    rank: int | None
    likeness: float


class PathWalks:
    """The relation paths of a question, as its answerer ranks them.

    Args:
        case: answered by an answerer of relation paths.
    """

    def __init__(self, case: Case, answerer: PathAnswerer) -> None:
        self.case, self.answerer = case, answerer
        self.snapshot = case.snapshot
        self.topics = [topic for topic in case.record.topics if self.snapshot.get_degree(topic)]
        mentions = {linked.entity.id: linked.mention for linked in reversed(case.record.linked)}
        self.mentions = [mentions[topic] for topic in self.topics]
        self.ranked = self._rank_paths(self.topics, self.mentions)
        self._texts = list_relation_texts(self.snapshot)
        label = self.snapshot.get_entity_label
        names = [mention or label(topic) for topic, mention in zip(self.topics, self.mentions, strict=True)]
        self._seen = [replace_topic_names(case.record.question, i, names) for i in range(len(names))]

    def _rank_paths(self, topics: Sequence[int], mentions: Sequence[str]) -> list[RelationPath]:
        question, cancelled = Question(self.case.record.question), self.case.tools.cancelled
        paths = self.answerer.retriever.rank_relation_paths(
            question, topics, limit=RANKED, mentions=mentions, cancelled=cancelled
        )
        if self.answerer.text_fit is not None and paths:
            paths, _ = self.answerer.text_fit.score_paths(question, paths, topics, mentions)
        return paths

    def list_paths(self, topic: int) -> list[RelationPath]:
        """The relation paths of a topic, most probable first."""
        return sorted((path for path in self.ranked if path.topic == topic), key=lambda path: -path.score)

    def walk_path(self, topic: int, path: Path) -> Reach:
        """What a relation path leads to."""
        return walk(self.snapshot, topic, path, 1.0, simple=self.answerer.retriever.simple)

    def compute_likeness(self, topic: int, paths: Sequence[Path]) -> np.ndarray:
        """How much the texts of relation paths are like the question, cosines float32 [n]."""
        if not paths:
            return np.zeros(0, np.float32)
        texts = [", ".join(self._texts[relation] for relation in path) for path in paths]
        seen = self._seen[self.topics.index(topic)]
        vectors = self.case.tools.encode([seen, *texts])
        cosines: np.ndarray = vectors[1:] @ vectors[0]
        return cosines

    def find_leading(self, topic: int, max_hops: int) -> list[Leading]:
        """Relation paths that lead to the expected answer, those most like the question first."""
        connections = search.find_relation_paths(
            self.snapshot,
            [topic],
            [self.case.node],
            max_hops,
            cap=_LEADING,
            simple=self.answerer.retriever.simple,
        )
        forward = self.snapshot.num_relations
        paths = [tuple(r + forward * inverse for r, inverse in hit.path) for hit in connections.hits]
        ranks = {path.relations: rank for rank, path in enumerate(self.list_paths(topic), start=1)}
        rows = [
            Leading(topic, path, ranks.get(path), float(cosine))
            for path, cosine in zip(paths, self.compute_likeness(topic, paths), strict=True)
        ]
        return sorted(rows, key=lambda row: (-row.likeness, len(row.path), row.path))

    def rank_intended(self, topic: int) -> list[tuple[Path, float]]:
        """What the question would be read as of a topic that lacks nothing: relation paths, most probable first.

        The weight of a path is its probability over the topic and entities like it, of those that have the path: the
        lower quartile, for where something better is there too it is not what is asked. Few of them count less.
        """
        mention = self.mentions[self.topics.index(topic)]
        scores: dict[Path, list[float]] = defaultdict(list)
        for entity in (topic, *self._find_siblings(topic)):
            check(self.case.tools.cancelled)
            for path in self.list_paths(topic) if entity == topic else self._rank_paths([entity], [mention]):
                scores[path.relations].append(path.score)
        weights = {
            path: float(np.quantile(values, 0.25)) * len(values) / (len(values) + 1) for path, values in scores.items()
        }
        return sorted(weights.items(), key=lambda item: (-item[1], len(item[0]), item[0]))[:INTENDED]

    def _find_siblings(self, topic: int) -> list[int]:
        """Entities that share most relations with a topic; of equal ones those that have more relations besides."""
        snapshot = self.snapshot
        _, relations, _, _ = find_arcs(snapshot, np.array([topic]))
        shared: Counter[int] = Counter()
        for directed in np.unique(relations)[:RELATIONS].tolist():
            inverse, forward = divmod(directed, snapshot.num_relations)
            facts = np.flatnonzero(snapshot.relations == forward)
            ends = (snapshot.tails if inverse else snapshot.heads)[facts]
            shared.update(np.unique(ends).tolist())
        del shared[topic]
        first = sorted(shared, key=lambda entity: (-shared[entity], -snapshot.get_degree(entity), entity))[:NEAREST]
        owners, relations, _, _ = find_arcs(snapshot, np.array(first, np.int64))
        many = {entity: len(np.unique(relations[owners == i])) for i, entity in enumerate(first)}
        return sorted(first, key=lambda entity: (-shared[entity], -many[entity], entity))[:SIBLINGS]

    def is_kin(self, nodes: np.ndarray) -> bool:
        """Whether the expected answer is of the kind of some nodes."""
        return len(nodes) > 0 and compute_similarity(self.snapshot, np.array([self.case.node], np.int64), nodes) >= KIN
