"""Questions made from a graph itself, to see at once what it can be asked: a walk, its answers, and words for it.

The words come from the relations' labels alone, so they are stiff; the answers are exact.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot import open as open_snapshot
from retrieval.kg.walks import RelationPath, arc_ends, execute, neighbours, trace
from retrieval.types import Question

#: A question of more answers is no question that a person asks, and one longer is no question that is read.
MAX_ANSWERS = 20
_LONGEST = 300
#: Gold paths given with a question.
_PATHS = 20
#: Relations of an entity that a walk may go on by, most frequent first.
_GROUPS = 30
#: Walks that are begun for each question that is wanted, before giving up.
_TRIES = 60
_PREPOSITIONS = ("in", "at", "of", "to", "from", "on", "with", "for", "by")


def sample_questions(
    snapshot: Snapshot, n: int, seed: int = 0, *, hops: Sequence[int] = (1, 2, 3)
) -> list[Question]:
    """Questions from walks of the graph, as many of each length as can be, each with its paths and all its answers.

    Args:
        snapshot: the graph.
        n: how many; fewer come back where the graph is small.
        seed: same graph, same seed, same questions.
        hops: lengths of the walks.

    Returns:
        Questions with distinct ids and texts; none has an answer without a name.
    """
    if not snapshot.num_triples or not hops:
        return []
    random_ = random.Random(seed)
    found: dict[str, Question] = {}
    for turn in range(_TRIES * n):
        if len(found) == n:
            break
        # The next length, unless it was tried in vain for long: small graphs have no long walks.
        length = hops[(len(found) + turn // _TRIES) % len(hops)]
        walk = _walk(snapshot, random_, length)
        if walk is None:
            continue
        question = _question(snapshot, *walk, name=f"sample-{seed}-{len(found) + 1}")
        if question is not None:
            found.setdefault(question.question, question)
    return list(found.values())


def sample_of(path: Path, n: int, seed: int, hops: Sequence[int]) -> list[Question]:
    """:func:`sample_questions` of the snapshot in a directory, for a process of its own."""
    return sample_questions(open_snapshot(path), n, seed, hops=hops)


def _walk(snapshot: Snapshot, random_: random.Random, length: int) -> tuple[int, RelationPath] | None:
    """A topic with a name and a relation path from it; never straight back the way it came."""
    fact = random_.randrange(snapshot.num_triples)
    inverse = random_.random() < 0.5
    start = int((snapshot.tails if inverse else snapshot.heads)[fact])
    if snapshot.kind(start) != "entity":
        return None
    steps = [(int(snapshot.relations[fact]), inverse)]
    at = int((snapshot.heads if inverse else snapshot.tails)[fact])
    while len(steps) < length:
        if snapshot.kind(at) == "literal":
            return None  # years and numbers join what has nothing to do with each other
        groups = [
            group
            for group in neighbours(snapshot, at, limit=0).groups[:_GROUPS]
            if (group.relation, group.inverse) != (steps[-1][0], not steps[-1][1]) or group.count > 1
        ]
        if not groups:
            return None
        group = random_.choice(groups)
        page = neighbours(
            snapshot,
            at,
            group.relation,
            "in" if group.inverse else "out",
            limit=1,
            offset=random_.randrange(group.count),
        )
        at = int(arc_ends(snapshot, page.arcs)[2][0])
        steps.append((group.relation, group.inverse))
    return start, tuple(steps)


def _question(snapshot: Snapshot, topic: int, path: RelationPath, *, name: str) -> Question | None:
    """The question of a walk; None where its answers are too many, nameless, or its words too long."""
    levels = execute(snapshot, [topic], path)
    answers = levels[-1]
    if not 0 < len(answers) <= MAX_ANSWERS or any(snapshot.kind(int(e)) == "cvt" for e in answers):
        return None
    text = wording(snapshot.entity_label(topic), [_label(snapshot, step) for step in path])
    if len(text) > _LONGEST:
        return None
    return Question(
        id=name,
        question=text,
        topic_entities=(snapshot.entity_label(topic),),
        answers=tuple(snapshot.entity_label(int(e)) for e in answers),
        paths=tuple(_paths(snapshot, topic, path, answers)),
        relation_paths=(tuple(snapshot.relation_name(relation) for relation, _ in path),),
        hops=len(path),
    )


def _label(snapshot: Snapshot, step: tuple[int, bool]) -> tuple[str, bool]:
    return snapshot.relation_label(step[0]), step[1]


def _paths(
    snapshot: Snapshot, topic: int, path: RelationPath, answers: np.ndarray
) -> Iterator[tuple[tuple[str, str, str], ...]]:
    """The walks behind the answers as facts, at most ``_PATHS``."""
    steps = trace(snapshot, [topic], path, answers).arcs
    arcs = [
        [(int(a), int(s), int(t)) for a, s, t in zip(step, *_ends(snapshot, step), strict=True)]
        for step in steps
    ]
    given = 0
    ways: list[tuple[int, tuple[int, ...]]] = [(topic, ())]
    while ways and given < _PATHS:
        at, walked = ways.pop()
        if len(walked) == len(arcs):
            given += 1
            yield tuple(_fact(snapshot, arc) for arc in walked)
            continue
        ways += [
            (target, (*walked, arc)) for arc, source, target in reversed(arcs[len(walked)]) if source == at
        ]


def _ends(snapshot: Snapshot, arcs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sources, _, targets = arc_ends(snapshot, arcs)
    return sources, targets


def _fact(snapshot: Snapshot, arc: int) -> tuple[str, str, str]:
    fact = arc % snapshot.num_triples
    head, relation, tail = (
        int(column[fact]) for column in (snapshot.heads, snapshot.relations, snapshot.tails)
    )
    return snapshot.entity_label(head), snapshot.relation_name(relation), snapshot.entity_label(tail)


def wording(topic: str, steps: Sequence[tuple[str, bool]]) -> str:
    """Words for a walk from ``topic`` along (label, inverse) steps.

    ``directed by`` reads "What is Jaws directed by?", ``official language`` "What is the official language of
    Austria?", ``has part`` "Which part does it have?"; backward "What is directed by Spielberg?". Steps on the way
    become "those directed by Spielberg".
    """
    inner = topic
    for label, inverse in steps[:-1]:
        inner = _phrase(label, inverse, inner)
    label, inverse = steps[-1]
    form, rest = _form(label)
    many = inner.startswith("those ")
    if form == "preposition":
        return f"What is {label} {inner}?" if inverse else f"What {'are' if many else 'is'} {inner} {label}?"
    if form == "has":
        return (
            f"What has the {rest} {inner}?"
            if inverse
            else f"Which {rest} {'do' if many else 'does'} {inner} have?"
        )
    if inverse:
        return f"What has {inner} as {label}?"
    return f"What {'are' if _plural(label) else 'is'} the {label} of {inner}?"


def _phrase(label: str, inverse: bool, of: str) -> str:
    """What a step reaches, as part of a question."""
    form, rest = _form(label)
    if form == "preposition":
        be = "are" if of.startswith("those ") else "is"
        return f"those {label} {of}" if inverse else f"those that {of} {be} {label}"
    if form == "has":
        return f"those with the {rest} {of}" if inverse else f"the {rest} of {of}"
    return f"those with {of} as {label}" if inverse else f"the {label} of {of}"


def _plural(label: str) -> bool:
    last = label.rsplit(maxsplit=1)[-1].lower()
    return last.endswith("s") and not last.endswith(("ss", "us", "is"))


def _form(label: str) -> tuple[str, str]:
    """How a relation's label is used in a sentence, and what is left of it there."""
    words = label.split()
    if len(words) > 1 and words[0] in ("has", "have"):
        return "has", " ".join(words[1:])
    if len(words) > 1 and (words[-1] in _PREPOSITIONS or words[0] in _PREPOSITIONS):
        return "preposition", label
    return "noun", label
