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
from retrieval.text.lexical import words
from retrieval.text.mentions import context_stem
from retrieval.text.nested import Nested, nested
from retrieval.text.questions import seen_from
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
class _Asked:
    """A question, what it calls its topics, and which of them relation paths start at."""

    question: str
    names: Sequence[str]
    at: int


@dataclass(frozen=True, slots=True)
class Composer:
    """Ranks what the parts of a question say beside the whole.

    Attributes:
        snapshot: the graph.
        rank: relation paths by a question as seen from a topic.
        simple: walks never come back to their topic.
        cancelled: asked between pieces of work.
        always: even where the likeliest relation path of the whole question may be more than the description's.
    """

    snapshot: Snapshot
    rank: Rank
    simple: bool
    cancelled: Callable[[], bool]
    always: bool

    def composed(
        self,
        question: str,
        topics: Sequence[int],
        names: Sequence[str],
        found: Sequence[Sequence[RelationPath]],
        sure: Sequence[bool],
    ) -> list[list[RelationPath]]:
        """Relation paths of each topic, those of the parts of the question among them, most probable first.

        Args:
            question: as written.
            topics: entities with at least one triple.
            names: what the question calls each.
            found: relation paths by the whole question.
            sure: which of these stand as they are.
        """
        return [
            list(own) if stands else self._from(_Asked(question, names, at), topic, own, DEPTH)
            for at, (topic, own, stands) in enumerate(zip(topics, found, sure, strict=True))
        ]

    def _from(
        self, asked: _Asked, topic: int, whole: Sequence[RelationPath], depth: int
    ) -> list[RelationPath]:
        at, names = asked.at, asked.names
        parts = nested(asked.question, names[at]) if depth and not effort.is_spent() else None
        if parts is None:
            return list(whole)
        inner = self.rank([topic], [seen_from(parts.inner, at, names)])[0]
        described = {own.relations for own in inner if own.score >= LEAST}
        if whole and not self.always and not self._falls_short(whole[0], described, parts):
            return list(whole)
        onward = self._onward(inner, parts, names, at, depth)
        if not onward:
            return list(whole)
        mixed = {
            own.relations: replace(
                own, score=(1 - SHARE) * own.score * (TOO_SHORT if own.relations in described else 1.0)
            )
            for own in whole
        }
        for own in onward:
            known = mixed.get(own.relations) or replace(own, score=0.0)
            mixed[own.relations] = replace(known, score=known.score + SHARE * own.score)
        return sorted(mixed.values(), key=lambda own: (-own.score, own.relations))

    def _falls_short(self, best: RelationPath, described: Collection[tuple[int, ...]], parts: Nested) -> bool:
        """Whether a relation path says what the description means, and nothing of what is asked about it."""
        if best.relations not in described:
            return False
        relations = self.snapshot.num_relations
        names = (self.snapshot.relation_label(directed % relations) for directed in best.relations)
        said = {context_stem(word) for name in names for word in words(name)}
        return said.isdisjoint(filter(None, map(context_stem, parts.rest)))

    def _onward(
        self, inner: Sequence[RelationPath], parts: Nested, names: Sequence[str], at: int, depth: int
    ) -> list[RelationPath]:
        """Relation paths through what the description means."""
        found = []
        for first, node in self._meant(inner):
            check(self.cancelled)
            if effort.is_spent():
                break
            label = self.snapshot.entity_label(node)
            others = [*names[:at], label, *names[at + 1 :]]
            about = parts.about(label)
            further = self.rank([node], [seen_from(about, at, others)])[0]
            for then in self._from(_Asked(about, others, at), node, further, depth - 1)[:ONWARD]:
                if node in self._ends(then):
                    continue  # it leads back to what is asked about
                support = (
                    None
                    if first.support is None or then.support is None
                    else min(first.support, then.support)
                )
                relations, score = (*first.relations, *then.relations), first.score * then.score
                found.append(RelationPath(first.topic, relations, score, support=support))
        return found

    def _meant(self, inner: Sequence[RelationPath]) -> list[tuple[RelationPath, int]]:
        """What a description may mean: the surest relation path to each set of things, with the probability of all
        that lead there, and the best known of them.
        """
        found: dict[bytes, tuple[RelationPath, int]] = {}
        for path in inner[:INNER]:
            ends = self._ends(path)
            ends = ends[ends != path.topic]
            if not 0 < len(ends) <= MANY:
                continue
            key = ends.tobytes()
            if key in found:
                known, node = found[key]
                found[key] = replace(known, score=known.score + path.score), node
            else:
                found[key] = path, int(ends[np.argmax([self.snapshot.degree(int(end)) for end in ends])])
        likely = sorted(found.values(), key=lambda own: -own[0].score)
        return [own for own in likely[:MEANT] if own[0].score >= LEAST]

    def _ends(self, path: RelationPath) -> np.ndarray:
        return walk(self.snapshot, path.topic, path.relations, path.score, simple=self.simple).targets
