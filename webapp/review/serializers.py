"""Review queues as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.api.fields import Text
from webapp.experiments.serializers import SEED_MAX, MadeByJobSerializer
from webapp.graphs.serializers import HopSerializer, NodeSerializer, StepSerializer
from webapp.jobs.serializers import JobSerializer
from webapp.review.models import Candidate, Item, Ordering, Queue, Reason, Standing, Verdict, VerdictKind
from webapp.review.statistics import progress

OVERLAP_MAX = 10
HOLDING_MAX = 5
COMMENT_MAX = 2000


class ItemProgressSerializer(serializers.Serializer[object]):
    """Items by state."""

    open = serializers.IntegerField()
    done = serializers.IntegerField()
    broken = serializers.IntegerField()


class UsedLabelSetSerializer(serializers.Serializer[object]):
    """A label set that a queue was made of."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class QueueSerializer(MadeByJobSerializer):
    """A review queue."""

    snapshot = serializers.CharField(source="snapshot.hash")
    version = serializers.IntegerField(source="snapshot.version")
    current = serializers.SerializerMethodField()
    label_sets = UsedLabelSetSerializer(many=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Queue
        fields = [
            *("id", "name", "graph", "graph_name", "snapshot", "version", "current", "question_set"),
            *("question_set_name", "label_sets", "ordering", "seed", "overlap", "state", "job", "items"),
            *("candidates", "progress", "error", "created_at", "finished_at", "created_by"),
        ]

    def get_current(self, queue: Queue) -> bool:
        """Whether the graph still has the version that this queue is about."""
        return queue.graph.snapshot_id == queue.snapshot_id

    @extend_schema_field(ItemProgressSerializer)
    def get_progress(self, queue: Queue) -> dict[str, int]:
        """Items by state."""
        return progress(queue)


class NewQueueSerializer(serializers.Serializer[object]):
    """What to review."""

    graph = serializers.IntegerField()
    question_set = serializers.IntegerField()
    label_sets = serializers.ListField(child=serializers.IntegerField(), max_length=20)
    name = Text(max_length=200, required=False, allow_blank=True, default="")
    ordering = serializers.ChoiceField(
        choices=Ordering.choices, required=False, default=Ordering.UNCERTAINTY.value
    )
    seed = serializers.IntegerField(min_value=0, max_value=SEED_MAX, required=False, default=0)
    overlap = serializers.IntegerField(min_value=1, max_value=OVERLAP_MAX, required=False, default=1)


class StartedQueueSerializer(serializers.Serializer[object]):
    """A queue that is being prepared, and the job that does it."""

    queue = QueueSerializer()
    job = JobSerializer()


class CandidateSourceSerializer(serializers.Serializer[object]):
    """Who holds a path, with what score and why."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    label_set = serializers.IntegerField()
    name = serializers.CharField()
    score = serializers.FloatField()
    explanation = serializers.CharField(allow_blank=True)


class CandidateSerializer(serializers.ModelSerializer[Candidate]):
    """A relation path to be judged."""

    path = serializers.JSONField()
    steps = StepSerializer(many=True)
    sources = CandidateSourceSerializer(many=True)

    class Meta:
        model = Candidate
        fields = ["id", "topic", "path", "steps", "sources", "reached", "hits", "precision", "recall"]


class VerdictSerializer(serializers.ModelSerializer[Verdict]):
    """What was said of a path, or (``candidate`` null) of the question."""

    reasons = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Verdict
        fields = ["candidate", "kind", "reasons", "comment"]


class StandingSerializer(serializers.ModelSerializer[Standing]):
    """What counts of an analyst on an item."""

    analyst = serializers.CharField(source="submission.analyst_name")
    at = serializers.DateTimeField(source="submission.at")
    comment = serializers.CharField(source="submission.comment")
    verdicts = VerdictSerializer(source="submission.verdicts", many=True)

    class Meta:
        model = Standing
        fields = ["analyst", "at", "comment", "verdicts"]


class ItemRowSerializer(serializers.ModelSerializer[Item]):
    """An item in a list."""

    class Meta:
        model = Item
        fields = ["id", "queue", "position", "key", "question", "doubt", "reason", "state", "submitted"]


class ItemSerializer(serializers.ModelSerializer[Item]):
    """An item with its candidates, and what the one who asks said of it."""

    topics = serializers.ListField(child=serializers.CharField())
    answers = serializers.ListField(child=serializers.CharField())
    candidates = CandidateSerializer(many=True)
    mine = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = [
            *("id", "queue", "position", "key", "question", "topics", "answers", "doubt", "reason", "shown"),
            *("state", "submitted", "version", "candidates", "mine"),
        ]

    @extend_schema_field(StandingSerializer(allow_null=True))
    def get_mine(self, item: Item) -> dict[str, Any] | None:
        """What the one who asks said."""
        found = self.context["mine"]
        return None if found is None else StandingSerializer(found).data


class HoldingSerializer(serializers.Serializer[object]):
    """Items that the analyst has before them."""

    holding = serializers.ListField(
        child=serializers.IntegerField(), max_length=HOLDING_MAX, required=False, default=list
    )


class NextSerializer(serializers.Serializer[object]):
    """The next item; null when none is left for this analyst."""

    item = ItemSerializer(allow_null=True)


class SaidSerializer(serializers.Serializer[object]):
    """A verdict on a path."""

    candidate = serializers.IntegerField()
    kind = serializers.ChoiceField(
        choices=[(kind.value, kind.label) for kind in VerdictKind if kind != VerdictKind.BROKEN]
    )
    reasons = serializers.ListField(
        child=serializers.ChoiceField(choices=Reason.choices), required=False, default=list
    )
    comment = Text(max_length=COMMENT_MAX, required=False, allow_blank=True, default="")


class JudgementSerializer(HoldingSerializer):
    """What an analyst says of an item, and which items they hold besides."""

    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=0)
    shown = serializers.CharField(max_length=64)
    verdicts = SaidSerializer(many=True, required=False, default=list)
    broken = serializers.BooleanField(required=False, default=False)
    reasons = serializers.ListField(
        child=serializers.ChoiceField(choices=Reason.choices), required=False, default=list
    )
    comment = Text(max_length=COMMENT_MAX, required=False, allow_blank=True, default="")


class UndoSerializer(serializers.Serializer[object]):
    """The id of the event that takes the last submission back."""

    id = serializers.UUIDField()


class SubmittedSerializer(serializers.Serializer[object]):
    """The item as it is now, and the next one."""

    item = ItemRowSerializer()
    next = ItemSerializer(allow_null=True)


class DrawingSerializer(serializers.Serializer[object]):
    """The facts of one candidate, to be drawn; at most 12 entities of each kind."""

    candidate = serializers.IntegerField()
    hops = HopSerializer(many=True)
    hit = NodeSerializer(many=True)
    extra = NodeSerializer(many=True)
    missed = NodeSerializer(many=True)


class PersonSerializer(serializers.Serializer[object]):
    """How much one analyst judged."""

    analyst = serializers.CharField()
    judged = serializers.IntegerField()
    last = serializers.DateTimeField()


class AgreementSerializer(serializers.Serializer[object]):
    """How far all agree on paths that two or more judged."""

    paths = serializers.IntegerField()
    percent = serializers.FloatField(allow_null=True, help_text="of pairs of verdicts, in [0, 1]")
    alpha = serializers.FloatField(allow_null=True, help_text="Krippendorff's, nominal")


class AnalystPairSerializer(serializers.Serializer[object]):
    """How far two analysts agree."""

    analysts = serializers.ListField(child=serializers.CharField())
    paths = serializers.IntegerField()
    percent = serializers.FloatField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen's")


class StatisticsSerializer(serializers.Serializer[object]):
    """Figures of a queue."""

    progress = ItemProgressSerializer()
    people = PersonSerializer(many=True)
    agreement = AgreementSerializer()
    pairs = AnalystPairSerializer(many=True)
