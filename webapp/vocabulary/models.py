"""Descriptions and synonyms that people give to the relations and kinds of a graph."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled
from webapp.graphs.models import Graph


class Category(models.TextChoices):
    """Which terms a graph has."""

    RELATION = "relation"
    KIND = "kind"


class VocabularyEntry(AccessControlled):
    """A term of a graph as people describe it; it belongs to the graph, so that all versions are read with it.

    ``name`` is a relation's name as the graph spells it, or a kind's label. An entry replaces the description, the
    synonyms and the unit that came with the graph's files.
    """

    visible_through = "graph"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="vocabulary")
    category = models.CharField(max_length=8, choices=Category)
    name = models.TextField()
    description = models.TextField(blank=True)
    synonyms = models.JSONField(default=list)
    unit = models.CharField(max_length=40, blank=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "vocabulary entry"
        verbose_name_plural = "vocabulary entries"
        ordering = ["category", "name"]
        constraints = [models.UniqueConstraint(fields=["graph", "category", "name"], name="vocabulary_entry_once")]

    def __str__(self) -> str:
        return f"{self.graph_id} {self.category} {self.name}"
