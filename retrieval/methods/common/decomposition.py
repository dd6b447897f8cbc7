"""Relation paths of a question within a question: those of the description, and on from what it means.

"Where was the composer of Thought of You raised?" is two questions, each of fewer steps than the whole: what they are
answered by, one after the other, is a relation path of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval import effort
from retrieval.errors import check
from retrieval.evidence.reach import walk
from retrieval.language.nested_questions import Nested, find_nested
from retrieval.language.question import Question
from retrieval.language.tokens import tokenize_text
from retrieval.linking.mentions import to_context_stem
from retrieval.linking.questions import replace_topic_names
from retrieval.types import RelationPath

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

Rank = Callable[[Sequence[int], Sequence[str]], list[list[RelationPath]]]
"""Relation paths of each topic, most probable first, by the question as seen from it."""

INNER, MEANT, LEAST = 16, 2, 0.05
"""Relation paths of a description, what they lead to that is asked about, and how probable that is at least."""
ONWARD = 8
"""Relation paths that go on from each."""
MANY = 50
"""A description of more things than these is of none in particular."""
DEPTH = 2
"""Descriptions within each other."""
SHARE = 0.8
"""How much the parts say beside the whole question. Of 132 composed questions of ComplexWebQuestions (a development
part) a planner that learned from WebQSP finds an answer of 0.455 so, and of 0.136 by whole questions alone."""
TOO_SHORT = 0.1
"""What a relation path of the description counts as one of the whole: what is described is not what is asked for."""


@dataclass(frozen=True, slots=True)
class _SubQuestion:
    """A question, what it calls its topics, and which of them relation paths start at."""

    question: str
    names: Sequence[str]
    at: int


@dataclass(frozen=True, slots=True)
class PathComposer:
    """Ranks what the parts of a question say beside the whole.

    Attributes:
        rank: relation paths by a question as seen from a topic.
        simple: walks never come back to their topic.
        always: even where the likeliest relation path of the whole question may be more than the description's.
    """

    snapshot: Snapshot
    rank: Rank
    simple: bool
    cancelled: Callable[[], bool]
    always: bool

    def merge_part_paths(
        self,
        question: Question,
        topics: Sequence[int],
        names: Sequence[str],
        ranked: Sequence[Sequence[RelationPath]],
        sure: Sequence[bool],
    ) -> list[list[RelationPath]]:
        """Relation paths of each topic, those of the parts of the question among them, most probable first.

        Args:
            topics: entities with at least one triple.
            names: what the question calls each.
            ranked: relation paths by the whole question.
            sure: which of these stand as they are.
        """
        return [
            list(paths) if stands else self._from(_SubQuestion(question.text, names, position), topic, paths, DEPTH)
            for position, (topic, paths, stands) in enumerate(zip(topics, ranked, sure, strict=True))
        ]

    def _from(
        self, question: _SubQuestion, topic: int, full_paths: Sequence[RelationPath], depth: int
    ) -> list[RelationPath]:
        position, names = question.at, question.names
        parts = find_nested(question.question, names[position]) if depth and not effort.is_spent() else None
        if parts is None:
            return list(full_paths)
        inner = self.rank([topic], [replace_topic_names(parts.inner, position, names)])[0]
        described = {path.relations for path in inner if path.score >= LEAST}
        if full_paths and not self.always and not self._is_too_short(full_paths[0], described, parts):
            return list(full_paths)
        onward = self._expand_paths(inner, parts, names, position, depth)
        if not onward:
            return list(full_paths)
        mixed = {
            path.relations: replace(
                path, score=(1 - SHARE) * path.score * (TOO_SHORT if path.relations in described else 1.0)
            )
            for path in full_paths
        }
        for path in onward:
            known = mixed.get(path.relations) or replace(path, score=0.0)
            mixed[path.relations] = replace(known, score=known.score + SHARE * path.score)
        return sorted(mixed.values(), key=lambda path: (-path.score, path.relations))

    def _is_too_short(self, best: RelationPath, described: Collection[tuple[int, ...]], parts: Nested) -> bool:
        """Whether a relation path says what the description means, and nothing of what is asked about it."""
        if best.relations not in described:
            return False
        relations = self.snapshot.num_relations
        names = (self.snapshot.get_relation_label(directed % relations) for directed in best.relations)
        label_stems = {to_context_stem(word) for name in names for word in tokenize_text(name)}
        return label_stems.isdisjoint(filter(None, map(to_context_stem, parts.rest)))

    def _expand_paths(
        self, inner: Sequence[RelationPath], parts: Nested, names: Sequence[str], position: int, depth: int
    ) -> list[RelationPath]:
        """Relation paths through what the description means."""
        paths = []
        for first, node in self._find_referents(inner):
            check(self.cancelled)
            if effort.is_spent():
                break
            label = self.snapshot.get_entity_label(node)
            others = [*names[:position], label, *names[position + 1 :]]
            about = parts.build_question(label)
            further = self.rank([node], [replace_topic_names(about, position, others)])[0]
            for then in self._from(_SubQuestion(about, others, position), node, further, depth - 1)[:ONWARD]:
                if node in self._find_ends(then):
                    continue  # it leads back to what is asked about
                support = None if first.support is None or then.support is None else min(first.support, then.support)
                relations, score = (*first.relations, *then.relations), first.score * then.score
                paths.append(RelationPath(first.topic, relations, score, support=support))
        return paths

    def _find_referents(self, inner: Sequence[RelationPath]) -> list[tuple[RelationPath, int]]:
        """What a description may mean: the surest relation path to each set of things, with the probability of all
        that lead there, and the best known of them.
        """
        by_ends: dict[bytes, tuple[RelationPath, int]] = {}
        for path in inner[:INNER]:
            ends = self._find_ends(path)
            ends = ends[ends != path.topic]
            if not 0 < len(ends) <= MANY:
                continue
            key = ends.tobytes()
            if key in by_ends:
                known, node = by_ends[key]
                by_ends[key] = replace(known, score=known.score + path.score), node
            else:
                by_ends[key] = (
                    path,
                    int(ends[np.argmax([self.snapshot.get_degree(int(end)) for end in ends])]),
                )
        likely = sorted(by_ends.values(), key=lambda referent: -referent[0].score)
        return [referent for referent in likely[:MEANT] if referent[0].score >= LEAST]

    def _find_ends(self, path: RelationPath) -> np.ndarray:
        return walk(self.snapshot, path.topic, path.relations, path.score, simple=self.simple).targets
