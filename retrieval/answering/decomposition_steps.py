"""Steps of a decomposed question as events."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from retrieval.events import AgentStep
from retrieval.kg.snapshot import Snapshot
from retrieval.reasoning.decomposition import AskedStep, Decomposer, Way
from retrieval.reasoning.reading import Further
from retrieval.types import RetrievedPassage

if TYPE_CHECKING:
    from retrieval.answering.run import PipelineRun

ASK = "ask"
"""The action of a step that asks for what the question describes."""


@dataclass(frozen=True, slots=True)
class Decomposed:
    """A question taken apart.

    Attributes:
        decomposer: what took it apart; None where nothing does.
        ways: the questions that are left to ask, the likeliest first.
        count: steps that were told of.
    """

    decomposer: Decomposer | None = None
    ways: tuple[Way, ...] = ()
    count: int = 0

    @property
    def further(self) -> Further | None:
        """Adds what is read in steps to what is read at once; None where there are no steps."""
        return partial(self.decomposer.find_step_answers, self.ways) if self.decomposer and self.ways else None

    def merge_passages(self, plain: Sequence[RetrievedPassage], limit: int) -> tuple[RetrievedPassage, ...]:
        """See :meth:`Decomposer.merge_passages`."""
        return self.decomposer.merge_passages(plain, self.ways, limit) if self.decomposer else tuple(plain[:limit])


def stream_decomposition(
    run: PipelineRun, snapshot: Snapshot, decomposer: Decomposer | None
) -> Generator[AgentStep, None, Decomposed]:
    """Take a question apart and tell of each step when it is answered.

    Raises:
        NotIndexedError: the passages are not indexed yet.
        Cancelled: the run was stopped.
    """
    if decomposer is None:
        return Decomposed()
    asking, number = decomposer.ask_descriptions(run.request.question, run.check), 0
    while True:
        began = time.perf_counter()
        try:
            with run.watch.measure_body():
                step = next(asking)
        except StopIteration as end:
            return Decomposed(decomposer, tuple(end.value), number)
        number += 1
        yield build_step_event(step, number, snapshot, run.measure_ms(began))


def build_step_event(step: AskedStep, number: int, snapshot: Snapshot, took_ms: float) -> AgentStep:
    """A step as an event: what was found stands in ``observation``, what was asked and read in ``thought``.

    Args:
        step: that was taken.
        number: counts from 1.
        snapshot: where what was found may be an entity.
        took_ms: milliseconds.
    """
    best = step.bridges[0]
    others = ", ".join(f"{each.label} ({each.share:.2f})" for each in step.bridges[1:])
    entity = snapshot.find_entity(best.label) if snapshot.num_entities else None
    less = f" Less likely: {others}." if others else ""
    return AgentStep(
        step=number,
        thought=f"{step.question} “{best.sentence.text}” ({best.share:.2f}){less}",
        action=ASK,
        observation=f"{step.description} → {best.label}",
        hops=(),
        window=0,
        focus=0,
        took_ms=took_ms,
        current=() if entity is None else (snapshot.get_node(entity),),
    )
