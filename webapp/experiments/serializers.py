"""Training, label sets and checkpoints as the API shows and takes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.api.fields import ErrorSerializer, PlainText, render_row_error
from webapp.api.schema import RELATION_PATH, describe_tuple
from webapp.experiments import promotions, resolution
from webapp.experiments.label_sets import COMBINED, MAX_HOPS
from webapp.experiments.models import Checkpoint, LabelSet, Promotion, TrajectorySet
from webapp.graphs.models import Graph
from webapp.jobs.models import JobState
from webapp.jobs.serializers import JobSerializer

SEED_MAX = 2**31 - 1


class MethodSerializer(serializers.Serializer[object]):
    """A retrieval method."""

    id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    description = serializers.CharField()
    trained = serializers.BooleanField(help_text="learns from questions")
    standalone = serializers.BooleanField(help_text="needs no training; never zero-shot")
    available = serializers.BooleanField(help_text="can be asked here")
    steerable = serializers.BooleanField()
    on_endpoints = serializers.BooleanField(help_text="can be asked of a graph that lives in an endpoint")
    takes_written_programs = serializers.BooleanField(
        help_text="a language model may write its programs: reasoner llm-program"
    )
    needs = serializers.ListField(
        child=serializers.ChoiceField(choices=["facts", "passages", "llm"]),
        help_text="what a graph must hold",
    )


class SettingSerializer(serializers.Serializer[object]):
    """A setting of training a method."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=["bool", "int", "float", "str", "choice"])
    default = serializers.JSONField(allow_null=True)
    about = serializers.CharField()
    choices = serializers.ListField(child=serializers.CharField())
    least = serializers.FloatField(allow_null=True)
    above = serializers.FloatField(allow_null=True)
    below = serializers.FloatField(allow_null=True)


class MethodDetailSerializer(MethodSerializer):
    """A retrieval method with the settings of its training, and those of asking it in an evaluation."""

    settings = SettingSerializer(many=True)
    options = SettingSerializer(many=True)
    untrained_options = serializers.ListField(
        child=serializers.CharField(), help_text="names of the options that it has without a checkpoint too"
    )
    paper_settings = serializers.DictField(
        allow_null=True,
        help_text="settings whose value in the paper's form is another; null without such a form",
    )
    paper_options = serializers.DictField(allow_null=True, help_text="options likewise")


class JobUsageSerializer(serializers.Serializer[object]):
    """What a language model cost."""

    llm_calls = serializers.IntegerField()
    tokens = serializers.IntegerField()


class ReportUsageSerializer(JobUsageSerializer):
    """The same with its cost; null where no price is known."""

    cost = serializers.FloatField(allow_null=True, default=None)


class CheckpointUploadSerializer(serializers.Serializer[object]):
    """A checkpoint's file and the graph that it is for."""

    graph = serializers.IntegerField()
    file = serializers.FileField(default=None)


class CheckpointComparisonSerializer(serializers.Serializer[object]):
    """The questions on which a checkpoint is compared with what answers now."""

    question_set = serializers.IntegerField()


class CheckpointGainSerializer(serializers.Serializer[object]):
    """What a checkpoint gains: the share of the same held-out questions whose answers are exactly right.

    ``before`` and ``after`` are reports; ``method`` and ``checkpoint`` (null: untrained) answered before.
    ``low``, ``high`` and ``p`` are of the difference, by a paired bootstrap.
    """

    state = serializers.ChoiceField(choices=JobState.choices)
    before = serializers.IntegerField()
    after = serializers.IntegerField()
    question_set_name = serializers.CharField(default=None, allow_null=True)
    split = serializers.CharField(default=None, allow_null=True)
    n = serializers.IntegerField(default=None, allow_null=True)
    method = serializers.CharField(default=None, allow_null=True)
    checkpoint = serializers.IntegerField(default=None, allow_null=True)
    score_before = serializers.FloatField(default=None, allow_null=True)
    score_after = serializers.FloatField(default=None, allow_null=True)
    low = serializers.FloatField(default=None, allow_null=True)
    high = serializers.FloatField(default=None, allow_null=True)
    p = serializers.FloatField(default=None, allow_null=True)
    gained = serializers.IntegerField(default=None, allow_null=True)
    lost = serializers.IntegerField(default=None, allow_null=True)


