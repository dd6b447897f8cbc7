"""Batches: walks along the labelled relation paths, and what competes with each step. Numpy, vectorised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.walks import spans
from retrieval.retrievers.arc_groups import arcs_at, bounds, groups, spread
from retrieval.training.examples import Examples

_TRIES = 4


@dataclass(frozen=True, slots=True)
class Walks:
    """One walk for each of B examples.

    Attributes:
        entities: int64 [B, L+1]; the topic first.
        arcs: int64 [B, L]; -1 after the walk ends.
        steps: arcs walked, int64 [B]; fewer than the label's when the walk met a dead end.
    """

    entities: np.ndarray
    arcs: np.ndarray
    steps: np.ndarray


@dataclass(frozen=True, slots=True)
class Candidates:
    """What competes in each of C contexts (an example at a step). STOP is not listed.

    Attributes:
        example, step, entity: of each context, int64 [C].
        stop: the label ends here, bool [C].
        context, arc, relation, group: of each of n sampled arcs, int64 [n].
        positive: the arc follows the label, bool [n].
        augmented: the arc counts as positive at step 0 only (eq. 13), bool [n].
        weight: how many arcs of its group each sampled arc stands for, float32 [n].
        group_context, group_positive: of each (context, directed relation) group.
    """

    example: np.ndarray
    step: np.ndarray
    entity: np.ndarray
    stop: np.ndarray
    context: np.ndarray
    arc: np.ndarray
    relation: np.ndarray
    group: np.ndarray
    positive: np.ndarray
    augmented: np.ndarray
    weight: np.ndarray
    group_context: np.ndarray
    group_positive: np.ndarray


def sample_walks(
    snapshot: Snapshot, examples: Examples, chosen: np.ndarray, *, simple: bool, rng: np.random.Generator
) -> Walks:
    """A random walk along the label of each chosen example (valid paths are drawn anew each epoch).

    Args:
        snapshot: the graph.
        examples: all examples.
        chosen: indices, [B].
        simple: never step back to the topic.
        rng: of the choice among arcs of the same relation.
    """
    paths, lengths, topics = examples.paths[chosen], examples.lengths[chosen], examples.topics[chosen]
    count, longest = paths.shape
    entities = np.full((count, longest + 1), -1, np.int64)
    arcs = np.full((count, longest), -1, np.int64)
    entities[:, 0] = topics
    steps = np.zeros(count, np.int64)
    for i in range(longest):
        live = np.flatnonzero((steps == i) & (lengths > i))
        starts, sizes = bounds(snapshot, entities[live, i], paths[live, i])
        live, starts, sizes = live[sizes > 0], starts[sizes > 0], sizes[sizes > 0]
        for _ in range(_TRIES):
            if not len(live):
                break
            position = starts + (rng.random(len(live)) * sizes).astype(np.int64)
            arc, target = arcs_at(snapshot, position, paths[live, i])
            fits = target != topics[live] if simple else np.ones(len(live), bool)
            goes_on = lengths[live] > i + 1
            ahead = np.where(goes_on, paths[live, min(i + 1, longest - 1)], 0)
            fits &= ~goes_on | (bounds(snapshot, target, ahead)[1] > 0)
            done = live[fits]
            arcs[done, i], entities[done, i + 1], steps[done] = arc[fits], target[fits], i + 1
            live, starts, sizes = live[~fits], starts[~fits], sizes[~fits]
    return Walks(entities, arcs, steps)


def sample_candidates(
    snapshot: Snapshot,
    examples: Examples,
    chosen: np.ndarray,
    walks: Walks,
    *,
    simple: bool,
    per_relation: int,
    rng: np.random.Generator,
) -> Candidates:
    """The contexts of the walks, and at most ``per_relation`` arcs of each directed relation in each."""
    lengths, topics = examples.lengths[chosen], examples.topics[chosen]
    # A context for each step walked, and one more: the STOP, or the dead end's step, which is left out.
    counts = np.where(walks.steps == lengths, walks.steps + 1, walks.steps)
    step, example = spans(np.zeros(len(chosen), np.int64), counts)
    entity = walks.entities[example, step]
    stop = step == lengths[example]
    followed = np.where(
        stop, -1, examples.paths[chosen][example, np.minimum(step, examples.paths.shape[1] - 1)]
    )

    context_of_group, relation, starts, sizes = groups(snapshot, entity)
    group, position, weight = spread(starts, sizes, per_relation, rng)
    arc, target = arcs_at(snapshot, position, relation[group])
    context = context_of_group[group]
    kept = ~((target == topics[example[context]]) & simple)
    group_positive = relation == followed[context_of_group]
    augmented = examples.first[chosen[example[context]], relation[group]] & (step[context] == 0)
    return Candidates(
        example, step, entity, stop,
        context[kept], arc[kept], relation[group][kept], group[kept], group_positive[group][kept], augmented[kept],
        weight[kept],
        context_of_group, group_positive,
    )  # fmt: skip
