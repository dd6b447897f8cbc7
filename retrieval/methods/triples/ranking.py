"""What the triple-level retrievers share: score the candidates, keep the best, grow chains, merge them.

ReG@Triple, ReG@Entity and REL-RAG's triple-based learning differ in how a triple of the candidate subgraph gets
its score. From there on they are one: the top K triples are retrieved, chains are grown from the topic through
them, chains of one relation path are merged, and the relation path gets a probability (docs/adr/0003).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from retrieval.errors import check
from retrieval.kg.search.walks import is_reverse, mark_simple_arcs
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.limits import DEFAULT_BUDGET
from retrieval.linking.questions import read_each
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.common.arc_groups import find_group_bounds, get_arcs_at
from retrieval.methods.common.instances import find_reasoning_paths
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.triples.candidates.base import CandidateStrategy
from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.candidates.khop import KHop
from retrieval.methods.triples.chain_expansion import Scores, expand_chains
from retrieval.methods.triples.settings import TripleConfig, TripleOptions
from retrieval.methods.triples.subgraphs import Subgraphs, build_subgraphs
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.types import FoundPath, RelationPath

#: Chains of one relation path that are looked at.
_CHAINS = 4096
#: Topics of questions whose top triples are kept: a run asks for them after their paths, and 64 are read ahead.
_QUESTIONS = 128


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedTriples:
    """The top K triples of one topic.

    Attributes:
        facts: ids in the snapshot, int64 [k], ascending.
        scores: their ranking scores, float [k].
    """

    facts: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Chains of one relation path, best first.

    Attributes:
        ends: entities that they reach, int64 [n].
        rows: their arcs, int64 [n, hops].
        scores: sums over their triples, float [n].
    """

    ends: np.ndarray
    rows: np.ndarray
    scores: np.ndarray


#: Chains by topic and directed relations.
Begun = dict[tuple[int, tuple[int, ...]], Chains]


@dataclass(frozen=True, slots=True)
class GrownPath(RelationPath):
    """A relation path grown through retrieved triples."""

    retrieved: RetrievedTriples


