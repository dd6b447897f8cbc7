"""How much of a question set a graph knows, and a refusal where that is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import EvaluationError
from retrieval.kg.snapshot.restriction import find_facts
from retrieval.metrics.values import is_value
from retrieval.types import QuestionRecord

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.passages import PassageTable


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the graph lacks of a question set.

    Attributes:
        topics_missing: of those, how many name one that the graph lacks.
        no_topic: of those, how many name none that the graph has; the linker stands in.
        answers_missing: of those, how many have an answer that the graph lacks: their whole set cannot be found.
        no_answer: of those, how many have no answer that the graph has.
    """

    questions: int = 0
    with_topics: int = 0
    topics_missing: int = 0
    no_topic: int = 0
    with_answers: int = 0
    answers_missing: int = 0
    no_answer: int = 0


def resolve_topics(snapshot: Snapshot, question: QuestionRecord) -> tuple[int, ...]:
    """Entities of the question's topics that the graph holds, in order, each once."""
    entities = [snapshot.labels.resolve(label) for label in dict.fromkeys(question.topic_entities)]
    return tuple(dict.fromkeys(entity for entity in entities if entity is not None))


def filter_answerable(
    snapshot: Snapshot, questions: Sequence[QuestionRecord], *, subgraphs: str = "own"
) -> list[QuestionRecord]:
    """The questions of which some answer is in the graph: the papers' -sub sets (ReG Tables 2 and 3).

    Args:
        subgraphs: ``own``: in the question's own subgraph, where it brings one; ``whole``: in the graph.

    Raises:
        EvaluationError: none is left.
    """

    def has_answer(question: QuestionRecord) -> bool:
        resolve = snapshot.labels.resolve
        answers = {entity for label in question.answers if (entity := resolve(label)) is not None}
        if question.triples and subgraphs == "own":
            facts = find_facts(snapshot, question.triples).facts
            return bool(answers & {*snapshot.heads[facts].tolist(), *snapshot.tails[facts].tolist()})
        return bool(answers)

    selected = [question for question in questions if has_answer(question)]
    if not selected:
        raise EvaluationError(
            f"None of the {len(questions):,} questions has an answer in the graph.",
            hint="Give a question set of this graph, or leave the filter of answers out.",
        )
    return selected


def measure(snapshot: Snapshot, questions: Sequence[QuestionRecord]) -> Coverage:
    """Count what the graph lacks."""
    resolve = snapshot.labels.resolve
    topics = [[resolve(name) for name in q.topic_entities] for q in questions if q.topic_entities]
    answers = [[resolve(name) for name in q.answers] for q in questions if q.answers]
    return Coverage(
        questions=len(questions),
        with_topics=len(topics),
        topics_missing=sum(None in entities for entities in topics),
        no_topic=sum(set(entities) == {None} for entities in topics),
        with_answers=len(answers),
        answers_missing=sum(None in entities for entities in answers),
        no_answer=sum(set(entities) == {None} for entities in answers),
    )


def require(snapshot: Snapshot, questions: Sequence[QuestionRecord]) -> Coverage:
    """Refuse to evaluate what says nothing.

    Raises:
        EvaluationError: there are no questions, or the graph has none of their topics or none of their answers.
    """
    if not questions:
        raise EvaluationError("There is no question to ask.", hint="Give a question set, or another split.")
    coverage = measure(snapshot, questions)
    if snapshot.passages is not None:
        _require_passages(snapshot.passages, questions)
        return coverage
    for what, total, lost, name_lists in (
        ("topic entity", coverage.with_topics, coverage.no_topic, [q.topic_entities for q in questions]),
        ("answer", coverage.with_answers, coverage.no_answer, _list_named_answers(questions)),
    ):
        name = next((names[0] for names in name_lists if names), None)
        if name is not None and lost == total:
            raise EvaluationError(
                f"The graph has no {what} of any of the {total:,} questions that name one (the first is {name!r}).",
                hint="Check that the question set belongs to this graph and spells names as it does.",
            )
    return coverage


def _list_named_answers(questions: Sequence[QuestionRecord]) -> list[tuple[str, ...]]:
    """Answers that are names: a number that is counted need not be in the graph."""
    return [tuple(label for label in q.answers if not is_value(label)) for q in questions]


def _require_passages(table: PassageTable, questions: Sequence[QuestionRecord]) -> None:
    """What the facts of a graph with passages lack may stand in its text, so only the passages are asked for."""
    names = [name for question in questions for name in question.passages]
    if names and all(table.find(name) is None for name in names):
        raise EvaluationError(
            f"The graph has none of the {len(names):,} passages that the questions name (the first is {names[0]!r}).",
            hint="Build the graph and import the questions from the same files.",
        )
