"""``/graphs``."""

from __future__ import annotations

import io
from typing import Any, cast

from django.conf import settings
from django.db.models import QuerySet
from django.http import FileResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval import types
from retrieval.kg import snapshot as kg
from retrieval.kg.analysis import import_report
from retrieval.kg.readers.options import ReadOptions
from webapp.accounts import quotas
from webapp.accounts.permissions import AdminWrites, OwnerWrites
from webapp.accounts.views import RowViewSet
from webapp.api.errors import TooLargeError
from webapp.api.params import validate_form
from webapp.api.parsers import Json
from webapp.graphs import browse, endpoints, progress, selectors, services, snapshots, trash
from webapp.graphs import serializers as shapes
from webapp.graphs.models import Graph, ImportProblem
from webapp.graphs.names import add_names
from webapp.jobs.serializers import JobSerializer
from webapp.uploads import services as uploads

ENTITIES_DEFAULT = 10
ENTITIES_MAX = 50
VERSION = OpenApiParameter("snapshot", str, description="hash of a version; the current one when left out")


class GraphViewSet(RowViewSet[Graph]):
    """Knowledge graphs, by name."""

    queryset = selectors.list_graphs().prefetch_related("groups")
    serializer_class = shapes.GraphSerializer
    permission_classes = [OwnerWrites]
    parser_classes = [Json, MultiPartParser]

    def get_permissions(self) -> Any:
        """Administrators make graphs; owners change theirs."""
        return [AdminWrites()] if self.action == "create" else super().get_permissions()

    def _get_snapshot(self, request: Request) -> kg.Snapshot:
        """The version that is looked at: the current one unless ``snapshot`` names another by its hash."""
        graph, wanted = self.get_object(), request.query_params.get("snapshot", "")
        if not wanted:
            return snapshots.open_current(graph)
        return snapshots.open_snapshot(selectors.require_version(graph, wanted).path)

    @extend_schema(
        request={"multipart/form-data": shapes.UploadSerializer, "application/json": shapes.UploadSerializer},
        responses={202: shapes.UploadedSerializer},
    )
    def create(self, request: Request) -> Response:
        """Upload a graph; its import begins at once."""
        if int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES:
            raise TooLargeError("The upload is too large.", hint="Split the graph, or compress it with gzip.")
        data = validate_form(shapes.UploadSerializer(data=request.data))
        user = self.user
        quotas.require_room(user, sum(file.size for file in data["files"]))
        graph, job = services.create_graph(
            name=data["name"],
            description=data["description"],
            visibility=data["visibility"],
            files=data["files"],
            uploads=uploads.require_complete(ids=data["uploads"], user=user),
            sources=data["sources"],
            options=ReadOptions.from_values(data),
            user=user,
        )
        answer = {"graph": shapes.GraphSerializer(graph).data, "job": JobSerializer(job).data}
        return Response(answer, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=shapes.GraphChangeSerializer, responses=shapes.GraphSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change the name, the description, who may see it, and whose it is."""
        graph = self.get_object()
        data = validate_form(shapes.GraphChangeSerializer(data=request.data))
        services.rename_graph(graph=graph, name=data.get("name"), description=data.get("description"), user=self.user)
        services.set_access(
            graph=graph,
            visibility=data.get("visibility"),
            groups=data.get("groups"),
            owner=data.get("owner"),
        )
        return Response(shapes.GraphSerializer(graph).data)

    @extend_schema(
        parameters=[OpenApiParameter("confirm", str, required=True, description="the graph's name, repeated")],
        responses={204: None},
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Put a graph with its runs, question sets and checkpoints into the trash."""
        confirm = request.query_params.get("confirm", "")
        trash.put_graph(graph=self.get_object(), confirm=confirm, user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"], pagination_class=None)
    def index(self, request: Request, pk: str) -> Response:
        """Index names and texts again where that was stopped or failed; what stands is kept."""
        job = progress.retry_index(graph=self.get_object(), user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=["csv"], description="all of them, as a file")],
        responses=shapes.ProblemSerializer(many=True),
    )
    @action(detail=True)
    def problems(self, request: Request, pk: str) -> HttpResponseBase:
        """Rows of the source files that could not be used, by file and line."""
        graph = self.get_object()
        rows = selectors.list_problems(graph)
        if request.query_params.get("format") == "csv":
            return _render_csv(f"{graph.name} problems.csv", rows)
        return self.build_page(rows, shapes.ProblemSerializer)

    @extend_schema(parameters=[VERSION], responses=shapes.RelationSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def relations(self, request: Request, pk: str) -> Response:
        """The relations, most frequent first."""
        return Response(browse.list_relations(self._get_snapshot(request)))

    @extend_schema(
        parameters=[
            OpenApiParameter("q", str, description="a part of the name; empty lists the best-connected"),
            OpenApiParameter("limit", int, description=f"at most {ENTITIES_MAX}"),
            VERSION,
        ],
        responses=shapes.EntitySerializer(many=True),
    )
    @action(detail=True, pagination_class=None)
    def entities(self, request: Request, pk: str) -> Response:
        """Entities by a part of their name; of a graph in an endpoint by the whole of it, or by IRI."""
        endpoint = selectors.get_endpoint(self.get_object())
        text, limit = request.query_params.get("q", ""), _parse_limit(request.query_params.get("limit"))
        if endpoint is not None:
            return Response(endpoints.search_entities(endpoint, text[:2000], limit))
        snapshot = self._get_snapshot(request)
        return Response(add_names(request, snapshot, browse.search_entities(snapshot, text[:200], limit)))

    @extend_schema(parameters=[shapes.NeighboursQuerySerializer, VERSION], responses=shapes.NeighboursSerializer)
    @action(detail=True, pagination_class=None)
    def neighbours(self, request: Request, pk: str) -> Response:
        """What lies around an entity, by relation, limited."""
        data = validate_form(shapes.NeighboursQuerySerializer(data=request.query_params))
        endpoint = selectors.get_endpoint(self.get_object())
        if endpoint is not None:
            return Response(endpoints.list_neighbours(endpoint, **data))
        snapshot = self._get_snapshot(request)
        return Response(add_names(request, snapshot, {**browse.list_neighbours(snapshot, **data), "cut": False}))

    @extend_schema(parameters=[shapes.FactQuerySerializer, VERSION], responses=shapes.SourcedHopSerializer)
    @action(detail=True, pagination_class=None)
    def fact(self, request: Request, pk: str) -> Response:
        """One fact with its attributes and the passages it was extracted from."""
        data = validate_form(shapes.FactQuerySerializer(data=request.query_params))
        snapshot = self._get_snapshot(request)
        return Response(add_names(request, snapshot, browse.describe_fact(snapshot, **data)))

    @extend_schema(
        parameters=[
            OpenApiParameter("q", str, description="a text that title or text must hold"),
            VERSION,
        ],
        responses=shapes.PassageRowSerializer(many=True),
    )
    @action(detail=True)
    def passages(self, request: Request, pk: str) -> Response:
        """The documents of the graph in pieces, in the order of their source."""
        snapshot = self._get_snapshot(request)
        rows = browse.PassageRows(snapshot, request.query_params.get("q", "")[:200])
        return self.get_paginated_response(self.paginate_queryset(cast(Any, rows)))

    @extend_schema(parameters=[VERSION], responses=shapes.PassageDetailSerializer)
    @action(detail=True, url_path="passages/<int:number>", pagination_class=None)
    def passage(self, request: Request, pk: str, number: int) -> Response:
        """One passage with the facts that were extracted from it."""
        snapshot = self._get_snapshot(request)
        return Response(add_names(request, snapshot, browse.describe_passage(snapshot, number)))


def _render_csv(name: str, rows: QuerySet[ImportProblem]) -> FileResponse:
    text = io.StringIO(newline="")
    problems = (types.Problem(row.file, row.line, row.message, row.text) for row in rows.iterator())
    import_report.write_problems(text, problems)
    return FileResponse(
        io.BytesIO(text.getvalue().encode()), as_attachment=True, filename=name, content_type="text/csv"
    )


def _parse_limit(text: str | None) -> int:
    if text is None or not text.isascii() or not text.isdigit():
        return ENTITIES_DEFAULT
    return ENTITIES_MAX if len(text) > 9 else max(1, min(int(text), ENTITIES_MAX))
