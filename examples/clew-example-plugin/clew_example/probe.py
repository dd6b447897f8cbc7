"""A linear layer over the question's embedding: the retriever, and the task that trains it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.config import TrainingConfig
from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot import Snapshot
from retrieval.linking.questions import replace_topic_names
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.common.arc_groups import list_groups
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.retriever import Retriever
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, select_usable, to_directed_path
from retrieval.training.checkpoint import OpenCheckpoint, load_weights
from retrieval.training.recipe import Splits, Work
from retrieval.types import RelationPath


class LinearProbe(RankingRetriever):
    """Ranks the relations of a topic by the layer's probabilities."""

    def __init__(self, checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder) -> None:
        manifest = checkpoint.manifest
        super().__init__(
            snapshot, encoder, method=manifest.method, checkpoint=manifest.fingerprint, simple=manifest.simple
        )
        self.layer = load_weights(nn.Linear(encoder.dim, 2 * snapshot.num_relations), checkpoint)

    @torch.inference_mode()
    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """Relation paths of each topic, most probable first."""
        del cancelled
        rankings = []
        for topic, scores in zip(topics, self.layer(torch.from_numpy(self.encoder.encode(texts))), strict=True):
            _, relations, _, _ = list_groups(self.snapshot, np.array([topic]))
            shares = scores[torch.from_numpy(relations)].softmax(0).tolist()
            ranked = sorted(zip(shares, relations.tolist(), strict=True), reverse=True)
            rankings.append([RelationPath(topic, (relation,), share) for share, relation in ranked])
        return rankings


def open_retriever(checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
    """Open a checkpoint; nothing is computed of the graph, so the cache stays empty."""
    del cache
    return LinearProbe(checkpoint, snapshot, encoder)


class LinearProbeTask:
    """Learns which relation the labelled path of a question begins with. See ``retrieval.training.recipe.Task``."""

    score_name = "right relations"
    entity_texts = False

    def __init__(self, work: Work, train: tuple[Tensor, Tensor], dev: tuple[Tensor, Tensor]) -> None:
        self.work, self.train, self.dev = work, train, dev
        self.model = nn.Linear(work.encoder.dim, 2 * work.snapshot.num_relations)

    @property
    def size(self) -> int:
        """Training examples."""
        return len(self.train[1])

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Cross-entropy of the relations of a batch."""
        del rng
        vectors, relations = (part[torch.from_numpy(chosen)] for part in self.train)
        return nn.functional.cross_entropy(self.model(vectors), relations)

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Share of the dev questions whose relation is the most probable one."""
        del cancelled
        vectors, relations = self.dev
        return float((self.model(vectors).argmax(1) == relations).float().mean()) if len(relations) else 0.0

    def compute_fingerprint(self) -> bytes:
        """Name the examples, so that only the same training is resumed."""
        return b"".join(part.numpy().tobytes() for part in (*self.train, *self.dev))

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """Open the trained retriever, for dev metrics."""
        return open_retriever(checkpoint, self.work.snapshot, self.work.encoder, cache)


def make_task(
    work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> LinearProbeTask:
    """Cut examples from labelled questions. See ``retrieval.training.recipe.Recipe``."""
    del config, simple
    train, dev = (_build_examples(work, part, labels) for part in (splits.train, splits.dev))
    if not len(train[1]):
        raise TrainingDataError("No training question has a label.", hint="Give questions with answers.")
    return LinearProbeTask(work, train, dev)


def _build_examples(work: Work, questions: Sequence[Grounded], labels: Sequence[Label]) -> tuple[Tensor, Tensor]:
    """Embeddings of the questions as seen from their topics, [n, d], and the relations to begin with, [n]."""
    by_id, texts, relations = {question.question.id: question for question in questions}, [], []
    for label in select_usable(labels):
        question, path = by_id.get(label.question), to_directed_path(work.snapshot, label.path)
        topic = work.snapshot.find_entity(label.topic)
        if question is not None and path and topic in question.topics:
            place = question.topics.index(topic)
            texts.append(replace_topic_names(question.question.question, place, question.names))
            relations.append(path[0])
    vectors = work.encoder.encode(texts) if texts else np.zeros((0, work.encoder.dim), np.float32)
    return torch.from_numpy(vectors), torch.tensor(relations, dtype=torch.int64)
