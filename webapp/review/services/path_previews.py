"""The facts behind an item's candidates, and behind a path that is edited, on the queue's version of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.api.errors import body
from webapp.graphs import browse
from webapp.review import selectors
from webapp.review.domain import program_candidates, relation_paths
from webapp.review.models import Item

TOPICS_MAX = 20


def previews(item: Item, only: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Per candidate, the hops to some of what it reaches, and which of that is an answer and which is not.

    Args:
        item: with its queue.
        only: ids of candidates; empty for all.
    """
    snapshot, simple = relation_paths.snapshot_of(item), item.avoids_topics
    answers = relation_paths.answers_of(snapshot, item)
    shown = []
    for one in selectors.candidates(item):
        if only and one.pk not in only:
            continue
        if one.program is not None:
            facts = program_candidates.drawn(snapshot, one, item.answers)
            shown.append({"candidate": one.pk, **facts})
            continue
        found = relation_paths.walk(snapshot, one.topic, one.as_path, simple=simple)
        whole = found if found.error is None else relation_paths.PathWalk(None, (), (), found.error)
        shown.append({"candidate": one.pk, **relation_paths.drawn(snapshot, whole, answers, simple=simple)})
    return shown


def hops(item: Item, topic: str, path: relation_paths.Path) -> dict[str, Any]:
    """A path hop by hop, as far as it can be walked: what it reaches, how it could go on, and whether it is valid."""
    snapshot, simple = relation_paths.snapshot_of(item), item.avoids_topics
    answers = relation_paths.answers_of(snapshot, item)
    found = relation_paths.walk(snapshot, topic, path, simple=simple)
    following, total = relation_paths.onward(snapshot, found, answers, simple=simple)
    same = selectors.same_path(item, topic, path)
    error = found.error
    return {
        "valid": error is None,
        "error": None if error is None else body(error.code, error.message, error.hint)["error"],
        "steps": relation_paths.steps(snapshot, found),
        **relation_paths.fit(found.end if found.levels else found.end[:0], answers),
        "same_as": None if same is None else same.pk,
        "next": following,
        "next_total": total,
        **relation_paths.drawn(snapshot, found, answers, simple=simple),
    }


def topics(item: Item, text: str) -> list[dict[str, Any]]:
    """Entities that a path could start from: by a part of their name, or those of the question and its paths."""
    snapshot = relation_paths.snapshot_of(item)
    if text.strip():
        return browse.entities(snapshot, text, TOPICS_MAX)
    labels = dict.fromkeys([*item.topics, *(one.topic for one in selectors.candidates(item))])
    found = [snapshot.find_entity(label) for label in labels]
    known = [one for one in found if one is not None][:TOPICS_MAX]
    return [browse.entity_row(snapshot, one, "question") for one in known]
