"""Answering: the engine's events, published as they come."""

from __future__ import annotations

import logging
from dataclasses import replace
from uuid import UUID

from celery import shared_task

from retrieval.errors import ClewError
from retrieval.events import TERMINAL_TYPES, AnswerFinal, PathRetrieved, RunCancelled, RunFailed
from retrieval.llm.metering import metered
from retrieval.pipeline import AskRequest
from webapp.answers import services
from webapp.answers.log import last_seq
from webapp.answers.models import Run
from webapp.experiments.choosing import newest_checkpoint
from webapp.graphs.models import Graph
from webapp.jobs import cancel, queue
from webapp.live.publish import Publisher
from worker import engines, identity, language_models

logger = logging.getLogger(__name__)


@shared_task(name=queue.ANSWER, acks_late=False)
def answer(run_id: str) -> None:
    """Answer one run. It is claimed first, so a second message for the same run does nothing."""
    run = services.claim(run_id=UUID(run_id), worker=identity.NAME)
    if run is not None:
        work(run)


def work(run: Run) -> None:
    """Answer a claimed run; whatever happens, its log ends with one terminal event."""
    publisher = Publisher(run.pk)
    meter = language_models.meter_of_run(run.user_id)
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
    services.end(run_id=run.pk, after=after, event=ending, usage=language_models.as_json(meter))
    cancel.clear("run", run.pk)


def _stream(run: Run, publisher: Publisher) -> services.Ending:
    cancelled = cancel.flag("run", run.pk)
    engine = engines.of_run(run)
    paths = 0
    request = AskRequest(run.question, given=tuple(run.entities), budget=run.budget, seed=run.seed)
    for event in engine.run(request, cancelled=cancelled):
        if event.type in TERMINAL_TYPES:
            assert isinstance(event, services.Ending)
            return event
        paths += isinstance(event, PathRetrieved)
        publisher.add(event)
        if cancelled():
            return RunCancelled("Stopped. What was found until then is kept.", paths)
    raise RuntimeError("the engine ended without a terminal event")


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
        engines.warm(graph.snapshot, newest_checkpoint(graph))
