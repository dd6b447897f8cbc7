"""What the triple-level retrievers share: score the candidates, keep the best, grow chains, merge them.

ReG@Triple, ReG@Entity and REL-RAG's triple-based learning differ in how a triple of the candidate subgraph gets
its score. From there on they are one: the top K triples are retrieved, chains are grown from the topic through
them, chains of one relation path are merged, and the relation path gets a probability (docs/adr/0005).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from retrieval.candidates.base import CandidateStrategy
from retrieval.candidates.khop import KHop
from retrieval.config import TripleOptions
from retrieval.kg.restriction import RestrictedSnapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.walks import spans
from retrieval.nn.query import Texts
from retrieval.retrievers.arc_groups import arcs_at, bounds
from retrieval.retrievers.base import FoundPath, RelationPath, check
from retrieval.retrievers.features import TextEncoder
from retrieval.retrievers.instances import found_paths
from retrieval.retrievers.questions import QuestionTexts
from retrieval.retrievers.ranking import RankingRetriever
from retrieval.retrievers.subgraphs import Subgraphs, cut
from retrieval.types import Method

#: Relation paths grown further per level, and kept per topic at the end.
_BEAM = 24
_KEPT = 32
#: Chains of one relation path that are looked at.
_CHAINS = 4096


@dataclass(frozen=True, slots=True)
class Scores:
    """What a method says of N candidate triples of B subgraphs.

    Attributes:
        rank: the triples' scores, by which the top K are taken, float [N].
        forward, backward: logit that a chain which walks the triple forward (backward) is evidence, float [N].
        lengths: log-probability that the chain asked for has 1, 2, ... hops, float [B, L].
        once: a directed relation counts once in a chain, because its score does not know where in the chain it
            stands.
    """

    rank: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    lengths: np.ndarray
    once: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The top K triples of one topic.

    Attributes:
        facts: ids in the snapshot, int64 [k], ascending.
        scores: their ranking scores, float [k].
    """

    facts: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, slots=True)
class GrownPath(RelationPath):
    """A relation path grown through retrieved triples."""

    retrieved: Retrieved


