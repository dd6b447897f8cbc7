"""The life of a job: queued, claimed by one worker, reported on, ended."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Model
from django.db.models.functions import Now
from redis.exceptions import RedisError

from retrieval.errors import ClewError
from retrieval.types import Progress
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, TooManyJobsError
from webapp.api.failures import NO_ERROR, build_error_columns
from webapp.api.signals import Event, event_occurred
from webapp.jobs import announce, cancel, heartbeats, log, queue, stages, unsent
from webapp.jobs.models import ACTIVE, ALONE, Job, JobKind, JobState, Level
from webapp.jobs.signals import job_ended_early, job_retried
from webapp.jobs.stages import StageState

TASK_OF = {
    JobKind.IMPORT: queue.IMPORT_GRAPH,
    JobKind.INDEX: queue.INDEX_GRAPH,
    JobKind.TRAIN: queue.TRAIN,
    JobKind.LABEL: queue.LABEL,
    JobKind.EVALUATE: queue.EVALUATE,
    JobKind.EXTRACT: queue.EXTRACT,
    JobKind.SYNTHESISE: queue.SYNTHESISE,
    JobKind.REVIEW: queue.REVIEW,
    JobKind.SELF_TRAIN: queue.SELF_TRAIN,
    JobKind.STUDY: queue.STUDY,
    JobKind.TEST: queue.TEST_GRAPH,
    JobKind.CHECKPOINT: queue.TAKE_CHECKPOINT,
    JobKind.CALIBRATE: queue.CALIBRATE,
}
ENDED = {
    JobState.DONE: StageState.DONE,
    JobState.FAILED: StageState.FAILED,
    JobState.CANCELLED: StageState.STOPPED,
}
ATTEMPTS_MAX = 2
LONG_LOCK = 7_241_001  # any number that nothing else locks in this database
WORKER_LOST = ("worker_lost", "The worker stopped in the middle of this job.", "Start it again.")


def create(
    *,
    kind: JobKind,
    title: str,
    graph: Model,
    user: User | None,
    params: dict[str, Any] | None = None,
    is_large: bool = False,
) -> Job:
    """A new job, sent to the workers once the transaction is committed.

    Raises:
        TooManyJobsError: the person has enough of them waiting. What a job itself begins is never refused.
    """
    if user is not None and unsent.is_in_request():
        _require_room(user)
    job = Job.objects.create(
        kind=kind,
        title=title[:300],
        graph_id=graph.pk,
        user=user,
        params=params or {},
        is_large=is_large,
        stages=stages.make_waiting(kind),
    )
    log.write(job.pk, "Queued.")
    _enqueue(job)
    announce.notify_job_on_commit(job.pk)
    return job


def _enqueue(job: Job) -> None:
    queue.enqueue(TASK_OF[JobKind(job.kind)], job.pk, is_large=job.is_large)


def _send(job: Job) -> None:
    queue.send(TASK_OF[JobKind(job.kind)], job.pk, is_large=job.is_large)


def _require_room(user: User) -> None:
    waiting = Job.objects.filter(user=user, state=JobState.QUEUED).count()
    if waiting >= settings.JOBS_WAITING_MAX:
        raise TooManyJobsError(
            f"{waiting} of your jobs are waiting already.",
            hint="Wait until some are done, or stop those that you do not need.",
        )


def claim(*, job_id: int, worker: str) -> Job | None:
    """Begin a queued job; None when it is not there to be begun (done, cancelled, deleted, another worker's).

    One long job (training, labelling, evaluating) runs at a time, so that two do not slow each other down, and one
    self-training while nothing else is to be done. One that must wait stays queued; the other's end sends it again.
    """
    with transaction.atomic():
        waiting = Job.objects.filter(pk=job_id, state=JobState.QUEUED)
        kind = waiting.values_list("kind", flat=True).first()
        exclusive_kinds = next((kinds for kinds in ALONE if kind in kinds), ())
        if exclusive_kinds:
            _lock_long()
            other = Job.objects.filter(kind__in=exclusive_kinds, state=JobState.RUNNING).first()
            if other is None and kind == JobKind.SELF_TRAIN:
                other = find_urgent()
            if other is not None:
                stage = f"waiting for: {other.title}"[:200]
                if waiting.exclude(stage=stage).update(stage=stage):
                    announce.notify_job_on_commit(job_id)
                return None
        return _claim(job_id, worker)


def find_urgent() -> Job | None:
    """A job that self-training gives way to: any other that waits or runs."""
    return Job.objects.filter(state__in=ACTIVE).exclude(kind=JobKind.SELF_TRAIN).order_by("pk").first()


def _lock_long() -> None:
    """Let one claim of a long job at a time look and decide, until its transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LONG_LOCK])