class CheckpointSerializer(serializers.ModelSerializer[Checkpoint]):
    """A trained retriever."""

    graph_name = serializers.CharField(source="graph.name")
    snapshot = serializers.CharField(source="snapshot.hash")
    created_by = serializers.CharField(source="job.user.username", allow_null=True, default=None)
    current = serializers.SerializerMethodField()
    metrics = serializers.DictField(child=serializers.FloatField())
    config = serializers.DictField()
    seed = serializers.SerializerMethodField()
    in_use = serializers.SerializerMethodField()
    promoted_at = serializers.SerializerMethodField()
    comparison = serializers.SerializerMethodField()

    class Meta:
        model = Checkpoint
        fields = [
            *("id", "method", "graph", "graph_name", "snapshot", "current", "encoder", "fingerprint"),
            *("metrics", "config", "question_set", "question_set_name", "label_set", "fraction", "seed"),
            *("job", "created_at", "created_by", "in_use", "promoted_at", "foreign", "self_trained"),
            "comparison",
        ]

    def get_in_use(self, checkpoint: Checkpoint) -> bool:
        """Whether its method uses it on its graph unless told otherwise."""
        return self._find_in_use(checkpoint) is not None

    def get_promoted_at(self, checkpoint: Checkpoint) -> datetime | None:
        """Since when it is the promoted one; null for others, and for one that is in use without a promotion."""
        used = self._find_in_use(checkpoint)
        return None if used is None else used.promoted_at

    @extend_schema_field(CheckpointGainSerializer(allow_null=True))
    def get_comparison(self, checkpoint: Checkpoint) -> dict[str, Any] | None:
        """How it compares with what answered before; null where nobody asked."""
        if checkpoint.comparison is None:
            return None
        state = (
            JobState.DONE.value
            if "n" in checkpoint.comparison
            else promotions.get_comparison_state(checkpoint.comparison)
        )
        return dict(CheckpointGainSerializer({**checkpoint.comparison, "state": state}).data)

    def _find_in_use(self, checkpoint: Checkpoint) -> resolution.InUse | None:
        seen = cast(dict[str, Any], self.context)  # shared by the checkpoints of a list
        by_graph: dict[Graph, dict[str, resolution.InUse]] = seen.setdefault("in_use", {})
        if checkpoint.graph not in by_graph:
            by_graph[checkpoint.graph] = resolution.find_in_use(checkpoint.graph)
        used = by_graph[checkpoint.graph].get(checkpoint.method)
        return used if used is not None and used.checkpoint == checkpoint.pk else None

    def get_current(self, checkpoint: Checkpoint) -> bool:
        """Whether it is of the graph's current snapshot."""
        return checkpoint.snapshot_id == checkpoint.graph.snapshot_id

    def get_seed(self, checkpoint: Checkpoint) -> int:
        """Of everything random in its training."""
        return int(checkpoint.config.get("seed", 0))


@extend_schema_field(CheckpointSerializer(allow_null=True))
class CheckpointInUseField(serializers.Field[Any, Any, Any, Any]):
    """The checkpoint that runs on a graph use unless told otherwise."""

    def __init__(self) -> None:
        super().__init__(source="*", read_only=True)

    def to_representation(self, value: Graph) -> dict[str, Any] | None:
        """None where there is none."""
        checkpoint = resolution.find_checkpoint_in_use(value)
        return dict(CheckpointSerializer(checkpoint).data) if checkpoint else None


class PromotionSerializer(serializers.ModelSerializer[Promotion]):
    """That a checkpoint was promoted, or a promotion taken back."""

    user = serializers.CharField(source="user.username", allow_null=True, default=None)
    kind = serializers.SerializerMethodField()
    rolled_back = serializers.SerializerMethodField()

    class Meta:
        model = Promotion
        fields = ["id", "at", "user", "method", "kind", "checkpoint", "previous", "rolled_back"]

    @extend_schema_field(serializers.ChoiceField(choices=["promoted", "rolled-back"]))
    def get_kind(self, made: Promotion) -> str:
        """Whether this took a promotion back."""
        return "promoted" if made.undoes_id is None else "rolled-back"

    def get_rolled_back(self, made: Promotion) -> bool:
        """Whether this was taken back later."""
        return hasattr(made, "undone_by")


class RollbackSerializer(serializers.Serializer[object]):
    """Which method goes back."""

    method = PlainText(max_length=32)


class MethodChoiceSerializer(serializers.Serializer[object]):
    """What is asked how; what is left out follows from the graph and the method."""

    method = PlainText(max_length=32, allow_null=True, default=None)
    checkpoint = serializers.IntegerField(allow_null=True, default=None)
    reasoner = PlainText(max_length=32, allow_null=True, default=None)
    budget = serializers.IntegerField(allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=SEED_MAX, default=0)
    llm = serializers.IntegerField(min_value=0, max_value=SEED_MAX, allow_null=True, default=None)


class TrainSerializer(serializers.Serializer[object]):
    """What to train with what."""

    question_set = serializers.IntegerField(
        allow_null=True, default=None, help_text="needed, unless the review has one"
    )
    method = PlainText(max_length=32)
    config = serializers.DictField(default=dict)
    fraction = serializers.FloatField(default=1.0)
    seed = serializers.IntegerField(min_value=0, max_value=SEED_MAX, allow_null=True, default=None)
    labels = serializers.IntegerField(allow_null=True, default=None)
    trajectories = serializers.IntegerField(allow_null=True, default=None)
    review_queue = serializers.IntegerField(allow_null=True, default=None)
    corrections = serializers.BooleanField(
        default=True, help_text="learn from programs that people ran in place of what was read"
    )
    compare = serializers.BooleanField(
        default=True, help_text="ask what answers now and the new checkpoint the same held-out questions"
    )


