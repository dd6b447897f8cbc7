"""The triple-level scorers: losses by hand, and that a batch of subgraphs is its subgraphs."""

import math
from types import SimpleNamespace

import pytest
import torch
from torch_geometric.data import Data

from retrieval.methods.reg_entity.model import (
    EntityScorer,
    WalkScorer,
    WantedRelations,
    compute_entity_loss,
    count_hops_from_topic,
    expand_both_ways,
)
from retrieval.methods.reg_entity.retriever import build_model, make_scorer
from retrieval.methods.reg_entity.spec import RegEntityConfig
from retrieval.methods.reg_triple.model import TripleScorer
from retrieval.methods.rel_rag_triple.model import LineGraphScorer
from retrieval.methods.rel_rag_triple.spec import RelRagTripleConfig
from retrieval.nn.chain_length import ChainLength, compute_length_loss
from retrieval.nn.dde import compute_distance_features
from retrieval.nn.query import Texts
from retrieval.nn.question_reader import QuestionReader
from retrieval.nn.text_match import TextMatcher
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.losses import compute_sampled_loss, compute_triple_loss

D = 6


def batch(facts, topics, graphs, slots):
    heads, relations, tails = torch.tensor(facts).T
    return Data(
        edge_index=torch.stack([heads, tails]),
        edge_type=relations,
        edge_batch=torch.tensor(graphs),
        batch=torch.tensor(slots),
        topics=torch.tensor(topics, dtype=torch.float32),
    )


FIRST, SECOND = [(0, 0, 1), (1, 1, 2)], [(1, 1, 0), (1, 0, 2), (0, 0, 2)]
ONE = batch(FIRST, [1, 0, 0], [0, 0], [0, 0, 0])
OTHER = batch(SECOND, [0, 1, 0], [0, 0, 0], [0, 0, 0])
BOTH = batch(FIRST + [(h + 3, r, t + 3) for h, r, t in SECOND], [1, 0, 0, 0, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])


def test_eq_33_by_hand():
    logits = torch.tensor([math.log(3), 0.0, -math.log(3)])
    # p = 3/4, 1/2, 1/4; the first is evidence, the others are not.
    expected = -(math.log(3 / 4) + math.log(1 / 2) + math.log(3 / 4)) / 3
    assert compute_triple_loss(logits, torch.tensor([True, False, False])).item() == pytest.approx(expected)


def test_eq_34_by_hand():
    logits = torch.tensor([0.0, math.log(4)])
    expected = -(math.log(1 / 2) + math.log(1 / 5)) / 2
    assert compute_entity_loss(logits, torch.tensor([True, False])).item() == pytest.approx(expected)


def test_eq_15_by_hand():
    logits = torch.tensor([math.log(2), math.log(2), 0.0])
    # sigma(s) of the positive is 2/3; sigma(-s) of the negatives 1/3 and 1/2.
    expected = -(math.log(2 / 3) + math.log(1 / 3) + math.log(1 / 2)) / 3
    assert compute_sampled_loss(logits, torch.tensor([True, False, False])).item() == pytest.approx(expected)


def test_the_match_of_texts_starts_as_their_cosine():
    question, relations = torch.eye(D)[:1], torch.eye(D)[:3]
    assert TextMatcher(D, 4.0)(question, relations).tolist() == [[4.0, 0.0, 0.0]]


def test_lengths_are_probabilities_and_their_loss_is_a_cross_entropy():
    logs = torch.tensor([[1 / 2, 1 / 4, 1 / 4], [1 / 8, 7 / 8, 0]]).log()
    shares = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0]])
    # -log 1/2, and -(log 1/8 + log 7/8) / 2; a length that no label has costs nothing.
    expected = (math.log(2) + (math.log(8) + math.log(8 / 7)) / 2) / 2
    assert compute_length_loss(logs.clamp(min=-9), shares).item() == pytest.approx(expected, abs=1e-6)
    torch.manual_seed(0)
    found = ChainLength(D, 3).eval()(torch.randn(2, D)).exp()
    assert found.shape == (2, 3)
    assert torch.allclose(found.sum(1), torch.ones(2))


