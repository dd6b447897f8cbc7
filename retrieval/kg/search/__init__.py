"""Everything that can be asked of a snapshot, in one place. Arc and directed relation ids: see ``walks``."""

from retrieval.kg.search.neighbours import NeighbourPage, list_neighbours
from retrieval.kg.search.paths import (
    Paths,
    RelationPathHit,
    RelationPaths,
    compute_distances,
    find_paths,
    find_relation_paths,
    find_shortest_paths,
)
from retrieval.kg.search.walks import (
    CandidateIds,
    Group,
    RelationPath,
    Trace,
    collect_k_hop,
    compute_trace,
    execute,
    find_arcs,
    get_arc_ends,
    is_reverse,
    mark_simple_arcs,
    walk_relation,
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
    "collect_k_hop",
    "compute_distances",
    "compute_trace",
    "execute",
    "find_arcs",
    "find_paths",
    "find_relation_paths",
    "find_shortest_paths",
    "get_arc_ends",
    "is_reverse",
    "list_neighbours",
    "mark_simple_arcs",
    "walk_relation",
]
