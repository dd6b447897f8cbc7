"""What happened to a job, line by line, for who wants to know why it ended as it did."""

from __future__ import annotations

from webapp.jobs.models import Job, Level, LogLine

LINES_MAX = 1000
TEXT_MAX = 2000


def write(job_id: int, text: str, level: Level = Level.INFO) -> None:
    """Add a line, unless the job was deleted or its log is full."""
    if LogLine.objects.filter(job=job_id).count() < LINES_MAX and Job.objects.filter(pk=job_id).exists():
        LogLine.objects.create(job_id=job_id, text=text.replace("\0", "�")[:TEXT_MAX], level=level)
