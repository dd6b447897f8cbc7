"""Question sets and their questions."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled
from webapp.graphs.models import Graph, Trashable


class QuestionSet(Trashable):
    """Questions with known answers over one graph.

    ``checked`` is what the version of the graph whose hash is ``checked_on`` knows of them, ``bytes`` what they
    count for against a quota.
    """

    visible_through = "graph"
    owner_path = "created_by_id"
    managed_through = "graph"

    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="question_sets")
    format = models.CharField(max_length=32)
    questions = models.PositiveIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)
    splits = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    checked = models.JSONField(null=True)
    checked_on = models.CharField(max_length=128, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["graph", "name"], condition=models.Q(deleted_at=None), name="question_set_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class QuestionRow(AccessControlled):
    """One question. ``key`` is its id within the set."""

    visible_through = "set__graph"

    set = models.ForeignKey(QuestionSet, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    question = models.TextField()
    topic_entities = models.JSONField(default=list)
    answers = models.JSONField(default=list)
    paths = models.JSONField(default=list)
    triples = models.JSONField(default=list)
    passages = models.JSONField(default=list)
    hops = models.PositiveSmallIntegerField(null=True)
    split = models.CharField(max_length=16, blank=True)
    program = models.JSONField(null=True)
    operators = models.JSONField(default=list)
    also = models.JSONField(default=list)

    class Meta:
        db_table = "questions_question"
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["set", "position"], name="question_position")]

    def __str__(self) -> str:
        return self.question
