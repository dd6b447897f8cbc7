"""The model of the path retrievers: triple encoder and query encoder."""

from __future__ import annotations

from torch import nn

from retrieval.methods.paths.network import make_encoder
from retrieval.methods.paths.settings import PathConfig
from retrieval.nn.query import QueryEncoder


class PathModel(nn.Module):
    """z_v from the graph, z_q from the question and the path so far.

    Args:
        text_features: d of the text encoder.
        relations: directed relations of the graph, for layers with a weight for each of them.
    """

    def __init__(self, config: PathConfig, text_features: int, relations: int | None = None) -> None:
        super().__init__()
        self.triples = make_encoder(config, text_features, relations)
        self.query = QueryEncoder(
            text_features,
            config.hidden,
            config.dropout,
            history=config.history,
            words=config.words,
            texts=config.texts,
            stop=config.stop,
            scaled=config.norm,
        )
