"""The facts behind an item's candidates, and behind a path that is edited, on the queue's version of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.api.errors import render_error
from webapp.graphs import browse
from webapp.review import selectors
from webapp.review.domain import program_candidates, relation_paths
from webapp.review.models import Item

TOPICS_MAX = 20


def build_previews(item: Item, only: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Per candidate, the hops to some of what it reaches, and which of that is an answer and which is not.

    Args:
        item: with its queue.
        only: ids of candidates; empty for all.
    """
    snapshot, simple = relation_paths.open_snapshot(item), item.avoids_topics
    answers = relation_paths.find_answers(snapshot, item)
    shown = []
    for candidate in selectors.list_candidates(item):
        if only and candidate.pk not in only:
            continue
        if candidate.program is not None:
            facts = program_candidates.draw_program(snapshot, candidate, item.answers)
            shown.append({"candidate": candidate.pk, **facts})
            continue
        walk = relation_paths.walk(snapshot, candidate.topic, candidate.as_path, simple=simple)
        full_walk = walk if walk.error is None else relation_paths.PathWalk(None, (), (), walk.error)
        shown.append(
            {
                "candidate": candidate.pk,
                **relation_paths.draw_path(snapshot, full_walk, answers, simple=simple),
            }
        )
    return shown


def describe_path(item: Item, topic: str, path: relation_paths.Path) -> dict[str, Any]:
    """A path hop by hop, as far as it can be walked: what it reaches, how it could go on, and whether it is valid."""
    snapshot, simple = relation_paths.open_snapshot(item), item.avoids_topics
    answers = relation_paths.find_answers(snapshot, item)
    walk = relation_paths.walk(snapshot, topic, path, simple=simple)
    following, total = relation_paths.find_continuations(snapshot, walk, answers, simple=simple)
    same = selectors.find_path(item, topic, path)
    error = walk.error
    return {
        "valid": error is None,
        "error": None if error is None else render_error(error.code, error.message, error.hint)["error"],
        "steps": relation_paths.describe_steps(snapshot, walk),
        **relation_paths.fit(walk.end if walk.levels else walk.end[:0], answers),
        "same_as": None if same is None else same.pk,
        "next": following,
        "next_total": total,
        **relation_paths.draw_path(snapshot, walk, answers, simple=simple),
    }


def find_topics(item: Item, text: str) -> list[dict[str, Any]]:
    """Entities that a path could start from: by a part of their name, or those of the question and its paths."""
    snapshot = relation_paths.open_snapshot(item)
    if text.strip():
        return browse.search_entities(snapshot, text, TOPICS_MAX)
    labels = dict.fromkeys([*item.topics, *(candidate.topic for candidate in selectors.list_candidates(item))])
    entities = [snapshot.find_entity(label) for label in labels]
    known = [entity for entity in entities if entity is not None][:TOPICS_MAX]
    return [browse.build_entity_row(snapshot, entity, "question") for entity in known]