class TripleRanker(RankingRetriever):
    """A retriever whose unit is the triple.

    Args:
        snapshot, encoder, method, checkpoint, simple: see ``RankingRetriever``.
        candidates: chooses the candidate subgraph of a topic.
        max_hops: longest chain.
        words: the method reads the questions' words.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        *,
        method: Method,
        checkpoint: str | None,
        simple: bool,
        candidates: CandidateStrategy,
        max_hops: int,
        words: bool,
    ) -> None:
        super().__init__(snapshot, encoder, method=method, checkpoint=checkpoint, simple=simple)
        self.candidates = candidates
        self.max_hops = max_hops
        self.words = words

    @abstractmethod
    def score(self, subgraphs: Subgraphs, questions: Texts) -> Scores:
        """Score every candidate triple.

        Args:
            subgraphs: B candidate subgraphs.
            questions: the question as seen from each topic.
        """

    def on(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``: all facts of a question's own subgraph within reach are candidates."""
        other = super().on(snapshot)
        other.candidates = KHop(self.max_hops, max(1, snapshot.num_triples))
        return other

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[RelationPath]:
        """See ``RankingRetriever``."""
        assert isinstance(self.options, TripleOptions), "options are parsed for their own method"
        read = QuestionTexts.encode(self.encoder, texts, words=self.words)
        subgraphs = cut(self.snapshot, topics, self.candidates)
        check(cancelled)
        scores = self.score(subgraphs, read.rows(np.arange(len(texts))))
        check(cancelled)
        ranked: list[RelationPath] = []
        for index, topic in enumerate(topics):
            best = top(scores.rank, slice(*subgraphs.fact_bounds[index : index + 2]), self.options.top_k)
            order = np.argsort(subgraphs.facts[best])
            retrieved = Retrieved(subgraphs.facts[best][order], scores.rank[best][order])
            grown = grow(
                subgraphs, scores, index, best,
                relations=self.snapshot.num_relations, max_hops=self.max_hops, simple=self.simple,
            )  # fmt: skip
            ranked += [GrownPath(topic, path, share, retrieved) for path, share in grown]
        return ranked

    def retrieve(
        self,
        question: str,
        topics: Sequence[int],
        *,
        budget: int = 100,
        seed: int = 0,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[FoundPath]:
        """See ``base.Retriever``. Only retrieved triples, best chains first; nothing is drawn."""
        yield from found_paths(
            self.snapshot, self._ranked(question, topics, mentions, cancelled),
            simple=self.simple, budget=budget, seed=seed, cancelled=cancelled, walk=self._chains,
        )  # fmt: skip

    def _chains(self, path: RelationPath, rng: np.random.Generator) -> list[tuple[int, ...]]:
        """The chains of a relation path within the retrieved triples, best mean score first."""
        del rng
        assert isinstance(path, GrownPath)
        return chains_within(self.snapshot, path.topic, path.relations, path.retrieved, simple=self.simple)


def top(scores: np.ndarray, within: slice, count: int) -> np.ndarray:
    """Positions of the ``count`` best scores of a slice, best first; the earlier one of equals."""
    order = np.argsort(-scores[within], kind="stable")[:count]
    positions: np.ndarray = order + within.start
    return positions


def grow(
    subgraphs: Subgraphs,
    scores: Scores,
    index: int,
    retrieved: np.ndarray,
    *,
    relations: int,
    max_hops: int,
    simple: bool,
) -> list[tuple[tuple[int, ...], float]]:
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
        scores: of all candidates.
        index: which subgraph.
        retrieved: positions of the retrieved triples, [k].
        relations: R.
        max_hops: longest path.
        simple: chains never come back to the topic.

    Returns:
        (directed relations, probability); the probabilities sum to 1.
    """
    arcs = _arcs(subgraphs, scores, index, retrieved, relations)
    topic = int(subgraphs.topics[index] - subgraphs.entity_bounds[index])
    known: list[tuple[int, ...]] = [()]
    used = [np.zeros(0, np.int64)]
    totals = np.zeros(1)
    prefix, entity = np.zeros(1, np.int64), np.array([topic])
    found: list[tuple[tuple[int, ...], float]] = []
    for level in range(max_hops):
        taken, owner = spans(arcs.offsets[entity], arcs.offsets[entity + 1] - arcs.offsets[entity])
        if simple:
            keep = arcs.target[taken] != topic
            taken, owner = taken[keep], owner[keep]
        if not len(taken):
            break
        codes, step = np.unique(prefix[owner] * (2 * relations) + arcs.relation[taken], return_inverse=True)
        fresh = _fresh(prefix[owner], arcs.fact[taken], used)
        size = np.bincount(step, weights=fresh, minlength=len(codes))
        summed = np.bincount(step, weights=arcs.logit[taken] * fresh, minlength=len(codes))
        evidence = summed / np.maximum(size, 1)
        before, relation = np.divmod(codes, 2 * relations)
        if scores.once:
            evidence *= [r not in known[p] for p, r in zip(before.tolist(), relation.tolist(), strict=True)]
        reached = np.bincount(step, weights=arcs.retrieved[taken] & fresh, minlength=len(codes)) > 0
        total = np.where(reached, totals[before] + evidence, -np.inf)
        best = np.argsort(-total, kind="stable")[: min(_BEAM, int(reached.sum()))]
        grown = [(*known[before[i]], int(relation[i])) for i in best.tolist()]
        asked = float(scores.lengths[index, level]) if level < scores.lengths.shape[1] else -np.inf
        found += [(path, float(total[i]) + asked) for path, i in zip(grown, best.tolist(), strict=True)]
        place = np.full(len(codes), -1)
        place[best] = np.arange(len(best))
        goes_on = place[step] >= 0
        width = len(arcs.offsets)
        walked = place[step[goes_on]], arcs.fact[taken[goes_on]]
        used = [
            np.concatenate([used[before[i]], np.unique(walked[1][walked[0] == new])])
            for new, i in enumerate(best.tolist())
        ]
        rows = np.unique(place[step[goes_on]] * width + arcs.target[taken[goes_on]])
        prefix, entity = np.divmod(rows, width)
        known, totals = grown, total[best]
    return _softmax(found)


@dataclass(frozen=True, slots=True)
class _Arcs:
    """One subgraph's facts walked both ways, in the order of the slots left (numbered from 0)."""

    offsets: np.ndarray
    fact: np.ndarray
    target: np.ndarray
    relation: np.ndarray
    logit: np.ndarray
    retrieved: np.ndarray


def _fresh(prefix: np.ndarray, facts: np.ndarray, used: list[np.ndarray]) -> np.ndarray:
    """Whether each walk takes a fact that its relation path has not taken before, bool [n]."""
    width = int(facts.max(initial=0)) + 1
    known = np.concatenate([path * width + taken[taken < width] for path, taken in enumerate(used)])
    fresh: np.ndarray = ~np.isin(prefix * width + facts, known)
    return fresh


def _arcs(subgraphs: Subgraphs, scores: Scores, index: int, retrieved: np.ndarray, relations: int) -> _Arcs:
    facts = slice(*subgraphs.fact_bounds[index : index + 2])
    first, last = subgraphs.entity_bounds[index : index + 2]
    heads, tails = subgraphs.heads[facts] - first, subgraphs.tails[facts] - first
    source = np.concatenate([heads, tails])
    order = np.argsort(source, kind="stable")
    chosen = np.zeros(facts.stop - facts.start, bool)
    chosen[retrieved - facts.start] = True
    offsets = np.zeros(last - first + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=last - first), out=offsets[1:])
    relation = subgraphs.relations[facts]
    return _Arcs(
        offsets,
        order % len(heads),
        np.concatenate([tails, heads])[order],
        np.concatenate([relation, relation + relations])[order],
        np.concatenate([scores.forward[facts], scores.backward[facts]])[order].astype(np.float64),
        np.concatenate([chosen, chosen])[order],
    )


