"""Relation paths of Graph-S3's policy: what its most probable searches of each topic end with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

import torch

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.linking.questions import read_each
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.graph_s3.agent import serialise
from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.language_policy import LanguagePolicy
from retrieval.methods.graph_s3.agent.rollouts import rank_paths
from retrieval.methods.graph_s3.agent.small_policy import WIDTH, SmallPolicy, make_model
from retrieval.methods.graph_s3.model import AgentModel
from retrieval.methods.graph_s3.spec import SPEC, GraphS3Config, GraphS3Options
from retrieval.nn.language_model import AdaptedModel
from retrieval.training.checkpoint import OpenCheckpoint, load_weights
from retrieval.types import RelationPath


def open_policy(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, *, width: int = WIDTH
) -> SmallPolicy | LanguagePolicy:
    """The checkpoint's policy on a graph, which need not be the one trained on; ``width`` is of ``SmallPolicy``.

    Raises:
        CheckpointError: the weights do not fit the settings.
        ConfigError: the language model that they are adapters of cannot be opened.
    """
    config = checkpoint.config
    assert isinstance(config, GraphS3Config), "a checkpoint is read for its own method"
    world = AgentWorld(Frontiers(snapshot, simple=checkpoint.manifest.simple), make_limits(config))
    if config.backend == "llm":
        adapted = AdaptedModel(config.llm, rank=config.lora_rank, dropout=config.dropout)
        return make_language_policy(world, load_weights(adapted, checkpoint), config)
    model = make_model(encoder.dim, config.hidden, config.dropout, words=config.words)
    return SmallPolicy(load_weights(model, checkpoint), world, encoder, width=width)


def build_model(checkpoint: OpenCheckpoint) -> AgentModel:
    """The small policy's model of a checkpoint's settings, initialised."""
    config = checkpoint.config
    assert isinstance(config, GraphS3Config), "a checkpoint is read for its own method"
    return make_model(checkpoint.manifest.text_features, config.hidden, config.dropout, words=config.words)


def make_limits(config: GraphS3Config) -> AgentLimits:
    """Limits of the searches that are learned from; a language model is shown smaller pages."""
    steps = AgentLimits(steps=config.steps)
    return replace(steps, page=serialise.FACTS[0]) if config.backend == "llm" else steps


def make_language_policy(world: AgentWorld, model: AdaptedModel, config: GraphS3Config) -> LanguagePolicy:
    """A language model of some settings as the policy."""
    return LanguagePolicy(world, model, context=config.context, longest=config.reply)


def open_retriever(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path
) -> PolicyRetriever:
    """The checkpoint's policy as a retriever of relation paths; raises what ``open_policy`` does."""
    del cache
    policy = open_policy(checkpoint, snapshot, encoder)
    if isinstance(policy, SmallPolicy):
        return GraphS3Retriever(checkpoint, snapshot, encoder, policy)
    return LanguageRetriever(checkpoint, snapshot, encoder, policy)


class PolicyRetriever(RankingRetriever):
    """A policy as a retriever of relation paths.

    Args:
        checkpoint: opened for this method and encoder.
        snapshot: the graph; it need not be the one trained on.
    """

    def __init__(
        self,
        checkpoint: OpenCheckpoint,
        snapshot: Snapshot,
        encoder: TextEncoder,
        policy: SmallPolicy | LanguagePolicy,
    ) -> None:
        super().__init__(
            snapshot,
            encoder,
            method=SPEC.name,
            checkpoint=checkpoint.manifest.fingerprint,
            simple=checkpoint.manifest.simple,
        )
        self.policy = policy

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``."""
        other = super().apply_restriction(snapshot)
        world = self.policy.world
        other.policy = self.policy.apply_restriction(
            AgentWorld(Frontiers(snapshot, simple=world.frontiers.simple), world.limits)
        )
        return other


class GraphS3Retriever(PolicyRetriever):
    """The small policy's: a beam of searches, each topic by itself."""

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``."""
        options, policy = self.options, self.policy
        assert isinstance(options, GraphS3Options), "options are parsed for this method"
        assert isinstance(policy, SmallPolicy)
        words = policy.model.query.attention is not None
        with torch.inference_mode():
            questions = policy.model.read(read_each(self.encoder, texts, words=words))
        return [
            rank_paths(
                policy.world, policy.model, questions, policy.relations,
                (row, policy.world.make_initial_state(Question(texts[row]), [topic])),
                width=options.beam, cancelled=cancelled,
            )
            for row, topic in enumerate(topics)
        ]  # fmt: skip


class LanguageRetriever(PolicyRetriever):
    """A language model's: what its one search from all topics ends with."""

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``: of each question by itself, as it is seen from its topic."""
        return [self._search(Question(text), [topic], (), cancelled) for topic, text in zip(topics, texts, strict=True)]

    def read_ahead(self, questions: Sequence[tuple[Question, Sequence[int], Sequence[str]]]) -> None:
        """Nothing: a language model searches from all topics of a question at once."""
        del questions

    def _ranked(
        self, question: Question, topics: Sequence[int], mentions: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[RelationPath]:
        """The question is read as it was asked, as in training."""
        return self._search(question, topics, mentions, cancelled)

    def _search(
        self, question: Question, topics: Sequence[int], mentions: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[RelationPath]:
        policy = self.policy
        assert isinstance(policy, LanguagePolicy)
        state = policy.world.make_initial_state(question, topics, mentions)
        state = policy.search(state, cancelled=cancelled)
        leaves = sorted(state.find_leaves(), key=lambda leaf: (leaf.topic, leaf.path)) if state.ended else []
        shared = Counter(leaf.topic for leaf in leaves)
        return [RelationPath(leaf.topic, leaf.path, 1.0 / shared[leaf.topic]) for leaf in leaves]
