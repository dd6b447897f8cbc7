"""Triple states from layers of PyTorch Geometric on the entity graph."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.utils import degree, scatter

from retrieval.nn.conv_layer import ConvLayer, RelationalEdges
from retrieval.nn.entity_graph import EntityStates
from retrieval.nn.line_graph import LineGraph


class ConvEncoder(EntityStates):
    """Triple states z_v from two stacks of one PyG layer, on the entity graph and on its reverse.

    An entity begins with its text and the sum of the relations around it, normalised as a GCN's; without that,
    entities of a graph without entity texts would all look alike. A triple's state is made of its ends' vectors.

    Neighbourhoods are ``Data`` of one direction: ``edge_index``, ``edge_type`` and ``scale`` as in
    :class:`RelationalEdges`; of its n entities ``x`` (text features, or None), ``norm`` (deg^-1/2) and
    ``around`` (sums of their triples' relation texts in text space, [n, d]); the triples' ``heads`` and ``tails``.

    Args:
        conv: name of the layer, see :class:`ConvLayer`.
        relations: directed relations of the graph, for layers with a weight for each.
        text_features, hidden, dropout, options: as of ``TripleStates``; ``self_weight`` says nothing here.
    """

    def __init__(
        self, conv: str, text_features: int, hidden: int, dropout: float = 0.2, *, relations: int | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(lambda: ConvLayer(conv, hidden, relations), text_features, hidden, dropout, **options)

    def forward(self, entities: Tensor | None, relation_texts: Tensor, relations: Tensor, graph: LineGraph) -> Tensor:
        """States of all N triples, [N, H]; arguments as of ``TripleEncoder.forward``."""
        sides = []
        for layers, way in ((self.forward_layers, graph), (self.backward_layers, graph.make_reversed())):
            messages = way.norm.unsqueeze(1) * relation_texts[relations]
            neighbourhood = Data(
                edge_index=torch.stack([way.heads, way.tails]),
                edge_type=relations,
                scale=torch.ones_like(way.norm),
                x=entities,
                norm=(degree(way.tails, way.entities, way.norm.dtype) + 1).rsqrt(),
                around=scatter(messages, way.tails, dim_size=way.entities),
                heads=graph.heads,
                tails=graph.tails,
            )
            sides.append(self.encode_side(layers, neighbourhood, relation_texts))
        x = self.compute_phi(entities, relation_texts, graph.heads, relations, graph.tails)
        return self.merge_directions(sides[0], sides[1], x, relation_texts, relations)

    def encode_side(self, layers: nn.ModuleList, neighbourhood: Data, relation_texts: Tensor) -> Tensor:
        """One direction's states of the neighbourhood's triples, [n, H]."""
        vectors = self.embed(neighbourhood.x, neighbourhood.around, neighbourhood.norm)
        edges = self.make_edges(neighbourhood, relation_texts)
        for depth, layer in enumerate(layers):
            vectors = layer(self._apply_activation(vectors) if depth else vectors, edges)
        return self.compute_triple_states(vectors, neighbourhood.heads, neighbourhood.tails)

    def encode_block(self, forward: Data, backward: Data, relations: Tensor, relation_texts: Tensor) -> Tensor:
        """States of the neighbourhoods' n triples, [n, H].

        Args:
            forward, backward: one of each direction, around the same triples.
            relations: directed relations of the triples, [n].
            relation_texts: text features of directed relations, [2R, d].
        """
        ahead = self.encode_side(self.forward_layers, forward, relation_texts)
        behind = self.encode_side(self.backward_layers, backward, relation_texts)
        x = self.compute_phi(forward.x, relation_texts, forward.heads, relations, forward.tails)
        return self.merge_directions(ahead, behind, x, relation_texts, relations)

    def embed(self, entities: Tensor | None, around: Tensor, norm: Tensor) -> Tensor:
        """Vectors of n entities before the first layer, [n, H]; arguments as in a neighbourhood."""
        vectors: Tensor = norm.unsqueeze(1) * self.relation(around)
        return vectors if entities is None else vectors + self.entity(entities)

    def make_edges(self, neighbourhood: Data, relation_texts: Tensor) -> RelationalEdges:
        """The neighbourhood's edges with their relations' vectors."""
        vectors = self.relation(relation_texts)[neighbourhood.edge_type]
        return RelationalEdges(
            neighbourhood.edge_index, neighbourhood.edge_type, vectors, neighbourhood.scale, neighbourhood.norm
        )
