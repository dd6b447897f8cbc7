"""Tests of a graph, the rounds in which they are asked, and what each answered."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled, Person
from webapp.experiments.models import Checkpoint
from webapp.graphs.models import Graph, GraphVersion, Trashable
from webapp.jobs.models import Job


class GraphTest(Trashable):
    """A question with the answers that a graph must give.

    ``expected`` are labels, none where no answer is expected; ``entities`` are labels of topics that were pinned.
    One with a ``watcher`` is that person's alone: it holds nothing back, and is ``unread`` when what became current
    answers otherwise than before, until they have looked. ``method`` is empty for the one that answers by itself;
    ``options`` are settings of it, ``program`` is one by names that runs in place of the question's words.
    A test is part of its graph, whoever made it; what a person watches is theirs.
    """

    visible_through = "graph"
    owner_path = "watcher_id"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="tests")
    question = models.TextField()
    expected = models.JSONField(default=list)
    entities = models.JSONField(default=list)
    method = models.CharField(max_length=32, blank=True)
    options = models.JSONField(default=dict)
    program = models.JSONField(null=True)
    budget = models.PositiveIntegerField()
    seed = models.BigIntegerField(default=0)
    watcher = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="watches")
    unread = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "test"
        ordering = ["created_at", "id"]

    def __str__(self) -> str:
        return self.question

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Who sees the graph; what a person watches is theirs alone."""
        watched = models.Q(watcher=None) | models.Q(watcher=user.pk)
        return super().make_visibility_filter(user) & watched


class TestPolicy(AccessControlled):
    """Whether failing tests of a graph hold a new version or checkpoint back. Without a row they warn."""

    visible_through = "graph"

    graph = models.OneToOneField(Graph, on_delete=models.CASCADE, related_name="test_policy")
    hold = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.graph_id} {self.hold}"


class Cause(models.TextChoices):
    """Why the tests of a graph are asked."""

    ASKED = "asked", "somebody asked for it"
    VERSION = "version", "a new version"
    PROMOTION = "promotion", "a checkpoint to be promoted"
    HISTORY = "history", "how an answer came to be"


class Decision(models.TextChoices):
    """What became of the version or checkpoint that was tested."""

    NONE = "", "nothing was to be decided"
    CURRENT = "current", "it became current"
    HELD = "held", "it was held back"
    ACCEPTED = "accepted", "it was held back, and somebody made it current"


class TestRound(AccessControlled):
    """All tests of a graph, or some, asked of one version with one checkpoint.

    ``version`` may be deleted, ``snapshot_hash`` and ``number`` stay. ``checkpoint`` is a candidate to be promoted;
    None asks what would be in use. ``hold`` is the policy as it was when the round began; a version with
    ``violations`` of its shapes is held back in any case. ``figures`` says how many tests ``passed``, ``failed``, ended
    in an ``error``, and answer otherwise than before (``changed``).
    """

    visible_through = "graph"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="test_rounds")
    version = models.ForeignKey(GraphVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    snapshot_hash = models.CharField(max_length=128)
    number = models.PositiveIntegerField()
    before = models.PositiveIntegerField(null=True)
    checkpoint = models.ForeignKey(Checkpoint, null=True, on_delete=models.SET_NULL, related_name="+")
    cause = models.CharField(max_length=16, choices=Cause)
    hold = models.BooleanField(default=False)
    violations = models.PositiveIntegerField(default=0)
    tests = models.JSONField(default=list)
    figures = models.JSONField(default=dict)
    decision = models.CharField(max_length=16, choices=Decision, blank=True)
    job = models.OneToOneField(Job, null=True, on_delete=models.SET_NULL, related_name="test_round")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "round of tests"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.graph_id} v{self.number} {self.cause}"


class RoundOutcome(models.TextChoices):
    """How a test went."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


class TestResult(AccessControlled):
    """What a test answered on a version.

    ``key`` names all that the answer depends on, so that the same is not asked twice. ``facts`` are the evidence, as
    labels (head, relation, tail). ``before`` is what the test answered on the version that was current, where that was
    compared; ``added`` and ``removed`` are the facts that one version has and the other lacks and that changed the
    answer.
    """

    visible_through = "round__graph"

    round = models.ForeignKey(TestRound, on_delete=models.CASCADE, related_name="results")
    test = models.ForeignKey(GraphTest, on_delete=models.CASCADE, related_name="results")
    key = models.CharField(max_length=64, db_index=True)
    number = models.PositiveIntegerField()
    method = models.CharField(max_length=32, blank=True)
    fingerprint = models.CharField(max_length=128, blank=True)
    expected = models.JSONField(default=list)
    outcome = models.CharField(max_length=8, choices=RoundOutcome)
    answers = models.JSONField(default=list)
    reason = models.CharField(max_length=32, blank=True)
    message = models.TextField(blank=True)
    facts = models.JSONField(default=list)
    before = models.JSONField(null=True)
    changed = models.BooleanField(default=False)
    added = models.JSONField(default=list)
    removed = models.JSONField(default=list)
    took_ms = models.FloatField(default=0.0)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["test__created_at", "test_id"]
        constraints = [models.UniqueConstraint(fields=["round", "test"], name="test_result_once")]

    def __str__(self) -> str:
        return f"{self.test_id} v{self.number} {self.outcome}"
