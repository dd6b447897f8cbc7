"""The raw-graph variant of the triple encoder: the same GCNs, over entities instead of triples.

REL-RAG's ablation (section 5.3) keeps everything and only takes the raw graph for the line graph. The GCN is the
one that RAPL eq. 2 writes for it: an entity sums ``W [h_j || r_ij]`` over the triples that end in it, so that the
relations around an entity mix in its one vector. A triple's state is then made of its ends' vectors, and with
``relation_readout`` of its relation's text too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.utils import degree

from retrieval.nn.line_graph import LineGraph, SumMessages
from retrieval.nn.triple_encoder import EntitySums, TripleStates


@dataclass(frozen=True, slots=True)
class EntitySide:
    """One direction of a block: what its m entities receive.

    Attributes:
        norm: deg^-1/2 of the m entities in this direction, their self loop counted, [m].
        sums: first-layer sums over the triples that end (forward) or begin (backward) in them.
        neighbours: positions among the m entities of what the second layer reads, [M].
        receivers: position in ``own`` that reads each, [M].
        weights: deg^-1/2 of each neighbour times how many it stands for, [M].
    """

    norm: Tensor
    sums: EntitySums
    neighbours: Tensor
    receivers: Tensor
    weights: Tensor


@dataclass(frozen=True, slots=True)
class EntityBlock:
    """Triples whose states are wanted, their ends, and the sampled neighbours of these.

    Attributes:
        heads, tails: positions in ``own``, [n].
        relations: rows of the relation features, [n].
        own: positions of the wanted triples' ends among the m entities, [u].
        entities: text features of the m entities, [m, d]; None without entity texts.
        forward, backward: the two directions.
    """

    heads: Tensor
    relations: Tensor
    tails: Tensor
    own: Tensor
    entities: Tensor | None
    forward: EntitySide
    backward: EntitySide


class EntityGraphConv(SumMessages):
    r"""GCN with edge features (RAPL eq. 2), ``W [h || r]`` split into a part for entities and one for relations.

    .. math:: h'_e = \sum_{(j, r) \to e} \frac{W_h h_j + W_r r}{\sqrt{d_e d_j}} + \frac{W_h h_e}{d_e} + b

    With ``self_weight`` the second term is ``W_self h_e``, as ``LineGraphConv`` has it.
    """

    def __init__(self, hidden: int, *, self_weight: bool = False) -> None:
        super().__init__()
        self.entity = nn.Linear(hidden, hidden, bias=False)
        self.relation = nn.Linear(hidden, hidden, bias=False)
        self.own = nn.Linear(hidden, hidden, bias=False) if self_weight else None
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, received: Tensor, relations: Tensor, entity_vectors: Tensor, norm: Tensor) -> Tensor:
        """New vectors of n entities.

        Args:
            received: sum of deg^-1/2 h over the neighbours, [n, H].
            relations: sum of deg^-1/2 r over the triples from the neighbours, [n, H].
            entity_vectors: the entities' vectors, [n, H].
            norm: deg^-1/2 of the entities, [n].
        """
        column = norm.unsqueeze(1)
        if self.own is not None:
            mixed = self.entity(received) + self.relation(relations)
            vectors: Tensor = column * mixed + self.own(entity_vectors) + self.bias
            return vectors
        mixed = self.entity(received + column * entity_vectors) + self.relation(relations)
        vectors = column * mixed + self.bias
        return vectors


class EntityStates(TripleStates):
    """What every encoder of entities has: two stacks of layers, and triple states from their ends' vectors.

    Args:
        make_layer: makes one layer.
        text_features, hidden, dropout, options: as of ``TripleStates``.
    """

    def __init__(
        self, make_layer: Callable[[], nn.Module], text_features: int, hidden: int, dropout: float,
        *, layers: int = 2, relation_readout: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            text_features, hidden, dropout,
            layers=layers, relation_readout=relation_readout, **options,
        )  # fmt: skip
        self.entity = nn.Linear(text_features, hidden, bias=False)
        self.forward_layers, self.backward_layers = (
            nn.ModuleList([make_layer() for _ in range(layers)]) for _ in range(2)
        )
        self.of_head = nn.Linear(hidden, hidden, bias=False)
        self.of_tail = nn.Linear(hidden, hidden, bias=False)

    def compute_triple_states(self, vectors: Tensor, heads: Tensor, tails: Tensor) -> Tensor:
        """One direction's triple states of N triples from its entities' vectors, [N, H]."""
        states: Tensor = self.of_head(vectors)[heads] + self.of_tail(vectors)[tails]
        return states


class EntityGraphEncoder(EntityStates):
    """Triple states z_v from two GCNs on the entity graph and its reverse. Arguments as of ``TripleStates``."""

    def __init__(
        self, text_features: int, hidden: int, dropout: float = 0.2,
        *, self_weight: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            lambda: EntityGraphConv(hidden, self_weight=self_weight), text_features, hidden, dropout,
            self_weight=self_weight, **options,
        )  # fmt: skip

    def forward(self, entities: Tensor | None, relation_texts: Tensor, relations: Tensor, graph: LineGraph) -> Tensor:
        """States of all N triples, [N, H]; arguments as of ``TripleEncoder.forward``."""
        sides = []
        for layers, way in ((self.forward_layers, graph), (self.backward_layers, graph.make_reversed())):
            norm = (degree(way.tails, way.entities, way.norm.dtype) + 1).rsqrt()
            column, ends = way.norm.unsqueeze(1), (way.tails, way.entities)
            convs = [layer for layer in layers if isinstance(layer, EntityGraphConv)]
            around = convs[0].sum_messages(column * self.relation(relation_texts)[relations], *ends)
            vectors = around.new_zeros(graph.entities, self.hidden)
            if entities is not None:
                vectors = self.entity(entities)
            for depth, layer in enumerate(convs):
                vectors = self._apply_activation(vectors) if depth else vectors
                vectors = layer(layer.sum_messages(column * vectors[way.heads], *ends), around, vectors, norm)
            sides.append(self.compute_triple_states(vectors, graph.heads, graph.tails))
        x = self.compute_phi(entities, relation_texts, graph.heads, relations, graph.tails)
        return self.merge_directions(sides[0], sides[1], x, relation_texts, relations)

    def encode_block(self, block: EntityBlock, relation_texts: Tensor) -> Tensor:
        """States of the block's n triples, [n, H]."""
        sides = []
        for side, layers in ((block.forward, self.forward_layers), (block.backward, self.backward_layers)):
            inner = self.compute_first_layer(layers, side.sums, block.entities, side.norm)  # [m, H]
            vectors = entity_vectors = inner[block.own]
            second = layers[-1]
            if len(layers) > 1:
                assert isinstance(second, EntityGraphConv)
                messages = inner[side.neighbours] * side.weights.unsqueeze(1)
                received = second.sum_messages(messages, side.receivers, len(entity_vectors))
                vectors = self.compute_second_layer(
                    layers, received, side.sums.relation[block.own], entity_vectors, side.norm[block.own]
                )
            sides.append(self.compute_triple_states(vectors, block.heads, block.tails))
        entities = block.entities[block.own] if block.entities is not None else None
        x = self.compute_phi(entities, relation_texts, block.heads, block.relations, block.tails)
        return self.merge_directions(sides[0], sides[1], x, relation_texts, block.relations)

    def compute_first_layer(
        self, layers: nn.ModuleList, sums: EntitySums, entities: Tensor | None, norm: Tensor
    ) -> Tensor:
        """First-layer vectors of m entities, from their sums in text space, [m, H]."""
        relations = self.relation(sums.relation)
        received = entity_vectors = torch.zeros_like(relations)
        if entities is not None and sums.far is not None:
            received, entity_vectors = self.entity(sums.far), self.entity(entities)
        vectors: Tensor = layers[0](received, relations, entity_vectors, norm)
        return self._apply_activation(vectors) if len(layers) > 1 else vectors

    def compute_second_layer(
        self, layers: nn.ModuleList, received: Tensor, relations: Tensor, entity_vectors: Tensor, norm: Tensor
    ) -> Tensor:
        """Second-layer vectors; ``relations`` are the sums in text space, [n, d]. [n, H]."""
        vectors: Tensor = layers[1](received, self.relation(relations), entity_vectors, norm)
        return vectors
