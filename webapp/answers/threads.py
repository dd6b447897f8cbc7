"""Threads: questions that lean on the one before. What a follow-up needs of it is kept with the follow-up.

A thread belongs to its person: somebody else's run can be read by its address, and not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

_TOLD = (QuestionRewritten, QuestionLinked, ProgramExecuted, AnswerFinal)


def context_of(graph: Graph, before: Run | None, user: User) -> dict[str, Any] | None:
    """What a follow-up leans on, as JSON of a ``Turn``; None where there is nothing to follow.

    Raises:
        ForbiddenError: the run before is not of ``user``.
        InvalidError: the run before is of another graph.
        ConflictError: it has no answer to lean on yet, or never will.
        GraphNotReadyError, DamagedError: as :func:`snapshots.of_graph`.
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
    turn = _turn(before)
    if selectors.endpoint_of(graph) is not None:
        there: dict[str, Any] = to_plain(turn)
        return there
    snapshot = snapshots.of_graph(graph)
    if before.snapshot_hash != snapshot.hash:
        turn = _moved(turn, _names(before), snapshot.find_entity)
    found: dict[str, Any] = to_plain(turn)
    return found


def joined(before: Run | None) -> UUID | None:
    """The thread that a follow-up belongs to; the run that begins one is named for it."""
    if before is None:
        return None
    thread = before.thread or before.pk
    Run.objects.filter(pk=before.pk, thread=None).update(thread=thread)
    return thread


def _turn(run: Run) -> Turn:
    """What a run asked and answered, as its log tells it."""
    turn = Turn(run.question)
    for event in _told(run):
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


def _told(run: Run) -> Iterable[QuestionRewritten | QuestionLinked | ProgramExecuted | AnswerFinal]:
    rows = RunEvent.objects.filter(run=run, type__in=[cls.type for cls in _TOLD]).order_by("seq")
    for payload in rows.values_list("payload", flat=True):
        event = from_payload(payload)
        assert isinstance(event, _TOLD)
        yield event


def _names(run: Run) -> dict[int, str]:
    """The labels of what a run named, by the ids of its own version of the graph."""
    version = selectors.version(run.graph, run.snapshot_hash)
    found = {}
    for event in _told(run):
        if isinstance(event, QuestionLinked):
            found.update({linked.entity.id: linked.entity.label for linked in event.entities})
        elif isinstance(event, AnswerFinal):
            found.update({a.entity.id: a.entity.label for a in event.answers if a.entity is not None})
        elif isinstance(event, QuestionRewritten) and version is not None:
            before = snapshots.opened(version.path)
            found.update({node: before.entity_label(node) for own in event.denoted for node in own.ids})
    return found


def _moved(turn: Turn, names: dict[int, str], find: Callable[[str], int | None]) -> Turn:
    """The same turn in another version of the graph; what that lacks is left out."""

    def ids(of: tuple[int, ...]) -> tuple[int, ...]:
        found = (find(names[node]) for node in of if node in names)
        return tuple(node for node in found if node is not None)

    denoted = (Denoted(own.start, own.end, tuple(sorted(ids(own.ids)))) for own in turn.denoted)
    return replace(
        turn,
        topics=ids(turn.topics),
        answers=ids(turn.answers),
        denoted=tuple(own for own in denoted if own.ids),
    )
