"""The task of the path retrievers: contexts of labelled walks, scored against what competes with them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.config import TrainingConfig
from retrieval.errors import TrainingDataError, check
from retrieval.kg.snapshot.arrays import expand_spans
from retrieval.methods.paths.examples import make_examples
from retrieval.methods.paths.model import PathModel
from retrieval.methods.paths.retriever import PathRetriever, open_states
from retrieval.methods.paths.settings import PathConfig
from retrieval.methods.paths.step import (
    Sampler,
    compute_total_loss,
    find_correct_contexts,
    score_batch,
)
from retrieval.retriever import Retriever
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.recipe import Splits, Work

_DEV_PAIRS = 1024
_DEV_BATCH = 128


class PathTask:
    """See ``recipe.Task``.

    Args:
        dev: for the score; the training examples again when empty.
    """

    def __init__(self, work: Work, train: Sampler, dev: Sampler, opened: type[PathRetriever]) -> None:
        self.work = work
        self.opened = opened
        self.train = train
        self.dev = dev if len(dev.examples) else train
        self.model = PathModel(train.config, work.encoder.dim, 2 * work.snapshot.num_relations)
        self.size = train.examples.pairs
        by_loss = train.config.selection == "loss"
        self.score_name = "dev_likelihood" if by_loss else "dev_path_accuracy"
        self.entity_texts = train.features.entities is not None

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """lambda_1 path loss + lambda_2 first-triple loss."""
        drawn = self.train.examples.draw(chosen, rng)
        return compute_total_loss(score_batch(self.model, self.train, drawn, rng), self.train.config)

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Share of dev questions and topics one of whose labels is the most probable choice at every step along it.

        Where the dev loss selects: exp(-loss).
        """
        self.model.eval()
        if self.train.config.selection == "loss":
            return math.exp(-self._compute_dev_loss(cancelled))
        rng, examples = np.random.default_rng(0), self.dev.examples
        count = min(examples.pairs, _DEV_PAIRS)
        # Spread over the split: question sets come sorted by hops.
        pairs = np.arange(count) * examples.pairs // max(count, 1)
        taken, pair = expand_spans(examples.starts[pairs], np.diff(examples.starts)[pairs])
        right = np.zeros(len(taken), bool)
        for start in range(0, len(taken), _DEV_BATCH):
            check(cancelled)
            chosen = taken[start : start + _DEV_BATCH]
            correct, example = find_correct_contexts(score_batch(self.model, self.dev, chosen, rng))
            right[start : start + len(chosen)] = ~np.isin(np.arange(len(chosen)), example[~correct])
        return len(np.unique(pair[right])) / max(count, 1)

    def _compute_dev_loss(self, cancelled: Callable[[], bool]) -> float:
        """The loss of dev questions and topics, one label of each, the same at each call."""
        rng, examples, summed = np.random.default_rng(0), self.dev.examples, 0.0
        pairs = np.arange(examples.pairs)
        for start in range(0, len(pairs), _DEV_BATCH):
            check(cancelled)
            drawn = examples.draw(pairs[start : start + _DEV_BATCH], rng)
            loss = compute_total_loss(score_batch(self.model, self.dev, drawn, rng), self.train.config)
            summed += float(loss) * len(drawn)
        return summed / max(len(pairs), 1)

    def compute_fingerprint(self) -> bytes:
        """Digest of the examples."""
        digest = hashlib.sha256()
        examples = self.train.examples
        for array in (examples.starts, examples.topics, examples.paths, examples.rows, *examples.own):
            digest.update(b"whole" if array is None else array.tobytes())
        return digest.digest()

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """The trained retriever; its triple states stay in ``cache``."""
        work = self.work
        states = open_states(
            checkpoint, work.snapshot, work.encoder, cache=cache,
            features=self.train.features, progress=work.progress, cancelled=work.cancelled,
        )  # fmt: skip
        return self.opened(checkpoint, work.snapshot, work.encoder, states)


def make_path_task(
    work: Work,
    config: TrainingConfig,
    splits: Splits,
    labels: Sequence[Label],
    *,
    simple: bool,
    opened: type[PathRetriever],
) -> PathTask:
    """See ``recipe.Recipe``; ``opened`` is the method's retriever.

    Raises:
        TrainingDataError: no training question has a usable label.
    """
    assert isinstance(config, PathConfig)
    features = work.build_features(config, directed=config.arcs == "directed")

    def make_sampler(questions: Sequence[Grounded], composed: float = 0.0) -> Sampler:
        examples = make_examples(
            work.snapshot,
            questions,
            labels,
            work.encoder,
            features.relations.numpy(),
            max_hops=config.max_hops,
            similar=config.similar_relations,
            words=config.words,
            mask_names=config.mask_names,
            composed=composed,
            seed=config.seed,
            progress=work.progress,
            cancelled=work.cancelled,
        )
        return Sampler(features, examples, config, simple)

    train, dev = make_sampler(splits.train, config.composed), make_sampler(splits.dev)
    if not len(train.examples):
        raise TrainingDataError(
            f"None of the {len(splits.train)} training questions has a path from a topic to an answer "
            f"within {config.max_hops} hops.",
            hint="Give a larger max_hops, or a question set that belongs to this graph.",
        )
    return PathTask(work, train, dev, opened)
