"""What the API says of queues, what was trained from them, and what was judged in them."""

from __future__ import annotations

from datetime import datetime

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.experiments.models import Report
from webapp.experiments.serializers import CheckpointSerializer, MadeByJobSerializer
from webapp.jobs.serializers import JobSerializer
from webapp.review.domain import counters
from webapp.review.domain.statistics import count_items_by_state
from webapp.review.models import Queue
from webapp.review.services import deletion


class ItemProgressSerializer(serializers.Serializer[object]):
    """Items by state."""

    open = serializers.IntegerField()
    done = serializers.IntegerField()
    broken = serializers.IntegerField()


class PersonalProgressSerializer(ItemProgressSerializer):
    """Items by state, and the work of the person who asks."""

    mine = serializers.IntegerField(help_text="items that the person who asks has judged")


class UsedLabelSetSerializer(serializers.Serializer[object]):
    """A label set that a queue was made of."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class QueueSerializer(MadeByJobSerializer):
    """A review queue."""

    snapshot = serializers.CharField(source="snapshot.hash")
    version = serializers.IntegerField(source="snapshot.version")
    current = serializers.SerializerMethodField()
    current_version = serializers.IntegerField(source="graph.snapshot.version", allow_null=True, default=None)
    label_sets = UsedLabelSetSerializer(many=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Queue
        fields = [
            *("id", "name", "graph", "graph_name", "snapshot", "version", "current", "current_version"),
            *("question_set", "question_set_name", "kind", "label_sets", "ordering", "seed", "overlap"),
            *("state", "job", "items"),
            *("candidates", "progress", "error", "created_at", "finished_at", "created_by"),
        ]

    def get_current(self, queue: Queue) -> bool:
        """Whether the graph still has the version that this queue is about."""
        return queue.graph.snapshot_id == queue.snapshot_id

    @extend_schema_field(PersonalProgressSerializer)
    def get_progress(self, queue: Queue) -> dict[str, int]:
        """Items by state, and those that the person who asks has judged."""
        user = self.context["request"].user
        return {**count_items_by_state(queue), "mine": counters.count_judged(queue.pk, user.username)}


class DeletedQueueSerializer(serializers.ModelSerializer[Queue]):
    """A deleted queue, and until when it can be restored."""

    graph_name = serializers.CharField(source="graph.name")
    deleted_at = serializers.DateTimeField()
    deleted_by = serializers.CharField(source="deleted_by.username", allow_null=True, default=None)
    kept_until = serializers.SerializerMethodField()

    class Meta:
        model = Queue
        fields = ["id", "name", "graph", "graph_name", "items", "deleted_at", "deleted_by", "kept_until"]

    def get_kept_until(self, queue: Queue) -> datetime:
        """When it is deleted for good."""
        return deletion.compute_purge_time(queue)


class StartedQueueSerializer(serializers.Serializer[object]):
    """A queue that is being prepared, and the job that does it."""

    queue = QueueSerializer()
    job = JobSerializer()


class TrainingReportSerializer(serializers.ModelSerializer[Report]):
    """A report of a comparison; ``macro_f1`` is null until it is done."""

    state = serializers.CharField()
    macro_f1 = serializers.SerializerMethodField()

    class Meta:
        model = Report
        fields = ["id", "state", "macro_f1"]

    def get_macro_f1(self, report: Report) -> float | None:
        """In [0, 1]."""
        macro_f1: float | None = report.summary.get("metrics", {}).get("macro_f1")
        return macro_f1


class QueueTrainingSerializer(serializers.Serializer[object]):
    """A training from a queue: its job, the checkpoint it left, the reports before and after where compared."""

    job = JobSerializer()
    method = serializers.CharField()
    by = serializers.CharField(allow_null=True)
    checkpoint = CheckpointSerializer(allow_null=True)
    reports = TrainingReportSerializer(many=True)


class PersonSerializer(serializers.Serializer[object]):
    """How much one analyst judged."""

    analyst = serializers.CharField()
    judged = serializers.IntegerField()
    last = serializers.DateTimeField(allow_null=True)
    reserved = serializers.IntegerField(help_text="items before them now")


class AgreementSerializer(serializers.Serializer[object]):
    """How far all agree on paths that two or more judged."""

    paths = serializers.IntegerField()
    percent = serializers.FloatField(allow_null=True, help_text="of pairs of verdicts, in [0, 1]")
    alpha = serializers.FloatField(allow_null=True, help_text="Krippendorff's, nominal")
    fleiss = serializers.FloatField(allow_null=True, help_text="kappa of paths that `raters` judged")
    raters = serializers.IntegerField(allow_null=True, help_text="as many as judged most paths")


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
    reasons = serializers.DictField(child=serializers.IntegerField())
    unanimous = serializers.IntegerField(help_text="items that all who judged them judged alike")
    disagreements = serializers.IntegerField(help_text="items that were not judged alike, decided or not")
    settled = serializers.IntegerField()
    adjudicated = serializers.IntegerField()
