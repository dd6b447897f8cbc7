"""Searching a snapshot: neighbourhoods, relation paths and what they reach, paths between entities.

Everything is vectorised over frontiers. *Arc* ids: ``a < T`` is fact ``a`` walked forward, ``a >= T`` is
fact ``a - T`` walked backward. *Directed relation* ids: ``r`` forward, ``R + r`` inverse; a relation path
is a sequence of ``(r, inverse)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import expand_spans, sort_unique
from retrieval.kg.snapshot.snapshot import KINDS

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

RelationPath = tuple[tuple[int, bool], ...]
NONE = np.zeros(0, np.int64)
_CVT = KINDS.index("cvt")


@dataclass(frozen=True, slots=True)
class CandidateIds:
    """Entities and facts of a neighbourhood, ids ascending. ``truncated`` when the budget cut it short."""

    entities: np.ndarray
    facts: np.ndarray
    truncated: bool


@dataclass(frozen=True, slots=True)
class Group:
    """An entity's facts of one relation in one direction (``inverse``: they enter it)."""

    relation: int
    inverse: bool
    count: int


def normalize_ids(entities: Iterable[int] | np.ndarray) -> np.ndarray:
    """Entity ids, int64, ascending, without repeats."""
    values = entities if isinstance(entities, np.ndarray) else np.fromiter(entities, np.int64)
    return sort_unique(values.astype(np.int64, copy=False))


def walk_relation(snapshot: Snapshot, entities: np.ndarray, relation: int, inverse: bool) -> tuple[np.ndarray, ...]:
    """All arcs of one directed relation that leave ``entities``.

    Returns:
        ``(owner, target, arc)``, int64 [n]: the position in ``entities``, the entity reached, the arc id.
    """
    groups = snapshot.in_groups if inverse else snapshot.out_groups
    positions, owner = expand_spans(*groups.find_bounds(entities, relation))
    if inverse:
        targets = snapshot.in_heads[positions].astype(np.int64)
        return owner, targets, snapshot.in_order[positions].astype(np.int64) + snapshot.num_triples
    return owner, snapshot.tails[positions].astype(np.int64), positions


def find_arcs(snapshot: Snapshot, entities: np.ndarray) -> tuple[np.ndarray, ...]:
    """All arcs that leave ``entities``, forward ones first.

    Returns:
        ``(owner, directed relation, target, arc)``, int64 [n] each.
    """
    out_starts = snapshot.out_offsets[entities]
    out, out_owner = expand_spans(out_starts, snapshot.out_offsets[entities + 1] - out_starts)
    in_starts = snapshot.in_offsets[entities]
    into, in_owner = expand_spans(in_starts, snapshot.in_offsets[entities + 1] - in_starts)
    in_facts = snapshot.in_order[into].astype(np.int64)
    return (
        np.concatenate([out_owner, in_owner]),
        np.concatenate(
            [snapshot.relations[out], snapshot.relations[in_facts] + snapshot.num_relations],
            dtype=np.int64,
            casting="unsafe",
        ),
        np.concatenate([snapshot.tails[out], snapshot.in_heads[into]], dtype=np.int64),
        np.concatenate([out, in_facts + snapshot.num_triples]),
    )


