"""Running a job: claim it, report how far it is, and end it as it ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from retrieval.errors import Cancelled, ClewError, StorageFullError
from retrieval.kg.snapshot.storage import is_full
from retrieval.types import Progress
from webapp.answers.models import Run, RunState
from webapp.jobs import cancel, log, services
from webapp.jobs.database_retry import retry_while_away
from webapp.jobs.models import Job
from webapp.jobs.signals import job_ended_early
from worker import identity, watchdog

Failed = Callable[[Job, ClewError], None]

logger = logging.getLogger(__name__)
REPORT_EVERY_S = 0.25
URGENT_EVERY_S = 0.5
WAIT_IN_PLACE_S = 60.0
"""How long work that gives way waits for the others before it gives its place back."""


class Context:
    """What the work of one job is given."""

    def __init__(self, job: Job, hold: watchdog.HeldWork) -> None:
        self.job = job
        self._held = hold
        self._flag = cancel.make_stop_check("job", job.pk)
        self._stage = ""
        self._stage_began = 0.0
        self._stage_from = 0
        self._reported = 0.0
        self._looked = 0.0

    def is_cancelled(self) -> bool:
        """Whether to stop: somebody asked, its time is over, or this worker shuts down."""
        return identity.stopping.is_set() or self._held.why is not None or self._flag()

    def should_give_way(self) -> bool:
        """Whether to stop, as `cancelled`, or to go on later; first waits here while a question or other job goes on.

        Others that take long are not waited for: the job gives its place back, with what it keeps on its way.
        """
        if self.is_cancelled() or self._held.gave_way:
            return True
        began = time.monotonic()
        if began - self._looked < URGENT_EVERY_S:
            return False
        while (job := services.find_urgent()) is not None or _is_asked():
            self._held.gave_way = job is not None and time.monotonic() - began > WAIT_IN_PLACE_S
            if self._held.gave_way or self.is_cancelled():
                return True
            time.sleep(URGENT_EVERY_S)
        self._looked = time.monotonic()
        self._held.limit_s += self._looked - began
        return False

    def check(self) -> None:
        """A point where the work can be stopped.

        Raises:
            Cancelled: stopping was asked for.
        """
        if self.is_cancelled():
            raise Cancelled("The job was stopped.")

    def check_before_commit(self) -> None:
        """The last point where the work can be stopped: before what it made takes the place of what was there.

        `check` looks ten times a second at most, so that a request may come between its last look and the end.

        Raises:
            Cancelled: stopping was asked for.
        """
        if self.is_cancelled() or services.is_cancel_requested(self.job.pk):
            raise Cancelled("The job was stopped.")

    def update_progress(self, progress: Progress) -> None:
        """Report how far the work is, four times a second at most. Also a point where it can be stopped.

        Raises:
            Cancelled: stopping was asked for.
        """
        self.check()
        now = time.monotonic()
        new_stage = progress.stage != self._stage
        if new_stage:
            if progress.stage:
                log.write(self.job.pk, f"{progress.stage[:1].upper()}{progress.stage[1:]}.")
            self._stage, self._stage_began, self._stage_from = progress.stage, now, progress.done
        if new_stage or now - self._reported >= REPORT_EVERY_S or progress.done == progress.total:
            self._reported = now
            services.save_progress(job_id=self.job.pk, progress=progress, rate=self._compute_rate(progress, now))

    def _compute_rate(self, progress: Progress, now: float) -> float | None:
        elapsed = now - self._stage_began
        return (progress.done - self._stage_from) / elapsed if elapsed >= 0.5 else None


def run(job_id: int, work: Callable[[Context], Any], *, failed: Failed | None = None) -> None:
    """Claim a job and do its work. A job that is not waiting is left alone, so a task may come twice.

    Whatever the work raises, the job ends as it ended; an end that cannot be written is written when the database is
    back, or found by the sweep.

    Args:
        work: does it and returns its result as JSON types.
        failed: told when it broke, to put right what it was for.
    """
    if identity.stopping.is_set():
        return  # it stays queued
    job = retry_while_away(partial(services.claim, job_id=job_id, worker=identity.NAME))
    if job is None:
        return
    flag = cancel.make_stop_check("job", job.pk)
    with watchdog.register_work(
        watchdog.JOB,
        job.pk,
        limit_s=settings.JOB_HOURS_MAX[job.kind] * 3600,
        stopped=lambda: flag() or services.is_cancel_requested(job.pk),
        give_up=lambda why: _fail_stuck_job(job, why, failed),
    ) as hold:
        try:
            with hold.allow_interrupts():
                result = work(Context(job, hold))
        except BaseException as error:
            if watchdog.is_process_ending(error):
                services.requeue(job_id=job.pk)
                raise
            connection.close()  # it may have broken in the middle of a request
            if not hold.given_up:
                retry_while_away(partial(_close_job, job, error, hold, failed))
        else:
            if not hold.given_up:
                retry_while_away(partial(services.finish, job_id=job.pk, result=result))


def _close_job(job: Job, error: BaseException, hold: watchdog.HeldWork, failed: Failed | None) -> None:
    """Write how a job ended that is not done."""
    if hold.overdue:
        _fail(job, _build_overdue_error(job), failed)
    elif isinstance(error, Cancelled) or hold.why is not None:
        _close_stopped(job, gave_way=hold.gave_way)
    elif isinstance(error, ClewError):
        _fail(job, error, failed)
    elif not Job.objects.filter(pk=job.pk).exists():
        logger.info("job %s was deleted while it ran", job.pk)
    else:
        logger.error("job %s broke", job.pk, exc_info=error)
        _fail(job, _explain_error(error), failed)


def _explain_error(error: BaseException) -> ClewError:
    """What a person is told of an error that nobody foresaw, or of a disk that is full."""
    if is_full(error):
        return StorageFullError(
            "The disk became full in the middle; nothing half done was kept.",
            hint="Free some space on the worker's disk, or ask its operator, and try the job again.",
        )
    broken = ClewError(
        "Something inside Clew broke.",
        hint=f"The log of the worker has the details ({type(error).__name__}).",
    )
    broken.code = "internal"
    return broken


def _build_overdue_error(job: Job) -> ClewError:
    error = ClewError(
        f"The job took longer than {settings.JOB_HOURS_MAX[job.kind]:g} hours and was stopped.",
        hint="What it keeps on its way is kept: try it again to go on, or give it less to do.",
    )
    error.code = watchdog.Why.OVERDUE.value
    return error


def _is_asked() -> bool:
    return Run.objects.filter(state__in=(RunState.QUEUED, RunState.RUNNING)).exists()


def _close_stopped(job: Job, *, gave_way: bool = False) -> None:
    if not services.is_cancel_requested(job.pk):
        if identity.stopping.is_set():
            services.requeue(job_id=job.pk)
            return
        if gave_way:
            services.requeue(job_id=job.pk, reason="other jobs are more urgent")
            return
    with transaction.atomic():  # who is told that it was stopped asks at once for what it was for
        services.finish_cancelled(job_id=job.pk)
        job_ended_early.send(sender=Job, job=job)
    cancel.clear(job.pk, "job")


def _fail(job: Job, error: ClewError, failed: Failed | None) -> None:
    with transaction.atomic():
        services.fail(job_id=job.pk, error=error)
        if failed is not None:
            failed(job, error)


def _fail_stuck_job(job: Job, why: watchdog.Why, failed: Failed | None) -> None:
    """End the row of a job whose work does not end."""
    end = (
        partial(_fail, job, _build_overdue_error(job), failed)
        if why == watchdog.Why.OVERDUE
        else partial(_close_stopped, job)
    )
    retry_while_away(end)
