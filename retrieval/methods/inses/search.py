"""The search itself: INSES, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import check
from retrieval.methods.inses.base import Decision, Jump, Navigator, Pick, Stand, View
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.methods.inses.expansion import Expansion

ARC_LIMIT = 20_000
"""Arcs looked at in one step; those of the largest hubs are cut first."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One iteration: what was seen, what was decided, where the search jumps."""

    view: View
    decision: Decision
    jumps: tuple[Jump, ...]


@dataclass(slots=True)
class Found:
    """What a search selected.

    Attributes:
        facts: every selected fact with its best score.
        ways: every selected way, arcs from where its chain begins, with its score, in the order of selection.
        usage: what a language model cost.
    """

    facts: dict[int, float] = field(default_factory=dict)
    ways: dict[tuple[int, ...], float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


def search(
    snapshot: Snapshot,
    question: str,
    starts: Iterable[Stand],
    navigator: Navigator,
    found: Found,
    *,
    expansion: Expansion | None,
    iterations: int,
    budget: int,
    fill: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Step]:
    """Explore from the starts until the navigator has enough, nothing is left, or the iterations are used up.

    Args:
        snapshot: the graph.
        question: as asked.
        starts: V_init, each entity once.
        navigator: selects.
        found: filled as the search goes on.
        expansion: finds similar entities; None goes without (the paper's ablation).
        iterations: at most so many steps.
        budget: most facts selected.
        fill: take the best of what was left too, at the end and until the budget is used up.
        cancelled: asked between pieces of work.

    Raises:
        Cancelled: ``cancelled`` said so.
        LLMError: the navigator needs a language model that cannot be used.
    """
    left = _Left(snapshot.num_triples)
    for step in _steps(
        snapshot, question, tuple(starts), navigator, found,
        expansion=expansion, iterations=iterations, budget=budget, cancelled=cancelled,
    ):  # fmt: skip
        left.add(step)
        yield step
    if fill and (last := left.step(question, found, budget)) is not None:
        yield last


class _Left:
    """What a search saw and did not select."""

    def __init__(self, num_triples: int) -> None:
        self._triples = num_triples
        self._best: dict[int, tuple[float, int, int]] = {}
        self._number = 0

    def add(self, step: Step) -> None:
        """The best of what a step left, each fact by its best score."""
        view, self._number = step.view, step.view.step
        for pick in step.decision.rest:
            arc = int(view.arcs[pick.position])
            known = self._best.get(arc % self._triples)
            if known is None or pick.score > known[0]:
                self._best[arc % self._triples] = pick.score, arc, int(view.targets[pick.position])

    def step(self, question: str, found: Found, budget: int) -> Step | None:
        """A last step that takes the best of them; no chain goes on from there."""
        free = [item for fact, item in self._best.items() if fact not in found.facts]
        taken = sorted(free, key=lambda item: (-item[0], item[1]))[: budget - len(found.facts)]
        if not taken:
            return None
        arcs, targets = (np.array([item[i] for item in taken], np.int64) for i in (1, 2))
        selected, left = dict(found.facts), budget - len(found.facts)
        owners = np.zeros(len(arcs), np.int64)
        view = View(question, self._number + 1, (), frozenset(), selected, arcs, owners, targets, left)
        picks = tuple(Pick(i, item[0]) for i, item in enumerate(taken))
        found.facts.update({item[1] % self._triples: item[0] for item in taken})
        thought = f"Filled up with the {len(taken)} best of what was left."
        return Step(view, Decision(picks, (), True, thought), ())


def _steps(
    snapshot: Snapshot,
    question: str,
    stands: tuple[Stand, ...],
    navigator: Navigator,
    found: Found,
    *,
    expansion: Expansion | None,
    iterations: int,
    budget: int,
    cancelled: Callable[[], bool],
) -> Iterator[Step]:
    """See :func:`search`; Algorithm 1 itself."""
    visited: set[int] = set()
    for step in range(1, iterations + 1):
        if not stands or len(found.facts) >= budget:
            return
        check(cancelled)
        visited.update(stand.entity for stand in stands)
        arcs, owners, targets = adjacent(snapshot, stands)
        left, calls = budget - len(found.facts), iterations + 1 - found.usage.llm_calls
        if calls < 1:
            return
        view = View(
            question, step, stands, frozenset(visited), dict(found.facts), arcs, owners, targets, left, calls
        )
        decision = navigator.choose(view, cancelled=cancelled)
        found.usage = found.usage.plus(decision.usage)
        reached = _keep(snapshot, view, decision, found, budget)
        jumps: tuple[Jump, ...] = ()
        if expansion is not None and not decision.sufficient:
            check(cancelled)
            jumps = tuple(jump for jump in expansion.jumps(stands) if jump.target not in visited)
        yield Step(view, decision, jumps)
        if decision.sufficient:
            return
        stands = _next(stands, reached, jumps, visited)


def adjacent(snapshot: Snapshot, stands: Sequence[Stand]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs that leave the stands (INSES eq. 2), at most ``ARC_LIMIT``: hubs share what small ones leave.

    Returns:
        Arcs, positions of their stands, and entities at their other ends, int64 [n] each.
    """
    degrees = snapshot.degrees([stand.entity for stand in stands])
    limit = _level(degrees, ARC_LIMIT)
    triples = snapshot.num_triples
    arcs, owners = [], []
    for position, stand in enumerate(stands):
        out = np.arange(*_bounds(snapshot.out_edges(stand.entity)), dtype=np.int64)
        into = snapshot.in_edges(stand.entity).astype(np.int64)
        # A fact that leads from an entity to itself leads nowhere.
        into = into[snapshot.heads[into] != stand.entity] + triples
        out = out[snapshot.tails[out] != stand.entity]
        mine = np.concatenate([out, into])
        if len(mine) > limit:  # evenly, so that every relation of a hub keeps some
            mine = mine[np.linspace(0, len(mine) - 1, limit).astype(np.int64)]
        arcs.append(mine)
        owners.append(np.full(len(mine), position, np.int64))
    joined = np.concatenate(arcs)
    facts = joined % triples
    targets = np.where(joined < triples, snapshot.tails[facts], snapshot.heads[facts]).astype(np.int64)
    return joined, np.concatenate(owners), targets


def _bounds(edges: range) -> tuple[int, int]:
    return edges.start, edges.stop


def _level(sizes: np.ndarray, total: int) -> int:
    """The largest share that each may take so that all together take at most ``total``."""
    left = total
    for i, size in enumerate(sorted(sizes.tolist())):
        share = left // (len(sizes) - i)
        if size > share:
            return max(1, share)
        left -= size
    return max(1, int(sizes.max(initial=1)))


def _keep(snapshot: Snapshot, view: View, decision: Decision, found: Found, budget: int) -> dict[int, Stand]:
    """Add what was selected; where it leads, by entity, the best way to each."""
    reached: dict[int, Stand] = {}
    for pick in decision.picks:
        arc = int(view.arcs[pick.position])
        fact = arc % snapshot.num_triples
        if fact not in found.facts and len(found.facts) >= budget:
            break
        stand = view.stands[int(view.owners[pick.position])]
        way = (*stand.way, arc)
        found.facts[fact] = max(pick.score, found.facts.get(fact, 0.0))
        found.ways[way] = max(pick.score, found.ways.get(way, 0.0))
        target = int(view.targets[pick.position])
        before = reached.get(target, Stand(target, -1.0))
        sources = (*before.sources, (fact, pick.score))
        best = before.score >= pick.score
        reached[target] = Stand(target, max(before.score, pick.score), before.way if best else way, sources)
    return reached


def _next(
    stands: Sequence[Stand], reached: dict[int, Stand], jumps: Sequence[Jump], visited: set[int]
) -> tuple[Stand, ...]:
    """(V_candidate and V_sim) without V_visited. A jump keeps the score of where it left; a new chain begins."""
    left = {stand.entity: stand for stand in stands}
    following = {entity: stand for entity, stand in reached.items() if entity not in visited}
    for jump in jumps:
        following.setdefault(jump.target, _landed(jump, left[jump.source]))
    return tuple(following.values())


def _landed(jump: Jump, stand: Stand) -> Stand:
    sources = tuple((fact, score * jump.score) for fact, score in stand.sources)
    return Stand(jump.target, stand.score * jump.score, (), sources)
