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
from retrieval.methods._shared.arc_groups import arcs_at, groups
from retrieval.text.questions import OTHER, TOPIC

#: Ways to say what something is to X, by the relation's name, walked forward from X and against the fact.
_FORWARD = (f"the {{}} of {TOPIC}", f"{TOPIC}'s {{}}", f"what {TOPIC} {{}}")
_BACKWARD = (f"those {{}} {TOPIC}", f"what has {{}} {TOPIC}", f"those whose {{}} is {TOPIC}")
_TOPIC = re.compile(rf"(?<!\w)(?:the )?{TOPIC}(?!\w)", re.IGNORECASE)
_OTHER = re.compile(rf"(?<!\w){OTHER}(?!\w)")
_LITERAL = KINDS.index("literal")
#: Examples looked at for each question wanted; some cannot be lengthened.
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A question seen from its topic, with the relation path that answers it."""

    text: str
    topic: int
    path: tuple[int, ...]


def compose(
    snapshot: Snapshot, asked: Sequence[Asked], count: int, *, longest: int, rng: np.random.Generator
) -> list[Asked]:
    """At most ``count`` questions, each of another one and a fact that leads to its topic.

    Args:
        snapshot: the graph.
        asked: what is made longer: ``text`` names the topic ``X``, and no other topic.
        count: questions wanted; fewer come of graphs and questions that do not give them.
        longest: relations of a path, at most.
        rng: of questions, facts and words.
    """
    usable = [
        one
        for one in asked
        if len(one.path) < longest and _TOPIC.search(one.text) and not _OTHER.search(one.text)
    ]
    found: dict[Asked, None] = {}
    for index in _draws(len(usable), _TRIES * count, rng):
        if len(found) >= count:
            break
        one = usable[index]
        step = _step_to(snapshot, one, rng)
        if step is None:
            continue
        source, relation = step
        before, after = _TOPIC.split(one.text, maxsplit=1)
        text = f"{before}{_named(snapshot, relation, rng)}{after}"
        found[Asked(text, source, (relation, *one.path))] = None
    return list(found)


def _draws(size: int, count: int, rng: np.random.Generator) -> list[int]:
    """``count`` indices below ``size``, each about as often as any other."""
    if not size:
        return []
    rounds = -(-count // size)
    return [int(i) for _ in range(rounds) for i in rng.permutation(size)][:count]


def _step_to(snapshot: Snapshot, one: Asked, rng: np.random.Generator) -> tuple[int, int] | None:
    """An entity and the directed relation that leads from it to the topic; every relation is as likely."""
    total = snapshot.num_relations
    _, leaving, starts, sizes = groups(snapshot, np.array([one.topic], np.int64))
    # The way back over the fact that the path takes first asks for what the question began with.
    usable = np.flatnonzero(leaving != one.path[0])
    if not len(usable):
        return None
    group = int(rng.choice(usable))
    position = starts[group : group + 1] + int(rng.integers(sizes[group]))
    _, target = arcs_at(snapshot, position, leaving[group : group + 1])
    source = int(target[0])
    if source == one.topic or snapshot.kinds[source] == _LITERAL:
        return None
    return source, int((leaving[group] + total) % (2 * total))


def _named(snapshot: Snapshot, relation: int, rng: np.random.Generator) -> str:
    total = snapshot.num_relations
    ways = _FORWARD if relation < total else _BACKWARD
    return ways[int(rng.integers(len(ways)))].format(snapshot.relation_label(relation % total))
