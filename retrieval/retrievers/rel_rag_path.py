"""REL-RAG with path-based learning: a trained model walks the line graph (sections 3 and 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Self

import numpy as np
import torch
from torch import Tensor

from retrieval.config import RelRagPathConfig
from retrieval.errors import CheckpointError
from retrieval.kg.restriction import RestrictedSnapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers.base import RelationPath
from retrieval.retrievers.checkpoint import Checkpoint
from retrieval.retrievers.explorer import Beam, Explorer
from retrieval.retrievers.features import (
    GraphFeatures,
    TextEncoder,
    entity_vectors,
    features_of,
    graph_features,
    relation_texts,
)
from retrieval.retrievers.path_model import PathModel
from retrieval.retrievers.questions import QuestionTexts
from retrieval.retrievers.ranking import RankingRetriever
from retrieval.retrievers.states import ComputedStates, States, StoredStates, all_states, stored_states
from retrieval.types import Method, Progress


class RelRagPathRetriever(RankingRetriever):
    """Relation paths by a beam over the trained model, reasoning paths along them.

    Args:
        checkpoint: opened for this method and encoder.
        snapshot: the graph; it need not be the one trained on.
        encoder: the frozen text encoder.
        states: of the snapshot's arcs under this checkpoint.
        beam: how wide to search.
        cache: where label vectors are kept.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        snapshot: Snapshot,
        encoder: TextEncoder,
        states: States,
        beam: Beam | None = None,
        *,
        cache: Path | None = None,
    ) -> None:
        super().__init__(
            snapshot,
            encoder,
            method=Method.REL_RAG_PATH,
            checkpoint=checkpoint.manifest.fingerprint,
            simple=checkpoint.manifest.simple,
        )
        self._entities = _Labels(snapshot, encoder, cache) if checkpoint.manifest.entity_texts else None
        self.words = config_of(checkpoint).words
        self.explorer = Explorer(
            snapshot,
            load_model(checkpoint),
            states,
            encoder.encode(relation_texts(snapshot)),
            simple=checkpoint.manifest.simple,
            max_hops=checkpoint.config.max_hops,
            beam=beam,
        )

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[RelationPath]:
        """See ``RankingRetriever``."""
        read = QuestionTexts.encode(self.encoder, texts, words=self.words)
        return self.explorer.explore(topics, read.rows(np.arange(len(texts))), cancelled)

    def on(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``: the triple states are those of the small graph."""
        other, mine = super().on(snapshot), self.explorer
        small = snapshot.compact
        entities = self._entities.of(small.entities) if self._entities is not None else None
        states = all_states(mine.model.triples, features_of(small, mine.relations, entities))
        other.explorer = mine.on(snapshot, StoredStates(states))
        return other


class _Labels:
    """Vectors of the whole graph's entity labels, opened when first asked for."""

    def __init__(self, snapshot: Snapshot, encoder: TextEncoder, cache: Path | None) -> None:
        self._open = partial(entity_vectors, snapshot, encoder, cache)

    @cached_property
    def _vectors(self) -> np.ndarray:
        return self._open()

    def of(self, entities: np.ndarray) -> Tensor:
        """float32 [n, d]."""
        return torch.from_numpy(self._vectors[entities])


def config_of(checkpoint: Checkpoint) -> RelRagPathConfig:
    """The checkpoint's settings, of this method's class."""
    assert isinstance(checkpoint.config, RelRagPathConfig), "a checkpoint is read for its own method"
    return checkpoint.config


def load_model(checkpoint: Checkpoint) -> PathModel:
    """The checkpoint's model, in evaluation mode.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """
    model = PathModel(config_of(checkpoint), checkpoint.manifest.text_features)
    try:
        model.load_state_dict(checkpoint.weights)
    except RuntimeError as error:
        raise CheckpointError(
            "The checkpoint's weights do not fit its settings.", hint="Train again."
        ) from error
    return model.eval()


def open_states(
    checkpoint: Checkpoint,
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    cache: Path,
    features: GraphFeatures | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> States:
    """Triple states of the snapshot: kept in ``cache`` when they fit the budget, else computed on demand.

    Args:
        checkpoint: whose model computes them.
        snapshot: the graph.
        encoder: for texts that are not encoded yet.
        cache: directory shared by processes.
        features: of this snapshot and encoder, if the caller has them.
        progress: told what is computed.
        cancelled: asked between pieces of work.

    Raises:
        Cancelled: ``cancelled()`` said so.
    """
    model, config = load_model(checkpoint), config_of(checkpoint)

    def make_features() -> GraphFeatures:
        return features or graph_features(
            snapshot,
            encoder,
            entity_texts=checkpoint.manifest.entity_texts,
            cache=cache,
            progress=progress,
            cancelled=cancelled,
        )

    size = 2 * snapshot.num_triples * config.hidden * 2
    if size > config.state_budget_mb << 20:
        return ComputedStates(model.triples, make_features())
    return stored_states(
        model.triples,
        make_features,
        key=f"{checkpoint.manifest.fingerprint} {snapshot.hash}",
        cache=cache,
        progress=progress,
        cancelled=cancelled,
    )
