"""``/trash`` and ``/storage``."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts import quotas
from webapp.accounts.models import Role, User
from webapp.accounts.permissions import OwnerWrites
from webapp.accounts.views import UserView
from webapp.api.errors import ConfirmError, ConflictError
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.graphs import serializers as shapes
from webapp.graphs import services, storage, trash, versions
from webapp.graphs.models import Graph, GraphVersion
from webapp.graphs.selectors import list_visible_graphs


class TrashedSerializer(serializers.Serializer[object]):
    """A graph in the trash, a version of one, or something made of one, and until when it can be restored.

    ``id`` is the graph's, ``key`` that of what was made of it.
    """

    kind = serializers.ChoiceField(choices=["graphs", "versions", *trash.KINDS])
    id = serializers.IntegerField()
    key = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    graph_name = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    triples = serializers.IntegerField(allow_null=True)
    questions = serializers.IntegerField(allow_null=True)
    owner = serializers.CharField(allow_null=True)
    deleted_at = serializers.DateTimeField()
    deleted_by = serializers.CharField(allow_null=True)
    kept_until = serializers.DateTimeField()


class RestoreSerializer(serializers.Serializer[object]):
    """Under which name; its own when left out."""

    name = PlainText(max_length=200, required=False)


class GraphStorageSerializer(serializers.Serializer[object]):
    """Bytes that a graph takes."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    trashed = serializers.BooleanField()
    uploads = serializers.IntegerField()
    snapshots = serializers.IntegerField()
    caches = serializers.IntegerField()
    others = serializers.IntegerField()
    question_sets = serializers.IntegerField()
    total = serializers.IntegerField()


class StorageSerializer(serializers.Serializer[object]):
    """Bytes: of each graph, of uploads on their way, of all, left on the disk; one's own, and how many one may have."""

    graphs = GraphStorageSerializer(many=True)
    uploads = serializers.IntegerField()
    total = serializers.IntegerField()
    free = serializers.IntegerField()
    mine = serializers.IntegerField()
    quota = serializers.IntegerField(allow_null=True)


