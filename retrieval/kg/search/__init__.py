"""Everything that can be asked of a snapshot, in one place. Arc and directed relation ids: see ``walks``."""

from retrieval.kg.search.paths import (
    Paths,
    RelationPathHit,
    RelationPaths,
    distances,
    paths_between,
    relation_paths_between,
    shortest_paths,
)
from retrieval.kg.search.walks import (
    CandidateIds,
    Group,
    NeighbourPage,
    RelationPath,
    Trace,
    all_arcs,
    arc_ends,
    avoid_topic,
    execute,
    k_hop,
    neighbours,
    step,
    trace,
)

__all__ = [
    "CandidateIds",
    "Group",
    "NeighbourPage",
    "Paths",
    "RelationPath",
    "RelationPathHit",
    "RelationPaths",
    "Trace",
    "all_arcs",
    "arc_ends",
    "avoid_topic",
    "distances",
    "execute",
    "k_hop",
    "neighbours",
    "paths_between",
    "relation_paths_between",
    "shortest_paths",
    "step",
    "trace",
]
