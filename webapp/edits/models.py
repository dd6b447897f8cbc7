"""Edits of a graph by hand, the versions that contain them, and pairs of entities that are not duplicates."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled
from webapp.graphs.models import Graph, GraphVersion
from webapp.jobs.models import Job


class GraphEdit(AccessControlled):
    """One operation on a graph by a person, with reason and source; ``number`` counts within the graph.

    ``operation`` is the engine's JSON form, empty for an undo of ``undoes``. ``version`` is the version that it first
    made, None until ``job`` is done. ``message`` says why it could not be applied the last time.
    """

    visible_through = "graph"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="edits")
    number = models.PositiveIntegerField()
    operation = models.JSONField(default=dict)
    description = models.TextField()
    undoes = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="undo_edits")
    reason = models.CharField(max_length=2000, blank=True)
    source = models.CharField(max_length=2000, blank=True)
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="edits")
    version = models.ForeignKey(GraphVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    is_applied = models.BooleanField(default=False)
    message = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "edit"
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["graph", "number"], name="edit_number")]

    def __str__(self) -> str:
        return f"{self.graph_id} edit {self.number}"


class AppliedEdit(AccessControlled):
    """The effect that an edit has in ``versions``: the one that it was applied to, and those made from that one."""

    visible_through = "edit__graph"

    edit = models.ForeignKey(GraphEdit, on_delete=models.CASCADE, related_name="applications")
    versions = models.ManyToManyField(GraphVersion, related_name="+")
    effect = models.JSONField()

    def __str__(self) -> str:
        return f"{self.edit_id} applied"


class DistinctPair(AccessControlled):
    """Two entities, by label in the order of the alphabet, of which a person said that they are not the same."""

    visible_through = "graph"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="distinct_pairs")
    first = models.TextField()
    second = models.TextField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.first} is not {self.second}"
