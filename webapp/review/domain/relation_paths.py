"""Relation paths walked on a queue's version of the graph: what they reach, how they go on, how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from retrieval.errors import ClewError, UnknownEntityError
from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot
from webapp.api.errors import InvalidError
from webapp.graphs import snapshots
from webapp.review.models import Item

Path = tuple[tuple[str, bool], ...]
"""(relation name, inverse) per step, as in label files."""

STEPS_MAX = 8
ENDS = 12
"""Entities that a path reaches are drawn up to so many, right answers first; the counts say how many there are."""
HOPS = 40
"""Facts of one step that are drawn."""
NEXT_MAX = 60
ARCS_MAX = 1_000_000
"""Of more facts than so, it is not counted where each relation would lead."""


class PathError(InvalidError):
    """A relation path cannot be walked on this version of the graph."""

    code = "bad_path"


@dataclass(frozen=True, slots=True)
class PathWalk:
    """A relation path from a topic, as far as it can be walked.

    Attributes:
        topic: entity id; None when the graph does not have it.
        path: directed relation ids, as far as the walk gets.
        levels: entities reached after each step.
        error: why it does not get to the end; None when it does.
    """

    topic: int | None
    path: tuple[tuple[int, bool], ...]
    levels: tuple[np.ndarray, ...]
    error: ClewError | None

    @property
    def end(self) -> np.ndarray:
        """Entities after the last step that was walked; the topic before the first."""
        if self.levels:
            return self.levels[-1]
        return np.array([] if self.topic is None else [self.topic], np.int64)


def open_snapshot(item: Item) -> Snapshot:
    """The version of the graph that the item's queue is about, whatever became of the graph since."""
    return snapshots.open_snapshot(item.queue.snapshot.path)


def find_answers(snapshot: Snapshot, item: Item) -> np.ndarray:
    """The known answers that the graph has, ids ascending."""
    entities = [snapshot.find_entity(label) for label in item.answers]
    return np.unique(np.array([entity for entity in entities if entity is not None], np.int64))


def walk(snapshot: Snapshot, topic: str, path: Path, *, simple: bool) -> PathWalk:
    """Walk a path from a topic. What is wrong with it is told, not raised."""
    start = snapshot.find_entity(topic)
    if start is None:
        unknown = UnknownEntityError(
            f"The graph has no entity {topic[:200]}.", hint="Look the topic up by a part of its name."
        )
        return PathWalk(None, (), (), unknown)
    known: list[tuple[int, bool]] = []
    error: ClewError | None = _check_length(path)
    for name, inverse in path[:STEPS_MAX]:
        relation = snapshot.find_relation(name)
        if relation is None:
            error = UnknownEntityError(
                f"The graph has no relation {name[:200]}.", hint="Choose one of those that lead on."
            )
            break
        known.append((relation, inverse))
    levels = search.execute(snapshot, [start], known, simple=simple)
    for number, level in enumerate(levels):
        if not len(level):
            step = snapshot.get_relation_step(*known[number])
            backward = " backward" if step.inverse else ""
            nothing = f"Nothing is reached by step {number + 1}, {step.label}{backward}"
            if simple and len(search.execute(snapshot, [start], known, simple=False)[number]):
                nothing += (
                    f", except {topic} itself: a path returns to its topic only by a step that leads nowhere else "
                    f"and does not reverse the one before it, unless {topic} is among the answers"
                )
            error = PathError(f"{nothing}.", hint="Cut the path before it, or choose another relation.")
            known, levels = known[:number], levels[:number]
            break
    return PathWalk(start, tuple(known), tuple(levels), error)


def find_facts(snapshot: Snapshot, topic: str, path: Path, *, simple: bool) -> frozenset[tuple[int, str, str]]:
    """The facts of a path's complete walks as (step, source, target), by name; none where it cannot be walked."""
    path_walk = walk(snapshot, topic, path, simple=simple)
    if path_walk.error is not None:
        return frozenset()
    sources = [np.array([path_walk.topic], np.int64), *path_walk.levels[:-1]]
    used: set[tuple[int, str, str]] = set()
    ends = path_walk.end
    for step in reversed(range(len(path_walk.path))):
        relation, inverse = path_walk.path[step]
        owners, relations, targets, _ = search.find_arcs(snapshot, sources[step])
        directed = relation + (snapshot.num_relations if inverse else 0)
        keep = (relations == directed) & np.isin(targets, ends)
        starts = sources[step][owners[keep]]
        used.update(
            (step, snapshot.get_entity_label(int(start)), snapshot.get_entity_label(int(target)))
            for start, target in zip(starts, targets[keep], strict=True)
        )
        ends = np.unique(starts)
    return frozenset(used)


