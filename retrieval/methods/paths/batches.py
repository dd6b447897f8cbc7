"""Batches: walks along the labelled relation paths, and what competes with each step. Numpy, vectorised."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from retrieval.kg.search.walks import is_reverse, mark_simple_arcs
from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.methods.common.arc_groups import find_group_bounds, get_arcs_at, list_groups, sample_positions
from retrieval.methods.paths.examples import Examples

_TRIES = 4
_CVT = KINDS.index("cvt")


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


def sample_contexts(
    snapshot: Snapshot,
    examples: Examples,
    chosen: np.ndarray,
    *,
    simple: bool,
    per_relation: int,
    rng: np.random.Generator,
) -> tuple[Walks, Candidates]:
    """Walks of the chosen examples and what competes with their steps, arcs as the whole graph numbers them.

    An example with a subgraph of its own is walked there, and only the subgraph's arcs compete.

    Args:
        chosen: indices, [B].
        simple: never step back to the topic.
        per_relation: arcs drawn of each directed relation in each context, at most.
    """
    subgraphs = [examples.own[i] for i in chosen.tolist()]
    shared = np.array([i for i, facts in enumerate(subgraphs) if facts is None], np.int64)
    parts: list[tuple[Snapshot, np.ndarray]] = [(snapshot, shared)] if len(shared) else []
    parts += [
        (RestrictedSnapshot(snapshot, facts), np.array([i])) for i, facts in enumerate(subgraphs) if facts is not None
    ]
    sampled = []
    for graph, indices in parts:
        walks = sample_walks(graph, examples, chosen[indices], simple=simple, rng=rng)
        candidates = sample_candidates(
            graph, examples, chosen[indices], walks, simple=simple, per_relation=per_relation, rng=rng
        )
        if isinstance(graph, RestrictedSnapshot):
            walks = replace(walks, arcs=_map_to_full_graph(graph, walks.arcs))
            candidates = replace(candidates, arc=_map_to_full_graph(graph, candidates.arc))
        sampled.append((indices, walks, candidates))
    return sampled[0][1:] if len(sampled) == 1 else _merge_parts(sampled)


def _map_to_full_graph(graph: RestrictedSnapshot, arcs: np.ndarray) -> np.ndarray:
    """A restriction's arcs as the whole graph numbers them; -1 stays."""
    if not graph.num_triples:
        return arcs
    facts = graph.facts[arcs % graph.num_triples]
    full_arcs: np.ndarray = np.where(arcs < graph.num_triples, facts, facts + graph.base.num_triples)
    return np.where(arcs < 0, -1, full_arcs)


def _merge_parts(sampled: list[tuple[np.ndarray, Walks, Candidates]]) -> tuple[Walks, Candidates]:
    """The parts of a batch put together again, each example where it was."""
    order = np.argsort(np.concatenate([indices for indices, _, _ in sampled]), kind="stable")
    walks = Walks(*(np.concatenate([getattr(w, f.name) for _, w, _ in sampled])[order] for f in fields(Walks)))
    contexts = np.cumsum([0, *(len(c.step) for _, _, c in sampled)])
    groups_before = np.cumsum([0, *(len(c.group_context) for _, _, c in sampled)])
    shifted = [
        replace(
            candidates,
            example=indices[candidates.example],
            context=candidates.context + contexts[i],
            group=candidates.group + groups_before[i],
            group_context=candidates.group_context + contexts[i],
        )
        for i, (indices, _, candidates) in enumerate(sampled)
    ]
    return walks, Candidates(
        *(np.concatenate([getattr(candidates, f.name) for candidates in shifted]) for f in fields(Candidates))
    )


def sample_walks(
    snapshot: Snapshot, examples: Examples, chosen: np.ndarray, *, simple: bool, rng: np.random.Generator
) -> Walks:
    """A random walk along the label of each chosen example (valid paths are drawn anew each epoch).

    Args:
        chosen: indices, [B].
        simple: never step back to the topic.
    """
    paths, lengths, topics = examples.paths[chosen], examples.lengths[chosen], examples.topics[chosen]
    count, longest = paths.shape
    entities = np.full((count, longest + 1), -1, np.int64)
    arcs = np.full((count, longest), -1, np.int64)
    entities[:, 0] = topics
    steps = np.zeros(count, np.int64)
    for i in range(longest):
        live = np.flatnonzero((steps == i) & (lengths > i))
        starts, sizes = find_group_bounds(snapshot, entities[live, i], paths[live, i])
        live, starts, sizes = live[sizes > 0], starts[sizes > 0], sizes[sizes > 0]
        for _ in range(_TRIES):
            if not len(live):
                break
            position = starts + (rng.random(len(live)) * sizes).astype(np.int64)
            arc, target = get_arcs_at(snapshot, position, paths[live, i])
            turns = (sizes == 1) & (snapshot.kinds[entities[live, i]] != _CVT)
            if i:
                turns &= ~is_reverse(snapshot, paths[live, i], paths[live, i - 1])
            fits = (target != topics[live]) | turns if simple else np.ones(len(live), bool)
            goes_on = lengths[live] > i + 1
            ahead = np.where(goes_on, paths[live, min(i + 1, longest - 1)], 0)
            fits &= ~goes_on | (find_group_bounds(snapshot, target, ahead)[1] > 0)
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
    step, example = expand_spans(np.zeros(len(chosen), np.int64), counts)
    entity = walks.entities[example, step]
    stop = step == lengths[example]
    followed = np.where(stop, -1, examples.paths[chosen][example, np.minimum(step, examples.paths.shape[1] - 1)])

    context_of_group, relation, starts, sizes = list_groups(snapshot, entity)
    group, position, weight = sample_positions(starts, sizes, per_relation, rng)
    arc, target = get_arcs_at(snapshot, position, relation[group])
    context = context_of_group[group]
    avoided = topics[example[context]] if simple else -1
    last = np.where(step > 0, examples.paths[chosen][example, np.maximum(step - 1, 0)], -1)
    reverse = is_reverse(snapshot, relation[group], last[context])
    kept = mark_simple_arcs(snapshot, entity[context], target, avoided, group, reverse=reverse)
    group_positive = relation == followed[context_of_group]
    augmented = examples.first[chosen[example[context]], relation[group]] & (step[context] == 0)
    return Candidates(
        example, step, entity, stop,
        context[kept], arc[kept], relation[group][kept], group[kept], group_positive[group][kept], augmented[kept],
        weight[kept],
        context_of_group, group_positive,
    )  # fmt: skip
