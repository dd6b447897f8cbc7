"""What a run told, folded from its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from retrieval.errors import QuestionError
from retrieval.events import (
    AgentStep,
    AnswerFinal,
    ChainsBuilt,
    Event,
    PathRetrieved,
    ProgramExecuted,
    QuestionLinked,
    QuestionRewritten,
    RouterDecided,
    RunCancelled,
    RunFailed,
)
from retrieval.types import Denoted, EvidenceChain, LinkedEntity


@dataclass(slots=True)
class RunRecord:
    """A run that has ended.

    Attributes:
        question: as it was read: a follow-up as it stands on its own.
        denoted: words of it that stand for nodes.
        unmatched: phrases that no entity was found for.
        touched: ids of all nodes on retrieved paths and steps.
        routed: the method that the router chose last.
    """

    question: str
    final: AnswerFinal
    denoted: tuple[Denoted, ...] = ()
    linked: tuple[LinkedEntity, ...] = ()
    unmatched: tuple[str, ...] = ()
    touched: set[int] = field(default_factory=set)
    chains: tuple[EvidenceChain, ...] = ()
    program: ProgramExecuted | None = None
    routed: str | None = None

    @property
    def topics(self) -> tuple[int, ...]:
        """Ids of the topics, each once, in the order of the question."""
        return tuple(dict.fromkeys(linked.entity.id for linked in self.linked))

    def find_place(self, node: int) -> int | None:
        """The place of a node among the answers, from 1."""
        for place, answer in enumerate(self.final.answers, start=1):
            if answer.entity is not None and answer.entity.id == node:
                return place
        return None


def build_record(question: str, events: Iterable[Event]) -> RunRecord:
    """Fold the events of a run.

    Raises:
        QuestionError: it broke or was stopped, so that nothing can be said of what it did not answer.
    """
    record = RunRecord(question, None)  # type: ignore[arg-type]  # until its end is read
    for event in events:
        match event:
            case QuestionRewritten():
                record.question, record.denoted = event.question, event.denoted
            case QuestionLinked():
                record.linked, record.unmatched = event.entities, event.unmatched
            case RouterDecided():
                record.routed = event.method
            case PathRetrieved() | AgentStep():
                record.touched.update(node.id for hop in event.hops for node in (hop.source, hop.target))
            case ChainsBuilt():
                record.chains = event.chains
            case ProgramExecuted():
                record.program = event
            case AnswerFinal():
                record.final = event
            case RunFailed(_, message):
                raise QuestionError(f"The run broke: {message}", hint="Ask again first.")
            case RunCancelled():
                raise QuestionError("The run was stopped before its answer.", hint="Ask again first.")
    if record.final is None:
        raise QuestionError("The run has not ended.", hint="Wait for its answer.")
    return record