def _softmax(found: list[tuple[tuple[int, ...], float]]) -> list[tuple[tuple[int, ...], float]]:
    best = sorted(found, key=lambda item: (-item[1], len(item[0]), item[0]))[:_KEPT]
    if not best:
        return []
    shares = np.exp(np.array([score for _, score in best]) - best[0][1])
    shares /= shares.sum()
    # A share too small for a float is no probability.
    return [(path, float(s)) for (path, _), s in zip(best, shares, strict=True) if s > 0]


def chains_within(
    snapshot: Snapshot, topic: int, relations: Sequence[int], retrieved: Retrieved, *, simple: bool
) -> list[tuple[int, ...]]:
    """Paths of a relation path that use retrieved triples only, as arcs, best mean score first."""
    ends, rows = np.array([topic], np.int64), np.zeros((1, 0), np.int64)
    score = np.zeros(1)
    for relation in relations:
        positions, owner = spans(*bounds(snapshot, ends, np.full(len(ends), relation)))
        arcs, targets = arcs_at(snapshot, positions, np.full(len(positions), relation))
        facts = arcs % snapshot.num_triples
        place = np.minimum(np.searchsorted(retrieved.facts, facts), len(retrieved.facts) - 1)
        keep = retrieved.facts[place] == facts
        if simple:
            keep &= targets != topic
        arcs, targets, owner, place = arcs[keep], targets[keep], owner[keep], place[keep]
        score = score[owner] + retrieved.scores[place]
        rows, ends = np.column_stack([rows[owner], arcs]), targets
        best = np.argsort(-score, kind="stable")[:_CHAINS]
        rows, ends, score = rows[best], ends[best], score[best]
    return [tuple(row) for row in rows.tolist()]
