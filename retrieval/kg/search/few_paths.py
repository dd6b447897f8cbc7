"""Paths between two sets of entities where few arcs lie between them: numbers in dictionaries.

An array operation costs as much as twenty arcs looked at one by one, and many questions have no more than a hundred.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from retrieval.kg.snapshot import Snapshot

#: An arc and the entity at its other end.
Step = tuple[int, int]
#: An entity, where its facts begin and end, and those that enter it.
_Bounds = tuple[int, int, int, int, int]
_Table = dict[int, list[Step]]


class _Adjacency:
    """The arcs of entities, as numbers. What is not used is not made: an object costs more than looking at it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._out, self._into = snapshot.out_offsets.data, snapshot.in_offsets.data
        self._tails, self._heads, self._order = (
            snapshot.tails.data,
            snapshot.in_heads.data,
            snapshot.in_order.data,
        )
        self._facts = snapshot.num_triples
        self._known: dict[int, list[int]] = {}

    def find_bounds(self, entities: Iterable[int]) -> list[_Bounds]:
        """Where the arcs of each entity are."""
        out, into = self._out, self._into
        return [(e, out[e], out[e + 1], into[e], into[e + 1]) for e in entities]

    def get_ends(self, bounds: _Bounds) -> list[int]:
        """Where the arcs that leave an entity lead."""
        entity, first, last, first_in, last_in = bounds
        ends = self._known.get(entity)
        if ends is None:
            ends = self._tails[first:last].tolist()
            if first_in < last_in:
                ends += self._heads[first_in:last_in].tolist()
            self._known[entity] = ends
        return ends

    def find_reached(self, front: Iterable[_Bounds]) -> set[int]:
        """Where all arcs lead that leave some entities."""
        return set().union(*map(self.get_ends, front))

    def find_shared(self, front: Iterable[_Bounds]) -> set[int]:
        """Where arcs of more than one entity lead: what is reached from one only leads nowhere but back."""
        known = {bounds[0]: bounds for bounds in front}
        once: set[int] = set()
        shared: set[int] = set()
        for bounds in known.values():
            ends = self.get_ends(bounds)
            shared.update(once.intersection(ends))
            once.update(ends)
        return shared

    def get_arc(self, bounds: _Bounds, position: int) -> int:
        """The arc that leads to the end at that position, walked forward."""
        _, first, last, first_in, _ = bounds
        fact = first + position
        return fact if fact < last else self._order[first_in + fact - last] + self._facts

    def get_reversed_arc(self, bounds: _Bounds, position: int) -> int:
        """As :meth:`get_arc`, walked to the entity."""
        _, first, last, first_in, _ = bounds
        fact = first + position
        return fact + self._facts if fact < last else self._order[first_in + fact - last]


class _Front:
    """Entities whose arcs are to be searched.

    Attributes:
        bounds: where their arcs are, once they are counted.
        cost: how many arcs they have; until they are counted a guess, which asks nothing of the graph: what was reached
            by an arc mostly has another one.
    """

    def __init__(self, graph: _Adjacency, entities: Collection[int]) -> None:
        self._graph, self._entities = graph, entities
        self.bounds: list[_Bounds] | None = None
        self.cost = 2 * len(entities)

    def count(self) -> list[_Bounds]:
        """Find the arcs."""
        if self.bounds is None:
            self.bounds = self._graph.find_bounds(self._entities)
            self.cost = sum(b - a + d - c for _, a, b, c, d in self.bounds)
        return self.bounds


def _is_cheaper(first: _Front, second: _Front) -> bool:
    """Whether ``first`` has no more arcs than ``second``; which of them is counted then."""
    lesser, greater = (first, second) if first.cost <= second.cost else (second, first)
    lesser.count()
    if lesser.cost > greater.cost:
        greater.count()
    return first.cost <= second.cost


