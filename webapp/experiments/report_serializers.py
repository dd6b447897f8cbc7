"""Evaluation reports as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from retrieval.metrics.guarantee import HELD
from webapp.api.fields import PlainText
from webapp.api.schema import allow_null, describe_tuple
from webapp.experiments.comparison import CHANGES
from webapp.experiments.models import (
    AskedQuestions,
    ForeignUse,
    Judgement,
    QuestionOutcome,
    Report,
    ReportQuestion,
    SubgraphSource,
    TopicSource,
)
from webapp.experiments.serializers import (
    SEED_MAX,
    MadeByJobSerializer,
    MethodChoiceSerializer,
    ReportUsageSerializer,
)
from webapp.jobs.serializers import JobSerializer


class Metric(serializers.FloatField):
    """A figure, null where it does not apply."""

    def __init__(self) -> None:
        super().__init__(allow_null=True)


@extend_schema_field(allow_null(describe_tuple("number", "number")))
class Interval(serializers.JSONField):
    """Where a figure lies with 95% confidence: from, to."""


class LatencySerializer(serializers.Serializer[object]):
    """Milliseconds a question."""

    p50 = serializers.FloatField()
    p95 = serializers.FloatField()


class OutcomesSerializer(serializers.Serializer[object]):
    """Questions by how they went."""

    right = serializers.IntegerField()
    partial = serializers.IntegerField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    wrong = serializers.IntegerField()
    no_answer = serializers.IntegerField()
    failed = serializers.IntegerField()


class RiskPointSerializer(serializers.Serializer[object]):
    """What is answered, and how much of it wrongly, where answers of at least this confidence are given."""

    confidence = serializers.FloatField()
    coverage = serializers.FloatField(help_text="share of the questions that are answered")
    error = serializers.FloatField(help_text="share of these answers that is wrong")


class ReliabilityBinSerializer(serializers.Serializer[object]):
    """Answers whose confidence lies between two bounds."""

    low = serializers.FloatField()
    high = serializers.FloatField()
    n = serializers.IntegerField()
    confidence = serializers.FloatField(help_text="the mean")
    right = serializers.FloatField(help_text="share of them that is right")


class RiskSerializer(serializers.Serializer[object]):
    """Risk and coverage by falling confidence, and the reliability diagram. Right is the whole answer set alone."""

    n = serializers.IntegerField()
    answered = serializers.IntegerField()
    wrong = serializers.IntegerField()
    curve = RiskPointSerializer(many=True)
    bins = ReliabilityBinSerializer(many=True)


class MeasuredLimitSerializer(serializers.Serializer[object]):
    """Whether answers to other questions kept a limit; the interval is of the share of wrong ones, at 95%."""

    n = serializers.IntegerField()
    answered = serializers.IntegerField()
    wrong = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    low = serializers.FloatField()
    high = serializers.FloatField()
    held = serializers.ChoiceField(
        choices=HELD,
        help_text="broken: all of the interval is above the limit; unclear: only the share is, which may be chance",
    )


class GuaranteeSerializer(serializers.Serializer[object]):
    """What calibration found for a limit on wrong answers."""

    at_most_wrong = serializers.IntegerField(help_text="answers of 100 that may be wrong")
    threshold = serializers.FloatField(
        allow_null=True, help_text="confidence from which answers are given; null: none is known to keep the limit"
    )
    questions = serializers.IntegerField(help_text="it was calibrated on")
    reviewed = serializers.IntegerField(help_text="of these, whose right answers a person knows")
    tested = serializers.IntegerField(help_text="questions of the half that tests")
    answered = serializers.IntegerField(help_text="of these, answered from the threshold on")
    wrong = serializers.IntegerField(help_text="of these, answered wrongly")
    needed = serializers.IntegerField(help_text="right answers of the testing half that would show the limit kept")
    too_few = serializers.BooleanField(help_text="even if all were right, these questions could not show it")


class VerifiedGuaranteeSerializer(GuaranteeSerializer):
    """A guarantee, and whether a report kept it."""

    measured = MeasuredLimitSerializer()


class ProgramFiguresSerializer(serializers.Serializer[object]):
    """Questions that bring a program: how many, whose does not fit the graph, and what became of the others."""

    given = serializers.IntegerField()
    unfit = serializers.ListField(child=serializers.CharField())
    exact = serializers.IntegerField(help_text="the gold program was run")
    same_answers = serializers.IntegerField(help_text="what the gold program gives was answered")
    none_run = serializers.IntegerField(help_text="answered, or not, without a program")


class JudgeSerializer(serializers.Serializer[object]):
    """Answers as a language model judges them; ``why`` says why there was nothing to judge."""

    n = serializers.IntegerField()
    why = serializers.CharField(default=None, allow_null=True)
    unsaid = serializers.IntegerField(default=None, allow_null=True, help_text="replies that do not say")
    llm_judge = serializers.FloatField(default=None, allow_null=True, help_text="share of right answers")
    exact_match = serializers.FloatField(default=None, allow_null=True, help_text="of the first answer's words")
    token_f1 = serializers.FloatField(default=None, allow_null=True, help_text="of the first answer's words")


class VerifySerializer(serializers.Serializer[object]):
    """Figures where a language model says which given answers mean which right ones."""

    n = serializers.IntegerField()
    why = serializers.CharField(default=None, allow_null=True)
    unsaid = serializers.IntegerField(default=None, allow_null=True)
    asked = serializers.IntegerField(default=None, allow_null=True, help_text="that were not right by name already")
    hit = serializers.FloatField(default=None, allow_null=True)
    macro_f1 = serializers.FloatField(default=None, allow_null=True)
    by_names = serializers.DictField(
        default=None, allow_null=True, child=serializers.FloatField(), help_text="both figures by names alone"
    )


class FaithfulnessSerializer(serializers.Serializer[object]):
    """How often right answers rest on what was read, as a language model says of itself."""

    n = serializers.IntegerField()
    why = serializers.CharField(default=None, allow_null=True)
    unsaid = serializers.IntegerField(default=None, allow_null=True)
    asked = serializers.IntegerField(default=None, allow_null=True)
    used = serializers.IntegerField(default=None, allow_null=True)
    not_used = serializers.IntegerField(default=None, allow_null=True)
    hallucination_score = serializers.FloatField(default=None, allow_null=True)


class SufficiencySerializer(serializers.Serializer[object]):
    """How often what was read states the right answers, as a language model judges."""

    n = serializers.IntegerField()
    why = serializers.CharField(default=None, allow_null=True)
    unsaid = serializers.IntegerField(default=None, allow_null=True)
    asked = serializers.IntegerField(default=None, allow_null=True)
    sufficient = serializers.FloatField(default=None, allow_null=True)


class JudgingUsageSerializer(serializers.Serializer[object]):
    """What the judgements cost; replies that were ``kept`` from before cost nothing."""

    llm_calls = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True)
    kept = serializers.IntegerField()


class JudgedSerializer(serializers.Serializer[object]):
    """What a language model says of a report's answers; null what was not asked for."""

    judge = JudgeSerializer(default=None, allow_null=True)
    verify = VerifySerializer(default=None, allow_null=True)
    faithfulness = FaithfulnessSerializer(default=None, allow_null=True)
    sufficiency = SufficiencySerializer(default=None, allow_null=True)
    model = serializers.CharField()
    usage = JudgingUsageSerializer()


