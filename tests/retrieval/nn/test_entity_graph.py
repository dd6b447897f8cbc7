"""The raw-graph variant: a block, all states in chunks, and the GCN written out triple by triple."""

import numpy as np
import pytest
import torch

from retrieval.kg.search.walks import get_arc_ends
from retrieval.linking.features import compute_graph_features
from retrieval.methods.paths import states
from retrieval.methods.paths.blocks import compute_arc_states
from retrieval.nn.entity_graph import EntityGraphEncoder
from retrieval.nn.line_graph import LineGraph
from tests.retrieval.films import WordEncoder
from tests.retrieval.kg.worlds import build, random_facts

FORMS = ({}, {"skip": False}, {"self_weight": True}, {"layers": 1}, {"relation_readout": False})


@pytest.fixture(
    params=[
        (seed, texts, form, directed)
        for seed, texts in enumerate((True, False))
        for form in FORMS
        for directed in (False, True)
    ],
    ids=str,
)
def case(request, tmp_path):
    seed, texts, form, directed = request.param
    graph = build(random_facts(seed), tmp_path / "g")
    features = compute_graph_features(graph, WordEncoder(), entity_texts=texts, directed=directed)
    torch.manual_seed(1)
    return features, EntityGraphEncoder(features.relations.shape[1], 8, **form).eval()


def written_out(features, encoder):
    """RAPL eq. 2 with GCN's normalisation, one triple at a time."""
    graph = features.snapshot
    total, width = graph.num_entities, encoder.hidden
    arcs = [part.tolist() for part in get_arc_ends(graph, np.arange(features.num_states))]
    triples = list(zip(*arcs, strict=True))
    texts = encoder.relation(features.relations)
    sides = []
    for layers, turned in ((encoder.forward_layers, False), (encoder.backward_layers, True)):
        degree = [sum((head if turned else tail) == e for head, _, tail in triples) for e in range(total)]
        h = encoder.entity(features.entities) if features.entities is not None else torch.zeros(total, width)
        for k, layer in enumerate(layers):
            new = []
            for e in range(total):
                mine = (degree[e] + 1) ** -0.5
                summed = torch.zeros(width) if layer.own else mine * layer.entity(h[e])
                for head, relation, tail in triples:
                    sender, receiver = (tail, head) if turned else (head, tail)
                    if receiver == e:
                        norm = (degree[sender] + (sender != e)) ** -0.5
                        summed = summed + norm * (layer.entity(h[sender]) + layer.relation(texts[relation]))
                new.append(mine * summed + (layer.own(h[e]) if layer.own else 0) + layer.bias)
            h = torch.stack(new)
            h = torch.relu(h) if k + 1 < len(layers) else h
        ends = [(encoder.of_head(h[head]), encoder.of_tail(h[tail])) for head, _, tail in triples]
        sides.append(torch.stack([head + tail for head, tail in ends]))
    ids = [torch.tensor(part) for part in arcs]
    x = encoder.compute_phi(features.entities, features.relations, *ids)
    return encoder.merge_directions(*sides, x, features.relations, ids[1])


def test_a_block_and_all_states_equal_the_gcn_written_out(case, monkeypatch):
    monkeypatch.setattr(states, "_CHUNK", 7)
    features, encoder = case
    with torch.inference_mode():
        expected = written_out(features, encoder)
        chosen = np.array([5, 0, 7, features.num_states - 1])
        block = compute_arc_states(encoder, features, chosen, 10_000, np.random.default_rng(0))
        heads, relations, tails = (
            torch.from_numpy(part) for part in get_arc_ends(features.snapshot, np.arange(features.num_states))
        )
        graph = LineGraph.from_triples(heads, tails, features.snapshot.num_entities)
        at_once = encoder(features.entities, features.relations, relations, graph)
    torch.testing.assert_close(block, expected[chosen], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(at_once, expected, atol=1e-4, rtol=1e-4)
    found = torch.from_numpy(states.compute_all_states(encoder, features).astype(np.float32))
    torch.testing.assert_close(found, expected, atol=4e-3, rtol=4e-3)
    on_demand = states.ComputedStates(encoder, features).get_states(np.array([3, 3, 11]))
    np.testing.assert_allclose(on_demand, found[[3, 3, 11]].numpy(), atol=4e-3)
