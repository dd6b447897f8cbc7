"""Layers of PyTorch Geometric in the place of principal neighbourhood aggregation."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.utils import scatter

from retrieval.nn.conv_layer import ConvLayer, RelationalEdges
from retrieval.nn.pna import Walks


class EntityConvLayer(nn.Module):
    """x'_e = x_e + ReLU(Conv(x, walks)), arguments as of ``pna.PNALayer``.

    A layer that knows no edge features reads the mean of what the walks to an entity carry at the entity itself.

    Args:
        conv: name of the layer, see ``ConvLayer``.
        hidden: F.
        dropout: rate after the ReLU.
        norm: layer norm of the new states.
        relations: directed relations of the graph, for layers with a weight for each.
    """

    def __init__(self, conv: str, hidden: int, dropout: float, *, norm: bool, relations: int | None) -> None:
        super().__init__()
        self.layer = ConvLayer(conv, hidden, relations)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(hidden) if norm else nn.Identity()

    def forward(self, x: Tensor, walks: Walks, delta: float) -> Tensor:
        """States after the layer, [n, F]; see ``PNALayer.forward``."""
        del delta
        inputs = x
        if "edge_attr" not in self.layer.reads:
            inputs = x + scatter(walks.relations, walks.edge_index[1], dim_size=len(x), reduce="mean")
        edges = RelationalEdges(
            walks.edge_index, walks.edge_type, walks.relations,
            scale=torch.ones_like(walks.relations[:, 0]), norm=(walks.counts + 1).to(x.dtype).rsqrt(),
        )  # fmt: skip
        out: Tensor = self.norm(x + self.dropout(torch.relu(self.layer(inputs, edges))))
        return out