class JudgedQuestionSerializer(serializers.Serializer[object]):
    """What a language model says of a question's answers; null where its reply does not say."""

    right = serializers.BooleanField(default=None, allow_null=True)
    verified_f1 = serializers.FloatField(default=None, allow_null=True)
    sufficient = serializers.BooleanField(default=None, allow_null=True)
    faithful = serializers.BooleanField(default=None, allow_null=True)


class ReportSerializer(MadeByJobSerializer):
    """A report without what only its own page shows: what the engine measured is null or empty until it is done.

    ``fingerprint`` is that of its checkpoint, also when that is deleted; null for the zero-shot retriever.
    ``retrieval_ms`` is what the retriever took of the latency.
    """

    fingerprint = serializers.SerializerMethodField()
    llm = serializers.CharField(source="llm_name", allow_blank=True)
    options = serializers.DictField()
    judgements = serializers.ListField(child=serializers.ChoiceField(choices=Judgement.choices))
    n = serializers.IntegerField(source="summary.n", default=None, allow_null=True)
    metrics = serializers.DictField(source="summary.metrics", default=dict, child=Metric())
    latency_ms = LatencySerializer(source="summary.latency_ms", default=None, allow_null=True)
    retrieval_ms = LatencySerializer(source="summary.retrieval_ms", default=None, allow_null=True)
    usage = ReportUsageSerializer(source="summary.usage", default=None, allow_null=True)

    class Meta:
        model = Report
        fields = [
            *("id", "graph", "graph_name", "snapshot", "question_set", "question_set_name", "split"),
            *("method", "checkpoint", "fingerprint", "reasoner", "llm", "budget", "seed", "limit"),
            *("topics", "subgraphs", "answers", "foreign", "judgements", "options", "state", "job", "n"),
            *(
                "metrics",
                "latency_ms",
                "retrieval_ms",
                "usage",
                "error",
                "created_at",
                "finished_at",
                "created_by",
            ),
        ]

    def get_fingerprint(self, report: Report) -> str | None:
        """Null where there is none."""
        return report.fingerprint or None


