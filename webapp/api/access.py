"""Who sees which rows, and who manages them: nobody, until their model says otherwise.

Visible is not manageable. ``make_visibility_filter`` says who finds a row, reads it and makes something of their own of
it; ``owner_path`` and ``managed_through`` say who changes, stops and deletes it (``webapp.accounts.rights``). What
changes the answers that everybody gets of a graph is for those who manage the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, Group
from django.db.models import Model, Q, QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView

Row = TypeVar("Row", bound=Model)
Person = AbstractBaseUser | AnonymousUser

NOBODY = Q(pk__in=[])
EVERYBODY = Q()
OPEN: set[type[Model]] = {Group}
"""Models of Django's own whose rows every person sees: who the members of a group are, its serializer hides."""


class AccessControlled(Model):
    """The base of all models: rows are seen by nobody and managed by nobody, until the model says by whom.

    Attributes:
        visible_through: the way to another model, such as ``queue__graph``: who sees that row sees this one.
        owner_path: the way to the owner's id, such as ``job.user_id``; the owner manages the row.
        managed_through: the way to another row whose owner manages this one as well.
        owner_role: what an owner must be for that to count.
    """

    visible_through: ClassVar[str] = ""
    owner_path: ClassVar[str] = ""
    managed_through: ClassVar[str] = ""
    owner_role: ClassVar[str] = "viewer"

    class Meta:
        abstract = True

    @classmethod
    def make_visibility_filter(cls, user: Person) -> Q:
        """The condition that the rows which a person may see fulfil."""
        if not cls.visible_through:
            return NOBODY
        model: Any = cls
        for name in cls.visible_through.split("__"):
            model = model._meta.get_field(name).related_model
        seen = model._base_manager.filter(model.make_visibility_filter(user)).values("pk")
        return Q(**{f"{cls.visible_through}__in": seen})


def filter_visible(rows: QuerySet[Row], user: Person) -> QuerySet[Row]:
    """Those of some rows that a person may see; none of a model that does not say who sees it."""
    if issubclass(rows.model, AccessControlled):
        return rows.filter(rows.model.make_visibility_filter(user))
    return rows.all() if rows.model in OPEN else rows.none()


class OnlyVisible(BaseFilterBackend):
    """Lets no view find what the person may not see."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        """What may be seen."""
        return filter_visible(queryset, request.user)

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """None."""
        return []
