"""Relation paths from a topic and the sets they reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.kg import search, walks
from retrieval.kg.snapshot import Snapshot


def reached(snapshot: Snapshot, topic: int, path: Sequence[int], *, simple: bool) -> np.ndarray:
    """Entities that a path of directed relations reaches from ``topic``, ascending."""
    total = snapshot.num_relations
    steps = [(r % total, r >= total) for r in path]
    return search.execute(snapshot, [topic], steps, simple=simple)[-1]


def f1(found: np.ndarray, answers: np.ndarray) -> float:
    """F1 of a set against the answers; both ascending and without repeats."""
    hits = len(np.intersect1d(found, answers, assume_unique=True))
    return 2 * hits / (len(found) + len(answers)) if hits else 0.0


def paths_to(
    snapshot: Snapshot,
    topic: int,
    answers: np.ndarray,
    *,
    max_hops: int,
    simple: bool,
    widest: int = 2000,
    most: int = 2000,
) -> dict[tuple[int, ...], np.ndarray]:
    """All relation paths of at most ``max_hops`` from ``topic`` that reach an answer.

    Args:
        snapshot: the graph.
        topic: entity id.
        answers: entity ids, ascending.
        max_hops: longest path.
        simple: walks never come back to the topic.
        widest: a path that reaches more entities than this is not walked on (it is still an end).
        most: at most so many prefixes are walked on in each level, those that reach fewest first.

    Returns:
        path -> the set it reaches, ascending.
    """
    found: dict[tuple[int, ...], np.ndarray] = {}
    frontier: dict[tuple[int, ...], np.ndarray] = {(): np.array([topic], np.int64)}
    for _ in range(max_hops):
        grown: dict[tuple[int, ...], np.ndarray] = {}
        for prefix, entities in frontier.items():
            for relation, targets in _by_relation(snapshot, entities, topic if simple else None):
                path = (*prefix, relation)
                grown[path] = targets
                if np.isin(answers, targets, assume_unique=True).any():
                    found[path] = targets
        narrow = [(len(targets), path) for path, targets in grown.items() if len(targets) <= widest]
        frontier = {path: grown[path] for _, path in sorted(narrow)[:most]}
    return found


def _by_relation(snapshot: Snapshot, entities: np.ndarray, avoid: int | None) -> list[tuple[int, np.ndarray]]:
    _, relations, targets, _ = walks.all_arcs(snapshot, entities)
    if avoid is not None:
        keep = targets != avoid
        relations, targets = relations[keep], targets[keep]
    keys = np.unique(relations * snapshot.num_entities + targets)
    relations, targets = np.divmod(keys, snapshot.num_entities)
    bounds = np.flatnonzero(np.diff(relations)) + 1
    starts = np.concatenate([[0], bounds]).astype(int)
    if not len(keys):
        return []
    return [
        (int(relations[start]), part) for start, part in zip(starts, np.split(targets, bounds), strict=True)
    ]
