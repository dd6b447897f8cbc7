"""Answering: the engine's events, published as they come."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import UUID

from celery import shared_task

from retrieval.errors import ClewError
from retrieval.events import (
    TERMINAL_TYPES,
    AnswerFinal,
    Event,
    PathRetrieved,
    RunCancelled,
    RunFailed,
    RunPaused,
    from_plain,
)
from retrieval.llm.metering import metered
from retrieval.pipeline import AskRequest, Steering
from retrieval.types import AgentAction
from webapp.answers import services, steering, walks
from webapp.answers.log import last_seq
from webapp.answers.models import Run
from webapp.experiments.choosing import checkpoint_in_use
from webapp.experiments.methods import STEERABLE
from webapp.graphs.models import Graph
from webapp.graphs.selectors import endpoint_of
from webapp.jobs import cancel, queue
from webapp.live.publish import Publisher
from worker import endpoints, engines, identity, language_models

logger = logging.getLogger(__name__)
Halt = services.Ending | RunPaused
"""What a worker's part of a run stops with."""


@shared_task(name=queue.ANSWER, acks_late=False)
def answer(run_id: str) -> None:
    """Answer one run. It is claimed first, so a second message for the same run does nothing."""
    run = services.claim(run_id=UUID(run_id), worker=identity.NAME)
    if run is not None:
        work(run)


def work(run: Run) -> None:
    """Answer a claimed run; whatever happens, its log goes on to a terminal event, or to one that it pauses with."""
    publisher = Publisher(run.pk, after=last_seq(run.pk))
    meter = language_models.meter_of_run(run.user_id, run.usage)
    ending: Halt
    try:
        with metered(meter):
            ending = _stream(run, publisher)
    except ClewError as error:
        ending = RunFailed(error.code, error.message, error.hint)
    except Exception:
        logger.exception("run %s broke", run.pk)
        ending = _broken()
    try:
        after = publisher.drain()
    except Exception:
        # The log could not be written: somebody else ended or deleted the run, or the database was away.
        logger.warning("the log of run %s broke off", run.pk, exc_info=True)
        after, ending = last_seq(run.pk), _broken()
    if isinstance(ending, AnswerFinal):
        ending = replace(ending, usage=replace(meter.usage, triples=ending.usage.triples))
    usage = language_models.as_json(meter)
    if isinstance(ending, RunPaused):
        steering.rest(run_id=run.pk, after=after, event=ending, usage=usage)
        # Stop may have been pressed while it came to rest, when nobody else could end it.
        if cancel.flag("run", run.pk)():
            services.end_unheld(run_id=run.pk)
    else:
        services.end(run_id=run.pk, after=after, event=ending, usage=usage)
    cancel.clear("run", run.pk)
    cancel.clear(steering.PAUSE, run.pk)


def _stream(run: Run, publisher: Publisher) -> Halt:
    cancelled = cancel.flag("run", run.pk)
    paths = 0
    for event in _events(run, cancelled):
        if event.type in TERMINAL_TYPES or isinstance(event, RunPaused):
            assert isinstance(event, Halt)
            return event
        paths += isinstance(event, PathRetrieved)
        publisher.add(event)
        if cancelled():
            return RunCancelled("Stopped. What was found until then is kept.", paths)
    raise RuntimeError("the engine ended without a terminal event")


def _events(run: Run, cancelled: Callable[[], bool]) -> Iterator[Event]:
    endpoint = endpoint_of(run.graph)
    if endpoint is not None:
        return endpoints.events_of(run, endpoint, cancelled=cancelled)
    pausing = cancel.flag(steering.PAUSE, run.pk)
    return engines.of_run(run).run(_request(run), cancelled=cancelled, pausing=pausing)


def _request(run: Run) -> AskRequest:
    """What the engine is asked: of an agent with what was done before, and how far it is to go."""
    asked = AskRequest(run.question, given=tuple(run.entities), budget=run.budget, seed=run.seed)
    if run.method not in STEERABLE:
        return asked
    walk = walks.of(run.pk)
    actions, by_person = walk.actions, walk.by_person
    if run.next_action is not None:
        actions = (*actions, from_plain(AgentAction, run.next_action))
        by_person |= {len(actions)}
    steered = Steering(
        actions=actions,
        shown=len(walk.actions),
        begun=walk.begun,
        pause_after=run.pause_after,
        by_person=by_person,
        # Names may be linked otherwise by now, and the steps were taken from these.
        linked=walk.linked,
    )
    return replace(asked, steering=steered)


def _broken() -> RunFailed:
    return RunFailed(
        "internal",
        "Something inside Clew broke.",
        "What was found is kept. The log of the worker has the details; please report it.",
    )


@shared_task(name=queue.WARM, acks_late=False)
def warm(graph_id: int) -> None:
    """Open the engine of a graph's newest checkpoint, so that the next question finds it ready."""
    graph = Graph.objects.select_related("snapshot").filter(pk=graph_id).first()
    if graph is not None and graph.snapshot is not None:
        engines.warm(graph.snapshot, checkpoint_in_use(graph))
