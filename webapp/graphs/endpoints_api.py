"""``/endpoints``, and the endpoint that a graph lives in."""

from __future__ import annotations

import dataclasses
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.kg.sparql.options import SparqlOptions
from webapp.accounts.permissions import AdminWrites
from webapp.accounts.views import UserView
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.graphs import endpoints
from webapp.graphs.models import Graph, GraphEndpoint
from webapp.graphs.serializers import GraphSerializer, NewGraphSerializer
from webapp.graphs.views import GraphView

USUAL = SparqlOptions()


class ConnectionSerializer(serializers.Serializer[object]):
    """Where a graph lives, and how it is asked there."""

    url = PlainText(max_length=2000)
    named_graph = PlainText(max_length=2000, allow_blank=True, default="", help_text="IRI; empty for the default")
    languages = serializers.ListField(
        child=serializers.RegexField(
            r"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$",
            error_messages={"invalid": "Write languages as en, de, pt-BR."},
        ),
        default=list(USUAL.languages),
        max_length=10,
        help_text="of names and texts, the best first; those without a language always count",
    )
    hops = serializers.IntegerField(min_value=1, max_value=4, default=USUAL.hops)
    max_triples = serializers.IntegerField(
        min_value=1,
        max_value=100_000,
        default=USUAL.max_triples,
        help_text="facts that are pulled for a question at most",
    )
    per_entity = serializers.IntegerField(
        min_value=1,
        max_value=10_000,
        default=USUAL.per_entity,
        help_text="facts of one entity and direction at most; of topics five times as many",
    )
    timeout = serializers.FloatField(
        min_value=0.5, max_value=60, default=USUAL.timeout, help_text="seconds for one query"
    )


class NewEndpointSerializer(NewGraphSerializer, ConnectionSerializer):
    """A graph that lives in an endpoint."""


class EndpointsView(UserView):
    """Graphs that live in an endpoint."""

    permission_classes = [AdminWrites]

    @extend_schema(request=NewEndpointSerializer, responses={201: GraphSerializer})
    def post(self, request: Request) -> Response:
        """Connect a graph, if its endpoint answers a trial query."""
        data = validate_form(NewEndpointSerializer(data=request.data))
        graph = endpoints.connect(
            name=data.pop("name"),
            description=data.pop("description"),
            visibility=data.pop("visibility"),
            connection=_build_connection(data),
            user=self.user,
        )
        return Response(GraphSerializer(graph).data, status=status.HTTP_201_CREATED)


class _OfEndpoint(GraphView):
    def get_endpoint(self, pk: int) -> GraphEndpoint:
        """The endpoint of a graph that the user may change."""
        return get_object_or_404(GraphEndpoint, graph=self.get_graph(pk))


class EndpointView(_OfEndpoint):
    """How a graph in an endpoint is asked."""

    @extend_schema(request=ConnectionSerializer(partial=True), responses=GraphSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Change what is named, if the endpoint answers a trial query then."""
        endpoint = self.get_endpoint(pk)
        data = validate_form(ConnectionSerializer(data=request.data, partial=True))
        before = dataclasses.asdict(endpoints.get_connection(endpoint))
        endpoints.update_endpoint(endpoint=endpoint, connection=_build_connection({**before, **data}))
        return Response(_render_graph(endpoint.graph))


class CheckView(_OfEndpoint):
    """Whether the endpoint answers."""

    @extend_schema(request=None, responses=GraphSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Try the endpoint now; the graph's ``endpoint`` says what came of it."""
        endpoint = self.get_endpoint(pk)
        endpoints.check(endpoint=endpoint)
        return Response(_render_graph(endpoint.graph))


def _build_connection(data: dict[str, Any]) -> endpoints.Connection:
    return endpoints.Connection(**{**data, "languages": tuple(data["languages"])})


def _render_graph(graph: Graph) -> dict[str, Any]:
    return dict(GraphSerializer(graph).data)
