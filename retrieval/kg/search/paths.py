"""Paths between two sets of entities: as arcs, and as the distinct relation paths that connect them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from retrieval.kg.search.bidirectional import PathRegion, find_path_region
from retrieval.kg.search.few_paths import find_few_paths
from retrieval.kg.search.walks import RelationPath, find_arcs, is_reverse, mark_simple_arcs, normalize_ids
from retrieval.kg.snapshot import Snapshot

_FAR = np.iinfo(np.int8).max
#: Arcs and partial paths that are looked at one by one; where there are more, arrays are quicker.
_FEW = 1000


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths as arc ids. ``truncated`` when the cap cut some off, or may have.

    Attributes:
        by_length: for each length, shorter first: int64 [n, length], or a list where they are few.
    """

    by_length: tuple[np.ndarray | list[tuple[int, ...]], ...]
    truncated: bool

    def __len__(self) -> int:
        return sum(len(rows) for rows in self.by_length)

    def list_paths(self) -> list[tuple[int, ...]]:
        """Every path, shorter first."""
        return [
            path
            for rows in self.by_length
            for path in (rows if isinstance(rows, list) else zip(*rows.T.tolist(), strict=True))
        ]


@dataclass(frozen=True, slots=True)
class RelationPathHit:
    """A relation path that leads from a topic to answers. ``answers_reached`` counts distinct answers."""

    path: RelationPath
    answers_reached: int


@dataclass(frozen=True, slots=True)
class RelationPaths:
    """Relation paths, shorter first, then by answers reached. ``truncated`` when a bound cut some off."""

    hits: tuple[RelationPathHit, ...]
    truncated: bool


def compute_distances(snapshot: Snapshot, sources: Iterable[int] | np.ndarray, max_hops: int) -> np.ndarray:
    """Hops (either direction) from the nearest source, int8 [E]; 127 beyond ``max_hops``."""
    distance = np.full(snapshot.num_entities, _FAR, np.int8)
    frontier = normalize_ids(sources)
    distance[frontier] = 0
    for hop in range(1, max_hops + 1):
        _, _, targets, _ = find_arcs(snapshot, frontier)
        targets = targets[distance[targets] == _FAR]
        distance[targets] = hop
        frontier = np.flatnonzero(distance == hop)
        if not len(frontier):
            break
    return distance


def find_paths(
    snapshot: Snapshot,
    sources: Iterable[int] | np.ndarray,
    targets: Iterable[int] | np.ndarray,
    *,
    max_hops: int = 3,
    cap: int = 1000,
    max_rows: int = 500_000,
) -> Paths:
    """All simple paths from a source to a target of at most ``max_hops`` arcs.

    A path may pass through other sources and targets; it visits no entity twice.

    Args:
        sources: where paths begin.
        targets: where they end.
        max_hops: longest path.
        cap: at most so many paths, shorter first, then by arc ids.
        max_rows: at most so many partial paths held at a time; more are cut and ``truncated`` says so.
    """
    starts, ends = _sort_ids(sources), _sort_ids(targets)
    if not (max_hops and starts and ends):
        return Paths((), False)
    few = find_few_paths(snapshot, starts, ends, max_hops, min(_FEW, max_rows))
    if few is not None:
        return _take_first(few, cap)
    between = find_path_region(snapshot, np.array(starts), np.array(ends), max_hops)
    return _find_many_paths(between, max_hops, cap, max_rows)


def _sort_ids(entities: Iterable[int] | np.ndarray) -> list[int]:
    """As :func:`retrieval.kg.search.walks.normalize_ids`, as numbers."""
    return sorted({*(entities.tolist() if isinstance(entities, np.ndarray) else map(int, entities))})


def _take_first(by_length: list[list[tuple[int, ...]]], cap: int) -> Paths:
    """The first ``cap`` of the paths of each length."""
    kept = []
    for paths in by_length:
        kept.append(paths[: max(cap, 0)])
        cap -= len(paths)
    return Paths(tuple(paths for paths in kept if paths), cap < 0)


def _find_many_paths(between: PathRegion, max_hops: int, cap: int, max_rows: int) -> Paths:
    """As :func:`find_paths`, all partial paths of a length at once."""
    visited = [between.sources]
    arcs: list[np.ndarray] = []
    by_length: list[np.ndarray] = []
    truncated = False
    for hop in range(1, max_hops + 1):
        if not len(visited[-1]) or cap <= 0:
            truncated |= len(visited[-1]) > 0
            break
        owner, node, walked = between.expand_hop(hop, visited[-1], max_hops - hop)
        fresh = np.flatnonzero(np.logical_and.reduce([before.take(owner) != node for before in visited]))
        truncated |= len(fresh) > max_rows
        owner, node, walked = (column.take(fresh[:max_rows]) for column in (owner, node, walked))
        if hop == 1:  # paths are told apart by their arcs, not by where they begin
            order = np.argsort(walked)
            owner, node, walked = owner[order], node[order], walked[order]
        arcs = [*(column.take(owner) for column in arcs), walked]
        complete = np.flatnonzero(between.left[node] == 0)
        truncated |= len(complete) > cap
        if len(complete):
            by_length.append(np.column_stack([column.take(complete[:cap]) for column in arcs]))
            cap -= len(by_length[-1])
        visited = [*(column.take(owner) for column in visited), node] if hop < max_hops else []
    return Paths(tuple(by_length), truncated)


