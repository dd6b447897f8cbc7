"""``/graphs/{id}/source``."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import User
from webapp.accounts.rights import can_manage
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import TooManyUploadsError
from webapp.api.params import validate_form
from webapp.graphs.models import Graph
from webapp.graphs.views import GraphView
from webapp.sources import reading, services
from webapp.sources import serializers as shapes
from webapp.sources.checks import require_valid
from webapp.sources.models import Cause, GraphSource, Outcome, Refresh

SHOWN = 20
"""Refreshes that are listed."""

_checking = ConcurrencyLimit()


def _render_state(graph: Graph, user: User) -> dict[str, Any]:
    rows = Refresh.objects.filter(graph=graph).select_related("user", "version")[:SHOWN]
    state = {"source": GraphSource.objects.filter(graph=graph).first(), "refreshes": rows}
    return dict(shapes.SourceStateSerializer(state, context={"managed": can_manage(user, graph)}).data)


class SourceView(GraphView):
    """Where the next versions of a graph are read from."""

    @extend_schema(operation_id="graphs_source", responses=shapes.SourceStateSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The source, and what came of its latest refreshes."""
        return Response(_render_state(self.get_graph(pk), self.user))

    @extend_schema(
        operation_id="graphs_source_create",
        request=shapes.NewSourceSerializer,
        responses={201: shapes.SourceStateSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Give the graph a source. Nothing is read yet."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.NewSourceSerializer(data=request.data))
        services.create_source(graph=graph, values=data, user=self.user)
        return Response(_render_state(graph, self.user), status=status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="graphs_source_change",
        request=shapes.NewSourceSerializer(partial=True),
        responses=shapes.SourceStateSerializer,
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change what is named. A schedule that failures have paused goes on."""
        graph = self.get_graph(pk)
        source = get_object_or_404(GraphSource, graph=graph)
        data = validate_form(shapes.NewSourceSerializer(data=request.data, partial=True))
        services.update_source(source=source, values=data)
        return Response(_render_state(graph, self.user))

    @extend_schema(operation_id="graphs_source_delete", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete the source. The graph, its versions and the list of refreshes stay."""
        services.delete_source(source=get_object_or_404(GraphSource, graph=self.get_graph(pk)))
        return Response(status=status.HTTP_204_NO_CONTENT)


class CheckSourceView(GraphView):
    """Whether a source can be read."""

    @extend_schema(
        operation_id="graphs_source_check",
        request=shapes.NewSourceSerializer(partial=True),
        responses=shapes.SourceCheckSerializer,
    )
    def post(self, request: Request, pk: int) -> Response:
        """Read the beginning of a source as it is, or as the request changes it. Nothing is kept."""
        graph = self.get_graph(pk)
        data = validate_form(shapes.NewSourceSerializer(data=request.data, partial=True))
        connection = services.build_connection(GraphSource.objects.filter(graph=graph).first(), data)
        require_valid(connection)
        busy = TooManyUploadsError("Another source is being checked for you.", hint="Wait until that is done.")
        with _checking.take_turn(self.user.pk, most=1, refusal=busy):
            release_connection()  # the source may take as long as it needs
            names, sample = reading.list_names(connection), reading.sample(connection)
            keeps_model = reading.choose_options(graph, names).model is not None
        return Response(shapes.SourceCheckSerializer({"sample": sample, "keeps_model": keeps_model}).data)


class RefreshView(GraphView):
    """Reading a source again."""

    @extend_schema(operation_id="graphs_source_refresh", request=None, responses={202: shapes.SourceStateSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Begin to read the source again. What it holds becomes the next version, if it has changed."""
        graph = self.get_graph(pk)
        services.start_refresh(source=services.require_source(graph), cause=Cause.HAND, user=self.user)
        return Response(_render_state(graph, self.user), status=status.HTTP_202_ACCEPTED)


class ConfirmRefreshView(GraphView):
    """Taking a version that lost most of its content."""

    @extend_schema(operation_id="graphs_source_confirm", request=None, responses=shapes.SourceStateSerializer)
    def post(self, request: Request, pk: int, refresh: int) -> Response:
        """Make the version of a refresh current although most of the content is gone, if its tests allow it."""
        graph = self.get_graph(pk)
        row = get_object_or_404(Refresh, graph=graph, pk=refresh, outcome=Outcome.SHRUNK)
        services.confirm(refresh=row, user=self.user)
        return Response(_render_state(graph, self.user))