class TripleRanker(RankingRetriever):
    """A retriever whose unit is the triple.

    Args:
        checkpoint: opened for its method and encoder.
        snapshot: the graph; it need not be the one trained on.
    """

    def __init__(self, checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder) -> None:
        config, manifest = checkpoint.config, checkpoint.manifest
        assert isinstance(config, TripleConfig), "a checkpoint is read for its own method"
        super().__init__(
            snapshot, encoder, method=manifest.method, checkpoint=manifest.fingerprint, simple=manifest.simple
        )
        self._top: OrderedDict[tuple[int, str], tuple[np.ndarray, np.ndarray]] = OrderedDict()
        self.candidates: CandidateStrategy = FanOut.from_settings(config)
        self.max_hops = config.max_hops
        self.words = config.words
        self.mask_names = config.mask_names

    @abstractmethod
    def score(self, subgraphs: Subgraphs, questions: Texts) -> Scores:
        """Score every candidate triple.

        Args:
            subgraphs: B candidate subgraphs.
            questions: the question as seen from each topic.
        """

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``: all facts of a question's own subgraph within reach are candidates."""
        other = super().apply_restriction(snapshot)
        other.candidates = KHop(self.max_hops, max(1, snapshot.num_triples))
        return other

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``."""
        assert isinstance(self.options, TripleOptions), "options are parsed for their own method"
        subgraphs = build_subgraphs(self.snapshot, topics, self.candidates)
        check(cancelled)
        scores = self.score(subgraphs, read_each(self.encoder, texts, words=self.words))
        check(cancelled)
        ranked: list[list[RelationPath]] = []
        for index, (topic, text) in enumerate(zip(topics, texts, strict=True)):
            within = slice(*subgraphs.fact_bounds[index : index + 2])
            units = compute_parallel_units(subgraphs, within) if self.options.merge_parallel else None
            best = select_top(scores.rank, within, self.options.top_k, units)
            order = np.argsort(subgraphs.facts[best])
            retrieved = RetrievedTriples(subgraphs.facts[best][order], scores.rank[best][order])
            grown = expand_chains(
                subgraphs, scores, index, best,
                relations=self.snapshot.num_relations, max_hops=self.max_hops, simple=self.simple,
            )  # fmt: skip
            ranked.append([GrownPath(topic, path, share, retrieved) for path, share in grown])
            with self._lock:
                self._top[topic, text] = subgraphs.facts[best], scores.compute_shares(best)
                while len(self._top) > _QUESTIONS:
                    self._top.popitem(last=False)
        return ranked

    def score_triples(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[int, float]:
        """See ``base.Retriever``: the top K triples of each topic."""
        live, texts = self._list_live_topics(question, topics, mentions)
        keys = list(zip(live, texts, strict=True))
        if any(key not in self._top for key in keys):
            self.rank(live, texts, cancelled)
        with self._lock:
            rankings = [self._top[key] for key in keys if key in self._top]
        brought: dict[int, float] = {}
        for facts, shares in rankings:
            for fact, share in zip(facts.tolist(), shares.tolist(), strict=True):
                brought[fact] = max(share, brought.get(fact, 0.0))
        return dict(sorted(brought.items(), key=lambda item: (-item[1], item[0])))

    def _copy(self) -> Self:
        other = super()._copy()
        other._top = OrderedDict()  # of other settings, or another graph
        return other

    def retrieve(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        budget: int = DEFAULT_BUDGET,
        seed: int = 0,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[FoundPath]:
        """See ``base.Retriever``. Only retrieved triples, best chains first; nothing is drawn."""
        yield from find_reasoning_paths(
            self.snapshot, self._ranked(question, topics, mentions, cancelled),
            simple=self.simple, budget=budget, seed=seed, cancelled=cancelled,
            walk=partial(self._list_chains, begun={}),
        )  # fmt: skip

    def _list_chains(self, path: RelationPath, rng: np.random.Generator, *, begun: Begun) -> list[tuple[int, ...]]:
        """The chains of a relation path within the retrieved triples, best mean score first."""
        del rng
        assert isinstance(path, GrownPath)
        return find_chains(self.snapshot, path.topic, path.relations, path.retrieved, simple=self.simple, begun=begun)


def select_top(scores: np.ndarray, within: slice, count: int, units: np.ndarray | None = None) -> np.ndarray:
    """Positions of the ``count`` best scores of a slice, best first; the earlier one of equals.

    With ``units``, which say what counts as one, all positions of the best units, each unit where its best is.
    """
    order = np.argsort(-scores[within], kind="stable")
    if units is None:
        order = order[:count]
    else:
        _, first, unit = np.unique(units[order], return_index=True, return_inverse=True)
        place = first[unit]  # where the best of its unit stands
        order = order[np.argsort(place, kind="stable")][: int((place < _find_nth(first, count)).sum())]
    positions: np.ndarray = order + within.start
    return positions


def _find_nth(firsts: np.ndarray, count: int) -> float:
    """The place at which the unit after the ``count`` best begins."""
    return float(np.sort(firsts)[count]) if count < len(firsts) else np.inf


def compute_parallel_units(subgraphs: Subgraphs, within: slice) -> np.ndarray:
    """A number for each fact of a slice, the same of those with the same head and tail (ReG App. E)."""
    units: np.ndarray = subgraphs.heads[within] * len(subgraphs.entities) + subgraphs.tails[within]
    return units


def find_chains(
    snapshot: Snapshot,
    topic: int,
    relations: Sequence[int],
    retrieved: RetrievedTriples,
    *,
    simple: bool,
    begun: Begun | None = None,
) -> list[tuple[int, ...]]:
    """Paths of a relation path that use retrieved triples only, as arcs, best mean score first.

    Args:
        topic: where they begin.
        relations: directed ones.
        simple: they never come back to it.
        begun: chains of what other relation paths begin with, of the same question; filled, so that what several
            begin with is walked once.
    """
    begun = {} if begun is None else begun
    chains = Chains(np.array([topic], np.int64), np.zeros((1, 0), np.int64), np.zeros(1))
    for hop in range(1, len(relations) + 1):
        key = topic, tuple(relations[:hop])
        if key not in begun:
            begun[key] = _expand_chains(snapshot, chains, key[1], retrieved, avoid=topic if simple else -1)
        chains = begun[key]
    return [tuple(row) for row in chains.rows.tolist()]


def _expand_chains(
    snapshot: Snapshot, chains: Chains, relations: tuple[int, ...], retrieved: RetrievedTriples, *, avoid: int
) -> Chains:
    """Chains of ``relations`` from those of all but the last, the best; they avoid ``avoid`` as simple walks do."""
    ends, relation = chains.ends, relations[-1]
    reverse = is_reverse(snapshot, relation, relations[-2] if len(relations) > 1 else -1)
    positions, owner = expand_spans(*find_group_bounds(snapshot, ends, np.full(len(ends), relation)))
    arcs, targets = get_arcs_at(snapshot, positions, np.full(len(positions), relation))
    facts = arcs % snapshot.num_triples
    place = np.minimum(np.searchsorted(retrieved.facts, facts), len(retrieved.facts) - 1)
    known = np.flatnonzero(retrieved.facts[place] == facts)
    sources, step = ends[owner[known]], np.zeros_like(known)
    keep = known[mark_simple_arcs(snapshot, sources, targets[known], avoid, step, reverse=reverse)]
    arcs, targets, owner, place = arcs[keep], targets[keep], owner[keep], place[keep]
    score = chains.scores[owner] + retrieved.scores[place]
    best = np.argsort(-score, kind="stable")[:_CHAINS]
    return Chains(targets[best], np.column_stack([chains.rows[owner], arcs])[best], score[best])
