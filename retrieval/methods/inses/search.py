"""The search itself: INSES, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import check
from retrieval.language.question import Question
from retrieval.methods.inses.base import Jump, Navigator, NavigatorDecision, Pick, Stand, View
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.methods.inses.expansion import Expansion

ARC_LIMIT = 20_000
"""Arcs looked at in one step; those of the largest hubs are cut first."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchStep:
    """One iteration: what was seen, what was decided, where the search jumps."""

    view: View
    decision: NavigatorDecision
    jumps: tuple[Jump, ...]


@dataclass(slots=True)
class SearchSelection:
    """What a search selected.

    Attributes:
        facts: every selected fact with its best score.
        ways: every selected way, arcs from where its chain begins, with its score, in the order of selection.
    """

    facts: dict[int, float] = field(default_factory=dict)
    ways: dict[tuple[int, ...], float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


def search(
    snapshot: Snapshot,
    question: Question,
    starts: Iterable[Stand],
    navigator: Navigator,
    selection: SearchSelection,
    *,
    expansion: Expansion | None,
    iterations: int,
    budget: int,
    fill: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[SearchStep]:
    """Explore from the starts until the navigator has enough, nothing is left, or the iterations are used up.

    Args:
        starts: V_init, each entity once.
        navigator: selects.
        selection: filled as the search goes on.
        expansion: finds similar entities; None goes without (the paper's ablation).
        iterations: at most so many steps.
        budget: most facts selected.
        fill: take the best of what was left too, at the end and until the budget is used up.

    Raises:
        LLMError: the navigator needs a language model that cannot be used.
    """
    left = _Left(snapshot.num_triples)
    for step in _run_steps(
        snapshot, question, tuple(starts), navigator, selection,
        expansion=expansion, iterations=iterations, budget=budget, cancelled=cancelled,
    ):  # fmt: skip
        left.add(step)
        yield step
    if fill and (last := left.make_last_step(question, selection, budget)) is not None:
        yield last


class _Left:
    """What a search saw and did not select."""

    def __init__(self, num_triples: int) -> None:
        self._triples = num_triples
        self._best: dict[int, tuple[float, int, int]] = {}
        self._number = 0

    def add(self, step: SearchStep) -> None:
        """The best of what a step left, each fact by its best score."""
        view, self._number = step.view, step.view.step
        for pick in step.decision.rest:
            arc = int(view.arcs[pick.position])
            known = self._best.get(arc % self._triples)
            if known is None or pick.score > known[0]:
                self._best[arc % self._triples] = pick.score, arc, int(view.targets[pick.position])

    def make_last_step(self, question: Question, selection: SearchSelection, budget: int) -> SearchStep | None:
        """A last step that takes the best of them; no chain goes on from there."""
        free = [item for fact, item in self._best.items() if fact not in selection.facts]
        taken = sorted(free, key=lambda item: (-item[0], item[1]))[: budget - len(selection.facts)]
        if not taken:
            return None
        arcs, targets = (np.array([item[i] for item in taken], np.int64) for i in (1, 2))
        selected, left = dict(selection.facts), budget - len(selection.facts)
        owners = np.zeros(len(arcs), np.int64)
        view = View(question, self._number + 1, (), frozenset(), selected, arcs, owners, targets, left)
        picks = tuple(Pick(i, item[0]) for i, item in enumerate(taken))
        selection.facts.update({item[1] % self._triples: item[0] for item in taken})
        thought = f"Filled up with the {len(taken)} best of what was left."
        return SearchStep(view, NavigatorDecision(picks, (), True, thought), ())


def _run_steps(
    snapshot: Snapshot,
    question: Question,
    stands: tuple[Stand, ...],
    navigator: Navigator,
    selection: SearchSelection,
    *,
    expansion: Expansion | None,
    iterations: int,
    budget: int,
    cancelled: Callable[[], bool],
) -> Iterator[SearchStep]:
    """See :func:`search`; Algorithm 1 itself."""
    visited: set[int] = set()
    for step in range(1, iterations + 1):
        if not stands or len(selection.facts) >= budget:
            return
        check(cancelled)
        visited.update(stand.entity for stand in stands)
        arcs, owners, targets = find_adjacent_arcs(snapshot, stands)
        left, calls = budget - len(selection.facts), iterations + 1 - selection.usage.llm_calls
        if calls < 1:
            return
        view = View(
            question,
            step,
            stands,
            frozenset(visited),
            dict(selection.facts),
            arcs,
            owners,
            targets,
            left,
            calls,
        )
        decision = navigator.select_arcs(view, cancelled=cancelled)
        selection.usage = selection.usage.add(decision.usage)
        reached = _keep(snapshot, view, decision, selection, budget)
        jumps: tuple[Jump, ...] = ()
        if expansion is not None and not decision.sufficient:
            check(cancelled)
            jumps = tuple(jump for jump in expansion.find_jumps(stands) if jump.target not in visited)
        yield SearchStep(view, decision, jumps)
        if decision.sufficient:
            return
        stands = _find_next_stands(stands, reached, jumps, visited)


def find_adjacent_arcs(snapshot: Snapshot, stands: Sequence[Stand]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs that leave the stands (INSES eq. 2), at most ``ARC_LIMIT``: hubs share what small ones leave.

    Returns:
        Arcs, positions of their stands, and entities at their other ends, int64 [n] each.
    """
    degrees = snapshot.get_degrees([stand.entity for stand in stands])
    limit = _compute_limit(degrees, ARC_LIMIT)
    triples = snapshot.num_triples
    arcs, owners = [], []
    for position, stand in enumerate(stands):
        out = np.arange(*_get_bounds(snapshot.get_out_edges(stand.entity)), dtype=np.int64)
        into = snapshot.get_in_edges(stand.entity).astype(np.int64)
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


def _get_bounds(edges: range) -> tuple[int, int]:
    return edges.start, edges.stop


def _compute_limit(sizes: np.ndarray, total: int) -> int:
    """The largest share that each may take so that all together take at most ``total``."""
    left = total
    for i, size in enumerate(sorted(sizes.tolist())):
        share = left // (len(sizes) - i)
        if size > share:
            return max(1, share)
        left -= size
    return max(1, int(sizes.max(initial=1)))


def _keep(
    snapshot: Snapshot, view: View, decision: NavigatorDecision, selection: SearchSelection, budget: int
) -> dict[int, Stand]:
    """Add what was selected; where it leads, by entity, the best way to each."""
    reached: dict[int, Stand] = {}
    for pick in decision.picks:
        arc = int(view.arcs[pick.position])
        fact = arc % snapshot.num_triples
        if fact not in selection.facts and len(selection.facts) >= budget:
            break
        stand = view.stands[int(view.owners[pick.position])]
        way = (*stand.way, arc)
        selection.facts[fact] = max(pick.score, selection.facts.get(fact, 0.0))
        selection.ways[way] = max(pick.score, selection.ways.get(way, 0.0))
        target = int(view.targets[pick.position])
        before = reached.get(target, Stand(target, -1.0))
        sources = (*before.sources, (fact, pick.score))
        best = before.score >= pick.score
        reached[target] = Stand(target, max(before.score, pick.score), before.way if best else way, sources)
    return reached


def _find_next_stands(
    stands: Sequence[Stand], reached: dict[int, Stand], jumps: Sequence[Jump], visited: set[int]
) -> tuple[Stand, ...]:
    """(V_candidate and V_sim) without V_visited. A jump keeps the score of where it left; a new chain begins."""
    left = {stand.entity: stand for stand in stands}
    following = {entity: stand for entity, stand in reached.items() if entity not in visited}
    for jump in jumps:
        following.setdefault(jump.target, _make_stand(jump, left[jump.source]))
    return tuple(following.values())


def _make_stand(jump: Jump, stand: Stand) -> Stand:
    sources = tuple((fact, score * jump.score) for fact, score in stand.sources)
    return Stand(jump.target, stand.score * jump.score, (), sources)
