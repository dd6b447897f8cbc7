"""Answering: the engine's events, published as they come."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from celery import shared_task
from django.conf import settings
from django.db import connection

from retrieval.answering.error_limit import apply_limit
from retrieval.errors import ClewError
from retrieval.events import (
    TERMINAL_TYPES,
    AnswerFinal,
    ChainsBuilt,
    Event,
    PathRetrieved,
    RunCancelled,
    RunFailed,
    RunPaused,
)
from retrieval.llm.metering import Meter, use_meter
from retrieval.metrics.guarantee import Guarantee
from retrieval.results import NoAnswer, NoAnswerReason
from retrieval.types import Usage
from webapp.answers import services, steering
from webapp.answers.log import Timed, get_last_seq
from webapp.answers.models import Diagnosis, Run
from webapp.answers.publish import Publisher
from webapp.experiments.error_limits import find_run_guarantee
from webapp.experiments.models import ErrorLimit
from webapp.experiments.resolution import find_checkpoint_in_use
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint
from webapp.jobs import cancel, database_retry, queue
from webapp.jobs.database_retry import retry_while_away
from worker import answerers, endpoints, identity, language_models, watchdog, why_not
from worker.requests import build_request

if TYPE_CHECKING:  # loads torch
    from retrieval.answering.pipeline import Answerer

logger = logging.getLogger(__name__)
Halt = services.Ending | RunPaused
"""What a worker's part of a run stops with."""

_warming = threading.Lock()
_unwarmed: dict[int, None] = {}
"""Graphs whose engines wait to be opened; the latest request is served first."""

AWAY = "unavailable"
"""The code of a run that lost the database."""


@shared_task(name=queue.ANSWER, acks_late=False)
def answer(run_id: str) -> None:
    """Answer the run whose turn it is, which need not be the one that this message was sent for."""
    _answer_next()


def _answer_next() -> None:
    """Do the run or diagnosis whose turn it is.

    After one of a comparison it looks once more: others of it may have waited for what was read here.
    """
    again = True
    while again and not identity.stopping.is_set():  # what is not begun stays queued
        run = retry_while_away(partial(services.claim, worker=identity.NAME))
        if run is not None:
            process_claimed(run)
        again = isinstance(run, Run) and run.group is not None


def process_claimed(claimed: Run | Diagnosis) -> None:
    """Do what was claimed."""
    if isinstance(claimed, Diagnosis):
        why_not.run_diagnosis(claimed)
    else:
        answer_run(claimed)


def answer_run(run: Run) -> None:
    """Answer a claimed run; whatever happens, its log goes on to a terminal event, or to one that it pauses with.

    While the database is away the run waits for it. One that nothing was found of before goes back to the queue.
    """
    with watchdog.register_work(
        watchdog.RUN,
        run.pk,
        limit_s=settings.RUN_SECONDS_MAX,
        stopped=cancel.make_stop_check("run", run.pk),
        give_up=lambda why: _fail_stuck_run(run, why),
    ) as hold:
        first = run.claimed_at == run.started_at
        before = 0 if first else retry_while_away(lambda: get_last_seq(run.pk))
        publisher = Publisher(run.pk, after=before)
        has_model = run.llm is not None
        meter = retry_while_away(lambda: language_models.make_run_meter(run.user_id, run.usage, has_model=has_model))
        ending = _execute_run(run, publisher, meter, hold)
        if hold.given_up:
            return
        try:
            after, unwritten = publisher.finish()
        except Exception:
            # The log could not be written: somebody else ended or deleted the run, or the database was away.
            logger.warning("the log of run %s broke off", run.pk, exc_info=True)
            after, unwritten, ending = retry_while_away(lambda: get_last_seq(run.pk)), [], _build_failure()
        if isinstance(ending, AnswerFinal):
            ending = replace(ending, usage=replace(meter.usage, triples=ending.usage.triples))
        if isinstance(ending, RunFailed) and ending.code == AWAY and first and not (after or unwritten):
            retry_while_away(lambda: services.release_run(run_id=run.pk))
            return
        usage = language_models.convert_to_json(meter)
        retry_while_away(lambda: _close_run(run, after, unwritten, ending, usage))
        cancel.clear(run.pk, "run", steering.PAUSE)


def _execute_run(run: Run, publisher: Publisher, meter: Meter, hold: watchdog.HeldWork) -> Halt:
    """What the run ends or pauses with, whatever is raised."""
    ending: Halt
    try:
        with hold.allow_interrupts(), use_meter(meter):
            return _stream(run, publisher, hold)
    except ClewError as error:
        ending = RunFailed(error.code, error.message, error.hint)
    except database_retry.AWAY:
        logger.warning("run %s lost the database", run.pk, exc_info=True)
        ending = RunFailed(
            AWAY,
            "The database was not reachable in the middle of this run.",
            "What was found is kept. Ask again to get the whole answer.",
        )
    except BaseException as error:
        if watchdog.is_process_ending(error):
            raise
        logger.exception("run %s broke", run.pk)
        ending = _build_failure()
    connection.close()  # it may have broken in the middle of a request
    return ending if hold.why is None else _build_stop_event(hold.why)


