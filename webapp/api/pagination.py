"""Lists come in pages: ``{count, next, previous, results}``."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from webapp.api.access import filter_visible


class Pages(PageNumberPagination):
    """``?page=`` and ``?page_size=``, at most 200 a page. Rows that the person may not see are not counted."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """A page of what the person may see."""
        if isinstance(queryset, QuerySet):
            queryset = filter_visible(queryset, request.user)
        return super().paginate_queryset(queryset, request, view)
