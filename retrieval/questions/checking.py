"""Whether a question set belongs to a graph: which names it has that the graph lacks, and what they may mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import Cancelled, ProgramError, check
from retrieval.programs.rendering.names import from_named_json
from retrieval.types import QuestionRecord

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

#: Missing names that are listed, most frequent first, and near names offered for each.
LISTED = 100
NEAREST = 3


@dataclass(frozen=True, slots=True)
class MissingName:
    """A name that the graph lacks.

    Attributes:
        name: as the questions spell it.
        question: the id of the first of them.
        nearest: labels of the graph that are spelt like it, best first.
    """

    name: str
    questions: int
    question: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingProgram:
    """A question whose program does not fit the graph: the first name that is missing, or what else is wrong.

    Attributes:
        hint: the nearest names, where there are some.
    """

    question: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class QuestionCheck:
    """What a graph knows of a question set. Names are counted once, however many questions have them.

    Attributes:
        askable: how many name at least one topic that is found, or none at all (the linker finds them then).
        measurable: how many have answers, all of which are found.
        topics, topics_found: distinct topic entities.
        answers, answers_found: distinct answers.
        relations, relations_found: distinct relations of gold paths.
        passages, passages_found: distinct supporting passages.
        topics_missing, answers_missing: the most frequent ones, at most ``LISTED``.
        splits: (split, questions); ``none`` for questions without one.
        programs, programs_found: questions that have a program, and of those, how many the graph has all names of.
        programs_missing: the others, at most ``LISTED``.
    """

    questions: int
    askable: int
    measurable: int
    topics: int
    topics_found: int
    answers: int
    answers_found: int
    relations: int
    relations_found: int
    passages: int
    passages_found: int
    topics_missing: tuple[MissingName, ...]
    answers_missing: tuple[MissingName, ...]
    splits: tuple[tuple[str, int], ...]
    programs: int = 0
    programs_found: int = 0
    programs_missing: tuple[MissingProgram, ...] = ()


def check_questions(
    snapshot: Snapshot, questions: Sequence[QuestionRecord], *, cancelled: Callable[[], bool] = lambda: False
) -> QuestionCheck:
    """Look up every topic, answer, relation, passage and program that the questions name, as evaluation does."""
    names = _Names(snapshot, cancelled)
    topics = names.count_names(questions, lambda question: question.topic_entities)
    answers = names.count_names(questions, lambda question: question.answers)
    relations = {name for q in questions for name in _list_relations(q)}
    passages = {name for q in questions for name in q.passages}
    table = snapshot.passages
    known = names.known
    programs = [question for question in questions if question.program is not None]
    unfit = _find_unfit(snapshot, programs, cancelled)
    splits = Counter(question.split or "none" for question in questions)
    return QuestionCheck(
        questions=len(questions),
        askable=sum(not q.topic_entities or any(known[name] for name in q.topic_entities) for q in questions),
        measurable=sum(bool(q.answers) and all(known[name] for name in q.answers) for q in questions),
        topics=len(topics),
        topics_found=sum(known[name] for name in topics),
        answers=len(answers),
        answers_found=sum(known[name] for name in answers),
        relations=len(relations),
        relations_found=sum(snapshot.find_relation(name) is not None for name in relations),
        passages=len(passages),
        passages_found=0 if table is None else sum(table.find(name) is not None for name in passages),
        topics_missing=names.find_missing(topics),
        answers_missing=names.find_missing(answers),
        splits=tuple(sorted(splits.items())),
        programs=len(programs),
        programs_found=len(programs) - len(unfit),
        programs_missing=tuple(unfit[:LISTED]),
    )


def _find_unfit(
    snapshot: Snapshot, questions: Sequence[QuestionRecord], cancelled: Callable[[], bool]
) -> list[MissingProgram]:
    """Questions whose programs do not fit the graph, in their order."""
    unfit = []
    for question in questions:
        check(cancelled)
        try:
            from_named_json(snapshot, question.program)
        except ProgramError as error:
            unfit.append(MissingProgram(question.id, error.message, error.hint))
    return unfit


def _list_relations(question: QuestionRecord) -> Iterable[str]:
    yield from (relation for path in question.paths for _, relation, _ in path)
    yield from (relation for path in question.relation_paths for relation in path)


class _Names:
    """Names looked up once each; ``known`` says of each whether the graph has it."""

    def __init__(self, snapshot: Snapshot, cancelled: Callable[[], bool]) -> None:
        self._labels = snapshot.labels
        self._cancelled = cancelled
        self.known: dict[str, bool] = {}

    def count_names(
        self, questions: Sequence[QuestionRecord], names: Callable[[QuestionRecord], Iterable[str]]
    ) -> dict[str, tuple[int, str]]:
        """By name, how many questions have it and the first that does."""
        counts: dict[str, tuple[int, str]] = {}
        for question in questions:
            for name in dict.fromkeys(names(question)):
                count, first = counts.get(name, (0, question.id))
                counts[name] = (count + 1, first)
                if name not in self.known:
                    self._stop()
                    self.known[name] = self._labels.resolve(name) is not None
        return counts

    def find_missing(self, names: dict[str, tuple[int, str]]) -> tuple[MissingName, ...]:
        """Those that the graph lacks, most frequent first, with near ones."""
        lacking = [(name, *where) for name, where in names.items() if not self.known[name]]
        lacking.sort(key=lambda entry: -entry[1])
        missing_names = []
        for name, count, first in lacking[:LISTED]:
            self._stop()
            near = tuple(match.node.label for match in self._labels.search(name, NEAREST))
            missing_names.append(MissingName(name, count, first, near))
        return tuple(missing_names)

    def _stop(self) -> None:
        if self._cancelled():
            raise Cancelled("Stopped.")
