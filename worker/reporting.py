"""Running a job: claim it, report how far it is, and end it as it ended."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable
from typing import Any

from retrieval.errors import Cancelled, ClewError, StorageFullError
from retrieval.types import Progress
from webapp.jobs import cancel, log, services
from webapp.jobs.models import Job
from webapp.jobs.signals import job_ended_early
from worker import identity

logger = logging.getLogger(__name__)
REPORT_EVERY_S = 0.25


class Context:
    """What the work of one job is given."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._flag = cancel.flag("job", job.pk)
        self._stage = ""
        self._stage_began = 0.0
        self._stage_from = 0
        self._reported = 0.0

    def cancelled(self) -> bool:
        """Whether to stop: somebody asked, or this worker shuts down."""
        return identity.stopping.is_set() or self._flag()

    def check(self) -> None:
        """A point where the work can be stopped.

        Raises:
            Cancelled: stopping was asked for.
        """
        if self.cancelled():
            raise Cancelled("The job was stopped.")

    def progress(self, progress: Progress) -> None:
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
            services.report(job_id=self.job.pk, progress=progress, rate=self._rate(progress, now))

    def _rate(self, progress: Progress, now: float) -> float | None:
        elapsed = now - self._stage_began
        return (progress.done - self._stage_from) / elapsed if elapsed >= 0.5 else None


def run(
    job_id: int, work: Callable[[Context], Any], *, failed: Callable[[Job, ClewError], None] | None = None
) -> None:
    """Claim a job and do its work. A job that is not waiting is left alone, so a task may come twice.

    Args:
        job_id: the job.
        work: does it and returns its result as JSON types.
        failed: told when it broke or was stopped for good, to put right what it was for.
    """
    job = services.claim(job_id=job_id, worker=identity.NAME)
    if job is None:
        return
    context = Context(job)
    try:
        result = work(context)
    except Cancelled:
        _stopped(job)
    except ClewError as error:
        _fail(job, error, failed)
    except Exception as error:
        if not Job.objects.filter(pk=job.pk).exists():
            logger.info("job %s was deleted while it ran", job.pk)
            return
        logger.exception("job %s broke", job.pk)
        _fail(job, _told(error), failed)
    else:
        services.finish(job_id=job.pk, result=result)


def _told(error: Exception) -> ClewError:
    """What a person is told of an error that nobody foresaw, or of a disk that is full."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
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


def _stopped(job: Job) -> None:
    if identity.stopping.is_set() and not Job.objects.filter(pk=job.pk, cancel_requested=True).exists():
        services.requeue(job_id=job.pk)
        return
    services.finish_cancelled(job_id=job.pk)
    cancel.clear("job", job.pk)
    job_ended_early.send(sender=Job, job=job)


def _fail(job: Job, error: ClewError, failed: Callable[[Job, ClewError], None] | None) -> None:
    services.fail(job_id=job.pk, error=error)
    if failed is not None:
        failed(job, error)
