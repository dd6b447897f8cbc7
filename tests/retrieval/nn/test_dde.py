"""Directional distances, by hand."""

import torch

from retrieval.nn.dde import compute_directional_distances, compute_distance_features, count_distance_features

# 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3, 4 -> 3; the topic is 0.
HEADS, TAILS = torch.tensor([0, 0, 1, 2, 4]), torch.tensor([1, 2, 3, 3, 3])
TOPIC = torch.tensor([1.0, 0, 0, 0, 0])


def test_rounds_along_the_triples_take_the_mean_over_what_enters():
    found = compute_directional_distances(HEADS, TAILS, TOPIC, rounds=2, reverse_rounds=0)
    # Round 1: 1 and 2 hear the topic. Round 2: two of the three that enter 3 were reached.
    assert torch.allclose(found, torch.tensor([[0, 0], [1, 0], [1, 0], [0, 2 / 3], [0, 0]]))


def test_rounds_against_the_triples_take_the_mean_over_what_leaves():
    topic = torch.tensor([0.0, 0, 0, 1, 0])
    found = compute_directional_distances(HEADS, TAILS, topic, rounds=0, reverse_rounds=2)
    assert torch.allclose(found, torch.tensor([[0.0, 1], [1, 0], [1, 0], [0, 0], [1, 0]]))


def test_both_directions_stand_side_by_side_and_no_round_is_nothing():
    both = compute_directional_distances(HEADS, TAILS, TOPIC, 1, 1)
    assert torch.equal(both[:, :1], compute_directional_distances(HEADS, TAILS, TOPIC, 1, 0))
    assert torch.equal(both[:, 1:], compute_directional_distances(HEADS, TAILS, TOPIC, 0, 1))
    assert compute_directional_distances(HEADS, TAILS, TOPIC, 0, 0).shape == (5, 0)


def test_a_turning_path_is_seen_with_inverse_triples_only():
    # 0 -> 1 <- 2: along or against the triples alone, 2 is never reached from 0.
    heads, tails, topic = torch.tensor([0, 2]), torch.tensor([1, 1]), torch.tensor([1.0, 0, 0])
    found = compute_distance_features(heads, tails, topic, 2)
    assert found.shape == (3, count_distance_features(2)) == (3, 13)
    flag, along, against, both = found[2, :1], found[2, 1:3], found[2, 3:5], found[2, 5:7]
    assert flag.tolist() == [0]
    assert along.tolist() == against.tolist() == [0, 0]
    # Walks of two: 1 heard the topic in round 1 (mean of its two neighbours), 2 has 1 as its only neighbour.
    assert both.tolist() == [0, 0.5]
    assert found[2, 7:].tolist() == [0, 0, 0, 0, 0, 1]


def test_subgraphs_side_by_side_do_not_mix():
    heads, tails = torch.cat([HEADS, HEADS + 5]), torch.cat([TAILS, TAILS + 5])
    topics = torch.cat([TOPIC, TOPIC.roll(1)])
    found = compute_distance_features(heads, tails, topics, 3)
    assert torch.equal(found[:5], compute_distance_features(HEADS, TAILS, TOPIC, 3))
    assert torch.equal(found[5:], compute_distance_features(HEADS, TAILS, TOPIC.roll(1), 3))


def test_without_turning_walks_it_is_the_flag_and_the_two_directions():
    found = compute_distance_features(HEADS, TAILS, TOPIC, 3, turning=False)
    directed = compute_directional_distances(HEADS, TAILS, TOPIC, 3, 3)
    assert found.shape == (len(TOPIC), count_distance_features(3, turning=False)) == (len(TOPIC), 7)
    assert torch.equal(found, torch.cat([TOPIC.unsqueeze(1), directed], dim=1))
