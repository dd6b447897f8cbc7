"""``/graphs/{id}/promotions`` and ``/graphs/{id}/rollback``."""

from __future__ import annotations

from typing import cast

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView, get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import User
from webapp.accounts.permissions import Analyst
from webapp.api.params import validated
from webapp.experiments import methods, promoting
from webapp.experiments import serializers as shapes
from webapp.experiments.models import Promotion
from webapp.graphs.selectors import visible_graphs


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
        rows: QuerySet[Promotion] = promoting.promotions(
            graph=get_object_or_404(visible_graphs(request.user), pk=pk),
            method=request.query_params.get("method", "").replace("\0", ""),
        )
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.PromotionSerializer(page or [], many=True).data)


class RollbackView(APIView):
    """Going back to the checkpoint that was used before."""

    permission_classes = [Analyst]

    @extend_schema(
        operation_id="graphs_rollback",
        request=shapes.RollbackSerializer,
        responses={200: shapes.CheckpointSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take the last promotion of a method back; the checkpoint that is used now."""
        data = validated(shapes.RollbackSerializer(data=request.data))
        checkpoint = promoting.roll_back(
            graph=get_object_or_404(visible_graphs(request.user), pk=pk),
            method=methods.require_trained(data["method"]),
            user=cast(User, request.user),
        )
        return Response(shapes.CheckpointSerializer(checkpoint).data)
