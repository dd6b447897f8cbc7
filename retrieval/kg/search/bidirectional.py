"""The arcs on which paths between two sets of entities can lie: searched from both sides, the cheaper one first.

What lies within ``ahead`` hops of the sources and within ``hops - ahead`` of the targets holds every path of at most
``hops`` arcs. Nothing is as large as the graph but two maps of bytes, which the system clears where they are touched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.arrays import expand_spans, sort_unique

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Arcs:
    """Arcs by the node that they leave, ascending by arc id within it; nodes are positions in the region's.

    Attributes:
        starts: int64 [N + 1], where the arcs of each node begin.
        sources, targets, arcs: int64 [n], the nodes that an arc leaves and enters, and its id.
    """

    starts: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    arcs: np.ndarray


@dataclass(frozen=True, slots=True)
class PathRegion:
    """Where the paths between two sets lie.

    Attributes:
        sources: positions of the sources among the nodes.
        ahead: how many hops of a path are in ``leaving``; the later ones are in ``entering``.
        leaving: arcs that leave what lies near the sources.
        entering: arcs that enter what lies near the targets.
        left: int64 [N], hops from each node to the nearest target; more than the hops asked where it is not known.
    """

    sources: np.ndarray
    ahead: int
    leaving: Arcs
    entering: Arcs
    left: np.ndarray

    def expand_hop(self, hop: int, nodes: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arcs of the ``hop``-th hop from ``nodes``, which may repeat, to where ``most`` more hops can do.

        Returns:
            ``(owner, node, arc)``, int64 [n], as :func:`retrieval.kg.search.walks.walk_relation`,
            ascending by owner, then by arc.
        """
        table = self._get_table(hop)
        useful = self.left[table.targets] <= most
        if most:
            back = self._find_only_targets(hop + 1, most - 1)[table.targets] == table.sources
            useful &= ~back | (self.left[table.targets] == 0)
        starts = np.concatenate([[0], np.cumsum(useful)])[table.starts]
        first = starts[nodes]
        place, owner = expand_spans(first, starts[nodes + 1] - first)
        place = np.flatnonzero(useful).take(place)
        return owner, table.targets.take(place), table.arcs.take(place)

    def _get_table(self, hop: int) -> Arcs:
        return self.leaving if hop <= self.ahead else self.entering

    def _find_only_targets(self, hop: int, most: int) -> np.ndarray:
        """Where the ``hop``-th hop from each node leads if it leads to one place only, else -1; int64 [N]."""
        table = self._get_table(hop)
        useful = np.flatnonzero(self.left[table.targets] <= most)
        sources, targets = table.sources[useful], table.targets[useful]
        only = np.full(len(self.left), -1)
        only[sources] = targets  # the last one of each
        only[sources[only[sources] != targets]] = -1
        return only


class _Side:
    """What lies near the sources or the targets.

    Attributes:
        away: uint8 [E], one more than the hops to an entity; 0 where it was not reached.
        frontiers: for each hop the entities reached by it; the last one only once its cost was asked.
        layers: for each hop the arcs searched: ``(near, far, arc)`` as walked from this side.
    """

    def __init__(self, snapshot: Snapshot, entities: np.ndarray, others: np.ndarray) -> None:
        self._snapshot = snapshot
        # No path leads on from an only target, nor comes back to an only source.
        self._end = int(others[0]) if len(others) == 1 else -1
        self.away = np.zeros(snapshot.num_entities, np.uint8)
        self.away[entities] = 1
        self.frontiers = [entities]
        self.layers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._reached = self.frontiers[0]
        self._cost = -1

    @property
    def hops(self) -> int:
        """How far all was searched."""
        return len(self.layers)

    def compute_cost(self) -> int:
        """How many arcs the next hop has."""
        if len(self.frontiers) == self.hops:
            self.frontiers.append(sort_unique(self._reached))
            self._cost = -1
        if self._cost < 0:
            self._cost = int(self._snapshot.get_degrees(self.frontiers[-1]).sum())
        return self._cost

    def expand_frontier(self) -> None:
        """Search one hop farther."""
        front = self.frontiers[-1]
        owner, far, arcs = _find_leaving_arcs(self._snapshot, front)
        self.layers.append((front[owner], far, arcs))
        self._reached = far[(self.away[far] == 0) & (far != self._end)]
        self.away[self._reached] = self.hops + 1

    def select_useful(self, other: _Side, hops: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arcs that a path of at most ``hops`` can lie on, as far as the other side was searched."""
        kept = [(_NONE, _NONE, _NONE)]
        for hop, layer in enumerate(self.layers):
            most = hops - hop - 1
            if most > other.hops:
                kept.append(layer)
                continue
            near, far, arcs = layer
            fits = np.flatnonzero(other.away[far] - np.uint8(1) <= most)  # 0 wraps to 255
            kept.append((near[fits], far[fits], arcs[fits]))
        near, far, arcs = (np.concatenate(column) for column in zip(*kept, strict=True))
        return near, far, arcs


def find_path_region(snapshot: Snapshot, sources: np.ndarray, targets: np.ndarray, hops: int) -> PathRegion:
    """Where the paths of at most ``hops`` arcs between two sets lie.

    Args:
        sources, targets: entity ids, int64, ascending, without repeats.
        hops: longest path, at least 1, at most 250.
    """
    ahead, back = _Side(snapshot, sources, targets), _Side(snapshot, targets, sources)
    for _ in range(hops):
        (ahead if ahead.compute_cost() <= back.compute_cost() else back).expand_frontier()
    leaving = ahead.select_useful(back, hops)
    near, far, arcs = back.select_useful(ahead, hops)
    entering = (far, near, np.where(arcs < (facts := snapshot.num_triples), arcs + facts, arcs - facts))
    # What the side that grew last has reached last is useful only where the other one has reached it too.
    every = np.concatenate([*ahead.frontiers, *back.frontiers])
    position = np.empty(snapshot.num_entities, np.int64)
    position[every] = np.arange(len(every))
    nodes = every[position[every] == np.arange(len(every))]
    position[nodes] = np.arange(len(nodes))
    left = (back.away[nodes] - np.uint8(1)).astype(np.int64)
    first, second = (_build_table(position, walked, len(left), 2 * facts) for walked in (leaving, entering))
    for _ in range(ahead.hops - 1):  # what the search from the targets did not get to
        np.minimum.at(left, first.sources, left[first.targets] + 1)
    return PathRegion(position[sources], ahead.hops, first, second, left)


def _build_table(position: np.ndarray, walked: tuple[np.ndarray, np.ndarray, np.ndarray], nodes: int, ids: int) -> Arcs:
    sources, targets = position[walked[0]], position[walked[1]]
    order = np.argsort(sources * ids + walked[2])
    starts = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=nodes))])
    return Arcs(starts, sources[order], targets[order], walked[2][order])


def _find_leaving_arcs(snapshot: Snapshot, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As :func:`retrieval.kg.search.walks.find_arcs`, without the relations: ``(owner, target, arc)``, int64 [n]."""
    out_starts, in_starts = snapshot.out_offsets[entities], snapshot.in_offsets[entities]
    out, out_owner = expand_spans(out_starts, snapshot.out_offsets[entities + 1] - out_starts)
    into, in_owner = expand_spans(in_starts, snapshot.in_offsets[entities + 1] - in_starts)
    return (
        np.concatenate([out_owner, in_owner]),
        np.concatenate([snapshot.tails[out], snapshot.in_heads[into]]).astype(np.int64),
        np.concatenate([out, snapshot.in_order[into].astype(np.int64) + snapshot.num_triples]),
    )
