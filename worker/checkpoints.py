"""Checkpoints that people bring as files."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from retrieval.errors import ClewError
from webapp.experiments import exchange, promotions, resolution
from webapp.jobs import queue
from webapp.jobs.models import Job
from worker import job_runs


@shared_task(name=queue.TAKE_CHECKPOINT)
def take_checkpoint(job_id: int) -> None:
    """Make a checkpoint of the file of a job."""
    job_runs.run(job_id, import_checkpoint, failed=handle_failure)


def import_checkpoint(context: job_runs.Context) -> dict[str, Any]:
    """Look through the file, open its weights, and keep the checkpoint; the file is deleted then."""
    checkpoint = exchange.take_checkpoint(job=context.job, progress=context.update_progress, check=context.check)
    exchange.delete_upload(job=context.job)
    promotions.compare_where_possible(checkpoint=checkpoint, user=context.job.user)
    used = resolution.find_checkpoint_in_use(context.job.graph)
    return {
        "checkpoint": checkpoint.pk,
        "method": checkpoint.method,
        "fingerprint": checkpoint.fingerprint,
        "in_use": used is not None and used.pk == checkpoint.pk,
    }


def handle_failure(job: Job, error: ClewError) -> None:
    """Delete the file: it does not get better."""
    del error
    exchange.delete_upload(job=job)