def _claim(job_id: int, worker: str) -> Job | None:
    claimed = Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(
        state=JobState.RUNNING,
        worker=worker,
        started_at=Now(),
        attempts=F("attempts") + 1,
        stage="starting",
        done=0,
        total=0,
        rate=None,
        overall=0.0,
    )
    if not claimed:
        return None
    announce.notify_job_on_commit(job_id)
    job = Job.objects.select_related("graph", "graph__snapshot").get(pk=job_id)
    job.stages = stages.make_waiting(job.kind)
    Job.objects.filter(pk=job_id).update(stages=job.stages)
    log.write(job_id, f"Begun by the worker {worker}" + (f", attempt {job.attempts}." if job.attempts > 1 else "."))
    return job


def save_progress(*, job_id: int, progress: Progress, rate: float | None) -> None:
    """Record how far a running job is, and tell the watchers."""
    mine = Job.objects.filter(pk=job_id, state=JobState.RUNNING)
    current = mine.values_list("kind", "stages", "overall").first()
    if current is None:
        return
    shown, overall = stages.advance(*current, progress)
    running = mine.update(
        stages=shown,
        overall=overall,
        stage=progress.stage[:200],
        done=progress.done,
        total=progress.total,
        unit=progress.unit[:50],
        message=progress.message,
        metrics={name: value for name, value in progress.metrics.items() if math.isfinite(value)},
        rate=rate,
    )
    if running:
        announce.notify_job_on_commit(job_id)


def finish(*, job_id: int, result: Any = None) -> None:
    """End a running job that went well. Metrics of its result become the job's own."""
    metrics = result.get("metrics") if isinstance(result, dict) else None
    _close_job(job_id, state=JobState.DONE, result=result, **({"metrics": metrics} if metrics else {}))


def fail(*, job_id: int, error: ClewError) -> None:
    """End an active job that broke."""
    _close_job(
        job_id,
        state=JobState.FAILED,
        **build_error_columns(error),
    )


def finish_cancelled(*, job_id: int) -> None:
    """End an active job that somebody stopped."""
    _close_job(job_id, state=JobState.CANCELLED)


def requeue(*, job_id: int, reason: str = "the worker shuts down") -> None:
    """Give a running job back, because its worker ends or others are more urgent; it goes on where it stopped.

    This does not count as an attempt: only workers that die do.
    """
    if Job.objects.filter(pk=job_id, state=JobState.RUNNING).update(
        state=JobState.QUEUED, worker="", attempts=F("attempts") - 1
    ):
        log.write(job_id, f"Returned to the queue: {reason}.", Level.WARNING)
        announce.notify_job_on_commit(job_id)
        transaction.on_commit(send_next_long)


def retry(*, job: Job, params: dict[str, Any] | None = None) -> Job:
    """Queue a job anew that failed or was stopped; what it had done and kept is gone on with.

    Args:
        params: what is to be otherwise than before.

    Raises:
        ConflictError: it goes on, or is done.
    """
    if job.state not in (JobState.FAILED, JobState.CANCELLED):
        raise ConflictError(
            f"This job cannot be tried again: {job.state}.", hint="Only what failed or was stopped can."
        )
    cancel.clear(job.pk, "job")
    with transaction.atomic():
        waiting = Job.objects.filter(pk=job.pk, state=job.state).update(
            state=JobState.QUEUED,
            params={**job.params, **(params or {})},
            **dict.fromkeys(("stage", "message", "worker"), ""),
            **NO_ERROR,
            attempts=0,
            cancel_requested=False,
            done=0,
            total=0,
            rate=None,
            stages=stages.make_waiting(job.kind),
            overall=0.0,
            started_at=None,
            finished_at=None,
        )
        if not waiting:
            raise ConflictError("This job was tried again meanwhile.", hint="Its page shows how far it is.")
        job.refresh_from_db()
        job_retried.send(sender=Job, job=job)
        log.write(job.pk, "Queued again.")
        _enqueue(job)
        announce.notify_job_on_commit(job.pk)
    return job


def cancel_job(*, job: Job) -> Job:
    """Stop a job: at once when no worker has begun, else within a second.

    Raises:
        ConflictError: it has ended already.
    """
    if job.state not in ACTIVE:
        raise ConflictError(f"This job has ended already: {job.state}.", hint="Start a new one if you need it.")
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)
    with contextlib.suppress(RedisError):  # its worker reads the row too, a little less often
        cancel.ask_to_stop("job", job.pk)
    log.write(job.pk, "Stopping was asked for.")
    if Job.objects.filter(pk=job.pk, state=JobState.QUEUED).update(state=JobState.CANCELLED, finished_at=Now()):
        job_ended_early.send(sender=Job, job=job)
        _send_ended(job.pk)
    announce.notify_job_on_commit(job.pk)
    job.refresh_from_db()
    return job


