"""Whether another topic than the linked ones brings an expected answer."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

import numpy as np

from retrieval.diagnosis.findings import Remedy
from retrieval.kg import search
from retrieval.kg.snapshot.labels import normalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.diagnosis.case import Case
    from retrieval.diagnosis.findings import Trial
    from retrieval.types import LinkedEntity

TRIED, NEAR, SEEN = 12, 6, 400
"""Entities that are tried as the topic; names looked up for a phrase; entities near the answer that are looked at."""
_ALIKE = 0.75


def find_alias(case: Case, phrase: str) -> Remedy | None:
    """Another name for an entity: the one that, taken for a phrase of the question, most surely brings the answer."""
    kept = tuple(linked.entity.id for linked in case.record.linked if not is_part(linked.mention, phrase))
    best: Remedy | None = None
    for entity in _list_candidates(case, phrase):
        if entity in kept:
            continue
        trial = case.run_trial(given=(*kept, entity), follows=None, denoted=())
        if trial is not None and trial.works and (best is None or _is_surer(trial, best.trial)):
            node = case.snapshot.get_node(entity)
            best = Remedy("alias", f"Give {node.label} the other name “{phrase}”.", trial, entity=node)
    return best


def is_part(mention: str, phrase: str) -> bool:
    """Whether a mention is a phrase, or some words of it in a row."""
    return f" {normalize_name(mention)} " in f" {normalize_name(phrase)} "


def _is_surer(trial: Trial, best: Trial | None) -> bool:
    return best is None or (trial.score or 0.0, -trial.count) > (best.score or 0.0, -best.count)


def find_homonym(case: Case) -> Remedy | None:
    """Another entity of the name that was linked, which brings the expected answer."""
    linked = case.record.linked
    for position, topic in enumerate(linked):
        others = [node.id for node in topic.alternatives]
        others += [
            match.entity
            for match in case.snapshot.labels.search(topic.mention, NEAR)
            if normalize_name(match.name) == normalize_name(topic.mention)
        ]
        for entity in dict.fromkeys(others):
            topic_ids = tuple(entity if index == position else other.entity.id for index, other in enumerate(linked))
            if entity == topic.entity.id or len(set(topic_ids)) < len(topic_ids):
                continue
            trial = case.run_trial(given=topic_ids, follows=None, denoted=())
            if trial is not None and trial.works:
                node = case.snapshot.get_node(entity)
                known = case.snapshot.describe_entity(entity) or "the other one"
                text = f"Choose {node.label} ({known}) for “{topic.mention}”."
                return Remedy("alias", text, trial, entity=node)
    return None


def find_misspelling(case: Case) -> str | None:
    """A mention that was linked to an entity of another spelling, which may not be the one that was meant."""
    return next(
        (linked.mention for linked in case.record.linked if linked.mention and not _is_named(case, linked)),
        None,
    )


def find_cut_name(case: Case) -> str | None:
    """A name of the question of which only the beginning was linked: "Candide (operetta)", taken for Candide."""
    question = case.record.question
    for linked in case.record.linked:
        mention = linked.mention
        if not mention:
            continue
        match = re.search(rf"(?<!\w){re.escape(mention)} (\([^()]+\)|(?:of|and|in|for) (?:the )?[A-Z]\w+)", question)
        if (
            match
            and match[1].casefold() not in linked.entity.label.casefold()
            and not _has_other_mention(case, linked, match[1])
        ):
            return match[0]
    return None


def _has_other_mention(case: Case, linked: LinkedEntity, rest: str) -> bool:
    """Whether what follows a mention is another one: "Brazil and Peru"."""
    return any(other is not linked and other.mention and other.mention in rest for other in case.record.linked)


def _is_named(case: Case, linked: LinkedEntity) -> bool:
    if linked.source in ("fuzzy", "vector"):
        return False
    mention, label = normalize_name(linked.mention), normalize_name(linked.entity.label)
    if set(mention.split()) < set(label.split()):
        return False  # a part of its name, which may be a part of another
    matches = case.snapshot.labels.search(linked.mention, NEAR)
    return any(match.entity == linked.entity.id and normalize_name(match.name) == mention for match in matches)


def _list_candidates(case: Case, phrase: str) -> list[int]:
    """Entities that a phrase may mean: those spelt like it, then those of the other topics' side near the answer."""
    entities: dict[int, None] = {}
    for match in case.snapshot.labels.search(phrase, NEAR):
        entities[match.entity] = None
    entities.update(dict.fromkeys(_find_nearby(case, phrase)))
    return list(entities)[:TRIED]


def _find_nearby(case: Case, phrase: str) -> Iterator[int]:
    """Entities one or two hops from the expected answer, those whose names are like the phrase first."""
    if case.node < 0:
        return
    near = search.compute_distances(case.snapshot, np.array([case.node]), 2)
    for hops in (1, 2):
        ids = np.flatnonzero(near == hops)[:SEEN].tolist()
        scored = [(_compute_likeness(phrase, case.snapshot.get_entity_label(entity)), entity) for entity in ids]
        yield from (entity for _, entity in sorted(scored, key=lambda pair: (-pair[0], pair[1])))


def _compute_likeness(first: str, second: str) -> float:
    return difflib.SequenceMatcher(None, first.casefold(), second.casefold()).ratio()