def test_triples_walked_both_ways_in_the_order_of_what_they_enter():
    order, (sources, entered), relation, counts, graph = expand_both_ways(ONE, relations=2)
    assert torch.equal(ONE.edge_index.flatten()[order], sources)
    assert torch.equal(ONE.edge_index.flip(0).flatten()[order], entered)
    # Entered: 0 by the inverse of triple 0; 1 by triple 0 and the inverse of triple 1; 2 by triple 1.
    assert sources.tolist() == [1, 0, 2, 1]
    assert relation.tolist() == [2, 0, 3, 1]
    assert counts.tolist() == [1, 2, 1]
    assert graph.tolist() == [0, 0, 0, 0]


def asked(count, words):
    """Questions of 3, 2, ... words."""
    vectors = torch.randn(count, D)
    if not words:
        return Texts(vectors)
    lengths = torch.tensor([3, 2][:count])
    inside = torch.arange(3) < lengths.unsqueeze(1)
    return Texts(vectors, torch.randn(count, 3, D) * inside.unsqueeze(2), lengths)


def only(texts, i):
    """One question of several, without the padding that the others made it have."""
    if texts.words is None:
        return Texts(texts.vectors[i : i + 1])
    length = int(texts.lengths[i])
    return Texts(texts.vectors[i : i + 1], texts.words[i : i + 1, :length], texts.lengths[i : i + 1])


@pytest.mark.parametrize("words", [False, True])
def test_a_question_is_read_the_same_alone_and_beside_a_longer_one(words):
    torch.manual_seed(4)
    reader, questions = QuestionReader(D, 8, words=words).eval(), asked(2, words)
    together = reader(questions)
    assert torch.allclose(together, torch.cat([reader(only(questions, i)) for i in range(2)]), atol=1e-6)
    plain = reader.text(questions.vectors * D**0.5)
    assert torch.allclose(together, plain) is not words


@pytest.mark.parametrize("texts", [False, True])
def test_triple_scores_of_subgraphs_side_by_side_are_those_of_each_alone(texts):
    torch.manual_seed(1)
    model = TripleScorer(D, 8, rounds=2, longest=2, dropout=0.5, entity_texts=texts, words=texts).eval()
    questions, relations, entities = asked(2, texts), torch.randn(2, D), torch.randn(6, D)

    def scores(part, question, rows):
        ends = model.encode_entities(entities[rows]) if texts else None
        return model(part, question, relations, model.encode_relations(relations), ends)

    together = scores(BOTH, questions, slice(0, 6))
    alone = [scores(ONE, only(questions, 0), slice(0, 3)), scores(OTHER, only(questions, 1), slice(3, 6))]
    assert together.shape == (5,)
    assert torch.allclose(together, torch.cat(alone), atol=1e-6)


