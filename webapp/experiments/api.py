"""``/checkpoints`` and ``/graphs/{id}/train``."""

from __future__ import annotations

from typing import cast

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status, viewsets
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import User
from webapp.api.params import integer
from webapp.api.permissions import Analyst
from webapp.experiments import selectors, services
from webapp.experiments.models import Checkpoint
from webapp.experiments.serializers import CheckpointSerializer, TrainSerializer
from webapp.graphs.selectors import graphs
from webapp.jobs.serializers import JobSerializer
from webapp.questions.selectors import question_sets


class CheckpointViewSet(viewsets.GenericViewSet[Checkpoint]):
    """Trained retrievers."""

    queryset = Checkpoint.objects.none()
    serializer_class = CheckpointSerializer

    @extend_schema(parameters=[OpenApiParameter("graph", int)])
    def list(self, request: Request) -> Response:
        """Checkpoints, newest first."""
        rows = selectors.checkpoints(graph_id=integer(request.query_params, "graph"))
        return self.get_paginated_response(CheckpointSerializer(self.paginate_queryset(rows), many=True).data)


class TrainView(APIView):
    """Training on a graph."""

    permission_classes = [Analyst]

    @extend_schema(operation_id="graphs_train", request=TrainSerializer, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Start training."""
        form = TrainSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        job = services.start_training(
            graph=get_object_or_404(graphs(), pk=pk),
            question_set=get_object_or_404(question_sets(), pk=data["question_set"]),
            method=data["method"],
            config=data["config"],
            user=cast(User, request.user),
        )
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
