"""Directional distance encoding (DDE): where an entity lies, as seen from the topics (ReG App. E, SubgraphRAG)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.utils import scatter


def compute_directional_distances(
    heads: Tensor, tails: Tensor, topics: Tensor, rounds: int, reverse_rounds: int
) -> Tensor:
    r"""Propagate the topics' one-hot along the triples, and apart from that against them.

    .. math::
        s_e^{(l)} = \mathrm{MEAN}_{(h, r, e)} s_h^{(l-1)}, \qquad
        \bar s_e^{(l)} = \mathrm{MEAN}_{(e, r, t)} \bar s_t^{(l-1)}, \qquad
        s^{(0)} = \bar s^{(0)} = [e \text{ is a topic}]

    An entity that no triple enters (leaves) has 0. A value above 0 in round l says that a walk of exactly l
    triples leads from a topic to the entity.

    Args:
        heads, tails: entity slots of the triples, [N] int64.
        topics: 1 for topic entities, else 0, float [n].
        rounds, reverse_rounds: L along the triples, and against them.

    Returns:
        [n, rounds + reverse_rounds], the rounds along the triples first.
    """
    along = _compute_rounds(heads, tails, topics, rounds)
    against = _compute_rounds(tails, heads, topics, reverse_rounds)
    return torch.stack([*along, *against], dim=1) if along or against else topics.new_zeros(len(topics), 0)


def _compute_rounds(sources: Tensor, targets: Tensor, topics: Tensor, rounds: int) -> list[Tensor]:
    values: list[Tensor] = []
    current = topics
    for _ in range(rounds):
        current = scatter(current[sources], targets, dim_size=len(topics), reduce="mean")
        values.append(current)
    return values


def compute_distance_features(
    heads: Tensor, tails: Tensor, topics: Tensor, rounds: int, *, turning: bool = True
) -> Tensor:
    """What the scorers read of each entity: the topic flag, the DDE, and the DDE with inverse triples.

    A question's path may turn (films *by the director of* a film): walked along the triples alone, the other
    films are not reached at all. So the encoding is made a third time on the graph that has every triple both
    ways. Beside each value stands whether it is above 0, because the means fade at hubs.
    Without ``turning`` it is the topic flag and the DDE alone, as in SubgraphRAG.

    Args:
        heads, tails: entity slots of the triples, [N] int64.
        topics: 1 for topic entities, else 0, float [n].
        rounds: L of each of the three.
        turning: encode walks that turn too.

    Returns:
        [n, distance_width(rounds, turning)].
    """
    directed = compute_directional_distances(heads, tails, topics, rounds, rounds)
    if not turning:
        return torch.cat([topics.unsqueeze(1), directed], dim=1)
    both = compute_directional_distances(torch.cat([heads, tails]), torch.cat([tails, heads]), topics, rounds, 0)
    values = torch.cat([directed, both], dim=1)
    return torch.cat([topics.unsqueeze(1), values, (values > 0).to(values.dtype)], dim=1)


def count_distance_features(rounds: int, *, turning: bool = True) -> int:
    """Columns of :func:`compute_distance_features`."""
    return 1 + (6 if turning else 2) * rounds
