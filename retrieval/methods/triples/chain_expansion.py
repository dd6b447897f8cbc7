"""From triple scores to relation paths: chains grown through the retrieved triples, merged as they grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.methods.triples.subgraphs import Subgraphs

#: Relation paths grown further per level, and kept per topic at the end.
_BEAM = 24
_KEPT = 32

Ranked = list[tuple[tuple[int, ...], float]]


@dataclass(frozen=True, slots=True)
class Scores:
    """What a method says of N candidate triples of B subgraphs.

    Attributes:
        rank: the triples' scores, by which the top K are taken, float [N].
        forward, backward: logit that a chain which walks the triple forward (backward) is evidence, float [N].
        lengths: log-probability that the chain asked for has 1, 2, ... hops, float [B, L].
        once: a directed relation counts once in a chain, because its score does not know where in the chain it
            stands.
        of_entities: the logits are those of the entities entered, so an entity counts once in a chain.
        of_ends: the ranks are sums of the probabilities of both ends.
    """

    rank: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    lengths: np.ndarray
    once: bool = False
    of_entities: bool = False
    of_ends: bool = False

    def compute_shares(self, positions: np.ndarray) -> np.ndarray:
        """Of some triples: how likely each is evidence, in [0, 1], in the order of their ranks; float [k]."""
        rank = self.rank[positions].astype(np.float64)
        shares: np.ndarray = rank / 2 if self.of_ends else 1 / (1 + np.exp(-np.clip(rank, -60, 60)))
        return shares


def expand_chains(
    subgraphs: Subgraphs,
    scores: Scores,
    index: int,
    retrieved: np.ndarray,
    *,
    relations: int,
    max_hops: int,
    simple: bool,
) -> Ranked:
    """Relation paths from a topic through retrieved triples, with probabilities, best first.

    All relation paths grow together, level by level; chains of one relation path are one from the start
    (multi-answer merging, ReG D.4.2). A step's evidence is the mean logit over *all* candidate triples that the
    merged chains would take, retrieved or not, so that a relation path of which few triples were retrieved is
    not mistaken for a complete one. A triple that they took before is no evidence when they walk it again, and a
    step of nothing else is not taken. The evidence of the steps adds up: with the classifier's triples taken as
    independent, the log-odds that exactly the triples of a path are the evidence is the sum of their logits. The
    probability is a softmax over this sum and log P(length).

    Args:
        subgraphs: with this topic's candidates.
        index: which subgraph.
        retrieved: positions of the retrieved triples, [k].
        relations: R.
        max_hops: longest path.
        simple: chains never come back to the topic.

    Returns:
        (directed relations, probability); the probabilities sum to 1.
    """
    arcs = _build_arcs(subgraphs, scores, index, retrieved, relations)
    topic = int(subgraphs.topics[index] - subgraphs.entity_bounds[index])
    began = np.array([topic] if scores.of_entities else [], np.int64)
    front = _Front([()], np.zeros(1), [began], np.zeros(1, np.int64), np.array([topic]))
    scored_paths: Ranked = []
    for level in range(min(max_hops, scores.lengths.shape[1])):
        front = _expand_front(front, arcs, avoid=topic if simple else -1)
        length_score = float(scores.lengths[index, level])
        scored_paths += [
            (path, total + length_score) for path, total in zip(front.paths, front.totals.tolist(), strict=True)
        ]
        if not front.paths:
            break
    return _apply_softmax(scored_paths)


@dataclass(frozen=True, slots=True)
class _Arcs:
    """One subgraph's facts walked both ways, in the order of the slots left (numbered from 0).

    ``unit`` is what counts once in a chain: the fact, or the slot entered.
    """

    offsets: np.ndarray
    unit: np.ndarray
    target: np.ndarray
    relation: np.ndarray
    logit: np.ndarray
    retrieved: np.ndarray
    relations: int
    once: bool
    of_entities: bool


@dataclass(frozen=True, slots=True)
class _Front:
    """Relation paths of one length, best first.

    Attributes:
        paths: directed relations.
        totals: their evidence so far, [n].
        used: the units each has taken.
        prefix, slot: the entities each stands on, one row a (path, entity) pair.
    """

    paths: list[tuple[int, ...]]
    totals: np.ndarray
    used: list[np.ndarray]
    prefix: np.ndarray
    slot: np.ndarray


def _expand_front(front: _Front, arcs: _Arcs, *, avoid: int) -> _Front:
    """The best relation paths of one step more; walks avoid slot ``avoid`` as simple ones do."""
    taken, owner = expand_spans(arcs.offsets[front.slot], arcs.offsets[front.slot + 1] - arcs.offsets[front.slot])
    before = front.prefix[owner]
    codes, step = np.unique(before * (2 * arcs.relations) + arcs.relation[taken], return_inverse=True)
    away = arcs.target[taken] != avoid
    keep = away | ~np.isin(step, step[away])
    taken, before, step = taken[keep], before[keep], step[keep]
    old, relation = np.divmod(codes, 2 * arcs.relations)
    evidence, open_ = _compute_evidence(front, arcs, taken, before, step)
    if arcs.once:
        again = [r in front.paths[p] for p, r in zip(old.tolist(), relation.tolist(), strict=True)]
        evidence = np.where(again, 0, evidence)
    total = np.where(open_, front.totals[old] + evidence, -np.inf)
    best = np.argsort(-total, kind="stable")[: min(_BEAM, int(open_.sum()))]
    place = np.full(len(codes), -1)
    place[best] = np.arange(len(best))
    goes_on = place[step] >= 0
    path, taken = place[step[goes_on]], taken[goes_on]
    width = len(arcs.offsets)
    prefix, slot = np.divmod(np.unique(path * width + arcs.target[taken]), width)
    return _Front(
        [(*front.paths[old[i]], int(relation[i])) for i in best.tolist()],
        total[best],
        [
            np.concatenate([front.used[old[i]], np.unique(arcs.unit[taken[path == new]])])
            for new, i in enumerate(best.tolist())
        ],
        prefix,
        slot,
    )


def _compute_evidence(
    front: _Front, arcs: _Arcs, taken: np.ndarray, before: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of each step: the mean logit over what its chains have not used before, and whether it may be taken."""
    count = int(step.max(initial=-1)) + 1
    width = len(arcs.target) + len(arcs.offsets)
    known = np.concatenate([path * width + units for path, units in enumerate(front.used)])
    fresh = ~np.isin(before * width + arcs.unit[taken], known)
    size = np.bincount(step, weights=fresh, minlength=count)
    summed = np.bincount(step, weights=arcs.logit[taken] * fresh, minlength=count)
    counts = arcs.retrieved[taken] & (fresh | arcs.of_entities)
    return summed / np.maximum(size, 1), np.bincount(step, weights=counts, minlength=count) > 0


