"""``/graphs/{id}/sparql``: a version of a graph as an endpoint of the SPARQL 1.1 protocol, for reading only."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponse, QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser, FormParser
from rest_framework.request import Request

from webapp.accounts.models import User
from webapp.api.errors import InvalidError
from webapp.graphs import sparql
from webapp.graphs.api import VERSION
from webapp.graphs.figures_api import VersionedView

JSON = "application/sparql-results+json"


class QueryParser(BaseParser):
    """A body that is the query itself; parsed to the form that could have been sent in its place."""

    media_type = "application/sparql-query"
    parameter = "query"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> QueryDict:
        """The form.

        Raises:
            InvalidError: the text is not UTF-8.
        """
        form = QueryDict(mutable=True)
        try:
            form[self.parameter] = stream.read().decode()
        except UnicodeDecodeError:
            raise InvalidError("The query is not UTF-8.", hint="Send it in UTF-8.") from None
        return form


class UpdateParser(QueryParser):
    """A body that is an update, which is refused like one of a form."""

    media_type = "application/sparql-update"
    parameter = "update"


class AnyResultFormat(DefaultContentNegotiation):
    """Lets a view choose the format of its result by itself, once it knows the kind of the result."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        """The first one, which renders errors."""
        return renderers[0], renderers[0].media_type


class SparqlFormSerializer(serializers.Serializer[object]):
    """A query in a form."""

    query = serializers.CharField()


_QUERY = OpenApiParameter("query", str, required=True, description="a query of SPARQL 1.1")
_RESULTS: dict[Any, Any] = {
    (200, JSON): OpenApiTypes.STR,
    (200, "application/sparql-results+xml"): OpenApiTypes.STR,
    (200, "text/csv"): OpenApiTypes.STR,
    (200, "text/tab-separated-values"): OpenApiTypes.STR,
    (200, "application/n-triples"): OpenApiTypes.STR,
    (200, "text/turtle"): OpenApiTypes.STR,
}


class SparqlView(VersionedView):
    """A version of a graph, queried by SPARQL."""

    parser_classes = [FormParser, QueryParser, UpdateParser]
    content_negotiation_class = AnyResultFormat

    @extend_schema(operation_id="graphs_sparql", parameters=[_QUERY, VERSION], responses=_RESULTS)
    def get(self, request: Request, pk: int) -> HttpResponse:
        """Run a query that reads, in the format that the header Accept prefers."""
        return self._answer(request, pk)

    @extend_schema(
        operation_id="graphs_sparql_post",
        parameters=[VERSION],
        request={
            "application/x-www-form-urlencoded": SparqlFormSerializer,
            QueryParser.media_type: OpenApiTypes.STR,
        },
        responses=_RESULTS,
    )
    def post(self, request: Request, pk: int) -> HttpResponse:
        """Run a query that reads, sent as a form or as the body."""
        return self._answer(request, pk)

    def _answer(self, request: Request, pk: int) -> HttpResponse:
        version = self.get_version(request, pk)
        sent = cast(QueryDict, request.data) if request.method == "POST" else request.query_params
        result = sparql.answer_query(
            version=version,
            query=_read_query(sent, request.query_params),
            accepted=[f"{kind.main_type}/{kind.sub_type}" for kind in request.accepted_types],
            user=cast(User, request.user),
        )
        response = HttpResponse(result.content, content_type=result.media_type)
        response.headers["Vary"] = "Accept"
        return response


def _read_query(sent: QueryDict, parameters: QueryDict) -> str:
    """The one query of a request.

    Raises:
        InvalidError: there is none, or something that is not supported.
    """
    if "update" in sent or "update" in parameters:
        raise InvalidError(
            "A graph cannot be changed by SPARQL updates.", hint="Edit the graph, or import a new version of it."
        )
    for name in ("default-graph-uri", "named-graph-uri"):
        if name in sent or name in parameters:
            raise InvalidError("A graph of Clew has no named graphs.", hint=f"Leave {name} out.")
    queries = sent.getlist("query")
    if len(queries) != 1 or not queries[0].strip():
        raise InvalidError("Send one query.", hint="Give it as query=..., or as a body of application/sparql-query.")
    return queries[0]
