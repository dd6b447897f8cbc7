"""Whether another topic than the linked ones brings an expected answer."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

import numpy as np

from retrieval.diagnosis.findings import Remedy
from retrieval.kg import search
from retrieval.kg.snapshot.labels import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.diagnosis.case import Case
    from retrieval.diagnosis.findings import Trial
    from retrieval.types import LinkedEntity

TRIED, NEAR, SEEN = 12, 6, 400
"""Entities that are tried as the topic; names looked up for a phrase; entities near the answer that are looked at."""
_ALIKE = 0.75


def another(case: Case, phrase: str) -> Remedy | None:
    """Another name for an entity: the one that, taken for a phrase of the question, most surely brings the answer."""
    kept = tuple(linked.entity.id for linked in case.record.linked if not is_part(linked.mention, phrase))
    best: Remedy | None = None
    for entity in _candidates(case, phrase):
        if entity in kept:
            continue
        trial = case.tried(given=(*kept, entity), follows=None, denoted=())
        if trial is not None and trial.works and (best is None or _surer(trial, best.trial)):
            node = case.snapshot.node(entity)
            best = Remedy("alias", f"Give {node.label} the other name “{phrase}”.", trial, entity=node)
    return best


def is_part(mention: str, phrase: str) -> bool:
    """Whether a mention is a phrase, or some words of it in a row."""
    return f" {normalise(mention)} " in f" {normalise(phrase)} "


def _surer(one: Trial, other: Trial | None) -> bool:
    return other is None or (one.score or 0.0, -one.count) > (other.score or 0.0, -other.count)


def homonym(case: Case) -> Remedy | None:
    """Another entity of the name that was linked, which brings the expected answer."""
    linked = case.record.linked
    for position, one in enumerate(linked):
        others = [node.id for node in one.alternatives]
        others += [
            match.entity
            for match in case.snapshot.labels.search(one.mention, NEAR)
            if normalise(match.name) == normalise(one.mention)
        ]
        for entity in dict.fromkeys(others):
            given = tuple(entity if at == position else other.entity.id for at, other in enumerate(linked))
            if entity == one.entity.id or len(set(given)) < len(given):
                continue
            trial = case.tried(given=given, follows=None, denoted=())
            if trial is not None and trial.works:
                node = case.snapshot.node(entity)
                known = case.snapshot.description(entity) or "the other one"
                text = f"Choose {node.label} ({known}) for “{one.mention}”."
                return Remedy("alias", text, trial, entity=node)
    return None


def misspelt(case: Case) -> str | None:
    """A mention that was linked to an entity of another spelling, which may not be the one that was meant."""
    return next((one.mention for one in case.record.linked if one.mention and not _is_named(case, one)), None)


def cut_short(case: Case) -> str | None:
    """A name of the question of which only the beginning was linked: "Candide (operetta)", taken for Candide."""
    question = case.record.question
    for linked in case.record.linked:
        mention = linked.mention
        if not mention:
            continue
        found = re.search(
            rf"(?<!\w){re.escape(mention)} (\([^()]+\)|(?:of|and|in|for) (?:the )?[A-Z]\w+)", question
        )
        if (
            found
            and found[1].casefold() not in linked.entity.label.casefold()
            and not _others(case, linked, found[1])
        ):
            return found[0]
    return None


def _others(case: Case, linked: LinkedEntity, rest: str) -> bool:
    """Whether what follows a mention is another one: "Brazil and Peru"."""
    return any(one is not linked and one.mention and one.mention in rest for one in case.record.linked)


def _is_named(case: Case, linked: LinkedEntity) -> bool:
    if linked.source in ("fuzzy", "vector"):
        return False
    own, label = normalise(linked.mention), normalise(linked.entity.label)
    if set(own.split()) < set(label.split()):
        return False  # a part of its name, which may be a part of another
    matches = case.snapshot.labels.search(linked.mention, NEAR)
    return any(match.entity == linked.entity.id and normalise(match.name) == own for match in matches)


def _candidates(case: Case, phrase: str) -> list[int]:
    """Entities that a phrase may mean: those spelt like it, then those of the other topics' side near the answer."""
    found: dict[int, None] = {}
    for match in case.snapshot.labels.search(phrase, NEAR):
        found[match.entity] = None
    found.update(dict.fromkeys(_around(case, phrase)))
    return list(found)[:TRIED]


def _around(case: Case, phrase: str) -> Iterator[int]:
    """Entities one or two hops from the expected answer, those whose names are like the phrase first."""
    if case.node < 0:
        return
    near = search.distances(case.snapshot, np.array([case.node]), 2)
    for hops in (1, 2):
        ids = np.flatnonzero(near == hops)[:SEEN].tolist()
        scored = [(_likeness(phrase, case.snapshot.entity_label(one)), one) for one in ids]
        yield from (one for _, one in sorted(scored, key=lambda pair: (-pair[0], pair[1])))


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold()).ratio()
