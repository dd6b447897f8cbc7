"""The graph network of RAPL and REL-RAG, made of the settings of the methods that learn paths or triples with it."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from retrieval.methods.common.network_texts import ENTITY_GCN, LINE_GCN
from retrieval.nn.conv_encoder import ConvEncoder
from retrieval.nn.entity_graph import EntityGraphEncoder
from retrieval.nn.triple_encoder import TripleEncoder

StateEncoder = TripleEncoder | EntityGraphEncoder | ConvEncoder


class Network(Protocol):
    """Settings of a graph network; see ``settings.PathConfig``."""

    @property
    def hidden(self) -> int:
        """Size of the states."""
        ...

    @property
    def dropout(self) -> float:
        """Rate after each first layer."""
        ...

    @property
    def conv(self) -> str:
        """The layer of message passing; see ``network_texts.list_convs``."""
        ...

    @property
    def readout(self) -> Literal["auto", "states", "relation"]:
        """What scores an arc."""
        ...

    @property
    def layers(self) -> int:
        """Layers of message passing."""
        ...

    @property
    def self_weight(self) -> bool:
        """Whether a state weighs itself apart from its neighbours."""
        ...

    @property
    def look_ahead(self) -> bool:
        """Whether arcs that follow are read as well."""
        ...

    @property
    def skip(self) -> bool:
        """Whether the input is added to the states."""
        ...

    @property
    def norm(self) -> bool:
        """Whether states are normalised."""
        ...


def make_encoder(config: Network, text_features: int, relations: int | None = None) -> StateEncoder:
    """The untrained network of these settings.

    Args:
        text_features: d of the text encoder.
        relations: directed relations of the graph, for layers with a weight for each of them.

    Raises:
        ConfigError: there is no layer of that name.
    """
    sizes = (text_features, config.hidden, config.dropout)
    on_line_graph = config.conv == LINE_GCN
    options: dict[str, Any] = {
        "skip": config.skip,
        "norm": config.norm,
        "look_ahead": config.look_ahead,
        "layers": config.layers,
        "self_weight": config.self_weight,
        "relation_readout": not on_line_graph if config.readout == "auto" else config.readout == "relation",
    }
    if on_line_graph:
        return TripleEncoder(*sizes, **options)
    if config.conv == ENTITY_GCN:
        return EntityGraphEncoder(*sizes, **options)
    return ConvEncoder(config.conv, *sizes, relations=relations, **options)
