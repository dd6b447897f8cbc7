"""``/corrections``."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import Role
from webapp.accounts.permissions import Analyst, has_role
from webapp.accounts.views import UserView
from webapp.answers import corrections
from webapp.answers.models import AgentCorrection
from webapp.answers.serializers import CorrectionSerializer
from webapp.api.errors import InvalidError
from webapp.api.params import parse_integer
from webapp.graphs.selectors import find_graph


class CorrectionViewSet(UserView, viewsets.GenericViewSet[AgentCorrection]):
    """Steps of agents that people chose otherwise."""

    queryset = corrections.list_corrections()
    serializer_class = CorrectionSerializer

    @extend_schema(parameters=[OpenApiParameter("graph", int)])
    def list(self, request: Request) -> Response:
        """Corrections, newest first: for analysts those that agents can learn from, for viewers their own."""
        rows = corrections.list_corrections(graph_id=parse_integer(request.query_params, "graph"))
        if not has_role(request, Role.ANALYST):
            rows = rows.filter(run__user=self.user)
        page = self.paginate_queryset(rows)
        context = {"state_of": corrections.CorrectionStates().get_state}
        return self.get_paginated_response(CorrectionSerializer(page, many=True, context=context).data)

    @extend_schema(
        parameters=[OpenApiParameter("graph", int, required=True)],
        responses={(200, "application/jsonl"): OpenApiTypes.STR},
    )
    @action(detail=False, pagination_class=None, permission_classes=[Analyst])
    def download(self, request: Request) -> StreamingHttpResponse:
        """The trajectories that the kept corrections of a graph teach, one JSON object a line."""
        graph_id = parse_integer(request.query_params, "graph")
        if graph_id is None:
            raise InvalidError("graph is missing.", hint="Say whose corrections are meant: ?graph=ID.")
        graph = find_graph(self.user, graph_id)
        return StreamingHttpResponse(
            corrections.export_trajectories(graph_id=graph.pk),
            content_type="application/jsonl",
            headers={"Content-Disposition": f'attachment; filename="corrections-{graph.pk}.jsonl"'},
        )
