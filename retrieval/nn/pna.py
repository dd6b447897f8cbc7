"""Principal neighbourhood aggregation (Corso et al., 2020), as ReG@Entity uses it (ReG App. E)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

AGGREGATORS = ("mean", "min", "max", "std")
SCALERS = ("identity", "amplification", "attenuation")


@dataclass(frozen=True, slots=True)
class Walks:
    """M walks along which n entities hear of each other.

    Attributes:
        edge_index: slots that each walk leaves and enters, int64 [2, M], in the order of those it enters.
        edge_type: directed relation of each, int64 [M].
        relations: R_r of each, what it carries besides the state it leaves, [M, F].
        counts: walks that enter each slot, int64 [n].
    """

    edge_index: Tensor
    edge_type: Tensor
    relations: Tensor
    counts: Tensor


def compute_aggregates(messages: Tensor, counts: Tensor) -> Tensor:
    """Mean, minimum, maximum and standard deviation of what each entity receives.

    Args:
        messages: in the order of their receivers, [M, F].
        counts: messages of each of the n receivers, int64 [n]; their sum is M.

    Returns:
        [n, 4 F] in the order of ``AGGREGATORS``; 0 where nothing is received. A variance below 1e-5 counts as
        none, as in PyG: the gradient of its root is infinite.
    """
    some = (counts > 0).unsqueeze(1)
    full = bool(some.all())

    def reduce_messages(how: str) -> Tensor:
        values = torch.segment_reduce(messages, how, lengths=counts, axis=0, unsafe=True)
        return values if full else torch.where(some, values, torch.zeros_like(values))

    receivers = torch.repeat_interleave(counts)
    nothing = messages.new_zeros(len(counts), messages.shape[1])
    size = counts.clamp(min=1).unsqueeze(1)
    mean = nothing.index_add(0, receivers, messages) / size
    squares = nothing.index_add(0, receivers, messages * messages) / size
    variance = squares - mean * mean
    std = torch.where(variance > 1e-5, variance.clamp(min=1e-5).sqrt(), torch.zeros_like(variance))
    return torch.cat([mean, reduce_messages("min"), reduce_messages("max"), std], dim=1)


def compute_scalers(counts: Tensor, delta: float) -> Tensor:
    """What each aggregate is multiplied by: as it is, amplified and attenuated by the entity's degree.

    The factors are 1, log(d + 1) / delta and delta / log(d + 1), with d at least 1 in the last.

    Args:
        counts: degrees, int64 [n].
        delta: mean of log(d + 1) over the training graphs.

    Returns:
        [n, 3] in the order of ``SCALERS``.
    """
    log = torch.log(counts.to(torch.get_default_dtype()) + 1)
    least = torch.log(counts.clamp(min=1).to(torch.get_default_dtype()) + 1)
    return torch.stack([torch.ones_like(log), log / delta, delta / least], dim=1)


class PNAMessages(MessagePassing):
    """Messages ReLU(A x_u + R_r) along walks, aggregated where they end.

    ``torch_geometric.nn.aggr.MultiAggregation`` gives the same aggregates, faster forward and half as fast again
    backward; walks come in the order of their receivers, and ``compute_aggregates`` uses that.
    """

    def __init__(self) -> None:
        super().__init__(aggr=None)

    def forward(self, x: Tensor, relations: Tensor, edge_index: Tensor, counts: Tensor) -> Tensor:
        """[n, F] projected states and [M, F] parts of relations -> aggregates, [n, 4 F]."""
        aggregates: Tensor = self.propagate(edge_index, x=x, relations=relations, counts=counts)
        return aggregates

    def message(self, x_j: Tensor, relations: Tensor) -> Tensor:
        """See ``MessagePassing.message``."""
        return torch.relu(x_j + relations)

    def aggregate(self, inputs: Tensor, counts: Tensor) -> Tensor:
        """See ``MessagePassing.aggregate``."""
        return compute_aggregates(inputs, counts)


class PNALayer(nn.Module):
    """One layer: x'_e = x_e + ReLU(W [x_e, scaled aggregates of the messages to e]).

    The scaled aggregates, three times as wide as the aggregates, are never made: W is applied to the aggregates for
    each scaler, and the products are scaled.

    The message of a walk u -r-> e is ReLU(A x_u + R_r), with R_r made by the caller from relation and question
    (the question decides which relations carry anything). A x is a projection per entity that is gathered.

    Maxima, amplified by the degree and added up over the layers, have no bound: on MetaQA states grew ten
    thousandfold in five epochs of training. With ``norm`` the state is normalised over its features.

    Args:
        hidden: F, size of entity states and messages.
        dropout: rate after the ReLU.
        norm: layer norm of the new states.
    """

    def __init__(self, hidden: int, dropout: float, *, norm: bool = True) -> None:
        super().__init__()
        self.sender = nn.Linear(hidden, hidden, bias=False)
        self.messages = PNAMessages()
        self.update = nn.Linear((1 + len(AGGREGATORS) * len(SCALERS)) * hidden, hidden)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(hidden) if norm else None

    def forward(self, x: Tensor, walks: Walks, delta: float) -> Tensor:
        """States after the layer.

        Args:
            x: [n, F].
            walks: along which messages come.
            delta: see :func:`compute_scalers`.

        Returns:
            [n, F].
        """
        aggregates = self.messages(self.sender(x), walks.relations, walks.edge_index, walks.counts)
        size, factors = x.shape[1], compute_scalers(walks.counts, delta)
        own_weight, heard = self.update.weight[:, :size], self.update.weight[:, size:]
        each = heard.reshape(size, len(SCALERS), -1).transpose(0, 1).flatten(0, 1)  # [3 F, 4 F]
        received = nn.functional.linear(aggregates, each).view(-1, len(SCALERS), size)
        updated = nn.functional.linear(x, own_weight, self.update.bias)
        for i in range(len(SCALERS)):
            updated = updated + received[:, i] * factors[:, i : i + 1]
        out: Tensor = x + self.dropout(torch.relu(updated))
        return out if self.norm is None else self.norm(out)
