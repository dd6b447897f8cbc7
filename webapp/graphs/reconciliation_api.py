"""``/reconcile/{token}/{graph}``: a graph as a reconciliation service, which OpenRefine matches tables with.

OpenRefine sends no headers, so the token is a part of the address. It can do nothing else: tokens with any other scope
are not taken here, since addresses are kept in projects, histories and logs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpResponse, QueryDict
from django.utils.html import format_html, format_html_join
from pydantic import TypeAdapter, ValidationError
from rest_framework.exceptions import NotFound
from rest_framework.parsers import FormParser
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.kg.snapshot import Snapshot
from webapp.accounts.authentication import ReconciliationToken
from webapp.accounts.views import UserView
from webapp.api.errors import InvalidError, TooLargeError
from webapp.api.params import parse_integer
from webapp.graphs import reconciliation, snapshots
from webapp.graphs.models import Graph
from webapp.graphs.selectors import find_graph

PREVIEW_WIDTH, PREVIEW_HEIGHT, PREVIEW_FACTS = 400, 240, 8
PROPOSED = 100
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
}
"""Pages of other sites may read the answers: what they send must hold the token, and no cookie counts here."""

FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *"
Form = TypeVar("Form")

_BATCH: TypeAdapter[dict[str, reconciliation.ReconciliationQuery]] = TypeAdapter(
    dict[str, reconciliation.ReconciliationQuery]
)
_EXTENSION = TypeAdapter(reconciliation.ExtensionQuery)


class ReconciliationView(UserView):
    """A part of the service; the protocol is documented elsewhere."""

    schema = None
    authentication_classes = [ReconciliationToken]
    parser_classes = [FormParser]

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Let pages of other sites read it, errors too."""
        for name, value in CORS.items():
            response.headers[name] = value
        return super().finalize_response(request, response, *args, **kwargs)

    def find_graph(self, pk: int) -> tuple[Graph, Snapshot]:
        """The graph and its current version.

        Raises:
            NotImportedError, GraphNotReadyError, DamagedError: as :func:`snapshots.open_current`.
        """
        graph = find_graph(self.user, pk)
        return graph, snapshots.open_current(graph)


class ServiceView(ReconciliationView):
    """The service itself."""

    def get(self, request: Request, token: str, pk: int) -> Response:
        """Describe the service, or match as POST does."""
        return self._answer(request, pk, request.query_params)

    def post(self, request: Request, token: str, pk: int) -> Response:
        """Match a batch of queries, or fetch values of properties."""
        return self._answer(request, pk, request.data)

    def _answer(self, request: Request, pk: int, sent: Any) -> Response:
        graph, snapshot = self.find_graph(pk)
        if "queries" in sent:
            batch = _read_form(sent, "queries", _BATCH)
            if len(batch) > reconciliation.BATCH_MAX:
                raise TooLargeError(
                    f"A batch has at most {reconciliation.BATCH_MAX} queries.", hint="Send several batches."
                )
            return Response(
                {key: {"result": reconciliation.find_candidates(snapshot, query)} for key, query in batch.items()}
            )
        if "extend" in sent:
            return Response(reconciliation.extend_entities(snapshot, _read_form(sent, "extend", _EXTENSION)))
        return Response(_build_manifest(graph, snapshot, request.build_absolute_uri(request.path)))


class SuggestView(ReconciliationView):
    """Completion of what a person types."""

    _SUGGEST: dict[str, Callable[[Snapshot, str, int], list[dict[str, Any]]]] = {
        "entity": reconciliation.suggest_entities,
        "type": reconciliation.suggest_types,
        "property": reconciliation.suggest_properties,
    }

    def get(self, request: Request, token: str, pk: int, kind: str) -> Response:
        """Suggest entities, types or properties.

        Raises:
            NotFound: it is something else.
        """
        if kind not in self._SUGGEST:
            raise NotFound("Entities, types and properties can be suggested.")
        _, snapshot = self.find_graph(pk)
        prefix, skip = request.query_params.get("prefix", "")[:200], parse_integer(request.query_params, "cursor") or 0
        return Response({"result": self._SUGGEST[kind](snapshot, prefix, skip)})


class ProposalView(ReconciliationView):
    """Properties to fetch."""

    def get(self, request: Request, token: str, pk: int) -> Response:
        """Propose properties that entities of a type have."""
        _, snapshot = self.find_graph(pk)
        kind, limit = request.query_params.get("type", ""), parse_integer(request.query_params, "limit") or PROPOSED
        properties = reconciliation.propose_properties(snapshot, kind, limit)
        return Response({"type": kind, "limit": limit, "properties": properties})


class EntityPreviewView(ReconciliationView):
    """An entity in a small frame."""

    def get(self, request: Request, token: str, pk: int) -> HttpResponse:
        """Summarize an entity as HTML."""
        _, snapshot = self.find_graph(pk)
        label = request.query_params.get("id", "")
        entity = snapshot.find_entity(label)
        about, facts = "There is no such entity.", []
        if entity is not None:
            about, facts = snapshot.describe_entity(entity), reconciliation.list_facts(snapshot, entity, PREVIEW_FACTS)
        rows = format_html_join("", "<tr><th>{relation}<td>{value}", facts)
        style = "body{font:14px sans-serif;margin:8px}h1{font-size:16px;margin:0}th{font-weight:400;text-align:left}"
        response = HttpResponse(
            format_html(
                '<!doctype html><meta charset="utf-8"><style>{}</style><title>{}</title><h1>{}</h1><p>{}</p>'
                "<table>{}</table>",
                *(style, label, label, about, rows),
            )
        )
        response.headers["Content-Security-Policy"] = FRAME_POLICY
        response.xframe_options_exempt = True  # read by Django's middleware
        return response


def _read_form(sent: QueryDict, name: str, form: TypeAdapter[Form]) -> Form:
    """JSON in a field of a form.

    Raises:
        InvalidError: it is no JSON, or of another shape.
    """
    try:
        return form.validate_json(str(sent[name]))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join([name, *map(str, first["loc"])])
        raise InvalidError(f"{place}: {first['msg']}.", hint="See the Reconciliation Service API 0.2.") from None


def _build_manifest(graph: Graph, snapshot: Snapshot, url: str) -> dict[str, Any]:
    paths = {kind: {"service_url": url, "service_path": f"/suggest/{kind}"} for kind in ("entity", "type", "property")}
    page = f"{url.partition('/api/v1/')[0]}/graphs/{graph.pk}"
    limit = {
        "name": "limit",
        "label": "Limit",
        "type": "number",
        "default": 0,
        "help_text": f"Values of one entity at most; 0 gives all of them, up to {reconciliation.VALUES_MAX}",
    }
    return {
        "versions": ["0.2"],
        "name": f"{graph.name} (Clew)",
        "identifierSpace": f"{page}#entity=",
        "schemaSpace": f"{page}#type=",
        "defaultTypes": reconciliation.list_types(snapshot)[: reconciliation.SUGGESTED],
        "suggest": paths,
        "preview": {"url": f"{url}/preview?id={{{{id}}}}", "width": PREVIEW_WIDTH, "height": PREVIEW_HEIGHT},
        "extend": {
            "propose_properties": {"service_url": url, "service_path": "/properties"},
            "property_settings": [limit],
        },
        "batchSize": reconciliation.BATCH_MAX,
    }
