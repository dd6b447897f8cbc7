"""Relation paths of Graph-S3's small policy: what its most probable searches of each topic end with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
import torch

from retrieval.agents.environment import Limits, World
from retrieval.agents.fronts import Fronts
from retrieval.agents.rollouts import beam
from retrieval.agents.small_policy import SmallPolicy, make_model
from retrieval.config import GraphS3Config, GraphS3Options
from retrieval.kg.restriction import RestrictedSnapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers.base import RelationPath
from retrieval.retrievers.checkpoint import Checkpoint, load_weights
from retrieval.retrievers.features import TextEncoder
from retrieval.retrievers.questions import QuestionTexts
from retrieval.retrievers.ranking import RankingRetriever
from retrieval.types import Method


def open_policy(checkpoint: Checkpoint, snapshot: Snapshot, encoder: TextEncoder) -> SmallPolicy:
    """The checkpoint's small policy on a graph, which need not be the one trained on.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """
    config = checkpoint.config
    assert isinstance(config, GraphS3Config), "a checkpoint is read for its own method"
    model = make_model(encoder.dim, config.hidden, config.dropout, words=config.words)
    world = World(Fronts(snapshot, simple=checkpoint.manifest.simple), Limits(steps=config.steps))
    return SmallPolicy(load_weights(model, checkpoint), world, encoder)


class GraphS3Retriever(RankingRetriever):
    """The policy as a retriever of relation paths: a beam of searches, each topic by itself.

    Args:
        checkpoint: opened for this method and encoder.
        snapshot: the graph; it need not be the one trained on.
        encoder: the frozen text encoder.
    """

    def __init__(self, checkpoint: Checkpoint, snapshot: Snapshot, encoder: TextEncoder) -> None:
        super().__init__(
            snapshot,
            encoder,
            method=Method.GRAPH_S3,
            checkpoint=checkpoint.manifest.fingerprint,
            simple=checkpoint.manifest.simple,
        )
        self.policy = open_policy(checkpoint, snapshot, encoder)

    def on(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``."""
        other = super().on(snapshot)
        world = self.policy.world
        other.policy = self.policy.on(World(Fronts(snapshot, simple=world.fronts.simple), world.limits))
        return other

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[RelationPath]:
        """See ``RankingRetriever``."""
        options, policy = self.options, self.policy
        assert isinstance(options, GraphS3Options), "options are parsed for this method"
        words = policy.model.query.attention is not None
        with torch.inference_mode():
            encoded = QuestionTexts.encode(self.encoder, list(texts), words=words)
            asked = policy.model.read(encoded.rows(np.arange(len(texts))))
        found: list[RelationPath] = []
        for row, topic in enumerate(topics):
            found += beam(
                policy.world, policy.model, asked, policy.relations,
                (row, policy.world.begin(texts[row], [topic])), width=options.beam, cancelled=cancelled,
            )  # fmt: skip
        return found
