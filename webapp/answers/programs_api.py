"""``/graphs/{id}/program-corrections``: programs that people wrote or edited."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import Role
from webapp.accounts.permissions import Analyst, Viewer, has_role
from webapp.accounts.views import UserView
from webapp.answers import programs
from webapp.answers.models import Run
from webapp.answers.serializers import ProgramCorrectionSerializer
from webapp.api.params import parse_flag
from webapp.graphs.selectors import find_graph


class ProgramCorrectionsView(UserView, GenericAPIView[Run]):
    """Programs that people ran in place of what a question was read as."""

    permission_classes = [Viewer]
    serializer_class = ProgramCorrectionSerializer
    queryset = Run.objects.none()

    @extend_schema(
        operation_id="graphs_program_corrections",
        parameters=[OpenApiParameter("kept", bool, description="only those that are learned from")],
        responses=ProgramCorrectionSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        """Newest first: for analysts those of all, for viewers their own."""
        graph = find_graph(self.user, pk)
        learned = parse_flag(request.query_params, "kept")
        rows = (programs.list_kept if learned else programs.list_corrections)(graph_id=graph.pk)
        if not has_role(request, Role.ANALYST):
            rows = rows.filter(user=self.user)
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(ProgramCorrectionSerializer(page, many=True).data)


class ProgramCorrectionsFileView(UserView):
    """The same as a file to learn from."""

    permission_classes = [Analyst]

    @extend_schema(
        operation_id="graphs_program_corrections_download",
        responses={(200, "application/jsonl"): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """A question set: each kept correction with its question, answers and program, one JSON object a line."""
        graph = find_graph(self.user, pk)
        return StreamingHttpResponse(
            programs.export_lines(graph_id=graph.pk),
            content_type="application/jsonl",
            headers={"Content-Disposition": f'attachment; filename="program-corrections-{graph.pk}.jsonl"'},
        )
