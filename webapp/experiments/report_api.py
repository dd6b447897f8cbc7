"""``/reports``."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.metrics.figures import render_csv
from webapp.accounts.views import RowViewSet
from webapp.api.access import filter_visible
from webapp.api.errors import InvalidError
from webapp.api.params import MAX, parse_integer, validate_form
from webapp.experiments import comparison, reports, selectors
from webapp.experiments import report_serializers as shapes
from webapp.experiments.models import QuestionOutcome, Report
from webapp.graphs import files
from webapp.graphs.selectors import find_graph
from webapp.graphs.views import TrashableMixin, download
from webapp.questions.selectors import list_question_sets

FORMATS = {"json": "application/json", "csv": "text/csv", "md": "text/markdown", "html": "text/html"}
_IDS = OpenApiParameter("ids", str, required=True, description="numbers of reports, with commas")


class ReportViewSet(TrashableMixin, RowViewSet[Report]):
    """Question sets asked of a method, and how that went; newest first."""

    queryset = selectors.list_reports()
    serializer_class = shapes.ReportSerializer
    narrowed_by = {"graph": int, "question_set": int, "checkpoint": int, "method": str, "split": str}

    def get_queryset(self) -> QuerySet[Report]:
        """All; a list leaves out those of studies, which stand on the pages of these."""
        rows = super().get_queryset()
        return rows.filter(of_study=False) if self.action == "list" else rows

    @extend_schema(request=shapes.EvaluateSerializer, responses={202: shapes.EvaluationSerializer})
    def create(self, request: Request) -> Response:
        """Start an evaluation."""
        data = validate_form(shapes.EvaluateSerializer(data=request.data))
        report = reports.start_report(
            graph=find_graph(self.user, data.pop("graph")),
            question_set=self.find(list_question_sets(), data.pop("question_set")),
            evaluation=reports.EvaluationRequest(
                checkpoint=self.find_named(selectors.list_checkpoints(), data.pop("checkpoint")), **data
            ),
            user=self.user,
        )
        return _render_accepted(report)

    @extend_schema(responses=shapes.ReportDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One report."""
        return Response(shapes.ReportDetailSerializer(self.get_object()).data)

    @extend_schema(request=None, responses={202: shapes.EvaluationSerializer})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Go on with an evaluation that was stopped or failed."""
        report = self.get_object()
        return _render_accepted(reports.resume_report(report=report, user=self.user))

    @extend_schema(
        parameters=[
            OpenApiParameter("outcome", str, description=f"some of {', '.join(QuestionOutcome.values)}, with commas"),
            OpenApiParameter("cause", str, description="the stage that lost an answer"),
            OpenApiParameter("hops", int),
            OpenApiParameter("q", str, description="a part of the question"),
        ],
        responses=shapes.ReportQuestionSerializer(many=True),
    )
    @action(detail=True)
    def questions(self, request: Request, pk: str) -> Response:
        """How the questions went."""
        query = request.query_params
        wanted = [name for name in query.get("outcome", "").split(",") if name]
        _require_known("outcome", wanted, QuestionOutcome.values)
        rows = selectors.list_report_questions(
            self.get_object(),
            outcomes=wanted,
            cause=query.get("cause", ""),
            hops=parse_integer(query, "hops"),
            text=query.get("q", ""),
        )
        page = cast(Any, self.paginate_queryset(cast(Any, rows)))
        return self.get_paginated_response([row.row for row in page])

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=[*FORMATS], description="json unless named")],
        responses={(200, media): OpenApiTypes.STR for media in FORMATS.values()},
    )
    @action(detail=True)
    def download(self, request: Request, pk: str) -> FileResponse | HttpResponse:
        """The whole report as a file; as CSV its figures alone, by group."""
        report = self.get_object()
        wanted = request.query_params.get("format") or "json"
        _require_known("format", [wanted], FORMATS)
        report.require_done()
        if wanted == "csv":
            made = report.summary
            text = render_csv(made["n"], made["metrics"], made.get("breakdowns", {}))
            name = f'attachment; filename="report-{report.pk}.csv"'
            return HttpResponse(text, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
        path = files.ensure_local_path(files.build_report_name(report.graph_id, report.pk)) / f"report.{wanted}"
        if not path.is_file():
            raise NotFound("The report's file is gone from the storage.")
        return download(path, f"report-{report.pk}.{wanted}", f"{FORMATS[wanted]}; charset=utf-8")

    @extend_schema(parameters=[_IDS], responses=shapes.ComparedSerializer)
    @action(detail=False, pagination_class=None)
    def compare(self, request: Request) -> Response:
        """Reports of the same questions, side by side."""
        compared = _find_reports(request)
        content = {
            "reports": compared,
            "metrics": comparison.list_metrics(compared),
            "pairs": comparison.compare_pairs(compared),
        }
        return Response(shapes.ComparedSerializer(content).data)

    @extend_schema(
        operation_id="reports_compare_paired",
        parameters=[_IDS],
        responses=shapes.PairedSerializer(many=True),
    )
    @action(detail=False, url_path="compare/paired", pagination_class=None)
    def paired(self, request: Request) -> Response:
        """Whether the second report is better than the first by more than chance."""
        return Response(comparison.compare_paired(*_find_pair(request)))

    @extend_schema(
        operation_id="reports_compare_questions",
        parameters=[
            _IDS,
            OpenApiParameter("change", str, enum=comparison.CHANGES),
            OpenApiParameter("q", str, description="a part of the question"),
        ],
        responses=shapes.DifferenceSerializer(many=True),
    )
    @action(detail=False, url_path="compare/questions")
    def differences(self, request: Request) -> Response:
        """Questions that went otherwise in the second report than in the first."""
        (first, second), query = _find_pair(request), request.query_params
        change = query.get("change", "")
        _require_known("change", [change] if change else [], comparison.CHANGES)
        text = query.get("q", "")
        rows = comparison.find_differences(first, second, change, text)
        page = cast(Any, self.paginate_queryset(cast(Any, rows)))
        return self.get_paginated_response([shapes.render_difference(row) for row in page])


def _render_accepted(report: Report) -> Response:
    answer = shapes.EvaluationSerializer({"report": report, "job": report.job}).data
    return Response(answer, status=status.HTTP_202_ACCEPTED)


def _find_reports(request: Request) -> list[Report]:
    """The reports that ``ids`` names, in its order, if they can be compared."""
    keys = list(dict.fromkeys(filter(None, request.query_params.get("ids", "").split(","))))
    if not all(key.isascii() and key.isdigit() and len(key) <= 10 and int(key) <= MAX for key in keys):
        raise InvalidError("ids names no reports.", hint="Give numbers of reports with commas: ids=3,4.")
    comparison.require_count(len(keys))
    rows = [get_object_or_404(filter_visible(selectors.list_reports(), request.user), pk=key) for key in keys]
    comparison.require_comparable(rows)
    return rows


def _find_pair(request: Request) -> tuple[Report, Report]:
    """The two reports that ``ids`` names."""
    pair = _find_reports(request)
    if len(pair) != 2:
        raise InvalidError("Two reports are compared this way.", hint="Give ids=a,b.")
    return pair[0], pair[1]


def _require_known(name: str, wanted: Any, known: Any) -> None:
    for value in wanted:
        if value not in known:
            raise InvalidError(f"There is no {name} {value}.", hint=f"Choose one of: {', '.join(known)}.")
