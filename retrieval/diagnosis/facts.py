"""Which single fact is missing on a relation path, and the graph with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import walk_relation
from retrieval.kg.table import build_frame
from retrieval.types import Hop

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.kg.snapshot import Snapshot

TRIED = 300_000
"""Facts of the largest graph that is built again with one fact more."""


def find_targets(snapshot: Snapshot, nodes: np.ndarray, relation: int) -> np.ndarray:
    """What a directed relation leads to from any of some nodes, int64 ascending."""
    inverse, forward = divmod(relation, snapshot.num_relations)
    return np.unique(walk_relation(snapshot, nodes, forward, bool(inverse))[1]).astype(np.int64)


def get_inverse(snapshot: Snapshot, relation: int) -> int:
    """The directed relation walked the other way."""
    return (relation + snapshot.num_relations) % (2 * snapshot.num_relations)


def find_missing_fact(
    snapshot: Snapshot, topic: int, path: Sequence[int], expected: int
) -> tuple[int, int, int] | None:
    """The one fact that a relation path lacks to lead from a topic to the expected node.

    The walk goes as far as the graph has facts for, and the fact joins that to where the rest of the path comes from.

    Returns:
        (from, directed relation, to) as walked; None where one fact is not enough.
    """
    ahead = [np.array([topic], np.int64)]
    for relation in path:
        ahead.append(find_targets(snapshot, ahead[-1], relation))
    behind = [np.array([expected], np.int64)]
    for relation in reversed(path):
        behind.append(find_targets(snapshot, behind[-1], get_inverse(snapshot, relation)))
    behind.reverse()  # behind[i]: from where the hops after i lead to it
    for hop in reversed(range(len(path))):
        sources, targets = ahead[hop], behind[hop + 1]
        targets = targets[targets != topic]
        if len(sources) and len(targets):
            return int(sources[0]), path[hop], int(targets[0])
    return None


def build_hop(snapshot: Snapshot, source: int, relation: int, target: int) -> Hop:
    """A fact that the graph lacks, as walked."""
    inverse, forward = divmod(relation, snapshot.num_relations)
    walked = snapshot.get_relation_step(forward, bool(inverse))
    return Hop(snapshot.get_node(source), walked, snapshot.get_node(target), verified=False)


def build_with_fact(snapshot: Snapshot, fact: Hop, out: Path) -> Snapshot:
    """The graph with one fact more, built in ``out``. Ids are other ones there; labels stay.

    Raises:
        SnapshotError: it cannot be built.
    """
    from retrieval.kg.build import build_snapshot  # noqa: PLC0415 - loads polars
    from retrieval.kg.build.to_table import convert_to_table  # noqa: PLC0415 - as above

    ends = (fact.source.label, fact.target.label)
    head, tail = reversed(ends) if fact.step.inverse else ends
    table = convert_to_table(snapshot)
    more = build_frame([(head, fact.step.name, tail)], head=str, relation=str, tail=str)
    return build_snapshot(replace(table, facts=more), out)
