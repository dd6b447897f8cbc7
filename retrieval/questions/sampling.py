"""Questions made from a graph itself, to see at once what it can be asked: a walk, its answers, and words for it.

The words come from the relations' names (:mod:`retrieval.questions.wording`); the answers are exact. Relations that
make no sentence are not asked, nor is anything asked of numbers, dates, identifiers and nodes without a name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retrieval.kg.search.neighbours import list_neighbours
from retrieval.kg.search.walks import RelationPath, compute_trace, execute, get_arc_ends
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot import open as open_snapshot
from retrieval.questions.wording import WordedStep, parse_form, write_question
from retrieval.types import QuestionRecord

#: A question of more answers is no question that a person asks, and one longer is no question that is read.
MAX_ANSWERS = 20
_LONGEST = 300
#: Gold paths given with a question.
_PATHS = 20
#: Relations of an entity that a walk may go on by, most frequent first.
_GROUPS = 30
#: Walks that are begun for each question that is wanted, before giving up.
_TRIES = 60
#: Of so many facts drawn, the walk begins at the best-connected entity.
_DRAWN = 3
_KNOWN_ENOUGH = 50
_VALUE = re.compile(r"^[\W\d_]*\d[\W\d_]*([a-z%]{1,9}[23²³]?(/[a-z²³2]+)?)?$", re.IGNORECASE)
_IDENTIFIER = re.compile(r"^([mg]\.|/[mg]/)\w+$|^[QP]\d+$|://|^[0-9a-f-]{16,}$", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]{2}")
_NAME_LONGEST = 60


def sample_questions(
    snapshot: Snapshot, n: int, seed: int = 0, *, hops: Sequence[int] = (1, 2, 3)
) -> list[QuestionRecord]:
    """Questions from walks of the graph, as many of each length as can be, each with its paths and all its answers.

    Args:
        n: how many; fewer come back where the graph is small.
        seed: same graph, same seed, same questions.
        hops: lengths of the walks.

    Returns:
        Questions with distinct ids and texts; none has an answer without a name.
    """
    if not snapshot.num_triples or not hops:
        return []
    random_ = random.Random(seed)
    questions: dict[str, QuestionRecord] = {}
    for turn in range(_TRIES * n):
        if len(questions) == n:
            break
        # The next length, unless it was tried in vain for long: small graphs have no long walks.
        length = hops[(len(questions) + turn // _TRIES) % len(hops)]
        walk = _walk(snapshot, random_, length)
        if walk is None:
            continue
        made = _write_question(snapshot, *walk, name=f"sample-{seed}-{len(questions) + 1}")
        if made is not None:
            questions.setdefault(made.question, made)
    return list(questions.values())


def sample_of(path: Path, n: int, seed: int, hops: Sequence[int]) -> list[QuestionRecord]:
    """:func:`sample_questions` of the snapshot in a directory, for a process of its own."""
    return sample_questions(open_snapshot(path), n, seed, hops=hops)


def _is_askable(snapshot: Snapshot, entity: int) -> bool:
    """Whether people would ask about it: no number, date, identifier or node without a name."""
    name = snapshot.get_entity_label(entity)
    return (
        snapshot.get_kind(entity) == "entity"
        and len(name) <= _NAME_LONGEST
        and _NAME.search(name) is not None
        and not _VALUE.match(name)
        and not _IDENTIFIER.search(name)
    )


def _draw_start(snapshot: Snapshot, random_: random.Random) -> tuple[int, int, bool]:
    """A fact to begin with: where the walk starts, the fact, and whether it is walked backward."""
    drawn = []
    for _ in range(_DRAWN):
        fact, inverse = random_.randrange(snapshot.num_triples), random_.random() < 0.5
        drawn.append((int((snapshot.tails if inverse else snapshot.heads)[fact]), fact, inverse))
    return max(drawn, key=lambda start: min(snapshot.get_degree(start[0]), _KNOWN_ENOUGH))


def _walk(snapshot: Snapshot, random_: random.Random, length: int) -> tuple[int, RelationPath] | None:
    """A topic with a name and a relation path from it; never straight back the way it came."""
    start, fact, inverse = _draw_start(snapshot, random_)
    if not _is_askable(snapshot, start):
        return None
    steps = [(int(snapshot.relations[fact]), inverse)]
    entity = int((snapshot.heads if inverse else snapshot.tails)[fact])
    while len(steps) < length:
        if snapshot.get_kind(entity) != "cvt" and not _is_askable(snapshot, entity):
            return None  # years and numbers join what has nothing to do with each other
        groups = [
            group
            for group in list_neighbours(snapshot, entity, limit=0).groups[:_GROUPS]
            if ((group.relation, group.inverse) != (steps[-1][0], not steps[-1][1]) or group.count > 1)
            and parse_form(snapshot.get_relation_label(group.relation)) is not None
        ]
        if not groups:
            return None
        group = random_.choice(groups)
        page = list_neighbours(
            snapshot,
            entity,
            group.relation,
            "in" if group.inverse else "out",
            limit=1,
            offset=random_.randrange(group.count),
        )
        entity = int(get_arc_ends(snapshot, page.arcs)[2][0])
        steps.append((group.relation, group.inverse))
    return start, tuple(steps)


def _write_question(snapshot: Snapshot, topic: int, path: RelationPath, *, name: str) -> QuestionRecord | None:
    """The question of a walk; None where it cannot be worded, or its answers are too many, nameless or its topic."""
    levels = execute(snapshot, [topic], path)
    answers = levels[-1]
    if not 0 < len(answers) <= MAX_ANSWERS or topic in answers:
        return None
    if any(
        snapshot.get_kind(int(e)) == "cvt" or _IDENTIFIER.search(snapshot.get_entity_label(int(e))) for e in answers
    ):
        return None
    steps = _list_steps(snapshot, path, levels)
    text = write_question(snapshot.get_entity_label(topic), steps) if steps else None
    if text is None or len(text) > _LONGEST:
        return None
    return QuestionRecord(
        id=name,
        question=text,
        topic_entities=(snapshot.get_entity_label(topic),),
        answers=tuple(snapshot.get_entity_label(int(e)) for e in answers),
        paths=tuple(_list_paths(snapshot, topic, path, answers)),
        relation_paths=(tuple(snapshot.get_relation_name(relation) for relation, _ in path),),
        hops=len(path),
    )


def _list_steps(snapshot: Snapshot, path: RelationPath, levels: Sequence[np.ndarray]) -> list[WordedStep]:
    """The steps as they are worded: one through a node without a name is told by the step that leaves it."""
    steps: list[WordedStep] = []
    through = False
    for number, ((relation, inverse), level) in enumerate(zip(path, levels, strict=True)):
        last = number == len(path) - 1
        if through and inverse:
            return []
        through = not last and snapshot.get_kind(int(level[0])) == "cvt"
        if not last and not through and not all(_is_askable(snapshot, int(e)) for e in level[:MAX_ANSWERS]):
            return []
        if not through:
            steps.append(WordedStep(snapshot.get_relation_label(relation), inverse, len(level) > 1))
    return steps


def _list_paths(
    snapshot: Snapshot, topic: int, path: RelationPath, answers: np.ndarray
) -> Iterator[tuple[tuple[str, str, str], ...]]:
    """The walks behind the answers as facts, at most ``_PATHS``."""
    steps = compute_trace(snapshot, [topic], path, answers).arcs
    arcs = [
        [(int(a), int(s), int(t)) for a, s, t in zip(step, *_get_ends(snapshot, step), strict=True)] for step in steps
    ]
    count = 0
    ways: list[tuple[int, tuple[int, ...]]] = [(topic, ())]
    while ways and count < _PATHS:
        entity, walked = ways.pop()
        if len(walked) == len(arcs):
            count += 1
            yield tuple(_get_fact(snapshot, arc) for arc in walked)
            continue
        ways += [(target, (*walked, arc)) for arc, source, target in reversed(arcs[len(walked)]) if source == entity]


def _get_ends(snapshot: Snapshot, arcs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sources, _, targets = get_arc_ends(snapshot, arcs)
    return sources, targets


def _get_fact(snapshot: Snapshot, arc: int) -> tuple[str, str, str]:
    fact = arc % snapshot.num_triples
    head, relation, tail = (int(column[fact]) for column in (snapshot.heads, snapshot.relations, snapshot.tails))
    return (
        snapshot.get_entity_label(head),
        snapshot.get_relation_name(relation),
        snapshot.get_entity_label(tail),
    )
