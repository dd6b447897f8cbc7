"""The triple encoder of RAPL and REL-RAG: two GCNs of at most two layers on the line graph and its reverse.

``z_v = MEAN(forward GCN, reversed GCN)`` (REL-RAG eq. 78), from the graph alone: the question is not seen
here, so the states of a snapshot can be computed once and kept. Two ways to the same numbers:

* :meth:`TripleEncoder.forward` on a whole (small) line graph;
* :meth:`TripleEncoder.encode_block` for chosen triples of a large graph. The text features are frozen and
  phi is linear, so what the first layer sums over predecessors is a fixed vector per entity
  (:class:`EntitySums`), computed once before training; only second-layer neighbours are visited.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from retrieval.nn.line_graph import LineGraph, LineGraphConv


@dataclass(frozen=True, slots=True)
class EntitySums:
    """What each of n entities sends to the first layer of one direction, in text-feature space.

    For the forward GCN the sum runs over triples u that end in the entity; for the reversed one over
    triples that begin there. "Near" is the entity itself, "far" the other end.

    Attributes:
        far: sum of norm_u * text(far end of u), [n, d]; None without entity texts.
        relation: sum of norm_u * text(relation of u), [n, d].
        near: sum of norm_u, [n]; it scales the entity's own text.
    """

    far: Tensor | None
    relation: Tensor
    near: Tensor


@dataclass(frozen=True, slots=True)
class Side:
    """One direction of a block: which neighbours the second layer reads.

    Attributes:
        near: slot in ``Block.entities`` of the end where a triple receives (head when forward), [W].
        norm: deg^-1/2 of each triple in this direction, [W].
        sums: first-layer sums of ``Block.entities``.
        senders: positions in the block's triples that send to a receiver, [M].
        receivers: receiver slot (0..n_receivers) of each sender, [M].
        scale: how many triples each sampled sender stands for, [M].
        receiver_of: receiver slot of each target triple, [n].
        n_receivers: number of receiver slots.
    """

    near: Tensor
    norm: Tensor
    sums: EntitySums
    senders: Tensor
    receivers: Tensor
    scale: Tensor
    receiver_of: Tensor
    n_receivers: int


@dataclass(frozen=True, slots=True)
class Block:
    """Triples whose states are wanted, and the sampled triples around them.

    Attributes:
        heads, tails: slots in ``entities``, [W].
        relations: rows of the relation features, [W].
        loops: head = tail, [W] bool.
        targets: positions of the wanted triples among the W, [n].
        entities: text features of the m entities of the block, [m, d]; None without entity texts.
        forward, backward: the two directions.
    """

    heads: Tensor
    relations: Tensor
    tails: Tensor
    loops: Tensor
    targets: Tensor
    entities: Tensor | None
    forward: Side
    backward: Side


class TripleStates(nn.Module):
    """What every encoder of triples has: phi, and how the two directions become one state.

    phi(h, r, t) = W_h h + W_r r + W_t t, a projection per entity and per relation that is gathered, never
    a [N, 3d] matrix. With ``skip`` a projection of phi is added to the mean, because in a GCN the own
    message of a triple is divided by its degree, and all triples that leave one hub would look alike.

    Args:
        text_features: d, size of the text features.
        hidden: H, size of the states.
        dropout: rate between two layers.
        skip: add the projection of phi.
        norm: end in a layer norm.
        look_ahead: read the reversed graph too (RAPL eq. 10).
        layers: of each GCN, 1 or 2.
        self_weight: a triple's (an entity's) own message has a weight of its own (RAPL eq. 3).
        relation_readout: add a projection of the relation's text to the mean.
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        dropout: float,
        *,
        skip: bool = True,
        norm: bool = True,
        look_ahead: bool = True,
        layers: int = 2,
        self_weight: bool = False,
        relation_readout: bool = False,
    ) -> None:
        super().__init__()
        self.hidden = hidden
        self.look_ahead = look_ahead
        self.layers = layers
        self.self_weight = self_weight
        self.head = nn.Linear(text_features, hidden, bias=False)
        self.relation = nn.Linear(text_features, hidden, bias=False)
        self.tail = nn.Linear(text_features, hidden, bias=False)
        self.skip = nn.Linear(hidden, hidden, bias=False) if skip else None
        self.norm = nn.LayerNorm(hidden) if norm else nn.Identity()
        self.of_relation = nn.Linear(hidden, hidden, bias=False) if relation_readout else None
        self.dropout = dropout

    def compute_phi(
        self, entities: Tensor | None, relation_texts: Tensor, heads: Tensor, relations: Tensor, tails: Tensor
    ) -> Tensor:
        """phi(h, r, t) of N triples, [N, H]."""
        x: Tensor = self.relation(relation_texts)[relations]
        if entities is not None:
            x = x + self.head(entities)[heads] + self.tail(entities)[tails]
        return x

    def merge_directions(
        self, ahead: Tensor, behind: Tensor, x: Tensor, relation_texts: Tensor, relations: Tensor
    ) -> Tensor:
        """MEAN of both directions (eq. 78), or the first alone without look-ahead; what is read beside it, and a norm.

        Args:
            ahead, behind: of n triples, [n, H].
            x: phi of them, [n, H].
            relation_texts: text features of the relations, [R, d].
            relations: rows of these, [n].
        """
        mean = (ahead + behind) / 2 if self.look_ahead else ahead
        if self.skip is not None:
            mean = mean + self.skip(x)
        if self.of_relation is not None:
            mean = mean + self.of_relation(self.relation(relation_texts))[relations]
        states: Tensor = self.norm(mean)
        return states

    def _apply_activation(self, x: Tensor) -> Tensor:
        """Between two layers."""
        return functional.dropout(functional.relu(x), self.dropout, self.training)


