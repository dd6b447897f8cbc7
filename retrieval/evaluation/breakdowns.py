"""The metrics of groups of questions: by hops, topic entities, answers, operators, and distance from training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.evaluation.causes import FACTS, HOPS
from retrieval.evaluation.coverage import resolve_topics
from retrieval.evaluation.outcomes import Outcome
from retrieval.kg import search
from retrieval.kg.snapshot.restriction import RestrictedSnapshot, find_facts
from retrieval.metrics.scores import QuestionScore
from retrieval.supervision.distribution_shift import LEVELS, Shift

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

#: Upper ends of the groups of answer-set sizes.
_ANSWERS = (0, 1, 4, 9, 49)
UNKNOWN = "unknown"

Metrics = Callable[[Sequence[QuestionScore]], dict[str, float | None]]


def compute_breakdowns(
    outcomes: Sequence[Outcome],
    scores: Sequence[QuestionScore],
    metrics: Metrics,
    shift: Shift | None,
    snapshot: Snapshot,
) -> dict[str, dict[str, dict[str, Any]]]:
    """For each way to group, each group's size ``n`` and metrics; groups in their natural order.

    ``hops``: as the question set says, else how far the nearest answer is from the nearest topic
    (:func:`compute_hops`); the latter is not always what is asked. ``topics``: topic entities that the question names,
    else that were linked. ``answers``: size of the answer set. ``shift`` and ``shift_of_relations``: see
    :class:`Shift`; only there when what was seen in training is known. ``route``: the method that a router chose; only
    there when one did. ``operators``: what a question needs, as its set says; only there when some do, and a question
    that needs several counts in each. A question that cannot be grouped is left out of ``hops``, ``operators`` and
    ``route``, and is ``unknown`` in the shifts.
    """
    keys: dict[str, Callable[[Outcome], Sequence[str]]] = {
        "hops": lambda o: () if (hops := compute_hops(o, snapshot)) is None else (str(hops),),
        "topics": lambda o: (label_topic_count(o),),
        "answers": lambda o: (label_answer_count(o),),
    }
    if any(outcome.question.operators for outcome in outcomes):
        keys["operators"] = lambda o: tuple(dict.fromkeys(o.question.operators))
    if any(outcome.route for outcome in outcomes):
        keys["route"] = lambda o: () if o.route is None else (o.route,)
    if shift is not None:
        keys["shift"] = lambda o: (shift.measure_level(o.question) or UNKNOWN,)
        keys["shift_of_relations"] = lambda o: (shift.measure_relation_level(o.question) or UNKNOWN,)
    figures = {}
    for name, key in keys.items():
        groups: dict[str, list[QuestionScore]] = {}
        for outcome, score in zip(outcomes, scores, strict=True):
            for group in key(outcome):
                groups.setdefault(group, []).append(score)
        figures[name] = {g: {"n": len(groups[g]), **metrics(groups[g])} for g in sorted(groups, key=_get_group_order)}
    return figures


def compute_hops(outcome: Outcome, snapshot: Snapshot) -> int | None:
    """Hops that a question is asked over: its set's word, else the shortest distance from a topic to an answer.

    None where neither is known: no topic or answer is in the graph, or none within four hops and 50,000 facts.
    """
    question = outcome.question
    if question.hops is not None:
        return question.hops
    topics = resolve_topics(snapshot, question) or tuple(
        entity for label in outcome.topics if (entity := snapshot.labels.resolve(label)) is not None
    )
    entities = (snapshot.labels.resolve(label) for label in question.answers)
    answers = {entity for entity in entities if entity is not None}
    if not topics or not answers:
        return None
    graph = snapshot
    if outcome.own_facts is not None:
        graph = RestrictedSnapshot(snapshot, find_facts(snapshot, question.triples).facts)
    for hops in range(HOPS + 1):
        if answers & set(search.collect_k_hop(graph, topics, hops, max_triples=FACTS).entities.tolist()):
            return hops
    return None


def label_topic_count(outcome: Outcome) -> str:
    """``0``, ``1``, ``2`` or ``3+``."""
    count = len(dict.fromkeys(outcome.question.topic_entities)) or len(outcome.topics)
    return str(count) if count < 3 else "3+"


def label_answer_count(outcome: Outcome) -> str:
    """``0``, ``1``, ``2-4``, ``5-9``, ``10-49`` or ``50+``."""
    count, low = len(outcome.question.answers), 0
    for high in _ANSWERS:
        if count <= high:
            return str(high) if low == high else f"{low}-{high}"
        low = high + 1
    return f"{low}+"


def _get_group_order(group: str) -> tuple[int, int, str]:
    """Numbers by size, then levels from near to far, then the rest."""
    digits = group.rstrip("+").split("-")[0]
    if digits.isdigit():
        return 0, int(digits), group
    return 1, [*LEVELS, UNKNOWN].index(group) if group in (*LEVELS, UNKNOWN) else len(LEVELS) + 1, group
