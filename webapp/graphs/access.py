"""Who may see which graph, and with it all that was made of it: the one place that decides.

Who may change what they see is decided by ``webapp.accounts.rights``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from webapp.accounts.models import Role, User
from webapp.accounts.rights import may_manage
from webapp.api.permissions import has_role
from webapp.graphs.models import Graph, Visibility

if TYPE_CHECKING:
    from rest_framework.views import APIView

Row = TypeVar("Row", bound=Model)

#: How models that have no column ``graph`` lead to one.
LOOKUPS = {"review.item": "queue__graph", "answers.agentcorrection": "run__graph"}


def visible(user: User | AnonymousUser) -> QuerySet[Graph]:
    """The graphs that a user may see: public ones, one's own, those of one's groups; administrators see all."""
    rows = Graph.objects.select_related("snapshot", "created_by", "owner", "endpoint").filter(deleted_at=None)
    rows = rows.prefetch_related("groups")
    if not isinstance(user, User):
        return rows.none()
    if user.has_role(Role.ADMIN):
        return rows
    mine = Q(visibility=Visibility.PUBLIC) | Q(owner=user)
    shared = Graph.groups.through.objects.filter(group__in=user.groups.all()).values("graph")
    return rows.filter(mine | Q(visibility=Visibility.GROUP, pk__in=shared))


def of_visible(rows: QuerySet[Row], user: User | AnonymousUser) -> QuerySet[Row]:
    """Those of some rows whose graph the user may see. Rows that have nothing to do with graphs are all kept."""
    if rows.model is Graph:
        return rows.filter(pk__in=visible(user).values("pk"))
    lookup = LOOKUPS.get(rows.model._meta.label_lower)
    if lookup is None:
        if not any(field.name == "graph" for field in rows.model._meta.concrete_fields):
            return rows
        lookup = "graph"
    if isinstance(user, User) and user.has_role(Role.ADMIN):
        return rows.filter(**{f"{lookup}__deleted_at": None})
    return rows.filter(**{f"{lookup}__in": visible(user).values("pk")})


def may_see(user: User | AnonymousUser, graph_id: int) -> bool:
    """Whether a user may see a graph."""
    return visible(user).filter(pk=graph_id).exists()


class VisibleGraphs(BaseFilterBackend):
    """Lets no view find what belongs to a graph that the user may not see."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        """What may be seen."""
        return of_visible(queryset, request.user)

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """None."""
        return []


class OwnerWrites(BasePermission):
    """Who may see a graph reads it; its owner and administrators write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the user may do that at all."""
        return has_role(request, Role.VIEWER if request.method in SAFE_METHODS else Role.ANALYST)

    def has_object_permission(self, request: Request, view: APIView, obj: Graph) -> bool:
        """Whether with this graph."""
        return request.method in SAFE_METHODS or may_manage(request.user, obj)