def _build_arcs(subgraphs: Subgraphs, scores: Scores, index: int, retrieved: np.ndarray, relations: int) -> _Arcs:
    facts = slice(*subgraphs.fact_bounds[index : index + 2])
    first, last = subgraphs.entity_bounds[index : index + 2]
    heads, tails = subgraphs.heads[facts] - first, subgraphs.tails[facts] - first
    source = np.concatenate([heads, tails])
    order = np.argsort(source, kind="stable")
    chosen = np.zeros(facts.stop - facts.start, bool)
    chosen[retrieved - facts.start] = True
    offsets = np.zeros(last - first + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=last - first), out=offsets[1:])
    relation, target = subgraphs.relations[facts], np.concatenate([tails, heads])[order]
    return _Arcs(
        offsets,
        target if scores.of_entities else order % max(len(heads), 1),
        target,
        np.concatenate([relation, relation + relations])[order],
        np.concatenate([scores.forward[facts], scores.backward[facts]])[order].astype(np.float64),
        np.concatenate([chosen, chosen])[order],
        relations,
        scores.once,
        scores.of_entities,
    )


def _apply_softmax(scored_paths: Ranked) -> Ranked:
    best = sorted(scored_paths, key=lambda item: (-item[1], len(item[0]), item[0]))[:_KEPT]
    if not best:
        return []
    shares = np.exp(np.array([score for _, score in best]) - best[0][1])
    shares /= shares.sum()
    # A share too small for a float is no probability.
    return [(path, float(s)) for (path, _), s in zip(best, shares, strict=True) if s > 0]
