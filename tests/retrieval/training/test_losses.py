"""Losses against their formulas, written out."""

import math

import pytest
import torch

from retrieval.training.losses import compute_first_triple_loss, compute_path_loss, compute_segment_logsumexp


def test_path_loss_is_the_cross_entropy_of_eq_11():
    # Context 0: two arcs, the second is right. Context 1: one arc, STOP is right.
    loss = compute_path_loss(
        torch.tensor([1.0, 2.0, 0.5]),
        torch.tensor([0.0, 3.0]),
        weight=torch.ones(3),
        context=torch.tensor([0, 0, 1]),
        positive=torch.tensor([False, True, False]),
        stop=torch.tensor([False, True]),
    )
    first = math.log(math.exp(1) + math.exp(2) + math.exp(0)) - 2
    second = math.log(math.exp(0.5) + math.exp(3)) - 3
    assert loss.item() == pytest.approx((first + second) / 2, abs=1e-6)


def test_a_sampled_arc_counts_for_those_it_stands_for():
    whole = compute_path_loss(
        torch.tensor([1.0, 1.0, 1.0, 2.0]), torch.tensor([0.0]), weight=torch.ones(4),
        context=torch.zeros(4, dtype=torch.long), positive=torch.tensor([False, False, False, True]),
        stop=torch.tensor([False]),
    )  # fmt: skip
    sampled = compute_path_loss(
        torch.tensor([1.0, 2.0]), torch.tensor([0.0]), weight=torch.tensor([3.0, 1.0]),
        context=torch.zeros(2, dtype=torch.long), positive=torch.tensor([False, True]),
        stop=torch.tensor([False]),
    )  # fmt: skip
    torch.testing.assert_close(whole, sampled)


def test_first_triple_loss_averages_each_side():
    loss = compute_first_triple_loss(
        torch.tensor([2.0, -1.0, 0.0]),
        torch.tensor([True, False, False]),
        torch.zeros(3, dtype=torch.long),
        1,
    )
    positive = math.log(1 + math.exp(-2))
    negatives = (math.log(1 + math.exp(-1)) + math.log(2)) / 2
    assert loss.item() == pytest.approx(positive + negatives, abs=1e-6)


def test_an_empty_segment_has_no_mass():
    found = compute_segment_logsumexp(torch.tensor([0.0, 0.0]), torch.tensor([0, 0]), 2)
    assert found[0].item() == pytest.approx(math.log(2))
    assert found[1].item() == -math.inf
