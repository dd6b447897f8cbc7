"""Programs that were tried in a run, added to the question of a review that they answer."""

from __future__ import annotations

from uuid import UUID

from retrieval.events import AnswerFinal, ChainsBuilt, ProgramExecuted, from_payload
from retrieval.results import Answer
from retrieval.types import Hop
from webapp.accounts.models import User
from webapp.answers.models import Run, RunEvent, RunState
from webapp.api.errors import ConflictError, InvalidError
from webapp.review.domain import program_candidates
from webapp.review.models import Item
from webapp.review.services import added_paths

_TOLD = (ChainsBuilt, ProgramExecuted, AnswerFinal)


def add(*, run: Run, item: Item, user: User, id: UUID, edited_from: int | None = None) -> Item:
    """Add the program that a run executed, with what it gave, to a question.

    Args:
        run: that is done.
        item: of a queue of programs, with its queue and snapshot.
        id: of the event, made by the client; repeating a request adds nothing.
        edited_from: the candidate that the program was made of.

    Raises:
        ConflictError: the run is not done, or was on another version of the graph than the review.
        InvalidError: the run is of another graph or executed no program, or as :func:`added_paths.add_program`.
        DecidedError: the question was decided.
    """
    if run.graph_id != item.queue.graph_id:
        raise InvalidError(f"The run is of the graph {run.graph.name}.", hint=f"Ask {item.queue.graph.name}.")
    if run.state != RunState.DONE:
        raise ConflictError(f"The run has no answer: it is {run.state}.", hint="Wait for it, or change the program.")
    if run.snapshot_hash != item.queue.snapshot.hash:
        raise ConflictError(
            "The graph has another version by now than this review.",
            hint="Make a review of the current version.",
        )
    executed, answers, hops = _load_result(run)
    if executed is None:
        raise InvalidError("The run executed no program.", hint="Ask in other words, or edit a program.")
    gives = [answer.label for answer in answers]
    made = program_candidates.build_fields(executed, gives, hops, item.answers)
    return added_paths.add_program(item=item, user=user, id=id, made=made, edited_from=edited_from)


def _load_result(run: Run) -> tuple[ProgramExecuted | None, tuple[Answer, ...], list[Hop]]:
    """The last program of a run, what it answered, and the facts that prove it."""
    executed: ProgramExecuted | None = None
    answers: tuple[Answer, ...] = ()
    hops: list[Hop] = []
    rows = RunEvent.objects.filter(run=run, type__in=[cls.type for cls in _TOLD]).order_by("seq")
    for payload in rows.values_list("payload", flat=True):
        event = from_payload(payload)
        if isinstance(event, ProgramExecuted):
            executed = event
        elif isinstance(event, ChainsBuilt):
            hops = [hop for chain in event.chains for hop in chain.hops]
        elif isinstance(event, AnswerFinal):
            answers = event.answers
    return executed, answers, hops
