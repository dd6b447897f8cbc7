"""``/trajectory-sets``."""

from __future__ import annotations

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.mixins import DestroyModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.views import RowViewSet
from webapp.api.errors import InvalidError
from webapp.api.params import parse_flag, validate_form
from webapp.experiments import selectors
from webapp.experiments import serializers as shapes
from webapp.experiments.models import TrajectorySet
from webapp.experiments.trajectories import (
    RAW,
    REFINED,
    SynthesisRequest,
    TrajectoryRows,
    delete_trajectory_set,
    start_synthesis,
)
from webapp.graphs import files
from webapp.graphs.selectors import find_graph
from webapp.graphs.views import download
from webapp.questions.selectors import list_question_sets


class TrajectorySetViewSet(DestroyModelMixin, RowViewSet[TrajectorySet]):
    """What behaviour policies did for questions, for agents to learn from; newest first.

    Checkpoints that learned from a set stay when it is deleted.
    """

    queryset = selectors.list_trajectory_sets()
    serializer_class = shapes.TrajectorySetSerializer
    narrowed_by = {"graph": int}

    @extend_schema(request=shapes.SynthesiseSerializer, responses={202: shapes.SynthesisSerializer})
    def create(self, request: Request) -> Response:
        """Start making trajectories for a question set."""
        data = validate_form(shapes.SynthesiseSerializer(data=request.data))
        made = start_synthesis(
            graph=find_graph(self.user, data.pop("graph")),
            question_set=self.find(list_question_sets(), data.pop("question_set")),
            name=data.pop("name"),
            how=SynthesisRequest(**data),
            user=self.user,
        )
        answer = shapes.SynthesisSerializer({"trajectory_set": made, "job": made.job}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    def perform_destroy(self, instance: TrajectorySet) -> None:
        """Delete it with its files."""
        delete_trajectory_set(trajectory_set=instance)

    @extend_schema(
        parameters=[
            OpenApiParameter("q", str, description="a part of the question"),
            OpenApiParameter("shortened", bool, description="only those that refinement made shorter"),
        ],
        responses=shapes.TrajectorySerializer(many=True),
    )
    @action(detail=True)
    def trajectories(self, request: Request, pk: str) -> Response:
        """The trajectories, each before and after refinement."""
        made = self.get_object()
        made.require_done()
        query = request.query_params
        rows = TrajectoryRows(made, text=query.get("q", "").strip(), shortened=parse_flag(query, "shortened"))
        return self.build_page(rows, shapes.TrajectorySerializer)

    @extend_schema(
        parameters=[OpenApiParameter("form", str, enum=[RAW, REFINED])],
        responses={(200, "application/jsonl"): OpenApiTypes.STR},
    )
    @action(detail=True)
    def download(self, request: Request, pk: str) -> FileResponse:
        """The trajectories, raw or refined, one JSON object a line."""
        made = self.get_object()
        made.require_done()
        form = request.query_params.get("form", RAW)
        if form not in (RAW, REFINED):
            raise InvalidError(f"There is no form {form}.", hint="Choose raw or refined.")
        path = files.ensure_local_path(files.build_trajectories_name(made.graph_id, made.pk, form))
        return download(path, f"trajectories-{made.pk}-{form}.jsonl", "application/jsonl")
