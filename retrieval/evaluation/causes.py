"""Why a question was not answered rightly: which stage lost the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.evaluation.coverage import resolve_topics
from retrieval.evaluation.outcomes import Outcome
from retrieval.kg import search
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.metrics.scores import QuestionScore

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

#: In the order of the stages. ``failed`` is an error; the others are answers that were lost.
CAUSES = ("linking", "candidates", "retrieval", "reasoning", "failed")
#: How far an answer may be from its topics to be a candidate, and how many facts are looked through for it.
HOPS, FACTS = 4, 50_000


def find_cause(outcome: Outcome, scores: QuestionScore, snapshot: Snapshot) -> str | None:
    """The first stage at which a right answer was lost; None where the question was answered rightly.

    - ``linking``: the question names topic entities, and not all of those that the graph has were asked from.
    - ``candidates``: no answer that is missing lies within four hops of the topics, or in the question's own subgraph.
    - ``retrieval``: some answer that is missing is in no retrieved fact.
    - ``reasoning``: all of them are; or only wrong answers were added; or there should have been none;
      or the answer had to be computed.
    """
    if outcome.error is not None:
        return "failed"
    if scores.exact:
        return None
    question = outcome.question
    topics = resolve_topics(snapshot, question)
    linked_topics = {normalize_name(label) for label in outcome.topics}
    if question.topic_entities and not {normalize_name(snapshot.get_entity_label(t)) for t in topics} <= linked_topics:
        return "linking"
    if question.topic_entities and not topics:
        return "linking"
    predicted = {normalize_name(label) for label, _ in outcome.predicted}
    missing = {normalize_name(label) for label in question.answers} - predicted
    if not missing:
        return "reasoning"
    retrieved = {normalize_name(label) for head, _, tail in outcome.facts for label in (head, tail)}
    if missing <= retrieved:
        return "reasoning"
    if question.operators and not any(snapshot.labels.resolve(label) for label in question.answers):
        return "reasoning"  # it had to be computed
    return "retrieval" if missing & (retrieved | _find_reachable(outcome, topics, snapshot)) else "candidates"


def _find_reachable(outcome: Outcome, topics: tuple[int, ...], snapshot: Snapshot) -> set[str]:
    """Names that could have been retrieved, normalised."""
    question = outcome.question
    if outcome.own_facts is not None:
        return {normalize_name(label) for head, _, tail in question.triples for label in (head, tail)}
    wanted = {entity: label for label in question.answers if (entity := snapshot.labels.resolve(label)) is not None}
    if not wanted:
        return set()
    starts = topics or tuple(
        entity for label in outcome.topics if (entity := snapshot.labels.resolve(label)) is not None
    )
    near = search.collect_k_hop(snapshot, starts, HOPS, max_triples=FACTS)
    inside = set(near.entities.tolist())
    return {normalize_name(label) for entity, label in wanted.items() if entity in inside or near.truncated}
