"""ReG@Entity: a PNA network scores entities; a triple's score is the sum of its ends' (ReG App. D.3 and E)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder, TextFeatures, encode_graph_texts
from retrieval.methods.reg_entity.model import EntityScorer
from retrieval.methods.reg_entity.spec import RegEntityConfig
from retrieval.methods.triples.chain_expansion import Scores
from retrieval.methods.triples.ranking import TripleRanker
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.nn.conv_layer import require_same_graph
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint, load_weights


class RegEntityRetriever(TripleRanker):
    """Triples ranked by s(h, r, t) = p(h) + p(t).

    A chain is as good as its walks; without their scores as the entities that it comes through: the logit of a walk is
    that of the entity it enters.

    Args:
        checkpoint: opened for this method and encoder.
        snapshot: the graph; it need not be the one trained on.
        features: text features of the snapshot, with entity texts if the checkpoint has them.
    """

    def __init__(
        self, checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, features: TextFeatures
    ) -> None:
        super().__init__(checkpoint, snapshot, encoder)
        self.model = load_weights(build_model(checkpoint), checkpoint)
        require_same_graph(self.model, trained_on=checkpoint.manifest.snapshot, snapshot=snapshot.hash)
        with torch.inference_mode():
            self.texts = features.relations
            self.relations = self.model.encode_relations(self.texts)
            self.entities = self.model.encode_entities(features.entities) if features.entities is not None else None

    @torch.inference_mode()
    def score(self, subgraphs: Subgraphs, questions: Texts) -> Scores:
        """See ``TripleRanker``."""
        rows = torch.from_numpy(subgraphs.entities)
        logits, ways = self.model(
            subgraphs.batch(), questions, self.texts, self.relations,
            None if self.entities is None else self.entities[rows],
        )  # fmt: skip
        lengths = self.model.length(questions.vectors).numpy()
        return compute_entity_scores(subgraphs, logits.numpy(), lengths, None if ways is None else ways.numpy())


def compute_entity_scores(
    subgraphs: Subgraphs, logits: np.ndarray, lengths: np.ndarray, ways: np.ndarray | None = None
) -> Scores:
    """From logits of the entity slots, [n], to those of the triples (ReG App. E, ReG@Entity).

    ``ways`` are the logits of the triples walked forward and backward, [2, N].
    """
    share = 1 / (1 + np.exp(-logits.astype(np.float64)))
    heads, tails = subgraphs.heads, subgraphs.tails
    rank = share[heads] + share[tails]
    if ways is not None:
        return Scores(rank, ways[0], ways[1], lengths, of_ends=True)
    return Scores(rank, logits[tails], logits[heads], lengths, of_ends=True, of_entities=True)


def build_model(checkpoint: OpenCheckpoint) -> EntityScorer:
    """The scorer of a checkpoint's settings, initialised."""
    assert isinstance(checkpoint.config, RegEntityConfig), "a checkpoint is read for its own method"
    manifest = checkpoint.manifest
    return make_scorer(checkpoint.config, manifest.text_features, manifest.entity_texts, manifest.relations)


def make_scorer(
    config: RegEntityConfig, text_features: int, entity_texts: bool, relations: int | None = None
) -> EntityScorer:
    """The untrained scorer of these settings; ``relations`` as of ``EntityScorer``."""
    return EntityScorer(
        text_features,
        config.hidden,
        layers=config.layers,
        rounds=config.rounds,
        longest=config.max_hops,
        dropout=config.dropout,
        entity_texts=entity_texts,
        words=config.words,
        walks=config.walks,
        places=config.places,
        norm=config.norm,
        texts=config.texts,
        turning=config.turning_distances,
        conv=config.conv,
        directed_relations=relations,
    )


def open_retriever(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path
) -> RegEntityRetriever:
    """A checkpoint of ``reg-entity`` on a graph, which need not be the one trained on."""
    texts = checkpoint.manifest.entity_texts
    features = encode_graph_texts(snapshot, encoder, entity_texts=texts, cache=cache)
    return RegEntityRetriever(checkpoint, snapshot, encoder, features)
