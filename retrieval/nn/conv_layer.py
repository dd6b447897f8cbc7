"""Graph layers of PyTorch Geometric by name, given the arguments that each of them understands."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pkgutil import resolve_name

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing, conv

from retrieval.errors import CheckpointError, ConfigError


@dataclass(frozen=True, slots=True)
class RelationalEdges:
    """Edges along which messages are passed among n entities, one for each triple.

    Attributes:
        edge_index: sender and receiver of each edge, int64 [2, M].
        edge_type: directed relation of each edge, int64 [M].
        edge_attr: vector of each edge, [M, F].
        scale: how many edges each sampled edge stands for, [M].
        norm: GCN's deg^-1/2 of the entities, their self loop counted, [n].
    """

    edge_index: Tensor
    edge_type: Tensor
    edge_attr: Tensor
    scale: Tensor
    norm: Tensor


class ConvLayer(nn.Module):
    """One layer ``Conv(size, size)`` of ``torch_geometric.nn`` or of a package of your own.

    A layer is given what its signature names: ``edge_dim`` and ``edge_attr`` (the relations' vectors), or
    ``num_relations`` and ``edge_type`` (their ids). ``GCNConv`` is given the normalisation of the whole graph as
    ``edge_weight``, because a sampled neighbourhood does not show the degrees of the entities at its rim; an edge
    from an entity to itself counts as any other there.

    Args:
        name: ``GCNConv`` and the like, or ``"package.module:Class"``.
        size: F, of the entities' and the edges' vectors.
        relations: directed relations of the graph, for layers with a weight for each of them.

    Raises:
        ConfigError: there is no such layer, or it needs other arguments.
    """

    def __init__(self, name: str, size: int, relations: int | None) -> None:
        super().__init__()
        layer = resolve_conv(name)
        options = inspect.signature(layer).parameters
        self.reads = frozenset(inspect.signature(layer.forward).parameters)
        self.normalised = "edge_weight" in self.reads and {"normalize", "add_self_loops"} <= options.keys()
        offered = {"edge_dim": size, "num_relations": relations, "normalize": False}
        taken = {"edge_dim", "num_relations"} | ({"normalize"} if self.normalised else set())
        try:
            self.conv = layer(size, size, **{key: offered[key] for key in taken & options.keys()})
        except TypeError as error:
            raise ConfigError(
                f"{name} cannot be made of its input and output size alone: {error}.",
                hint="Choose a layer whose other arguments have defaults.",
            ) from error

    @property
    def has_relation_weights(self) -> bool:
        """There is a weight for each relation of the graph trained on."""
        return "edge_type" in self.reads

    def forward(self, x: Tensor, edges: RelationalEdges) -> Tensor:
        """[n, F] -> [n, F]."""
        edge_index = edges.edge_index
        inputs: dict[str, Tensor] = {
            name: getattr(edges, name) for name in ("edge_attr", "edge_type") if name in self.reads
        }
        if self.normalised:
            loops = torch.arange(len(x), device=x.device)
            weights = edges.norm[edge_index[0]] * edges.norm[edge_index[1]] * edges.scale
            edge_index = torch.cat([edge_index, loops.expand(2, -1)], dim=1)
            inputs["edge_weight"] = torch.cat([weights, edges.norm**2])
        out: Tensor = self.conv(x, edge_index, **inputs)
        return out


def resolve_conv(name: str) -> type[MessagePassing]:
    """The layer of that name in ``torch_geometric.nn.conv``, or at ``"package.module:Class"``.

    Raises:
        ConfigError: there is none.
    """
    try:
        found = resolve_name(name) if ":" in name else getattr(conv, name, None)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"The layer {name} cannot be imported: {error}.", hint="Install its package.") from error
    if not (isinstance(found, type) and issubclass(found, MessagePassing)):
        raise ConfigError(
            f"{name!r} is no layer.", hint="Name a class of torch_geometric.nn.conv, or package.module:Class of one."
        )
    return found


def require_same_graph(model: nn.Module, *, trained_on: str, snapshot: str) -> None:
    """Refuse another graph than the one trained on to layers with a weight for each relation.

    Args:
        model: with any layers.
        trained_on, snapshot: content hashes of the snapshot trained on and of the one asked.

    Raises:
        CheckpointError: the relations may be others.
    """
    if trained_on == snapshot:
        return
    for layer in model.modules():
        if isinstance(layer, ConvLayer) and layer.has_relation_weights:
            raise CheckpointError(
                f"{type(layer.conv).__name__} has a weight for each relation of the graph that it was trained on.",
                hint="Train again on this graph, or with a layer that reads the relations' texts, such as GATv2Conv.",
            )