class TrashView(UserView):
    """Deleted graphs and versions, and what was made of graphs."""

    @extend_schema(operation_id="trash_list", responses=TrashedSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Those that can be restored: one's own; for administrators all."""
        rows = [
            _render_trashed("graphs", row, row, triples=_count_triples(row.snapshot))
            for row in _list_own_graphs(self.user)
        ]
        rows += [
            _render_trashed("versions", row, row.graph, version=row.version, triples=row.triples)
            for row in _list_own_versions(self.user)
        ]
        rows += [_render_made(kind, row) for kind in trash.KINDS for row in trash.list_of_kind(kind, self.user)]
        rows.sort(key=lambda row: cast(datetime, row["deleted_at"]), reverse=True)
        return Response(TrashedSerializer(rows, many=True).data)


class TrashedView(UserView):
    """A deleted graph."""

    permission_classes = [OwnerWrites]

    @extend_schema(
        operation_id="trash_purge",
        parameters=[OpenApiParameter("confirm", str, required=True, description="its name, repeated")],
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Delete it for good, now."""
        graph = get_object_or_404(_list_own_graphs(self.user), pk=pk)
        trash.require_name(graph, request.query_params.get("confirm", ""))
        services.purge_graph(graph=graph)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreView(UserView):
    """Undoing a deletion."""

    permission_classes = [OwnerWrites]

    @extend_schema(operation_id="trash_restore", request=RestoreSerializer, responses=shapes.GraphSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take it out of the trash."""
        data = validate_form(RestoreSerializer(data=request.data))
        graph = get_object_or_404(_list_own_graphs(self.user), pk=pk)
        return Response(shapes.GraphSerializer(trash.restore(graph=graph, user=self.user, **data)).data)


class TrashedVersionView(UserView):
    """A deleted version."""

    permission_classes = [OwnerWrites]

    @extend_schema(
        operation_id="trash_purge_version",
        parameters=[OpenApiParameter("confirm", str, required=True, description="the graph's name, repeated")],
        responses={204: None},
    )
    def delete(self, request: Request, pk: int, version: int) -> Response:
        """Delete it for good, now; where work that was under way uses it by now, it comes back instead: 409."""
        snapshot = get_object_or_404(_list_own_versions(self.user), graph=pk, version=version)
        trash.require_name(snapshot.graph, request.query_params.get("confirm", ""))
        if not trash.purge_version(snapshot):
            raise ConflictError(
                f"Version {version} is used by now, by work that was under way.",
                hint="It is back in the list of versions.",
            )
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreVersionView(UserView):
    """Undoing the deletion of a version."""

    permission_classes = [OwnerWrites]

    @extend_schema(operation_id="trash_restore_version", request=None, responses=shapes.GraphSerializer)
    def post(self, request: Request, pk: int, version: int) -> Response:
        """Take it out of the trash. Which version is asked stays as it is."""
        snapshot = get_object_or_404(_list_own_versions(self.user), graph=pk, version=version)
        versions.restore(snapshot=snapshot)
        return Response(shapes.GraphSerializer(snapshot.graph).data)


class TrashedMadeView(UserView):
    """A deleted question set, checkpoint or report."""

    @extend_schema(
        operation_id="trash_purge_made",
        parameters=[OpenApiParameter("confirm", str, required=True, description="its name, repeated")],
        responses={204: None},
    )
    def delete(self, request: Request, kind: str, key: int) -> Response:
        """Delete it for good, now."""
        row = _find_trashed(self.user, kind, key)
        name = trash.KINDS[kind].name(row)
        if request.query_params.get("confirm", "") != name:
            raise ConfirmError("It and its files go now.", hint=f"Repeat its name to go on: ?confirm={name}")
        trash.KINDS[kind].purge(row)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RestoreMadeView(UserView):
    """Undoing the deletion of a question set, checkpoint or report."""

    @extend_schema(operation_id="trash_restore_made", request=RestoreSerializer, responses={204: None})
    def post(self, request: Request, kind: str, key: int) -> Response:
        """Take it out of the trash."""
        data = validate_form(RestoreSerializer(data=request.data))
        trash.take_out(kind, _find_trashed(self.user, kind, key), **data)
        return Response(status=status.HTTP_204_NO_CONTENT)


class StorageView(UserView):
    """What is used."""

    @extend_schema(operation_id="storage", responses=StorageSerializer)
    def get(self, request: Request) -> Response:
        """By graph, as found where it is stored; graphs that one may not see are not listed and not counted."""
        rows = []
        graphs = [*list_visible_graphs(self.user), *_list_own_graphs(self.user)]
        taken = storage.measure_graphs([graph.pk for graph in graphs])
        for graph in graphs:
            used, trashed = taken[graph.pk], graph.deleted_at is not None
            rows.append({"id": graph.pk, "name": graph.name, "trashed": trashed, **asdict(used), "total": used.total})
        arriving = storage.measure_uploads()
        shown = {
            "graphs": sorted(rows, key=lambda row: -cast(int, row["total"])),
            "uploads": arriving,
            "total": arriving + sum(cast(int, row["total"]) for row in rows),
            "free": storage.get_free_bytes(),
            "mine": quotas.compute_usage(self.user),
            "quota": quotas.get_quota(self.user),
        }
        return Response(StorageSerializer(shown).data)


def _find_trashed(user: User, kind: str, key: int) -> Any:
    rows = trash.list_of_kind(kind, user) if kind in trash.KINDS else []
    match = next((row for row in rows if row.pk == key), None)
    if match is None:
        raise Http404
    return match


def _list_own_graphs(user: User) -> QuerySet[Graph]:
    return trash.list_trashed() if user.has_role(Role.ADMIN) else trash.list_trashed().filter(owner=user)


def _list_own_versions(user: User) -> QuerySet[GraphVersion]:
    rows = versions.list_trashed()
    return rows if user.has_role(Role.ADMIN) else rows.filter(graph__owner=user)


def _count_triples(version: GraphVersion | None) -> int:
    return version.triples if version else 0


def _render_made(kind: str, row: Any) -> dict[str, object]:
    questions = getattr(row, "questions", None)
    return _render_trashed(kind, row, row.graph, key=row.pk, name=trash.KINDS[kind].name(row), questions=questions)


def _render_trashed(kind: str, row: Any, graph: Graph, **what: object) -> dict[str, object]:
    return {
        "kind": kind,
        "id": graph.pk,
        "name": graph.name,
        "graph_name": graph.name,
        **dict.fromkeys(("key", "version", "triples", "questions")),
        "owner": graph.owner.username if graph.owner else None,
        "deleted_at": row.deleted_at,
        "deleted_by": row.deleted_by.username if row.deleted_by else None,
        "kept_until": trash.compute_purge_time(row),
        **what,
    }
