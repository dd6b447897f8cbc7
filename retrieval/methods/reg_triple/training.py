"""The task of ReG@Triple: every candidate triple is evidence or not (eq. 33)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.config import TrainingConfig
from retrieval.linking.text_features import TextFeatures
from retrieval.methods.reg_triple.retriever import RegTripleRetriever, make_scorer
from retrieval.methods.reg_triple.spec import RegTripleConfig
from retrieval.methods.triples.examples import TripleExamples, mark_positive_facts
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.methods.triples.training import SubgraphTask, make_train_and_dev
from retrieval.nn.query import Texts
from retrieval.retriever import Retriever
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.losses import compute_triple_loss
from retrieval.training.recipe import Splits, Work


class RegTripleTask(SubgraphTask):
    """See ``recipe.Task``. ``features`` are the snapshot's texts."""

    def __init__(
        self,
        work: Work,
        config: RegTripleConfig,
        train: TripleExamples,
        dev: TripleExamples,
        features: TextFeatures,
    ) -> None:
        self.features = features
        self.scorer = make_scorer(config, work.encoder.dim, features.entities is not None)
        super().__init__(
            work, config, train, dev,
            model=self.scorer, length=self.scorer.length, entity_texts=features.entities is not None,
        )  # fmt: skip

    def compute_evidence_loss(
        self, subgraphs: Subgraphs, chosen: np.ndarray, questions: Texts, rng: np.random.Generator
    ) -> Tensor:
        """Eq. 33."""
        del rng
        positive = torch.from_numpy(mark_positive_facts(self.train, chosen, subgraphs))
        return compute_triple_loss(self._compute_logits(subgraphs, questions), positive)

    def rank(self, subgraphs: Subgraphs, questions: Texts) -> np.ndarray:
        """See ``SubgraphTask``."""
        scores: np.ndarray = self._compute_logits(subgraphs, questions).numpy()
        return scores

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """See ``recipe.Task``."""
        del cache
        return RegTripleRetriever(checkpoint, self.work.snapshot, self.work.encoder, self.features)

    def _compute_logits(self, subgraphs: Subgraphs, questions: Texts) -> Tensor:
        texts = self.features.relations[: self.work.snapshot.num_relations]
        ends = None
        if self.features.entities is not None:
            ends = self.scorer.encode_entities(self.features.entities[torch.from_numpy(subgraphs.entities)])
        logits: Tensor = self.scorer(subgraphs.batch(), questions, texts, self.scorer.encode_relations(texts), ends)
        return logits


def make_task(
    work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> RegTripleTask:
    """See ``recipe.Recipe``.

    Raises:
        TrainingDataError: no training question has a usable label.
    """
    assert isinstance(config, RegTripleConfig)
    train, dev = make_train_and_dev(work, config, splits, labels, simple=simple)
    return RegTripleTask(work, config, train, dev, work.build_text_features(config))
