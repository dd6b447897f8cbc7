"""The source of a graph, and its refreshes."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.api.failures import Failable
from webapp.graphs.models import Graph, GraphVersion
from webapp.jobs.models import Job


class SourceKind(models.TextChoices):
    """How a source is read."""

    FILES = "files"
    S3 = "s3"
    POSTGRESQL = "postgresql"
    SQLITE = "sqlite"
    SPARQL = "sparql"


QUERIED = frozenset({SourceKind.POSTGRESQL, SourceKind.SQLITE, SourceKind.SPARQL})
"""Kinds that answer a query."""

TABULAR = QUERIED - {SourceKind.SPARQL}
"""Kinds whose query answers with the rows of one table."""

PROTECTED = frozenset({SourceKind.POSTGRESQL, SourceKind.S3})
"""Kinds whose address may hold a password or secret key."""


class GraphSource(Failable):
    """Where a graph's next versions are read from. The error columns hold the latest failure, until one succeeds.

    ``addresses`` are those of files; every other kind has one. ``file_name`` is the name under which a
    single file, or the rows of a query, are imported. ``schedule`` is a line of cron in UTC, empty for none, and
    ``next_at`` its next time. ``fingerprint`` and ``content_hash`` are of the content read last, which became
    ``read_version`` or was equal to it. ``failures`` counts those in a row.
    """

    visible_through = "graph"
    managed_through = "graph"

    graph = models.OneToOneField(Graph, on_delete=models.CASCADE, related_name="source")
    kind = models.CharField(max_length=16, choices=SourceKind)
    addresses = models.JSONField(default=list)
    encrypted_password = models.TextField(blank=True)
    query = models.TextField(blank=True)
    file_name = models.CharField(max_length=200, blank=True)
    schedule = models.CharField(max_length=100, blank=True)
    next_at = models.DateTimeField(null=True)
    notify = models.EmailField(blank=True)
    fingerprint = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64, blank=True)
    read_version = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "source"
        indexes = [models.Index(fields=["next_at"])]

    def __str__(self) -> str:
        return f"{self.kind} of {self.graph_id}"


class Cause(models.TextChoices):
    """Who began a refresh."""

    HAND = "hand"
    SCHEDULE = "schedule"


class Outcome(models.TextChoices):
    """How a refresh ended; empty while it goes on."""

    OPEN = ""
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    HELD = "held"
    SHRUNK = "shrunk"
    FAILED = "failed"
    STOPPED = "stopped"


class Refresh(Failable):
    """One reading of a source. ``before`` and ``after`` are the sizes of the current and of the new version.

    ``job`` is the import that does the work. ``retry_at`` is set while a source that does not answer is waited for;
    ``attempt`` counts from 1. ``confirmed`` says that a person takes a version that lost half of its content.
    """

    visible_through = "graph"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="refreshes")
    source = models.ForeignKey(GraphSource, null=True, on_delete=models.SET_NULL, related_name="refreshes")
    cause = models.CharField(max_length=16, choices=Cause)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="refreshes")
    version = models.ForeignKey(GraphVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    outcome = models.CharField(max_length=16, choices=Outcome, blank=True)
    confirmed = models.BooleanField(default=False)
    attempt = models.PositiveSmallIntegerField(default=1)
    retry_at = models.DateTimeField(null=True)
    fingerprint = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64, blank=True)
    before = models.BigIntegerField(default=0)
    after = models.BigIntegerField(default=0)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-started_at", "-id"]
        indexes = [models.Index(fields=["outcome"])]
        constraints = [
            models.UniqueConstraint(fields=["graph"], condition=models.Q(outcome=""), name="one_open_refresh")
        ]

    def __str__(self) -> str:
        return f"refresh {self.pk} of {self.graph_id}"
