"""The task of REL-RAG's triple-based learning: evidence against sampled candidates (eq. 15, App. F.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.config import TrainingConfig
from retrieval.errors import check
from retrieval.kg.search.walks import get_arc_ends
from retrieval.linking.features import GraphFeatures
from retrieval.methods.common.arc_groups import UNLIMITED
from retrieval.methods.paths.blocks import compute_arc_states
from retrieval.methods.paths.network import StateEncoder
from retrieval.methods.rel_rag_triple.model import LineGraphScorer
from retrieval.methods.rel_rag_triple.retriever import (
    RelRagTripleRetriever,
    compute_start_hops,
    open_triple_states,
)
from retrieval.methods.rel_rag_triple.spec import RelRagTripleConfig
from retrieval.methods.triples.examples import TripleExamples, build_example_subgraphs
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.methods.triples.training import DEV_BATCH, SubgraphTask, make_train_and_dev
from retrieval.nn.line_graph import LineGraph
from retrieval.nn.query import Texts
from retrieval.retriever import Retriever
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.losses import compute_sampled_loss
from retrieval.training.recipe import Splits, Work


class RelRagTripleTask(SubgraphTask):
    """See ``recipe.Task``. ``features`` are the snapshot's texts and their sums over neighbours."""

    def __init__(
        self,
        work: Work,
        config: RelRagTripleConfig,
        train: TripleExamples,
        dev: TripleExamples,
        features: GraphFeatures,
    ) -> None:
        self.features = features
        self.config = config
        self.scorer = LineGraphScorer(config, work.encoder.dim, 2 * work.snapshot.num_relations)
        super().__init__(
            work, config, train, dev,
            model=self.scorer, length=self.scorer.length, entity_texts=features.entities is not None,
        )  # fmt: skip
        if config.selection == "loss":
            self.score_name = "dev_likelihood"

    def compute_evidence_loss(
        self, subgraphs: Subgraphs, chosen: np.ndarray, questions: Texts, rng: np.random.Generator
    ) -> Tensor:
        """Eq. 15."""
        return self._compute_evidence_loss(self.train, chosen, subgraphs, questions, rng)

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """See ``SubgraphTask``; where the dev loss selects: exp(-loss), of the same draws at each call."""
        if self.config.selection != "loss":
            return super().score(cancelled)
        self.model.eval()
        rng, examples, summed = np.random.default_rng(0), self.dev, 0.0
        for start in range(0, len(examples), DEV_BATCH):
            check(cancelled)
            chosen = np.arange(start, min(start + DEV_BATCH, len(examples)))
            subgraphs = build_example_subgraphs(examples, chosen, self.candidates)
            questions = examples.texts.select_rows(examples.rows[chosen])
            loss = self._compute_evidence_loss(examples, chosen, subgraphs, questions, rng)
            summed += float(loss) * len(chosen)
        return math.exp(-summed / max(len(examples), 1))

    def _compute_evidence_loss(
        self,
        examples: TripleExamples,
        chosen: np.ndarray,
        subgraphs: Subgraphs,
        questions: Texts,
        rng: np.random.Generator,
    ) -> Tensor:
        arcs, graph, positive = draw(
            examples, chosen, subgraphs,
            positives=self.config.positives or UNLIMITED, negatives=self.config.negatives,
            directed=self.features.directed, rng=rng,
        )  # fmt: skip
        if not len(arcs):
            return questions.vectors.sum() * 0
        logits = self._compute_logits(arcs, graph, subgraphs, questions, rng)
        return compute_sampled_loss(logits, torch.from_numpy(positive))

    def rank(self, subgraphs: Subgraphs, questions: Texts) -> np.ndarray:
        """See ``SubgraphTask``."""
        total = self.work.snapshot.num_triples
        rng = np.random.default_rng(0)
        ways = [
            self._compute_logits(subgraphs.facts + way * total, subgraphs.fact_graph, subgraphs, questions, rng).numpy()
            for way in ((0,) if self.features.directed else (0, 1))
        ]
        best: np.ndarray = np.maximum.reduce(ways)
        return best

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """See ``recipe.Task``."""
        work = self.work
        states = open_triple_states(
            checkpoint, work.snapshot, work.encoder, cache=cache,
            features=self.features, progress=work.progress, cancelled=work.cancelled,
        )  # fmt: skip
        return RelRagTripleRetriever(checkpoint, work.snapshot, work.encoder, states, cache=cache)

    def _compute_logits(
        self,
        arcs: np.ndarray,
        graph: np.ndarray,
        subgraphs: Subgraphs,
        questions: Texts,
        rng: np.random.Generator,
    ) -> Tensor:
        is_own = subgraphs.given[graph] & (self.config.states == "own")
        parts, places = [], []
        if is_own.any():
            parts.append(compute_own_states(self.scorer.triples, self.features, subgraphs, arcs[is_own], graph[is_own]))
            places.append(np.flatnonzero(is_own))
        if not is_own.all():
            distinct, where = np.unique(arcs[~is_own], return_inverse=True)
            sampled = compute_arc_states(
                self.scorer.triples, self.features, distinct, self.config.neighbours or UNLIMITED, rng
            )
            parts.append(sampled[torch.from_numpy(where)])
            places.append(np.flatnonzero(~is_own))
        states = torch.cat(parts)[torch.from_numpy(np.argsort(np.concatenate(places)))]
        _, relations, _ = get_arc_ends(self.work.snapshot, arcs)
        logits: Tensor = self.scorer(
            states, questions, self.features.relations, torch.from_numpy(graph), torch.from_numpy(relations),
            hops=self._count_hops(arcs, graph, subgraphs),
        )  # fmt: skip
        return logits

    def _count_hops(self, arcs: np.ndarray, graph: np.ndarray, subgraphs: Subgraphs) -> Tensor:
        """How far from the topic each arc begins, int64 [n]."""
        total = self.work.snapshot.num_triples
        # Facts ascend within a subgraph, and subgraphs follow each other.
        place = np.searchsorted(subgraphs.fact_graph * total + subgraphs.facts, graph * total + arcs % total)
        forward, backward = compute_start_hops(subgraphs, self.config.max_hops, directed=self.features.directed)
        positions = torch.from_numpy(place)
        return torch.where(torch.from_numpy(arcs < total), forward[positions], backward[positions])


