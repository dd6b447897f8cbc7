"""Studies as the API shows and takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from retrieval.limits import DEFAULT_BUDGET
from retrieval.studies.plan import StudyConfig, parse
from retrieval.studies.presets import Preset
from retrieval.studies.tables import describe, describe_bold
from webapp.api.fields import Computed, PlainText, RowError, Stored
from webapp.experiments.models import AskedQuestions, SubgraphSource, TopicSource
from webapp.experiments.report_serializers import Interval, LatencySerializer, Metric
from webapp.experiments.serializers import SEED_MAX, MadeByJobSerializer
from webapp.jobs.serializers import JobSerializer
from webapp.studies import selectors
from webapp.studies.models import Study, StudyCell
from webapp.studies.row_serializers import GainSerializer, StudyRowSerializer, WinnerSerializer

CELL_STATES = ("waiting", "done", "failed")


class StudySetSerializer(serializers.Serializer[object]):
    """A question set of a study; null where it, its graph or its label set was deleted."""

    name = serializers.CharField()
    graph = serializers.IntegerField(source="graph_id", allow_null=True)
    graph_name = serializers.CharField(source="graph.name", allow_null=True, default=None)
    snapshot = serializers.CharField(source="snapshot_hash")
    question_set = serializers.IntegerField(source="question_set_id", allow_null=True)
    labels = serializers.IntegerField(source="label_set_id", allow_null=True)
    labels_name = serializers.CharField(source="label_set_name", allow_blank=True)


class StudyCountsSerializer(serializers.Serializer[object]):
    """Cells by how far they are."""

    all = serializers.IntegerField(source="cells_all")
    done = serializers.IntegerField(source="cells_done")
    failed = serializers.IntegerField(source="cells_failed")


class StudySerializer(MadeByJobSerializer):
    """A study without its cells. ``graph`` is that of its first set."""

    snapshot = None  # type: ignore[assignment]  # each of its sets has one
    sets = StudySetSerializer(many=True)
    llm = serializers.CharField(source="llm_name", allow_blank=True)
    variants = serializers.SerializerMethodField()
    counts = StudyCountsSerializer(source="*")

    class Meta:
        model = Study
        fields = [
            *("id", "name", "graph", "graph_name", "preset", "sets", "variants", "llm", "bytes", "counts"),
            *("state", "job", "error", "created_at", "finished_at", "created_by"),
        ]

    def get_variants(self, study: Study) -> list[str]:
        """Their names."""
        return list(study.plan["variants"])


class VariantSerializer(serializers.Serializer[object]):
    """A way to train and to ask. ``of`` names another variant, whose checkpoints are asked."""

    name = PlainText(max_length=100)
    method = PlainText(max_length=32)
    config = serializers.DictField(default=dict)
    options = serializers.DictField(default=dict)
    strategy = PlainText(max_length=32, allow_null=True, default=None)
    prompt = PlainText(max_length=32, allow_null=True, default=None)
    trained = serializers.BooleanField(default=True)
    of = PlainText(max_length=100, allow_null=True, default=None)
    budget = serializers.IntegerField(min_value=1, max_value=SEED_MAX, allow_null=True, default=None)
    reasoner = PlainText(max_length=32, allow_null=True, default=None)


class PlanSerializer(serializers.Serializer[object]):
    """What is trained and tested how, without the question sets."""

    variants = VariantSerializer(many=True)
    fractions = serializers.ListField(child=serializers.FloatField(), default=lambda: [1.0], max_length=20)
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=SEED_MAX), default=lambda: [0], max_length=50
    )
    split = PlainText(max_length=16, default="test")
    budget = serializers.IntegerField(min_value=1, max_value=SEED_MAX, default=DEFAULT_BUDGET)
    topics = serializers.ChoiceField(choices=TopicSource.choices, default=TopicSource.GIVEN.value)
    subgraphs = serializers.ChoiceField(choices=SubgraphSource.choices, default=SubgraphSource.OWN.value)
    answers = serializers.ChoiceField(choices=AskedQuestions.choices, default=AskedQuestions.ALL.value)
    reasoner = PlainText(max_length=32, default="extractive")
    limit = serializers.IntegerField(min_value=1, max_value=SEED_MAX, allow_null=True, default=None)
    baseline = PlainText(max_length=100, allow_null=True, default=None)


class PlannedSerializer(PlanSerializer):
    """The plan of a study, with the names of the sets that are trained on and tested; none: all, and the same."""

    train = serializers.ListField(child=serializers.CharField())
    test = serializers.ListField(child=serializers.CharField())


class ChosenSetSerializer(serializers.Serializer[object]):
    """A question set of a study, with a label set of it that variants without a strategy learn from."""

    question_set = serializers.IntegerField()
    labels = serializers.IntegerField(allow_null=True, default=None)


class StartStudySerializer(PlanSerializer):
    """A study to start. ``train`` and ``test`` are question sets among ``sets``; all, and each its own, when empty."""

    name = PlainText(max_length=200)
    preset = PlainText(max_length=64, allow_blank=True, default="")
    sets = ChosenSetSerializer(many=True, allow_empty=False)
    train = serializers.ListField(child=serializers.IntegerField(), default=list)
    test = serializers.ListField(child=serializers.IntegerField(), default=list)
    llm = serializers.IntegerField(min_value=0, max_value=SEED_MAX, allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Names of variants tell them apart; what JSON cannot keep is refused."""
        names = [variant["name"] for variant in attrs["variants"]]
        if len(set(names)) < len(names):
            raise serializers.ValidationError({"variants": "Two variants have the same name."})
        Stored().run_validation([[variant["config"], variant["options"]] for variant in attrs["variants"]])
        return attrs


