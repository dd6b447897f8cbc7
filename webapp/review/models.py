"""Review queues, what analysts are shown, and what they say.

``Submission`` and ``Verdict`` are events: rows are added and never changed. ``CurrentAnnotation``, ``Reservation``,
``QueueCounter`` and the fields of an item from ``state`` on follow from them, so that nothing is counted while
people wait.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from webapp.api.access import AccessControlled
from webapp.experiments.models import MadeByJob
from webapp.graphs.models import Graph, GraphVersion
from webapp.questions.models import QuestionSet


class Ordering(models.TextChoices):
    """Which item comes first."""

    UNCERTAINTY = "uncertainty"
    SEQUENTIAL = "sequential"
    RANDOM = "random"


class QueueKind(models.TextChoices):
    """What is judged."""

    PATHS = "paths"
    PROGRAMS = "programs"


class Queue(MadeByJob):
    """Questions with candidates, to be judged on one version of a graph. ``state`` is that of its job.

    ``kind``: the candidates are relation paths of label sets, or programs that are given or read.
    ``flagged``: of questions whose answers people doubted; there is one for each version of a graph, without a job,
    that grows. Since ``deleted_at`` nobody finds it, until it is restored or, after some days, deleted for good.
    """

    visible_through = "graph"

    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="review_queues")
    snapshot = models.ForeignKey(GraphVersion, on_delete=models.CASCADE, related_name="+")
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="+")
    question_set_name = models.CharField(max_length=200)
    label_sets = models.JSONField(default=list)
    kind = models.CharField(max_length=8, choices=QueueKind, default=QueueKind.PATHS)
    ordering = models.CharField(max_length=16, choices=Ordering, default=Ordering.UNCERTAINTY)
    seed = models.BigIntegerField(default=0)
    overlap = models.PositiveSmallIntegerField(default=1)
    items = models.PositiveIntegerField(default=0)
    candidates = models.PositiveIntegerField(default=0)
    flagged = models.BooleanField(default=False)
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot"],
                condition=models.Q(flagged=True, deleted_at=None),
                name="review_queue_flagged",
            )
        ]

    def __str__(self) -> str:
        return self.name


class ItemState(models.TextChoices):
    """Whether an item waits for analysts."""

    OPEN = "open"
    DONE = "done"
    BROKEN = "broken"


class Accord(models.TextChoices):
    """Whether those who judged an item say the same of all that two of them judged."""

    NONE = "none", "nobody judged it"
    UNANIMOUS = "unanimous"
    SPLIT = "split"


class Item(AccessControlled):
    """A question to be judged. ``version`` counts what happened to it; ``submitted`` the analysts who annotated it.

    ``shown`` is the SHA-256 of what an analyst sees of it: question, topics, answers and candidates. ``adjudicated``
    is the event by which a person decided what others did not agree on; ``settled`` says that what all agree on was
    accepted. Such an item takes no more verdicts. ``answered`` is the event by which a person said what ``answers``
    are; until then they are those of the question set, or ``assumed``: what a doubted run answered besides.
    """

    visible_through = "queue__graph"

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="rows", db_index=False)
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    question = models.TextField()
    topics = models.JSONField(default=list)
    answers = models.JSONField(default=list)
    assumed = models.BooleanField(default=False)
    doubt = models.FloatField()
    reason = models.TextField()
    shown = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=ItemState, default=ItemState.OPEN)
    submitted = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    accord = models.CharField(max_length=9, choices=Accord, default=Accord.NONE)
    settled = models.BooleanField(default=False)
    adjudicated = models.ForeignKey(
        "Submission", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    answered = models.ForeignKey("Submission", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["queue", "position"], name="review_item_position")]
        indexes = [
            # The next item is the first open one; done ones must not be walked over.
            models.Index(fields=["queue", "position"], condition=models.Q(state="open"), name="review_item_open"),
            models.Index(fields=["queue", "state", "position"], name="review_item_state"),
            models.Index(fields=["queue", "position"], condition=models.Q(accord="split"), name="review_item_split"),
            models.Index(
                fields=["adjudicated"],
                condition=models.Q(adjudicated__isnull=False),
                name="review_item_decided",
            ),
        ]

    def __str__(self) -> str:
        return self.question

    @property
    def avoids_topics(self) -> bool:
        """Whether no topic is among the known answers, so that walks to the answers are simple."""
        return set(self.topics).isdisjoint(self.answers)


class CandidatePath(AccessControlled):
    """A relation path, or program, that may be why the answers are the answers; of all label sets that hold it.

    ``path`` is as in label files, ``sources`` a list of ``{source, label_set, name, score, explanation}``;
    ``reached`` counts the entities that it reaches from its topic, ``hits`` the answers among them. ``author`` added
    it, perhaps by editing another; a ``retired`` one was taken back and is not judged.

    A program has no ``topic``, ``path`` and ``steps``: ``program`` is it by names of the graph, ``executed`` how it
    was executed (``retrieval.events.ProgramExecuted``), ``gives`` the labels of what it gives, ``hops`` facts that
    prove it.
    """

    visible_through = "item__queue__graph"

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="candidates", db_index=False)
    position = models.PositiveSmallIntegerField()
    topic = models.TextField()
    path = models.JSONField()
    steps = models.JSONField()
    sources = models.JSONField()
    reached = models.PositiveIntegerField()
    hits = models.PositiveIntegerField()
    precision = models.FloatField()
    recall = models.FloatField()
    program = models.JSONField(null=True)
    executed = models.JSONField(null=True)
    gives = models.JSONField(default=list)
    hops = models.JSONField(default=list)
    author = models.CharField(max_length=150, blank=True)
    edited_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    retired = models.BooleanField(default=False)

    class Meta:
        db_table = "review_candidate"
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["item", "position"], name="review_candidate_position")]
        indexes = [
            models.Index(
                fields=["edited_from"],
                condition=models.Q(edited_from__isnull=False),
                name="review_candidate_edited",
            )
        ]

    def __str__(self) -> str:
        return f"{self.topic}: {self.path}" if self.program is None else str(self.program)

    @property
    def as_path(self) -> tuple[tuple[str, bool], ...]:
        """``path`` as the engine spells it."""
        return tuple((str(name), bool(inverse)) for name, inverse in self.path)


class EventKind(models.TextChoices):
    """What happened to an item."""

    SUBMITTED = "submitted", "an analyst judged it"
    REPLACED = "replaced", "an analyst judged it again"
    UNDONE = "undone", "an analyst took back what they did"
    REDONE = "redone", "what was taken back counts again"
    ADDED_PATH = "added-path", "an analyst added a path"
    ADJUDICATED = "adjudicated", "a person decided it"
    UNDECIDED = "undecided", "the decision was taken back"
    SETTLED = "settled", "what all agree on was accepted"
    UNSETTLED = "unsettled", "the acceptance was taken back"
    IMPORTED = "imported", "verdicts came from a file"
    ANSWERED = "answered", "a person said what the right answers are"
    REOPENED = "reopened", "a new version of the graph changed facts of its paths"


class Submission(AccessControlled):
    """An event. The database refuses to change a row, but for the analyst whose account goes.

    The id is the client's, so a repeat adds nothing. ``path`` is what was added; ``replaces`` what this analyst said
    before; ``undoes`` what is taken back or counts again; all events of one import or acceptance share a ``batch``.
    ``answers`` are ``{before, now}``, the labels of an event that says what the right answers are.
    """

    visible_through = "queue__graph"

    id = models.UUIDField(primary_key=True)
    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="+", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="submissions")
    kind = models.CharField(max_length=12, choices=EventKind, default=EventKind.SUBMITTED)
    analyst = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    analyst_name = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)
    shown = models.CharField(max_length=64)
    comment = models.TextField(blank=True)
    path = models.ForeignKey(CandidatePath, null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    replaces = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    undoes = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    batch = models.UUIDField(null=True)
    answers = models.JSONField(null=True)

    withheld: bool
    """Set by :func:`webapp.review.services.events.list_events`: the reader judges the item blind."""

    class Meta:
        ordering = ["at", "id"]
        indexes = [
            models.Index(fields=["queue", "at", "id"], name="review_event_at"),
            models.Index(fields=["queue", "analyst_name", "at"], name="review_event_by"),
            # Of the few rows that have one; deleting what they refer to looks here.
            *(
                models.Index(
                    fields=[name],
                    condition=models.Q(**{f"{name}__isnull": False}),
                    name=f"review_event_{name}",
                )
                for name in ("path", "replaces", "undoes", "batch")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.analyst_name} {self.kind} {self.item_id}"


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


class Verdict(AccessControlled):
    """An event: what a submission says of one candidate, or (``candidate`` null) that the question is broken.

    The database refuses to change a row.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="verdicts", db_index=False)
    candidate = models.ForeignKey(CandidatePath, null=True, on_delete=models.CASCADE, related_name="verdicts")
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


