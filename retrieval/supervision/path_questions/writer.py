"""Walks over a graph's schema, and questions for them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot import KINDS
from retrieval.supervision.path_questions.composing import QuestionComposer, Spoken
from retrieval.supervision.path_questions.kinds import EndKind, find_kinds
from retrieval.supervision.path_questions.phrases import build_phrases

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

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
        topics: entity ids, one or two.
        paths: the directed relation path from each.
    """

    question: str
    topics: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]


class PathWriter:
    """Writes questions over one graph.

    Args:
        hops: longest walk.
    """

    def __init__(self, schema: Schema, seed: int = 0, *, hops: int = 3) -> None:
        self.schema, self.snapshot = schema, schema.snapshot
        self.rng = random.Random(seed)
        self.hops = hops
        self.composer = QuestionComposer(self.rng)
        self.total = self.snapshot.num_relations
        self.spoken = self._build_spoken()
        self.weights = self._compute_weights()

    def write(self, count: int) -> list[PathQuestion]:
        """At most so many distinct questions."""
        questions: dict[str, PathQuestion] = {}
        for _ in range(8 * count):
            if len(questions) == count:
                break
            made = self._draw_pair() if self.rng.random() < PAIRS else self._walk()
            if made is not None and len(made.question) <= _LONGEST:
                questions.setdefault(made.question, made)
        return list(questions.values())

    def _build_spoken(self) -> list[Spoken]:
        heads, tails = find_kinds(self.schema)
        end_kinds: list[tuple[EndKind, EndKind]] = [
            *zip(heads, tails, strict=True),
            *zip(tails, heads, strict=True),
        ]
        labels = [self.snapshot.get_relation_label(r) for r in range(self.total)] * 2
        relation_phrases = [
            build_phrases(labels[r], r >= self.total, source, target) for r, (source, target) in enumerate(end_kinds)
        ]
        return [Spoken(relation_phrases[r], *end_kinds[r]) for r in range(2 * self.total)]

    def _compute_weights(self) -> dict[int, float]:
        """Directed relations that may be asked, and how often: by the square root of their facts."""
        counts = np.asarray(self.snapshot.count_facts_by_relation(), np.float64)
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
        heads, tails = self.schema.columns.list_arcs(relation % self.total)
        index = self.rng.randrange(len(heads))
        topic = int(tails[index] if relation >= self.total else heads[index])
        return (topic, relation) if self._is_named(topic) else None

    def _is_named(self, entity: int) -> bool:
        return self.snapshot.kinds[entity] != _CVT and len(self.snapshot.get_entity_label(entity)) <= 60

    def _walk(self) -> PathQuestion | None:
        start = self._start()
        if start is None:
            return None
        topic, first = start
        length = min(self.rng.choices(range(1, len(LENGTHS) + 1), LENGTHS)[0], self.hops)
        path, told_relations, entity, before = [first], list[int](), self._draw_target(topic, first), topic
        while entity >= 0:
            # What goes through a node without a name is told by the step that leaves it.
            through = self.snapshot.kinds[entity] == _CVT
            told_relations += [] if through else [path[-1]]
            if len(told_relations) == length:
                return self._write_question(topic, path, told_relations)
            following = self._draw_next(entity, before, path[-1]) if len(path) < self.hops else None
            if following is None:
                return None
            path.append(following)
            entity, before = self._draw_target(entity, following, avoid=topic), entity
        return None

    def _draw_next(self, entity: int, before: int, last: int) -> int | None:
        """A directed relation that leads on from an entity, and not only back."""
        _, relations, targets, _ = find_arcs(self.snapshot, np.array([entity], np.int64))
        can = np.unique(relations[targets != before])
        back = (last + self.total) % (2 * self.total)
        if back in can and self.rng.random() < _BACK:
            return back
        if self.schema.columns.kinds[entity]:
            return None  # numbers and dates join what has nothing to do with each other
        known = [r for r in can.tolist() if r in self.weights]
        return self.rng.choice(known) if known else None

    def _draw_target(self, entity: int, relation: int, avoid: int = -1) -> int:
        """An entity that a directed relation leads to; -1 where there is none."""
        _, relations, targets, _ = find_arcs(self.snapshot, np.array([entity], np.int64))
        reached = targets[(relations == relation) & (targets != avoid)][:_ARCS]
        return int(self.rng.choice(reached)) if len(reached) else -1

    def _write_question(self, topic: int, path: Sequence[int], relations: Sequence[int]) -> PathQuestion:
        returns = [False, *((b - a) % (2 * self.total) == self.total for a, b in pairwise(relations))]
        steps = [self.spoken[r] for r in relations]
        text = self.composer.write_question(self.snapshot.get_entity_label(topic), steps, returns)
        return PathQuestion(text, (topic,), (tuple(path),))

    def _draw_pair(self) -> PathQuestion | None:
        """What two topics have in common."""
        start = self._start()
        if start is None:
            return None
        topic, first = start
        entity = self._draw_target(topic, first)
        _, relations, targets, _ = find_arcs(self.snapshot, np.array([entity], np.int64))
        others = [i for i in range(min(len(targets), _ARCS)) if targets[i] != topic and self._is_named(int(targets[i]))]
        if not others:
            return None
        i = self.rng.choice(others)
        second, other = (int(relations[i]) + self.total) % (2 * self.total), int(targets[i])
        labels = [self.snapshot.get_entity_label(e) for e in (topic, other)]
        text = self.composer.write_joint_question(labels, [self.spoken[first], self.spoken[second]])
        return None if text is None else PathQuestion(text, (topic, other), ((first,), (second,)))
