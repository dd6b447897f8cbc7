"""PNA's aggregators and scalers: by hand, and as PyG computes them."""

import math

import pytest
import torch
from torch_geometric.nn.aggr import DegreeScalerAggregation

from retrieval.nn.pna import AGGREGATORS, SCALERS, PNALayer, Walks, compute_aggregates, compute_scalers


def test_aggregates_by_hand_and_nothing_received_is_zero():
    messages = torch.tensor([[1.0], [3.0], [8.0]])
    found = compute_aggregates(messages, torch.tensor([2, 0, 1]))
    expected = torch.tensor(
        [
            [2.0, 1, 3, 1],
            [0, 0, 0, 0],
            [8, 8, 8, 0],
        ]
    )
    assert torch.allclose(found, expected)


def scale(aggregated, counts, delta):
    return torch.cat([aggregated * factor.unsqueeze(1) for factor in compute_scalers(counts, delta).unbind(1)], dim=1)


def test_scalers_by_hand():
    found = scale(torch.tensor([[2.0], [2.0]]), torch.tensor([1, 0]), delta=math.log(4))
    # log 2 / log 4 is a half; an entity of degree 0 is amplified by 0 and attenuated as if of degree 1.
    assert torch.allclose(found, torch.tensor([[2.0, 1.0, 4.0], [2.0, 0.0, 4.0]]))


@pytest.mark.parametrize("seed", range(3))
def test_they_are_pygs(seed):
    torch.manual_seed(seed)
    counts = torch.tensor([3, 0, 1, 4])
    messages, receiver = torch.randn(8, 5), torch.repeat_interleave(torch.arange(4), counts)
    histogram = torch.tensor([0, 2, 5, 1])
    theirs = DegreeScalerAggregation(list(AGGREGATORS), list(SCALERS), histogram)
    delta = float((torch.log(torch.arange(4) + 1.0) * histogram).sum() / histogram.sum())
    mine = scale(compute_aggregates(messages, counts), counts, delta)
    expected = theirs(messages, receiver, dim_size=4)
    assert torch.allclose(mine, expected, atol=1e-4)


def test_a_layer_adds_what_it_hears_and_gradients_are_finite():
    torch.manual_seed(0)
    layer = PNALayer(4, dropout=0.0, norm=False)
    x = torch.randn(3, 4, requires_grad=True)
    # Slot 2 hears slots 0 and 1, slot 0 hears slot 2, slot 1 nothing.
    edges, counts = torch.tensor([[2, 0, 1], [0, 2, 2]]), torch.tensor([1, 0, 2])
    relations = torch.randn(3, 4)
    out = layer(x, Walks(edges, torch.zeros(3), relations, counts), 1.0)
    messages = torch.relu(layer.sender(x)[edges[0]] + relations)
    heard = torch.cat([x[2:], scale(compute_aggregates(messages[1:], torch.tensor([2])), counts[2:], 1.0)], dim=1)
    assert torch.allclose(out[2], x[2] + torch.relu(layer.update(heard))[0], atol=1e-6)
    out.sum().backward()
    assert bool(torch.isfinite(x.grad).all())


def test_with_norm_the_new_state_is_normalised_over_its_features():
    torch.manual_seed(0)
    layer = PNALayer(4, dropout=0.0)
    edges, counts = torch.tensor([[2, 0, 1], [0, 2, 2]]), torch.tensor([1, 0, 2])
    inputs = torch.randn(3, 4) * 100, Walks(edges, torch.zeros(3), torch.randn(3, 4), counts)
    out = layer(*inputs, 1.0)
    plain = PNALayer(4, dropout=0.0, norm=False)
    plain.load_state_dict({name: value for name, value in layer.state_dict().items() if "norm" not in name})
    expected = plain(*inputs, 1.0)
    centred = expected - expected.mean(1, keepdim=True)
    assert torch.allclose(out, centred / expected.std(1, correction=0, keepdim=True), atol=1e-3)