class TripleEncoder(TripleStates):
    """Triple states z_v from text features of heads, relations and tails, on the line graph.

    Arguments as of :class:`TripleStates`.
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
        layers: int = 2,
        self_weight: bool = False,
        relation_readout: bool = False,
    ) -> None:
        super().__init__(
            text_features, hidden, dropout,
            skip=skip, norm=norm, look_ahead=look_ahead,
            layers=layers, self_weight=self_weight, relation_readout=relation_readout,
        )  # fmt: skip
        self.forward_layers, self.backward_layers = (
            nn.ModuleList([LineGraphConv(hidden, hidden, self_weight=self_weight) for _ in range(layers)])
            for _ in range(2)
        )

    def forward(
        self,
        entities: Tensor | None,
        relation_texts: Tensor,
        relations: Tensor,
        line_graph: LineGraph,
    ) -> Tensor:
        """States of all N triples.

        Args:
            entities: text features, [E, d], or None.
            relation_texts: text features of directed relations, [2R, d].
            relations: directed relation of each triple, [N].
            line_graph: heads and tails of the N triples.

        Returns:
            [N, H].
        """
        x = self.compute_phi(entities, relation_texts, line_graph.heads, relations, line_graph.tails)
        ahead, behind = (
            self._apply_layers(layers, x, graph)
            for layers, graph in (
                (self.forward_layers, line_graph),
                (self.backward_layers, line_graph.make_reversed()),
            )
        )
        return self.merge_directions(ahead, behind, x, relation_texts, relations)

    def _apply_layers(self, layers: nn.ModuleList, x: Tensor, line_graph: LineGraph) -> Tensor:
        x = layers[0](x, line_graph)
        for layer in layers[1:]:
            x = layer(self._apply_activation(x), line_graph)
        return x

    def encode_block(self, block: Block, relation_texts: Tensor) -> Tensor:
        """States of the block's n target triples, [n, H]."""
        x = self.compute_phi(block.entities, relation_texts, block.heads, block.relations, block.tails)
        sides = []
        for side, layers, near, far in (
            (block.forward, self.forward_layers, self.tail, self.head),
            (block.backward, self.backward_layers, self.head, self.tail),
        ):
            received = self.compute_state_sums(side.sums, block.entities, near, far)  # [m, H]
            sides.append(self._encode_side(x, received, block, side, layers))
        targets = block.targets
        return self.merge_directions(sides[0], sides[1], x[targets], relation_texts, block.relations[targets])

    def compute_state_sums(self, sums: EntitySums, entities: Tensor | None, near: nn.Module, far: nn.Module) -> Tensor:
        """Sum of norm_u * phi(u) per entity, [m, H], from the sums in text space."""
        received: Tensor = self.relation(sums.relation)
        if entities is not None and sums.far is not None:
            received = received + far(sums.far) + sums.near.unsqueeze(1) * near(entities)
        return received

    def _encode_side(self, x: Tensor, received: Tensor, block: Block, side: Side, layers: nn.ModuleList) -> Tensor:
        first, targets = layers[0], block.targets
        assert isinstance(first, LineGraphConv)
        norm, reached = side.norm.unsqueeze(1), first.lin(received)
        if len(layers) == 1:
            sent = norm[targets] * first.lin(x[targets])
            return first.merge_messages(
                reached[side.near[targets]], sent, x[targets], side.norm[targets], block.loops[targets]
            )
        second = layers[1]
        assert isinstance(second, LineGraphConv)
        sent = norm * first.lin(x)  # [W, H]
        inner = self._apply_activation(first.merge_messages(reached[side.near], sent, x, side.norm, block.loops))
        sent = norm * second.lin(inner)  # [W, H]
        messages = sent[side.senders] * side.scale.unsqueeze(1)
        summed = second.sum_messages(messages, side.receivers, side.n_receivers)
        return second.merge_messages(
            summed[side.receiver_of], sent[targets], inner[targets], side.norm[targets], block.loops[targets]
        )
