"""The implicit convolution equals PyG's GCNConv on the materialised line graph."""

import networkx as nx
import pytest
import torch
from torch_geometric.nn import GCNConv, MessagePassing

from retrieval.nn.line_graph import LineGraph, LineGraphConv

TRIANGLE_AND_LOOP = [(0, 1), (1, 2), (2, 0), (1, 1), (0, 1), (3, 4)]


def materialised(arcs: list[tuple[int, int]]) -> torch.Tensor:
    """Edge index [2, edges] of networkx's line graph; parallel arcs stay apart by their key."""
    graph = nx.MultiDiGraph()
    for index, (head, tail) in enumerate(arcs):
        graph.add_edge(head, tail, key=index)
    edges = [(u[2], v[2]) for u, v in nx.line_graph(graph).edges()]
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t().contiguous()


def both(arcs: list[tuple[int, int]], entities: int, *, reverse: bool) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(3)
    conv, reference = LineGraphConv(5, 7), GCNConv(5, 7)
    torch.nn.init.normal_(conv.bias)
    reference.lin.weight.data.copy_(conv.lin.weight.data)
    assert reference.bias is not None
    reference.bias.data.copy_(conv.bias.data)
    x = torch.randn(len(arcs), 5)
    heads, tails = torch.tensor(arcs).t()
    line_graph = LineGraph.from_triples(heads, tails, entities)
    edges = materialised(arcs)
    if reverse:
        return conv(x, line_graph.make_reversed()), reference(x, edges.flip(0))
    return conv(x, line_graph), reference(x, edges)


@pytest.mark.parametrize("reverse", [False, True])
def test_equals_gcnconv_with_loops_parallels_and_an_isolated_triple(reverse: bool) -> None:
    ours, theirs = both(TRIANGLE_AND_LOOP, 5, reverse=reverse)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_equals_gcnconv_on_random_graphs(seed: int, reverse: bool) -> None:
    generator = torch.Generator().manual_seed(seed)
    entities = 3 + 4 * seed
    arcs = torch.randint(0, entities, (5 + 12 * seed, 2), generator=generator).tolist()
    ours, theirs = both([tuple(arc) for arc in arcs], entities, reverse=reverse)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_degrees_of_a_path_a_loop_and_an_isolated_triple() -> None:
    heads, tails = torch.tensor([(0, 1), (1, 2), (1, 1), (3, 4)]).t()
    line_graph = LineGraph.from_triples(heads, tails, 5)
    # Two triples end in entity 1: the loop is its own predecessor and gets no second loop.
    assert line_graph.norm.pow(-2).round().tolist() == [1, 3, 2, 1]
    assert line_graph.loops.tolist() == [False, False, True, False]


def test_gradients_reach_predecessors_only() -> None:
    heads, tails = torch.tensor([(0, 1), (1, 2), (2, 3)]).t()
    x = torch.randn(3, 4, requires_grad=True)
    LineGraphConv(4, 2)(x, LineGraph.from_triples(heads, tails, 4))[1].sum().backward()
    assert x.grad is not None
    assert x.grad.abs().sum(1).bool().tolist() == [True, True, False]


def test_it_is_a_message_passing_module_with_the_parameters_of_stored_checkpoints() -> None:
    layer = LineGraphConv(4, 2, self_weight=True)
    assert isinstance(layer, MessagePassing)
    assert {name: tuple(value.shape) for name, value in layer.state_dict().items()} == {
        "bias": (2,), "lin.weight": (2, 4), "own.weight": (2, 4),
    }  # fmt: skip


def test_messages_are_summed_where_they_are_received() -> None:
    messages, receivers = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), torch.tensor([2, 0, 2])
    assert LineGraphConv(2, 2).sum_messages(messages, receivers, 4).tolist() == [[3, 4], [0, 0], [6, 8], [0, 0]]
