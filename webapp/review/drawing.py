"""The facts behind an item's candidates, to be drawn: read from the snapshot that the queue was made on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot
from webapp.graphs import snapshots
from webapp.review import selectors
from webapp.review.models import Candidate, Item

ENDS = 12
"""Entities that a path reaches are drawn up to so many, right answers first; the counts say how many there are."""
HOPS = 40
"""Facts of one step that are drawn."""


def drawing(item: Item) -> list[dict[str, Any]]:
    """Per candidate, the hops to some of what it reaches, and which of that is an answer and which is not."""
    snapshot = snapshots.opened(item.queue.snapshot.path)
    found = [snapshot.find_entity(label) for label in item.answers]
    answers = np.unique(np.array([one for one in found if one is not None], np.int64))
    return [_drawn(snapshot, item, one, answers) for one in selectors.candidates(item)]


def _drawn(snapshot: Snapshot, item: Item, candidate: Candidate, answers: np.ndarray) -> dict[str, Any]:
    topic = snapshot.find_entity(candidate.topic)
    relations = [(snapshot.find_relation(name), bool(inverse)) for name, inverse in candidate.path]
    path = [(relation, inverse) for relation, inverse in relations if relation is not None]
    hops: list[dict[str, Any]] = []
    reached = np.zeros(0, np.int64)
    if topic is not None and len(path) == len(relations):
        simple = item.queue.simple
        reached = search.execute(snapshot, [topic], path, simple=simple)[-1]
        hits = reached[np.isin(reached, answers)]
        ends = np.concatenate([hits, reached[~np.isin(reached, answers)]])[:ENDS]
        trace = search.trace(snapshot, [topic], path, ends, simple=simple, limit=HOPS)
        hops = [asdict(snapshot.hop(int(arc))) for arcs in trace.arcs for arc in arcs]
    right = np.isin(reached, answers)
    return {
        "candidate": candidate.pk,
        "hops": hops,
        "hit": _nodes(snapshot, reached[right]),
        "extra": _nodes(snapshot, reached[~right]),
        "missed": _nodes(snapshot, answers[~np.isin(answers, reached)]),
    }


def _nodes(snapshot: Snapshot, entities: np.ndarray) -> list[dict[str, Any]]:
    return [asdict(snapshot.node(int(entity))) for entity in entities[:ENDS]]