class MadeByJobSerializer(serializers.ModelSerializer[Any]):
    """What a job makes: its state, and why it failed."""

    graph_name = serializers.CharField(source="graph.name")
    snapshot = serializers.CharField(source="snapshot_hash")
    state = serializers.ChoiceField(choices=JobState.choices)
    error = serializers.SerializerMethodField()
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)

    @extend_schema_field(ErrorSerializer(allow_null=True))
    def get_error(self, made: Any) -> dict[str, str] | None:
        """Why it was not made."""
        return None if made.finished_at or made.job is None else render_row_error(made.job)


class MadeWithModelSerializer(MadeByJobSerializer):
    """The same of what a language model may have a part in."""

    usage = serializers.SerializerMethodField()

    @extend_schema_field(JobUsageSerializer)
    def get_usage(self, made: Any) -> dict[str, int]:
        """What the language model cost."""
        return {"llm_calls": 0, "tokens": 0, **made.usage}


class CompressionSerializer(serializers.Serializer[object]):
    """How far merging shrank the candidate pools, one a question."""

    pools = serializers.IntegerField()
    raw = serializers.IntegerField(help_text="candidates before merging")
    merged = serializers.IntegerField(help_text="candidates after merging")
    ratio = serializers.FloatField(help_text="merged over raw")


class LabelSetSerializer(MadeWithModelSerializer):
    """A label set."""

    sources = serializers.DictField(child=serializers.IntegerField())
    compression = CompressionSerializer(allow_null=True)

    class Meta:
        model = LabelSet
        fields = [
            *("id", "name", "graph", "graph_name", "snapshot", "question_set", "question_set_name"),
            *("strategy", "prompt", "state", "job", "questions", "labels", "coverage", "fit", "sources"),
            *("compression", "usage", "error", "created_at", "finished_at", "created_by"),
        ]


class LabelSerializer(serializers.Serializer[object]):
    """What to label how."""

    graph = serializers.IntegerField()
    question_set = serializers.IntegerField()
    strategy = PlainText(max_length=32)
    prompt = PlainText(max_length=32, allow_blank=True, default="")
    max_hops = serializers.IntegerField(min_value=1, max_value=MAX_HOPS, allow_null=True, default=None)
    name = PlainText(max_length=200, allow_blank=True, default="")


class CombineSerializer(serializers.Serializer[object]):
    """Two label sets of the same questions, and what is kept of them."""

    first = serializers.IntegerField()
    second = serializers.IntegerField()
    how = serializers.ChoiceField(choices=list(COMBINED))
    name = PlainText(max_length=200, allow_blank=True, default="")


class LabellingSerializer(serializers.Serializer[object]):
    """A label set that is being made, and the job that makes it."""

    label_set = LabelSetSerializer()
    job = JobSerializer()


class TrajectorySetSerializer(MadeWithModelSerializer):
    """A trajectory set."""

    settings = serializers.DictField()

    class Meta:
        model = TrajectorySet
        fields = [
            *("id", "name", "graph", "graph_name", "snapshot", "question_set", "question_set_name"),
            *("policy", "settings", "state", "job", "questions", "answered", "trajectories", "raw_steps"),
            *("refined_steps", "usage", "error", "created_at", "finished_at", "created_by"),
        ]


class SynthesiseSerializer(serializers.Serializer[object]):
    """What to make trajectories for, and how."""

    graph = serializers.IntegerField()
    question_set = serializers.IntegerField()
    policy = PlainText(max_length=16, default="offline")
    samples = serializers.IntegerField(min_value=1, max_value=20, default=2)
    astray = serializers.FloatField(min_value=0, max_value=1, default=0.15)
    match = serializers.FloatField(min_value=0, max_value=1, default=1.0)
    seed = serializers.IntegerField(min_value=0, max_value=SEED_MAX, default=0)
    name = PlainText(max_length=200, allow_blank=True, default="")


class SynthesisSerializer(serializers.Serializer[object]):
    """A trajectory set that is being made, and the job that makes it."""

    trajectory_set = TrajectorySetSerializer()
    job = JobSerializer()


@extend_schema_field(
    {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["explore", "choose", "finish"]},
            "front": {"type": "integer"},
            "entities": {"type": "array", "items": {"type": "string"}},
            "relations": RELATION_PATH,
            "triples": {"type": "array", "items": describe_tuple("string", "string", "boolean", "string")},
        },
        "required": ["kind"],
    }
)
class ActionRowField(serializers.DictField):
    """An action by labels, as trajectory files have it."""


class TrajectorySerializer(serializers.Serializer[object]):
    """A trajectory before and after refinement."""

    id = serializers.CharField()
    question = serializers.CharField()
    question_id = serializers.CharField()
    topics = serializers.ListField(child=serializers.CharField())
    answers = serializers.ListField(child=serializers.CharField())
    actions = serializers.ListField(child=ActionRowField())
    kept = serializers.ListField(child=serializers.IntegerField(), help_text="positions that refinement left")
    behaviour = serializers.CharField()
    score = serializers.FloatField()
