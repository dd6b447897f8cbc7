"""Long work as a row: what it is, how far it has come, how it ended."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled
from webapp.api.failures import Failable


class JobKind(models.TextChoices):
    """What kind of work."""

    IMPORT = "import"
    INDEX = "index"
    TRAIN = "train"
    LABEL = "label"
    EVALUATE = "evaluate"
    EXTRACT = "extract"
    SYNTHESISE = "synthesise"
    REVIEW = "review"
    SELF_TRAIN = "self-train"
    STUDY = "study"
    TEST = "test"
    CHECKPOINT = "checkpoint"
    CALIBRATE = "calibrate"


LONG = (JobKind.TRAIN, JobKind.LABEL, JobKind.EVALUATE, JobKind.EXTRACT, JobKind.SYNTHESISE, JobKind.STUDY)
"""Work that takes minutes to hours and whole cores."""

ALONE: tuple[tuple[JobKind, ...], ...] = (LONG, (JobKind.SELF_TRAIN,), (JobKind.CALIBRATE,))
"""Kinds of which one job runs at a time. What Clew does by itself makes nobody wait who asked for something."""


class JobState(models.TextChoices):
    """Where a job is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Level(models.TextChoices):
    """How much a line of a job's log matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


ACTIVE = (JobState.QUEUED, JobState.RUNNING)


class Jobs(models.QuerySet["Job"]):
    """Rows of jobs, each of whose changes counts."""

    def update(self, **values: Any) -> int:
        """Change rows; each has another revision after that."""
        return super().update(**{"revision": models.F("revision") + 1, **values})


class Job(Failable):
    """One piece of long work. Only the worker named in ``worker`` writes its progress.

    An import or index that ``is_large`` is done by the worker of long jobs.
    ``stage`` to ``rate`` tell of the part that is worked on, ``stages`` and ``overall`` (0 to 1) of the whole.
    ``revision`` counts the changes by ``update``, so that who is told of a job twice knows which is the newer.
    """

    visible_through = "graph"
    owner_path = "user_id"
    managed_through = "graph"

    objects = Jobs.as_manager()

    kind = models.CharField(max_length=16, choices=JobKind)
    title = models.CharField(max_length=300)
    state = models.CharField(max_length=16, choices=JobState, default=JobState.QUEUED)
    graph = models.ForeignKey("graphs.Graph", on_delete=models.CASCADE, related_name="jobs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    params = models.JSONField(default=dict)
    is_large = models.BooleanField(default=False)
    stage = models.CharField(max_length=200, blank=True)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    unit = models.CharField(max_length=50, blank=True)
    rate = models.FloatField(null=True)
    stages = models.JSONField(default=list)
    overall = models.FloatField(default=0.0)
    message = models.TextField(blank=True)
    metrics = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    worker = models.CharField(max_length=200, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    revision = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["state"]), models.Index(fields=["finished_at"])]

    def __str__(self) -> str:
        return self.title


class LogLine(AccessControlled):
    """Something that happened to a job, in words."""

    visible_through = "job__graph"

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField(auto_now_add=True)
    level = models.CharField(max_length=8, choices=Level, default=Level.INFO)
    text = models.TextField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text
