"""The path loss (REL-RAG eq. 11) and the first-triple loss (eq. 14, normalised as RAPL eq. 9)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.utils import scatter


def compute_segment_logsumexp(values: Tensor, segments: Tensor, count: int) -> Tensor:
    """log sum exp of the values of each segment; -inf for a segment without any. [n] -> [count]."""
    top = scatter(values.detach(), segments, dim_size=count, reduce="max")  # 0 where there is none
    summed = scatter(torch.exp(values - top[segments]), segments, dim_size=count)
    result: Tensor = torch.log(summed) + top
    return result


def compute_path_loss(
    logits: Tensor,
    stop_logits: Tensor,
    *,
    weight: Tensor,
    context: Tensor,
    positive: Tensor,
    stop: Tensor,
) -> Tensor:
    """Mean over contexts of eq. 11, in expectation over the valid next triples.

    The paper draws one valid path at random; the expectation of its loss is the cross-entropy against the
    uniform distribution over valid triples. Where a hub's arcs were sampled, each stands for ``weight``
    arcs in the normaliser.

    Args:
        logits: <z_q, z_j> of the sampled arcs, [n].
        stop_logits: of the STOP node of each context, [C].
        weight: arcs each sampled arc stands for, [n].
        context: of each arc, [n].
        positive: the arc is valid, [n] bool.
        stop: STOP is the target, [C] bool.
    """
    count = len(stop_logits)
    total = torch.logaddexp(compute_segment_logsumexp(logits + weight.log(), context, count), stop_logits)
    shares = weight * positive
    mass = scatter(shares, context, dim_size=count)
    expected = scatter(shares * logits, context, dim_size=count) / mass.clamp(min=1e-9)
    usable = stop | (mass > 0)
    losses = total - torch.where(stop, stop_logits, expected)
    return losses[usable].mean() if bool(usable.any()) else logits.sum() * 0


def compute_first_triple_loss(logits: Tensor, positive: Tensor, context: Tensor, count: int) -> Tensor:
    """Mean over contexts of eq. 14, positives and negatives each averaged.

    Eq. 14 sums over the candidates, so that one hub topic outweighs a batch; RAPL's eq. 9 is the same loss
    with means and is what is used. (Eq. 14 as printed has a plus before its second sum; RAPL's minus is
    meant.)

    Args:
        logits: <z_q, z_v> of the candidates of the topics, [n].
        positive: in V_pos (eq. 13), [n] bool.
        context: of each candidate, [n].
        count: number of contexts.
    """
    losses = functional.softplus(torch.where(positive, -logits, logits))
    result = logits.new_zeros(count)
    for side in (positive, ~positive):
        weight = side.to(logits.dtype)
        size = scatter(weight, context, dim_size=count)
        summed = scatter(losses * weight, context, dim_size=count)
        result = result + summed / size.clamp(min=1)
    return result.mean() if count else logits.sum() * 0


def compute_triple_loss(logits: Tensor, positive: Tensor) -> Tensor:
    """ReG eq. 33, negated and divided by the number of triples: binary cross-entropy over every candidate.

    Args:
        logits: [N].
        positive: the triple is on a labelled path, [N] bool.
    """
    return nn.functional.binary_cross_entropy_with_logits(logits, positive.to(logits.dtype))


def compute_sampled_loss(logits: Tensor, positive: Tensor) -> Tensor:
    """REL-RAG eq. 15 over positives and the negatives drawn for them, divided by their number.

    Eq. 15 as printed has a plus before its second sum; as in eq. 14 a minus is meant.
    """
    return nn.functional.softplus(torch.where(positive, -logits, logits)).mean()