class CurrentAnnotation(AccessControlled):
    """The submission that counts of an analyst on an item. It stays when the analyst's account goes."""

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="annotations", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="annotations", db_index=False)
    analyst = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="current")

    class Meta:
        db_table = "review_standing"
        constraints = [models.UniqueConstraint(fields=["item", "analyst"], name="review_standing_once")]
        indexes = [models.Index(fields=["queue", "analyst"], name="review_standing_by")]

    def __str__(self) -> str:
        return f"{self.analyst_id} on {self.item_id}"


class Reservation(AccessControlled):
    """An item that an analyst has before them, until then."""

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="+", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="reservations", db_index=False)
    analyst = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "analyst"], name="review_reservation_once")]
        indexes = [models.Index(fields=["queue", "analyst"], name="review_reservation_by")]

    def __str__(self) -> str:
        return f"{self.analyst_id} has {self.item_id}"


class DraftPurpose(models.TextChoices):
    """What a draft becomes when it is sent."""

    JUDGEMENT = "judgement"
    DECISION = "decision"


class Draft(AccessControlled):
    """What a person entered about an item and did not submit yet. Each person reads only their own.

    ``content`` has the fields of :class:`webapp.review.api.inputs.OpinionSerializer`. ``revision`` is made by the
    client; a save names the revision that it changes, so that two tabs never overwrite each other unnoticed.
    """

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="+", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="drafts", db_index=False)
    analyst = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    purpose = models.CharField(max_length=9, choices=DraftPurpose)
    content = models.JSONField()
    revision = models.UUIDField()
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "analyst", "purpose"], name="review_draft_once")]
        indexes = [models.Index(fields=["queue", "analyst"], name="review_draft_by")]

    def __str__(self) -> str:
        return f"{self.purpose} of {self.analyst_id} on {self.item_id}"


class QueueCounter(AccessControlled):
    """How often something is the case in the current annotations of a queue: the sum of ``n`` over ``by``.

    ``by`` is who brought the change, so that people who judge at once never wait for one row. ``key`` is a JSON list;
    :mod:`webapp.review.domain.counters` says which there are. ``at`` is when it last changed.
    """

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="+", db_index=False)
    by = models.CharField(max_length=150)
    key = models.TextField()
    n = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta:
        db_table = "review_tally"
        constraints = [models.UniqueConstraint(fields=["queue", "by", "key"], name="review_tally_once")]

    def __str__(self) -> str:
        return f"{self.key} {self.n}"
