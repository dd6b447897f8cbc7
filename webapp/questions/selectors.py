"""Reading question sets."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from retrieval import types
from webapp.questions.models import QuestionRow, QuestionSet


def list_question_sets() -> QuerySet[QuestionSet]:
    """Question sets, newest first."""
    return QuestionSet.objects.select_related("graph", "created_by")


def list_questions(question_set: QuestionSet, *, split: str = "", text: str = "") -> QuerySet[QuestionRow]:
    """A set's questions in their order, of one split or holding some text."""
    rows = question_set.rows.all()
    if split:
        rows = rows.filter(split=split)
    if text:
        rows = rows.filter(question__icontains=text)
    return rows


def to_engine_questions(question_set: QuestionSet) -> list[types.QuestionRecord]:
    """A set's questions as the engine takes them."""
    return list(iter_engine_questions(question_set))


def iter_engine_questions(question_set: QuestionSet) -> Iterator[types.QuestionRecord]:
    """A set's questions as the engine takes them, fetched as far as they are taken."""
    for row in question_set.rows.all().iterator(chunk_size=2000):
        yield types.QuestionRecord(
            id=row.key,
            question=row.question,
            topic_entities=tuple(row.topic_entities),
            answers=tuple(row.answers),
            paths=tuple(tuple((h, r, t) for h, r, t in path) for path in row.paths),
            triples=tuple((h, r, t) for h, r, t in row.triples),
            passages=tuple(row.passages),
            hops=row.hops,
            split=row.split or None,
            program=row.program,
            operators=tuple(row.operators),
            also=tuple(tuple(labels) for labels in row.also),
        )