def _build_stop_event(why: watchdog.Why) -> RunFailed | RunCancelled:
    """How a run ends that was stopped without having noticed, or that took too long."""
    if why == watchdog.Why.STOPPED:
        return _build_cancelled(0)
    return RunFailed(
        why.value,
        f"The question took longer than {settings.RUN_SECONDS_MAX:g} seconds and was stopped.",
        "What was found is kept. Ask something narrower, or choose another method.",
    )


def _fail_stuck_run(run: Run, why: watchdog.Why) -> None:
    """End a run whose work does not end."""
    retry_while_away(
        lambda: services.close_run(run_id=run.pk, after=get_last_seq(run.pk), event=_build_stop_event(why))
    )


def _close_run(run: Run, after: int, unwritten: Sequence[Timed], ending: Halt, usage: dict[str, Any]) -> None:
    if not isinstance(ending, RunPaused):
        services.close_run(run_id=run.pk, after=after, event=ending, usage=usage, unwritten=unwritten)
        return
    steering.save_pause(run_id=run.pk, after=after, event=ending, usage=usage, unwritten=unwritten)
    # Stop may have been pressed while it came to rest, when nobody else could end it.
    if cancel.make_stop_check("run", run.pk)():
        services.cancel_unheld(run_id=run.pk)


def _build_cancelled(paths: int) -> RunCancelled:
    return RunCancelled("Stopped. What was found until then is kept.", paths)


def _stream(run: Run, publisher: Publisher, hold: watchdog.HeldWork) -> Halt:
    flag = cancel.make_stop_check("run", run.pk)

    def is_cancelled() -> bool:
        return hold.why is not None or flag()

    paths = 0
    for event in _stream_events(run, is_cancelled):
        if event.type in TERMINAL_TYPES or isinstance(event, RunPaused):
            assert isinstance(event, Halt)
            return (
                _build_stop_event(watchdog.Why.OVERDUE) if hold.overdue and isinstance(event, RunCancelled) else event
            )
        paths += isinstance(event, PathRetrieved)
        publisher.add(event)
        if is_cancelled():
            return _build_stop_event(watchdog.Why.OVERDUE) if hold.overdue else _build_cancelled(paths)
    raise RuntimeError("the engine ended without a terminal event")


def _stream_events(run: Run, cancelled: Callable[[], bool]) -> Iterator[Event]:
    endpoint = get_endpoint(run.graph)
    if endpoint is not None:
        yield from endpoints.stream_endpoint_events(run, endpoint, cancelled=cancelled)
        return
    pausing = cancel.make_stop_check(steering.PAUSE, run.pk)
    answerer, warning = answerers.open_run_engine_or_untrained(run)
    error_limit: ErrorLimit | None = getattr(run.graph, "error_limit", None)  # it came with the claim
    limit = None if error_limit is None else error_limit.at_most_wrong
    if run.retrieval:
        yield from _stream_retrieval(answerer.copy_for_retrieval(), run, cancelled)
        return
    for event in answerer.run(build_request(run), cancelled=cancelled, pausing=pausing):
        if not isinstance(event, AnswerFinal):
            yield event
            continue
        final = replace(event, warnings=(warning, *event.warnings)) if warning else event
        yield final if limit is None else apply_limit(final, limit, None if warning else _find_guarantee(run, limit))


def _stream_retrieval(answerer: Answerer, run: Run, cancelled: Callable[[], bool]) -> Iterator[Event]:
    """The events of a run as far as its evidence; nothing is concluded from that."""
    for event in answerer.run(build_request(run), cancelled=cancelled):
        yield event
        if isinstance(event, ChainsBuilt):
            message = (
                "Only the retrieval was asked for." if event.chains else "Nothing was retrieved for this question."
            )
            nothing = NoAnswer(NoAnswerReason.REASONER_DECLINED, message)
            yield AnswerFinal((), nothing, "", (), Usage(triples=event.triples), event.took_ms)
            return


def _find_guarantee(run: Run, limit: int) -> Guarantee | None:
    return find_run_guarantee(
        graph=run.graph,
        snapshot_hash=run.snapshot_hash,
        method=run.method,
        fingerprint=run.checkpoint.fingerprint if run.checkpoint else "",
        reasoner=run.reasoner,
        changed=bool(run.options),
        at_most_wrong=limit,
    )


def _build_failure() -> RunFailed:
    return RunFailed(
        "internal",
        "Something inside Clew broke.",
        "What was found is kept. The log of the worker has the details; please report it.",
    )


@shared_task(name=queue.WARM, acks_late=False)
def warm(graph_id: int) -> None:
    """Open the engine of a graph's newest checkpoint, so that the next question finds it ready.

    Whoever waits is answered first, and one thread of a worker warms at a time: the others answer.
    """
    _answer_next()
    _unwarmed[graph_id] = None
    while _unwarmed and _warming.acquire(blocking=False):
        try:
            if _unwarmed:  # another thread may have taken the last one before this one got the lock
                _prepare_graph(_unwarmed.popitem()[0])
        finally:
            _warming.release()


def _prepare_graph(graph_id: int) -> None:
    graph = Graph.objects.select_related("snapshot").filter(pk=graph_id).first()
    if graph is not None and graph.snapshot is not None:
        answerers.prepare_engine(graph.snapshot, find_checkpoint_in_use(graph))
