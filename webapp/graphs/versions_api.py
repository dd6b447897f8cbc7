"""``/graphs/{id}/versions``."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.kg.analysis.comparison import Diff
from retrieval.kg.readers.options import ReadOptions
from webapp.accounts import quotas
from webapp.api.errors import GraphNotReadyError, InvalidError
from webapp.api.fields import PlainText
from webapp.api.params import parse_integer, validate_form
from webapp.api.parsers import Json
from webapp.graphs import dependents, files, selectors, versions
from webapp.graphs import serializers as shapes
from webapp.graphs.models import GraphVersion, Mode, SourceFile
from webapp.graphs.views import GraphView
from webapp.jobs.serializers import JobSerializer
from webapp.uploads import services as uploads


class SourceFileSerializer(serializers.ModelSerializer[SourceFile]):
    """A file that a version was made of."""

    class Meta:
        model = SourceFile
        fields = ["name", "size"]


class UsedBySerializer(serializers.Serializer[object]):
    """How many things of each kind point at a version."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """A number for each kind."""
        return {kind: serializers.IntegerField() for kind in dependents.list_version_kinds()}


class DependentsSerializer(serializers.Serializer[object]):
    """How many things of each kind go with a graph."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """A number for each kind."""
        return {kind: serializers.IntegerField() for kind in ("versions", *dependents.DEPENDENTS)}


class VersionSerializer(serializers.ModelSerializer[GraphVersion]):
    """A version: how it was made, what it holds, and what points at it. ``base`` is the version that it changed."""

    snapshot = serializers.IntegerField(source="pk")
    base = serializers.IntegerField(source="base.version", allow_null=True, default=None)
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)
    bytes = serializers.SerializerMethodField()
    problems = serializers.IntegerField(source="problem_count")
    files = SourceFileSerializer(many=True)
    current = serializers.SerializerMethodField()
    used_by = serializers.SerializerMethodField()

    class Meta:
        model = GraphVersion
        fields = [
            *("version", "hash", "snapshot", "mode", "base", "note", "entities", "relations", "triples"),
            *("passages", "attributes", "bytes", "problems", "files", "current", "used_by"),
            *("created_at", "created_by"),
        ]

    def get_bytes(self, snapshot: GraphVersion) -> int:
        """What it takes on the disk; looked up for versions that were made before it was counted."""
        return snapshot.bytes or files.measure_size(snapshot.path)

    def get_current(self, snapshot: GraphVersion) -> bool:
        """Whether it is the one that is asked."""
        return bool(self.context["graph"].snapshot_id == snapshot.pk)

    def get_used_by(self, snapshot: GraphVersion) -> UsedBySerializer:
        """What points at it."""
        return cast(UsedBySerializer, self.context["used_by"][snapshot.pk])


class ChangeSerializer(shapes.FilesSerializer):
    """The next version."""

    mode = serializers.ChoiceField(choices=[mode for mode in Mode.choices if mode[0] != Mode.EDIT])
    note = PlainText(max_length=2000, allow_blank=True, default="")
    reapplies_edits = serializers.BooleanField(
        default=True, help_text="apply edits by hand to a whole new content again"
    )


class VersionsView(GraphView):
    """All versions of a graph."""

    parser_classes = [Json, MultiPartParser]

    @extend_schema(operation_id="versions_list", responses=VersionSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """Newest first."""
        graph = self.get_graph(pk)
        rows = list(selectors.list_versions(graph))  # a version that comes meanwhile is in the next answer
        context = {"graph": graph, "used_by": dependents.count_by_version(graph)}
        return Response(VersionSerializer(rows, many=True, context=context).data)

    @extend_schema(
        operation_id="versions_create",
        request={"multipart/form-data": ChangeSerializer, "application/json": ChangeSerializer},
        responses={202: JobSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Make the next version: new content, or this one with more or fewer facts. It becomes the current one."""
        graph = self.get_graph(pk)
        data = validate_form(ChangeSerializer(data=request.data))
        quotas.require_room(self.user, sum(file.size for file in data["files"]))
        job = versions.start(
            graph=graph,
            change=versions.VersionChange(
                Mode(data["mode"]), ReadOptions.from_values(data), data["note"], data["reapplies_edits"]
            ),
            files=data["files"],
            uploads=uploads.require_complete(ids=data["uploads"], user=self.user),
            sources=data["sources"],
            user=self.user,
        )
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class VersionView(GraphView):
    """One version."""

    @extend_schema(operation_id="versions_get", responses=VersionSerializer)
    def get(self, request: Request, pk: int, version: int) -> Response:
        """One version."""
        graph = self.get_graph(pk)
        context = {"graph": graph, "used_by": dependents.count_by_version(graph)}
        snapshot = get_object_or_404(selectors.list_versions(graph), version=version)
        return Response(VersionSerializer(snapshot, context=context).data)

    @extend_schema(operation_id="versions_delete", responses={204: None})
    def delete(self, request: Request, pk: int, version: int) -> Response:
        """Put a version that nothing points at, and that is not the current one, into the trash."""
        graph = self.get_graph(pk)
        snapshot = get_object_or_404(selectors.list_versions(graph), version=version)
        used_by = dependents.count_by_version(graph)[snapshot.pk]
        versions.move_to_trash(snapshot=snapshot, used_by=used_by, user=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ActivateView(GraphView):
    """Which version is asked."""

    @extend_schema(operation_id="versions_activate", request=None, responses=shapes.GraphSerializer)
    def post(self, request: Request, pk: int, version: int) -> Response:
        """Go back, or forward, to a version."""
        graph = self.get_graph(pk)
        snapshot = get_object_or_404(selectors.list_versions(graph), version=version)
        changed = versions.activate(graph=graph, snapshot=snapshot, user=self.user)
        return Response(shapes.GraphSerializer(changed).data)


class DiffView(GraphView):
    """Two versions side by side."""

    @extend_schema(
        operation_id="versions_diff",
        parameters=[
            OpenApiParameter("from", int, description="a version; left out: the one before"),
            OpenApiParameter("to", int, description="a version; left out: the current one"),
        ],
        responses=Diff,
    )
    def get(self, request: Request, pk: int) -> Response:
        """What the one has that the other has not."""
        graph = self.get_graph(pk)
        rows = selectors.list_versions(graph)
        to, since = (parse_integer(request.query_params, name) for name in ("to", "from"))
        if to is None and graph.snapshot is None:
            raise GraphNotReadyError(f"{graph.name} has no version yet.", hint="Wait until its import is done.")
        new: Any = graph.snapshot if to is None else get_object_or_404(rows, version=to)
        old = rows.filter(version__lt=new.version).first() if since is None else get_object_or_404(rows, version=since)
        if old is None:
            raise InvalidError(f"There is no version before {new.version}.", hint="Name two versions.")
        return Response(versions.compare_versions(old, new))


class DependentsView(GraphView):
    """What goes with a graph."""

    @extend_schema(operation_id="graphs_dependents", responses=DependentsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """What would be deleted with it."""
        return Response(DependentsSerializer(dependents.count_in_graph(self.get_graph(pk))).data)
