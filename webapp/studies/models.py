"""Studies: what is trained and tested, on which question sets, and what came out of each cell."""

from __future__ import annotations

from django.db import models

from webapp.api.access import AccessControlled, Person
from webapp.api.failures import Failable
from webapp.experiments.models import Checkpoint, LabelSet, MadeByJob, Report
from webapp.graphs.models import Graph, Trashable
from webapp.questions.models import QuestionSet

CAPSULE = "capsule.zip"
"""The file of a study's directory that holds all of it."""


class Study(MadeByJob, Trashable):
    """Variants on question sets, shares and seeds, done cell by cell.

    ``plan`` is the plan as the engine reads it (:mod:`retrieval.studies.plan`), without its data, which are the rows of
    :class:`StudySet`. ``graph`` is that of the first set: its owner may manage the study. ``bytes`` is what is kept of
    it on the disk.
    """

    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="studies")
    preset = models.CharField(max_length=64, blank=True)
    plan = models.JSONField(default=dict)
    llm = models.IntegerField(null=True)
    llm_name = models.CharField(max_length=200, blank=True)
    bytes = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name

    @property
    def capsule(self) -> bool:
        """Whether its capsule was made: of the cells that are done, when all were tried."""
        return self.finished_at is not None and self.cells.filter(result__isnull=False).exists()

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Those of whose graphs a person sees every one."""
        seen = Graph._base_manager.filter(Graph.make_visibility_filter(user)).values("pk")
        hidden = StudySet._base_manager.exclude(graph=None).exclude(graph__in=seen)
        return models.Q(graph__in=seen) & ~models.Q(pk__in=hidden.values("study"))


class StudySet(AccessControlled):
    """A question set of a study, on the version of its graph that was current when the study began.

    ``name`` is what the plan calls it. What is trained on or tested outlives what it was made of.
    """

    visible_through = "study"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sets")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, null=True, on_delete=models.SET_NULL, related_name="study_sets")
    snapshot_hash = models.CharField(max_length=128)
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="+")
    label_set = models.ForeignKey(LabelSet, null=True, on_delete=models.SET_NULL, related_name="+")
    label_set_name = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return self.name


class StudyCell(Failable):
    """One training of a study tested on one set: its result, or why there is none.

    ``result`` is what the engine's study yields of it; null until it is done. ``report`` holds its questions.
    """

    visible_through = "study"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="cells")
    position = models.PositiveIntegerField()
    train = models.CharField(max_length=200)
    test = models.CharField(max_length=200)
    variant = models.CharField(max_length=200)
    fraction = models.FloatField()
    seed = models.BigIntegerField()
    result = models.JSONField(null=True)
    report = models.OneToOneField(Report, null=True, on_delete=models.SET_NULL, related_name="cell")
    checkpoint = models.ForeignKey(Checkpoint, null=True, on_delete=models.SET_NULL, related_name="cells")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "position"], name="study_cell_position")]

    def __str__(self) -> str:
        return f"{self.variant} on {self.test}"
