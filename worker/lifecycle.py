"""What a worker does besides its tasks: heartbeats, looking for work that is stuck or was left, warming up."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from celery.signals import worker_init, worker_ready, worker_shutdown, worker_shutting_down
from django.db import connection
from redis.exceptions import RedisError

from retrieval.llm import failures, pacing
from webapp.answers import services as answers
from webapp.answers import why_not
from webapp.graphs import services as graphs
from webapp.graphs import trash
from webapp.jobs import heartbeats
from webapp.jobs import services as jobs
from webapp.jobs.database_retry import AWAY
from webapp.review.services import deletion as reviews
from webapp.sources import outcomes
from webapp.uploads import services as uploads
from webapp.webhooks import services as webhooks
from worker import answerers, answering, identity, indexing, language_models, watchdog

logger = logging.getLogger(__name__)
_done = threading.Event()
LOOK_EVERY_S = 2.0
STAND_IN_EVERY_S = 0.5
FINISH_S = 20.0
"""How long other work may take to end before a process that must end does."""

EXIT_CODE = 75
TIDY_EVERY_S = 600.0
"""How often expired uploads and old trash are deleted."""


def list_queues(controller: Any) -> list[str]:
    """The queues that a Celery worker consumes."""
    return list(controller.app.amqp.queues.consume_from)


@worker_init.connect(weak=False)
def handle_init(sender: Any, **_: Any) -> None:
    """Load what the first question needs before saying that this worker is there."""
    pacing.use(language_models.SharedPace())
    failures.use(language_models.save_failure)
    if heartbeats.ANSWERS in list_queues(sender):
        answerers.prepare_encoder()


@worker_ready.connect(weak=False)
def handle_ready(sender: Any, **_: Any) -> None:
    """Say that this worker is there, and take up what waits."""
    names = list_queues(sender.controller if hasattr(sender, "controller") else sender)
    if heartbeats.JOBS in names and heartbeats.ANSWERS not in names:
        identity.loading.set()
        threading.Thread(target=_keep_answering, name="stand-in", daemon=True).start()
    threading.Thread(target=_send_heartbeats, args=(names,), name="heartbeat", daemon=True).start()
    threading.Thread(target=_watch_worker, args=(names,), name="lookout", daemon=True).start()
    threading.Thread(target=_prepare_worker, args=(names,), name="warm-up", daemon=True).start()


@worker_shutting_down.connect(weak=False)
def handle_shutting_down(**_: Any) -> None:
    """Ask long jobs to give themselves back."""
    identity.stopping.set()


@worker_shutdown.connect(weak=False)
def handle_shutdown(sender: Any, **_: Any) -> None:
    """Say that this worker is gone."""
    _done.set()
    for name in list_queues(sender):
        heartbeats.mark_left(name, identity.NAME)


def _prepare_worker(names: list[str]) -> None:
    try:
        if heartbeats.ANSWERS in names:
            answerers.prepare_graphs()
        elif heartbeats.JOBS in names:
            try:
                answerers.prepare_indexing()
            finally:
                identity.loading.clear()
            indexing.update_indexes()
        else:
            answerers.prepare_training()
    finally:
        connection.close()


def _send_heartbeats(names: list[str]) -> None:
    while not _done.is_set():
        try:
            for name in names:
                heartbeats.send_beat(name, identity.NAME)
        except RedisError as error:  # it comes back; the heart must go on
            logger.warning("heartbeat failed: %s", error)
        _done.wait(heartbeats.BEAT_S)


def _watch_worker(names: list[str]) -> None:
    """Again and again: look after what is held here, and for what others left or lost. Its first look is at once."""
    tidied = time.monotonic()
    chores = list_chores(names)
    while True:
        if _run_chore(watchdog.check_all):
            _stop_process(names)
        for chore in chores:
            _run_chore(chore)
        if heartbeats.JOBS in names and time.monotonic() - tidied > TIDY_EVERY_S:
            tidied = time.monotonic()
            for chore in (
                uploads.drop_expired,
                trash.remove_expired,
                reviews.enqueue_expired,
                graphs.clean_files,
            ):
                _run_chore(chore)
        connection.close()
        if _done.wait(LOOK_EVERY_S):
            return


def _keep_answering() -> None:
    """Again and again: answer what waits while nobody else does."""
    while not _done.wait(STAND_IN_EVERY_S):
        _run_chore(answer_meanwhile)
        connection.close()


def answer_meanwhile() -> None:
    """Answer in a worker of jobs while no answers worker is there: a new one takes long to load what it needs."""
    while heartbeats.count(heartbeats.ANSWERS) == 0:
        if identity.stopping.is_set() or identity.loading.is_set():
            return
        run = answers.claim(worker=identity.NAME)
        if run is None:
            return
        answering.process_claimed(run)


def list_chores(names: list[str]) -> list[Callable[[], None]]:
    """What a worker of these queues does every few seconds, so that no run or job is stuck."""
    chores: list[Callable[[], None]] = [
        answers.handle_lost_runs,
        why_not.fail_lost,
        jobs.handle_lost_jobs,
        _clear_forgotten_runs,
    ]
    if heartbeats.ANSWERS in names:
        chores += [answers.send_waiting]
    if set(names).intersection(heartbeats.JOB_QUEUES):
        chores += [_clear_forgotten_jobs]
    if heartbeats.JOBS in names:
        chores += [jobs.send_waiting, outcomes.look_after_refreshes, webhooks.send_due]
    return chores


def _clear_forgotten_runs() -> None:
    answers.handle_forgotten_runs(worker=identity.NAME, held=watchdog.list_keys(watchdog.RUN))
    why_not.fail_forgotten(worker=identity.NAME, held=watchdog.list_keys(watchdog.DIAGNOSIS))


def _clear_forgotten_jobs() -> None:
    jobs.handle_forgotten_jobs(worker=identity.NAME, held=watchdog.list_keys(watchdog.JOB))


def _run_chore(chore: Callable[[], object]) -> object:
    try:
        return chore()
    except (*AWAY, RedisError) as error:
        logger.warning("%s: a server is away: %s", chore.__name__, error)
        connection.close()
    except Exception:  # the next look must come
        logger.exception("%s broke", chore.__name__)
        connection.close()
    return None


def _stop_process(names: list[str]) -> None:
    """End this process, because a thread of it cannot be ended otherwise; whoever started it starts another."""
    identity.stopping.set()  # long jobs give themselves back, and nothing is begun
    until = time.monotonic() + FINISH_S
    while (watchdog.list_keys(watchdog.RUN) or watchdog.list_keys(watchdog.JOB)) and time.monotonic() < until:
        time.sleep(0.1)
    for name in names:
        with contextlib.suppress(RedisError):
            heartbeats.mark_left(name, identity.NAME)
    logger.error("this worker ends, because work in it does not")
    logging.shutdown()
    os._exit(EXIT_CODE)
