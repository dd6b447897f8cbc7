"""REL-RAG with triple-based learning: line-graph states rank the candidate triples (REL-RAG 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

import numpy as np
import torch
from torch import Tensor

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.cache import get_states_folder
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.linking.features import GraphFeatures, Labels, build_features, compute_graph_features
from retrieval.linking.text_features import TextEncoder, get_relation_vectors
from retrieval.methods.paths.states import States, StoredStates, compute_all_states, make_states
from retrieval.methods.rel_rag_triple.model import LineGraphScorer
from retrieval.methods.rel_rag_triple.spec import RelRagTripleConfig
from retrieval.methods.triples.chain_expansion import Scores
from retrieval.methods.triples.ranking import TripleRanker
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.nn.conv_layer import require_same_graph
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint, load_weights
from retrieval.types import Progress


class RelRagTripleRetriever(TripleRanker):
    """Triples ranked by <z_q, z_v>.

    Walked both ways, a fact is two nodes of the line graph and its score is the better one's; directed, it is one.

    Args:
        checkpoint: opened for this method and encoder.
        snapshot: the graph; it need not be the one trained on.
        states: of the snapshot's arcs under this checkpoint.
        cache: where label vectors are kept.
    """

    def __init__(
        self,
        checkpoint: OpenCheckpoint,
        snapshot: Snapshot,
        encoder: TextEncoder,
        states: States,
        *,
        cache: Path | None = None,
    ) -> None:
        config = get_config(checkpoint)
        super().__init__(checkpoint, snapshot, encoder)
        self.model = load_scorer(checkpoint)
        self.states = states
        self._directed = config.arcs == "directed"
        self._places = config.places
        self.texts = torch.from_numpy(get_relation_vectors(snapshot, encoder))
        self._entities = Labels(snapshot, encoder, cache) if checkpoint.manifest.entity_texts else None

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``: the triple states are those of the small graph."""
        other, small = super().apply_restriction(snapshot), snapshot.compact
        entities = self._entities.get_vectors(small.entities) if self._entities is not None else None
        features = build_features(small, self.texts, entities, directed=self._directed)
        other.states = StoredStates(compute_all_states(self.model.triples, features))
        return other

    @torch.inference_mode()
    def score(self, subgraphs: Subgraphs, questions: Texts) -> Scores:
        """See ``TripleRanker``."""
        graph = torch.from_numpy(subgraphs.fact_graph)
        encoded = self.model.encode_questions(questions, self.texts)
        forward, backward = (
            self.model.compute_logits(
                torch.from_numpy(self.states.get_states(subgraphs.facts + self.snapshot.num_triples * way)),
                encoded,
                graph,
                torch.from_numpy(subgraphs.relations + self.snapshot.num_relations * way * (not self._directed)),
                hops=hops,
            ).numpy()
            for way, hops in enumerate(compute_start_hops(subgraphs, self.max_hops, directed=self._directed))
        )
        lengths = self.model.length(questions.vectors).numpy()
        return Scores(np.maximum(forward, backward), forward, backward, lengths, once=not self._places)


def compute_start_hops(subgraphs: Subgraphs, most: int, *, directed: bool) -> tuple[Tensor, Tensor]:
    """How far from the topic each fact begins walked forward and walked backward, two of int64 [N].

    Args:
        subgraphs: with the facts.
        most: the distance of all that lies further.
        directed: a fact is one triple, whichever way it is walked, and begins at its nearer end.
    """
    distances = subgraphs.compute_distances(most)
    heads, tails = (torch.from_numpy(distances[ends]) for ends in (subgraphs.heads, subgraphs.tails))
    return (torch.minimum(heads, tails),) * 2 if directed else (heads, tails)


def get_config(checkpoint: OpenCheckpoint) -> RelRagTripleConfig:
    """The checkpoint's settings, of this method's class."""
    assert isinstance(checkpoint.config, RelRagTripleConfig), "a checkpoint is read for its own method"
    return checkpoint.config


def load_scorer(checkpoint: OpenCheckpoint) -> LineGraphScorer:
    """The checkpoint's model, in evaluation mode.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """
    return load_weights(build_model(checkpoint), checkpoint)


def build_model(checkpoint: OpenCheckpoint) -> LineGraphScorer:
    """The model of a checkpoint's settings, initialised."""
    manifest = checkpoint.manifest
    return LineGraphScorer(get_config(checkpoint), manifest.text_features, manifest.relations)


def open_triple_states(
    checkpoint: OpenCheckpoint,
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    cache: Path,
    features: GraphFeatures | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> States:
    """Triple states of the snapshot under this checkpoint. Arguments as of ``rel_rag_path.open_states``."""

    model = load_scorer(checkpoint)
    require_same_graph(model, trained_on=checkpoint.manifest.snapshot, snapshot=snapshot.hash)

    def make_features() -> GraphFeatures:
        return features or compute_graph_features(
            snapshot,
            encoder,
            entity_texts=checkpoint.manifest.entity_texts,
            directed=get_config(checkpoint).arcs == "directed",
            cache=cache,
            progress=progress,
            cancelled=cancelled,
        )

    return make_states(
        model.triples,
        snapshot,
        make_features,
        budget_mb=get_config(checkpoint).state_budget_mb,
        kept=get_states_folder(cache, checkpoint.manifest.fingerprint, snapshot.hash),
        progress=progress,
        cancelled=cancelled,
    )


def open_retriever(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path
) -> RelRagTripleRetriever:
    """A checkpoint of ``rel-rag-triple`` on a graph, which need not be the one trained on."""
    states = open_triple_states(checkpoint, snapshot, encoder, cache=cache)
    return RelRagTripleRetriever(checkpoint, snapshot, encoder, states, cache=cache)