def find_few_paths(
    snapshot: Snapshot, sources: Sequence[int], targets: Sequence[int], hops: int, most: int
) -> list[list[tuple[int, ...]]] | None:
    """All simple paths of at most ``hops`` arcs, for each length from 1, ascending by arc ids.

    Searched from both sides, as :func:`retrieval.kg.search.bidirectional.find_path_region` does it.

    Args:
        sources, targets: entity ids without repeats.
        hops: longest path.
        most: look at so many arcs and partial paths at most.

    Returns:
        Arc ids; None where ``most`` is not enough.
    """
    graph = _Adjacency(snapshot)
    left = dict.fromkeys(targets, 0)
    # No path leads on from an only target, nor comes back to an only source.
    seen = {*sources, *(targets if len(targets) == 1 else ())}
    behind = {*targets, *(sources if len(sources) == 1 else ())}
    front, back = _Front(graph, sources), _Front(graph, targets)
    layers: list[list[_Bounds]] = []
    back_layers: list[list[_Bounds]] = []
    for hop in range(1, hops + 1):
        ahead = _is_cheaper(front, back)
        most -= (front if ahead else back).cost
        if most < 0:
            return None
        if ahead:
            layers.append(front.count())
            reached = graph.find_reached(layers[-1]) - seen
            if hop == hops:
                reached &= left.keys()
            if not reached:  # nor is there anything farther
                layers += [[] for _ in range(hop, hops)]
                break
            seen |= reached
            front = _Front(graph, reached)
        else:
            back_layers.append(back.count())
            reached = graph.find_reached(back_layers[-1]) - behind
            if hop == hops:
                reached &= seen
            left |= dict.fromkeys(reached, len(back_layers))
            behind |= reached
            back = _Front(graph, reached)
    between = seen & graph.find_shared(chain(*layers, *back_layers)) if layers else seen
    entering = _build_entering(graph, back_layers, between)
    tables = (_build_leaving(graph, layers, left, between),) * len(layers) + (entering,) * len(back_layers)
    return _list_paths(sources, left, len(back_layers) + 1, tables, most)


def _build_entering(graph: _Adjacency, layers: Sequence[list[_Bounds]], between: set[int]) -> _Table:
    """The arcs that enter what lies near the targets, at its border from ``between`` only."""
    table: _Table = {}
    for layer in layers:
        border = layer is layers[-1]
        for bounds in layer:
            for i, node in enumerate(graph.get_ends(bounds)):
                if not border or node in between:
                    table.setdefault(node, []).append((graph.get_reversed_arc(bounds, i), bounds[0]))
    return table


def _build_leaving(
    graph: _Adjacency, layers: Sequence[list[_Bounds]], left: dict[int, int], between: set[int]
) -> _Table:
    """The arcs that leave what lies near the sources, at its border only to targets and what is ``between``."""
    table: _Table = {}
    for layer in layers:
        border = layer is layers[-1]
        for bounds in layer:
            entity = bounds[0]
            table[entity] = [
                (graph.get_arc(bounds, i), node)
                for i, node in enumerate(graph.get_ends(bounds))
                if not border or (node in left and (node in between or not left[node]))
            ]
    return table


def _list_paths(
    sources: Sequence[int],
    left: dict[int, int],
    unknown: int,
    tables: Sequence[_Table],
    most: int,
) -> list[list[tuple[int, ...]]] | None:
    """The paths along one table a hop; what is not in ``left`` has at least ``unknown`` hops left.

    The last two hops are walked at once: most of what the last but one reaches leads nowhere new.
    """
    by_length: list[list[tuple[int, ...]]] = [[] for _ in tables]
    rows: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((source,), ()) for source in sources]
    *early, last = tables
    if not early:
        by_length[0] = [(arc,) for node in sources for arc, end in last.get(node, ()) if end in left and end != node]
    for hop, table in enumerate(early):
        far = len(early) - hop
        grown = []
        for visited, arcs in rows:
            for arc, node in table.get(visited[-1], ()):
                away = left.get(node, unknown)
                if away > far or node in visited:
                    continue
                if not away:
                    by_length[hop].append((*arcs, arc))
                if far > 1:
                    grown.append(((*visited, node), (*arcs, arc)))
                else:
                    by_length[-1] += [
                        (*arcs, arc, end)
                        for end, target in last.get(node, ())
                        if not left.get(target, 1) and target not in visited and target != node
                    ]
            if len(grown) + len(by_length[-1]) > most:
                return None
        rows = grown
    return [sorted(paths) for paths in by_length]