class ReportDetailSerializer(ReportSerializer):
    """A report as its own page shows it.

    ``intervals`` are the 95% confidence intervals of the metrics; ``breakdowns`` go by what, group, and metric;
    ``programs`` says how questions that bring a program were read; ``no_answers`` how often silence was right, and
    why there was any; ``own_subgraphs`` which questions were asked on their own subgraph; ``coverage`` what the graph
    lacks of the questions' topics and answers; ``manifest`` all that is needed to repeat it.
    """

    intervals = serializers.DictField(source="summary.intervals", default=dict, child=Interval())
    breakdowns = serializers.DictField(
        source="summary.breakdowns",
        default=dict,
        child=serializers.DictField(child=serializers.DictField(child=Metric())),
    )
    outcomes = serializers.SerializerMethodField()
    causes = serializers.DictField(
        source="summary.causes",
        default=dict,
        child=serializers.IntegerField(),
        help_text="questions that were not answered rightly, by the stage that lost an answer",
    )
    no_answers = serializers.DictField(source="summary.no_answers", default=dict)
    own_subgraphs = serializers.DictField(source="summary.own_subgraphs", default=dict)
    programs = ProgramFiguresSerializer(source="summary.programs", default=None, allow_null=True)
    risk = RiskSerializer(
        source="summary.risk",
        default=None,
        allow_null=True,
        help_text="null in reports that do not know the confidence of answers",
    )
    guarantee = VerifiedGuaranteeSerializer(
        source="summary.guarantee",
        default=None,
        allow_null=True,
        help_text="of the graph's limit on wrong answers; null without one, or where it was not calibrated",
    )
    coverage = serializers.DictField(source="summary.coverage", default=dict, child=serializers.IntegerField())
    judged = JudgedSerializer(source="summary.judged", default=None, allow_null=True)
    manifest = serializers.DictField(source="summary.manifest", default=dict)

    class Meta(ReportSerializer.Meta):
        fields = [
            *ReportSerializer.Meta.fields,
            *("intervals", "breakdowns", "outcomes", "causes", "no_answers", "own_subgraphs", "programs"),
            *("risk", "guarantee", "coverage", "judged", "manifest"),
        ]

    @extend_schema_field(OutcomesSerializer)
    def get_outcomes(self, report: Report) -> dict[str, int]:
        """Questions by how they went."""
        return {**dict.fromkeys(QuestionOutcome.values, 0), **report.summary.get("outcomes", {})}


class EvaluateSerializer(MethodChoiceSerializer):
    """What to evaluate how."""

    graph = serializers.IntegerField()
    question_set = serializers.IntegerField()
    split = PlainText(max_length=16, default="test")
    limit = serializers.IntegerField(max_value=SEED_MAX, allow_null=True, default=None)
    topics = serializers.ChoiceField(choices=TopicSource.choices, default=TopicSource.GIVEN.value)
    subgraphs = serializers.ChoiceField(choices=SubgraphSource.choices, default=SubgraphSource.OWN.value)
    answers = serializers.ChoiceField(
        choices=AskedQuestions.choices,
        default=AskedQuestions.ALL.value,
        help_text="all questions, or those of which some answer is in the graph",
    )
    foreign = serializers.ChoiceField(
        choices=ForeignUse.choices,
        default=ForeignUse.ZERO_SHOT.value,
        help_text="a checkpoint of a graph of other relations: compare relations by text in its place, or ask it",
    )
    judgements = serializers.ListField(
        child=serializers.ChoiceField(choices=Judgement.choices),
        default=list,
        max_length=len(Judgement),
        help_text="what a language model is asked of the answers: whether they are right, which mean which right ones, "
        "whether right ones rest on what was read",
    )
    options = serializers.DictField(default=dict)


