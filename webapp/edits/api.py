"""``/graphs/{id}/edits`` and ``/graphs/{id}/duplicates``."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.errors import EditError
from retrieval.kg.edits.operations import parse_operation, to_json
from webapp.api.errors import InvalidError
from webapp.api.params import validate_form
from webapp.edits import selectors, services
from webapp.edits import serializers as shapes
from webapp.edits.models import GraphEdit
from webapp.graphs.views import GraphView
from webapp.jobs.serializers import JobSerializer


def _read_edits(data: dict[str, Any]) -> list[services.NewEdit]:
    """The edits of a request.

    Raises:
        InvalidError: an operation lacks a field.
    """
    try:
        return [
            services.NewEdit(to_json(parse_operation(edit["operation"])), reason=edit["reason"], source=edit["source"])
            for edit in data["edits"]
        ]
    except EditError as error:
        raise InvalidError(error.message, hint=error.hint) from error


class EditsView(GraphView, GenericAPIView[GraphEdit]):
    """The edits of a graph."""

    queryset = GraphEdit.objects.none()
    serializer_class = shapes.EditSerializer

    @extend_schema(operation_id="edits_list", responses=shapes.EditSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The log, newest first, in pages."""
        rows = self.paginate_queryset(selectors.list_edits(self.get_graph(pk)))
        return self.get_paginated_response(shapes.EditSerializer(rows, many=True).data)

    @extend_schema(operation_id="edits_create", request=shapes.NewEditsSerializer, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make the next version with some edits. All of them apply, or none."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.NewEditsSerializer(data=request.data))
        job = services.create(graph=graph, edits=_read_edits(data), user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class PreviewEditsView(GraphView):
    """Edits before they are made."""

    @extend_schema(
        operation_id="edits_preview", request=shapes.NewEditsSerializer, responses=shapes.EffectSerializer(many=True)
    )
    def post(self, request: Request, pk: int) -> Response:
        """What they would change, or why they cannot be applied."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.NewEditsSerializer(data=request.data))
        previews = services.preview(graph=graph, edits=_read_edits(data))
        return Response(shapes.EffectSerializer(previews, many=True).data)


class UndoEditView(GraphView):
    """Undo of an edit."""

    @extend_schema(operation_id="edits_undo", request=shapes.ReasonSerializer, responses={202: JobSerializer})
    def post(self, request: Request, pk: int, number: int) -> Response:
        """Make the next version without an edit; refused where a later edit builds on it."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.ReasonSerializer(data=request.data))
        edit = get_object_or_404(GraphEdit, graph=graph, number=number, undoes=None)
        undo = services.NewEdit({}, undoes=edit, reason=data["reason"], source=data["source"])
        job = services.create(graph=graph, edits=[undo], user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class DuplicatesView(GraphView):
    """Entities that may be in the graph twice."""

    @extend_schema(operation_id="duplicates_list", responses=shapes.DuplicateSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """Suggested pairs, likeliest first."""
        rows = selectors.list_duplicates(self.get_graph(pk))
        return Response(shapes.DuplicateSerializer(rows, many=True).data)

    @extend_schema(operation_id="duplicates_mark_distinct", request=shapes.DistinctSerializer, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Say that two entities are not the same: they are not suggested again."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.DistinctSerializer(data=request.data))
        services.mark_distinct(graph=graph, labels=(data["first"], data["second"]), user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)