def is_cancel_requested(job_id: int) -> bool:
    """Whether somebody asked for a job to stop, as its row says."""
    return Job.objects.filter(pk=job_id, cancel_requested=True).exists()


def stop(job: Job | None) -> None:
    """Stop a job whose result nobody wants any more; nothing to do when it has ended."""
    if job is not None:
        with contextlib.suppress(ConflictError):
            cancel_job(job=job)


def handle_lost_jobs() -> None:
    """Find running jobs whose worker is gone: queue them once more, or say that they failed."""
    for job in Job.objects.filter(state=JobState.RUNNING).exclude(worker=""):
        if all(heartbeats.is_lost(name, job.worker) for name in heartbeats.JOB_QUEUES):
            _handle_lost(job, f"The worker {job.worker} is gone; queued once more.")


def handle_forgotten_jobs(*, worker: str, held: Collection[int]) -> None:
    """The same for jobs that a worker has by the database and not by itself: their end could not be written."""
    forgotten = Job.objects.filter(
        state=JobState.RUNNING, worker=worker, started_at__lt=Now() - heartbeats.SETTLED
    ).exclude(pk__in=held)
    for job in forgotten:
        _handle_lost(job, "Its worker could not say how it ended; queued once more.")


def _handle_lost(job: Job, note: str) -> None:
    mine = Job.objects.filter(pk=job.pk, state=JobState.RUNNING, worker=job.worker, started_at=job.started_at)
    if job.cancel_requested:
        with transaction.atomic():
            finish_cancelled(job_id=job.pk)
            job_ended_early.send(sender=Job, job=job)
    elif job.attempts >= ATTEMPTS_MAX:
        code, message, hint = WORKER_LOST
        lost = ClewError(message, hint=hint)
        lost.code = code
        with transaction.atomic():
            fail(job_id=job.pk, error=lost)
            job_ended_early.send(sender=Job, job=job)
    elif mine.update(state=JobState.QUEUED, worker=""):
        log.write(job.pk, note, Level.WARNING)
        _enqueue(job)
        announce.notify_job_on_commit(job.pk)


def send_waiting() -> None:
    """Send the jobs that could begin again when messages were lost. One too many is harmless."""
    rows = Job.objects.filter(state=JobState.QUEUED).order_by("created_at", "pk")
    could_begin = [*rows.exclude(kind__in=[kind for kinds in ALONE for kind in kinds]), *_find_next_long()]
    for name in heartbeats.JOB_QUEUES:
        jobs = [job for job in could_begin if _get_queue(job) == name]
        if len(jobs) > queue.count_waiting(name):
            for job in jobs:
                _send(job)


def _get_queue(job: Job) -> str:
    return heartbeats.LONG if job.is_large else queue.QUEUE_OF[TASK_OF[JobKind(job.kind)]]


def send_next_long() -> None:
    """Send the long jobs that are next, unless one of the kind runs."""
    for following in _find_next_long():
        _send(following)


def _find_next_long() -> list[Job]:
    """Of kinds of which one job runs at a time, those that have waited longest; none while one runs."""
    next_jobs = []
    for kinds in ALONE:
        jobs = Job.objects.filter(kind__in=kinds)
        following = jobs.filter(state=JobState.QUEUED).order_by("created_at", "pk").first()
        if following is None or jobs.filter(state=JobState.RUNNING).exists():
            continue
        if following.kind != JobKind.SELF_TRAIN or find_urgent() is None:
            next_jobs.append(following)
    return next_jobs


def _close_job(job_id: int, *, state: JobState, **values: Any) -> None:
    shown = Job.objects.filter(pk=job_id).values_list("stages", flat=True).first() or []
    values["stages"] = stages.close_stages(shown, ENDED[state])
    if state == JobState.DONE:
        values["overall"] = 1.0
    with transaction.atomic():
        ended = Job.objects.filter(pk=job_id, state__in=ACTIVE).update(state=state, finished_at=Now(), **values)
        if ended:
            _send_ended(job_id)
    if ended:
        failed = state == JobState.FAILED
        lines = [values["error_message"], values["error_hint"]] if failed else [f"Ended: {state.value}."]
        log.write(job_id, " ".join(filter(None, lines)), Level.ERROR if failed else Level.INFO)
        announce.notify_job_on_commit(job_id)
        transaction.on_commit(send_next_long)


def _send_ended(job_id: int) -> None:
    event_occurred.send(sender=Job, event=Event.JOB_ENDED, keys=[job_id])
