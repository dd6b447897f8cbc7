"""What experiments leave behind: label sets, checkpoints, and evaluation reports."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from retrieval.errors import TrainingDataError
from webapp.api.access import AccessControlled
from webapp.api.errors import ConflictError
from webapp.graphs.models import Graph, GraphVersion, Trashable
from webapp.jobs.models import JobState
from webapp.questions.models import QuestionSet


class MadeByJob(AccessControlled):
    """What a job makes: a row as soon as it is asked for, filled in when the job is done."""

    owner_path = "created_by_id"
    managed_through = "graph"

    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="%(class)s")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def state(self) -> str:
        """The job's state; ``done`` as soon as this is filled in."""
        if self.finished_at is not None:
            return JobState.DONE.value
        return self.job.state if self.job is not None else JobState.FAILED.value

    def require_done(self) -> None:
        """Refuse to show what is not there yet.

        Raises:
            ConflictError: the job is not done.
        """
        if self.finished_at is None:
            raise ConflictError(f"It is not done: {self.state}.", hint="Wait for its job, or start it again.")


class LabelSet(MadeByJob):
    """The rational paths that a strategy found for a question set. They lie in a file of the storage."""

    visible_through = "graph"

    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="label_sets")
    snapshot_hash = models.CharField(max_length=128)
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="label_sets")
    question_set_name = models.CharField(max_length=200)
    strategy = models.CharField(max_length=32)
    prompt = models.CharField(max_length=32, blank=True)
    questions = models.PositiveIntegerField(default=0)
    labels = models.PositiveIntegerField(default=0)
    coverage = models.FloatField(null=True)
    fit = models.FloatField(null=True)
    sources = models.JSONField(default=dict)
    compression = models.JSONField(null=True)
    usage = models.JSONField(default=dict)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    def require_usable(self, question_set: QuestionSet, snapshot_hash: str) -> None:
        """Refuse labels that do not belong to these questions on this version of the graph.

        Raises:
            TrainingDataError: they do not, or are not done.
        """
        if self.finished_at is None:
            raise TrainingDataError(
                f"The label set {self.name} is not done: {self.state}.", hint="Wait for it, or label again."
            )
        if self.question_set_id != question_set.pk:
            raise TrainingDataError(
                f"The label set {self.name} is of the question set {self.question_set_name}.",
                hint=f"Choose labels of {question_set.name}.",
            )
        if self.snapshot_hash != snapshot_hash:
            raise TrainingDataError(
                f"The label set {self.name} was made on another version of the graph.",
                hint="Label again on the current version.",
            )


class TrajectorySet(MadeByJob):
    """What a behaviour policy did for the questions of a set, kept where it ended with the answers. In files.

    ``settings`` are of the synthesis; ``raw_steps`` and ``refined_steps`` count the actions of all trajectories before
    and after refinement.
    """

    visible_through = "graph"

    name = models.CharField(max_length=200)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="trajectory_sets")
    snapshot_hash = models.CharField(max_length=128)
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="trajectory_sets")
    question_set_name = models.CharField(max_length=200)
    policy = models.CharField(max_length=16)
    settings = models.JSONField(default=dict)
    questions = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    trajectories = models.PositiveIntegerField(default=0)
    raw_steps = models.PositiveIntegerField(default=0)
    refined_steps = models.PositiveIntegerField(default=0)
    usage = models.JSONField(default=dict)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name


class Checkpoint(Trashable):
    """A trained retriever. ``path`` is its directory in the storage. It answers where it is named or promoted.

    Without a promotion one answers that is ``adopted``, which came with Clew or answered before promotions were needed,
    or that is ``self_trained``, on questions that Clew wrote, and measured to be better than nothing.
    ``comparison`` holds the reports on the same questions of what answered before (``before``) and of this
    (``after``) and, once both are done, what they come to (``promotions.save_comparison``).
    """

    visible_through = "graph"
    owner_path = "trainer_id"
    managed_through = "graph"

    method = models.CharField(max_length=32)
    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="checkpoints")
    snapshot = models.ForeignKey(GraphVersion, on_delete=models.CASCADE, related_name="checkpoints")
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="checkpoints")
    question_set_name = models.CharField(max_length=200, blank=True)
    label_set = models.ForeignKey(LabelSet, null=True, on_delete=models.SET_NULL, related_name="checkpoints")
    fraction = models.FloatField(default=1.0)
    self_trained = models.BooleanField(default=False)
    adopted = models.BooleanField(default=False)
    of_study = models.BooleanField(default=False)
    foreign = models.BooleanField(default=False)
    encoder = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=128)
    path = models.CharField(max_length=300)
    metrics = models.JSONField(default=dict)
    config = models.JSONField(default=dict)
    comparison = models.JSONField(null=True)
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="checkpoint")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.method} {self.fingerprint[:8]}"

    @property
    def trainer_id(self) -> int | None:
        """Return who trained it and manages it; None where it may answer unnamed, which makes it part of its graph."""
        answers = self.adopted or self.self_trained or self.promotions.exists()
        return None if self.job is None or answers else self.job.user_id


