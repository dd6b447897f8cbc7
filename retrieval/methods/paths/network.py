"""The graph network of RAPL and REL-RAG, made of the settings of the methods that learn paths or triples with it."""

from __future__ import annotations

from typing import Literal, Protocol

from retrieval.nn.entity_graph import EntityGraphEncoder
from retrieval.nn.triple_encoder import TripleEncoder

StateEncoder = TripleEncoder | EntityGraphEncoder


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
    def graph(self) -> Literal["line", "raw"]:
        """What messages are passed on: the line graph or the graph itself."""
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


def make_encoder(config: Network, text_features: int) -> StateEncoder:
    """The untrained network of these settings, for text features of so many numbers."""
    raw = config.graph == "raw"
    return (EntityGraphEncoder if raw else TripleEncoder)(
        text_features,
        config.hidden,
        config.dropout,
        skip=config.skip,
        norm=config.norm,
        look_ahead=config.look_ahead,
        layers=config.layers,
        self_weight=config.self_weight,
        relation_readout=raw if config.readout == "auto" else config.readout == "relation",
    )