@pytest.mark.parametrize(("walks", "places"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("texts", [False, True])
def test_entity_scores_of_subgraphs_side_by_side_are_those_of_each_alone(texts, walks, places):
    torch.manual_seed(2)
    model = EntityScorer(
        D, 8, layers=2, rounds=2, longest=2, dropout=0.5,
        entity_texts=texts, words=texts, walks=walks, places=places, norm=places,
    ).eval()  # fmt: skip
    questions, relations, entities = asked(2, texts), torch.randn(4, D), torch.randn(6, D)

    def scores(part, question, rows):
        own = model.encode_entities(entities[rows]) if texts else None
        return model(part, question, relations, model.encode_relations(relations), own)

    together, ways = scores(BOTH, questions, slice(0, 6))
    (one, ways_of_one), (other, ways_of_other) = (
        scores(ONE, only(questions, 0), slice(0, 3)),
        scores(OTHER, only(questions, 1), slice(3, 6)),
    )
    assert together.shape == (6,)
    assert torch.allclose(together, torch.cat([one, other]), atol=1e-5)
    if walks:
        assert ways.shape == (2, 5)
        assert torch.allclose(ways, torch.cat([ways_of_one, ways_of_other], dim=1), atol=1e-5)
    else:
        assert (ways, ways_of_one) == (None, None)


def test_a_walk_is_scored_by_its_ends_its_relation_and_the_question():
    torch.manual_seed(5)
    walk = WalkScorer(D, 4)
    x, texts, read, match = torch.randn(3, 4), torch.randn(2, D), torch.randn(2, 8), torch.randn(2, 1)
    told = walk.encode_walks(walk.relation(texts), read, match)
    found = walk(x, told, torch.tensor([2, 0]), torch.tensor([1, 1]))
    for i, (left, entered) in enumerate([(2, 1), (0, 1)]):
        hidden = walk.left(x[left]) + walk.entered(x[entered]) + walk.relation(texts[i])
        hidden = hidden + walk.question(read[i]) + match[i] * walk.matched
        assert found[i].item() == pytest.approx(walk.out(torch.relu(hidden)).item(), abs=1e-5)


def test_another_relation_is_wanted_at_each_hop_from_the_topic():
    torch.manual_seed(6)
    wanted = WantedRelations(D, 4, longest=2)
    read, texts = torch.randn(2, 4), torch.randn(3, D)
    graph, relation, begins = torch.tensor([0, 1, 1]), torch.tensor([2, 0, 1]), torch.tensor([0, 1, 5])
    found = wanted(read, texts, graph, relation, begins)
    for i, hop in enumerate([0, 1, 1]):  # all that is further is the last hop
        query = wanted.query(read[graph[i]]).view(2, 4)[hop]
        known = wanted.relation(texts[relation[i]] * D**0.5)
        assert found[i].item() == pytest.approx((query @ known / 2).item(), abs=1e-5)


def test_hops_from_the_topic_are_those_of_the_shortest_walk_either_way():
    # 0 -> 1 <- 2 -> 3, 3 -> 4; 5 is apart.
    heads, tails = torch.tensor([0, 2, 2, 3]), torch.tensor([1, 1, 3, 4])
    places = compute_distance_features(heads, tails, torch.tensor([1.0, 0, 0, 0, 0, 0]), 3)
    assert count_hops_from_topic(places, 3).tolist() == [0, 1, 2, 3, 4, 4]


def test_line_graph_scores_are_scaled_products_with_the_text_match():
    torch.manual_seed(3)
    config = RelRagTripleConfig(hidden=4, max_hops=2, dropout=0.5, places=False)
    model = LineGraphScorer(config, D).eval()
    states, questions, relations = torch.randn(3, 4), asked(2, True), torch.randn(4, D)
    graph, relation = torch.tensor([0, 1, 1]), torch.tensor([3, 0, 2])
    found = model(states, questions, relations, graph, relation, hops=torch.tensor([0, 1, 2]))
    z = model.question(questions)
    for i, (g, r) in enumerate(zip(graph.tolist(), relation.tolist(), strict=True)):
        expected = z[g] @ states[i] / 2 + 4 * questions.vectors[g] @ relations[r]
        assert found[i].item() == pytest.approx(expected.item(), abs=1e-5)


def test_with_places_each_hop_from_the_topic_asks_for_another_triple():
    torch.manual_seed(3)
    model = LineGraphScorer(RelRagTripleConfig(hidden=4, max_hops=2, texts=False), D).eval()
    state, questions = torch.randn(1, 4), asked(1, True)
    asked_for = model.question(questions).view(2, 4)  # one row a hop
    alike = [torch.zeros(3, dtype=torch.int64)] * 2
    found = model(state.expand(3, 4), questions, torch.zeros(1, D), *alike, hops=torch.tensor([0, 1, 2]))
    expected = [(asked_for[hop] @ state[0] / 2).item() for hop in (0, 1, 1)]  # all that is further is the last hop
    assert found.tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("walks", "places", "norm"), [(True, True, True), (True, False, True), (False, False, False)])
def test_a_checkpoint_has_what_its_settings_say(walks, places, norm):
    config = RegEntityConfig(hidden=4, words=False, walks=walks, places=places, norm=norm)
    weights = make_scorer(config, D, entity_texts=False).state_dict()
    manifest = SimpleNamespace(text_features=D, entity_texts=False, relations=None)
    opened = OpenCheckpoint(manifest, config, weights)
    model = build_model(opened)
    model.load_state_dict(weights)
    found = (model.walk is not None, model.wanted is not None, model.layers[0].norm is not None)
    assert found == (walks, places, norm)


def test_the_papers_triple_scorer_is_the_mlp_of_question_triple_and_dde_alone():
    torch.manual_seed(5)
    model = TripleScorer(
        D, 8, rounds=2, longest=2, dropout=0.0, entity_texts=True, words=False, texts=False, turning=False
    ).eval()
    questions, relations, entities = asked(1, words=False), torch.randn(2, D), torch.randn(3, D)
    ends = model.encode_entities(entities)
    found = model(ONE, questions, relations, model.encode_relations(relations), ends)
    assert (model.match, model.head_place.in_features) == (None, 1 + 2 * 2)
    scale = D**0.5
    places = compute_distance_features(*ONE.edge_index, ONE.topics, 2, turning=False)
    expected = []
    for head, relation, tail in FIRST:
        z = (
            model.question.text(questions.vectors[0] * scale)
            + model.relation(relations[relation] * scale)
            + model.head(entities[head] * scale)
            + model.tail(entities[tail] * scale)
            + model.head_place(places[head])
            + model.tail_place(places[tail])
        )
        expected.append(model.rest(z).item())
    assert found.tolist() == pytest.approx(expected, abs=1e-5)
    # With the term, the logits are these plus the bilinear form.
    torch.manual_seed(5)
    other = TripleScorer(D, 8, rounds=2, longest=2, dropout=0.0, entity_texts=True, words=False, turning=False)
    other.load_state_dict(model.state_dict(), strict=False)
    term = TextMatcher(D, 4.0)(questions.vectors, relations)[0, torch.tensor([r for _, r, _ in FIRST])]
    both = other.eval()(ONE, questions, relations, other.encode_relations(relations), ends)
    assert both.tolist() == pytest.approx((found + term).tolist(), abs=1e-5)


@pytest.mark.parametrize("walks", [False, True])
def test_messages_between_entities_hear_of_relation_texts_by_projection_alone(walks):
    torch.manual_seed(6)
    switches = {"layers": 2, "rounds": 2, "longest": 2, "dropout": 0.0, "entity_texts": False, "words": False}
    model = EntityScorer(D, 8, **switches, walks=walks, places=walks, norm=False, texts=False, turning=False).eval()
    questions, relations = asked(1, words=False), torch.randn(4, D)
    projected = model.encode_relations(relations)
    scores, ways = model(ONE, questions, relations, projected)
    assert not any("match" in name for name in model.state_dict())
    # With the weights of c at none, the scorer that hears it scores the same.
    other = EntityScorer(D, 8, **switches, walks=walks, places=walks, norm=False, turning=False).eval()
    other.load_state_dict(model.state_dict(), strict=False)
    for weight in (*other.matched, *([other.walk.matched] if walks else [])):
        torch.nn.init.zeros_(weight)
    same, same_ways = other(ONE, questions, relations, projected)
    assert scores.tolist() == pytest.approx(same.tolist(), abs=1e-6)
    assert (ways is None) == (not walks)
    if walks:
        assert torch.allclose(ways, same_ways, atol=1e-6)
