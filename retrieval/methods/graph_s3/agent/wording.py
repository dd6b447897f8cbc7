"""What an agent does and sees, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.methods.graph_s3.agent.state import Window

#: Names and relations that are spelled out; the others are counted.
NAMES, RELATIONS = 3, 12


def write_names(snapshot: Snapshot, entities: np.ndarray) -> str:
    """Labels of the first few entities, and how many more there are."""
    labels = [snapshot.get_entity_label(int(entity)) for entity in entities[:NAMES]]
    more = len(entities) - NAMES
    return ", ".join(labels) + (f" and {more:,} more" if more > 0 else "") if labels else "nothing"


def write_relation(snapshot: Snapshot, directed: int) -> str:
    """A directed relation, r forward, R + r backward."""
    total = snapshot.num_relations
    label = snapshot.get_relation_label(directed % total)
    return f"inverse of {label}" if directed >= total else label


def write_relations(snapshot: Snapshot, window: Window) -> str:
    """The relations of a window, those of most facts first, with their numbers."""
    order = np.argsort(-window.facts, kind="stable")
    parts = [f"{write_relation(snapshot, int(window.relations[i]))} ({window.facts[i]:,})" for i in order[:RELATIONS]]
    more = f" and {len(order) - RELATIONS:,} more relations" if len(order) > RELATIONS else ""
    return ", ".join(parts) + more if parts else "nothing"


def describe_window(snapshot: Snapshot, window: Window, page: int) -> str:
    """What an exploration shows; at most ``page`` facts are listed at a time."""
    around = write_names(snapshot, window.entities)
    text = f"{window.total:,} facts around {around}: {write_relations(snapshot, window)}."
    pages = -(-window.total // page)
    if pages > 1:
        listed = min(page, window.total - (window.pages - 1) * page)
        text += (
            f" Page {window.pages} of {pages:,}: {listed:,} facts are listed, all are counted; "
            "explore the same again for the next page."
        )
    return text