def _check_length(path: Path) -> ClewError | None:
    if not path:
        return PathError("The path has no step.", hint="Choose the first relation.")
    if len(path) > STEPS_MAX:
        return PathError(f"The path has more than {STEPS_MAX} steps.", hint="Cut it.")
    return None


def fit(reached: np.ndarray, answers: np.ndarray) -> dict[str, Any]:
    """How a set fits the answers that are in the graph: reached, hits, precision and recall, both in [0, 1]."""
    hits = int(np.isin(reached, answers).sum())
    return {
        "reached": len(reached),
        "hits": hits,
        "precision": hits / len(reached) if len(reached) else 0.0,
        "recall": hits / len(answers) if len(answers) else 0.0,
    }


def describe_steps(snapshot: Snapshot, path_walk: PathWalk) -> list[dict[str, Any]]:
    """Each step that was walked, with how many entities it reaches and some of them."""
    return [
        {
            "relation": step.name,
            "label": step.label,
            "inverse": step.inverse,
            "reached": len(level),
            "sample": draw_nodes(snapshot, level),
        }
        for step, level in (
            (snapshot.get_relation_step(*directed), level)
            for directed, level in zip(path_walk.path, path_walk.levels, strict=True)
        )
    ]


def find_continuations(
    snapshot: Snapshot, path_walk: PathWalk, answers: np.ndarray, *, simple: bool
) -> tuple[list[dict[str, Any]], int | None]:
    """The relations by which a path can go on, best F1 first, and how many there are.

    None for the number says that the path stands at too many facts to tell, and the list is empty.
    """
    ends = path_walk.end
    if path_walk.topic is None or len(path_walk.path) >= STEPS_MAX:
        return [], 0
    if int(snapshot.get_degrees(ends).sum()) > ARCS_MAX:
        return [], None
    owner, relations, targets, _ = search.find_arcs(snapshot, ends)
    if simple:
        last, inverse = path_walk.path[-1] if path_walk.path else (-1, False)
        reverse = search.is_reverse(snapshot, relations, last + inverse * snapshot.num_relations)
        keep = search.mark_simple_arcs(snapshot, ends[owner], targets, path_walk.topic, relations, reverse=reverse)
        relations, targets = relations[keep], targets[keep]
    pairs = np.unique(relations * snapshot.num_entities + targets)
    relations, targets = pairs // snapshot.num_entities, pairs % snapshot.num_entities
    ways, reached = np.unique(relations, return_counts=True)
    hits = np.bincount(np.searchsorted(ways, relations[np.isin(targets, answers)]), minlength=len(ways))
    # F1 of the set: 2 hits / (reached + answers); of equals the narrower first.
    f1 = 2 * hits / (reached + max(len(answers), 1))
    best = np.lexsort((ways, reached, -f1))[:NEXT_MAX]
    total = snapshot.num_relations
    return [
        {
            **_describe_step(snapshot, int(ways[i]) % total, bool(ways[i] >= total)),
            "reached": int(reached[i]),
            "hits": int(hits[i]),
            "precision": float(hits[i] / reached[i]),
            "recall": float(hits[i] / len(answers)) if len(answers) else 0.0,
        }
        for i in best
    ], len(ways)


def _describe_step(snapshot: Snapshot, relation: int, inverse: bool) -> dict[str, Any]:
    step = snapshot.get_relation_step(relation, inverse)
    return {"relation": step.name, "label": step.label, "inverse": step.inverse}


def draw_path(snapshot: Snapshot, path_walk: PathWalk, answers: np.ndarray, *, simple: bool) -> dict[str, Any]:
    """The hops to some of what a path reaches, and which of that is an answer, which not, and which is missed."""
    reached = path_walk.end if path_walk.levels else np.zeros(0, np.int64)
    right = np.isin(reached, answers)
    hops: list[dict[str, Any]] = []
    if path_walk.levels:
        ends = np.concatenate([reached[right], reached[~right]])[:ENDS]
        trace = search.compute_trace(snapshot, [path_walk.topic or 0], path_walk.path, ends, simple=simple, limit=HOPS)
        hops = [asdict(snapshot.get_hop(int(arc))) for arcs in trace.arcs for arc in arcs]
    return {
        "hops": hops,
        "hit": draw_nodes(snapshot, reached[right]),
        "extra": draw_nodes(snapshot, reached[~right]),
        "missed": draw_nodes(snapshot, answers[~np.isin(answers, reached)]),
    }


def draw_nodes(snapshot: Snapshot, entities: np.ndarray) -> Sequence[dict[str, Any]]:
    """The first entities of a set, to be shown."""
    return [asdict(snapshot.get_node(int(entity))) for entity in entities[:ENDS]]
