"""Graph convolution on the directed line graph of a KG, without building the line graph.

Nodes of the line graph are triples; there is an edge u -> v if and only if tail(u) = head(v)
(REL-RAG definition 4). One hub entity with n triples in and n out makes n^2 edges there, so nothing
here materialises them: the predecessors of v are *exactly* the triples that end in head(v), and GCN's
symmetric normalisation is a product of a term for u and a term for v. The sum over predecessors is
therefore a scatter to tails followed by a gather from heads: O(triples x features). In the terms of
PyTorch Geometric, triples pass their messages along a bipartite graph to the entities that they end in.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing


@dataclass(frozen=True, slots=True)
class LineGraph:
    """The incidence that replaces the line graph's edge list.

    Attributes:
        heads: entity each triple leaves, [N] int64.
        tails: entity each triple enters, [N] int64.
        norm: GCN's deg(v)^-1/2, [N]. deg(v) counts the predecessors of v and one self loop; a triple
            with head = tail is its own predecessor already, and GCNConv (``add_remaining_self_loops``)
            keeps one loop, not two.
        loops: head = tail, [N] bool.
        entities: number of entity slots.
    """

    heads: Tensor
    tails: Tensor
    norm: Tensor
    loops: Tensor
    entities: int

    @classmethod
    def from_triples(cls, heads: Tensor, tails: Tensor, entities: int) -> LineGraph:
        """Line graph of N triples (parallel triples are distinct nodes).

        Args:
            heads: [N] int64, in [0, entities).
            tails: [N] int64, in [0, entities).
            entities: number of entities.
        """
        entering = torch.bincount(tails, minlength=entities)
        loops = heads == tails
        degree = entering[heads] + (~loops).long()
        return cls(heads, tails, degree.to(torch.get_default_dtype()).rsqrt(), loops, entities)

    def make_reversed(self) -> LineGraph:
        """The edge-reversed line graph: heads and tails swap roles."""
        return LineGraph.from_triples(self.tails, self.heads, self.entities)


class SumMessages(MessagePassing):
    """Message passing that sums one ready message per sender."""

    def __init__(self) -> None:
        super().__init__(aggr="sum")

    def sum_messages(self, messages: Tensor, receivers: Tensor, count: int) -> Tensor:
        """Sum M messages at their receivers, [M, F] -> [count, F].

        Args:
            messages: [M, F].
            receivers: of each message, int64 [M], in [0, count).
            count: number of receivers.
        """
        bipartite = torch.stack([torch.arange(len(receivers), device=receivers.device), receivers])
        received: Tensor = self.propagate(bipartite, messages=messages, size=(len(messages), count))
        return received

    def message(self, messages: Tensor) -> Tensor:
        """The messages as they are: sender i of the bipartite graph has message i, so nothing is gathered."""
        return messages


class LineGraphConv(SumMessages):
    r"""``MessagePassing`` on the line graph, equal to PyG's ``GCNConv`` on the materialised one.

    .. math:: x'_v = \sum_{u \in P(v) \cup \{v\}} \frac{W x_u}{\sqrt{d_u d_v}} + b

    where P(v) are the triples that end in head(v). With ``self_weight`` the own message has a weight of its own and is
    not divided, as RAPL eq. 3 writes it:

    .. math:: x'_v = \sum_{u \in P(v)} \frac{W x_u}{\sqrt{d_u d_v}} + W_{self} x_v + b

    Args:
        in_features: size of x_v.
        out_features: size of x'_v.
        self_weight: see above.
    """

    def __init__(self, in_features: int, out_features: int, *, self_weight: bool = False) -> None:
        super().__init__()
        self.lin = nn.Linear(in_features, out_features, bias=False)
        self.own = nn.Linear(in_features, out_features, bias=False) if self_weight else None
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.lin.weight)

    def forward(self, x: Tensor, line_graph: LineGraph) -> Tensor:
        """[N, in_features] -> [N, out_features]."""
        sent = line_graph.norm.unsqueeze(1) * self.lin(x)  # [N, out]
        received = self.sum_messages(sent, line_graph.tails, line_graph.entities)  # [entities, out]
        return self.merge_messages(received[line_graph.heads], sent, x, line_graph.norm, line_graph.loops)

    def merge_messages(self, received: Tensor, sent: Tensor, x: Tensor, norm: Tensor, loops: Tensor) -> Tensor:
        """The second half of the convolution, for any subset of n triples whose sums are known.

        Args:
            received: sum over the triples that end in each triple's head, [n, out].
            sent: each triple's own normalised message, [n, out].
            x: what it was made of, [n, in]; ``W_self`` reads it.
            norm: [n].
            loops: [n] bool; a loop is in ``received`` already.
        """
        if self.own is not None:
            summed: Tensor = norm.unsqueeze(1) * received + self.own(x) + self.bias
            return summed
        own_messages = torch.where(loops.unsqueeze(1), torch.zeros_like(sent), sent)
        return norm.unsqueeze(1) * (received + own_messages) + self.bias
