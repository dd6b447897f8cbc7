"""Layers of PyTorch Geometric by name: in the encoder three ways to the same states, alone as PyG computes them."""

import numpy as np
import pytest
import torch
from torch_geometric.nn import GATv2Conv, GCNConv, MessagePassing

from retrieval.errors import CheckpointError, ConfigError
from retrieval.kg.search.walks import get_arc_ends
from retrieval.linking.features import compute_graph_features
from retrieval.methods.common.network_texts import PYG_CONVS
from retrieval.methods.paths import neighbourhoods, states
from retrieval.methods.paths.blocks import compute_arc_states
from retrieval.nn.conv_encoder import ConvEncoder
from retrieval.nn.conv_layer import ConvLayer, RelationalEdges, require_same_graph, resolve_conv
from retrieval.nn.line_graph import LineGraph
from tests.retrieval.films import WordEncoder
from tests.retrieval.kg.worlds import build, random_facts


def make_edges(senders, receivers, entities, size):
    degrees = torch.bincount(receivers, minlength=entities) + 1
    return RelationalEdges(
        torch.stack([senders, receivers]),
        torch.zeros(len(senders), dtype=torch.long),
        torch.randn(len(senders), size),
        torch.ones(len(senders)),
        degrees.float().rsqrt(),
    )


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("conv", PYG_CONVS)
def test_sampled_neighbourhoods_and_chunks_equal_the_whole_graph(conv, texts, directed, tmp_path, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "_CHUNK", 3)
    graph = build(random_facts(1), tmp_path / "g")
    features = compute_graph_features(graph, WordEncoder(), entity_texts=texts, directed=directed)
    torch.manual_seed(1)
    encoder = ConvEncoder(conv, features.relations.shape[1], 8, relations=2 * graph.num_relations).eval()
    heads, relations, tails = (torch.from_numpy(a) for a in get_arc_ends(graph, np.arange(features.num_states)))
    chosen = np.array([5, 0, 7, features.num_states - 1])
    with torch.inference_mode():
        line_graph = LineGraph.from_triples(heads, tails, graph.num_entities)
        whole = encoder(features.entities, features.relations, relations, line_graph)
        block = compute_arc_states(encoder, features, chosen, 10_000, np.random.default_rng(0))
    torch.testing.assert_close(block, whole[chosen], atol=1e-4, rtol=1e-4)
    stored = torch.from_numpy(states.compute_all_states(encoder, features).astype(np.float32))
    torch.testing.assert_close(stored, whole, atol=4e-3, rtol=4e-3)


def test_a_sampled_neighbourhood_has_no_more_edges_than_asked(tmp_path):
    graph = build(random_facts(1), tmp_path / "g")
    features = compute_graph_features(graph, WordEncoder(), entity_texts=False)
    rng = np.random.default_rng(0)
    cut = neighbourhoods.sample_neighbourhood(features, np.array([0, 4]), 2, 2, rng, forward=True)
    assert torch.bincount(cut.edge_index[1]).max() <= 2
    assert cut.n_id[cut.seeds].tolist() == [0, 4]
    assert cut.validate()


def test_gcnconv_is_pygs_with_its_own_normalisation():
    torch.manual_seed(0)
    senders, receivers = torch.tensor([0, 1, 1, 2, 3]), torch.tensor([1, 2, 2, 0, 1])
    layer, x = ConvLayer("GCNConv", 4, None), torch.randn(4, 4)
    theirs = GCNConv(4, 4)
    theirs.load_state_dict(layer.conv.state_dict())
    edges = make_edges(senders, receivers, 4, 4)
    torch.testing.assert_close(layer(x, edges), theirs(x, edges.edge_index))


def test_a_layer_with_edge_features_reads_the_relations():
    torch.manual_seed(0)
    layer, x = ConvLayer("GATv2Conv", 4, None), torch.randn(3, 4)
    assert isinstance(layer.conv, GATv2Conv)
    edges = make_edges(torch.tensor([0, 1]), torch.tensor([1, 2]), 3, 4)
    torch.testing.assert_close(layer(x, edges), layer.conv(x, edges.edge_index, edges.edge_attr))


class Halving(MessagePassing):
    """A layer of somebody's own."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(aggr="sum")

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x) / 2

    def message(self, x_j):
        return x_j


def test_a_layer_of_ones_own_is_found_by_its_path():
    assert resolve_conv(f"{__name__}:Halving") is Halving
    edges = make_edges(torch.tensor([0, 1]), torch.tensor([2, 2]), 3, 1)
    out = ConvLayer(f"{__name__}:Halving", 1, None)(torch.tensor([[2.0], [4.0], [0.0]]), edges)
    assert out.tolist() == [[0.0], [0.0], [3.0]]


@pytest.mark.parametrize("name", ["NoConv", "os:path", "no.such.package:Conv", "torch.nn:Linear"])
def test_what_is_no_layer_is_refused(name):
    with pytest.raises(ConfigError):
        resolve_conv(name)


def test_a_layer_that_needs_more_than_sizes_is_refused():
    with pytest.raises(ConfigError, match="NNConv cannot be made"):
        ConvLayer("NNConv", 4, None)


def test_weights_of_relations_are_refused_on_another_graph():
    model = torch.nn.Sequential(ConvLayer("RGCNConv", 4, 6))
    require_same_graph(model, trained_on="a", snapshot="a")
    with pytest.raises(CheckpointError, match="RGCNConv has a weight for each relation"):
        require_same_graph(model, trained_on="a", snapshot="b")
    require_same_graph(ConvLayer("SAGEConv", 4, None), trained_on="a", snapshot="b")