class EpochField(serializers.DictField):
    """What an epoch measured: ``epoch``, ``loss``, and the dev score where it was measured."""

    child = serializers.FloatField()


class StudyTrainingSerializer(serializers.Serializer[object]):
    """The training behind a cell; cells of one training share it."""

    seconds = serializers.FloatField()
    questions = serializers.IntegerField()
    resumed = serializers.BooleanField(default=False)
    metrics = serializers.DictField(child=Metric())
    curve = serializers.ListField(child=EpochField(), default=list)


class StudyCellSerializer(serializers.ModelSerializer[StudyCell]):
    """A cell: null where it has no result yet. ``error`` says why it failed."""

    state = serializers.SerializerMethodField()
    n = serializers.IntegerField(source="result.n", default=None, allow_null=True)
    metrics = serializers.DictField(source="result.metrics", default=dict, child=Metric())
    intervals = serializers.DictField(source="result.intervals", default=dict, child=Interval())
    causes = serializers.DictField(source="result.causes", default=dict, child=serializers.IntegerField())
    latency_ms = LatencySerializer(source="result.latency_ms", default=None, allow_null=True)
    training = StudyTrainingSerializer(source="result.training", default=None, allow_null=True)
    error = RowError()

    class Meta:
        model = StudyCell
        fields = [
            *("id", "train", "test", "variant", "fraction", "seed", "state", "n", "metrics", "intervals"),
            *("causes", "latency_ms", "training", "report", "checkpoint", "error", "finished_at"),
        ]

    @extend_schema_field(serializers.ChoiceField(choices=CELL_STATES))
    def get_state(self, cell: StudyCell) -> str:
        """Whether there is a result."""
        if cell.result is not None:
            return "done"
        return "failed" if cell.error_code else "waiting"


def _get_summary(study: Study) -> dict[str, Any]:
    kept: dict[str, Any] | None = getattr(study, "kept_summary", None)
    if kept is None:
        kept = selectors.compute_summary(study)
        study.kept_summary = kept  # type: ignore[attr-defined]  # for both of the fields that show it
    return kept


class StudyDetailSerializer(StudySerializer):
    """A study with its cells, and the rows of those that are done."""

    plan = serializers.SerializerMethodField()
    cells = StudyCellSerializer(many=True)
    rows = Computed(StudyRowSerializer(many=True), lambda study: _get_summary(study)["rows"])
    gains = Computed(GainSerializer(many=True), lambda study: _get_summary(study)["gains"])
    winners = Computed(WinnerSerializer(many=True), lambda study: _get_summary(study)["winners"])
    about_rows = serializers.SerializerMethodField()
    capsule = serializers.BooleanField(help_text="whether its capsule can be downloaded")

    class Meta(StudySerializer.Meta):
        fields = [
            *StudySerializer.Meta.fields,
            "plan",
            "cells",
            "rows",
            "gains",
            "winners",
            "about_rows",
            "capsule",
        ]

    @extend_schema_field(PlannedSerializer)
    def get_plan(self, study: Study) -> dict[str, Any]:
        """As it was asked for, with what was left out; the database keeps the order of cells, not of variants."""
        shown = _render_plan(selectors.parse_plan(study))
        names = dict.fromkeys(study.cells.values_list("variant", flat=True))
        order = {name: place for place, name in enumerate(names)}  # of none before its cells are made
        shown["variants"].sort(key=lambda variant: order.get(variant["name"], len(order)))
        return PlannedSerializer(shown).data

    def get_about_rows(self, study: Study) -> str:
        """What the figures of the rows are of, and what bold means; empty without rows."""
        summed = _get_summary(study)
        if not summed["rows"]:
            return ""
        about = describe(summed["rows"], split=study.plan.get("split", "test"))
        return f"{about} {describe_bold(summed['winners'])}"


class PresetSerializer(serializers.Serializer[Any]):
    """A paper's table or figure as a study; ``paper`` is empty for one of Clew's own.

    ``cross``: each checkpoint is tested on all sets. ``needs``: ``llm``, ``passages``.
    """

    id = serializers.CharField()
    paper = serializers.CharField(allow_blank=True)
    table = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    cross = serializers.BooleanField()
    needs = serializers.ListField(child=serializers.CharField())
    plan = serializers.SerializerMethodField()

    @extend_schema_field(PlanSerializer)
    def get_plan(self, preset: Preset) -> dict[str, Any]:
        """With what was left out."""
        nowhere = {"-": {"graph": "-", "questions": "-"}}
        return PlanSerializer(_render_plan(parse({**preset.plan, "data": nowhere}, Path()))).data


def _render_plan(plan: StudyConfig) -> dict[str, Any]:
    """A plan as the API shows it: variants in a list, each with its name."""
    variants = [
        {"name": name, **{what: getattr(variant, what) for what in variant.__dataclass_fields__}}
        for name, variant in plan.variants.items()
    ]
    rest = {name: getattr(plan, name) for name in plan.__dataclass_fields__}
    return {**rest, "variants": variants}


class StudyStartedSerializer(serializers.Serializer[object]):
    """A study that is being done, and the job that does it."""

    study = StudySerializer()
    job = JobSerializer()
