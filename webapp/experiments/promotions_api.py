"""``/graphs/{id}/promotions`` and ``/graphs/{id}/rollback``."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.params import validate_form
from webapp.experiments import methods, promotions
from webapp.experiments import serializers as shapes
from webapp.experiments.models import Promotion
from webapp.graphs.selectors import find_graph
from webapp.graphs.views import GraphView


class PromotionsView(GenericAPIView[Promotion]):
    """Which checkpoints were promoted and rolled back on a graph."""

    queryset = Promotion.objects.none()
    serializer_class = shapes.PromotionSerializer

    @extend_schema(
        operation_id="graphs_promotions",
        parameters=[OpenApiParameter("method", str)],
        responses=shapes.PromotionSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        """The latest first."""
        graph = find_graph(request.user, pk)
        rows = promotions.list_promotions(graph=graph, method=request.query_params.get("method", ""))
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.PromotionSerializer(page or [], many=True).data)


class RollbackView(GraphView):
    """Going back to the checkpoint that was used before."""

    @extend_schema(
        operation_id="graphs_rollback",
        request=shapes.RollbackSerializer,
        responses={200: shapes.CheckpointSerializer, 204: None},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take the last promotion of a method back; the checkpoint that is used now, if any."""
        data = validate_form(shapes.RollbackSerializer(data=request.data))
        checkpoint = promotions.roll_back(
            graph=self.get_graph(pk),
            method=methods.require_trained(data["method"]),
            user=self.user,
        )
        if checkpoint is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(shapes.CheckpointSerializer(checkpoint).data)
