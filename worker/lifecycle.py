"""What a worker does besides its tasks: heartbeats, looking for work that others left, warming up."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from celery.signals import worker_init, worker_ready, worker_shutdown, worker_shutting_down
from django.db import connection

from retrieval.llm import pacing
from webapp.answers import services as answers
from webapp.answers.models import Run, RunState
from webapp.graphs import services as graphs
from webapp.graphs import trash
from webapp.jobs import presence, queue
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind, JobState
from webapp.review import removing as reviews
from webapp.uploads import services as uploads
from worker import engines, identity, indexing, language_models

logger = logging.getLogger(__name__)
_done = threading.Event()
TIDY_EVERY_S = 600.0
"""How often expired uploads and old trash are deleted."""


def queues_of(controller: Any) -> list[str]:
    """The queues that a Celery worker consumes."""
    return list(controller.app.amqp.queues.consume_from)


@worker_init.connect(weak=False)
def on_init(sender: Any, **_: Any) -> None:
    """Load what the first question needs before saying that this worker is there."""
    pacing.use(language_models.SharedPace())
    if presence.ANSWERS in queues_of(sender):
        engines.warm_encoder()


@worker_ready.connect(weak=False)
def on_ready(sender: Any, **_: Any) -> None:
    """Say that this worker is there, and take up what waits."""
    names = queues_of(sender.controller if hasattr(sender, "controller") else sender)
    for name in names:
        presence.beat(name, identity.NAME)
    threading.Thread(target=_beat, args=(names,), name="heartbeat", daemon=True).start()
    send_waiting(names)
    warm = engines.warm_graphs if presence.ANSWERS in names else _warm_jobs
    threading.Thread(target=warm, name="warm-up", daemon=True).start()


@worker_shutting_down.connect(weak=False)
def on_shutting_down(**_: Any) -> None:
    """Ask long jobs to give themselves back."""
    identity.stopping.set()


@worker_shutdown.connect(weak=False)
def on_shutdown(sender: Any, **_: Any) -> None:
    """Say that this worker is gone."""
    _done.set()
    for name in queues_of(sender):
        presence.leave(name, identity.NAME)


def send_waiting(names: list[str]) -> None:
    """Send the tasks of rows that wait, in case their messages were lost. Doubles are harmless."""
    if presence.ANSWERS in names:
        for run_id in (
            Run.objects.filter(state=RunState.QUEUED).order_by("created_at").values_list("pk", flat=True)
        ):
            queue.send(queue.ANSWER, run_id)
    if presence.JOBS in names:
        for job in Job.objects.filter(state=JobState.QUEUED).order_by("created_at", "pk"):
            queue.send(jobs.TASK_OF[JobKind(job.kind)], job.pk)
    connection.close()


def _warm_jobs() -> None:
    try:
        engines.warm_training()
        indexing.renew()
    finally:
        connection.close()


def _beat(names: list[str]) -> None:
    tidied = float("-inf")
    while not _done.wait(presence.BEAT_S):
        try:
            for name in names:
                presence.beat(name, identity.NAME)
            answers.sweep()
            jobs.sweep()
            if presence.JOBS in names and time.monotonic() - tidied > TIDY_EVERY_S:
                tidied = time.monotonic()
                uploads.sweep()
                trash.sweep()
                reviews.sweep()
                graphs.sweep_files()
        except Exception:  # a server that is away comes back; the heart must go on
            logger.warning("heartbeat failed", exc_info=True)
        finally:
            connection.close()
