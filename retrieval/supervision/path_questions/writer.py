"""Walks over a graph's schema, and questions for them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import all_arcs
from retrieval.kg.snapshot import KINDS
from retrieval.supervision.path_questions.composing import Composer, Spoken
from retrieval.supervision.path_questions.kinds import Kind, kinds_of
from retrieval.supervision.path_questions.phrases import phrases

if TYPE_CHECKING:
    from retrieval.programs.schema import Schema

_CVT = KINDS.index("cvt")
#: How often walks of one, two and three steps, and pairs of topics, are drawn.
LENGTHS, PAIRS = (0.3, 0.37, 0.33), 0.06
#: Arcs of an entity of which the next step is drawn.
_ARCS = 400
_LONGEST = 200
#: A walk goes back to others that share what it came by with this probability, where it can.
_BACK = 0.2


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """A question written from a walk.

    Attributes:
        question: in words.
        topics: entity ids, one or two.
        paths: the directed relation path from each.
    """

    question: str
    topics: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]


class PathWriter:
    """Writes questions over one graph.

    Args:
        schema: of the graph.
        seed: of the draws.
        hops: longest walk.
    """

    def __init__(self, schema: Schema, seed: int = 0, *, hops: int = 3) -> None:
        self.schema, self.snapshot = schema, schema.snapshot
        self.rng = random.Random(seed)
        self.hops = hops
        self.composer = Composer(self.rng)
        self.total = self.snapshot.num_relations
        self.spoken = self._speak()
        self.weights = self._weights()

    def write(self, count: int) -> list[PathQuestion]:
        """At most so many distinct questions."""
        found: dict[str, PathQuestion] = {}
        for _ in range(8 * count):
            if len(found) == count:
                break
            made = self._pair() if self.rng.random() < PAIRS else self._walk()
            if made is not None and len(made.question) <= _LONGEST:
                found.setdefault(made.question, made)
        return list(found.values())

    def _speak(self) -> list[Spoken]:
        heads, tails = kinds_of(self.schema)
        said: list[tuple[Kind, Kind]] = [*zip(heads, tails, strict=True), *zip(tails, heads, strict=True)]
        labels = [self.snapshot.relation_label(r) for r in range(self.total)] * 2
        made = [
            phrases(labels[r], r >= self.total, source, target) for r, (source, target) in enumerate(said)
        ]
        return [
            Spoken(made[r], *said[r], made[(r + self.total) % (2 * self.total)])
            for r in range(2 * self.total)
        ]

    def _weights(self) -> dict[int, float]:
        """Directed relations that may be asked, and how often: by the square root of their facts."""
        counts = np.asarray(self.snapshot.relation_counts(), np.float64)
        return {
            r: float(np.sqrt(counts[r % self.total]))
            for r, spoken in enumerate(self.spoken)
            if counts[r % self.total] and r % self.total != self.schema.type_relation and spoken.phrases.known
        }

    def _start(self) -> tuple[int, int] | None:
        """A topic and the directed relation that leaves it."""
        if not self.weights:
            return None
        relation = self.rng.choices(list(self.weights), list(self.weights.values()))[0]
        heads, tails = self.schema.columns.arcs(relation % self.total)
        at = self.rng.randrange(len(heads))
        topic = int(tails[at] if relation >= self.total else heads[at])
        return (topic, relation) if self._named(topic) else None

    def _named(self, entity: int) -> bool:
        return self.snapshot.kinds[entity] != _CVT and len(self.snapshot.entity_label(entity)) <= 60

    def _walk(self) -> PathQuestion | None:
        start = self._start()
        if start is None:
            return None
        topic, first = start
        length = min(self.rng.choices(range(1, len(LENGTHS) + 1), LENGTHS)[0], self.hops)
        path, said, at, before = [first], list[int](), self._along(topic, first), topic
        while at >= 0:
            # What goes through a node without a name is told by the step that leaves it.
            through = self.snapshot.kinds[at] == _CVT
            said += [] if through else [path[-1]]
            if len(said) == length:
                return self._worded(topic, path, said)
            following = self._next(at, before, path[-1]) if len(path) < self.hops else None
            if following is None:
                return None
            path.append(following)
            at, before = self._along(at, following, avoid=topic), at
        return None

    def _next(self, at: int, before: int, last: int) -> int | None:
        """A directed relation that leads on from an entity, and not only back."""
        _, relations, targets, _ = all_arcs(self.snapshot, np.array([at], np.int64))
        can = np.unique(relations[targets != before])
        back = (last + self.total) % (2 * self.total)
        if back in can and self.rng.random() < _BACK:
            return back
        if self.schema.columns.kinds[at]:
            return None  # numbers and dates join what has nothing to do with each other
        known = [r for r in can.tolist() if r in self.weights]
        return self.rng.choice(known) if known else None

    def _along(self, at: int, relation: int, avoid: int = -1) -> int:
        """An entity that a directed relation leads to; -1 where there is none."""
        _, relations, targets, _ = all_arcs(self.snapshot, np.array([at], np.int64))
        reached = targets[(relations == relation) & (targets != avoid)][:_ARCS]
        return int(self.rng.choice(reached)) if len(reached) else -1

    def _worded(self, topic: int, path: Sequence[int], said: Sequence[int]) -> PathQuestion:
        returns = [False, *((b - a) % (2 * self.total) == self.total for a, b in pairwise(said))]
        steps = [self.spoken[r] for r in said]
        text = self.composer.question(self.snapshot.entity_label(topic), steps, returns)
        return PathQuestion(text, (topic,), (tuple(path),))

    def _pair(self) -> PathQuestion | None:
        """What two topics have in common."""
        start = self._start()
        if start is None:
            return None
        topic, first = start
        at = self._along(topic, first)
        _, relations, targets, _ = all_arcs(self.snapshot, np.array([at], np.int64))
        others = [
            i for i in range(min(len(targets), _ARCS)) if targets[i] != topic and self._named(int(targets[i]))
        ]
        if not others:
            return None
        i = self.rng.choice(others)
        second, other = (int(relations[i]) + self.total) % (2 * self.total), int(targets[i])
        labels = [self.snapshot.entity_label(e) for e in (topic, other)]
        text = self.composer.both(labels, [self.spoken[first], self.spoken[second]])
        return None if text is None else PathQuestion(text, (topic, other), ((first,), (second,)))