def compute_own_states(
    encoder: StateEncoder, features: GraphFeatures, subgraphs: Subgraphs, arcs: np.ndarray, graph: np.ndarray
) -> Tensor:
    """States of n arcs within the subgraphs that their questions bring, as when these are asked, [n, H].

    Args:
        encoder: line graph or raw.
        features: of the whole graph; only its texts are read.
        subgraphs: of the batch; those that were not given are left out.
        arcs: of given subgraphs' facts, int64 [n].
        graph: subgraph of each, int64 [n].
    """
    total, relations = features.snapshot.num_triples, features.snapshot.num_relations
    kept = np.flatnonzero(subgraphs.given[subgraphs.fact_graph])
    # Facts ascend within a subgraph, and subgraphs follow each other.
    keys = subgraphs.fact_graph[kept] * total + subgraphs.facts[kept]
    where = np.searchsorted(keys, graph * total + arcs % total)
    heads, tails, names = (part[kept] for part in (subgraphs.heads, subgraphs.tails, subgraphs.relations))
    if not features.directed:
        where = where + len(kept) * (arcs >= total)
        heads, tails = np.concatenate([heads, tails]), np.concatenate([tails, heads])
        names = np.concatenate([names, names + relations])
    line_graph = LineGraph.from_triples(torch.from_numpy(heads), torch.from_numpy(tails), len(subgraphs.entities))
    entities = None if features.entities is None else features.entities[torch.from_numpy(subgraphs.entities)]
    states: Tensor = encoder(entities, features.relations, torch.from_numpy(names), line_graph)
    return states[torch.from_numpy(where)]


def draw(
    examples: TripleExamples,
    chosen: np.ndarray,
    subgraphs: Subgraphs,
    *,
    positives: int,
    negatives: int,
    directed: bool = False,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Evidence arcs of each example, and ``negatives`` other candidate arcs for each of them.

    Evidence that is not among the candidates lies nowhere, and is left out.

    Args:
        chosen: which of them, [B].
        subgraphs: theirs.
        positives: at most so many of an example.
        negatives: for each positive; the 5 of REL-RAG App. F.1.
        directed: a fact is one triple, whichever way it is walked.

    Returns:
        (arcs, example, positive), [m] each; ``example`` is a position in ``chosen``.
    """
    total = examples.snapshot.num_triples
    arcs: list[np.ndarray] = []
    marks: list[np.ndarray] = []
    for b, index in enumerate(chosen.tolist()):
        facts = subgraphs.facts[slice(*subgraphs.fact_bounds[b : b + 2])]
        evidence = examples.get_evidence(index).arcs
        evidence = evidence[np.isin(evidence % total, facts)]
        every = facts if directed else np.concatenate([facts, facts + total])
        if directed:
            evidence = np.unique(evidence % total)
        others = np.setdiff1d(every, evidence, assume_unique=True)
        if len(evidence) > positives:
            evidence = rng.choice(evidence, positives, replace=False)
        size = min(len(others), negatives * len(evidence))
        drawn = rng.choice(others, size, replace=False) if size else others[:0]
        arcs.append(np.concatenate([evidence, drawn]))
        marks.append(np.arange(len(arcs[-1])) < len(evidence))
    owner = np.repeat(np.arange(len(chosen)), [len(part) for part in arcs])
    return np.concatenate(arcs), owner, np.concatenate(marks)


def make_task(
    work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> RelRagTripleTask:
    """See ``recipe.Recipe``.

    Raises:
        TrainingDataError: no training question has a usable label.
    """
    assert isinstance(config, RelRagTripleConfig)
    train, dev = make_train_and_dev(work, config, splits, labels, simple=simple)
    return RelRagTripleTask(work, config, train, dev, work.build_features(config, directed=config.arcs == "directed"))
