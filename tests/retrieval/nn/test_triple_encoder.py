"""Three ways to the same triple states: the whole line graph, a block of chosen triples, all states in chunks."""

import numpy as np
import pytest
import torch

from retrieval.kg.search.walks import get_arc_ends
from retrieval.linking.features import compute_graph_features
from retrieval.methods.paths import states
from retrieval.methods.paths.blocks import build_block, sample_arcs
from retrieval.nn.line_graph import LineGraph
from retrieval.nn.triple_encoder import TripleEncoder
from tests.retrieval.films import WordEncoder
from tests.retrieval.kg.worlds import build, random_facts


@pytest.fixture(params=[(seed, texts, seed == 2) for seed in range(3) for texts in (True, False)])
def features(request, tmp_path):
    seed, texts, directed = request.param
    graph = build(random_facts(seed), tmp_path / "g")
    return compute_graph_features(graph, WordEncoder(), entity_texts=texts, directed=directed)


def whole(encoder, features):
    graph = features.snapshot
    heads, relations, tails = (torch.from_numpy(a) for a in get_arc_ends(graph, np.arange(features.num_states)))
    line_graph = LineGraph.from_triples(heads, tails, graph.num_entities)
    with torch.inference_mode():
        return encoder(features.entities, features.relations, relations, line_graph)


FORMS = [{}, {"skip": False}, {"layers": 1}, {"self_weight": True, "norm": False}, {"relation_readout": True}]


def encoder_of(features, **form):
    torch.manual_seed(1)
    return TripleEncoder(features.relations.shape[1], 16, **form).eval()


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_block_equals_the_whole_line_graph(features, form):
    encoder = encoder_of(features, **form)
    chosen = np.array([5, 0, 7, features.num_states - 1])
    block = build_block(features, chosen, limit=10_000, rng=np.random.default_rng(0))
    with torch.inference_mode():
        found = encoder.encode_block(block, features.relations)
    torch.testing.assert_close(found, whole(encoder, features)[chosen], atol=1e-5, rtol=1e-5)


def test_without_look_ahead_what_comes_after_a_triple_does_not_count(features):
    encoder = encoder_of(features, look_ahead=False)
    before = whole(encoder, features)
    with torch.no_grad():
        for parameter in encoder.backward_layers.parameters():
            parameter.add_(1.0)
    torch.testing.assert_close(whole(encoder, features), before)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_states_in_chunks_equal_the_whole_line_graph(features, form, monkeypatch):
    monkeypatch.setattr(states, "_CHUNK", 7)
    encoder = encoder_of(features, **form)
    expected = whole(encoder, features)
    found = torch.from_numpy(states.compute_all_states(encoder, features).astype(np.float32))
    torch.testing.assert_close(found, expected, atol=2e-3, rtol=2e-3)


def test_states_on_demand_are_the_stored_ones(features, tmp_path):
    encoder = encoder_of(features)
    stored = states.open_stored_states(encoder, lambda: features, kept=tmp_path / "k")
    arcs = np.array([3, 3, 11, 20])
    on_demand = states.ComputedStates(encoder, features).get_states(arcs)
    # The last bit of fp16 may differ, because sums are made in another order.
    np.testing.assert_allclose(on_demand, stored.get_states(arcs), atol=2e-3)


def test_stored_states_are_computed_once(features, tmp_path):
    encoder = encoder_of(features)
    first = states.open_stored_states(encoder, lambda: features, kept=tmp_path / "k")

    def never():
        raise AssertionError("computed twice")

    again = states.open_stored_states(encoder, never, kept=tmp_path / "k")
    np.testing.assert_array_equal(first.table, again.table)


def test_a_sampled_hub_stands_for_all_its_arcs(features):
    graph = features.snapshot
    entities = np.arange(graph.num_entities)
    owner, arcs, scale = sample_arcs(graph, entities, 2, np.random.default_rng(0))
    sources, _, _ = get_arc_ends(graph, arcs)
    assert sources.tolist() == entities[owner].tolist()
    assert len(set(arcs.tolist())) == len(arcs)
    stands_for = np.bincount(owner, weights=scale, minlength=len(entities))
    np.testing.assert_allclose(stands_for, graph.get_degrees(entities), rtol=1e-6)


def test_directed_both_arcs_of_a_fact_have_its_state(tmp_path):
    graph = build(random_facts(0), tmp_path / "g")
    features = compute_graph_features(graph, WordEncoder(), entity_texts=True, directed=True)
    stored = states.StoredStates(states.compute_all_states(encoder_of(features), features))
    assert len(stored.table) == graph.num_triples
    np.testing.assert_array_equal(
        stored.get_states(np.array([3])), stored.get_states(np.array([3 + graph.num_triples]))
    )


def test_directed_a_triple_reads_only_what_ends_in_its_head(tmp_path):
    """RAPL eq. 3 by hand on a -> b -> c and d -> c: only a -> b comes before b -> c."""
    graph = build([("a", "r", "b"), ("b", "s", "c"), ("d", "t", "c")], tmp_path / "g")
    features = compute_graph_features(graph, WordEncoder(), entity_texts=False, directed=True)
    encoder = encoder_of(features, skip=False, norm=False, look_ahead=False, layers=1, self_weight=True)
    phi = encoder.relation(features.relations)[:3]  # of r, s, t
    layer = encoder.forward_layers[0]
    # b -> c has one predecessor and its own loop: deg 2; a -> b has its loop alone: deg 1.
    expected = torch.stack([
        layer.own(phi[0]),
        layer.own(phi[1]) + layer.lin(phi[0]) / 2**0.5,
        layer.own(phi[2]),
    ]) + layer.bias  # fmt: skip
    torch.testing.assert_close(whole(encoder, features), expected.detach())
