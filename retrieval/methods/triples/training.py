"""What the tasks of the triple-level methods share: batches of candidate subgraphs, chain lengths, dev recall."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.errors import check
from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.examples import (
    TripleExamples,
    build_example_subgraphs,
    make_triple_examples,
    mark_positive_facts,
    require_examples,
)
from retrieval.methods.triples.settings import TripleConfig
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.nn.chain_length import ChainLength, compute_length_loss
from retrieval.nn.query import Texts
from retrieval.retriever import Retriever
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.recipe import Splits, Work

_DEV_EXAMPLES = 512
DEV_BATCH = 16
#: Share of training questions put as written, names and all.
_PLAIN = 0.1


class SubgraphTask(ABC):
    """A scorer of candidate triples with its examples. See ``recipe.Task``.

    Args:
        dev: for the score; the training examples again when empty.
        model: initialised.
        length: its part that tells how long a chain is asked for.
        entity_texts: whether entity labels are among the features.
    """

    score_name = "dev_triple_recall"

    def __init__(
        self,
        work: Work,
        config: TripleConfig,
        train: TripleExamples,
        dev: TripleExamples,
        *,
        model: nn.Module,
        length: ChainLength,
        entity_texts: bool,
    ) -> None:
        self.work = work
        self.train = train
        self.dev = dev if len(dev) else train
        self.model = model
        self.length = length
        self.size = len(train)
        self.entity_texts = entity_texts
        self.candidates = FanOut.from_settings(config)

    @abstractmethod
    def compute_evidence_loss(
        self, subgraphs: Subgraphs, chosen: np.ndarray, questions: Texts, rng: np.random.Generator
    ) -> Tensor:
        """The method's objective.

        Args:
            chosen: their indices, [B].
            questions: theirs.
        """

    @abstractmethod
    def rank(self, subgraphs: Subgraphs, questions: Texts) -> np.ndarray:
        """Ranking scores of all candidate triples, float [N]; the model is in evaluation mode."""

    @abstractmethod
    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """See ``recipe.Task``."""

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """The method's objective, and the cross-entropy of the chains' lengths."""
        examples = self.train
        subgraphs = build_example_subgraphs(examples, chosen, self.candidates)
        plain = rng.random(len(chosen)) < _PLAIN
        rows = np.where(plain, examples.as_written[chosen], examples.rows[chosen])
        questions = examples.texts.select_rows(rows)
        lengths = compute_length_loss(self.length(questions.vectors), torch.from_numpy(examples.lengths[chosen]))
        return self.compute_evidence_loss(subgraphs, chosen, questions, rng) + lengths

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Retrieval recall on dev (ReG App. E): of as many best-ranked triples as are evidence, how many are it.

        Mean over examples with evidence among their candidates.
        """
        self.model.eval()
        values: list[float] = []
        count = min(len(self.dev), _DEV_EXAMPLES)
        # Spread over the split: question sets come sorted by hops.
        taken = np.arange(count) * len(self.dev) // max(count, 1)
        for start in range(0, count, DEV_BATCH):
            check(cancelled)
            chosen = taken[start : start + DEV_BATCH]
            subgraphs = build_example_subgraphs(self.dev, chosen, self.candidates)
            questions = self.dev.texts.select_rows(self.dev.rows[chosen])
            scores = self.rank(subgraphs, questions)
            positive = mark_positive_facts(self.dev, chosen, subgraphs)
            values += compute_recalls(scores, positive, subgraphs.fact_bounds)
        return float(np.mean(values)) if values else 0.0

    def compute_fingerprint(self) -> bytes:
        """Digest of the examples."""
        return self.train.compute_fingerprint()


def compute_recalls(scores: np.ndarray, positive: np.ndarray, bounds: np.ndarray) -> list[float]:
    """Of each subgraph with evidence: the share that is evidence among as many best-ranked triples as are.

    Args:
        bounds: where each subgraph's triples begin, and N.
    """
    shares: list[float] = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        wanted = int(positive[first:last].sum())
        if wanted:
            best = np.argsort(-scores[first:last], kind="stable")[:wanted]
            shares.append(float(positive[first:last][best].mean()))
    return shares


def make_train_and_dev(
    work: Work, config: TripleConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> tuple[TripleExamples, TripleExamples]:
    """Training and dev examples.

    Raises:
        TrainingDataError: no training question has a usable label.
    """

    def make_split(questions: Sequence[Grounded]) -> TripleExamples:
        return make_triple_examples(
            work.snapshot, questions, labels, work.encoder,
            max_hops=config.max_hops, simple=simple, words=config.words, mask_names=config.mask_names,
            progress=work.progress, cancelled=work.cancelled,
        )  # fmt: skip

    train = make_split(splits.train)
    require_examples(train, len(splits.train), config.max_hops)
    return train, make_split(splits.dev)
