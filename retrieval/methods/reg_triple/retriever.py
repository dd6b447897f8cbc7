"""ReG@Triple: an MLP over text and DDE ranks the candidate triples (ReG 4.1, App. D.3 and E)."""

from __future__ import annotations

from pathlib import Path

import torch

from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder, TextFeatures, encode_graph_texts
from retrieval.methods.reg_triple.model import TripleScorer
from retrieval.methods.reg_triple.spec import RegTripleConfig
from retrieval.methods.triples.chain_expansion import Scores
from retrieval.methods.triples.ranking import TripleRanker
from retrieval.methods.triples.subgraphs import Subgraphs
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint, load_weights


class RegTripleRetriever(TripleRanker):
    """Triples ranked one by one by the trained scorer.

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
        with torch.inference_mode():
            self.texts = features.relations[: snapshot.num_relations]
            self.relations = self.model.encode_relations(self.texts)
            self.ends = self.model.encode_entities(features.entities) if features.entities is not None else None

    @torch.inference_mode()
    def score(self, subgraphs: Subgraphs, questions: Texts) -> Scores:
        """See ``TripleRanker``."""
        rows = torch.from_numpy(subgraphs.entities)
        logits = self.model(
            subgraphs.batch(), questions, self.texts, self.relations,
            None if self.ends is None else (self.ends[0][rows], self.ends[1][rows]),
        ).numpy()  # fmt: skip
        return Scores(logits, logits, logits, self.model.length(questions.vectors).numpy())


def build_model(checkpoint: OpenCheckpoint) -> TripleScorer:
    """The scorer of a checkpoint's settings, initialised."""
    assert isinstance(checkpoint.config, RegTripleConfig), "a checkpoint is read for its own method"
    manifest = checkpoint.manifest
    return make_scorer(checkpoint.config, manifest.text_features, manifest.entity_texts)


def make_scorer(config: RegTripleConfig, text_features: int, entity_texts: bool) -> TripleScorer:
    """The untrained scorer of these settings."""
    return TripleScorer(
        text_features,
        config.hidden,
        rounds=config.rounds,
        longest=config.max_hops,
        dropout=config.dropout,
        entity_texts=entity_texts,
        words=config.words,
        texts=config.texts,
        turning=config.turning_distances,
    )


def open_retriever(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path
) -> RegTripleRetriever:
    """A checkpoint of ``reg-triple`` on a graph, which need not be the one trained on."""
    texts = checkpoint.manifest.entity_texts
    features = encode_graph_texts(snapshot, encoder, entity_texts=texts, cache=cache)
    return RegTripleRetriever(checkpoint, snapshot, encoder, features)
