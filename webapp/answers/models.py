"""Runs and their append-only event log."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from webapp.api.access import AccessControlled, Person
from webapp.api.failures import Failable
from webapp.experiments.models import Checkpoint
from webapp.graphs.models import Graph


class RunState(models.TextChoices):
    """Where a run is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ACTIVE = (RunState.QUEUED, RunState.RUNNING)
"""A worker has it, or will. A paused run waits for a person and holds no worker."""


class AcrossQuestion(AccessControlled):
    """One question over several graphs, of which each has a run of its own.

    ``entries`` are the graphs in the order they were named: ``graph``, ``name``, ``run`` (its id as text) and
    ``error``, why it could not be asked. They outlive graphs and runs, so that what is gone can be said.
    """

    owner_path = "user_id"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.TextField()
    entries = models.JSONField(default=list)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.question

    @classmethod
    def make_visibility_filter(cls, user: Person) -> Q:
        """Who asked it, and who may see one of its runs: its id cannot be guessed."""
        runs = Run.objects.filter(Run.make_visibility_filter(user)).exclude(across=None)
        return Q(user=user.pk) & Q(user__isnull=False) | Q(pk__in=runs.values("across"))


class Run(Failable):
    """One question answered by one method over one snapshot.

    ``llm`` and ``llm_name`` are the language model that may be asked, which may be deleted; ``usage`` is what it cost.
    ``pause_after`` is how many steps of an agent are done at a time (None: all), ``next_action`` what a person chose
    for the next of them, ``paused_at`` since when it waits for a person, ``rested_s`` how long it has waited before.
    ``options`` are settings of the method that differ from its defaults, by name.
    ``program`` is one that a person wrote or edited, by names; ``corrects`` is the run whose program was edited, and
    ``program_before`` what that was, which outlives it. ``follows`` is the run before in the same ``thread``, and
    ``context`` what a follow-up leans on of it (``retrieval.types.Turn``), which outlives it. A ``trial`` tries
    a program for a review: it is no correction, and not in the history. A ``retrieval`` ends with its evidence, and is
    deleted once that was read. ``across`` is a question over several graphs.
    """

    visible_through = "graph"
    owner_path = "user_id"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="runs")
    snapshot_hash = models.CharField(max_length=128)
    question = models.TextField()
    method = models.CharField(max_length=32)
    reasoner = models.CharField(max_length=32)
    checkpoint = models.ForeignKey(Checkpoint, null=True, on_delete=models.SET_NULL, related_name="+")
    budget = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    options = models.JSONField(default=dict)
    llm = models.IntegerField(null=True)
    llm_name = models.CharField(max_length=200, blank=True)
    usage = models.JSONField(null=True)
    group = models.UUIDField(null=True, db_index=True)
    likely_s = models.FloatField(null=True)
    entities = models.JSONField(default=list)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=16, choices=RunState, default=RunState.QUEUED)
    pause_after = models.PositiveSmallIntegerField(null=True)
    next_action = models.JSONField(null=True)
    program = models.JSONField(null=True)
    program_before = models.JSONField(null=True)
    corrects = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="corrected_by")
    follows = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="followed_by")
    context = models.JSONField(null=True)
    thread = models.UUIDField(null=True, db_index=True)
    trial = models.BooleanField(default=False)
    retrieval = models.BooleanField(default=False)
    across = models.ForeignKey(AcrossQuestion, null=True, on_delete=models.SET_NULL, related_name="runs")
    paused_at = models.DateTimeField(null=True)
    rested_s = models.FloatField(default=0.0)
    incomplete = models.BooleanField(default=False)
    answers = models.JSONField(default=list)
    answers_count = models.PositiveIntegerField(default=0)
    no_answer = models.JSONField(null=True)
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["state"]),
            models.Index(fields=["-created_at"]),
            models.Index(fields=["user", "claimed_at"]),
        ]

    def __str__(self) -> str:
        return self.question


class Diagnosis(Failable):
    """A person's question why a run does not have an answer that they expected; it waits in the queue of runs.

    ``entity`` is the expected one where it was chosen in the run's version of the graph, ``name`` how it is called.
    ``findings`` are a ``retrieval.diagnosis.findings.WhyNot``.
    """

    visible_through = "run__graph"
    owner_path = "user_id"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="diagnoses")
    name = models.TextField()
    entity = models.IntegerField(null=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=16, choices=RunState, default=RunState.QUEUED)
    findings = models.JSONField(null=True)
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["state"]), models.Index(fields=["user", "claimed_at"])]

    def __str__(self) -> str:
        return f"{self.run_id} {self.name}"


class RunEvent(AccessControlled):
    """One event of a run. Rows are only ever added; ``seq`` counts from 1 without gaps.

    PostgreSQL itself deletes the events of a deleted run (migration 0002): a worker may be appending at
    that very moment, and rows that Django had not yet seen would hold the run back.
    """

    visible_through = "run__graph"

    run = models.ForeignKey(Run, on_delete=models.DO_NOTHING, related_name="events")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    type = models.CharField(max_length=32)
    payload = models.JSONField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="run_event_seq")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.seq} {self.type}"


class FlagKind(models.TextChoices):
    """What a person says of a run: what they doubt, or that it is right."""

    ANSWER_WRONG = "answer-wrong", "this answer is wrong"
    PATH_WRONG = "path-wrong", "this path is not why"
    ANSWER_MISSING = "answer-missing", "an answer is missing"
    ANSWER_RIGHT = "answer-right", "this is right"


class Flag(AccessControlled):
    """What a person says of a run, mostly a doubt; its question is an item of the queue of flagged answers.

    ``answer`` is a label, ``right_answers`` are those that the person called right, or missing.
    """

    visible_through = "run__graph"

    id = models.UUIDField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="flags")
    item = models.ForeignKey("review.Item", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=FlagKind)
    answer = models.TextField(blank=True)
    chain = models.PositiveIntegerField(null=True)
    comment = models.TextField(blank=True)
    right_answers = models.JSONField(default=list)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.run_id} {self.kind}"


class AgentCorrection(AccessControlled):
    """A step of an agent that a person chose otherwise than the policy would have.

    Actions are ``AgentAction`` as events carry them: ``before`` are those that stood, ``proposed`` is the policy's own
    (None when it is not known), ``chosen`` the person's. The run has the graph, the snapshot and the question.
    """

    visible_through = "run__graph"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="corrections")
    step = models.PositiveIntegerField()
    before = models.JSONField()
    proposed = models.JSONField(null=True)
    chosen = models.JSONField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.run_id} step {self.step}"
