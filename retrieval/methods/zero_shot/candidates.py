"""Relation paths that leave a topic, as far as some word of the question speaks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import is_reverse
from retrieval.kg.snapshot import KINDS
from retrieval.methods.common.arc_groups import find_group_bounds, get_arcs_at, list_groups, sample_positions

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.kg.snapshot import Snapshot

#: Relation paths of each length that are walked on, and that are ranked.
_WALKED, _RANKED = (24, 48), (16, 32, 40)
#: Of each length that lead back to the topic alone.
_RETURNING = 8
#: Entities of a relation path whose relations are looked at.
_ENTITIES = 16
_CVT = KINDS.index("cvt")


@dataclass(frozen=True, slots=True)
class PathMatch:
    """A relation path from a topic.

    Attributes:
        relations: directed ids.
        through: whether each step but the last ends in a node without a name, which is told by the step that leaves it.
        reached: how many entities the last step was seen to reach, of a sample.
        returns: its last step leads back to the topic and nowhere else.
    """

    relations: tuple[int, ...]
    through: tuple[bool, ...]
    reached: int
    returns: bool = False


#: Share of a graph's facts that lead from a node to itself above which names stand for several things each.
_LOOPS = 0.02


def has_simple_walks(snapshot: Snapshot) -> bool:
    """Whether what a question names is never its answer; not where names stand for several things each.

    There a song and its album are one node, with facts that lead from it to itself.
    """
    loops = int((np.asarray(snapshot.heads) == np.asarray(snapshot.tails)).sum())
    return loops < _LOOPS * snapshot.num_triples


def find_candidates(
    snapshot: Snapshot,
    topic: int,
    explains: Callable[[np.ndarray], np.ndarray],
    hops: int,
    *,
    simple: bool,
    returning: bool = False,
    numbers: np.ndarray | None = None,
) -> list[PathMatch]:
    """Relation paths of up to ``hops`` steps.

    Args:
        topic: where they start.
        explains: how much directed relations explain each of n words of the question, [relations, n]; asked for each
            relation once.
        hops: longest path.
        simple: paths never come back to their topic.
        returning: but for those that end there and nowhere else ("the mother of X's child"); not through a node
            without a name, which always leads back to what it is said of, nor by the reverse of the step before.
        numbers: which relations lead to numbers, or to yes and no, bool [relations]: what has the same is not joined by
            it, so that no path turns there.
    """
    numbers = np.zeros(snapshot.num_relations, bool) if numbers is None else numbers
    is_number = not bool(snapshot.out_offsets[topic + 1] > snapshot.out_offsets[topic])
    avoid = topic if simple else -1
    known = _ExplanationCache(explains, 2 * snapshot.num_relations)
    collected: list[PathMatch] = []
    paths: list[tuple[int, ...]] = [()]
    through: list[tuple[bool, ...]] = [()]
    ends, owners = np.array([topic], np.int64), np.zeros(1, np.int64)
    covered = np.zeros((1, 0), np.float32)
    for length in range(hops):
        (owner, relation), back = _list_leaving_relations(snapshot, ends, owners, avoid)
        if numbers.any():
            at_number = np.array([bool(path) and _is_number(numbers, path[-1]) for path in paths])
            turns = at_number[owner] | (numbers[relation % len(numbers)] & (relation >= len(numbers)))
            if length or not is_number:
                owner, relation = owner[~turns], relation[~turns]
            back = back[0][~at_number[back[0]]], back[1][~at_number[back[0]]]
        last = np.array([path[-1] if path else -1 for path in paths])
        onward = ~is_reverse(snapshot, back[1], last[back[0]])
        back = back[0][onward], back[1][onward]
        if returning and length:
            worth = np.maximum(covered[back[0]], known.get_rows(back[1])).sum(axis=1)
            likely = np.column_stack(back)[np.argsort(-worth, kind="stable")].tolist()
            collected += [
                PathMatch((*paths[o], r), through[o], 1, returns=True)
                for o, r in [(o, r) for o, r in likely if not through[o][-1]][:_RETURNING]
            ]
        if not len(owner):
            break
        explained = known.get_rows(relation)
        here = np.maximum(covered[owner], explained) if length else explained
        worth = here.sum(axis=1)
        order = np.lexsort((relation, owner, -worth))
        keep = order[: max(_RANKED[min(length, 2)], _WALKED[min(length, 1)])]
        owner, relation, here = owner[keep], relation[keep], here[keep]
        ends, owners = _walk_along(snapshot, ends, owners, (owner, relation), avoid)
        sizes = np.bincount(owners, minlength=len(keep))
        mediating = np.zeros(len(keep))
        np.add.at(mediating, owners, snapshot.kinds[ends] == _CVT)
        longer = [(*paths[o], int(r)) for o, r in zip(owner, relation, strict=True)]
        passed = [through[o] for o in owner]
        hidden = (sizes > 0) & (2 * mediating > sizes)
        collected += [
            PathMatch(longer[i], passed[i], int(sizes[i]))
            for i in range(min(len(keep), _RANKED[min(length, 2)]))
            if sizes[i] and not hidden[i]
        ]
        if length + 1 == hops:
            break
        limit = _WALKED[min(length, 1)]
        paths = longer[:limit]
        through = [(*passed[i], bool(hidden[i])) for i in range(len(paths))]
        covered = here[:limit]
        ends, owners = ends[owners < limit], owners[owners < limit]
    return collected


def _is_number(numbers: np.ndarray, relation: int) -> bool:
    """Whether a directed relation leads to a number."""
    return relation < len(numbers) and bool(numbers[relation])


class _ExplanationCache:
    """How much relations explain, asked for each once."""

    def __init__(self, explains: Callable[[np.ndarray], np.ndarray], total: int) -> None:
        self._explains = explains
        self._row = np.full(total, -1, np.int64)
        self._rows: np.ndarray | None = None

    def get_rows(self, relations: np.ndarray) -> np.ndarray:
        fresh = np.unique(relations[self._row[relations] < 0])
        if len(fresh):
            rows = self._explains(fresh)
            done = 0 if self._rows is None else len(self._rows)
            self._row[fresh] = done + np.arange(len(fresh))
            self._rows = rows if self._rows is None else np.concatenate([self._rows, rows])
        assert self._rows is not None, "something was asked for"
        explanations: np.ndarray = self._rows[self._row[relations]]
        return explanations


def _list_leaving_relations(
    snapshot: Snapshot, ends: np.ndarray, owners: np.ndarray, avoid: int
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Distinct (path, directed relation) that lead on from what paths reach, and those that only lead back."""
    which, relations, starts, sizes = list_groups(snapshot, ends)
    _, targets = get_arcs_at(snapshot, starts, relations)
    on = (sizes > 1) | (targets != avoid)
    total = 2 * snapshot.num_relations
    keys = owners[which] * total + relations
    ahead, every = np.unique(keys[on]), np.unique(keys)
    back = np.setdiff1d(every, ahead, assume_unique=True)
    return (ahead // total, ahead % total), (back // total, back % total)


def _walk_along(
    snapshot: Snapshot,
    ends: np.ndarray,
    owners: np.ndarray,
    longer: tuple[np.ndarray, np.ndarray],
    avoid: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Some entities that longer paths (owner, relation) reach, with the number of the path each; never ``avoid``."""
    owner, relation = longer
    starts_of = np.searchsorted(owners, owner)
    counts = np.searchsorted(owners, owner, side="right") - starts_of
    path = np.repeat(np.arange(len(owner)), counts)
    index = np.repeat(starts_of - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
    starts, sizes = find_group_bounds(snapshot, ends[index], relation[path])
    some = sizes > 0
    path, starts, sizes = path[some], starts[some], sizes[some]
    group, positions, _ = sample_positions(starts, sizes, _ENTITIES)
    _, targets = get_arcs_at(snapshot, positions, relation[path[group]])
    path = path[group]
    apart = targets != avoid
    keys = np.unique(path[apart] * snapshot.num_entities + targets[apart])
    path, targets = keys // snapshot.num_entities, keys % snapshot.num_entities
    # Evenly spread over what was seen, so that the first entities by id do not stand for all.
    first = np.searchsorted(path, np.arange(len(owner)))
    size = np.diff(np.append(first, len(path)))
    place = np.arange(len(path)) - first[path]
    step = np.maximum(1, size[path] // _ENTITIES)
    kept = (place % step == 0) & (place < step * _ENTITIES)
    return targets[kept], path[kept]
