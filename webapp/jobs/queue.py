"""Task names, and sending them. The web process knows tasks by name only, so it never imports the worker."""

from __future__ import annotations

import logging
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from webapp.api.redis import get_redis_client
from webapp.jobs import heartbeats, unsent
from webapp.jobs.celery import app

logger = logging.getLogger(__name__)
AT_ONCE = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
"""A connection that broke while nobody used it is made anew."""

IMPORT_GRAPH = "clew.import_graph"
INDEX_GRAPH = "clew.index_graph"
TRAIN = "clew.train"
LABEL = "clew.label"
EVALUATE = "clew.evaluate"
EXTRACT = "clew.extract"
SYNTHESISE = "clew.synthesise"
REVIEW = "clew.review"
SELF_TRAIN = "clew.self_train"
STUDY = "clew.study"
TEST_GRAPH = "clew.test_graph"
TAKE_CHECKPOINT = "clew.take_checkpoint"
CALIBRATE = "clew.calibrate"
PURGE_REVIEW = "clew.purge_review"
ANSWER = "clew.answer"
WARM = "clew.warm"
TEST_MODEL = "clew.test_model"
DELIVER = "clew.deliver"

QUEUE_OF = {
    IMPORT_GRAPH: heartbeats.JOBS,
    INDEX_GRAPH: heartbeats.JOBS,
    TRAIN: heartbeats.LONG,
    LABEL: heartbeats.LONG,
    EVALUATE: heartbeats.LONG,
    EXTRACT: heartbeats.LONG,
    SYNTHESISE: heartbeats.LONG,
    REVIEW: heartbeats.JOBS,
    SELF_TRAIN: heartbeats.LONG,
    STUDY: heartbeats.LONG,
    TEST_GRAPH: heartbeats.JOBS,
    TAKE_CHECKPOINT: heartbeats.JOBS,
    CALIBRATE: heartbeats.LONG,
    PURGE_REVIEW: heartbeats.JOBS,
    ANSWER: heartbeats.ANSWERS,
    TEST_MODEL: heartbeats.JOBS,
    DELIVER: heartbeats.JOBS,
    WARM: "warm",
}

KIND_OF = {
    task: "job"
    for task, queue in QUEUE_OF.items()
    if queue in heartbeats.JOB_QUEUES and task not in (PURGE_REVIEW, TEST_MODEL, DELIVER)
}
KIND_OF[ANSWER] = "run"
"""What has a row that says it waits, so that it is sent again until it is done."""


def enqueue(task: str, key: int | str | UUID, *, is_large: bool = False) -> None:
    """Send a task once the surrounding transaction is committed."""
    transaction.on_commit(partial(send, task, key, is_large=is_large))


def send(task: str, key: int | str | UUID, *, is_large: bool = False) -> None:
    """Send a task now; a large one to the worker of long jobs.

    Sending twice is harmless: tasks claim their row first.

    A queue that is away breaks nothing: rows that wait are looked for again and again (:func:`count_waiting`), and
    whoever asked by HTTP is told (:mod:`webapp.jobs.unsent`).
    """
    args = [key if isinstance(key, int) else str(key)]
    try:
        to = heartbeats.LONG if is_large else QUEUE_OF[task]
        exchange = app.amqp.queues[to].exchange  # Celery declares none that reaches several queues
        app.send_task(task, args=args, queue=to, declare=[exchange], retry=True, retry_policy=AT_ONCE)
    except (KombuError, RedisError, OSError) as error:
        logger.warning("%s %s could not be sent: %s", task, key, error)
        if task in KIND_OF:
            unsent.register_unsent(KIND_OF[task], key)


def count_waiting(queue: str) -> int:
    """How many messages no worker has taken yet."""
    return int(get_redis_client().llen(f"{settings.CELERY_BROKER_TRANSPORT_OPTIONS['global_keyprefix']}{queue}"))
