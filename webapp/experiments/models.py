"""Checkpoints: what training leaves behind."""

from __future__ import annotations

from django.db import models

from webapp.graphs.models import Graph, Snapshot
from webapp.questions.models import QuestionSet


class Checkpoint(models.Model):
    """A trained retriever. ``path`` is its directory in the storage."""

    method = models.CharField(max_length=32)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="checkpoints")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="checkpoints")
    question_set = models.ForeignKey(
        QuestionSet, null=True, on_delete=models.SET_NULL, related_name="checkpoints"
    )
    encoder = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=128)
    path = models.CharField(max_length=300)
    metrics = models.JSONField(default=dict)
    config = models.JSONField(default=dict)
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="checkpoint")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.method} {self.fingerprint[:8]}"
