"""Threads: questions that lean on the one before. What a follow-up needs of it is kept with the follow-up.

A thread belongs to its person: somebody else's run can be read by its address, and not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from retrieval.events import (
    AnswerFinal,
    ProgramExecuted,
    QuestionLinked,
    QuestionRewritten,
    from_payload,
    to_plain,
)
from retrieval.types import Denoted, Turn
from webapp.accounts.models import User
from webapp.answers.models import Run, RunEvent, RunState
from webapp.api.errors import ConflictError, ForbiddenError, InvalidError
from webapp.graphs import selectors, snapshots
from webapp.graphs.models import Graph

if TYPE_CHECKING:
    from typing import Any

QUESTIONS_COMPARED = 10
_TOLD = (QuestionRewritten, QuestionLinked, ProgramExecuted, AnswerFinal)


def build_context(graph: Graph, before: Run | None, user: User) -> dict[str, Any] | None:
    """What a follow-up leans on, as JSON of a ``Turn``; None where there is nothing to follow.

    Raises:
        ForbiddenError: the run before is not of ``user``.
        InvalidError: the run before is of another graph.
        ConflictError: it has no answer to lean on yet, or never will.
        GraphNotReadyError, DamagedError: as :func:`snapshots.open_current`.
    """
    if before is None:
        return None
    if before.user_id != user.pk:
        raise ForbiddenError(
            "The run in follows belongs to someone else.",
            hint="Ask that question yourself first, or omit follows.",
        )
    if before.graph_id != graph.pk:
        raise InvalidError(
            f"The question before was asked of the graph {before.graph.name}.",
            hint="Ask the same graph, or leave follows out.",
        )
    if before.state != RunState.DONE:
        raise ConflictError(
            "The question before has no answer.", hint="Wait for it, or ask without the question before."
        )
    turn = _load_turn(before)
    if selectors.get_endpoint(graph) is not None:
        there: dict[str, Any] = to_plain(turn)
        return there
    snapshot = snapshots.open_current(graph)
    if before.snapshot_hash != snapshot.hash:
        turn = _convert_turn(turn, _load_labels(before), snapshot.find_entity)
    context: dict[str, Any] = to_plain(turn)
    return context


def find_answered_run(graph: Graph, user: User, questions: Sequence[str]) -> Run | None:
    """The latest answered run of a person whose thread asked exactly these questions, oldest first.

    Of a long thread the last ones are compared.
    """
    conditions: dict[str, Any] = {"graph": graph, "user": user, "state": RunState.DONE, "trial": False}
    before = ""
    for question in reversed(questions[-QUESTIONS_COMPARED:]):
        conditions[f"{before}question"] = question
        before += "follows__"
    if len(questions) <= QUESTIONS_COMPARED:
        conditions[f"{before}isnull"] = True
    return Run.objects.filter(**conditions).order_by("-created_at").first()


def ensure_thread(before: Run | None) -> UUID | None:
    """The thread that a follow-up belongs to; the run that begins one is named for it."""
    if before is None:
        return None
    thread = before.thread or before.pk
    Run.objects.filter(pk=before.pk, thread=None).update(thread=thread)
    return thread


def _load_turn(run: Run) -> Turn:
    """What a run asked and answered, as its log tells it."""
    turn = Turn(run.question)
    for event in _load_events(run):
        match event:
            case QuestionRewritten(question, _, denoted):
                turn = replace(turn, question=question, denoted=denoted)
            case QuestionLinked(entities):
                turn = replace(turn, topics=tuple(dict.fromkeys(linked.entity.id for linked in entities)))
            case ProgramExecuted(read):
                turn = replace(turn, program=read.program)
            case AnswerFinal(answers):
                turn = replace(turn, answers=tuple(a.entity.id for a in answers if a.entity is not None))
    return turn


def _load_events(run: Run) -> Iterable[QuestionRewritten | QuestionLinked | ProgramExecuted | AnswerFinal]:
    rows = RunEvent.objects.filter(run=run, type__in=[cls.type for cls in _TOLD]).order_by("seq")
    for payload in rows.values_list("payload", flat=True):
        event = from_payload(payload)
        assert isinstance(event, _TOLD)
        yield event


def _load_labels(run: Run) -> dict[int, str]:
    """The labels of what a run named, by the ids of its own version of the graph."""
    version = selectors.find_version(run.graph, run.snapshot_hash)
    labels = {}
    for event in _load_events(run):
        if isinstance(event, QuestionLinked):
            labels.update({linked.entity.id: linked.entity.label for linked in event.entities})
        elif isinstance(event, AnswerFinal):
            labels.update({a.entity.id: a.entity.label for a in event.answers if a.entity is not None})
        elif isinstance(event, QuestionRewritten) and version is not None:
            before = snapshots.open_snapshot(version.path)
            labels.update(
                {node: before.get_entity_label(node) for denotation in event.denoted for node in denotation.ids}
            )
    return labels


def _convert_turn(turn: Turn, names: dict[int, str], find: Callable[[str], int | None]) -> Turn:
    """The same turn in another version of the graph; what that lacks is left out."""

    def find_ids(of: tuple[int, ...]) -> tuple[int, ...]:
        entities = (find(names[node]) for node in of if node in names)
        return tuple(node for node in entities if node is not None)

    denoted = (
        Denoted(denotation.start, denotation.end, tuple(sorted(find_ids(denotation.ids))))
        for denotation in turn.denoted
    )
    return replace(
        turn,
        topics=find_ids(turn.topics),
        answers=find_ids(turn.answers),
        denoted=tuple(denotation for denotation in denoted if denotation.ids),
    )
