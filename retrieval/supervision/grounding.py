"""Put a question set on a snapshot: labels to ids, and a count of what is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot import Snapshot
from retrieval.types import QuestionRecord


@dataclass(frozen=True, slots=True)
class Grounded:
    """A question whose topics and at least one answer are in the graph.

    Attributes:
        topics: entity ids, in the question's order, each once.
        answers: entity ids, ascending.
    """

    question: QuestionRecord
    topics: tuple[int, ...]
    answers: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The topics' labels as the question set spells them."""
        return tuple(dict.fromkeys(self.question.topic_entities))

    @property
    def avoids_topics(self) -> bool:
        """Whether no topic is an answer, so that walks to the answers are simple."""
        return set(self.topics).isdisjoint(self.answers)


@dataclass
class Skipped:
    """Questions that cannot be learned from, with the first one of each kind."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, example: str) -> None:
        """Count one more."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        self.examples.setdefault(reason, example)

    @property
    def total(self) -> int:
        """How many were skipped."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        return "; ".join(f"{n} {reason} (for example {self.examples[reason]})" for reason, n in self.counts.items())


def resolve_questions(snapshot: Snapshot, questions: Sequence[QuestionRecord]) -> tuple[list[Grounded], Skipped]:
    """Find the questions' topics and answers in the graph.

    Questions without a topic, with a topic that is unknown or in no triple, or with no known answer are
    counted and left out. Answers that are unknown beside known ones are dropped.
    """
    grounded: list[Grounded] = []
    skipped = Skipped()
    find = lru_cache(maxsize=None)(snapshot.find_entity)  # large answer sets share most of their names
    for question in questions:
        if not question.topic_entities:
            skipped.add("without a topic entity", f"question {question.id!r}")
            continue
        topic_ids = [find(name) for name in dict.fromkeys(question.topic_entities)]
        topics = [topic for topic in topic_ids if topic is not None and snapshot.get_degree(topic)]
        if len(topics) < len(topic_ids):
            missing = next(n for n, t in zip(question.topic_entities, topic_ids, strict=False) if t not in topics)
            skipped.add("with a topic that is not in the graph", repr(missing))
            continue
        answers = {answer for name in question.answers if (answer := find(name)) is not None}
        if not answers:
            reason = "with answers that are not in the graph" if question.answers else "without an answer"
            skipped.add(reason, repr(question.answers[0]) if question.answers else f"question {question.id!r}")
            continue
        grounded.append(Grounded(question, tuple(topics), tuple(sorted(answers))))
    return grounded, skipped


def require(grounded: Sequence[Grounded], skipped: Skipped, what: str = "question") -> None:
    """Refuse to go on with nothing.

    Raises:
        TrainingDataError: ``grounded`` is empty; the message counts why.
    """
    if not grounded:
        detail = f" Skipped: {skipped}." if skipped.total else ""
        raise TrainingDataError(
            f"No {what} of the set can be used with this graph.{detail}",
            hint="Check that the question set belongs to this graph and that its names are spelled the same.",
        )
