"""Task names, and sending them. The web process knows tasks by name only, so it never imports the worker."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from webapp.jobs import presence
from webapp.project.celery import app

IMPORT_GRAPH = "clew.import_graph"
INDEX_GRAPH = "clew.index_graph"
TRAIN = "clew.train"
LABEL = "clew.label"
EVALUATE = "clew.evaluate"
EXTRACT = "clew.extract"
SYNTHESISE = "clew.synthesise"
REVIEW = "clew.review"
PURGE_REVIEW = "clew.purge_review"
ANSWER = "clew.answer"
WARM = "clew.warm"
TEST_MODEL = "clew.test_model"

QUEUE_OF = {
    IMPORT_GRAPH: presence.JOBS,
    INDEX_GRAPH: presence.JOBS,
    TRAIN: presence.JOBS,
    LABEL: presence.JOBS,
    EVALUATE: presence.JOBS,
    EXTRACT: presence.JOBS,
    SYNTHESISE: presence.JOBS,
    REVIEW: presence.JOBS,
    PURGE_REVIEW: presence.JOBS,
    ANSWER: presence.ANSWERS,
    TEST_MODEL: presence.ANSWERS,
    WARM: presence.ANSWERS,
}


def enqueue(task: str, key: int | str | UUID) -> None:
    """Send a task once the surrounding transaction is committed."""
    transaction.on_commit(partial(send, task, key))


def send(task: str, key: int | str | UUID) -> None:
    """Send a task now. Sending twice is harmless: tasks claim their row first."""
    app.send_task(task, args=[key if isinstance(key, int) else str(key)], queue=QUEUE_OF[task], retry=False)
