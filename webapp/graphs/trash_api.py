"""``/trash`` and ``/storage``."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import Role, User
from webapp.api.fields import Text
from webapp.graphs import access, services, storage, trash
from webapp.graphs import serializers as shapes
from webapp.graphs.models import Graph


class TrashedSerializer(serializers.ModelSerializer[Graph]):
    """A graph in the trash, and until when it can be restored."""

    triples = serializers.IntegerField(source="snapshot.triples", default=0)
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    deleted_by = serializers.CharField(source="deleted_by.username", allow_null=True, default=None)
    kept_until = serializers.SerializerMethodField()

    class Meta:
        model = Graph
        fields = ["id", "name", "triples", "owner", "deleted_at", "deleted_by", "kept_until"]

    @extend_schema_field(serializers.DateTimeField())
    def get_kept_until(self, graph: Graph) -> Any:
        """When it is deleted for good."""
        return trash.kept_until(graph)


class RestoreSerializer(serializers.Serializer[object]):
    """Under which name; its own when left out."""

    name = Text(max_length=200, required=False)


class GraphStorageSerializer(serializers.Serializer[object]):
    """Bytes that a graph takes."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    trashed = serializers.BooleanField()
    uploads = serializers.IntegerField()
    snapshots = serializers.IntegerField()
    caches = serializers.IntegerField()
    others = serializers.IntegerField()
    total = serializers.IntegerField()


class StorageSerializer(serializers.Serializer[object]):
    """Bytes: of each graph, of uploads on their way, of all, left on the disk; one's own, and how many one may have."""

    graphs = GraphStorageSerializer(many=True)
    uploads = serializers.IntegerField()
    total = serializers.IntegerField()
    free = serializers.IntegerField()
    mine = serializers.IntegerField()
    quota = serializers.IntegerField(allow_null=True)


class TrashView(APIView):
    """Deleted graphs."""

    @extend_schema(operation_id="trash_list", responses=TrashedSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Those that can be restored: one's own; for administrators all."""
        return Response(TrashedSerializer(_mine(request), many=True).data)


class TrashedView(APIView):
    """A deleted graph."""

    permission_classes = [access.OwnerWrites]

    @extend_schema(
        operation_id="trash_purge",
        parameters=[OpenApiParameter("confirm", str, required=True, description="its name, repeated")],
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Delete it for good, now."""
        graph = get_object_or_404(_mine(request), pk=pk)
        trash.require_name(graph, request.query_params.get("confirm", ""))
        services.purge_graph(graph=graph)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreView(APIView):
    """Undoing a deletion."""

    permission_classes = [access.OwnerWrites]

    @extend_schema(operation_id="trash_restore", request=RestoreSerializer, responses=shapes.GraphSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take it out of the trash."""
        form = RestoreSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        graph = get_object_or_404(_mine(request), pk=pk)
        return Response(shapes.GraphSerializer(trash.restore(graph=graph, **form.validated_data)).data)


class StorageView(APIView):
    """What is used."""

    @extend_schema(operation_id="storage", responses=StorageSerializer)
    def get(self, request: Request) -> Response:
        """By graph, as found on the disk; graphs that one may not see are not listed and not counted."""
        user = cast(User, request.user)
        rows = []
        for graph in [*access.visible(user), *_mine(request)]:
            used = storage.of_graph(graph.pk)
            rows.append(
                {
                    "id": graph.pk,
                    "name": graph.name,
                    "trashed": graph.deleted_at is not None,
                    "uploads": used.uploads,
                    "snapshots": used.snapshots,
                    "caches": used.caches,
                    "others": used.others,
                    "total": used.total,
                }
            )
        arriving = storage.arriving()
        shown = {
            "graphs": sorted(rows, key=lambda row: -cast(int, row["total"])),
            "uploads": arriving,
            "total": arriving + sum(cast(int, row["total"]) for row in rows),
            "free": storage.free(),
            "mine": storage.of_user(user),
            "quota": storage.quota_of(user),
        }
        return Response(StorageSerializer(shown).data)


def _mine(request: Request) -> QuerySet[Graph]:
    user = cast(User, request.user)
    return trash.trashed() if user.has_role(Role.ADMIN) else trash.trashed().filter(owner=user)
