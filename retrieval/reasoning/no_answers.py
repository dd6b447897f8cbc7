"""What a run without an answer says: what is missing, and what to try next."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from retrieval.linking.stems import extract_stems
from retrieval.reasoning.base import Evidence
from retrieval.results import NoAnswer, NoAnswerReason
from retrieval.types import LinkedEntity

#: Topics that a message names.
_NAMED = 3


#: Relations of a topic that a hint names.
_KNOWN = 6


_CLOSEST = "The paths shown are the closest ones; ask about one of their relations."


def explain_not_linked(unmatched: Sequence[str], near: Sequence[str], *, has_names: bool = True) -> NoAnswer:
    """Nothing in the question is an entity of this graph; ``has_names``: whether any node of it has a name."""
    if not has_names:
        return NoAnswer(
            NoAnswerReason.ENTITY_NOT_LINKED,
            "No node of this graph has a name, so that no question can name one.",
            "Build the graph with names for its nodes, or choose a node by its id.",
        )
    phrases = ", ".join(f"“{phrase}”" for phrase in unmatched)
    message = (
        f"{phrases} {'is' if len(unmatched) == 1 else 'are'} not in the graph."
        if phrases
        else "The question names no entity of this graph."
    )
    hint = "Check the spelling, choose the entity by hand, or pick another graph."
    return NoAnswer(NoAnswerReason.ENTITY_NOT_LINKED, message, hint, near=tuple(near))


def explain_no_path(entities: Sequence[LinkedEntity]) -> NoAnswer:
    """The topics are known and nothing leads from them to an answer."""
    labels = [linked.entity.label for linked in entities[:_NAMED]]
    labels += [f"{len(entities) - _NAMED} others"] if len(entities) > _NAMED else []
    names = " and ".join(labels)
    return NoAnswer(
        NoAnswerReason.NO_PATH,
        f"No path leads from {names} to an answer.",
        "Look at the entity in the graph: it may have no facts yet, or mean another entity of that name.",
    )


def explain_nothing_shared(entities: Sequence[LinkedEntity]) -> NoAnswer:
    """What was asked leads somewhere from each topic, and nowhere in common."""
    names = " and ".join(linked.entity.label for linked in entities)
    return NoAnswer(
        NoAnswerReason.NO_PATH,
        f"Nothing in the graph fits {names} together.",
        "The chains show what each of them leads to.",
    )


def explain_not_in_graph(evidence: Evidence) -> NoAnswer:
    """No relation of the graph fits what was asked; what is known instead is said of a single topic."""
    names = " and ".join(linked.entity.label for linked in evidence.entities)
    phrase = _find_asked_phrase(evidence)
    description = f"“{phrase}” of {names}" if phrase else f"what was asked about {names}"
    return NoAnswer(
        NoAnswerReason.NOT_IN_GRAPH,
        f"The graph does not seem to hold {description}.",
        _describe_relations(evidence) or _CLOSEST,
    )


def _find_asked_phrase(evidence: Evidence) -> str:
    """The longest stretch of words that carry meaning and name no topic."""
    text = list(evidence.question.text)
    for linked in evidence.entities:
        text[linked.start : linked.end] = "\n" * max(0, linked.end - linked.start)
    stretches: list[list[str]] = [[]]
    masked = re.sub(r"\n['’]s\b", "\n", "".join(text))
    for word in re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]|\n", masked):
        if word[0].isalnum() and extract_stems(word):
            stretches[-1].append(word)
        else:
            stretches.append([])
    return " ".join(sorted(stretches, key=len)[-1])


def _describe_relations(evidence: Evidence) -> str:
    """The relations of the only topic, as a hint."""
    if len(evidence.entities) != 1:
        return ""
    topic, snapshot = evidence.entities[0].entity, evidence.snapshot
    low, high = snapshot.out_offsets[topic.id], snapshot.out_offsets[topic.id + 1]
    relations, counts = np.unique(snapshot.relations[low:high], return_counts=True)
    labels = [snapshot.get_relation_label(int(relations[n])) for n in np.argsort(-counts, kind="stable")]
    if not labels:
        return ""
    more = f" and {len(labels) - _KNOWN} more" if len(labels) > _KNOWN else ""
    return f"It knows of {topic.label}: {', '.join(labels[:_KNOWN])}{more}."
