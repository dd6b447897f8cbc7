"""What a link shows of a run: its log without anything that is not the question, its answer or the proof of that.

Closed by default: an event or field that is not listed here is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    Event,
    PassagesRetrieved,
    ProgramExecuted,
    QuestionLinked,
    QuestionRewritten,
    RunStarted,
    from_payload,
    to_payload,
)
from retrieval.types import Usage
from webapp.answers.envelope import wrap
from webapp.answers.models import Run, RunEvent
from webapp.graphs import names
from webapp.graphs.selectors import find_version

_SHOWN = (
    *(RunStarted, QuestionRewritten, QuestionLinked, PassagesRetrieved),
    *(ChainsBuilt, ProgramExecuted, AnswerFinal),
)


def build_turn(number: int, run: Run, preferred: Sequence[str]) -> dict[str, Any]:
    """A question as a link shows it, with its events.

    Args:
        number: its place among those that the link shows; stands for the run's id.
        preferred: the reader's languages, for names of entities.
    """
    rows = RunEvent.objects.filter(run=run, type__in=[cls.type for cls in _SHOWN]).order_by("seq")
    log = [(time, from_payload(payload)) for time, payload in rows.values_list("at", "payload")]
    cited = {
        citation.passage
        for _, event in log
        if isinstance(event, AnswerFinal)
        for answer in event.answers
        for citation in answer.citations
    }
    shown = ((time, event) for time, stored in log for event in _select_fields(stored, cited))
    events = [
        wrap(run=UUID(int=number), seq=seq, time=time, payload=to_payload(event))
        for seq, (time, event) in enumerate(shown, 1)
    ]
    writer = names.open_writer(find_version(run.graph, run.snapshot_hash), preferred)
    return {
        "question": run.question,
        "asked_at": run.created_at,
        "events": events if writer is None else writer.write(events),
    }


def _select_fields(event: Event, cited: set[int]) -> Iterator[Event]:
    """The event with the fields that are shown, if it is: of passages, the cited ones."""
    match event:
        case RunStarted(question):
            yield RunStarted(question, "", "", snapshot="", checkpoint=None, encoder="", budget=0, seed=0)
        case QuestionRewritten():
            yield replace(event, denoted=())
        case QuestionLinked(entities):
            yield replace(event, entities=tuple(replace(linked, alternatives=()) for linked in entities))
        case PassagesRetrieved(passages):
            kept = tuple(each for each in passages if each.passage.id in cited)
            if kept:
                yield replace(event, passages=kept)
        case ProgramExecuted(read, ranked=ranked):
            values = tuple(value for value in ranked if value.answer)
            yield replace(event, read=replace(read, program={}), others=(), ranked=values, sparql="", cypher="")
        case AnswerFinal(no_answer=no_answer):
            reason = no_answer and replace(no_answer, near=())
            yield replace(event, usage=Usage(), no_answer=reason)
        case ChainsBuilt():
            yield event


def describe_answer(run: Run) -> str:
    """The answer of a run in a line: its sentence, its text, its answers, or why there are none."""
    payload = RunEvent.objects.filter(run=run, type=AnswerFinal.type).order_by("-seq").values_list("payload", flat=True)
    final = from_payload(payload[0]) if payload else None
    if not isinstance(final, AnswerFinal):
        return ""
    labels = ", ".join(answer.display or answer.label for answer in final.answers)
    guessed = bool(final.answers) and all(answer.guess for answer in final.answers)
    listed = f"Closest guesses: {labels}" if guessed else labels
    return final.sentence or final.text or listed or (final.no_answer.message if final.no_answer else "")
