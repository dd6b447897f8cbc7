"""The settings of the graph network that several methods have: choices, and what they do in words."""

from __future__ import annotations

from retrieval.environment import read_layers

LINE_GCN, ENTITY_GCN, PNA = "line-gcn", "entity-gcn", "pna"
PYG_CONVS = ("GCNConv", "SAGEConv", "GATv2Conv", "TransformerConv", "RGCNConv")


def list_convs() -> tuple[str, ...]:
    """The layers that triples can be encoded with, the installation's own last."""
    return (LINE_GCN, ENTITY_GCN, *PYG_CONVS, *read_layers())


def list_entity_convs() -> tuple[str, ...]:
    """The layers that entities can be scored with, likewise."""
    return (PNA, *PYG_CONVS, *read_layers())


CONV = (
    "The layer of message passing. line-gcn: GCN on the line graph, whose nodes are triples. On the entity graph: "
    "entity-gcn, REL-RAG's ablation with edge features (section 5.3), or a layer of PyTorch Geometric, of which "
    "RGCNConv has a weight for each relation and can be asked on the graph trained on alone [line-gcn]."
)
ENTITY_CONV = (
    "The layer of message passing: principal neighbourhood aggregation, or a layer of PyTorch Geometric. Layers "
    "without edge features read relation and question as a mean at the entity; RGCNConv has a weight for each "
    "relation and can be asked on the graph trained on alone [pna]."
)
ARCS = (
    "Which triples the network sees: every fact both ways, so that what leads away from an entity is read too, or in "
    "its own direction alone [directed]. Walks go both ways either way."
)
LAYERS = "Layers in each direction; 1 is the first row of RAPL's Table 3 and REL-RAG's [2]."
SELF_WEIGHT = (
    "A triple's own message has a weight of its own and is not divided by its degree (RAPL eq. 3); the "
    "entities of entity-gcn likewise; layers of PyTorch Geometric have their own rule [yes]."
)
READOUT = (
    "What a triple's state holds beside its network's: nothing (states), or a projection of its relation's text "
    "(relation). auto adds it on the entity graph alone, whose entities do not say which of their triples is meant."
)
NEIGHBOURS = (
    "Neighbours sampled per entity and direction while training, as num_neighbors of PyG's NeighborLoader: by the "
    "second layer of line-gcn and entity-gcn, whose first reads all at no cost, and by each layer of PyTorch "
    "Geometric; 0 for no limit [no limit]."
)