class Promotion(AccessControlled):
    """An event: from now on this checkpoint is used where none is named; ``previous`` was until then.

    ``undoes`` is the promotion that a rollback takes back; its ``checkpoint`` is what was used before that.
    """

    visible_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="promotions")
    method = models.CharField(max_length=32)
    checkpoint = models.ForeignKey(Checkpoint, null=True, on_delete=models.SET_NULL, related_name="promotions")
    previous = models.ForeignKey(Checkpoint, null=True, on_delete=models.SET_NULL, related_name="+")
    undoes = models.OneToOneField("self", null=True, on_delete=models.CASCADE, related_name="undone_by")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["graph", "method"])]

    def __str__(self) -> str:
        return f"{self.method}: {self.checkpoint_id}"


class TopicSource(models.TextChoices):
    """Where the topic entities of an evaluation come from."""

    GIVEN = "given"
    LINKED = "linked"


class SubgraphSource(models.TextChoices):
    """Where a question that brings its own subgraph is asked."""

    OWN = "own"
    WHOLE = "whole"


class AskedQuestions(models.TextChoices):
    """Which questions of a split are asked."""

    ALL = "all"
    IN_GRAPH = "in-graph"


class ForeignUse(models.TextChoices):
    """What a checkpoint of a graph of other relations is for: another stands in for it, or it is asked all the same."""

    ZERO_SHOT = "zero-shot"
    ASK = "ask"


class Judgement(models.TextChoices):
    """What a language model may be asked of a report's answers."""

    JUDGE = "judge"
    VERIFY = "verify"
    FAITHFULNESS = "faithfulness"
    SUFFICIENCY = "sufficiency"


class Report(MadeByJob, Trashable):
    """One question set asked of one method. It names what it was made of, so that it outlives all of that.

    ``summary`` is the engine's report without its questions, which have rows of their own. One ``of_study`` is
    a cell's, and not in the list of reports.
    """

    visible_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="reports")
    snapshot_hash = models.CharField(max_length=128)
    question_set = models.ForeignKey(QuestionSet, null=True, on_delete=models.SET_NULL, related_name="reports")
    question_set_name = models.CharField(max_length=200)
    split = models.CharField(max_length=16)
    method = models.CharField(max_length=32)
    checkpoint = models.ForeignKey(Checkpoint, null=True, on_delete=models.SET_NULL, related_name="reports")
    fingerprint = models.CharField(max_length=128, blank=True)
    reasoner = models.CharField(max_length=32)
    budget = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    llm = models.IntegerField(null=True)
    llm_name = models.CharField(max_length=200, blank=True)
    limit = models.PositiveIntegerField(null=True)
    topics = models.CharField(max_length=16, choices=TopicSource, default=TopicSource.GIVEN)
    subgraphs = models.CharField(max_length=16, choices=SubgraphSource, default=SubgraphSource.OWN)
    answers = models.CharField(max_length=16, choices=AskedQuestions, default=AskedQuestions.ALL)
    foreign = models.CharField(max_length=16, choices=ForeignUse, default=ForeignUse.ZERO_SHOT)
    judgements = models.JSONField(default=list)
    options = models.JSONField(default=dict)
    summary = models.JSONField(default=dict)
    of_study = models.BooleanField(default=False)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.method} on {self.question_set_name} ({self.split})"


class QuestionOutcome(models.TextChoices):
    """How a question went."""

    RIGHT = "right"
    PARTIAL = "partial"
    WRONG = "wrong"
    NO_ANSWER = "no_answer"
    FAILED = "failed"


class ReportQuestion(AccessControlled):
    """One question of a report. ``row`` is what the engine's report says of it; the rest is there to be searched."""

    visible_through = "report__graph"

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    question = models.TextField()
    hops = models.PositiveSmallIntegerField(null=True)
    outcome = models.CharField(max_length=16, choices=QuestionOutcome)
    predicted_hash = models.CharField(max_length=64)
    row = models.JSONField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["report", "position"], name="report_question_position"),
        ]
        indexes = [models.Index(fields=["report", "outcome"]), models.Index(fields=["report", "key"])]

    def __str__(self) -> str:
        return self.question


class ErrorLimit(AccessControlled):
    """A graph is answered only where at most so many of 100 answers are wrong. Without a row there is no limit."""

    visible_through = "graph"
    managed_through = "graph"

    graph = models.OneToOneField(Graph, on_delete=models.CASCADE, related_name="error_limit")
    at_most_wrong = models.PositiveSmallIntegerField()
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    set_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.graph_id} {self.at_most_wrong}"


class Calibration(AccessControlled):
    """How sure and how right a method is on one version of a graph, asked of questions whose answers are known.

    ``fingerprint`` is of the checkpoint that was asked, empty without one. ``answers`` are
    ``[confidence or null, right, reviewed]`` of each question, in random order.
    """

    visible_through = "graph"
    managed_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="calibrations")
    snapshot = models.ForeignKey(GraphVersion, on_delete=models.CASCADE, related_name="calibrations")
    method = models.CharField(max_length=32)
    fingerprint = models.CharField(max_length=128, blank=True)
    answers = models.JSONField()
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "method", "fingerprint"], name="calibration_once"),
        ]

    def __str__(self) -> str:
        return f"{self.method} on {self.snapshot_id}"
