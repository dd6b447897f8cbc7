"""Lists come in pages: ``{count, next, previous, results}``."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from webapp.graphs.access import of_visible


class Pages(PageNumberPagination):
    """``?page=`` and ``?page_size=``, at most 200 a page. Rows of graphs that the user may not see are not counted."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """A page of what the user may see."""
        if isinstance(queryset, QuerySet):
            queryset = of_visible(queryset, request.user)
        return super().paginate_queryset(queryset, request, view)
