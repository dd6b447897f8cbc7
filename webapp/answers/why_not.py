"""The life of a diagnosis: why a run did not give an expected answer is asked, claimed by one worker, and ended."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from retrieval.errors import ClewError
from retrieval.events import to_plain
from webapp.accounts.models import User
from webapp.answers import fair_queue
from webapp.answers.models import ACTIVE, Diagnosis, Run, RunState
from webapp.api.errors import ConflictError
from webapp.api.failures import build_error_columns
from webapp.graphs import browse, selectors, snapshots
from webapp.jobs import heartbeats, queue


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """What was expected: an entity of the run's version of the graph, or a name that it may lack."""

    name: str
    entity: int | None = None


def ask(*, run: Run, expected: ExpectedAnswer, user: User) -> Diagnosis:
    """Have a worker find out.

    Raises:
        TooManyRunsError: the person has enough waiting.
        ConflictError: the run has no answer to compare with, or its version of the graph is gone.
        NotImportedError: the graph stays in an endpoint.
        UnknownEntityError: the graph has no such entity.
    """
    if run.state != RunState.DONE:
        raise ConflictError("The run has not answered.", hint="Ask again, and wait for the answer.")
    snapshots.require_imported(run.graph)
    version = selectors.find_version(run.graph, run.snapshot_hash)
    if version is None:
        raise ConflictError("The run's version of the graph is gone.", hint="Ask again on the current one.")
    name = expected.name
    if expected.entity is not None:
        opened = snapshots.open_snapshot(version.path)
        name = opened.get_entity_label(browse.require_entity(opened, expected.entity))
    fair_queue.require_room(user)
    with transaction.atomic():
        diagnosis = Diagnosis.objects.create(run=run, name=name, entity=expected.entity, user=user)
        queue.enqueue(queue.ANSWER, diagnosis.pk)
    return diagnosis


# --- the worker's side --------------------------------------------------------------------------------


def save_findings(*, key: UUID, findings: Any) -> None:
    """Keep what a worker found, a ``WhyNot``."""
    _close_diagnosis(key, state=RunState.DONE, findings=to_plain(findings))


def fail(*, key: UUID, error: ClewError) -> None:
    """Keep why it could not be found out."""
    _close_diagnosis(key, state=RunState.FAILED, **build_error_columns(error))


def _close_diagnosis(key: UUID, **columns: Any) -> None:
    Diagnosis.objects.filter(pk=key, state__in=ACTIVE).update(finished_at=Now(), **columns)


def release_diagnosis(*, key: UUID) -> None:
    """Queue a diagnosis again whose worker ends."""
    if Diagnosis.objects.filter(pk=key, state=RunState.RUNNING).update(state=RunState.QUEUED, worker=""):
        queue.enqueue(queue.ANSWER, key)


def fail_lost() -> None:
    """Fail the diagnoses whose worker is gone."""
    for diagnosis in Diagnosis.objects.filter(state=RunState.RUNNING).exclude(worker=""):
        if all(heartbeats.is_lost(name, diagnosis.worker) for name in (heartbeats.ANSWERS, heartbeats.JOBS)):
            _mark_lost(diagnosis)


def fail_forgotten(*, worker: str, held: Collection[UUID]) -> None:
    """Fail the diagnoses that a worker has by the database and not by itself."""
    forgotten = Diagnosis.objects.filter(
        state=RunState.RUNNING, worker=worker, claimed_at__lt=Now() - heartbeats.SETTLED
    ).exclude(pk__in=held)
    for diagnosis in forgotten:
        _mark_lost(diagnosis)


def _mark_lost(diagnosis: Diagnosis) -> None:
    lost = ClewError("The worker stopped during the analysis.", hint="Ask again.")
    lost.code = "worker_lost"
    fail(key=diagnosis.pk, error=lost)