class EvaluationSerializer(serializers.Serializer[object]):
    """A report that is being made, and the job that makes it."""

    report = ReportSerializer()
    job = JobSerializer()


class FollowedSerializer(serializers.Serializer[object]):
    """A relation path that was followed, as text."""

    path = serializers.CharField()
    score = serializers.FloatField()


class ReportQuestionSerializer(serializers.Serializer[object]):
    """A question of a report; further fields are the engine's."""

    id = serializers.CharField()
    question = serializers.CharField()
    topics = serializers.ListField(child=serializers.CharField())
    linked = serializers.BooleanField(help_text="the topics were found by the linker")
    answers = serializers.ListField(child=serializers.CharField())
    predicted = serializers.ListField(child=serializers.CharField())
    no_answer = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True)
    hops = serializers.IntegerField(allow_null=True)
    outcome = serializers.ChoiceField(choices=QuestionOutcome.choices)
    cause = serializers.CharField(
        allow_null=True, required=False, help_text="the stage that lost an answer; null where it was right"
    )
    hit = serializers.FloatField()
    f1 = serializers.FloatField()
    exact_set = serializers.FloatField()
    triples = serializers.IntegerField()
    latency_ms = serializers.FloatField()
    paths = FollowedSerializer(many=True)
    judged = JudgedQuestionSerializer(default=None, allow_null=True)
    program_exact = serializers.FloatField(
        allow_null=True, required=False, help_text="1 where the gold program was read; null without one"
    )
    program_answers = serializers.FloatField(
        allow_null=True, required=False, help_text="1 where what the gold program gives was answered"
    )


class IntervalSerializer(serializers.Serializer[object]):
    """A figure and its 95% confidence interval."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ComparedMetricSerializer(serializers.Serializer[object]):
    """A metric in each report, in the order of the reports."""

    name = serializers.CharField()
    values = IntervalSerializer(many=True)


class PairSerializer(serializers.Serializer[object]):
    """How a report differs from the first one, in questions."""

    a = serializers.IntegerField()
    b = serializers.IntegerField()
    gained = serializers.IntegerField()
    lost = serializers.IntegerField()
    changed = serializers.IntegerField()


class ComparedSerializer(serializers.Serializer[object]):
    """Reports side by side."""

    reports = ReportDetailSerializer(many=True)
    metrics = ComparedMetricSerializer(many=True)
    pairs = PairSerializer(many=True)


class PairedSerializer(serializers.Serializer[object]):
    """How much better the second report is than the first by a metric."""

    name = serializers.CharField()
    value = serializers.FloatField(help_text="second minus first")
    low = serializers.FloatField()
    high = serializers.FloatField()
    p = serializers.FloatField(help_text="two-sided, of a paired bootstrap")


class DifferenceSerializer(serializers.Serializer[object]):
    """A question that went otherwise in the second report than in the first."""

    id = serializers.CharField()
    question = serializers.CharField()
    hops = serializers.IntegerField(allow_null=True)
    answers = serializers.ListField(child=serializers.CharField())
    change = serializers.ChoiceField(choices=CHANGES)
    a = ReportQuestionSerializer()
    b = ReportQuestionSerializer()


def render_difference(rows: ReportQuestion) -> dict[str, Any]:
    """A question of ``comparing.differences`` as the API shows it."""
    was, now = rows.other_outcome, rows.outcome  # type: ignore[attr-defined]  # annotated
    change = "changed"
    if (was == QuestionOutcome.RIGHT) != (now == QuestionOutcome.RIGHT):
        change = "gained" if now == QuestionOutcome.RIGHT else "lost"
    return {
        "id": rows.key,
        "question": rows.question,
        "hops": rows.hops,
        "answers": rows.row["answers"],
        "change": change,
        "a": rows.other_row,  # type: ignore[attr-defined]  # annotated
        "b": rows.row,
    }
