"""The raw-graph variant of the triple encoder: the same two GCNs, over entities instead of triples.

REL-RAG's ablation (section 5.3) keeps everything and only takes the raw graph for the line graph. The GCN is the
one that RAPL eq. 2 writes for it: an entity sums ``W [h_j || r_ij]`` over the triples that end in it, so that the
relations around an entity mix in its one vector. A triple's state is then made of its ends' vectors and its relation.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from retrieval.nn.triple_encoder import EntitySums, TripleStates


@dataclass(frozen=True, slots=True)
class EntityBlock:
    """Triples whose states are wanted, their ends, and the sampled neighbours of these.

    Attributes:
        heads, tails: positions in ``own``, [n].
        relations: rows of the relation features, [n].
        own: positions of the wanted triples' ends among the m entities, [u].
        entities: text features of the m entities, [m, d]; None without entity texts.
        norm: deg^-1/2 of the m entities, their self loop counted, [m].
        forward, backward: first-layer sums of the m entities over the triples that end / begin there.
        neighbours: positions among the m entities of what the second layer reads, [M].
        receivers: position in ``own`` that reads each, [M].
        weights: deg^-1/2 of each neighbour times how many it stands for, [M].
    """

    heads: Tensor
    relations: Tensor
    tails: Tensor
    own: Tensor
    entities: Tensor | None
    norm: Tensor
    forward: EntitySums
    backward: EntitySums
    neighbours: Tensor
    receivers: Tensor
    weights: Tensor


class EntityGraphConv(nn.Module):
    r"""GCN with edge features (RAPL eq. 2), ``W [h || r]`` split into a part for entities and one for relations.

    .. math:: h'_e = \sum_{(j, r) \to e} \frac{W_h h_j + W_r r}{\sqrt{d_e d_j}} + \frac{W_h h_e}{d_e} + b
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.entity = nn.Linear(hidden, hidden, bias=False)
        self.relation = nn.Linear(hidden, hidden, bias=False)
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, near: Tensor, relations: Tensor, norm: Tensor) -> Tensor:
        """New vectors of n entities.

        Args:
            near: sum of deg^-1/2 h over the neighbours and the entity itself, [n, H].
            relations: sum of deg^-1/2 r over the triples from the neighbours, [n, H].
            norm: deg^-1/2 of the entities, [n].
        """
        summed: Tensor = self.entity(near) + self.relation(relations)
        return norm.unsqueeze(1) * summed + self.bias


class EntityGraphEncoder(TripleStates):
    """Triple states z_v from two 2-layer GCNs on the entity graph and its reverse.

    Args:
        text_features: d, size of the text features.
        hidden: H, size of the states.
        dropout: rate after the first layer.
        skip: add a projection of phi(h, r, t).
        norm: end in a layer norm.
        look_ahead: read the reversed graph too (RAPL eq. 10).
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        dropout: float = 0.2,
        *,
        skip: bool = True,
        norm: bool = True,
        look_ahead: bool = True,
    ) -> None:
        super().__init__(text_features, hidden, dropout, skip=skip, norm=norm, look_ahead=look_ahead)
        self.entity = nn.Linear(text_features, hidden, bias=False)
        self.forward_layers = nn.ModuleList([EntityGraphConv(hidden) for _ in range(2)])
        self.backward_layers = nn.ModuleList([EntityGraphConv(hidden) for _ in range(2)])
        self.of_head = nn.Linear(hidden, hidden, bias=False)
        self.of_relation = nn.Linear(hidden, hidden, bias=False)
        self.of_tail = nn.Linear(hidden, hidden, bias=False)

    def on_block(self, block: EntityBlock, relation_texts: Tensor) -> Tensor:
        """States of the block's n triples, [n, H]."""
        sides = []
        for sums, layers in ((block.forward, self.forward_layers), (block.backward, self.backward_layers)):
            inner = self.first(layers, sums, block.entities, block.norm)  # [m, H]
            own = inner[block.own]
            near = own * block.norm[block.own].unsqueeze(1)
            near = near.index_add(0, block.receivers, inner[block.neighbours] * block.weights.unsqueeze(1))
            vectors = self.second(layers, near, sums.relation[block.own], block.norm[block.own])
            sides.append(self.triples(vectors, relation_texts, block.heads, block.relations, block.tails))
        entities = block.entities[block.own] if block.entities is not None else None
        x = self.phi(entities, relation_texts, block.heads, block.relations, block.tails)
        return self.combine(sides[0], sides[1], x)

    def first(self, layers: nn.ModuleList, sums: EntitySums, entities: Tensor | None, norm: Tensor) -> Tensor:
        """First-layer vectors of m entities, from their sums in text space, [m, H]."""
        relations = self.relation(sums.relation)
        near = torch.zeros_like(relations)
        if entities is not None and sums.far is not None:
            near = self.entity(sums.far + norm.unsqueeze(1) * entities)
        vectors: Tensor = layers[0](near, relations, norm)
        return functional.dropout(functional.relu(vectors), self.dropout, self.training)

    def second(self, layers: nn.ModuleList, near: Tensor, relations: Tensor, norm: Tensor) -> Tensor:
        """Second-layer vectors; ``relations`` are the sums in text space, [n, d]. [n, H]."""
        vectors: Tensor = layers[1](near, self.relation(relations), norm)
        return vectors

    def triples(
        self, vectors: Tensor, relation_texts: Tensor, heads: Tensor, relations: Tensor, tails: Tensor
    ) -> Tensor:
        """One direction's triple states of N triples from its entities' vectors, [N, H]."""
        of_relation = self.of_relation(self.relation(relation_texts))
        states: Tensor = self.of_head(vectors)[heads] + of_relation[relations] + self.of_tail(vectors)[tails]
        return states
