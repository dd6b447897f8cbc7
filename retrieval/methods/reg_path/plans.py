"""Plans on the graph: relation paths that a planner writes, held by a beam to what the graph allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from retrieval.errors import check
from retrieval.kg.search.walks import is_reverse, mark_simple_arcs
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.methods.common.arc_groups import find_group_bounds, get_arcs_at, list_groups, sample_positions
from retrieval.types import RelationPath

#: Entities of a relation path that are looked at for what may come next.
ENTITIES = 256
CVT = KINDS.index("cvt")
#: Arcs walked from one relation path to the next; of more, an even sample.
ARCS = 4096


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What the graph allows after a relation path.

    Attributes:
        prefix: directed relations so far.
        relations: directed relations that lead on, ascending, int64 [k].
        may_stop: whether the path may end here: it has begun, and reaches more than mediators.
    """

    row: int
    prefix: tuple[int, ...]
    relations: np.ndarray
    may_stop: bool


class PlanWriter(Protocol):
    """A planner that writes about some questions: one interface for the small one and for language models."""

    def score_options(self, options: Sequence[PlanOptions]) -> list[np.ndarray]:
        """For each, log-probabilities of its ``relations`` in their order and, last, of stopping, float64 [k+1].

        They sum to at most 1 over what is allowed; what is not allowed, or too unlikely to be looked at, is -inf.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Plan:
    """A relation path under way, some of the entities it reaches, and its log-probability."""

    row: int
    relations: tuple[int, ...]
    log: float
    entities: np.ndarray


def search(
    snapshot: Snapshot,
    topics: Sequence[int],
    writer: PlanWriter,
    *,
    simple: bool,
    max_hops: int,
    width: int,
    least: float = 1e-5,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[list[RelationPath]]:
    """Beam search over relation paths (ReG App. E: k = 10 or 20), all topics together. Deterministic.

    Args:
        topics: n entities; question i is asked of topic i.
        simple: walks never come back to their topic.
        max_hops: longest path; a path of that length stops there.
        width: relation paths of each topic that go on, on every level.
        least: a path less probable than this is dropped.

    Returns:
        Paths of each topic, most probable first.
    """
    plans = [_Plan(i, (), 0.0, np.array([topic], np.int64)) for i, topic in enumerate(topics)]
    finished: list[tuple[_Plan, float]] = []
    for level in range(max_hops):
        check(cancelled)
        if not plans:
            break
        options = list_options(snapshot, topics, plans, simple=simple)
        logs = writer.score_options(options)
        for plan, each in zip(plans, logs, strict=True):
            if np.isfinite(each[-1]):
                finished.append((plan, plan.log + float(each[-1])))
        plans = _expand_plans(snapshot, topics, plans, options, logs, simple=simple, width=width, floor=np.log(least))
        if level + 1 == max_hops:
            finished += [(plan, plan.log) for plan in plans if _can_end(snapshot, plan.entities)]
    kept = [(plan, log) for plan, log in finished if log > np.log(least)]
    kept.sort(key=lambda item: (item[0].row, -item[1], item[0].relations))
    paths: list[list[RelationPath]] = [[] for _ in topics]
    for plan, log in kept:
        topic = int(topics[plan.row])
        returns = plan.entities.tolist() == [topic]
        paths[plan.row].append(RelationPath(topic, plan.relations, float(np.exp(log)), returns=returns))
    return paths


def list_options(
    snapshot: Snapshot, topics: Sequence[int], plans: Sequence[_Plan], *, simple: bool
) -> list[PlanOptions]:
    """The directed relations by which a simple walk can continue each plan."""
    owner_of = np.repeat(np.arange(len(plans)), [len(plan.entities) for plan in plans])
    entities = np.concatenate([plan.entities for plan in plans])
    owner, relation, starts, sizes = list_groups(snapshot, entities)
    plan_of = owner_of[owner]
    if simple:
        last = np.array([plan.relations[-1] if plan.relations else -1 for plan in plans])
        leaves_only = (snapshot.kinds[entities[owner]] == CVT) | is_reverse(snapshot, relation, last[plan_of])
        alone = np.flatnonzero((sizes == 1) & leaves_only)
        _, target = get_arcs_at(snapshot, starts[alone], relation[alone])
        home = np.array([topics[plan.row] for plan in plans])[plan_of[alone]]
        keep = np.ones(len(owner), bool)
        keep[alone[target == home]] = False
        plan_of, relation = plan_of[keep], relation[keep]
    keys = np.unique(plan_of * (2 * snapshot.num_relations) + relation)
    plan_of, relation = np.divmod(keys, 2 * snapshot.num_relations)
    parts = np.split(relation, np.searchsorted(plan_of, np.arange(1, len(plans))))
    return [
        PlanOptions(p.row, p.relations, part, bool(p.relations) and _can_end(snapshot, p.entities))
        for p, part in zip(plans, parts, strict=True)
    ]


def _can_end(snapshot: Snapshot, entities: np.ndarray) -> bool:
    return bool((snapshot.kinds[entities] != CVT).any())


def _expand_plans(
    snapshot: Snapshot,
    topics: Sequence[int],
    plans: Sequence[_Plan],
    options: Sequence[PlanOptions],
    logs: Sequence[np.ndarray],
    *,
    simple: bool,
    width: int,
    floor: float,
) -> list[_Plan]:
    """The best ``width`` continuations of each topic that reach something."""
    scored = sorted(
        (
            (plan.row, -(plan.log + float(log)), i, int(relation))
            for i, (plan, option, each) in enumerate(zip(plans, options, logs, strict=True))
            for relation, log in zip(option.relations, each[:-1], strict=True)
            if plan.log + log > floor
        ),
    )
    grown: list[_Plan] = []
    taken = dict.fromkeys(range(len(topics)), 0)
    for row, cost, i, relation in scored:
        if taken[row] >= width:
            continue
        avoid = topics[row] if simple else None
        entities = _walk(snapshot, plans[i], relation, avoid)
        if len(entities):
            taken[row] += 1
            grown.append(_Plan(row, (*plans[i].relations, relation), -cost, entities))
    return grown


def _walk(snapshot: Snapshot, plan: _Plan, relation: int, avoid: int | None) -> np.ndarray:
    """At most ``ENTITIES`` entities a plan reaches by one directed relation more, evenly spread over their ids."""
    entities, last = plan.entities, plan.relations[-1] if plan.relations else -1
    starts, sizes = find_group_bounds(snapshot, entities, np.full(len(entities), relation))
    limit = max(1, ARCS // len(entities)) if int(sizes.sum()) > ARCS else ARCS
    owner, positions, _ = sample_positions(starts, sizes, limit)
    _, targets = get_arcs_at(snapshot, positions, np.full(len(positions), relation))
    if avoid is not None:
        reverse = is_reverse(snapshot, relation, last)
        keep = mark_simple_arcs(snapshot, entities[owner], targets, avoid, np.zeros_like(targets), reverse=reverse)
        targets = targets[keep]
    targets = np.unique(targets)
    if len(targets) > ENTITIES:
        targets = targets[np.arange(ENTITIES) * len(targets) // ENTITIES]
    return targets
