"""Questions of relation paths that no training question has, made of those that some have.

A question asks about its topic; English may say instead of a name what the topic is to something else: "which
awards did X win" becomes "which awards did the directed by of X win", asked of a film that its topic directed, with
one more relation at the front of its path. A model that has only seen the paths of its training set learns where
each of them ends, and stops there when a question asks for more; these teach it to read on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.kg.snapshot import KINDS, Snapshot
from retrieval.linking.questions import OTHER, TOPIC
from retrieval.methods.common.arc_groups import get_arcs_at, list_groups

#: Ways to say what something is to X, by the relation's name, walked forward from X and against the fact.
_FORWARD = (f"the {{}} of {TOPIC}", f"{TOPIC}'s {{}}", f"what {TOPIC} {{}}")
_BACKWARD = (f"those {{}} {TOPIC}", f"what has {{}} {TOPIC}", f"those whose {{}} is {TOPIC}")
_TOPIC = re.compile(rf"(?<!\w)(?:the )?{TOPIC}(?!\w)", re.IGNORECASE)
_OTHER = re.compile(rf"(?<!\w){OTHER}(?!\w)")
_LITERAL = KINDS.index("literal")
#: Examples looked at for each question wanted; some cannot be lengthened.
_TRIES = 4


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """A question seen from its topic, with the relation path that answers it."""

    text: str
    topic: int
    path: tuple[int, ...]


def generate_composed_questions(
    snapshot: Snapshot,
    questions: Sequence[TopicQuestion],
    count: int,
    *,
    longest: int,
    rng: np.random.Generator,
) -> list[TopicQuestion]:
    """At most ``count`` questions, each of another one and a fact that leads to its topic.

    Args:
        questions: what is made longer: ``text`` names the topic ``X``, and no other topic.
        count: questions wanted; fewer come of graphs and questions that do not give them.
        longest: relations of a path, at most.
    """
    usable = [
        question
        for question in questions
        if len(question.path) < longest and _TOPIC.search(question.text) and not _OTHER.search(question.text)
    ]
    composed: dict[TopicQuestion, None] = {}
    for index in _sample_indices(len(usable), _TRIES * count, rng):
        if len(composed) >= count:
            break
        question = usable[index]
        step = _sample_step_to(snapshot, question, rng)
        if step is None:
            continue
        source, relation = step
        before, after = _TOPIC.split(question.text, maxsplit=1)
        text = f"{before}{_render_relation(snapshot, relation, rng)}{after}"
        composed[TopicQuestion(text, source, (relation, *question.path))] = None
    return list(composed)


def _sample_indices(size: int, count: int, rng: np.random.Generator) -> list[int]:
    """``count`` indices below ``size``, each about as often as any other."""
    if not size:
        return []
    rounds = -(-count // size)
    return [int(i) for _ in range(rounds) for i in rng.permutation(size)][:count]


def _sample_step_to(snapshot: Snapshot, question: TopicQuestion, rng: np.random.Generator) -> tuple[int, int] | None:
    """An entity and the directed relation that leads from it to the topic; every relation is as likely."""
    total = snapshot.num_relations
    _, leaving, starts, sizes = list_groups(snapshot, np.array([question.topic], np.int64))
    # The way back over the fact that the path takes first asks for what the question began with.
    usable = np.flatnonzero(leaving != question.path[0])
    if not len(usable):
        return None
    group = int(rng.choice(usable))
    position = starts[group : group + 1] + int(rng.integers(sizes[group]))
    _, target = get_arcs_at(snapshot, position, leaving[group : group + 1])
    source = int(target[0])
    if source == question.topic or snapshot.kinds[source] == _LITERAL:
        return None
    return source, int((leaving[group] + total) % (2 * total))


def _render_relation(snapshot: Snapshot, relation: int, rng: np.random.Generator) -> str:
    total = snapshot.num_relations
    ways = _FORWARD if relation < total else _BACKWARD
    return ways[int(rng.integers(len(ways)))].format(snapshot.get_relation_label(relation % total))
