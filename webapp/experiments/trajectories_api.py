"""``/trajectory-sets``."""

from __future__ import annotations

from typing import cast

from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import User
from webapp.accounts.permissions import AnalystWrites
from webapp.accounts.rights import require_manager
from webapp.api.access import visible
from webapp.api.errors import InvalidError
from webapp.api.params import integer, validated
from webapp.experiments import selectors, synthesising
from webapp.experiments import serializers as shapes
from webapp.experiments.models import TrajectorySet
from webapp.graphs import files
from webapp.graphs.selectors import visible_graphs
from webapp.questions.selectors import question_sets


class TrajectorySetViewSet(viewsets.GenericViewSet[TrajectorySet]):
    """What behaviour policies did for questions, for agents to learn from."""

    queryset = TrajectorySet.objects.none()
    serializer_class = shapes.TrajectorySetSerializer
    lookup_value_converter = "int"
    permission_classes = [AnalystWrites]

    def get_queryset(self) -> QuerySet[TrajectorySet]:
        """Newest first."""
        return selectors.trajectory_sets()

    @extend_schema(parameters=[OpenApiParameter("graph", int)])
    def list(self, request: Request) -> Response:
        """Trajectory sets, newest first."""
        page = self.paginate_queryset(
            selectors.trajectory_sets(graph_id=integer(request.query_params, "graph"))
        )
        return self.get_paginated_response(shapes.TrajectorySetSerializer(page, many=True).data)

    @extend_schema(request=shapes.SynthesiseSerializer, responses={202: shapes.SynthesisSerializer})
    def create(self, request: Request) -> Response:
        """Start making trajectories for a question set."""
        data = validated(shapes.SynthesiseSerializer(data=request.data))
        made = synthesising.start_synthesis(
            graph=get_object_or_404(visible_graphs(request.user), pk=data.pop("graph")),
            question_set=get_object_or_404(
                visible(question_sets(), request.user), pk=data.pop("question_set")
            ),
            name=data.pop("name"),
            how=synthesising.SynthesisRequest(**data),
            user=cast(User, request.user),
        )
        answer = shapes.SynthesisSerializer({"trajectory_set": made, "job": made.job}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    def retrieve(self, request: Request, pk: str) -> Response:
        """One trajectory set."""
        return Response(shapes.TrajectorySetSerializer(self.get_object()).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a trajectory set. Checkpoints that learned from it stay."""
        made = self.get_object()
        require_manager(request.user, made)
        synthesising.delete_trajectory_set(trajectory_set=made)
        return Response(status=status.HTTP_204_NO_CONTENT)

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
        rows = synthesising.TrajectoryRows(
            made,
            text=query.get("q", "").strip(),
            shortened=query.get("shortened", "") in {"1", "true"},
        )
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.TrajectorySerializer(page, many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("form", str, enum=[synthesising.RAW, synthesising.REFINED])],
        responses={(200, "application/jsonl"): OpenApiTypes.STR},
    )
    @action(detail=True)
    def download(self, request: Request, pk: str) -> FileResponse:
        """The trajectories, raw or refined, one JSON object a line."""
        made = self.get_object()
        made.require_done()
        form = request.query_params.get("form", synthesising.RAW)
        if form not in (synthesising.RAW, synthesising.REFINED):
            raise InvalidError(f"There is no form {form}.", hint="Choose raw or refined.")
        path = files.local_path(files.trajectories_name(made.graph_id, made.pk, form))
        return FileResponse(
            path.open("rb"),
            as_attachment=True,
            filename=f"trajectories-{made.pk}-{form}.jsonl",
            content_type="application/jsonl",
        )
