"""``/runs/{id}/table``."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.studies.answer_tables import format_answer_csv, format_answer_json, format_answer_latex
from webapp.accounts.views import UserView
from webapp.answers import selectors, tables
from webapp.api.errors import InvalidError
from webapp.api.params import parse_integer
from webapp.api.schema import link_component

FORMATS = {
    "csv": ("text/csv", "csv"),
    "json": ("application/json", "json"),
    "latex": ("application/x-tex", "tex"),
}
"""The type of each format and the ending of its file."""


@extend_schema_field({"type": "array", "items": link_component("Hop")})
class HopsField(serializers.JSONField):
    """Facts."""


class CellFactsSerializer(serializers.Serializer[object]):
    """The first facts behind a cell, and how many there are."""

    facts = HopsField()
    total = serializers.IntegerField()


class RunTableView(UserView):
    """The table that answers a run."""

    @extend_schema(
        operation_id="runs_table_download",
        parameters=[OpenApiParameter("as", str, enum=list(FORMATS), description="the format; csv without it")],
        responses={(200, media): OpenApiTypes.STR for media, _ in FORMATS.values()},
    )
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        """Its rows, the first 1,000, as a file."""
        run = self.find(selectors.list_runs(), pk)
        wanted = request.query_params.get("as", "csv")
        if wanted not in FORMATS:
            raise InvalidError(f"There is no format {wanted!r}.", hint=f"Choose one of {', '.join(FORMATS)}.")
        table, (media, ending) = tables.load_table(run), FORMATS[wanted]
        text = {
            "csv": lambda: format_answer_csv(table),
            "json": lambda: format_answer_json(table),
            "latex": lambda: format_answer_latex(table, run.question),
        }[wanted]()
        name = f'attachment; filename="table-{run.pk}.{ending}"'
        return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers={"Content-Disposition": name})


class TableCellView(UserView):
    """A cell of the table that answers a run."""

    @extend_schema(
        operation_id="runs_table_cell",
        parameters=[
            OpenApiParameter("row", int, required=True, description="its number, from 0"),
            OpenApiParameter("column", int, required=True, description="its number, from 0"),
        ],
        responses=CellFactsSerializer,
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """The facts that it comes from, the first 200."""
        run = self.find(selectors.list_runs(), pk)
        row, column = (parse_integer(request.query_params, name) for name in ("row", "column"))
        if row is None or column is None:
            raise InvalidError("Say which cell: row and column, counted from 0.")
        evidence = tables.find_cell_facts(run, row, column)
        return Response({"facts": [asdict(fact) for fact in evidence.facts], "total": evidence.total})
