"""Relation paths from a topic, and how well the sets they reach fit the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.kg import search
from retrieval.kg.search import paths, walks
from retrieval.kg.snapshot import Snapshot


def execute_path(snapshot: Snapshot, topic: int, path: Sequence[int], *, simple: bool) -> np.ndarray:
    """Entities that a path of directed relations reaches from ``topic``, ascending."""
    total = snapshot.num_relations
    steps = [(r % total, r >= total) for r in path]
    return search.execute(snapshot, [topic], steps, simple=simple)[-1]


def compute_f1(entities: np.ndarray, answers: np.ndarray) -> float:
    """F1 of a set against the answers; both ascending and without repeats."""
    hits = len(np.intersect1d(entities, answers, assume_unique=True))
    return 2 * hits / (len(entities) + len(answers)) if hits else 0.0


@dataclass(frozen=True, slots=True)
class PathsTo:
    """Relation paths that reach an answer, shorter first, then by ids.

    Attributes:
        paths: directed relation ids.
        sizes: entities each reaches, int64 [n].
        hits: answers among them, int64 [n].
    """

    paths: tuple[tuple[int, ...], ...]
    sizes: np.ndarray
    hits: np.ndarray
    answers: int

    def compute_scores(self) -> dict[tuple[int, ...], float]:
        """F1 of the set that each path reaches against the answers."""
        values = 2 * self.hits / (self.sizes + self.answers)
        return dict(zip(self.paths, values.tolist(), strict=True))


def find_answer_paths(
    snapshot: Snapshot,
    topic: int,
    answers: np.ndarray,
    *,
    max_hops: int,
    simple: bool,
    widest: int = 2000,
    most: int = 2000,
    rows: int = 200_000,
) -> PathsTo:
    """All relation paths of at most ``max_hops`` from ``topic`` that reach an answer.

    All prefixes grow together, as rows (prefix, entity); a prefix from whose entities no answer can be
    reached in the hops left is dropped.

    Args:
        topic: entity id.
        answers: entity ids, ascending.
        max_hops: longest path.
        simple: see :func:`retrieval.kg.search.execute`.
        widest: a path that reaches more entities than this is not walked on (it is still an end).
        most: at most so many prefixes are walked on in each level, those that reach fewest first.
        rows: at most so many entities, over all prefixes, are walked on in each level.
    """
    is_answer = np.zeros(snapshot.num_entities, bool)
    is_answer[answers] = True
    distance = paths.compute_distances(snapshot, answers, max_hops - 1) if max_hops > 1 else None
    prefix, entity = np.zeros(1, np.int64), np.array([topic], np.int64)
    known: list[tuple[int, ...]] = [()]
    answer_paths: list[tuple[int, ...]] = []
    sizes: list[np.ndarray] = []
    hits: list[np.ndarray] = []
    for hop in range(1, max_hops + 1):
        left = max_hops - hop
        owner, relation, target, _ = walks.find_arcs(snapshot, entity)
        codes, path = _map_codes(prefix[owner] * (2 * snapshot.num_relations) + relation)
        if simple:
            last = np.array([before[-1] if before else -1 for before in known], np.int64)
            reverse = walks.is_reverse(snapshot, relation, last[prefix[owner]])
            keep = walks.mark_simple_arcs(snapshot, entity[owner], target, topic, path, reverse=reverse)
            target, path = target[keep], path[keep]
        near = is_answer[target] if not left else distance[target] <= left  # type: ignore[index]
        alive = np.zeros(len(codes), bool)
        alive[path[near]] = True
        keep = alive[path]
        # One row for each (path, entity), however it was reached.
        pairs = np.unique(path[keep] * snapshot.num_entities + target[keep])
        path, entity = np.divmod(pairs, snapshot.num_entities)
        size = np.bincount(path, minlength=len(codes))
        hit = np.bincount(path, weights=is_answer[entity], minlength=len(codes)).astype(np.int64)
        directed = 2 * snapshot.num_relations
        ends = np.flatnonzero(hit)
        answer_paths += [(*known[code // directed], code % directed) for code in codes[ends].tolist()]
        sizes.append(size[ends])
        hits.append(hit[ends])
        if not left or not len(pairs):
            break
        onward = np.flatnonzero(alive & (size <= widest))
        onward = onward[np.argsort(size[onward], kind="stable")][:most]
        onward = np.sort(onward[np.cumsum(size[onward]) <= rows])
        place = np.full(len(codes), -1, np.int64)
        place[onward] = np.arange(len(onward))
        known = [(*known[code // directed], code % directed) for code in codes[onward].tolist()]
        keep = place[path] >= 0
        prefix, entity = place[path[keep]], entity[keep]
    return PathsTo(tuple(answer_paths), np.concatenate(sizes), np.concatenate(hits), len(answers))


def _map_codes(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct codes, ascending, and where each of ``codes`` is among them."""
    distinct, place = np.unique(codes, return_inverse=True)
    return distinct, place
