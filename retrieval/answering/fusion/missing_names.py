"""Names in a question that its graph lacks: a reading that leaves one out is no answer to the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from retrieval.language.question import Question
from retrieval.linking.mentions import STOP_WORDS, MentionSpan

if TYPE_CHECKING:
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.answering.run import Linked
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.understanding import Meaning, Understanding

#: Behind these stands what a relation is asked of; with an article it is a common noun.
_ARGUMENT = re.compile(r"\b(?:of|by|from|in|and|or)\s+$", re.IGNORECASE)
#: Behind a name the question ends, or goes on with another name or what belongs to this one.
_ENDS = re.compile(r"['’]s\b|,?\s+(?:and|or)\b|\W*$")
_OWNER = re.compile(r"['’]s\b")


def has_read_names(meaning: Meaning, missing: Sequence[MentionSpan]) -> bool:
    """Whether a program reads every word that says something of names that are no entities."""
    return not any(start < name.end and name.start < end for start, end in meaning.unread for name in missing)


def keep_reading(
    outcomes: Sequence[CandidateOutcome], read: Understanding | None, missing: Sequence[MentionSpan]
) -> list[CandidateOutcome]:
    """Return the outcomes of programs that read the names; relation paths never do."""
    meanings = read.meanings if read is not None else ()
    return _keep(outcomes, lambda index: has_read_names(meanings[index], missing), lambda _: not missing)


def keep_about(outcomes: Sequence[CandidateOutcome], read: Understanding | None, entity: int) -> list[CandidateOutcome]:
    """Return the outcomes of programs that name an entity, and of relation paths that begin at it."""
    meanings = read.meanings if read is not None else ()
    return _keep(
        outcomes,
        lambda index: any(entity == node for node, _, _ in meanings[index].named),
        lambda outcome: outcome.by_paths or any(reach.topic == entity for reach in outcome.reaches),
    )


def _keep(
    outcomes: Sequence[CandidateOutcome],
    by_program: Callable[[int], bool],
    by_paths: Callable[[CandidateOutcome], bool],
) -> list[CandidateOutcome]:
    kept = []
    for outcome in outcomes:
        outcome.programs = [index for index in outcome.programs if by_program(index)]
        if outcome.programs or by_paths(outcome):
            kept.append(outcome)
    return kept


def find_silent_names(question: Question, linked: Linked) -> tuple[int, ...]:
    """Find the entities whose names are capitalised words that otherwise say nothing: "The Who"."""
    if not question.has_case:
        return ()
    entities: list[int] = []
    for entity in linked.entities:
        inside = [word for word in question.mention_words if entity.start <= word.start and word.end <= entity.end]
        if inside and entity.score == 1.0 and all(word.capital and word.text in STOP_WORDS for word in inside):
            entities.append(entity.entity.id)
    return tuple(entities)


def find_unread_arguments(question: Question, read: Understanding, snapshot: Snapshot) -> tuple[MentionSpan, ...]:
    """Find names in small letters: unknown words where the argument of a relation stands that no program reads.

    Args:
        question: as asked, without capitals; nothing is found in others, whose names are told by capitals.
        read: what it may mean.
        snapshot: the graph, whose words are known.
    """
    if question.has_case or not read.meanings:
        return ()
    unread = set(read.meanings[0].unread)
    for meaning in read.meanings[1:]:
        unread &= set(meaning.unread)
    names: list[MentionSpan] = []
    for word in question.mention_words:
        known = (word.start, word.end) not in unread or word.text in STOP_WORDS or not word.text.isalpha()
        if known or snapshot.labels.count_names(word.text):
            continue
        if any(cue.start < word.end and word.start < cue.end for cue in question.cues):
            continue
        if names and question.text[names[-1].end : word.start] == " ":
            names[-1] = MentionSpan(names[-1].start, word.end, question.text[names[-1].start : word.end])
        elif _ARGUMENT.search(question.text[: word.start]) or _OWNER.match(question.text, word.end):
            names.append(MentionSpan(word.start, word.end, question.text[word.start : word.end]))
    return tuple(name for name in names if _ENDS.match(question.text, name.end))