def get_arc_ends(snapshot: Snapshot, arcs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, directed relations and targets of arcs, int64 [n] each."""
    inverse = arcs >= snapshot.num_triples
    facts = np.where(inverse, arcs - snapshot.num_triples, arcs)
    heads, tails = snapshot.heads[facts].astype(np.int64), snapshot.tails[facts].astype(np.int64)
    relations = snapshot.relations[facts] + np.where(inverse, snapshot.num_relations, 0)
    return np.where(inverse, tails, heads), relations.astype(np.int64), np.where(inverse, heads, tails)


def collect_k_hop(
    snapshot: Snapshot, topics: Iterable[int] | np.ndarray, hops: int, *, max_triples: int = 100_000
) -> CandidateIds:
    """Entities within ``hops`` of the topics (either direction), and the facts walked to find them.

    Under the budget, entities of few facts are opened before hubs, nearer ones before farther ones, so what
    is cut is the far side of hubs. Same input, same result. Costs what is taken, whatever the size of the graph.
    """
    seen = frontier = normalize_ids(topics)
    taken = NONE
    truncated = False
    for _ in range(hops):
        budget = max_triples - len(taken)
        degrees = snapshot.get_degrees(frontier)
        order = np.argsort(degrees, kind="stable")
        opened = int(np.searchsorted(np.cumsum(degrees[order]), 2 * budget, side="right")) + 1
        truncated |= opened < len(frontier)
        # An entity has at most all of those taken among its first facts, so that more than these are never needed.
        owner, targets, facts = _find_first_facts(snapshot, frontier[order[:opened]], max_triples + 1)
        fresh = ~_is_among(facts, taken)
        owner, targets, facts = owner[fresh], targets[fresh], facts[fresh]
        if len(facts) > budget:
            # The arcs of entities opened first come first, whichever their direction.
            nearest = np.argsort(owner, kind="stable")[:budget]
            facts, targets, truncated = facts[nearest], targets[nearest], True
        taken = sort_unique(np.concatenate([taken, facts]))
        reached = sort_unique(targets)
        frontier = reached[~_is_among(reached, seen)]
        seen = np.sort(np.concatenate([seen, frontier]))
        if not len(frontier) or len(taken) >= max_triples:
            truncated |= len(frontier) > 0
            break
    return CandidateIds(seen, taken, truncated)


def _find_first_facts(snapshot: Snapshot, entities: np.ndarray, limit: int) -> tuple[np.ndarray, ...]:
    """The facts that leave and enter ``entities``, at most ``limit`` of each entity and direction, leaving ones first.

    Returns:
        ``(owner, other end, fact)``, int64 [n] each.
    """
    out_starts, in_starts = snapshot.out_offsets[entities], snapshot.in_offsets[entities]
    out, out_owner = expand_spans(out_starts, np.minimum(snapshot.out_offsets[entities + 1] - out_starts, limit))
    into, in_owner = expand_spans(in_starts, np.minimum(snapshot.in_offsets[entities + 1] - in_starts, limit))
    return (
        np.concatenate([out_owner, in_owner]),
        np.concatenate([snapshot.tails[out], snapshot.in_heads[into]]).astype(np.int64),
        np.concatenate([out, snapshot.in_order[into].astype(np.int64)]),
    )


def _is_among(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which values are in ``known``, which is ascending; bool [n]."""
    if not len(known):
        return np.zeros(len(values), bool)
    is_known: np.ndarray = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    return is_known


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a walk: entities reached, and by which arcs.

    ``sources``/``targets`` are positions in the level before and in this one.
    """

    entities: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    arcs: np.ndarray


def _walk(snapshot: Snapshot, topics: np.ndarray, path: Sequence[tuple[int, bool]]) -> list[_Level]:
    """Levels of all walks along ``path``; entities may come again."""
    levels: list[_Level] = []
    entities = topics
    for relation, inverse in path:
        owner, targets, arcs = walk_relation(snapshot, entities, relation, inverse)
        entities, where = np.unique(targets, return_inverse=True)
        levels.append(_Level(entities, owner, where, arcs))
    return levels


def is_reverse(snapshot: Snapshot, relations: np.ndarray | int, previous: np.ndarray | int) -> np.ndarray:
    """Whether directed relations are the reverse of the ones walked before them, -1 for none; bool [n]."""
    return np.asarray((np.asarray(previous) >= 0) & (np.abs(relations - previous) == snapshot.num_relations))


def mark_simple_arcs(
    snapshot: Snapshot,
    sources: np.ndarray,
    targets: np.ndarray,
    topics: np.ndarray | int,
    steps: np.ndarray,
    *,
    reverse: np.ndarray | bool,
) -> np.ndarray:
    """Mark the arcs of simple walks: those that leave their topic, and those of a step that leads only back to it.

    A step that reverses the one before it asks for others ("who else works there"), so it never returns to the
    topic. Neither does a step from a node without a name, which only links what it is said of.

    Args:
        sources, targets: the ends of each arc, int64 [n].
        topics: the topic of each arc's walk, int64 [n], or the one topic of all.
        steps: number of the step that each arc belongs to, int64 [n].
        reverse: whether each arc's step reverses the one before it (:func:`is_reverse`), bool [n] or one for all.

    Returns:
        bool [n].
    """
    away = targets != topics
    leads_away = np.zeros(int(steps.max(initial=-1)) + 1, bool)
    leads_away[steps[away]] = True
    return np.asarray(away | (~leads_away[steps] & (snapshot.kinds[sources] != _CVT) & ~np.asarray(reverse)))


def _walk_simple(snapshot: Snapshot, topic: int, path: Sequence[tuple[int, bool]]) -> list[_Level]:
    """Levels of the walks from ``topic`` that come back to it only by a step that leads nowhere else.

    Not "no entity twice": of MetaQA's questions whose path goes film, writer, film, director, a third have
    an answer who is the writer too.
    """
    levels: list[_Level] = []
    entities = np.array([topic], np.int64)
    before: tuple[int, bool] | None = None
    for relation, inverse in path:
        owner, targets, arcs = walk_relation(snapshot, entities, relation, inverse)
        reverse, before = before == (relation, not inverse), (relation, inverse)
        keep = mark_simple_arcs(snapshot, entities[owner], targets, topic, np.zeros_like(targets), reverse=reverse)
        owner, targets, arcs = owner[keep], targets[keep], arcs[keep]
        entities, where = np.unique(targets, return_inverse=True)
        levels.append(_Level(entities, owner, where, arcs))
    return levels


def execute(
    snapshot: Snapshot,
    topics: Iterable[int] | np.ndarray,
    relation_path: Sequence[tuple[int, bool]],
    *,
    simple: bool = True,
) -> list[np.ndarray]:
    """What a relation path reaches: for each step, the entities after it (int64, ascending).

    Args:
        topics: entities the walks begin at; the levels are the union over topics.
        relation_path: ``(relation, inverse)`` per step.
        simple: leave the topic out of each level that holds anything else: a step comes back to the topic only
            where it leads nowhere else ("the mother of X's child") and does not reverse the step before. A level
            holds what walks of *that* length reach, whether or not they can be continued.

    Returns:
        One array per step; all later ones are empty once one is.
    """
    ids = normalize_ids(topics)
    if not simple:
        return [level.entities for level in _walk(snapshot, ids, relation_path)]
    walks = [_walk_simple(snapshot, int(topic), relation_path) for topic in ids]
    if len(walks) == 1:
        return [level.entities for level in walks[0]]
    return [
        sort_unique(np.concatenate([walk[i].entities for walk in walks])) if walks else NONE
        for i in range(len(relation_path))
    ]


@dataclass(frozen=True, slots=True)
class Trace:
    """The arcs of a relation path that lead from the topics to given entities.

    Attributes:
        arcs: per step, arc ids, at most the limit asked.
        levels: entities before the first step (the topics walked from) and after each step, of the arcs
            listed or not.
    """

    arcs: tuple[np.ndarray, ...]
    levels: tuple[np.ndarray, ...]


def compute_trace(
    snapshot: Snapshot,
    topics: Iterable[int] | np.ndarray,
    relation_path: Sequence[tuple[int, bool]],
    finals: Iterable[int] | np.ndarray,
    *,
    simple: bool = True,
    limit: int = 1000,
) -> Trace:
    """Which arcs walk from ``topics`` along ``relation_path`` to ``finals``, for showing the hops.

    Arcs that lead nowhere or elsewhere are left out. With ``limit``, the listed arcs of consecutive steps
    still connect: they are chosen from the end, those of the first finals first.
    """
    ids, wanted = normalize_ids(topics), normalize_ids(finals)
    walks = (
        [(np.array([t]), _walk_simple(snapshot, int(t), relation_path)) for t in ids]
        if simple
        else [(ids, _walk(snapshot, ids, relation_path))]
    )
    per_walk = [_keep_used_arcs(levels, start, wanted) for start, levels in walks]
    steps = len(relation_path)
    arcs = [sort_unique(np.concatenate([p[i] for p in per_walk])) if per_walk else NONE for i in range(steps)]
    levels = [NONE] * (steps + 1)
    for i, step_arcs in enumerate(arcs):
        sources, _, targets = get_arc_ends(snapshot, step_arcs)
        levels[i], levels[i + 1] = sort_unique(sources), sort_unique(targets)
    shown: list[np.ndarray] = [NONE] * steps
    open_targets = levels[steps][:limit]
    for i in reversed(range(steps)):
        sources, _, targets = get_arc_ends(snapshot, arcs[i])
        fits = np.flatnonzero(np.isin(targets, open_targets))
        # First one arc for each target, so that none is left unexplained, then the others.
        _, first = np.unique(targets[fits], return_index=True)
        order = np.concatenate([first, np.setdiff1d(np.arange(len(fits)), first)])
        chosen = np.sort(fits[order[:limit]])
        shown[i], open_targets = arcs[i][chosen], sort_unique(sources[chosen])
    return Trace(tuple(shown), tuple(levels))


def _keep_used_arcs(levels: list[_Level], start: np.ndarray, finals: np.ndarray) -> list[np.ndarray]:
    """Per step, the arcs of ``levels`` that some walk to ``finals`` uses."""
    kept: list[np.ndarray] = [NONE] * len(levels)
    alive = np.isin(levels[-1].entities, finals) if levels else np.zeros(0, bool)
    for i in reversed(range(len(levels))):
        level = levels[i]
        use = alive[level.targets]
        kept[i] = level.arcs[use]
        alive = np.zeros(len(levels[i - 1].entities if i else start), bool)
        alive[level.sources[use]] = True
    return kept