def find_shortest_paths(
    snapshot: Snapshot,
    sources: Iterable[int] | np.ndarray,
    targets: Iterable[int] | np.ndarray,
    *,
    max_hops: int = 4,
    cap: int = 1000,
) -> Paths:
    """All paths of the least length from any source to any target; none when it exceeds ``max_hops``.

    A source that is itself a target has a path of length zero, which is not listed: the least positive
    length counts.
    """
    starts = normalize_ids(sources)
    for length in range(1, max_hops + 1):
        paths = find_paths(snapshot, starts, targets, max_hops=length, cap=cap)
        if len(paths):
            return Paths(paths.by_length[:1], paths.truncated)
    return Paths((), False)


def find_relation_paths(
    snapshot: Snapshot,
    topics: Iterable[int] | np.ndarray,
    answers: Iterable[int] | np.ndarray,
    max_hops: int,
    cap: int = 1000,
    *,
    simple: bool = True,
    max_rows: int = 2_000_000,
) -> RelationPaths:
    """The distinct directed relation paths that lead from a topic to at least one answer.

    All relation paths grow together, one hop at a time, as rows (path, topic, entity); rows from which no
    answer can be reached in the hops left are dropped.

    Args:
        topics: where walks begin.
        answers: where they end.
        max_hops: longest relation path.
        cap: at most so many relation paths, shorter first, then by answers reached, then by ids.
        simple: as in :func:`retrieval.kg.search.walks.execute`.
        max_rows: bound on rows per hop; beyond it the rest is cut and ``truncated`` says so.
    """
    ends = normalize_ids(answers)
    is_end = np.zeros(snapshot.num_entities, bool)
    is_end[ends] = True
    distance = compute_distances(snapshot, ends, max_hops - 1)
    starts = normalize_ids(topics)
    directed = 2 * snapshot.num_relations
    entity, topic = starts, starts
    prefix = np.zeros(len(starts), np.int64)
    known: list[list[tuple[int, ...]]] = [[()]]
    hits: list[RelationPathHit] = []
    truncated = False
    for hop in range(1, max_hops + 1):
        owner, relation, reached, _ = find_arcs(snapshot, entity)
        keep = distance[reached] <= max_hops - hop
        if simple:
            walked = (prefix[owner] * len(starts) + np.searchsorted(starts, topic[owner])) * directed + relation
            last = np.array([path[-1] if path else -1 for path in known[-1]], np.int64)
            keep &= mark_simple_arcs(
                snapshot,
                entity[owner],
                reached,
                topic[owner],
                np.unique(walked, return_inverse=True)[1],
                reverse=is_reverse(snapshot, relation, last[prefix[owner]]),
            )
        owner, relation, reached = owner[keep], relation[keep], reached[keep]
        if len(owner) > max_rows:
            owner, relation, reached, truncated = (
                owner[:max_rows],
                relation[:max_rows],
                reached[:max_rows],
                True,
            )
        if not len(owner):
            break
        codes, prefix_of = np.unique(prefix[owner] * directed + relation, return_inverse=True)
        known.append([(*known[-1][code // directed], code % directed) for code in codes.tolist()])
        # One row for each (path, topic, entity), however it was reached.
        rank = np.searchsorted(starts, topic[owner])
        row = (prefix_of * len(starts) + rank) * snapshot.num_entities + reached
        pair, entity = np.divmod(np.unique(row), snapshot.num_entities)
        prefix, rank = np.divmod(pair, len(starts))
        topic = starts[rank]
        hits += _collect_hits(snapshot, known[-1], prefix, entity, is_end)
    hits.sort(key=lambda hit: (len(hit.path), -hit.answers_reached, hit.path))
    return RelationPaths(tuple(hits[:cap]), truncated or len(hits) > cap)


def _collect_hits(
    snapshot: Snapshot,
    known: list[tuple[int, ...]],
    prefix: np.ndarray,
    entity: np.ndarray,
    is_end: np.ndarray,
) -> list[RelationPathHit]:
    """The relation paths of this length that stand on an answer, with how many distinct ones."""
    there = is_end[entity]
    pairs = np.unique(prefix[there] * snapshot.num_entities + entity[there])
    paths, counts = np.unique(pairs // snapshot.num_entities, return_counts=True)
    relations = snapshot.num_relations
    return [
        RelationPathHit(tuple((d % relations, d >= relations) for d in known[path]), count)
        for path, count in zip(paths.tolist(), counts.tolist(), strict=True)
    ]
