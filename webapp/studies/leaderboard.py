"""The leaderboard of a question set: the reports on it, best first, and what papers print beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.metrics.names import LESS_IS_BETTER, METRICS
from retrieval.studies.quoted import QUOTED, infer_benchmark, list_benchmarks
from retrieval.studies.winners import TESTED, compare, compute_means
from webapp.accounts.views import UserView
from webapp.api.access import filter_visible
from webapp.api.errors import InvalidError
from webapp.experiments.models import Report
from webapp.experiments.report_serializers import Interval, Metric
from webapp.experiments.selectors import get_question_values
from webapp.questions.models import QuestionSet
from webapp.questions.selectors import list_question_sets

SHOWN = 100


class PlaceSerializer(serializers.ModelSerializer[Report]):
    """A report in its place. ``study``, ``variant`` and ``fraction`` say of which cell it is; null of others.

    Reports in one ``group`` asked the same questions of the same version: only those are to be compared.
    """

    fingerprint = serializers.CharField(allow_blank=True)
    llm = serializers.CharField(source="llm_name", allow_blank=True)
    n = serializers.IntegerField(source="summary.n")
    metrics = serializers.DictField(source="summary.metrics", child=Metric())
    intervals = serializers.DictField(source="summary.intervals", default=dict, child=Interval())
    group = serializers.SerializerMethodField()
    study = serializers.IntegerField(source="cell.study_id", default=None, allow_null=True)
    variant = serializers.CharField(source="cell.variant", default=None, allow_null=True)
    fraction = serializers.FloatField(source="cell.fraction", default=None, allow_null=True)
    seed = serializers.IntegerField()

    class Meta:
        model = Report
        fields = [
            *("id", "method", "fingerprint", "reasoner", "llm", "budget", "seed", "topics", "n", "metrics"),
            *("intervals", "group", "study", "variant", "fraction", "created_at"),
        ]

    def get_group(self, report: Report) -> str:
        """The same of reports that asked the same questions in the same way."""
        return group_of(report)


def group_of(report: Report) -> str:
    """A mark that reports share which questions the same questions in the same way."""
    questions = report.summary["manifest"]["questions"]
    return f"{questions[:12]} {report.snapshot_hash[:12]} {report.topics} {report.subgraphs}"


class LeadSerializer(serializers.Serializer[object]):
    """The best report of a group, tested against the next one question by question."""

    group = serializers.CharField()
    report = serializers.IntegerField()
    runner_up = serializers.IntegerField()
    questions = serializers.IntegerField()
    difference = serializers.FloatField()
    p = serializers.FloatField(help_text="two-sided, by a paired randomisation test")
    significant = serializers.BooleanField()


def find_leads(places: Sequence[Report], metric: str) -> list[dict[str, Any]]:
    """Test the best report of each group against the runner-up; the places are best first."""
    groups: dict[str, list[int]] = {}
    for report in places:
        groups.setdefault(group_of(report), []).append(report.pk)
    pairs = {group: ranked[:2] for group, ranked in groups.items() if len(ranked) > 1}
    if metric not in TESTED or not pairs:
        return []
    values = get_question_values([report for pair in pairs.values() for report in pair])
    leads = []
    for group, (best, other) in pairs.items():
        second, first = (compute_means([values.get(report, {})], metric) for report in (best, other))
        outcome = compare(first, second)
        if outcome is not None:
            leads.append({"group": group, "report": best, "runner_up": other, **outcome})
    return leads


class QuotedSerializer(serializers.Serializer[object]):
    """Figures that a paper prints, of its own test set: not measured here."""

    data = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides one of the base's
    system = serializers.CharField()
    reader = serializers.CharField()
    paper = serializers.CharField()
    table = serializers.CharField()
    metrics = serializers.DictField(child=serializers.FloatField())


class LeaderboardSerializer(serializers.Serializer[object]):
    """Reports on a question set, best first; ``benchmark`` is what its name points to, of which figures are quoted."""

    question_set = serializers.IntegerField()
    name = serializers.CharField()
    graph = serializers.IntegerField()
    metric = serializers.CharField()
    count = serializers.IntegerField()
    places = PlaceSerializer(many=True)
    leads = LeadSerializer(many=True)
    benchmark = serializers.CharField(allow_null=True)
    benchmarks = serializers.ListField(child=serializers.CharField())
    quoted = QuotedSerializer(many=True)


class LeaderboardView(UserView):
    """``/question-sets/ID/leaderboard``."""

    @extend_schema(
        operation_id="question_sets_leaderboard",
        parameters=[
            OpenApiParameter("split", str, description="test unless named"),
            OpenApiParameter("metric", str, enum=list(METRICS), description="macro_f1 unless named"),
            OpenApiParameter("benchmark", str, description="of which figures are quoted; guessed from the name"),
        ],
        responses=LeaderboardSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        """The best reports on a question set, at most 100."""
        question_set: QuestionSet = self.find(list_question_sets(), pk)
        query = request.query_params
        metric = query.get("metric") or "macro_f1"
        if metric not in METRICS:
            raise InvalidError(f"There is no metric {metric}.", hint=f"Choose one of: {', '.join(METRICS)}.")
        rows = filter_visible(Report.objects.select_related("cell__study"), self.user).filter(
            question_set=question_set, split=query.get("split") or "test", finished_at__isnull=False
        )
        rows = rows.exclude(cell__study__deleted_at__isnull=False)
        sign = 1 if metric in LESS_IS_BETTER else -1
        places = sorted(
            (report for report in rows if report.summary["metrics"].get(metric) is not None),
            key=lambda report: (sign * report.summary["metrics"][metric], report.pk),
        )
        benchmark = query.get("benchmark") or infer_benchmark(question_set.name)
        content: dict[str, Any] = {
            "question_set": question_set.pk,
            "name": question_set.name,
            "graph": question_set.graph_id,
            "metric": metric,
            "count": len(places),
            "places": places[:SHOWN],
            "leads": find_leads(places[:SHOWN], metric),
            "benchmark": benchmark,
            "benchmarks": list_benchmarks(),
            "quoted": [asdict(quoted) for quoted in QUOTED if quoted.data == benchmark],
        }
        return Response(LeaderboardSerializer(content).data)
