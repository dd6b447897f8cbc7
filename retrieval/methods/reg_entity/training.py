"""The task of ReG@Entity: every candidate entity is on an evidence path or not (eq. 34), and so is every walk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.config import TrainingConfig
from retrieval.linking.text_features import TextFeatures
from retrieval.methods.reg_entity.model import compute_entity_loss
from retrieval.methods.reg_entity.retriever import RegEntityRetriever, compute_entity_scores, make_scorer
from retrieval.methods.reg_entity.spec import RegEntityConfig
from retrieval.methods.triples.examples import (
    TripleExamples,
    build_example_subgraphs,
    mark_positive_entities,
    mark_positive_walks,
)
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.methods.triples.training import SubgraphTask, make_train_and_dev
from retrieval.nn.query import Texts
from retrieval.retriever import Retriever
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.recipe import Splits, Work

#: Training subgraphs looked at for the mean degree that PNA's scalers are relative to.
_DEGREES_OF = 200


class RegEntityTask(SubgraphTask):
    """See ``recipe.Task``. ``features`` are the snapshot's texts."""

    def __init__(
        self,
        work: Work,
        config: RegEntityConfig,
        train: TripleExamples,
        dev: TripleExamples,
        features: TextFeatures,
    ) -> None:
        self.features = features
        self.scorer = make_scorer(
            config, work.encoder.dim, features.entities is not None, 2 * work.snapshot.num_relations
        )
        super().__init__(
            work, config, train, dev,
            model=self.scorer, length=self.scorer.length, entity_texts=features.entities is not None,
        )  # fmt: skip
        chosen = np.arange(min(len(train), _DEGREES_OF)) * len(train) // min(len(train), _DEGREES_OF)
        subgraphs = build_example_subgraphs(train, chosen, self.candidates)
        ends = np.concatenate([subgraphs.heads, subgraphs.tails])
        degrees = np.bincount(ends, minlength=len(subgraphs.entities))
        self.scorer.delta.fill_(float(np.log(degrees + 1).mean()) or 1.0)

    def compute_evidence_loss(
        self, subgraphs: Subgraphs, chosen: np.ndarray, questions: Texts, rng: np.random.Generator
    ) -> Tensor:
        """Eq. 34, and the same of walks."""
        del rng
        logits, ways = self._compute_logits(subgraphs, questions)
        loss = compute_entity_loss(logits, torch.from_numpy(mark_positive_entities(self.train, chosen, subgraphs)))
        if ways is None:
            return loss
        return loss + compute_entity_loss(ways, torch.from_numpy(mark_positive_walks(self.train, chosen, subgraphs)))

    def rank(self, subgraphs: Subgraphs, questions: Texts) -> np.ndarray:
        """See ``SubgraphTask``."""
        logits, _ = self._compute_logits(subgraphs, questions)
        return compute_entity_scores(subgraphs, logits.numpy(), np.zeros((0, 0))).rank

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """See ``recipe.Task``."""
        del cache
        return RegEntityRetriever(checkpoint, self.work.snapshot, self.work.encoder, self.features)

    def _compute_logits(self, subgraphs: Subgraphs, questions: Texts) -> tuple[Tensor, Tensor | None]:
        texts = self.features.relations
        entities = None
        if self.features.entities is not None:
            entities = self.scorer.encode_entities(self.features.entities[torch.from_numpy(subgraphs.entities)])
        relations = self.scorer.encode_relations(texts)
        logits: tuple[Tensor, Tensor | None] = self.scorer(subgraphs.batch(), questions, texts, relations, entities)
        return logits


def make_task(
    work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> RegEntityTask:
    """See ``recipe.Recipe``.

    Raises:
        TrainingDataError: no training question has a usable label.
    """
    assert isinstance(config, RegEntityConfig)
    train, dev = make_train_and_dev(work, config, splits, labels, simple=simple)
    return RegEntityTask(work, config, train, dev, work.build_text_features(config))
