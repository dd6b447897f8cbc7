"""What the views of the API have in common."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, cast
from uuid import UUID

from django.db.models import Model, QuerySet
from rest_framework import mixins
from rest_framework.filters import BaseFilterBackend
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from webapp.accounts.models import User
from webapp.accounts.permissions import OwnerWrites
from webapp.api.access import OnlyVisible, filter_visible
from webapp.api.params import parse_integer

Row = TypeVar("Row", bound=Model)


class UserView(APIView):
    """A view that knows who asks."""

    @property
    def user(self) -> User:
        """Who asks; the permissions have let nobody else in."""
        return cast(User, self.request.user)

    def find(self, rows: QuerySet[Row], key: int | UUID) -> Row:
        """A row that the request names; 404 where the user does not see it."""
        return get_object_or_404(filter_visible(rows, self.user), pk=key)

    def find_named(self, rows: QuerySet[Row], key: int | UUID | None) -> Row | None:
        """The same of a row that need not be named."""
        return None if key is None else self.find(rows, key)


class ByParameters(BaseFilterBackend):
    """Narrows a list by the query parameters that its view names in ``narrowed_by``."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> QuerySet[Any]:
        """The rows with the values that are given.

        Raises:
            InvalidError: a number is none.
        """
        if view.action != "list":
            return queryset
        for name, kind in view.narrowed_by.items():
            query = request.query_params
            value = parse_integer(query, name) if kind is int else query.get(name) or None
            if value is not None:
                queryset = queryset.filter(**{name: value})
        return queryset

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """The parameters, for the schema."""
        types = {int: "integer", str: "string"}
        parameters = view.narrowed_by.items() if view.action == "list" else ()
        return [{"in": "query", "name": name, "schema": {"type": types[kind]}} for name, kind in parameters]


class RowViewSet(UserView, mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet[Row]):
    """Rows of a model in pages, and one of them by its number; viewers read, analysts make, managers change.

    An action that changes a row which others may see is for who manages the row, unless it declares other permissions.

    Attributes:
        narrowed_by: the columns by which a list can be narrowed, each with its type: int or str.
    """

    lookup_value_converter = "int"
    permission_classes = [OwnerWrites]
    filter_backends = [OnlyVisible, ByParameters]
    narrowed_by: ClassVar[dict[str, type]] = {}

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """All that the user may see, in pages."""
        return super().list(request, *args, **kwargs)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One of them."""
        return super().retrieve(request, *args, **kwargs)

    def build_page(self, rows: Any, shape: type[BaseSerializer[Any]]) -> Response:
        """A page of rows that belong to one, or of another list."""
        return self.get_paginated_response(shape(self.paginate_queryset(rows), many=True).data)
