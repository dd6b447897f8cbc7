"""What an agent did in a run, as its log tells it: the steps that stand, and what could come next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from uuid import UUID

from retrieval.events import (
    AgentRewound,
    AgentStep,
    AnswerFinal,
    Event,
    QuestionLinked,
    RunPaused,
    RunStarted,
    from_payload,
)
from retrieval.results import Answer
from retrieval.types import AgentAction, LinkedEntity
from webapp.answers.models import RunEvent

STEP_EVENTS = (AgentStep, AgentRewound, RunPaused, RunStarted, QuestionLinked, AnswerFinal)


@dataclass(slots=True)
class AgentSteps:
    """The steps of an agent that were not taken back.

    Attributes:
        begun: the log holds what comes before the first step.
        steps: the steps that stand, in order.
        ahead: what could be done after so many steps, best first, as far as it was told. It outlives being taken back.
        proposed: what the policy would do after so many steps.
        answers: of the end that stands; empty without one.
    """

    begun: bool = False
    linked: tuple[LinkedEntity, ...] = ()
    steps: list[AgentStep] = field(default_factory=list)
    ahead: dict[int, tuple[AgentAction, ...]] = field(default_factory=dict)
    proposed: dict[int, AgentAction] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()

    @property
    def actions(self) -> tuple[AgentAction, ...]:
        """What was done, in order."""
        return tuple(step.chosen for step in self.steps if step.chosen is not None)

    @property
    def by_person(self) -> frozenset[int]:
        """The numbers of the steps that a person chose."""
        return frozenset(number for number, step in enumerate(self.steps, 1) if step.by == "person")

    def take(self, event: Event) -> None:
        """Follow the log by one event."""
        if isinstance(event, RunStarted):
            self.begun = True
        elif isinstance(event, QuestionLinked):
            self.linked = event.entities
        elif isinstance(event, AgentStep):
            self._add_step(event)
        elif isinstance(event, RunPaused):
            self._set_alternatives(len(self.steps), event.alternatives)
        elif isinstance(event, AgentRewound):
            del self.steps[event.to_step :]
            self.answers = ()
        elif isinstance(event, AnswerFinal):
            self.answers = event.answers

    def _add_step(self, step: AgentStep) -> None:
        done = len(self.steps)
        # What was known of later states was of another walk, unless this repeats it; it will be told again.
        for known in (self.ahead, self.proposed):
            for count in [count for count in known if count > done]:
                del known[count]
        self._set_alternatives(done, step.alternatives)
        if step.by == "policy" and step.chosen is not None:
            self.proposed[done] = step.chosen
        self.steps.append(step)

    def _set_alternatives(self, done: int, alternatives: tuple[AgentAction, ...]) -> None:
        if alternatives:
            self.ahead[done] = alternatives
            self.proposed.setdefault(done, alternatives[0])


def load_steps(run_id: UUID) -> AgentSteps:
    """The walk of a run, from its log."""
    walk = AgentSteps()
    rows = RunEvent.objects.filter(run_id=run_id, type__in=[cls.type for cls in STEP_EVENTS]).order_by("seq")
    for payload in rows.values_list("payload", flat=True):
        walk.take(from_payload(payload))
    return walk


def is_same_action(first: AgentAction, second: AgentAction) -> bool:
    """Whether two actions do the same, however probable each was."""
    return replace(first, score=None, facts=0) == replace(second, score=None, facts=0)
