"""Review queues, what analysts are shown, and what they say.

``Submission`` and ``Verdict`` are events: rows are added and never changed. ``Standing``, ``Reservation`` and the
``submitted`` and ``state`` of an item follow from them and are there so that the next item is found quickly.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.experiments.models import MadeByJob
from webapp.graphs.models import Graph, Snapshot
from webapp.questions.models import QuestionSet


class Ordering(models.TextChoices):
    """Which item comes first."""

    UNCERTAINTY = "uncertainty"
    SEQUENTIAL = "sequential"
    RANDOM = "random"


class Queue(MadeByJob):
    """Questions with candidate paths, to be judged on one version of a graph. ``state`` is that of its job.

    ``simple``: the paths' walks never come back to their topic.
    """

    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="review_queues")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="+")
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="+")
    question_set_name = models.CharField(max_length=200)
    label_sets = models.JSONField(default=list)
    ordering = models.CharField(max_length=16, choices=Ordering, default=Ordering.UNCERTAINTY)
    seed = models.BigIntegerField(default=0)
    overlap = models.PositiveSmallIntegerField(default=1)
    simple = models.BooleanField(default=True)
    items = models.PositiveIntegerField(default=0)
    candidates = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name


class ItemState(models.TextChoices):
    """Whether an item waits for analysts."""

    OPEN = "open"
    DONE = "done"
    BROKEN = "broken"


class Item(models.Model):
    """A question to be judged. ``version`` counts what happened to it; ``submitted`` how many analysts stand by theirs.

    ``shown`` is the SHA-256 of what an analyst sees of it: question, topics, answers and candidates.
    """

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    question = models.TextField()
    topics = models.JSONField(default=list)
    answers = models.JSONField(default=list)
    doubt = models.FloatField()
    reason = models.TextField()
    shown = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=ItemState, default=ItemState.OPEN)
    submitted = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["queue", "position"], name="review_item_position")]
        indexes = [
            # The next item is the first open one; done ones must not be walked over.
            models.Index(
                fields=["queue", "position"], condition=models.Q(state="open"), name="review_item_open"
            ),
            models.Index(fields=["queue", "state"], name="review_item_state"),
        ]

    def __str__(self) -> str:
        return self.question


class Candidate(models.Model):
    """A relation path that may be why the answers are the answers; of all label sets that hold it.

    ``path`` is as in label files, ``sources`` a list of ``{source, label_set, name, score, explanation}``;
    ``reached`` counts the entities that it reaches from its topic, ``hits`` the answers among them.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveSmallIntegerField()
    topic = models.TextField()
    path = models.JSONField()
    steps = models.JSONField()
    sources = models.JSONField()
    reached = models.PositiveIntegerField()
    hits = models.PositiveIntegerField()
    precision = models.FloatField()
    recall = models.FloatField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["item", "position"], name="review_candidate_position")]

    def __str__(self) -> str:
        return f"{self.topic}: {self.path}"


class Submission(models.Model):
    """An event: an analyst judged an item, or took that back. The id is the client's, so a repeat adds nothing."""

    id = models.UUIDField(primary_key=True)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="submissions")
    analyst = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    analyst_name = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)
    shown = models.CharField(max_length=64)
    comment = models.TextField(blank=True)
    replaces = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+")
    undoes = models.OneToOneField("self", null=True, on_delete=models.CASCADE, related_name="undone_by")

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.analyst_name} on {self.item_id}"


class VerdictKind(models.TextChoices):
    """What an analyst says of a path, or of a question (broken)."""

    RATIONAL = "rational"
    NOT_RATIONAL = "not-rational"
    UNSURE = "unsure"
    BROKEN = "broken"


class Reason(models.TextChoices):
    """Why a path is not rational, or a question broken."""

    COINCIDENCE = "coincidence", "reaches the answers by coincidence"
    WRONG_RELATION = "wrong-relation", "another relation is meant"
    TOO_WIDE = "too-wide", "reaches too much"
    TOO_NARROW = "too-narrow", "misses answers"
    DETOUR = "detour", "goes a needless way round"
    WRONG_TOPIC = "wrong-topic", "starts at the wrong entity"
    WRONG_ANSWER = "wrong-answer", "the known answers are wrong"
    UNCLEAR = "unclear", "the question is not clear"


class Verdict(models.Model):
    """An event: what a submission says of one candidate, or (``candidate`` null) that the question is broken.

    The database refuses to change a row.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="verdicts")
    candidate = models.ForeignKey(Candidate, null=True, on_delete=models.CASCADE, related_name="verdicts")
    kind = models.CharField(max_length=16, choices=VerdictKind)
    reasons = models.JSONField(default=list)
    comment = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "candidate"], name="review_verdict_once"),
            models.CheckConstraint(
                condition=models.Q(kind="broken", candidate=None)
                | (~models.Q(kind="broken") & models.Q(candidate__isnull=False)),
                name="review_verdict_of_what",
            ),
        ]

    def __str__(self) -> str:
        return self.kind


class Standing(models.Model):
    """The submission that counts of an analyst on an item. It stays when the analyst's account goes."""

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="standings")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="standings")
    analyst = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="standing")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "analyst"], name="review_standing_once")]
        indexes = [models.Index(fields=["queue", "analyst"], name="review_standing_by")]

    def __str__(self) -> str:
        return f"{self.analyst_id} on {self.item_id}"


class Reservation(models.Model):
    """An item that an analyst has before them, until then."""

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="reservations")
    analyst = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "analyst"], name="review_reservation_once")]
        indexes = [models.Index(fields=["queue", "analyst"], name="review_reservation_by")]

    def __str__(self) -> str:
        return f"{self.analyst_id} has {self.item_id}"
