"""Telling who watches jobs that one changed."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from webapp.jobs.models import Job
from webapp.jobs.serializers import render_job
from webapp.live import channels

JOBS = "jobs"
"""The channel group of everybody who watches jobs and graph states."""


def notify_job_on_commit(job_id: int) -> None:
    """Announce a job, as the API shows it, once the transaction is committed."""
    transaction.on_commit(partial(_notify_job, job_id))


def _notify_job(job_id: int) -> None:
    job = Job.objects.filter(pk=job_id).first()
    if job is not None:
        channels.send(JOBS, {"type": "jobs.frame", "frame": {"type": "job", "job": render_job(job)}})
