"""From relation paths to reasoning paths under a triple budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from retrieval.errors import check
from retrieval.kg.search.walks import is_reverse, mark_simple_arcs
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.methods.common.arc_groups import find_group_bounds, get_arcs_at
from retrieval.types import FoundPath, RelationPath

#: Partial paths kept while one relation path is walked; above it a seeded sample goes on.
_WIDTH = 2048
#: Arcs looked at in one step of a walk.
_ARCS = 65_536


def find_reasoning_paths(
    snapshot: Snapshot,
    ranked: Sequence[RelationPath],
    *,
    simple: bool,
    budget: int,
    seed: int,
    cancelled: Callable[[], bool],
    walk: Callable[[RelationPath, np.random.Generator], list[tuple[int, ...]]] | None = None,
) -> Iterator[FoundPath]:
    """Distinct reasoning paths along ranked relation paths, the most probable relation path first.

    The paper samples triples independently until the budget is spent (REL-RAG App. B). Here each relation
    path gets a share of the budget in proportion to its probability, and its valid paths, among which the
    training target is uniform, are drawn without replacement: the same expectation, no repeats, and nothing
    is drawn at all where the budget holds every path.

    Args:
        ranked: relation paths of all topics.
        simple: walks never come back to their topic.
        budget: most distinct facts in all paths together.
        walk: the reasoning paths of a relation path, as arcs, in the order in which they are wanted; by default
            all of the snapshot's, drawn at random.
    """
    order = sorted(ranked, key=lambda path: -path.score)
    rng = np.random.default_rng(seed)
    facts: set[int] = set()
    left = sum(path.score for path in order)
    late: list[FoundPath] = []
    for path in order:
        check(cancelled)
        room = budget - len(facts)
        if room <= 0:
            return
        share = max(len(path.relations), round(room * path.score / max(left, 1e-12)))
        left -= path.score
        spent = 0
        walks = walk(path, rng) if walk else walk_all(snapshot, path.topic, path.relations, simple=simple, rng=rng)
        for arcs in walks:
            fresh = {arc % snapshot.num_triples for arc in arcs} - facts
            found_path = FoundPath(path.topic, arcs, path.score)
            if spent + len(fresh) > share:
                late.append(found_path)
                continue
            if len(facts) + len(fresh) > budget:
                break
            facts |= fresh
            spent += len(fresh)
            yield found_path
    for found_path in late:
        fresh = {arc % snapshot.num_triples for arc in found_path.arcs} - facts
        if len(facts) + len(fresh) <= budget:
            facts |= fresh
            yield found_path


def walk_all(
    snapshot: Snapshot,
    topic: int,
    relations: Sequence[int],
    *,
    simple: bool,
    rng: np.random.Generator,
) -> list[tuple[int, ...]]:
    """Paths from ``topic`` along directed relations, as arcs, in a random order; a sample of very many."""
    ends = np.array([topic], np.int64)
    rows = np.zeros((1, 0), np.int64)
    for previous, relation in pairwise((-1, *relations)):
        starts, sizes = find_group_bounds(snapshot, ends, np.full(len(ends), relation))
        if int(sizes.sum()) > _ARCS:
            order = rng.permutation(len(ends))
            fits = order[: max(1, int(np.searchsorted(np.cumsum(sizes[order]), _ARCS)))]
            starts, sizes = starts[fits], np.minimum(sizes[fits], _ARCS)
            ends, rows = ends[fits], rows[fits]
        positions, owner = expand_spans(starts, sizes)
        arcs, targets = get_arcs_at(snapshot, positions, np.full(len(positions), relation))
        avoid, reverse = topic if simple else -1, is_reverse(snapshot, relation, previous)
        keep = np.flatnonzero(
            mark_simple_arcs(snapshot, ends[owner], targets, avoid, np.zeros_like(targets), reverse=reverse)
        )
        if len(keep) > _WIDTH:
            keep = np.sort(rng.choice(keep, _WIDTH, replace=False))
        rows = np.column_stack([rows[owner[keep]], arcs[keep]])
        ends = targets[keep]
    return [tuple(row) for row in rng.permutation(rows).tolist()]
